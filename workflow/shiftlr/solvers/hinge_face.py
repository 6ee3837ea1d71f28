"""The multipliers of an SVM that lie strictly between their bounds: one linear system, where theta has many entries."""

import math

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import dot
from shiftlr.solvers.feature_rows import add_row, row_dot
from shiftlr.solvers.hinge_newton import LARGEST_TAU, MOST_UNKNOWNS, by_examples, by_gradients


@kernel(error_model="numpy")
def climb_face(rows, signs, upper, norms, theta, multipliers, intercept, reach, closeness, max_steps):
    """Move the multipliers strictly between their bounds towards where their margins are 1, as far as the dual rises.

    Where theta has many entries the bounds are found by coordinate descent, and this is the rest: the linear system
    of those examples by conjugate gradients, then a step cut off at the bounds. Changes theta too; returns the
    intercept.
    """
    n, m = signs.size, theta.size
    inside, roots, work, change = np.empty(n, np.int64), np.empty(n), np.zeros(m), np.zeros(n)
    size = 0
    for i in range(n):
        roots[i] = math.sqrt(max(norms[i] + reach, 1e-300))
        if 0.0 < multipliers[i] < upper[i]:
            inside[size] = i
            size += 1
    if size == 0:
        return intercept
    inside = inside[:size]
    slack, q = np.empty(size), np.empty(size)
    for a in range(size):
        i = inside[a]
        slack[a] = 1.0 - signs[i] * (row_dot(rows, i, theta) + intercept)
        q[a] = slack[a] / roots[i]
    if size > MOST_UNKNOWNS or not by_examples(rows, signs, inside, roots, reach, LARGEST_TAU, q, work):
        work[:] = 0.0
        by_gradients(rows, signs, inside, roots, reach, np.inf, q, work, closeness, max_steps)
    linear, total = 0.0, 0.0
    for a in range(size):
        i = inside[a]
        change[a] = min(max(multipliers[i] + q[a] / roots[i], 0.0), upper[i]) - multipliers[i]
        linear += change[a] * slack[a]
        total += signs[i] * change[a]
        add_row(rows, i, signs[i] * change[a], work)
    quadratic = dot(work, work) + reach * total * total
    if not (linear > 0.0 and quadratic > 0.0):
        return intercept
    step = min(1.0, linear / quadratic)
    for a in range(size):
        i = inside[a]
        multipliers[i] = min(max(multipliers[i] + step * change[a], 0.0), upper[i])
    for j in range(m):
        theta[j] += step * work[j]
    return intercept + reach * step * total
