"""Grids of parameter settings, and all the fits of a grid at once.

A grid is a list of settings in order of preference: on a tie the first one wins. Grids that vary only parameters which
the estimator's class names in `path_parameters` (`lam` and `alpha` of the robust model, `alpha` of the standard one)
are fitted as one warm-started path, all others one by one. A classifier may spare these what is the same for all of
them by a method `shared_by_settings(grid, X)`, which returns more arguments for `fit`; or fit them all by a method
`fit_settings(grid, X, y)`, which returns one fitted classifier for each.

`fit_params` are arguments for `fit` by name, one value per example, such as `groups`; with any, settings are fitted one
by one.
"""

import numpy as np
from scipy.special import log_expit
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.utils.validation import _num_samples

from shiftlr.labels import read_labels
from shiftlr.methods._doubting import scores_of_classes
from shiftlr.methods._many_classes import log_probabilities, margins_of, scores_of, shifts_of
from shiftlr.methods._noise_model import fit_noise_model
from shiftlr.methods._paths import solve_path
from shiftlr.methods.base import LinearClassifier, LogisticClassifier, on_one_blas_thread, signs_of_two
from shiftlr.model_selection.pipelines import PipelineFits, split_pipeline
from shiftlr.model_selection.predictions import check_classes, check_flags
from shiftlr.solvers.loss import threshold
from shiftlr.validation import NOISE_LIKELIHOOD, check_choice, check_codes, check_penalty, check_price, check_signs

_LEAST_PROBABILITY = 1e-12  # whose logarithm is taken


def lam_grid(lams, **fixed):
    """Settings of `lam`, the larger (closer to plain logistic regression) preferred."""
    return [{"lam": lam, **fixed} for lam in sorted(map(float, lams), reverse=True)]


def alpha_grid(alphas, prefer="weaker", **fixed):
    """Settings of `alpha`, the weaker penalty preferred, or the stronger."""
    check_choice("prefer", prefer, ("weaker", "stronger"))
    return [{"alpha": alpha, **fixed} for alpha in sorted(map(float, alphas), reverse=prefer == "stronger")]


def noise_likelihood(scores, codes, weights=None):
    """Mean log-likelihood of labels under the noise model of scores (n, C), which is fitted to them."""
    weights = None if weights is None else np.asarray(weights, dtype=float)
    return fit_noise_model(scores, codes, weights).log_likelihood / len(codes)


class Fits:
    """The fits of a grid, by any classifier: `estimator(k)` is one of them. `classes` are those of the labels."""

    def __init__(self, shares, estimator, classes):
        self.shares, self.estimator, self.classes = shares, estimator, classes

    def accuracies(self, X, y):
        """Share of the rows that each fit classifies rightly."""
        y = read_labels(y)
        return self._each(lambda fit: np.mean(check_classes(fit.predict(X), self.classes, len(y)) == y))

    def scores(self, X, y, scoring):
        """Accuracies, or what the scorer named `scoring` says.

        "noise_likelihood" is the mean log-likelihood of the labels under the noise model of a fit's scores, which is
        fitted to the same rows (see `shiftlr.find_label_errors`): it expects some of the labels to be wrong.
        """
        if scoring is None:
            return self.accuracies(X, y)
        if scoring == NOISE_LIKELIHOOD:
            codes = check_codes(y, self.classes, _num_samples(X))
            return np.array([noise_likelihood(self.class_scores(k, X), codes) for k in range(len(self.shares))])
        scorer = check_scoring(self.estimator(0), scoring)
        return self._each(lambda fit: scorer(fit, X, y))

    def class_scores(self, k, X):
        """(rows, classes): logits of fit k, or what it has for them."""
        fit = self.estimator(k)
        if hasattr(fit, "decision_function"):
            return scores_of_classes(np.asarray(fit.decision_function(X), dtype=float))
        return np.log(np.clip(fit.predict_proba(X), _LEAST_PROBABILITY, None))

    def _each(self, score):
        return np.array([score(self.estimator(k)) for k in range(len(self.shares))])


