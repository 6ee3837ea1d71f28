"""Newton on tall dense features, with the Hessian of a sample of the rows.

Minimises  sum_i w_i profiled(m_i, lam) + tilt.theta + 1/2 sum_j ridge_j theta_j^2  over theta, by `RowBlocks`. Values,
gradients and line searches are those of all rows. The Hessian is that of a sample, scaled up, with the corrections of
L-BFGS: with k times as many rows in it as columns, every step removes all but about 1/sqrt(k) of the error. Where that
is slower than it should be, because the Hessian has changed or rows outside the sample matter, it is computed again, of
more rows, in the end of all of them. The stopping rule is that of `newton.py`.
"""

import math

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky

from shiftlr.solvers.loss import loss_at_threshold, slope_scale, threshold, weighted_loss_along, weighted_terms
from shiftlr.solvers.newton import (
    DAMPING,
    LARGEST_MARGIN_CHANGE,
    LOGISTIC,
    PATIENCE,
    ROUNDING,
    SEPARATED,
    distant_step,
)

_MEMORY = 20  # pairs of steps and changes of the gradient that correct the Hessian
_SLOW = 0.3  # of the last gain: a step that leaves more of it to gain was a slow one
_SLOW_STEPS = 2  # in a row, before the Hessian is computed again
_GROWTH = 4  # of the sample, each time that a new Hessian does not help
_MANY_COLUMNS = 64  # a Hessian costs more than a gradient
_FIRST_LOOK = 2  # times as many rows as columns
_CORRELATED = 0.05  # the sum of squares of correlations, for each column: those of less are scaled only
_MISSED = 4.0  # times its share: curvature of a column that the sample shows too little of


class Model:
    """An approximate Hessian, factored, with corrections from the steps that were made since."""

    def __init__(self, hessian, gradient):
        self.factor = _factor(hessian, DAMPING * math.sqrt(gradient @ gradient))
        self.pairs = []

    def correct(self, step, change):
        """Learn from the change of the gradient along a step."""
        product = step @ change
        if product > 1e-12 * math.sqrt((step @ step) * (change @ change)):
            self.pairs = [*self.pairs[1 - _MEMORY :], (step, change, product)]

    def solve(self, vector):
        """The inverse of the corrected Hessian times a vector: the two loops of L-BFGS."""
        vector, amounts = vector.copy(), []
        for step, change, product in reversed(self.pairs):
            amounts.append((step @ vector) / product)
            vector -= amounts[-1] * change
        vector = cho_solve((self.factor, True), vector, check_finite=False)
        for step, change, product in self.pairs:
            vector += (amounts.pop() - (change @ vector) / product) * step
        return vector


def _factor(hessian, damping):
    """The Cholesky factor of a Hessian (its lower triangle), with more damping until there is one."""
    diagonal = np.diagonal(hessian).copy()
    relative = 0.0
    places = np.arange(len(diagonal))
    while relative < 1.0:
        hessian[places, places] = diagonal * (1.0 + relative) + max(damping, 1e-300)
        try:
            factor = cholesky(hessian, lower=True, check_finite=False)
        except LinAlgError:
            factor = None
        if factor is not None and np.all(np.diagonal(factor) ** 2 > 1e-13 * diagonal):
            return factor
        relative = max(100.0 * relative, 1e-14)
    return np.diag(np.sqrt(np.maximum(diagonal, 0.0) + max(damping, 1e-300)))


