"""Tables of examples whose labels look wrong: one form for all methods, and the ways to cut them off."""

import importlib.util
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _num_samples

from shiftlr.labels import read_labels
from shiftlr.methods._noise_model import best_set
from shiftlr.validation import check_codes, check_number


class Suspects(NamedTuple):
    """Examples that look mislabelled, most suspicious first: the table's columns, where pandas is not installed."""

    indices: np.ndarray  # row numbers, or names of the rows of the data frame that was given
    given_label: np.ndarray
    suggested_label: np.ndarray
    suspicion: np.ndarray  # how likely the given label is wrong, from 0 to 1
    shift: np.ndarray | None = None  # of methods that have shifts
    p_value: np.ndarray | None = None  # where trusted labels were given

    def __len__(self):
        return len(self.indices)


class Judged(NamedTuple):
    """What is known of every labelled example, in the order of the rows."""

    rows: np.ndarray  # their names: as in the index of X, or their numbers
    codes: np.ndarray  # of the labels given
    suggested: np.ndarray  # the codes that `predict` says
    suspicion: np.ndarray
    classes: np.ndarray
    shift: np.ndarray | None = None

    @property
    def contradicted(self):
        """Which labels `predict` contradicts: no other is ever named."""
        return self.codes != self.suggested


def index_of(X):
    """The index of a data frame or series, or None."""
    index = getattr(X, "index", None)
    return None if index is None or callable(index) else np.asarray(index)


def table_of(judged, places, p_values=None):
    """The rows at these places as a data frame with X's index or, without pandas, as `Suspects`."""
    columns = {
        "given_label": judged.classes[judged.codes[places]],
        "suggested_label": judged.classes[judged.suggested[places]],
        "suspicion": judged.suspicion[places],
    }
    if judged.shift is not None:
        columns["shift"] = judged.shift[places]
    if p_values is not None:
        columns["p_value"] = p_values[places]
    if not has_pandas():
        return Suspects(judged.rows[places], **columns)
    import pandas as pd

    return pd.DataFrame(columns, index=pd.Index(judged.rows[places]))


def select(judged, *, n=None, share=None, threshold=None, fdr=None, trusted=None, warn=None):
    """(places of those who are named, most suspicious first, p-values of all or None).

    Without any limit it is the automatic set. `warn` gets what has to be said about the answer.
    """
    given = [
        name
        for name, value in {"n": n, "share": share, "threshold": threshold, "fdr": fdr}.items()
        if value is not None
    ]
    if len(given) > 1:
        raise ValueError(
            f"{' and '.join(given)}: give one of n, share, threshold and fdr, or none for the automatic set"
        )
    order = np.argsort(-judged.suspicion, kind="stable")
    order = order[judged.contradicted[order]]
    p_values = None
    if trusted is not None:
        known, right = read_trusted(trusted, judged)
        p_values = conformal_p_values(judged.suspicion, known, right)
        order = order[~known[order]]  # these labels have been looked at
    if fdr is not None:
        return _discoveries(judged, order, fdr, p_values, warn), p_values
    if threshold is not None:
        return order[
            judged.suspicion[order] >= check_number("threshold", threshold, at_least=0.0, at_most=1.0)
        ], p_values
    if share is not None:
        n = int(check_number("share", share, at_least=0.0, at_most=1.0) * len(judged.codes))
    if n is not None:
        return order[: check_number("n", n, at_least=0, integer=True)], p_values
    named = best_set(judged.suspicion, judged.contradicted)
    return order[named[order]], p_values


def _discoveries(judged, order, fdr, p_values, warn):
    """Benjamini and Hochberg's procedure on the conformal p-values."""
    fdr = check_number("fdr", fdr, above=0.0, at_most=1.0)
    if p_values is None:
        wanted = int(np.ceil(10.0 / fdr))
        raise ValueError(
            f"fdr={fdr}: needs trusted labels, or no share of false discoveries can be promised. Have some labels that "
            f"were drawn at random checked, {wanted} or more, and pass trusted={{row: true label}}; or use threshold=, "
            "n= or share=, which promise nothing"
        )
    tested = np.sort(p_values[np.isfinite(p_values)])
    passed = np.flatnonzero(tested <= fdr * np.arange(1, len(tested) + 1) / len(tested))
    found = order[p_values[order] <= tested[passed[-1]]] if len(passed) else order[:0]
    if not len(found) and warn is not None and len(order):
        warn(
            f"no label can be named at fdr={fdr}: the smallest p-value is {tested[0]:.3g} and {len(tested)} labels are "
            "tested. More trusted labels make smaller p-values possible"
        )
    return found


