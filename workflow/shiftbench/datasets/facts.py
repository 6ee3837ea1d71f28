"""What is said of a replicate's data: rows beside those of the methods, and arrays for figures and lists."""

from typing import Any

import numpy as np

from shiftbench.datasets.base import Replicate
from shiftbench.runs import DATA, rows_of


def data_rows(experiment: str, replicate: Replicate) -> list[dict[str, Any]]:
    """The facts of a replicate's data as rows of the method "data"."""
    place = {
        "experiment": experiment,
        "scenario": replicate.scenario,
        "replicate": replicate.number,
        "method": DATA,
    }
    about = replicate.about
    rows = []
    for name, value in about.items():
        if isinstance(value, int | float) and not isinstance(value, bool):
            origin = about.get("test_origin", about["origin"]) if name.startswith("test_") else about["origin"]
            rows += rows_of(place, {name: value}, {}, data=origin)
    said = {name: value for name, value in about.items() if isinstance(value, str)}
    return [row | {"params": rows_of(place, {"x": 0}, said)[0]["params"]} for row in rows]


def data_arrays(replicate: Replicate) -> dict[str, np.ndarray]:
    """What figures and lists need of the first replicate's data."""
    if replicate.number != 0:
        return {}
    key, train = f"{replicate.scenario}/{DATA}/0", replicate.parts["train"]
    arrays = {"labels": train.labels, "truth": train.truth, "ids": train.ids}
    arrays |= {f"tag.{name}": values for name, values in train.tags.items() if values.dtype == bool}
    if "test" in replicate.parts:
        arrays["test_truth"] = replicate.parts["test"].truth
    return {f"{key}/{name}": values for name, values in arrays.items() if values is not None}
