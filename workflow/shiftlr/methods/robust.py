"""Robust logistic regression: one L1-penalised shift for each example, profiled out of the optimisation."""

from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shiftlr.methods._many_classes import OneVsAll, shifts_of, sizes_of_shifts
from shiftlr.methods._paths import solve_path
from shiftlr.methods.base import LogisticClassifier, on_one_blas_thread, signs_of_two
from shiftlr.solvers.loss import shifts_from_margins
from shiftlr.validation import check_choice, check_lams, check_penalty, check_price

SHIFTS = ("label", "group", "one-vs-all")


class RobustPath(NamedTuple):
    """The robust model along `lams`, in the order they were given."""

    coefs: np.ndarray  # (len(lams), n_features), or (len(lams), n_classes, n_features) with more than two classes
    intercepts: np.ndarray  # (len(lams),), or (len(lams), n_classes)
    objectives: np.ndarray
    shares: np.ndarray  # of examples with a nonzero shift
    n_iters: np.ndarray
    optimalities: np.ndarray


class RobustLogisticRegression(LogisticClassifier):
    """Logistic regression in which every example may slide along the sigmoid, at a price.

    Minimises  sum_i w_i (log(1 + exp(-s_i (x_i.theta + b + shift_i))) + lam |shift_i|) + penalty(theta), where the
    penalty is alpha ||theta||_1 or (alpha / 2) ||theta||^2; nothing is divided by the number of examples and b is not
    penalised. The smaller `lam`, the more examples are shifted; lam >= 1 is plain logistic regression.

    With more than two classes, each has its row of theta. With scores z_i and a vector of shifts for each example it
    minimises  sum_i w_i (log(sum_c exp(z_ic + shift_ic)) - z_iy - shift_iy + lam ||shift_i||) + penalty(theta).

    Parameters
    ----------
    lam : float > 0
        Price of a unit of shift.
    penalty : None, "l1" or "l2"
        With more than two classes "l1" needs shift="one-vs-all".
    alpha : float >= 0
        Strength of the penalty on theta.
    fit_intercept : bool
    tol : float > 0
        Stop when every optimality condition holds to within `tol` of the gradient's scale: the sum of the losses'
        slopes times the mean size of the feature; for sparse L2 and tol >= 1e-6 also at a duality gap below tol^2 of
        the objective.
    max_iter : int
    shift : "label", "group" or "one-vs-all"
        Which scores of an example may shift, if there are more than two classes:

        - "label": the score of the label it was given;
        - "group": all of them, at `lam` times their Euclidean norm, so that they vanish together (a group lasso); there
          are none at lam >= sqrt(2);
        - "one-vs-all": a model of two classes for each class against all others, which vote by their scores.

        With two classes "label" and "one-vs-all" are the same, and "group" at lam is "label" at lam / sqrt(2).

    Attributes
    ----------
    coef_ : (1, n_features), intercept_ : (1,), classes_, n_features_in_, n_iter_
        With more than two classes (n_classes, n_features) and (n_classes,).
    shifts_ : (n_examples,); (n_examples, n_classes) for "group", and for "one-vs-all" with more than two classes
        Nonzero where an example looks mislabelled. A shift moves an example towards the label it was given: it is
        positive for one labelled as the second class that looks like the first, negative for the opposite. With more
        classes shifts are what is added to the scores: that of the label is positive.
    objective_ : float
        The minimum found.
    optimality_ : float
        The measure that `tol` bounds.
    """

    path_parameters = ("lam", "alpha")
    takes_many_classes = True

    def __init__(self, lam=0.1, penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000, shift="label"):
        self.lam = lam
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter
        self.shift = shift

    def check_params(self):
        return super().check_params() | {"shift": check_choice("shift", self.shift, SHIFTS)}

    def _is_one_vs_all(self):
        return self.shift == "one-vs-all"

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and labels y of two or more classes."""
        X, codes, weights = self._check_classes(X, y, sample_weight)
        if len(self.classes_) == 2:
            self._fit_logistic(X, signs_of_two(codes), weights)
        elif self._is_one_vs_all():
            params = self.check_params()
            given = params["penalty"], params["fit_intercept"]
            problem = OneVsAll(X, codes, weights, len(self.classes_), *given)
            alphas, lams = np.array([params["alpha"]]), np.array([params["lam"]])
            self._keep_classes(problem.path(alphas, lams, params["tol"], params["max_iter"]), 0, X, codes, weights)
        else:
            self._fit_softmax(X, codes, weights, self.shift)
        return self

    def _price_of_shifts(self):
        """With two classes, of the margin's shift; a group of two shifts of a half each costs the root of a half."""
        lam = check_price("lam", self.lam, above=0.0)
        two_shifts = self.shift == "group" and len(getattr(self, "classes_", ())) == 2
        return lam / np.sqrt(2.0) if two_shifts else lam

    def _keep_solution(self, path, k, X, signs, weights):
        margins = super()._keep_solution(path, k, X, signs, weights)
        self.shifts_ = shifts_from_margins(margins, signs, self._price_of_shifts())
        if self.shift == "group":
            self.shifts_ = np.column_stack([-0.5 * self.shifts_, 0.5 * self.shifts_])
        return margins

    def _keep_classes(self, path, k, X, codes, weights):
        scores = super()._keep_classes(path, k, X, codes, weights)
        self.shifts_ = shifts_of(scores, codes, float(self.lam), self.shift)
        return scores

    def suspicion(self, X, y):
        """The size of each training example's shift; X and y are the training set."""
        check_is_fitted(self)
        self._check_training_set(X, y, len(self.shifts_))
        return sizes_of_shifts(self.shifts_)

    def suspected(self, X, y):
        """Which training examples have a nonzero shift; X and y are the training set."""
        return self.suspicion(X, y) != 0.0


@on_one_blas_thread
def robust_path(
    X,
    y,
    lams,
    penalty=None,
    alpha=0.0,
    fit_intercept=True,
    sample_weight=None,
    tol=1e-8,
    max_iter=1000,
    shift="label",
):
    """The robust model for every lam, each fit warm-started from the next larger lam; see `RobustPath`."""
    lams = check_lams(lams)
    model = RobustLogisticRegression(
        penalty=penalty, alpha=alpha, fit_intercept=fit_intercept, tol=tol, max_iter=max_iter, shift=shift
    )
    check_choice("shift", shift, SHIFTS)
    penalty, alpha = check_penalty(penalty, alpha)
    tol, max_iter = model._check_stopping()
    X, codes, weights = model._check_classes(X, y, sample_weight)
    order = np.argsort(-lams, kind="stable")
    alphas = np.full(len(lams), alpha)
    path, shares = solve_path(model, X, codes, weights, penalty, alphas, lams[order], tol, max_iter)
    back = np.argsort(order, kind="stable")
    columns = (path.coefs, path.intercepts, path.objectives, shares, path.n_iters, path.optimalities)
    return RobustPath(*(column[back] for column in columns))
