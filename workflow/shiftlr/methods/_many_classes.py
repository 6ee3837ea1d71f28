"""What methods do with more than two classes: a row of coefficients for each, fitted together or against the rest.

Two classes have one row of coefficients and a path of code of their own, in `base.py`.
"""

import numpy as np
from scipy.special import expit, log_softmax, softmax

from shiftlr.solvers.many_classes import ManyClasses
from shiftlr.solvers.path import Path, Start
from shiftlr.solvers.problem import make_problem
from shiftlr.solvers.softmax_loss import group_shifts, label_shifts
from shiftlr.solvers.storage import plain

L1_OF_MANY = (
    "Only binary classification is supported. The type of the target is multiclass: y has {n} classes, and with "
    "penalty='l1' two are fitted at a time. Use penalty='l2' or None, or RobustLogisticRegression with "
    "shift='one-vs-all', which takes 'l1' (lam=1 is the standard model)"
)


def make_softmax(X, codes, weights, n_classes, penalty, fit_intercept, shift="label"):
    """A problem of several classes that are fitted together; a ValueError for a penalty that there is no solver for."""
    if penalty == "l1":
        raise ValueError(L1_OF_MANY.format(n=n_classes))
    return ManyClasses(X, codes, weights, n_classes, penalty, fit_intercept, shift)


def signs_of(codes, c):
    """+1 for the examples of class c, -1 for all others."""
    return np.where(codes == c, 1.0, -1.0)


class OneVsAll:
    """A problem of two classes for each class. Its paths have the form of those of `ManyClasses`.

    `objectives` are sums over the classes, iterations and optimalities the largest.
    """

    def __init__(self, X, codes, weights, n_classes, penalty, fit_intercept):
        each = (signs_of(codes, c) for c in range(n_classes))
        self.problems = [make_problem(X, signs, weights, penalty, fit_intercept) for signs in each]

    def path(self, alphas, lams, tol, max_iter, start=None):
        starts: list[Start | None] = [None] * len(self.problems)
        if start is not None:
            starts = [Start(*pair) for pair in zip(start.coef, start.intercept, strict=True)]
        given = zip(self.problems, starts, strict=True)
        paths = [problem.path(alphas, lams, tol, max_iter, one) for problem, one in given]
        columns = (np.stack(column, axis=1) for column in zip(*paths, strict=True))
        coefs, intercepts, objectives, n_iters, optimalities = columns
        return Path(coefs, intercepts, objectives.sum(axis=1), n_iters.max(axis=1), optimalities.max(axis=1))


def scores_of(X, coef, intercept):
    """(n, C)."""
    return plain(np.asarray(X @ coef.T) + intercept)


def margins_of(scores, codes):
    """How far each row's own class is above the best of the others; negative where another one is above it."""
    rows = np.arange(len(codes))
    others = scores.copy()
    others[rows, codes] = -np.inf
    return scores[rows, codes] - others.max(axis=1)


def shifts_of(scores, codes, lam, shift):
    """(n,) for shift="label", (n, C) for "group" and "one-vs-all"; a shift raises the score that it is added to."""
    if shift == "label":
        return label_shifts(scores, codes, lam)
    if shift == "group":
        return group_shifts(scores, codes, lam)
    # each class against the rest is the label's shift of two classes, with the scores z and 0
    found = np.empty_like(scores)
    for c in range(scores.shape[1]):
        signs = signs_of(codes, c)
        two = np.column_stack([signs * scores[:, c], np.zeros(len(codes))])
        found[:, c] = signs * label_shifts(plain(two), np.zeros(len(codes), np.int64), lam)
    return found


def sizes_of_shifts(shifts):
    """The size of each example's shift: of a group, its length."""
    return np.abs(shifts) if shifts.ndim == 1 else np.sqrt(np.sum(shifts**2, axis=1))


def shares_of_shifted(X, codes, path, lams, shift):
    """Share of the examples that each fit of a path shifts."""
    fits = zip(path.coefs, path.intercepts, lams, strict=True)
    return np.array(
        [np.mean(sizes_of_shifts(shifts_of(scores_of(X, *fit), codes, lam, shift)) > 0.0) for *fit, lam in fits]
    )


def probabilities(scores, one_vs_all=False):
    """Of each class: softmax of the scores; of one against all, the shares of each one's probability in their sum."""
    if not one_vs_all:
        return softmax(scores, axis=1)
    own = expit(scores)
    total = own.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, own / np.where(total > 0.0, total, 1.0), softmax(scores, axis=1))


def log_probabilities(scores, one_vs_all=False):
    """Logarithm of `probabilities`."""
    if not one_vs_all:
        return log_softmax(scores, axis=1)
    with np.errstate(divide="ignore"):
        return np.log(probabilities(scores, one_vs_all=True))
