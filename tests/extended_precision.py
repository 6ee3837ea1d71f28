"""Minima of small problems whose numbers differ by many orders of magnitude; nothing here uses shiftlr.

Newton's method in NumPy's `longdouble` (80 bits on most machines), on columns centred by their median and scaled by
their median deviation; steps by least squares on the rows, so that no Hessian is formed. What has a kink is rounded off
by less and less. An answer may be above the minimum; it is never below, since objectives are evaluated as they stand.
"""

import numpy as np

EXTENDED = np.longdouble
_STAGES = [EXTENDED(10.0) ** -k for k in range(15)]  # how much the kinks are rounded off


def logistic_terms(margins, lam):
    """Values, slopes and curvatures of the log loss with its shift profiled out."""
    small = np.exp(-np.abs(margins))
    share = 1 / (1 + small)
    values = np.log1p(small) + np.maximum(-margins, 0)
    slopes, curvatures = -np.where(margins > 0, small * share, share), small * share * share
    if lam < 1:
        lam = EXTENDED(lam)
        threshold = np.log1p(-lam) - np.log(lam)
        shifted = margins < threshold
        values = np.where(shifted, -np.log1p(-lam) + lam * (threshold - margins), values)
        slopes, curvatures = np.where(shifted, -lam, slopes), np.where(shifted, 0, curvatures)
    return values, slopes, curvatures


def _barrier_terms(margins, width):
    """Of the hinge as the least slack, kept above 0 and above 1 - margin by logarithms times `width`."""
    lack = 1 - margins
    root = np.sqrt(lack * lack + 4 * width * width)
    slack = (lack + 2 * width + root) / 2
    room = np.where(lack > 0, width + 2 * width * width / (root + lack), slack - lack)
    values = slack - width * np.log(slack) - width * np.log(room)
    return values, -width / room, np.maximum(width / room**2 * (1 - (1 + lack / root) / 2), 0)


def _least_squares(rows, goal):
    """The x that makes |rows x - goal| least: Gram-Schmidt with pivots, every projection made twice."""
    n, m = rows.shape
    basis, triangle, rest = np.zeros((n, m), EXTENDED), np.zeros((m, m), EXTENDED), rows.copy()
    order, sizes = list(range(m)), np.sqrt((rows * rows).sum(axis=0))
    for k in range(m):
        best = max(range(k, m), key=lambda p: (rest[:, order[p]] ** 2).sum())
        order[k], order[best] = order[best], order[k]
        triangle[:, [k, best]] = triangle[:, [best, k]]
        column = rest[:, order[k]]
        for _ in range(2):
            for p in range(k):
                part = basis[:, p] @ column
                triangle[p, k] += part
                column -= part * basis[:, p]
        size = np.sqrt((column**2).sum())
        if not size > EXTENDED(1e-18) * sizes[order[k]]:
            continue
        triangle[k, k], basis[:, k] = size, column / size
        for p in range(k + 1, m):
            part = basis[:, k] @ rest[:, order[p]]
            triangle[k, p] += part
            rest[:, order[p]] -= part * basis[:, k]
    parts = basis.T @ goal
    parts += basis.T @ (goal - basis @ parts)
    x = np.zeros(m, EXTENDED)
    solved = np.zeros(m, EXTENDED)
    for k in range(m - 1, -1, -1):
        if triangle[k, k] > 0:
            solved[k] = (parts[k] - triangle[k, k + 1 :] @ solved[k + 1 :]) / triangle[k, k]
        x[order[k]] = solved[k]
    return x


