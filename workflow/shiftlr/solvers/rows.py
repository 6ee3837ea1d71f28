"""Sparse feature rows made ready for the L2 solvers: a transposed copy, fixed partitions, products.

Every product runs over a fixed partition into chunks and never adds across chunks, so that results have the same
bits for any number of threads: x.theta is a sum along a row, X^T u a sum along a column of the transposed copy.
`values` of length 0 stands for a matrix of ones. No row may hold a column twice.
Indices are cast to unsigned types, and these loops are not reordered, because that more than doubles their speed:
signed ones are tested for counting from the end, and gather instructions are slower than single loads.

Renumbering columns by frequency and merging identical ones was measured and left out: one fit gains less from it
than the preparation costs.
"""

from typing import NamedTuple

import numpy as np
from numba import prange

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import dot
from shiftlr.solvers.loss import REORDER, loss_at_threshold, slope_scale, terms_at, threshold, weighted_terms
from shiftlr.solvers.storage import plain

CHUNKS = 8  # the partition of every parallel loop, whatever the number of threads
NO_VALUES = np.empty(0)


class PreparedRows(NamedTuple):
    """A feature matrix with all that is made once for it; see `prepare_rows`."""

    indptr: np.ndarray  # int64, row starts
    indices: np.ndarray  # int32, columns
    values: np.ndarray  # float64, or of length 0 for ones
    row_chunks: np.ndarray  # int64, CHUNKS + 1 bounds of about equal entries
    squared_norms: np.ndarray  # float64, sum_j x_ij^2 for each row
    column_starts: np.ndarray  # int64, the transposed copy: starts,
    column_rows: np.ndarray  # int32, rows,
    column_values: np.ndarray  # float64 or of length 0, values,
    column_chunks: np.ndarray  # int64, and its partition

    @property
    def n_rows(self):
        return self.indptr.size - 1

    @property
    def n_features(self):
        return self.column_starts.size - 1


@kernel(error_model="numpy")
def chunk_bounds(starts):
    """CHUNKS + 1 bounds that share out rows (or columns) so that each chunk has about the same number of entries."""
    n = starts.size - 1
    bounds = np.zeros(CHUNKS + 1, np.int64)
    for c in range(1, CHUNKS):
        # each row also counts for itself: rows may be empty
        goal = (starts[n] + n) * c // CHUNKS
        low, high = bounds[c - 1], n
        while low < high:
            middle = (low + high) // 2
            if starts[middle] + middle < goal:
                low = middle + 1
            else:
                high = middle
        bounds[c] = low
    bounds[CHUNKS] = n
    return bounds


@kernel(error_model="numpy")
def transposed(indptr, indices, values, n_columns):
    """(starts, rows, values) of the transposed copy; rows rise along each column."""
    starts = np.zeros(n_columns + 1, np.int64)
    for q in range(indices.size):
        starts[np.uint64(indices[q]) + np.uint64(1)] += 1
    for column in range(n_columns):
        starts[column + 1] += starts[column]
    place = starts[:n_columns].copy()
    rows = np.empty(indices.size, np.int32)
    column_values = np.empty(values.size)
    for i in range(indptr.size - 1):
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint32(indices[q])
            p = np.uint64(place[j])
            place[j] += 1
            rows[p] = i
            if values.size > 0:
                column_values[p] = values[q]
    return starts, rows, column_values


@kernel(error_model="numpy", fastmath=REORDER)
def squares_along(starts, values, factors, ids):
    """sum_q values[q]^2 factors[ids[q]] along each row; an empty `factors` stands for ones."""
    total = np.zeros(starts.size - 1)
    for i in range(total.size):
        z = 0.0
        for q in range(starts[i], starts[i + 1]):
            square = values[q] * values[q] if values.size > 0 else 1.0
            z += square * factors[ids[q]] if factors.size > 0 else square
        total[i] = z
    return total


