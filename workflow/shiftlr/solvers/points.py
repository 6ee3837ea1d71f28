"""Points of a sparse L2 problem: the objective, its gradient, and how far they may be from the minimum."""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import dot
from shiftlr.solvers.line_search import centre_intercept
from shiftlr.solvers.loss import REORDER, slope_scale, weighted_terms
from shiftlr.solvers.rows import BLOCKS, PreparedRows, add_rows, row_products
from shiftlr.solvers.threads import share_out

DRIFT = 0.01  # share of tol that the rounding of updated margins may come to


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
    sums: np.ndarray  # (BLOCKS, n_features), scratch


class Point(NamedTuple):
    """One (theta, b) with b at its minimiser, and what is known there.

    `gap` bounds F - F*, and `drift` how far rounding has moved the margins from those of theta and b.
    """

    theta: np.ndarray
    intercept: float
    margins: np.ndarray
    curvatures: np.ndarray
    objective: float
    gradient: np.ndarray
    gradient_b: float
    optimality: float
    gap: float
    drift: float

    def good_enough(self, tol):
        return self.optimality <= tol or (gap_counts(tol) and self.gap <= tol * tol * abs(self.objective))


@kernel(error_model="numpy", nogil=True)
def terms_of_blocks(
    first, last, indptr, indices, values, blocks, margins, signs, weights, lam, curvatures, totals, sums
):
    """Losses, slopes and curvatures in the blocks first..last of rows, and X^T (signs slopes) for each block.

    `totals` gets a row for each block: the sums of the losses, of the slopes, and of signs times slopes.
    """
    for block in range(first, last):
        low, high = blocks[block], blocks[block + 1]
        slopes = np.empty(high - low)
        totals[block, 0] = weighted_terms(margins[low:high], weights[low:high], lam, slopes, curvatures[low:high])
        all_slopes, signed_slopes = 0.0, 0.0
        for i in range(slopes.size):
            all_slopes += slopes[i]
            slopes[i] *= signs[low + i]
            signed_slopes += slopes[i]
        totals[block, 1], totals[block, 2] = all_slopes, signed_slopes
        add_rows(indptr[low : high + 1], indices, values, slopes, 0, high - low, sums[block])


@kernel(error_model="numpy", fastmath=REORDER)
def finish_gradient(sums, theta, tilt, alpha, reach, gradient):
    """The gradient from the blocks' sums, the tilt and the penalty; (largest of |gradient| / reach, |gradient|^2)."""
    worst, squares = 0.0, 0.0
    first, second = sums[0], sums[1]
    for j in range(gradient.size):
        g = first[j] + second[j] + tilt[j] + alpha * theta[j]
        gradient[j] = g
        squares += g * g
        if abs(g) > worst * reach[j] and reach[j] > 0.0:  # seldom, so that there is hardly a division
            worst = abs(g) / reach[j]
    return worst, squares


def moved_margins(point, step, d_margins, error, tol):
    """(margins after a step, their drift), or (None, 0) if they should be computed anew.

    `error` bounds how far `d_margins` may be off.
    """
    rounding = abs(step) * np.abs(d_margins).max(initial=0.0) + np.abs(point.margins).max(initial=0.0)
    drift = point.drift + abs(step) * error + np.finfo(float).eps * rounding
    return (point.margins + step * d_margins, drift) if drift <= DRIFT * tol else (None, 0.0)


def evaluate(problem, theta, intercept, margins=None, drift=0.0):
    """The `Point` at theta, with the best intercept near the given one; `margins` are those there, if known."""
    p, rows = problem, problem.rows
    if margins is None:
        margins = row_products(rows, theta, intercept, np.empty(rows.n_rows))
        margins *= p.signs
    if p.fit_intercept:
        intercept += centre_intercept(margins, p.signs, p.weights, p.lam, p.tilt_b, p.total_weight)
    curvatures, totals = np.empty(margins.size), np.empty((BLOCKS, 3))
    given = rows.indptr, rows.indices, rows.values, rows.blocks, margins, p.signs, p.weights, p.lam
    share_out(terms_of_blocks, BLOCKS, *given, curvatures, totals, p.sums, worthwhile=rows.worth_sharing)
    loss, slopes, signed_slopes = (float(total) for total in totals.sum(axis=0))
    objective = loss + dot(p.tilt, theta) + p.tilt_b * intercept + 0.5 * p.alpha * dot(theta, theta)
    gradient = np.empty(theta.size)
    optimality, squares = finish_gradient(p.sums, theta, p.tilt, p.alpha, p.reach, gradient)
    gradient_b = signed_slopes + p.tilt_b if p.fit_intercept else 0.0
    if p.total_weight > 0.0:
        optimality = max(optimality, abs(gradient_b) / p.total_weight)
    optimality /= slope_scale(slopes, p.total_weight, p.lam)
    gap = squares / (2.0 * p.alpha)
    return Point(theta, intercept, margins, curvatures, objective, gradient, gradient_b, optimality, gap, drift)
