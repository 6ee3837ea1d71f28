"""Parts of a set that comes cut into training and test examples: some training examples are drawn to tune on."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from shiftbench.datasets.base import Part
from shiftbench.fetch.record import is_standin

Encoder = Callable[[Any], Any]


def build(train: Part, test: Part, dev: float, rng, learn: Callable[[Any], Encoder]) -> dict[str, Part]:
    """The parts with their features; the test set stays as it is.

    `learn` sees the raw features of what is trained on, and returns what makes features of raw ones, such as texts.
    """
    apart = draw_groups(train.groups, len(train.labels), dev, rng)
    parts = {"train": train.take(np.flatnonzero(~apart)), "dev": train.take(np.flatnonzero(apart)), "test": test}
    encode = learn(parts["train"].X)
    return {name: part._replace(X=encode(part.X)) for name, part in parts.items()}


def draw_groups(groups: np.ndarray | None, n: int, share: float, rng) -> np.ndarray:
    """Which of n examples belong to a share of the groups, drawn at random; without groups each is its own."""
    units = np.arange(n) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    n_drawn = round(share * n_units)
    if n_drawn < 1 or n_units - n_drawn < 2:
        raise ValueError(f"dev={share}: takes {n_drawn} of {n_units} groups; at least 1 to tune on and 2 to train on")
    return np.isin(units, rng.permutation(n_units)[:n_drawn])


def scale(X: np.ndarray) -> Encoder:
    """Columns are brought to mean 0 and standard deviation 1 in the training set; constant ones to 0."""
    mean, deviation = X.mean(axis=0), X.std(axis=0)
    deviation = np.where(deviation > 0.0, deviation, 1.0)
    return lambda raw: (raw - mean) / deviation


def seen_columns(X: sparse.csr_array) -> Encoder:
    """Only columns with something in the training set are kept."""
    kept = np.unique(X.indices)
    return lambda raw: raw[:, kept]


def origin_of(*folders: str) -> str:
    """What is said of data from these folders: they are others than the report's, or there is a stand-in among them."""
    return "standin" if any(is_standin(folder) for folder in folders) else "other"