class Curvature:
    """Hessians at the margins of a fit: of a sample of the rows, and of more of them when asked for.

    `squares` are the mean squares of the scaled columns, the last one for an intercept. Where columns are many, a part
    of the sample comes first: it shows whether they are correlated at all, and if not, no more is needed.
    """

    def __init__(self, rows, size, squares):
        self.rows, self.squares = rows, squares
        self.size = min(size, len(rows.signs))
        n_columns = len(squares)
        self.every = max(1, self.size // (_FIRST_LOOK * n_columns)) if n_columns >= _MANY_COLUMNS else 1
        self._draw()

    def _draw(self):
        self.missed = np.zeros(len(self.squares))
        if self.size == len(self.rows.signs):
            self.indices, self.sample, self.factor = slice(None), self.rows, 1.0
            return
        self.indices = sample_rows(len(self.rows.signs), self.size)
        self.sample = self.rows.sample(self.indices)
        total, weights = self.rows.weights.sum(), self.sample.weights
        self.factor = total / weights.sum()
        found = np.ones(len(self.squares))
        found[: self.rows.n_columns] = np.einsum("i,ij,ij->j", weights, self.sample.X, self.sample.X) / weights.sum()
        self.missed = np.where(self.squares > _MISSED * found, 0.25 * total * self.squares, 0.0)

    def is_exact(self):
        return self.size == len(self.rows.signs) and self.every == 1

    def grow(self):
        """More rows; all of them rather than a copy of half of them."""
        if self.every > 1:
            self.every = 1
            return
        n = len(self.rows.signs)
        self.size = n if _GROWTH * self.size > n // 2 else _GROWTH * self.size
        self._draw()

    def of_sample(self, margins, lam):
        """The part of the Hessian that the rows of the sample contribute; the lower triangle."""
        return self.sample.gram(self._curvatures(margins, lam))

    def _curvatures(self, margins, lam):
        here = np.ascontiguousarray(margins[self.indices])
        slopes, curvatures = np.empty(len(here)), np.empty(len(here))
        weighted_terms(here, self.sample.weights, lam, slopes, curvatures)
        return curvatures

    def of_all(self, margins, lam):
        """An estimate of the Hessian of all rows.

        What a sample says about products of different columns is shrunk by the share of it that chance explains: n
        examples give uncorrelated columns a mean square correlation of 1 / n. Columns that it misses get the most
        curvature that they can have.
        """
        curvatures = self._curvatures(margins, lam)
        if self.every > 1:
            hessian, correlated = self._shrunk(curvatures, self.every)
            if not correlated:
                return hessian
            self.every = 1
        return self.sample.gram(curvatures) if self.is_exact() else self._shrunk(curvatures, 1)[0]

    def _shrunk(self, curvatures, every):
        """(the shrunk estimate, whether columns are so correlated that they need more rows)."""
        hessian = self.sample.gram(curvatures, every)
        used = curvatures[::every]
        total = max(used.sum(), 1e-300)
        places = np.arange(len(hessian))
        diagonal = hessian[places, places]
        roots = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, np.inf))
        correlations = hessian * roots
        correlations *= roots[:, None]
        squared = np.vdot(correlations, correlations) - np.count_nonzero(roots)  # below the diagonal
        by_chance = 0.5 * len(roots) * (len(roots) - 1) * (used @ used) / total**2
        factor = self.factor * curvatures.sum() / total
        hessian *= factor * (1.0 - min(1.0, by_chance / max(squared, 1e-300)))
        hessian[places, places] = factor * diagonal + self.missed
        return hessian, squared - by_chance > _CORRELATED * len(roots)


def sample_rows(n, size):
    """Places of `size` of n rows, in order: one of each stretch of equal length, drawn anew but always alike."""
    random = np.random.default_rng(n)
    return ((np.arange(size) + random.random(size)) * (n / size)).astype(np.intp).clip(0, n - 1)


class Objective:
    """What is minimised for one lam: the loss over rows and the smooth part."""

    def __init__(self, rows, tilt, ridge, lam):
        self.rows, self.tilt, self.ridge, self.lam = rows, tilt, ridge, lam
        self.is_bare = not tilt.any() and not ridge.any()
        self.total_weight = rows.weights.sum()

    def at(self, theta):
        """(point with its full gradient, objective)."""
        point = self.rows.at(theta, self.lam)
        gradient = point.gradient + self.tilt + self.ridge * theta
        return point._replace(gradient=gradient), point.value + self.smooth_part(theta)

    def smooth_part(self, theta):
        return float(theta @ (self.tilt + 0.5 * self.ridge * theta))

    def at_zero(self):
        """The objective at theta = 0."""
        t = threshold(self.lam)
        return self.total_weight * (math.log(2.0) if t <= 0.0 else loss_at_threshold(self.lam) + self.lam * t)

    def optimality(self, point):
        """The largest entry of the gradient, relative to its scale."""
        scale = min(1.0, self.lam) if self.is_bare else slope_scale(point.total_slope, self.total_weight, self.lam)
        return float(np.max(np.abs(point.gradient)) / (self.total_weight * scale))