@kernel(error_model="numpy")
def products_between(starts, ids, values, vector, offset, first, last, out):
    """out[i] = offset + sum_q values[q] vector[ids[q]] along the rows (or columns of a transposed copy) first..last."""
    for i in range(first, last):
        z = 0.0
        if values.size > 0:
            for q in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                z += values[q] * vector[np.uint32(ids[q])]
        else:
            for q in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                z += vector[np.uint32(ids[q])]
        out[i] = offset + z


@kernel(error_model="numpy", parallel=True)
def products(starts, ids, values, vector, offset, chunks, out):
    """`products_between` for all chunks, by as many threads as there are."""
    for c in prange(CHUNKS):
        products_between(starts, ids, values, vector, offset, chunks[c], chunks[c + 1], out)


def prepare_rows(indptr, indices, data, n_features):
    """Check and copy a CSR matrix into `PreparedRows`; `data` None means that every stored entry is 1."""
    indptr, indices = plain(indptr, np.int64), plain(indices, np.int32)
    values = NO_VALUES if data is None else plain(data, np.float64)
    if data is not None and values.size == 0:
        values = NO_VALUES
    starts, rows, column_values = transposed(indptr, indices, values, n_features)
    norms = squares_along(indptr, values, NO_VALUES, indices)
    return PreparedRows(
        indptr, indices, values, chunk_bounds(indptr), norms, starts, rows, column_values, chunk_bounds(starts)
    )


def row_products(rows, theta, intercept, out):
    """out = X theta + intercept."""
    products(rows.indptr, rows.indices, rows.values, theta, intercept, rows.row_chunks, out)
    return out


def column_products(rows, u, out):
    """out = X^T u."""
    products(rows.column_starts, rows.column_rows, rows.column_values, u, 0.0, rows.column_chunks, out)
    return out


@kernel(error_model="numpy", fastmath=REORDER)
def along(margins, direction, step, weights, lam):
    """(value, derivative, second derivative) in the step of the weighted loss at margins + step * direction."""
    t = threshold(lam)
    value_at_t = loss_at_threshold(lam)
    total, first, second = 0.0, 0.0, 0.0
    for i in range(margins.size):
        value, slope, curvature = terms_at(margins[i] + step * direction[i], lam, t, value_at_t)
        total += weights[i] * value
        first += weights[i] * slope * direction[i]
        second += weights[i] * curvature * direction[i] * direction[i]
    return total, first, second


@kernel(error_model="numpy")
def minimise_along(margins, direction, weights, lam, linear, quadratic, first_step, closeness):
    """The step that minimises loss(margins + step direction) + linear step + quadratic step^2 / 2.

    Newton's method on the derivative inside a bracket, from `first_step` (0: Newton's own) until the derivative has
    fallen to `closeness` of its first value. Returns (step, change of the objective), (0, 0) if nothing is gained.
    """
    value_0, first, second = along(margins, direction, 0.0, weights, lam)
    slope_0 = first + linear
    if slope_0 == 0.0 or not np.isfinite(slope_0):
        return 0.0, 0.0
    side = 1.0 if slope_0 < 0.0 else -1.0
    low, high = 0.0, np.inf  # distances along `side` with a falling and with a rising objective
    at, best, best_change = first_step, 0.0, 0.0
    if first_step == 0.0:
        at = min(abs(slope_0) / (second + quadratic), 4.0) if second + quadratic > 0.0 else 1.0
    for _ in range(60):
        step = side * at
        value, first, second = along(margins, direction, step, weights, lam)
        slope = side * (first + linear + quadratic * step)
        change = value - value_0 + linear * step + 0.5 * quadratic * step * step
        if change < best_change:
            best, best_change = step, change
        if abs(slope) <= closeness * abs(slope_0) and change <= 1e-14 * abs(value_0):
            return step, change  # near the end rounding hides the change, and the slope decides
        if slope < 0.0 and np.isfinite(change):
            low = at
        else:
            high = at
        newton = at - slope / (second + quadratic) if second + quadratic > 0.0 else np.inf
        if high < np.inf:
            at = newton if newton > low and newton < high else 0.5 * (low + high)
            if high - low <= 1e-15 * high:
                break
        else:
            at = newton if newton > at and newton < 10.0 * at else 4.0 * at
            if at > 1e12:
                break
    return best, best_change


