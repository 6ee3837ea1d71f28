"""A CSV or Parquet file of the user's own, one row per example: `dataset: {file: my.csv, label: churn}`."""

from pathlib import Path

import numpy as np
import pandas as pd

from shiftbench.datasets.base import split

DEFAULTS = {"file": None, "label": None, "truth": None, "id": None, "group": None, "dev": 0.25, "test": 0.25}


def load(settings, rng):
    """The file's rows cut at random into parts; columns of text become one column for each value."""
    frame = read(settings["file"])
    roles = {role: settings[role] for role in ("label", "truth", "id", "group") if settings[role]}
    for role, column in roles.items():
        if column not in frame.columns:
            raise ValueError(
                f"{settings['file']}: has no column {column!r} ({role}); it has {', '.join(map(str, frame.columns))}"
            )
    labels, classes = _codes(settings["file"], frame, settings["label"])
    truth = None
    if settings["truth"]:
        truth = _codes(settings["file"], frame, settings["truth"], classes)[0]
    X = features(settings["file"], frame.drop(columns=list(dict.fromkeys(roles.values()))))
    ids = frame[settings["id"]].to_numpy().astype(str) if settings["id"] else np.arange(len(frame))
    groups = frame[settings["group"]].to_numpy().astype(str) if settings["group"] else None
    parts = split(X, labels, rng, dev=settings["dev"], test=settings["test"], truth=truth, groups=groups, ids=ids)
    about = {"origin": "other", "source": Path(settings["file"]).name, "classes": [str(one) for one in classes]}
    return parts | {"about": about}


def files(settings):
    """What is read, so that a change of it is a reason to prepare the data again."""
    return [settings["file"]]


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    for role in ("file", "label"):
        if not settings[role]:
            yield f"{role}: is missing; write dataset: {{file: my.csv, label: COLUMN}}"
            return
    path = Path(settings["file"])
    if not path.is_file():
        yield f"file: {str(path)!r} does not exist"
    elif path.suffix not in (".csv", ".parquet"):
        yield f"file: {str(path)!r} must end in .csv or .parquet"


def read(path: str | Path) -> pd.DataFrame:
    """The table of a file."""
    return pd.read_parquet(path) if Path(path).suffix == ".parquet" else pd.read_csv(path)


def features(path, frame: pd.DataFrame) -> np.ndarray:
    """Numbers as they are, other columns as 0 or 1 for each of their values."""
    missing = [str(name) for name in frame.columns if frame[name].isna().any()]
    if missing:
        raise ValueError(f"{path}: columns with missing values: {', '.join(missing)}; fill or drop them first")
    text = [name for name in frame.columns if not pd.api.types.is_numeric_dtype(frame[name])]
    return pd.get_dummies(frame, columns=text).to_numpy(dtype=float)


def _codes(path, frame, column, classes=None):
    """(the place of each row's value among the classes, the values of the column in sorted order)."""
    values = frame[column]
    if values.isna().any():
        raise ValueError(f"{path}: column {column!r} has {int(values.isna().sum())} rows without a label; drop them")
    found = sorted(values.unique().tolist())
    if classes is not None and not set(found) <= set(classes):
        raise ValueError(f"{path}: column {column!r} has values {found[:5]}, the labels are {classes}")
    classes = classes or found
    if len(classes) < 2:
        raise ValueError(f"{path}: column {column!r} has one value, {classes[0]!r}; two or more classes are needed")
    if len(classes) > max(2, len(frame) // 2):
        raise ValueError(
            f"{path}: column {column!r} has {len(classes)} different values in {len(frame)} rows; a class needs two "
            "examples or more, so name a column of classes"
        )
    return np.searchsorted(np.array(classes, dtype=object), values.to_numpy(dtype=object)).astype(int), classes
