"""Which tissues of the colon-cancer data look mislabelled, to each method: section 4.2 and Table 2.

Hyper-parameters are chosen by cross-validation on the labels as they are; which tissues are suspected is looked at only
when what was found is counted.
"""

import json
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftlr import methods
from shiftlr.datasets.colon import Colon, preprocess
from shiftlr.grids import alpha_grid, fit_grid
from shiftlr.training import settings, values
from shiftlr.tuning import first_procedure, tune_by_folds

COLUMNS = ("sample", "label", "shift", "suspect", "direction_ok")


class Found(NamedTuple):
    """What a method says of each tissue."""

    score: np.ndarray  # shift, probability that the label is wrong, slack, or 1 for a tissue that was filtered out
    named: np.ndarray  # whether the tissue is called mislabelled
    params: dict[str, Any]  # that were chosen


def strongest(X: np.ndarray, labels: np.ndarray) -> float:
    """The smallest L1 penalty under which the standard model has no weights."""
    return float(np.abs(X.T @ (labels - labels.mean())).max())


def penalties(X: np.ndarray, labels: np.ndarray, colon: dict[str, Any]) -> list[float]:
    """The strengths to choose from, the strongest first."""
    return (strongest(X, labels) * np.geomspace(1.0, colon["weakest"], colon["strengths"])).tolist()


def joint_grid(X: np.ndarray, labels: np.ndarray, colon: dict[str, Any]) -> list[dict[str, float]]:
    """(alpha, lam) in order of preference: the larger lam, then the stronger penalty."""
    lams = sorted(values(colon["lams"]), reverse=True)
    return [{"alpha": alpha, "lam": lam} for lam in lams for alpha in penalties(X, labels, colon)]


def find(row: dict[str, Any], colon: dict[str, Any], data: Colon) -> Found:
    """What the method of one row of the table finds. `row` and `colon` are parts of the config."""
    X, labels = preprocess(data.intensities, **row["preprocessing"]), data.labels
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # with more genes than tissues every weak penalty warns
        return _FINDERS[row["method"]](row, colon, X, labels)


def _folds(colon):
    return {"n_splits": colon["folds"], "n_repeats": colon["repeats"], "random_state": colon["seed"]}


def _standard_alpha(colon, X, labels):
    """The L1 penalty that standard logistic regression chooses by folds, for methods without a choice of their own."""
    standard = methods.load("standard")(penalty="l1")
    grid = alpha_grid(penalties(X, labels, colon), "stronger")
    return tune_by_folds(standard, grid, X, labels, **_folds(colon)).params["alpha"]


def _robust(row, colon, X, labels):
    """Tissues with a nonzero shift."""
    model = methods.load("robust")(penalty="l1")
    if row["choose"] == "jointly":
        tuned = tune_by_folds(model, joint_grid(X, labels, colon), X, labels, **_folds(colon))
    else:
        tuned = first_procedure(
            model,
            penalties(X, labels, colon),
            values(colon["lams"]),
            X,
            labels,
            by=row["train_accuracy"],
            prefer="stronger",
            prefer_lam=row["prefer_lam"],
            **_folds(colon),
        )
    shifts = tuned.estimator.shifts_
    return Found(shifts, shifts != 0.0, tuned.params)


def _flipping(row, colon, X, labels):
    """Tissues whose label is wrong with a probability above one half; the best of many starts."""
    alpha = _standard_alpha(colon, X, labels)
    kind = methods.load("flipping")
    model = kind(penalty="l1", alpha=alpha, n_init=colon["restarts"], random_state=colon["seed"]).fit(X, labels)
    return Found(model.doubts_, model.doubts_ > 0.5, {"alpha": alpha})


def _svm(row, colon, X, labels):
    """Tissues on the wrong side of their margin: those with slack."""
    tuned = tune_by_folds(methods.load("svm")(), settings(row["grid"]), X, labels, **_folds(colon))
    slack = 1.0 - np.where(labels == 1, 1.0, -1.0) * tuned.estimator.decision_function(X)
    return Found(slack, slack > 1e-6, tuned.params)