class Objective:
    """sum_i w_i loss(s_i (x_i.theta + b)) + penalty(theta), in coordinates of one size; `lam` None is the hinge."""

    def __init__(self, X, signs, weights, lam=1.0, penalty=None, alpha=0.0, fit_intercept=True):
        X = X.astype(EXTENDED)
        if fit_intercept:
            X = X - np.sort(X, axis=0)[len(X) // 2]
        sizes = [np.sort(column[column > 0]) for column in np.abs(X).T]
        scale = np.array([column[len(column) // 2] if len(column) else EXTENDED(1) for column in sizes])
        ones = np.ones((len(X), int(fit_intercept)), EXTENDED)
        self.rows, self.signs, self.weights, self.lam = np.hstack([X / scale, ones]), signs, weights, lam
        self.ridge, self.kappa = np.zeros((2, self.rows.shape[1]), EXTENDED)
        if penalty == "l2":
            self.ridge[: len(scale)] = EXTENDED(alpha) / scale**2
        if penalty == "l1":
            self.kappa[: len(scale)] = EXTENDED(alpha) / scale
        self.size = float(len(signs) * np.median(weights))
        self.has_kinks = lam is None or penalty == "l1"

    def margins(self, theta):
        return self.signs * (self.rows @ theta)

    def value(self, theta):
        """The objective itself."""
        margins = self.margins(theta)
        losses = np.maximum(1 - margins, 0) if self.lam is None else logistic_terms(margins, self.lam)[0]
        return self.weights @ losses + (self.ridge * theta**2).sum() / 2 + (self.kappa * np.abs(theta)).sum()

    def smooth(self, theta, width):
        """(value, slopes, curvatures, the penalty's gradient and Hessian) with kinks rounded off."""
        margins = self.margins(theta)
        terms = _barrier_terms(margins, width) if self.lam is None else logistic_terms(margins, self.lam)
        value = self.weights @ terms[0] + (self.ridge * theta**2).sum() / 2
        gradient, hessian = self.ridge * theta, self.ridge.copy()
        if self.kappa.any():
            sharp = np.minimum(width * self.size / np.where(self.kappa > 0, self.kappa, 1), EXTENDED(1e30))
            rounded = np.sqrt(theta**2 + sharp**2)
            value += (self.kappa * rounded).sum()
            gradient += self.kappa * theta / rounded
            hessian += self.kappa * (sharp / rounded) ** 2 / rounded
        return value, self.weights * terms[1], self.weights * terms[2], gradient, hessian

    def direction(self, slopes, curvatures, gradient, hessian, floor):
        """A Newton step; curvatures are held above `floor` of the mean slope, since those of shifted rows are 0."""
        least = max(floor * np.abs(slopes).mean(), EXTENDED(1e-4000))
        roots, own = np.sqrt(np.maximum(curvatures, least)), np.sqrt(hessian)
        top, goal = roots[:, None] * self.rows, -(self.signs * slopes) / roots
        order = np.argsort(-np.abs(top).max(axis=1))
        penalised = own > 0
        return _least_squares(
            np.vstack([top[order], np.diag(own)[penalised]]),
            np.concatenate([goal[order], -(gradient[penalised] / own[penalised])]),
        )

    def descend(self, theta, width, most_steps):
        """Newton steps until they gain nothing."""
        value, slopes, curvatures, gradient, hessian = self.smooth(theta, width)
        damping, idle = EXTENDED(1e-3), 0
        for _ in range(most_steps):
            step = self.direction(slopes, curvatures, gradient, hessian, EXTENDED(1e-3) * damping)
            slope = (self.rows.T @ (self.signs * slopes) + gradient) @ step
            length, found = EXTENDED(1), None
            while slope < 0 and length > EXTENDED(1e-40):
                found = self.smooth(theta + length * step, width)
                if found[0] <= value + EXTENDED(1e-4) * length * slope:
                    break
                found, length = None, length / (2 if length > 0.1 else 10)
            if found is None:
                damping, idle = max(100 * damping, EXTENDED(1e-12)), idle + 1
            else:
                idle = idle + 1 if value - found[0] <= EXTENDED(1e-13) * abs(value) else 0
                theta = theta + length * step
                value, slopes, curvatures, gradient, hessian = found
                damping = damping / 10 if length == 1 else min(4 * damping, EXTENDED(1e3))
            no_minimum = not self.has_kinks and not self.ridge.any() and self.margins(theta).min() > 30
            if idle > 6 or no_minimum:
                break
        return theta


def least_objective(X, signs, weights, lam=1.0, penalty=None, alpha=0.0, fit_intercept=True, most_steps=150):
    """(the least objective found, the smallest margin there)."""
    problem = Objective(X, signs, weights, lam, penalty, alpha, fit_intercept)
    theta = best = np.zeros(problem.rows.shape[1], EXTENDED)
    with np.errstate(all="ignore"):
        for width in _STAGES if problem.has_kinks else [EXTENDED(0)]:
            theta = problem.descend(theta, width, most_steps)
            if problem.value(theta) < problem.value(best):
                best = theta
    return float(problem.value(best)), float(problem.margins(best).min())


def objective_of(X, signs, weights, coef, intercept, lam=1.0, penalty=None, alpha=0.0):
    """The objective at a fitted model, its scores computed as `predict` computes them."""
    margins = (signs * (X @ coef + intercept)).astype(EXTENDED)
    losses = np.maximum(1 - margins, 0) if lam is None else logistic_terms(margins, lam)[0]
    coef = coef.astype(EXTENDED)
    return float(
        weights @ losses + {None: 0, "l1": alpha * np.abs(coef).sum(), "l2": alpha * (coef @ coef) / 2}[penalty]
    )
