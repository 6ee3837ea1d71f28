"""Prefiltering: drop the examples whose nearest neighbours disagree with them, then fit logistic regression."""

import numpy as np
from sklearn.neighbors import NearestNeighbors

from shiftlr.methods.base import LogisticClassifier, on_one_blas_thread, warn_caller
from shiftlr.validation import check_choice, check_number

RULES = ("any", "majority")


class PrefilteredLogisticRegression(LogisticClassifier):
    """Logistic regression on the examples that agree with their k nearest neighbours.

    Parameters
    ----------
    k : int >= 1
        Size of the neighbourhood, the example itself included: k = 1 filters nothing.
    rule : "any" or "majority"
        Discard an example if one of its neighbours has the other label (the report's rule), or if more than half of the
        neighbourhood has.
    penalty, alpha, fit_intercept, tol, max_iter : as in `RobustLogisticRegression`

    Weights that are whole numbers count an example that many times, as a neighbour too; other weights count in the fit
    only. Examples of weight 0 are nobody's neighbours.
    If filtering would leave a class without examples, nothing is filtered and a warning says so.

    Attributes
    ----------
    kept_ : (n_examples,) of bool
    coef_, intercept_, classes_, n_features_in_, n_iter_, objective_, optimality_ : of the fit on the examples kept
    """

    def __init__(self, k=3, rule="any", penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.k = k
        self.rule = rule
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Filter, then fit to what is left."""
        k = check_number("k", self.k, at_least=1, integer=True)
        check_choice("rule", self.rule, RULES)
        X, signs, weights = self._check_data(X, y, sample_weight)
        self.kept_ = agrees_with_neighbours(X, signs, weights, k, self.rule)
        present = self.kept_ & (weights > 0.0)
        if len(np.unique(signs[present])) < 2:
            warn_caller(
                f"{type(self).__name__}: k={k}, rule={self.rule!r} would leave no example of a class, so nothing was "
                "filtered; use a smaller k or rule='majority'.",
                UserWarning,
            )
            self.kept_ = np.ones(len(signs), dtype=bool)
        kept = self.kept_
        everything = bool(kept.all())
        self._fit_logistic(X if everything else X[kept], signs[kept], weights[kept])
        return self


def agrees_with_neighbours(X, signs, weights, k, rule):
    """Which examples stay: a mask over the rows of X. Memory is bounded: neighbours are found block by block."""
    kept = np.ones(len(signs), dtype=bool)
    used = np.flatnonzero(weights > 0.0)
    if k == 1 or len(used) < 2:
        return kept
    labels, counts = signs[used], weights[used]
    if np.any(counts != np.round(counts)):
        counts = np.ones(len(used))
    if k > counts.sum():
        raise ValueError(f"k={k}: there are only {counts.sum():.0f} examples; use a smaller k")
    search = NearestNeighbors(n_neighbors=min(k - 1, len(used) - 1)).fit(X[used])
    neighbours = search.kneighbors(return_distance=False)  # never the example itself
    # How much of each neighbour still fits into a neighbourhood of k, after the example itself and the nearer ones.
    nearer = counts[:, None] + np.cumsum(counts[neighbours], axis=1) - counts[neighbours]
    votes = np.clip(k - nearer, 0.0, counts[neighbours])
    against = np.where(labels[neighbours] != labels[:, None], votes, 0.0).sum(axis=1)
    if rule == "any":
        kept[used] = against <= 0.0
    else:
        kept[used] = against <= 0.5 * np.minimum(k, counts + votes.sum(axis=1))
    return kept
