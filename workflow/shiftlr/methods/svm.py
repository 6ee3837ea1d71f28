"""Soft-margin linear SVM, the report's section 6."""

import numpy as np

from shiftlr.methods.base import LinearBinaryClassifier, on_one_blas_thread
from shiftlr.solvers.svm import fit_hinge
from shiftlr.validation import check_price

_NO_SLACK = 1e-6  # an example on its margin has this much at most, by rounding


class LinearSVM(LinearBinaryClassifier):
    """Soft-margin SVM: minimises 1/2 ||theta||^2 + C sum_i w_i max(0, 1 - s_i (x_i.theta + b)); b is not penalised.

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
    multipliers_ : (n_examples,)
        The dual variables: 0 beyond the margin, C w_i inside it or on the wrong side.
    """

    def __init__(self, C=1.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.C = C
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def check_params(self):
        return super().check_params() | {"C": check_price("C", self.C, above=0.0)}

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and two-valued labels y."""
        params = self.check_params()
        tol, max_iter = params["tol"], params["max_iter"]
        X, signs, weights = self._check_data(X, y, sample_weight)
        fit = fit_hinge(X, signs, params["C"] * weights, params["fit_intercept"], tol, max_iter)
        self._keep(fit.coef, fit.intercept)
        self.multipliers_ = fit.multipliers
        self.objective_ = float(fit.objective)
        self.n_iter_ = int(fit.n_iter)
        self.optimality_ = float(fit.gap / fit.objective) if fit.objective > 0.0 else 0.0
        self._check_finite(X)
        self._warn_if_not_converged(tol)
        slack = 1.0 - self._margins(X, signs)
        as_kept = 0.5 * (fit.coef @ fit.coef) + params["C"] * (weights @ np.maximum(slack, 0.0))
        self._warn_if_rounded(X, as_kept, params["C"] * weights[slack > -_NO_SLACK].sum())
        return self

    def suspicion(self, X, y):
        """The slack of each training example, negative beyond its margin: 1 - s_i (x_i.theta + b)."""
        return 1.0 - self._signed_scores(X, y)

    def suspected(self, X, y):
        """Which training examples lie on the wrong side of their margin: those with a slack above 0."""
        return self.suspicion(X, y) > _NO_SLACK