@kernel(error_model="numpy")
def centre_intercept(margins, signs, weights, lam, tilt_b, total_weight):
    """Move the intercept to its minimiser, and the margins with it; returns how far it moved."""
    moved = 0.0
    for _ in range(3):
        _, first, _ = along(margins, signs, 0.0, weights, lam)
        slope = abs(first + tilt_b)
        if not slope > 1e-12 * min(1.0, lam) * total_weight:
            break
        step, _ = minimise_along(
            margins, signs, weights, lam, tilt_b, 0.0, 0.0, 1e-12 * min(1.0, lam) * total_weight / slope
        )
        if step == 0.0 or abs(moved + step) > 200.0:
            break
        moved += step
        for i in range(margins.size):
            margins[i] += step * signs[i]
    return moved


def gap_counts(tol):
    """Whether a duality gap of tol^2 ends the search too; below this tol rounding leaves only the gradient."""
    return tol >= 1e-6


class Problem(NamedTuple):
    """All that defines F; `reach` is sum_i w_i |x_ij|, the largest value the loss gradient can have for lam >= 1."""

    rows: PreparedRows
    signs: np.ndarray
    weights: np.ndarray
    tilt: np.ndarray
    tilt_b: float
    alpha: float
    lam: float
    fit_intercept: bool
    total_weight: float
    reach: np.ndarray


class Point(NamedTuple):
    """One (theta, b) with b at its minimiser, and what is known there; `gap` bounds F - F*."""

    theta: np.ndarray
    intercept: float
    margins: np.ndarray
    curvatures: np.ndarray
    objective: float
    gradient: np.ndarray
    gradient_b: float
    optimality: float
    gap: float

    def good_enough(self, tol):
        return self.optimality <= tol or (gap_counts(tol) and self.gap <= tol * tol * abs(self.objective))


@kernel(error_model="numpy", fastmath=REORDER)
def finish_gradient(gradient, theta, tilt, alpha, reach):
    """Add the penalty's and the tilt's part; (largest of |gradient| / reach, |gradient|^2)."""
    worst, squares = 0.0, 0.0
    for j in range(gradient.size):
        g = gradient[j] + tilt[j] + alpha * theta[j]
        gradient[j] = g
        squares += g * g
        if reach[j] > 0.0:
            worst = max(worst, abs(g) / reach[j])
    return worst, squares


def evaluate(problem, theta, intercept):
    """The `Point` at theta, with the best intercept near the given one."""
    p = problem
    margins = row_products(p.rows, theta, intercept, np.empty(p.rows.n_rows))
    margins *= p.signs
    if p.fit_intercept:
        intercept += centre_intercept(margins, p.signs, p.weights, p.lam, p.tilt_b, p.total_weight)
    slopes, curvatures = np.empty(margins.size), np.empty(margins.size)
    objective = weighted_terms(margins, p.weights, p.lam, slopes, curvatures)
    objective += dot(p.tilt, theta) + p.tilt_b * intercept + 0.5 * p.alpha * dot(theta, theta)
    scale = slope_scale(float(slopes.sum()), p.total_weight, p.lam)
    slopes *= p.signs
    gradient = column_products(p.rows, slopes, np.empty(theta.size))
    optimality, squares = finish_gradient(gradient, theta, p.tilt, p.alpha, p.reach)
    gradient_b = slopes.sum() + p.tilt_b if p.fit_intercept else 0.0
    if p.total_weight > 0.0:
        optimality = max(optimality, abs(gradient_b) / p.total_weight)
    optimality /= scale
    return Point(
        theta, intercept, margins, curvatures, objective, gradient, gradient_b, optimality, squares / (2.0 * p.alpha)
    )
