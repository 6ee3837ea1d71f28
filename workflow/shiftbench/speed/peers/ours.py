"""This package, by the part of its public interface that a user would take for the task; its checks are timed too."""

import numpy as np
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    RobustLogisticRegression,
    StandardLogisticRegression,
    robust_path,
)
from shiftlr.model_selection.grids import fit_grid

from shiftbench.speed.task import Fit

# As class labels usually are; others pass through more of scikit-learn's checks.
LABELS = int


def logistic(task):
    """Standard or robust logistic regression: one fit, a path of lams, or a grid."""
    shared = {"penalty": task.penalty, "fit_intercept": task.fit_intercept}
    estimator = StandardLogisticRegression if task.is_plain else RobustLogisticRegression
    labels = task.signs.astype(LABELS)
    pairs = zip(task.alphas.tolist(), task.lams.tolist(), strict=True)
    grid = [{"alpha": alpha} if task.is_plain else {"alpha": alpha, "lam": lam} for alpha, lam in pairs]

    def solve_point(tolerance):
        model = estimator(tol=tolerance, **shared, **grid[0]).fit(task.X, labels)
        return Fit(model.coef_, model.intercept_)

    def solve_lams(tolerance):
        path = robust_path(task.X, labels, task.lams, alpha=task.alphas[0], tol=tolerance, **shared)
        return Fit(path.coefs, path.intercepts)

    def solve_grid(tolerance):
        fits = fit_grid(estimator(tol=tolerance, **shared), grid, task.X, labels)
        return Fit(fits.coefs, fits.intercepts)

    if len(grid) == 1:
        return solve_point
    return solve_lams if np.ptp(task.alphas) == 0.0 else solve_grid


def softmax(task):
    """More than two classes, standard or robust."""
    shared = {"penalty": "l2", "alpha": task.alpha, "fit_intercept": task.fit_intercept}

    def solve(tolerance):
        if task.lam >= 1.0:
            model = StandardLogisticRegression(tol=tolerance, **shared)
        else:
            model = RobustLogisticRegression(task.lam, tol=tolerance, **shared)
        model.fit(task.X, task.labels)
        return Fit(model.coef_, model.intercept_)

    return solve


def svm(max_iter=1000):
    """The linear SVM; `max_iter` ends a fit that would take minutes."""

    def prepare(task):
        labels = task.signs.astype(LABELS)

        def solve(tolerance):
            model = LinearSVM(task.C, task.fit_intercept, tolerance, max_iter).fit(task.X, labels)
            return Fit(model.coef_, model.intercept_)

        return solve

    return prepare


def flipping(task):
    """The flipping model, by EM."""
    labels = task.signs.astype(LABELS)

    def solve(tolerance):
        model = FlippingLogisticRegression(tol=tolerance, fit_intercept=task.fit_intercept).fit(task.X, labels)
        flips = model.flip_probabilities_
        return Fit(model.coef_, model.intercept_, flips=np.array([flips[0, 1], flips[1, 0]]))

    return solve
