"""Choosing hyper-parameters: on a development set, by folds, and by the report's two procedures (section 3.3).

A grid is a list of parameter settings in order of preference: on a tie the first one wins. Grids that vary only `lam`
and `alpha` of a standard or robust model are fitted as one warm-started path, all others one by one.
"""

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing, check_consistent_length, column_or_1d, indexable

from shiftlr.methods.base import LinearBinaryClassifier, on_one_blas_thread
from shiftlr.methods.robust import RobustLogisticRegression
from shiftlr.methods.standard import StandardLogisticRegression
from shiftlr.problem import make_problem, shares_shifted
from shiftlr.solvers.loss import threshold
from shiftlr.validation import check_choice, check_number, check_penalty

TRAIN_ACCURACIES = ("theta", "shifts")


class Tuning(NamedTuple):
    """What was chosen, and everything that was tried."""

    estimator: Any  # fitted to the whole training set
    params: dict
    score: float  # on the development set, or the mean over folds
    rows: list[dict]  # one a setting: its parameters, score, share of nonzero shifts, and whether it was allowed


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


def lam_grid(lams, **fixed):
    """Settings of `lam`, the larger (closer to plain logistic regression) preferred."""
    return [{"lam": lam, **fixed} for lam in sorted(map(float, lams), reverse=True)]


def alpha_grid(alphas, prefer="weaker", **fixed):
    """Settings of `alpha`, the weaker penalty preferred, or the stronger."""
    check_choice("prefer", prefer, ("weaker", "stronger"))
    return [{"alpha": alpha, **fixed} for alpha in sorted(map(float, alphas), reverse=prefer == "stronger")]


class Fits:
    """The fits of a grid, by any classifier: `estimator(k)` is one of them."""

    def __init__(self, shares, estimator):
        self.shares, self.estimator = shares, estimator

    def accuracies(self, X, y):
        """Share of the rows that each fit classifies rightly."""
        return self._each(lambda fit: np.mean(fit.predict(X) == y))

    def scores(self, X, y, scoring):
        """Accuracies, or what the scorer named `scoring` says."""
        if scoring is None:
            return self.accuracies(X, y)
        scorer = check_scoring(self.estimator(0), scoring)
        return self._each(lambda fit: scorer(fit, X, y))

    def _each(self, score):
        return np.array([score(self.estimator(k)) for k in range(len(self.shares))])


class LinearFits(Fits):
    """Fits of a linear classifier, kept as arrays so that they are scored all at once."""

    def __init__(self, model, coefs, intercepts, shares, estimator):
        super().__init__(shares, estimator)
        self.model, self.classes = model, model.classes_  # any one of the fits: it checks new data
        self.coefs, self.intercepts = coefs, intercepts

    def margins(self, X, y):
        """Distance of each row of X on the right side of each fit's boundary: (rows, fits)."""
        X, y = self.model._check_features(X), column_or_1d(y)
        check_consistent_length(X, y)
        if not np.isin(y, self.classes).all():
            raise ValueError(f"y has labels other than the {self.classes.tolist()} of the training set")
        signs = np.where(y == self.classes[1], 1.0, -1.0)
        return signs[:, None] * (X @ self.coefs.T + self.intercepts)

    def take(self, places):
        """Some of the fits."""
        return LinearFits(
            self.model,
            self.coefs[places],
            self.intercepts[places],
            self.shares[places],
            lambda k: self.estimator(places[k]),
        )

    def accuracies(self, X, y):
        """Share of the rows that each fit classifies rightly; a score of 0 means the first class, as in predict."""
        margins = self.margins(X, y)
        first_class = (column_or_1d(y) == self.classes[0])[:, None]
        return np.mean((margins > 0.0) | ((margins == 0.0) & first_class), axis=0)


