"""Which sets of examples a method suspects, and in how many replicates each set comes out."""

from typing import NamedTuple

import numpy as np

from shiftbench.runs import Runs


class SuspectSet(NamedTuple):
    """One outcome."""

    suspected: np.ndarray  # a mask over the training examples
    replicates: list[int]  # those in which it came out


def suspect_sets(runs: Runs, experiment: str, scenario: str, method: str) -> list[SuspectSet]:
    """All outcomes, the commonest first; of equally common ones the one that came out first."""
    prefix, end = f"{experiment}/{scenario}/{method}/", "/suspected"
    found: dict[bytes, SuspectSet] = {}
    masks = {
        int(key.removeprefix(prefix).removesuffix(end)): mask
        for key, mask in runs.arrays.items()
        if key.startswith(prefix) and key.endswith(end)
    }
    for replicate, mask in sorted(masks.items()):
        found.setdefault(np.packbits(mask).tobytes(), SuspectSet(mask, [])).replicates.append(replicate)
    return sorted(found.values(), key=lambda one: -len(one.replicates))
