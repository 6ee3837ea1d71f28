"""Soft-margin linear SVM, the report's section 6."""

import numpy as np

from shiftlr.methods._many_classes import signs_of
from shiftlr.methods.base import LinearClassifier, on_one_blas_thread, signs_of_two
from shiftlr.solvers.svm import fit_hinge
from shiftlr.validation import check_price

_NO_SLACK = 1e-6  # an example on its margin has this much at most, by rounding


class LinearSVM(LinearClassifier):
    """Soft-margin SVM: minimises 1/2 ||theta||^2 + C sum_i w_i max(0, 1 - s_i (x_i.theta + b)); b is not penalised.

    With more than two classes each is fitted against the rest, and the largest score decides.

    Parameters
    ----------
    C : float > 0
        Price of a unit of slack.
    fit_intercept : bool
    tol : float > 0
        Stop when the duality gap is at most `tol` of the objective.
    max_iter : int
        Most sweeps of dual coordinate descent (those over a part of the examples count as that part) and Newton steps.

    Attributes
    ----------
    coef_, intercept_, classes_, n_features_in_, n_iter_, objective_
    optimality_ : float
        Duality gap as a share of the objective: the objective is at most that far above the minimum.
    multipliers_ : (n_examples,), or (n_examples, n_classes) with more than two classes
        The dual variables: 0 beyond the margin, C w_i inside it or on the wrong side.
    """

    takes_many_classes = True

    def __init__(self, C=1.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def check_params(self):
        return super().check_params() | {"C": check_price("C", self.C, above=0.0)}

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and labels y of two or more classes."""
        X, codes, weights = self._check_classes(X, y, sample_weight)
        n_classes = len(self.classes_)
        problems = [signs_of_two(codes)] if n_classes == 2 else [signs_of(codes, c) for c in range(n_classes)]
        fits = [self._fit_one(X, signs, weights) for signs in problems]
        self._keep([fit.coef for fit in fits], [fit.intercept for fit in fits])
        self.multipliers_ = fits[0].multipliers if n_classes == 2 else np.stack([fit.multipliers for fit in fits], 1)
        self.objective_ = float(sum(fit.objective for fit in fits))
        self.n_iter_ = int(max(fit.n_iter for fit in fits))
        gap = sum(fit.gap for fit in fits)
        self.optimality_ = float(gap / self.objective_) if self.objective_ > 0.0 else 0.0
        self._check_finite(X)
        self._remember(self._scores(X), codes, weights)
        self._warn_if_not_converged(self.tol)
        if n_classes == 2:
            self._warn_if_lost(X, problems[0], weights)
        return self

    def _fit_one(self, X, signs, weights):
        params = self.check_params()
        return fit_hinge(X, signs, params["C"] * weights, params["fit_intercept"], params["tol"], params["max_iter"])

    def _warn_if_lost(self, X, signs, weights):
        """A warning if the coefficients can't hold the minimum."""
        slack, C = 1.0 - self._margins(X, signs), float(self.C)
        as_kept = 0.5 * (self.coef_[0] @ self.coef_[0]) + C * (weights @ np.maximum(slack, 0.0))
        self._warn_if_rounded(X, as_kept, C * weights[slack > -_NO_SLACK].sum())

    def suspicion(self, X, y):
        """The slack of each training example, negative beyond its margin: 1 - s_i (x_i.theta + b)."""
        return 1.0 - self._signed_scores(X, y)

    def suspected(self, X, y):
        """Which training examples lie on the wrong side of their margin: those with a slack above 0."""
        return self.suspicion(X, y) > _NO_SLACK