class ArrayFits(Fits):
    """Fits of a linear classifier, kept as arrays so that they are scored all at once."""

    def __init__(self, model, coefs, intercepts, shares, estimator):
        super().__init__(shares, estimator, model.classes_)
        self.model = model  # any one of the fits: it checks new data
        self.coefs, self.intercepts = coefs, intercepts
        if np.isnan(coefs).any() or np.isnan(intercepts).any():
            raise ValueError(f"{type(model).__name__}: some of its weights are NaN")

    def take(self, places):
        """Some of the fits."""
        kept = self.coefs[places], self.intercepts[places], self.shares[places]
        return type(self)(self.model, *kept, lambda k: self.estimator(places[k]))


class LinearFits(ArrayFits):
    """Of two classes: coefs (fits, m) and intercepts (fits,)."""

    def margins(self, X, y):
        """Distance of each row of X on the right side of each fit's boundary: (rows, fits)."""
        X = self.model._check_features(X)
        signs = check_signs(y, self.classes, X.shape[0])
        return signs[:, None] * (X @ self.coefs.T + self.intercepts)

    def class_scores(self, k, X):
        return scores_of_classes(self.model._check_features(X) @ self.coefs[k] + self.intercepts[k])

    def accuracies(self, X, y):
        """Share of the rows that each fit classifies rightly; a score of 0 means the first class, as in predict."""
        margins = self.margins(X, y)
        first_class = (check_signs(y, self.classes, len(margins)) < 0.0)[:, None]
        return np.mean((margins > 0.0) | ((margins == 0.0) & first_class), axis=0)

    def accuracies_with_shifts(self, X, y, lams):
        """The same, if every row had the shift it would be fitted with at the `lam` of each fit."""
        thresholds = np.array([threshold(lam) for lam in lams])
        return np.mean(np.maximum(self.margins(X, y), thresholds) > 0.0, axis=0)

    def scores(self, X, y, scoring):
        """As for any classifier; the mean log-likelihood (minus half the mean deviance) of all fits at once."""
        if scoring == "neg_log_loss" and isinstance(self.model, LogisticClassifier):
            return np.mean(log_expit(self.margins(X, y)), axis=0)
        return super().scores(X, y, scoring)


class ManyClassFits(ArrayFits):
    """Of more than two classes: coefs (fits, C, m) and intercepts (fits, C)."""

    def class_scores(self, k, X):
        return scores_of(self.model._check_features(X), self.coefs[k], self.intercepts[k])

    def accuracies(self, X, y):
        X, codes = self._checked(X, y)
        return np.array([np.mean(scores.argmax(axis=1) == codes) for scores in self._scores(X)])

    def accuracies_with_shifts(self, X, y, lams):
        X, codes = self._checked(X, y)
        shift, rows, found = getattr(self.model, "shift", "label"), np.arange(len(codes)), []
        for scores, lam in zip(self._scores(X), lams, strict=True):
            shifts = shifts_of(scores, codes, lam, shift)
            shifted = scores.copy() if shifts.ndim == 1 else scores + shifts
            if shifts.ndim == 1:
                shifted[rows, codes] += shifts
            found.append(np.mean(margins_of(shifted, codes) > 0.0))
        return np.array(found)

    def scores(self, X, y, scoring):
        if scoring == "neg_log_loss" and isinstance(self.model, LogisticClassifier):
            X, codes = self._checked(X, y)
            rows, one_vs_all = np.arange(len(codes)), self.model._is_one_vs_all()
            return np.array([np.mean(log_probabilities(s, one_vs_all)[rows, codes]) for s in self._scores(X)])
        return super().scores(X, y, scoring)

    def _checked(self, X, y):
        X = self.model._check_features(X)
        return X, check_codes(y, self.classes, X.shape[0])

    def _scores(self, X):
        return (scores_of(X, *fit) for fit in zip(self.coefs, self.intercepts, strict=True))


@on_one_blas_thread
def fit_grid(estimator, grid, X, y, sample_weight=None, fit_params=None):
    """Fit every setting of the grid; of a pipeline, those of its last step."""
    check_grid(grid)
    first, classifier, own = split_pipeline(estimator, grid)
    if first is not None:
        first = clone(first)
        features = first.fit_transform(X, y) if len(first) else X
        return PipelineFits(estimator, first, fit_grid(classifier, own, features, y, sample_weight, fit_params))
    # of the class itself: a subclass may have a `fit` of its own, and is on a path only if it says so
    along_path = vars(type(estimator)).get("path_parameters")
    more = dict(fit_params or {})
    if along_path is not None and not more and {name for params in grid for name in params} <= set(along_path):
        alphas = {params.get("alpha", estimator.alpha) == 0.0 for params in grid}
        if len(alphas) == 1:
            return _fit_path(estimator, grid, X, y, sample_weight)
    if hasattr(estimator, "fit_settings") and sample_weight is None and not more:
        return collect_fits(estimator.fit_settings(grid, X, y), X, y)
    if hasattr(estimator, "shared_by_settings"):
        more |= estimator.shared_by_settings(grid, X)
    if sample_weight is not None:
        more["sample_weight"] = sample_weight
    fits = [clone(estimator).set_params(**params).fit(X, y, **more) for params in grid]
    return collect_fits(fits, X, y)