@on_one_blas_thread
def fit_grid(estimator, grid, X, y, sample_weight=None):
    """Fit every setting of the grid."""
    _check_grid(grid)
    on_a_path = type(estimator) in (RobustLogisticRegression, StandardLogisticRegression)
    varied = {name for params in grid for name in params}
    if on_a_path and varied <= {"lam", "alpha"} and varied <= set(estimator.get_params()):
        alphas = {params.get("alpha", estimator.alpha) == 0.0 for params in grid}
        if len(alphas) == 1:
            return _fit_path(estimator, grid, X, y, sample_weight)
    weight = {} if sample_weight is None else {"sample_weight": sample_weight}
    fits = [clone(estimator).set_params(**params).fit(X, y, **weight) for params in grid]
    shares = np.array([np.mean(fit.shifts_ != 0.0) if hasattr(fit, "shifts_") else np.nan for fit in fits])
    if not isinstance(estimator, LinearBinaryClassifier):
        return Fits(shares, fits.__getitem__)
    coefs, intercepts = np.vstack([fit.coef_ for fit in fits]), np.concatenate([fit.intercept_ for fit in fits])
    return LinearFits(fits[0], coefs, intercepts, shares, fits.__getitem__)


def _fit_path(estimator, grid, X, y, sample_weight):
    """Settings that differ in `lam` and `alpha` only, as one chain of warm-started solutions.

    The chain goes through the (alpha, lam) in snake order, so that neighbours in it are neighbours in the grid.
    """
    model = clone(estimator)
    tol, max_iter = model._check_stopping()
    X, signs, weights = model._check_data(X, y, sample_weight)
    alphas, lams = np.empty(len(grid)), np.empty(len(grid))
    for k, params in enumerate(grid):
        penalty, alphas[k] = check_penalty(model.penalty, params.get("alpha", model.alpha))
        lams[k] = check_number("lam", params["lam"], above=0.0) if "lam" in params else model._price_of_shifts()
    ranks = np.unique(-alphas, return_inverse=True)[1]
    order = np.lexsort((np.where(ranks % 2 == 0, -lams, lams), ranks))
    problem = make_problem(X, signs, weights, penalty, bool(model.fit_intercept))
    path = problem.path(alphas[order], lams[order], tol, max_iter)
    path = path._replace(**{name: column[np.argsort(order)] for name, column in path._asdict().items()})

    def build(k):
        built = clone(estimator).set_params(**grid[k])
        built.classes_, built.n_features_in_ = model.classes_, model.n_features_in_
        if hasattr(model, "feature_names_in_"):
            built.feature_names_in_ = model.feature_names_in_
        built._keep_solution(path, k, X, signs, weights)
        return built

    shares = shares_shifted(X, signs, path, lams) if hasattr(model, "lam") else np.full(len(grid), np.nan)
    return LinearFits(model, path.coefs, path.intercepts, shares, build)


def tune_on_dev(estimator, grid, X, y, X_dev, y_dev, *, limit=None, scoring=None, sample_weight=None):
    """The setting with the best score on the development set."""
    fits = fit_grid(estimator, grid, X, y, sample_weight)
    return _choose(grid, fits, fits.scores(X_dev, y_dev, scoring), limit)


def tune_by_folds(
    estimator, grid, X, y, *, n_splits=5, groups=None, limit=None, scoring=None, random_state=0, sample_weight=None
):
    """The setting with the best mean score over stratified folds; `groups` are never split between folds."""
    scores = fold_scores(estimator, grid, X, y, n_splits, groups, scoring, random_state, sample_weight)
    return _choose(grid, fit_grid(estimator, grid, X, y, sample_weight), scores, limit)


def fold_scores(estimator, grid, X, y, n_splits=5, groups=None, scoring=None, random_state=0, sample_weight=None):
    """Mean score of each setting over stratified folds."""
    _check_grid(grid)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = kind(n_splits=n_splits, shuffle=True, random_state=random_state)
    X, y, sample_weight = indexable(X, column_or_1d(y), sample_weight)
    totals = np.zeros(len(grid))
    for train, held_out in folds.split(X, y, groups):
        weight = None if sample_weight is None else _safe_indexing(sample_weight, train)
        fits = fit_grid(estimator, grid, _safe_indexing(X, train), y[train], weight)
        totals += fits.scores(_safe_indexing(X, held_out), y[held_out], scoring)
    return totals / n_splits