class Search:
    """A search for the minimum of an `Objective`, from `theta`; `curvature` supplies Hessians."""

    def __init__(self, objective, curvature, theta):
        self.objective, self.curvature, self.theta = objective, curvature, theta
        self.point, self.value = objective.at(theta)
        if self.value > objective.at_zero():
            self.theta = np.zeros(len(theta))
            self.point, self.value = objective.at(self.theta)
        self.optimality = objective.optimality(self.point)
        self.iterations = 0
        self.renew()

    def renew(self):
        """A Hessian at the present point, without corrections."""
        hessian = self.curvature.of_all(self.point.margins, self.objective.lam)
        places = np.arange(len(hessian))
        hessian[places, places] += self.objective.ridge
        self.model = Model(hessian, self.point.gradient)
        self.age, self.slow_steps = 0, 0

    def run(self, tol, least_gain, max_iter):
        """Step until the gradient is at most `tol` of its scale and a step would gain at most `least_gain`."""
        last_gain, stalled = np.inf, 0
        while True:
            direction = -self.model.solve(self.point.gradient)
            expected = float(self.point.gradient @ direction)
            gain = -0.5 * expected
            if self.optimality <= tol and gain <= least_gain * abs(self.value):
                break
            if self.iterations >= max_iter:
                break
            self.slow_steps = self.slow_steps + 1 if gain > _SLOW * last_gain else 0
            if self.slow_steps >= _SLOW_STEPS and self.age > 0 and stalled == 0:
                self.look_closer()
                last_gain = np.inf
                continue
            last_gain = gain
            before_value, before = self.value, self.optimality
            noise = ROUNDING * max(abs(self.value), 1e-300)
            if not self.step(direction, expected, noise):
                if self.age == 0 and self.curvature.is_exact():
                    break
                self.look_closer()
                last_gain = np.inf
                continue
            stalled = stalled + 1 if self.value > before_value - noise and self.optimality > 0.5 * before else 0
            if stalled >= PATIENCE or (self.objective.is_bare and self.point.margins.min() > SEPARATED):
                break
        if gain > least_gain * abs(self.value):
            return max(self.optimality, math.sqrt(max(gain, 0.0) / abs(self.value)))
        return self.optimality

    def look_closer(self):
        """A new Hessian: at this point or, where the last one was made a few steps ago, of more rows too."""
        if self.age <= 2 * _SLOW_STEPS and not self.curvature.is_exact():
            self.curvature.grow()
        self.renew()

    def step(self, direction, expected, noise):
        """Move along a direction as far as the objective falls; whether that was possible."""
        moved = self.theta + direction
        point, value = self.objective.at(moved)
        change = point.margins - self.point.margins
        largest_change = float(np.max(np.abs(change)))
        if largest_change > LARGEST_MARGIN_CHANGE or not value <= self.value + 1e-4 * expected + noise:
            step = self.search_line(direction, change, largest_change, expected, noise)
            if step == 0.0:
                return False
            moved = self.theta + step * direction
            point, value = self.objective.at(moved)
        self.model.correct(moved - self.theta, point.gradient - self.point.gradient)
        self.theta, self.point, self.value = moved, point, value
        self.optimality = self.objective.optimality(point)
        self.iterations += 1
        self.age += 1
        return True

    def search_line(self, direction, change, largest_change, expected, noise):
        """A step of at most 1 that lowers the objective enough, or 0; on the margins, without the features."""
        objective, margins = self.objective, self.point.margins
        weights, lam = objective.rows.weights, objective.lam
        step = 1.0
        if largest_change > LARGEST_MARGIN_CHANGE:
            linear = float(direction @ (objective.tilt + objective.ridge * self.theta))
            quadratic = float(direction @ (objective.ridge * direction))
            work = [np.empty(len(margins)) for _ in range(3)]
            first = LARGEST_MARGIN_CHANGE / largest_change
            step = distant_step(LOGISTIC, margins, change, weights, lam, linear, quadratic, first, *work)
        while step > 1e-12 * min(1.0, 1.0 / largest_change):
            value = weighted_loss_along(margins, change, step, weights, lam)
            value += objective.smooth_part(self.theta + step * direction)
            if value <= self.value + 1e-4 * step * expected + noise:
                return step
            step *= 0.5
        return 0.0
