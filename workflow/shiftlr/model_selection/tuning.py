"""Choosing hyper-parameters: on a development set, by folds, and by the report's two procedures (section 3.3)."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing, indexable

from shiftlr import methods
from shiftlr.labels import classes_and_codes, read_labels
from shiftlr.methods.base import on_one_blas_thread
from shiftlr.model_selection.grids import (
    NOISE_LIKELIHOOD,
    alpha_grid,
    check_grid,
    fit_grid,
    has_shifts,
    lam_grid,
    noise_likelihood,
)
from shiftlr.model_selection.pipelines import last_step, split_pipeline, with_last_step
from shiftlr.model_selection.predictions import check_scores
from shiftlr.validation import check_choice, check_number

TRAIN_ACCURACIES = ("theta", "shifts")
PENALTIES = ("alpha", "lam")


class Tuning(NamedTuple):
    """What was chosen, and everything that was tried."""

    estimator: Any  # fitted to the whole training set
    params: dict
    score: float  # on the development set, or the mean over folds
    rows: list[dict]  # one per setting: its parameters, score, share of nonzero shifts, and whether it was allowed
    fits: Any = None  # to the whole training set: `fits.estimator(k)` is that of setting k


class ShareLimit(NamedTuple):
    """Prior knowledge of the noise: which shares of nonzero shifts on the training set are allowed.

    `ShareLimit(at_most=0.15)` for "no more than 15 % noise"; `ShareLimit(about=0.04)` for "about 4 %", which allows
    shares within `within` of it or, where none is, the nearest.
    """

    at_most: float | None = None
    about: float | None = None
    within: float = 0.01

    def allowed(self, shares):
        """A mask over the shares."""
        if (self.at_most is None) == (self.about is None):
            raise ValueError(f"{self}: give exactly one of at_most and about")
        shares = np.asarray(shares, dtype=float)
        check_number("within", self.within, at_least=0.0)
        if np.isnan(shares).any():
            raise ValueError(f"{self}: the model has no shifts to limit; use it with RobustLogisticRegression")
        if self.at_most is not None:
            check_number("at_most", self.at_most, at_least=0.0, at_most=1.0)
            mask = shares <= self.at_most
            if not mask.any():
                raise ValueError(
                    f"at_most={self.at_most}: every setting shifts more, from {shares.min():.3f} on; add larger lams"
                )
            return mask
        check_number("about", self.about, at_least=0.0, at_most=1.0)
        distances = np.abs(shares - self.about)
        return distances <= max(self.within, distances.min())


def tune_on_dev(estimator, grid, X, y, X_dev, y_dev, *, limit=None, scoring=None, sample_weight=None, fit_params=None):
    """The setting with the best score on the development set; `fit_params` are more arguments for `fit`."""
    fits = fit_grid(estimator, grid, X, y, sample_weight, fit_params)
    return choose(grid, fits, fits.scores(X_dev, y_dev, scoring), limit)


def tune_by_folds(
    estimator,
    grid,
    X,
    y,
    *,
    n_splits=5,
    n_repeats=1,
    groups=None,
    limit=None,
    scoring=None,
    random_state=0,
    sample_weight=None,
    per_example=False,
    fit_params=None,
):
    """The setting with the best mean score over stratified folds; `groups` are never split between folds.

    `per_example` keeps penalties the same per example: see `fold_scores`. `fit_params` are more arguments for `fit`,
    with a value for each example, of which a fold gets its own.
    """
    scores = fold_scores(
        *(estimator, grid, X, y, n_splits, groups, scoring, random_state, sample_weight, n_repeats),
        per_example=per_example,
        fit_params=fit_params,
    )
    return choose(grid, fit_grid(estimator, grid, X, y, sample_weight, fit_params), scores, limit)


@on_one_blas_thread
def fold_scores(
    estimator,
    grid,
    X,
    y,
    n_splits=5,
    groups=None,
    scoring=None,
    random_state=0,
    sample_weight=None,
    n_repeats=1,
    per_example=False,
    fit_params=None,
):
    """Mean score of each setting over stratified folds, drawn `n_repeats` times with seeds from `random_state` on.

    A fold has fewer examples than the whole. With `per_example`, `alpha` and `lam` are made smaller by the same share
    there, so that a penalty weighs as much beside the mean loss of an example, as in glmnet; else they stay the same.
    With scoring="noise_likelihood" the score is of all held-out labels at once.
    """
    check_grid(grid)
    n_repeats = check_number("n_repeats", n_repeats, at_least=1, integer=True)
    X, y, sample_weight = indexable(X, read_labels(y), sample_weight)
    classes, strata = classes_and_codes(y)  # scikit-learn's folds know fewer kinds of labels
    pooled = scoring == NOISE_LIKELIHOOD  # few labels say little about noise: one noise model for all held-out scores
    totals, held_out_scores = np.zeros(len(grid)), np.zeros((len(grid) if pooled else 0, len(y), len(classes)))
    for repeat in range(n_repeats):
        for train, held_out in _folds(n_splits, groups, random_state, repeat).split(X, strata, groups):
            weight = None if sample_weight is None else _safe_indexing(sample_weight, train)
            settings = _scaled(estimator, grid, len(train) / len(y)) if per_example else grid
            more = {name: _safe_indexing(values, train) for name, values in (fit_params or {}).items()}
            fits = fit_grid(estimator, settings, _safe_indexing(X, train), y[train], weight, more)
            rest = _safe_indexing(X, held_out)
            if pooled:
                _check_all_seen(classes, strata, train)
                held_out_scores[:, held_out] = [fits.class_scores(k, rest) for k in range(len(grid))]
            else:
                totals += fits.scores(rest, y[held_out], scoring)
        if pooled:
            totals += [noise_likelihood(scores, strata, sample_weight) for scores in held_out_scores]
    return check_scores(totals / (n_repeats if pooled else n_splits * n_repeats), grid)


def _folds(n_splits, groups, random_state, repeat):
    """Stratified folds, for one of several draws."""
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    # None draws anew, and a generator moves on by itself
    seed = random_state + repeat if isinstance(random_state, int) else random_state
    return kind(n_splits=n_splits, shuffle=True, random_state=seed)


def _check_all_seen(classes, codes, train):
    """A ValueError if a fold is fitted without one of the classes: its scores have no column for it."""
    lost = np.setdiff1d(np.arange(len(classes)), codes[train])
    if len(lost):
        raise ValueError(
            f"scoring={NOISE_LIKELIHOOD!r}: all examples of the class {classes[lost[0]]!r} are held out at once; leave "
            "the class out, or take another scoring"
        )


def _scaled(estimator, grid, share):
    """Settings with penalties made smaller by a share."""
    _, classifier, grid = split_pipeline(estimator, grid)
    own = {name: value for name, value in classifier.get_params().items() if name in PENALTIES}
    return [
        params | {name: share * value for name, value in (own | params).items() if name in PENALTIES} for params in grid
    ]


def train_accuracies(fits, lams, X, y, by="theta"):
    """Accuracy on the training set: of the weights alone, or of the weights with the shifts they were fitted with."""
    check_choice("by", by, TRAIN_ACCURACIES)
    if by == "theta":
        return fits.accuracies(X, y)
    return fits.accuracies_with_shifts(X, y, lams)


def first_procedure(
    estimator,
    alphas,
    lams,
    X,
    y,
    X_dev=None,
    y_dev=None,
    *,
    by="theta",
    prefer="weaker",
    prefer_lam="larger",
    n_splits=5,
    n_repeats=1,
    random_state=0,
    scoring=None,
    per_example=False,
    fit=fit_grid,
):
    """Section 3.3, first: for each alpha the lam of best train accuracy; then alpha on the development set or by folds.

    Ties go to the larger lam (or the smaller: `prefer_lam`), then to the weaker alpha (or the stronger: `prefer`).
    `scoring` is what alpha is chosen by, accuracy by default; `per_example` is told in `fold_scores`. `fit(estimator,
    grid, X, y)` fits all settings to all rows: another one than `fit_grid` may know them from before.
    """
    check_choice("prefer_lam", prefer_lam, ("larger", "smaller"))
    _check_robust(estimator)
    if (X_dev is None) != (y_dev is None):
        raise ValueError("X_dev, y_dev: give both for a development set, or neither for folds")
    direction = 1 if prefer_lam == "larger" else -1
    candidates = [lam_grid(lams, **setting)[::direction] for setting in alpha_grid(alphas, prefer)]
    flat = [candidate for row in candidates for candidate in row]
    fits = fit(estimator, flat, X, y)
    accuracies = train_accuracies(fits, [candidate["lam"] for candidate in flat], X, y, by)
    best = np.argmax(accuracies.reshape(len(candidates), -1), axis=1)
    grid = [row[k] for row, k in zip(candidates, best, strict=True)]
    fits = fits.take(best + np.arange(len(candidates)) * len(candidates[0]))
    if X_dev is not None:
        scores = fits.scores(X_dev, y_dev, scoring)
    else:
        scores = fold_scores(
            *(estimator, grid, X, y, n_splits),
            scoring=scoring,
            random_state=random_state,
            n_repeats=n_repeats,
            per_example=per_example,
        )
    return choose(grid, fits, scores)


def second_procedure(
    estimator, alphas, lams, X, y, *, limit=None, prefer="weaker", n_splits=5, groups=None, scoring=None, random_state=0
):
    """Section 3.3, second: alpha by folds with standard logistic regression; then, alpha fixed, lam by folds."""
    _check_robust(estimator)
    classifier = last_step(estimator)
    shared = {name: getattr(classifier, name) for name in ("penalty", "fit_intercept", "tol", "max_iter")}
    by_folds = {"n_splits": n_splits, "groups": groups, "scoring": scoring, "random_state": random_state}
    baseline = with_last_step(estimator, methods.load("standard")(**shared))
    standard = tune_by_folds(baseline, alpha_grid(alphas, prefer), X, y, **by_folds)
    return tune_by_folds(estimator, lam_grid(lams, alpha=standard.params["alpha"]), X, y, limit=limit, **by_folds)


def _check_robust(estimator):
    if not has_shifts(last_step(estimator)):
        raise ValueError(
            f"estimator={estimator!r}: the report's procedures choose alpha and lam of the robust model; the estimator "
            "must have a parameter lam, and lam in its class's path_parameters"
        )


def choose(grid, fits, scores, limit=None):
    """The first best among the settings allowed."""
    scores = check_scores(scores, grid)
    if not (limit is None or isinstance(limit, ShareLimit)):
        raise ValueError(f"limit={limit!r}: must be None or a ShareLimit")
    allowed = np.ones(len(grid), dtype=bool) if limit is None else limit.allowed(fits.shares)
    rows = [
        {**params, "score": float(score), "share": float(share), "allowed": bool(mask)}
        for params, score, share, mask in zip(grid, scores, fits.shares, allowed, strict=True)
    ]
    best = int(np.argmax(np.where(allowed, scores, -np.inf)))
    return Tuning(fits.estimator(best), dict(grid[best]), float(scores[best]), rows, fits)