def collect_fits(fits, X, y):
    """Classifiers that were fitted to X and y one by one, as the fits of a grid."""
    y = read_labels(y)
    shares = np.array(
        [np.mean(check_flags(fit.suspected(X, y), len(y))) if has_shifts(fit) else np.nan for fit in fits]
    )
    if not isinstance(fits[0], LinearClassifier):
        return Fits(shares, fits.__getitem__, np.unique(y))
    if len(fits[0].coef_) > 1:
        coefs, intercepts = np.stack([fit.coef_ for fit in fits]), np.stack([fit.intercept_ for fit in fits])
        return ManyClassFits(fits[0], coefs, intercepts, shares, fits.__getitem__)
    coefs, intercepts = np.vstack([fit.coef_ for fit in fits]), np.concatenate([fit.intercept_ for fit in fits])
    return LinearFits(fits[0], coefs, intercepts, shares, fits.__getitem__)


def _fit_path(estimator, grid, X, y, sample_weight):
    """Settings that differ in `lam` and `alpha` only, as one chain of warm-started solutions.

    The chain goes through the (alpha, lam) in snake order, so that neighbours in it are neighbours in the grid.
    """
    model = clone(estimator)
    tol, max_iter = model._check_stopping()
    X, codes, weights = model._check_classes(X, y, sample_weight)
    own_lam = None if all("lam" in params for params in grid) else getattr(model, "lam", 1.0)
    alphas = _each_once(
        lambda alpha: check_penalty(model.penalty, alpha)[1], [params.get("alpha", model.alpha) for params in grid]
    )
    lams = _each_once(lambda lam: check_price("lam", lam, above=0.0), [params.get("lam", own_lam) for params in grid])
    penalty = model.penalty if alphas[0] > 0.0 else None  # all of the grid or none
    ranks = np.unique(-alphas, return_inverse=True)[1]
    order = np.lexsort((np.where(ranks % 2 == 0, -lams, lams), ranks))
    path, shares = solve_path(model, X, codes, weights, penalty, alphas[order], lams[order], tol, max_iter)
    if np.any(np.diff(order) != 1):
        places = np.argsort(order)
        path = path._replace(**{name: column[places] for name, column in path._asdict().items()})
        shares = shares[places]
    signs, two = signs_of_two(codes), len(model.classes_) == 2

    def build(k):
        built = clone(estimator).set_params(**grid[k])
        built.classes_, built.n_features_in_, built._index = model.classes_, model.n_features_in_, model._index
        if hasattr(model, "feature_names_in_"):
            built.feature_names_in_ = model.feature_names_in_
        if two:
            built._keep_solution(path, k, X, signs, weights)
        else:
            built._keep_classes(path, k, X, codes, weights)
        return built

    shares = shares if has_shifts(model) else np.full(len(grid), np.nan)
    return (LinearFits if two else ManyClassFits)(model, path.coefs, path.intercepts, shares, build)


def _each_once(check, values):
    """An array of what `check` makes of each value; numbers that a grid repeats are checked once."""
    known = {}
    for value in values:
        if type(value) is not float or value not in known:
            known[value] = check(value)
    return np.array([known[value] for value in values])


def has_shifts(estimator):
    """Whether the estimator has shifts at a price `lam`, as the robust model and classes derived from it."""
    return "lam" in getattr(type(estimator), "path_parameters", ()) and "lam" in estimator.get_params()


def check_grid(grid):
    """A non-empty list, else a ValueError."""
    if not isinstance(grid, list | tuple):
        raise ValueError(f"grid={grid!r}: must be a list of parameter settings")
    if not grid:
        raise ValueError("grid=[]: at least one setting is needed")
