"""The training examples that a method suspects, the most suspicious first."""

import numpy as np
import pandas as pd

from shiftbench.runs import DATA, Runs


def suspected(runs: Runs, experiment: str, scenario: str, method: str) -> pd.DataFrame:
    """One row per suspected example of the first replicate; truth is -1 where it is not known, tags come last."""

    def array(who, name):
        return runs.arrays.get(f"{experiment}/{scenario}/{who}/0/{name}")

    suspicion, called = array(method, "suspicion"), array(method, "suspected")
    columns = ["id", "label", "truth", "suspicion", "origin"]
    if suspicion is None or called is None:  # the method failed
        return pd.DataFrame(columns=columns)
    places = np.flatnonzero(called)
    places = places[np.argsort(-suspicion[places], kind="stable")]
    labels, truth, ids = array(DATA, "labels"), array(DATA, "truth"), array(DATA, "ids")
    origin = runs.of(experiment, scenario, method)["data"].iloc[0]
    found = pd.DataFrame(
        {
            "id": places if ids is None else ids[places],
            "label": labels[places].astype(int),
            "truth": -1 if truth is None else truth[places].astype(int),
            "suspicion": suspicion[places],
            "origin": origin,
        }
    )
    prefix = f"{experiment}/{scenario}/{DATA}/0/tag."
    tags = {key.removeprefix(prefix): values for key, values in runs.arrays.items() if key.startswith(prefix)}
    return found.assign(**{name: values[places] for name, values in tags.items()})