def _prefilter(row, colon, X, labels):
    """Tissues that are filtered out."""
    alpha = _standard_alpha(colon, X, labels)
    model = methods.load("prefilter")(penalty="l1", alpha=alpha, rule=row["rule"])
    tuned = tune_by_folds(model, settings(row["grid"]), X, labels, **_folds(colon))
    dropped = ~tuned.estimator.kept_
    return Found(dropped.astype(float), dropped, tuned.params | {"alpha": alpha})


_FINDERS = {"robust": _robust, "flipping": _flipping, "svm": _svm, "prefilter": _prefilter}


def as_rows(found: Found, data: Colon) -> pd.DataFrame:
    """One row a tissue."""
    return pd.DataFrame(
        {
            "sample": data.samples,
            "label": np.where(data.labels == 1, "tumour", "normal"),
            "score": found.score,
            "named": found.named,
            "suspect": data.suspected,
            "params": json.dumps(found.params),
        }
    )


def shifted(rows: pd.DataFrame) -> pd.DataFrame:
    """The tissues that the robust model shifts, largest shift first, and whether each shift goes the right way.

    A shift moves a tissue towards the label it was given; so on a tumour that looks like normal tissue it is positive.
    """
    rows = rows[rows["named"]].rename(columns={"score": "shift"})
    rows = rows.assign(direction_ok=(rows["shift"] > 0.0) == (rows["label"] == "tumour"))
    order = rows["shift"].abs().sort_values(ascending=False, kind="stable").index
    return rows.loc[order, list(COLUMNS)]


def facts(rows: pd.DataFrame, is_standin: bool) -> pd.DataFrame:
    """What the verdicts compare: suspects found, false positives, and the share of shifts with the right sign."""
    found = shifted(rows)
    right = found.loc[found["suspect"], "direction_ok"]
    counted = {
        "colon:suspects": int(found["suspect"].sum()),
        "colon:false_positives": int((~found["suspect"]).sum()),
        "colon:right_signs": float(right.mean()) if len(right) else 0.0,
    }
    data = "standin" if is_standin else "report"
    return pd.DataFrame({"key": counted.keys(), "value": counted.values(), "se": None, "data": data})


def count_map(colon: dict[str, Any], X: np.ndarray, data: Colon) -> pd.DataFrame:
    """For every (alpha, lam): how many suspects and how many others have a shift, and how many genes a weight."""
    grid = joint_grid(X, data.labels, colon)
    fits = fit_grid(methods.load("robust")(penalty="l1"), grid, X, data.labels)
    rows = []
    for k, setting in enumerate(grid):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = fits.estimator(k)
        has_shift = model.shifts_ != 0.0
        hits, others = int((has_shift & data.suspected).sum()), int((has_shift & ~data.suspected).sum())
        rows.append((setting["alpha"], setting["lam"], hits, others, int(np.count_nonzero(model.coef_))))
    return pd.DataFrame(rows, columns=["kappa", "lam", "hits", "false_positives", "nonzero_genes"])


def stability(params: dict[str, float], colon: dict[str, Any], X: np.ndarray, data: Colon) -> pd.DataFrame:
    """How often each tissue is shifted, over the bootstrap resamples that it is in."""
    rng = np.random.default_rng(colon["seed"])
    n = len(data.labels)
    drawn, named = np.zeros(n), np.zeros(n)
    model = methods.load("robust")(penalty="l1", **params)
    for _ in range(colon["resamples"]):
        counts = np.bincount(rng.integers(n, size=n), minlength=n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, data.labels, sample_weight=counts)
        drawn += counts > 0
        named += (counts > 0) & (model.shifts_ != 0.0)
    return pd.DataFrame({"sample": data.samples, "suspect": data.suspected, "share": named / np.maximum(drawn, 1.0)})
