"""Any smooth loss of the margin, convex or not, without a penalty or with L2: Newton's method in a trust region.

The objective is  sum_i w_i loss(s_i (x_i.theta + b)) + (alpha / 2) ||theta||^2. A step minimises its quadratic model in
a ball by conjugate gradients (Steihaug 1983), which follow a direction of negative curvature to the edge of the ball,
so that a loss need not be convex; only steps that lower the objective are taken. Features are read by products alone,
in the coordinates of a `Frame`.
"""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers.frame import Frame, belongs_dense
from shiftlr.solvers.path import Start

_MOST_PRODUCTS = 200  # per step
_ACCURACY = 0.1  # of a step, relative to the gradient; near a minimum more
_ROUNDING = 1e-15  # of the objective: less is not worth a step


class Terms(NamedTuple):
    """The loss of each example and its first two derivatives in the margin."""

    values: np.ndarray
    slopes: np.ndarray
    curvatures: np.ndarray


class Descent(NamedTuple):
    """Where it ended, and the objective at the start and after each step."""

    start: Start
    objectives: list[float]
    optimality: float
    converged: bool


class _Point(NamedTuple):
    theta: np.ndarray
    objective: float
    gradient: np.ndarray
    curvatures: np.ndarray
    optimality: float


class Smooth:
    """A problem, prepared once; `terms` gives the `Terms` of an array of margins."""

    def __init__(self, X, signs, weights, alpha, fit_intercept, terms):
        if belongs_dense(X, fit_intercept):
            X = X.toarray()
        used = weights > 0.0
        if not used.all():
            X, signs, weights = X[used], signs[used], weights[used]
        self.frame = Frame(X, weights, fit_intercept, penalised=alpha > 0.0)
        self.columns, self.ridge = self.frame.columns, self.frame.ridge(alpha)
        self.signs, self.weights, self.fit_intercept, self.terms = signs, weights, fit_intercept, terms

    def descend(self, start, tol, max_iter):
        """Steps from `start` until the gradient is below `tol` of its scale, or rounding allows no more."""
        point = self._at(self.frame.to_kernel(start.coef, start.intercept))
        objectives, radius = [point.objective], max(1.0, float(np.linalg.norm(point.theta)))
        converged = point.optimality <= tol
        while not converged and len(objectives) <= max_iter:
            step, promised = self._step(point, radius)
            if not promised > _ROUNDING * abs(point.objective):
                converged = True
                break
            after = self._at(point.theta + step)
            kept = (point.objective - after.objective) / promised
            length = float(np.linalg.norm(step))
            if not kept >= 0.25:
                radius = 0.25 * length
            elif kept > 0.75 and length > 0.9 * radius:
                radius *= 2.0
            if after.objective < point.objective:
                point = after
                objectives.append(after.objective)
                converged = point.optimality <= tol
            elif length <= 1e-15 * np.linalg.norm(point.theta):
                converged = True
        coefs, intercepts = self.frame.from_kernel(point.theta[None, :])
        return Descent(Start(coefs[0], float(intercepts[0])), objectives, point.optimality, converged)

    def objective(self, start):
        """The objective at any coefficients."""
        return self._at(self.frame.to_kernel(start.coef, start.intercept)).objective

    def _scores(self, theta):
        if self.fit_intercept:
            return self.columns @ theta[:-1] + theta[-1]
        return self.columns @ theta

    def _pull(self, amounts):
        products = self.columns.T @ amounts
        return np.append(products, amounts.sum()) if self.fit_intercept else products

    def _at(self, theta):
        terms = self.terms(self.signs * self._scores(theta))
        residuals = self.weights * terms.slopes * self.signs
        gradient = self._pull(residuals) + self.ridge * theta
        objective = float(self.weights @ terms.values + 0.5 * (self.ridge * theta) @ theta)
        scale = max(float(np.abs(residuals).sum()), 1e-290 * float(self.weights.sum()))
        optimality = float(np.abs(gradient).max()) / scale
        return _Point(theta, objective, gradient, self.weights * terms.curvatures, optimality)

    def _step(self, point, radius):
        """(step, by how much the quadratic model falls)."""
        step = np.zeros(len(point.theta))
        product = np.zeros(len(step))  # of the Hessian with the step
        residual = -point.gradient
        size = np.sqrt(residual @ residual)
        enough = size * min(_ACCURACY, np.sqrt(point.optimality))
        direction = residual
        for _ in range(min(_MOST_PRODUCTS, 2 * len(step) + 5)):
            turned = self._pull(point.curvatures * self._scores(direction)) + self.ridge * direction
            curvature = direction @ turned
            squared = residual @ residual
            length = squared / curvature if curvature > 0.0 else np.inf
            inside = length < np.inf and np.linalg.norm(step + length * direction) < radius
            if not inside:
                length = _to_the_edge(step, direction, radius)
            step, product = step + length * direction, product + length * turned
            residual = residual - length * turned
            if not inside or np.sqrt(residual @ residual) <= enough:
                break
            direction = residual + (residual @ residual / squared) * direction
        return step, float(-(point.gradient @ step) - 0.5 * (step @ product))


def _to_the_edge(step, direction, radius):
    """How far along the direction from inside the ball to its edge."""
    a, b, c = direction @ direction, step @ direction, step @ step - radius * radius
    return (-b + np.sqrt(max(b * b - a * c, 0.0))) / a
