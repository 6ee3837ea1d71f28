"""Robust logistic regression: one L1-penalised shift for each example, profiled out of the optimisation."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shiftlr.methods.base import LogisticClassifier, on_one_blas_thread, warn_if_path_not_converged
from shiftlr.solvers.loss import shifts_from_margins
from shiftlr.solvers.problem import make_problem, shares_shifted
from shiftlr.validation import check_lams, check_number, check_penalty, check_price


class Suspects(NamedTuple):
    """Examples that look mislabelled, most suspicious first."""

    indices: np.ndarray
    labels: np.ndarray  # the label each seems to have
    shifts: np.ndarray


class RobustPath(NamedTuple):
    """The robust model along `lams`, in the order they were given."""

    coefs: np.ndarray  # (len(lams), n_features)
    intercepts: np.ndarray
    objectives: np.ndarray
    shares: np.ndarray  # of examples with a nonzero shift
    n_iters: np.ndarray
    optimalities: np.ndarray


class RobustLogisticRegression(LogisticClassifier):
    """Logistic regression in which every example may slide along the sigmoid, at a price.

    Minimises  sum_i w_i (log(1 + exp(-s_i (x_i.theta + b + shift_i))) + lam |shift_i|) + penalty(theta), where the
    penalty is alpha ||theta||_1 or (alpha / 2) ||theta||^2; nothing is divided by the number of examples and b is not
    penalised. The smaller `lam`, the more examples are shifted; lam >= 1 is plain logistic regression.

    Parameters
    ----------
    lam : float > 0
        Price of a unit of shift.
    penalty : None, "l1" or "l2"
    alpha : float >= 0
        Strength of the penalty on theta.
    fit_intercept : bool
    tol : float > 0
        Stop when every optimality condition holds to within `tol` of the gradient's scale: the sum of the losses'
        slopes times the mean size of the feature; for sparse L2 and tol >= 1e-6 also at a duality gap below tol^2 of
        the objective.
    max_iter : int

    Attributes
    ----------
    coef_ : (1, n_features), intercept_ : (1,), classes_, n_features_in_, n_iter_
    shifts_ : (n_examples,)
        Nonzero where an example looks mislabelled. A shift moves an example towards the label it was given: it is
        positive for one labelled as the second class that looks like the first, negative for the opposite.
    objective_ : float
        The minimum found.
    optimality_ : float
        The measure that `tol` bounds.
    """

    path_parameters = ("lam", "alpha")

    def __init__(self, lam=0.1, penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.lam = lam
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and two-valued labels y."""
        X, signs, weights = self._check_data(X, y, sample_weight)
        self._fit_logistic(X, signs, weights)
        return self

    def _price_of_shifts(self):
        return check_price("lam", self.lam, above=0.0)

    def _keep_solution(self, path, k, X, signs, weights):
        margins = super()._keep_solution(path, k, X, signs, weights)
        self.shifts_ = shifts_from_margins(margins, signs, float(self.lam))
        return margins

    def suspicion(self, X, y):
        """The size of each training example's shift; X and y are the training set."""
        check_is_fitted(self)
        self._check_training_set(X, y, len(self.shifts_))
        return np.abs(self.shifts_)

    def suspected(self, X, y):
        """Which training examples have a nonzero shift; X and y are the training set."""
        return self.suspicion(X, y) != 0.0

    def suspects(self, n=None):
        """The examples of the training set with a nonzero shift, largest |shift| first; at most `n` of them."""
        check_is_fitted(self)
        if n is not None:
            n = check_number("n", n, at_least=0, integer=True)
        shifted = np.flatnonzero(self.shifts_)
        order = shifted[np.argsort(-np.abs(self.shifts_[shifted]), kind="stable")][:n]
        return Suspects(order, self.classes_[(self.shifts_[order] < 0.0).astype(int)], self.shifts_[order])


@on_one_blas_thread
def robust_path(X, y, lams, penalty=None, alpha=0.0, fit_intercept=True, sample_weight=None, tol=1e-8, max_iter=1000):
    """The robust model for every lam, each fit warm-started from the next larger lam; see `RobustPath`."""
    lams = check_lams(lams)
    model = RobustLogisticRegression(
        penalty=penalty, alpha=alpha, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter
    )
    penalty, alpha = check_penalty(penalty, alpha)
    tol, max_iter = model._check_stopping()
    X, signs, weights = model._check_data(X, y, sample_weight)
    order = np.argsort(-lams, kind="stable")
    problem = make_problem(X, signs, weights, penalty, bool(fit_intercept))
    path = problem.path(np.full(len(lams), alpha), lams[order], tol, max_iter)
    warn_if_path_not_converged(model, path, np.full(len(lams), alpha), lams[order], X, signs, tol, max_iter)
    shares = shares_shifted(X, signs, path, lams[order])
    back = np.argsort(order, kind="stable")
    columns = (path.coefs, path.intercepts, path.objectives, shares, path.n_iters, path.optimalities)
    return RobustPath(*(column[back] for column in columns))