def conformal_p_values(suspicion, known, right):
    """For each label: how often a trusted label that is right looks at least as suspicious; NaN for trusted ones.

    Labels that are right look as suspicious as trusted ones that are right, if these were drawn at random: so a p-value
    of a right label is at most q with a probability of at most q.
    """
    calibration = np.sort(suspicion[known & right])
    at_least = len(calibration) - np.searchsorted(calibration, suspicion, side="left")
    return np.where(known, np.nan, (1.0 + at_least) / (len(calibration) + 1.0))


def read_trusted(trusted, judged):
    """(whose label was checked, whose given label is right): masks over the rows, or a ValueError.

    `trusted` maps rows to their true labels (a dict or a series), or lists rows whose given labels are right, or is a
    mask of them. Rows are named as in the index of X.
    """
    n, rows, labels = len(judged.codes), trusted, None
    if index_of(trusted) is not None:
        rows, labels = index_of(trusted), read_labels(np.asarray(trusted))
    elif isinstance(trusted, Mapping):
        rows, labels = list(trusted), read_labels(list(trusted.values()))
    rows = np.asarray(rows)
    if rows.dtype == bool:
        if rows.shape != (n,):
            raise ValueError(f"trusted has {rows.size} flags: must have one for each of the {n} rows")
        rows = judged.rows[rows]
    places = _places(rows, judged.rows)
    known, right = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    known[places] = True
    right[places] = True if labels is None else check_codes(labels, judged.classes, len(places)) == judged.codes[places]
    if not right.any():
        raise ValueError(
            f"trusted has {int(known.sum())} rows, and in none of them the given label is right: at least one that is "
            "right is needed to compare with"
        )
    return known, right


def _places(rows, index, name="trusted"):
    """Where rows stand in the index, or a ValueError for one that is not there or is there twice."""
    if rows.ndim != 1 or not len(rows):
        raise ValueError(f"{name} has no rows: name rows of X, or map them to their true labels")
    where: dict[Any, int] = {}
    for place, row in enumerate(index.tolist()):
        if row in where:
            raise ValueError(
                f"the index of X has {row!r} twice, so rows cannot be found by it; use X.reset_index(drop=True)"
            )
        where[row] = place
    missing = [row for row in rows.tolist() if row not in where]
    if missing:
        raise ValueError(
            f"{name} has {missing[0]!r}, which is no row of X: its {len(index)} rows are {index[0]!r} to {index[-1]!r}"
        )
    return np.array([where[row] for row in rows.tolist()])


def contributions(row, weights, names, n):
    """A table of the features of a row with the largest products of value and weight, as far as these are positive."""
    spoken = row * weights
    places = np.argsort(-spoken, kind="stable")[:n]
    places = places[spoken[places] > 0.0]
    names = np.array([f"x{place}" for place in places], dtype=object) if names is None else np.asarray(names)[places]
    columns = {"feature": names, "value": row[places], "weight": weights[places], "contribution": spoken[places]}
    if not has_pandas():
        return columns
    import pandas as pd

    return pd.DataFrame(columns)


def has_pandas():
    """Whether pandas is installed; nothing here needs it."""
    return importlib.util.find_spec("pandas") is not None


def read_row(i, X):
    """The place of the row called i, or a ValueError."""
    index = index_of(X)
    if index is not None:
        return int(_places(np.array([i], dtype=index.dtype if index.dtype.kind != "O" else object), index, "i")[0])
    return check_number("i", i, at_least=0, at_most=_num_samples(X) - 1, integer=True)
