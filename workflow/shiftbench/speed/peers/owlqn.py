"""OWL-QN (Andrew and Gao 2007), the report's own solver, on [X | I] with X sparse and binary."""

from collections import deque

import numpy as np
from numba import njit

from shiftbench.speed.task import Fit


def point(task):
    """One fit with an L2 penalty, stopped as soon as its objective is within `tolerance` of the least one known.

    No stopping rule could serve it better, so it needs no ladder of tolerances.
    """
    products = _Products(task.X)

    def solve(tolerance):
        descent = _OrthantWiseDescent(products, task.signs, task.alphas[0], task.lams[0])
        while descent.total > task.best[0] * (1.0 + tolerance) and descent.step():
            pass
        return Fit(descent.point[None, : task.X.shape[1]], descent.point[-1:])

    return solve


class _Products:
    """Products with a matrix of ones by rows and by columns, without looking at the ones."""

    def __init__(self, X):
        self.rows, self.columns, self.width = X.tocsr(), X.tocsc(), X.shape[1]
        self.with_rows(np.zeros(self.width))  # compiles

    def with_rows(self, theta):
        return _sums(self.rows.indptr, self.rows.indices, theta)

    def with_columns(self, slopes):
        return _sums(self.columns.indptr, self.columns.indices, slopes)


@njit
def _sums(starts, places, values):
    """For each stretch of `places`, the sum of the values there."""
    sums = np.empty(starts.size - 1)
    for i in range(sums.size):
        total = 0.0
        for q in range(starts[i], starts[i + 1]):
            total += values[places[q]]
        sums[i] = total
    return sums


class _OrthantWiseDescent:
    """Limited-memory quasi-Newton steps in (theta, shifts, b), projected onto the orthant that the shifts are in."""

    def __init__(self, products, signs, alpha, lam, memory=10):
        n, m = len(signs), products.width
        self.products, self.signs, self.alpha, self.lam = products, signs, alpha, lam
        self.theta, self.shifts = slice(0, m), slice(m, m + n)
        self.point = np.zeros(m + n + 1)
        # (change of point, change of gradient, 1 / their product) of the last steps
        self.pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=memory)
        self.total, self.gradient = self._evaluate(self.point)

    def _evaluate(self, point):
        """The objective, and the gradient of its smooth part."""
        theta, shifts = point[self.theta], point[self.shifts]
        margins = self.signs * (self.products.with_rows(theta) + point[-1] + shifts)
        slopes = -self.signs / (1.0 + np.exp(np.clip(margins, -500.0, 500.0)))
        gradient = np.empty(len(point))
        gradient[self.theta] = self.products.with_columns(slopes) + self.alpha * theta
        gradient[self.shifts], gradient[-1] = slopes, slopes.sum()
        smooth = np.logaddexp(0.0, -margins).sum() + 0.5 * self.alpha * theta @ theta
        return smooth + self.lam * np.abs(shifts).sum(), gradient

    def _steepest(self):
        """The subgradient of least length."""
        steepest = self.gradient.copy()
        shifts, slopes = self.point[self.shifts], self.gradient[self.shifts]
        at_zero = np.sign(slopes) * np.maximum(np.abs(slopes) - self.lam, 0.0)
        steepest[self.shifts] = np.where(shifts != 0.0, slopes + self.lam * np.sign(shifts), at_zero)
        return steepest

    def _direction(self, steepest):
        """The two-loop recursion, kept to descent in every shift."""
        direction, factors = -steepest, []
        for moved, turned, inverse in reversed(self.pairs):
            factors.append(inverse * (moved @ direction))
            direction -= factors[-1] * turned
        if self.pairs:
            _, turned, inverse = self.pairs[-1]
            direction /= inverse * (turned @ turned)
        for (moved, turned, inverse), factor in zip(self.pairs, reversed(factors), strict=True):
            direction += moved * (factor - inverse * (turned @ direction))
        direction[self.shifts][direction[self.shifts] * steepest[self.shifts] >= 0.0] = 0.0
        return direction

    def step(self):
        """One step with a backtracking search; False where there is no further progress."""
        steepest = self._steepest()
        direction = self._direction(steepest)
        shifts = self.point[self.shifts]
        orthant = np.where(shifts != 0.0, np.sign(shifts), -np.sign(steepest[self.shifts]))
        length = 1.0 if self.pairs else 1.0 / np.linalg.norm(steepest)
        while length > 1e-12:
            point = self.point + length * direction
            point[self.shifts][point[self.shifts] * orthant < 0.0] = 0.0
            total, gradient = self._evaluate(point)
            if total <= self.total + 1e-4 * (steepest @ (point - self.point)):
                break
            length *= 0.5
        else:
            return False
        moved, turned = point - self.point, gradient - self.gradient
        if moved @ turned > 0.0:
            self.pairs.append((moved, turned, 1.0 / (moved @ turned)))
        self.point, self.total, self.gradient = point, total, gradient
        return True
