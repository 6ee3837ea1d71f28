"""scipy's L-BFGS on the marginal likelihood of the flipping model, with its analytic gradient."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from shiftbench.speed.task import Fit

FIRST_FLIP = 0.2


def lbfgs(task):
    """Minimises over theta, b and the logits of both flip probabilities, from a standard fit by the same solver.

    With p = P(true label is positive) and q = (1 - f1) p + f0 (1 - p) = P(label seen is positive), the loss is
    -mean(log q or log(1 - q)), and its slope in x.theta + b is (1 - f0 - f1) p (1 - p) times that in q. The mean is
    minimised, so `tolerance` is the largest entry of its gradient.
    """
    X, positive = task.X, task.signs > 0.0
    n, m = X.shape

    def standard_loss(point):
        margins = X @ point[:m] + point[m]
        slopes = (expit(margins) - positive) / n
        loss = np.logaddexp(0.0, np.where(positive, -margins, margins)).mean()
        return loss, np.append(X.T @ slopes, slopes.sum())

    def loss(point):
        first, second = expit(point[m + 1 :])
        p = expit(X @ point[:m] + point[m])
        q = (1.0 - second) * p + first * (1.0 - p)
        seen = np.where(positive, q, 1.0 - q)
        in_q = np.where(positive, -1.0, 1.0) / (seen * n)
        slopes = (1.0 - first - second) * p * (1.0 - p) * in_q
        in_first = in_q @ (1.0 - p) * first * (1.0 - first)
        in_second = -(in_q @ p) * second * (1.0 - second)
        return -np.log(seen).mean(), np.concatenate([X.T @ slopes, [slopes.sum(), in_first, in_second]])

    def solve(tolerance):
        options = {"gtol": tolerance, "ftol": 0.0, "maxiter": 10_000, "maxfun": 100_000, "maxcor": 10}
        start = minimize(standard_loss, np.zeros(m + 1), jac=True, method="L-BFGS-B", options=options | {"gtol": 1e-3})
        logit = np.log(FIRST_FLIP / (1.0 - FIRST_FLIP))
        point = minimize(loss, np.append(start.x, [logit, logit]), jac=True, method="L-BFGS-B", options=options).x
        return Fit(point[None, :m], point[m : m + 1], flips=expit(point[m + 1 :]))

    return solve