def train_accuracies(fits, lams, X, y, by="theta"):
    """Accuracy on the training set: of the weights alone, or of the weights with the shifts they were fitted with."""
    check_choice("by", by, TRAIN_ACCURACIES)
    if by == "theta":
        return fits.accuracies(X, y)
    thresholds = np.array([threshold(lam) for lam in lams])
    return np.mean(np.maximum(fits.margins(X, y), thresholds) > 0.0, axis=0)


def first_procedure(
    estimator, alphas, lams, X, y, X_dev=None, y_dev=None, *, by="theta", prefer="weaker", n_splits=5, random_state=0
):
    """Section 3.3, first: for each alpha the lam of best train accuracy; then alpha on the development set or by folds.

    Ties go to the larger lam, then to the weaker alpha (or the stronger: `prefer`).
    """
    _check_robust(estimator)
    if (X_dev is None) != (y_dev is None):
        raise ValueError("X_dev, y_dev: give both for a development set, or neither for folds")
    candidates = [lam_grid(lams, **setting) for setting in alpha_grid(alphas, prefer)]
    flat = [candidate for row in candidates for candidate in row]
    fits = fit_grid(estimator, flat, X, y)
    accuracies = train_accuracies(fits, [candidate["lam"] for candidate in flat], X, y, by)
    best = np.argmax(accuracies.reshape(len(candidates), -1), axis=1)
    grid = [row[k] for row, k in zip(candidates, best, strict=True)]
    fits = fits.take(best + np.arange(len(candidates)) * len(candidates[0]))
    if X_dev is not None:
        scores = fits.accuracies(X_dev, y_dev)
    else:
        scores = fold_scores(estimator, grid, X, y, n_splits, random_state=random_state)
    return _choose(grid, fits, scores, None)


def second_procedure(
    estimator, alphas, lams, X, y, *, limit=None, prefer="weaker", n_splits=5, groups=None, scoring=None, random_state=0
):
    """Section 3.3, second: alpha by folds with standard logistic regression; then, alpha fixed, lam by folds."""
    _check_robust(estimator)
    shared = {name: getattr(estimator, name) for name in ("penalty", "fit_intercept", "tol", "max_iter")}
    by_folds = {"n_splits": n_splits, "groups": groups, "scoring": scoring, "random_state": random_state}
    standard = tune_by_folds(StandardLogisticRegression(**shared), alpha_grid(alphas, prefer), X, y, **by_folds)
    return tune_by_folds(estimator, lam_grid(lams, alpha=standard.params["alpha"]), X, y, limit=limit, **by_folds)


def _check_grid(grid):
    if not isinstance(grid, list | tuple):
        raise ValueError(f"grid={grid!r}: must be a list of parameter settings")
    if not grid:
        raise ValueError("grid=[]: at least one setting is needed")


def _check_robust(estimator):
    if not isinstance(estimator, RobustLogisticRegression):
        raise ValueError(f"estimator={estimator!r}: the report's procedures choose alpha and lam of the robust model")


def _choose(grid, fits, scores, limit):
    """The first best among the settings allowed."""
    if not (limit is None or isinstance(limit, ShareLimit)):
        raise ValueError(f"limit={limit!r}: must be None or a ShareLimit")
    allowed = np.ones(len(grid), dtype=bool) if limit is None else limit.allowed(fits.shares)
    rows = [
        {**params, "score": float(score), "share": float(share), "allowed": bool(mask)}
        for params, score, share, mask in zip(grid, scores, fits.shares, allowed, strict=True)
    ]
    best = int(np.argmax(np.where(allowed, scores, -np.inf)))
    return Tuning(fits.estimator(best), dict(grid[best]), float(scores[best]), rows)
