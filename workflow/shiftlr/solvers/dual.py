"""L2-penalised shifted logistic regression on large sparse data: dual coordinate descent, then Newton steps.

The penalty on the shifts is nothing but the box 0 <= a_i <= lam on the logistic dual, with

    theta(a) = (sum_i w_i s_i a_i x_i - tilt) / alpha.

A coordinate step solves a = min(lam, sigma(-(m + Q (a - a_before)))) with Q = w (|x|^2 / alpha + B), one row at a
time. A few sweeps, mostly over rows that still move, bring theta close; Newton steps (`trust_region`) do the rest.
The unpenalised intercept is the dual constraint sum_i w_i s_i a_i = tilt_b, held by a multiplier and the weight B.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.line_search import along, centre_intercept
from shiftlr.solvers.loss import exp_of_negative, threshold
from shiftlr.solvers.points import Problem, evaluate
from shiftlr.solvers.rows import BLOCKS, PreparedRows, column_products, prepare_rows
from shiftlr.solvers.storage import plain
from shiftlr.solvers.threads import share_out
from shiftlr.solvers.trust_region import polish

CYCLES = 2  # full sweeps, each followed by
INNER_SWEEPS = 1  # sweep over the rows that moved
SMALL = 300_000  # entries; larger matrices are swept in blocks
FIRST_THRESHOLD = 1e-3  # share of the duality gap, in units of one row at mean weight, below which a row may rest


@kernel(error_model="numpy")
def _sigma_of_negative(x):
    """sigma(-x) and sigma(x) sigma(-x)."""
    e = exp_of_negative(-abs(x))
    q = 1.0 / (1.0 + e)
    return (e * q if x > 0.0 else q), e * q * q


@kernel(error_model="numpy")
def best_dual(centre, q, x):
    """sigma(-x) at the root of x = centre + q sigma(-x): Newton's method in a bracket, started at x."""
    low, high = centre, centre + q
    for _ in range(60):
        a, curvature = _sigma_of_negative(x)
        residual = x - q * a - centre
        if residual > 0.0:
            high = x
        else:
            low = x
        x_next = x - residual / (1.0 + q * curvature)
        if not (x_next > low and x_next < high):
            x_next = 0.5 * (low + high)
        close = abs(x_next - x) < 1e-3  # Newton squares the error, so that 1e-6 is left
        x = x_next
        if close:
            break
    return _sigma_of_negative(x)[0]


@kernel(error_model="numpy")
def sweep(
    indptr,
    indices,
    values,
    squared_norms,
    signs,
    weights,
    theta,
    intercept,
    duals,
    alpha,
    lam,
    b_weight,
    order,
    rest_below,
):
    """One coordinate step for each row in `order`; rows that moved are packed at its front.

    A row rests if its part in the duality gap, about w (a* - a)^2 / (2 max(a*, a)), is at most `rest_below`.
    Returns (intercept, number of rows that moved, sum of those parts).
    """
    t = threshold(lam)
    end, parts = 0, 0.0
    for k in range(order.size):
        i = np.uint32(order[k])
        low, high = np.uint64(indptr[i]), np.uint64(indptr[i + np.uint32(1)])
        z = 0.0
        if values.size > 0:
            for q in range(low, high):
                z += values[q] * theta[np.uint32(indices[q])]
        else:
            for q in range(low, high):
                z += theta[np.uint32(indices[q])]
        margin = signs[i] * (z + intercept)
        a = duals[i]
        goal = min(lam, _sigma_of_negative(margin)[0])
        part = 0.5 * weights[i] * (goal - a) * (goal - a) / max(goal, a)
        parts += part
        if part > rest_below:
            curvature = weights[i] * (squared_norms[i] / alpha + b_weight)
            a_next = lam
            if margin + curvature * (lam - a) > t:
                a_next = min(lam, best_dual(margin - curvature * a, curvature, margin))
            duals[i] = a_next
            change = signs[i] * weights[i] * (a_next - a)
            intercept += b_weight * change
            change /= alpha
            if values.size > 0:
                for q in range(low, high):
                    theta[np.uint32(indices[q])] += values[q] * change
            else:
                for q in range(low, high):
                    theta[np.uint32(indices[q])] += change
            order[end] = i
            end += 1
    return intercept, end, parts


@kernel(error_model="numpy", nogil=True)
def sweep_blocks(
    first,
    last,
    indptr,
    indices,
    values,
    squared_norms,
    signs,
    weights,
    theta,
    intercept,
    duals,
    alpha,
    lam,
    b_weight,
    order,
    bounds,
    rest_below,
    n_sweeps,
    thetas,
    found,
):
    """A sweep over each of the blocks first..last, then others over the rows that moved, each block from `theta`.

    Fills thetas[block], and `found` with the intercept and the first sweep's sum of parts of the gap.
    """
    for block in range(first, last):
        thetas[block] = theta
        mine = order[bounds[block] : bounds[block + 1]].copy()
        found[block, 0], moved = intercept, mine.size
        for k in range(n_sweeps):
            found[block, 0], moved, parts = sweep(
                indptr,
                indices,
                values,
                squared_norms,
                signs,
                weights,
                thetas[block],
                found[block, 0],
                duals,
                alpha,
                lam,
                b_weight,
                mine[:moved],
                rest_below,
            )
            if k == 0:
                found[block, 1] = parts


def coordinate_start(problem):
    """(theta, intercept) after a few sweeps from a = 0, and the best objective with theta = 0.

    In large matrices each of BLOCKS blocks of rows is swept as if it were the whole, with its share of alpha, and the
    mean of their thetas is theta(a) for the duals of all of them. So blocks can be swept at the same time.
    """
    p, rows = problem, problem.rows
    lam = min(p.lam, 1.0)
    theta = p.tilt / -p.alpha
    duals = np.zeros(rows.n_rows)
    counted = np.flatnonzero(p.weights > 0.0).astype(np.int32)
    intercept, b_weight = 0.0, 0.0
    margins = np.zeros(rows.n_rows)
    if p.fit_intercept:
        intercept = centre_intercept(margins, p.signs, p.weights, p.lam, p.tilt_b, p.total_weight)
        # one row may move the intercept as much as a feature with 1 / 30 of its squared norm
        b_weight = max(rows.squared_norms.mean(), 1e-300) / (30.0 * p.alpha)
    objective_at_zero = along(margins, p.signs, 0.0, p.weights, p.lam)[0] + p.tilt_b * intercept
    rest_below = FIRST_THRESHOLD * p.total_weight / max(1, counted.size)
    n_blocks = BLOCKS if rows.indices.size > SMALL else 1
    bounds = np.searchsorted(counted, rows.blocks if n_blocks > 1 else [0, rows.n_rows])
    thetas, found = np.empty((n_blocks, theta.size)), np.empty((n_blocks, 2))
    matrix = rows.indptr, rows.indices, rows.values, rows.squared_norms, p.signs, p.weights
    for _ in range(CYCLES):
        prices = p.alpha / n_blocks, lam, b_weight * n_blocks
        rest = counted, bounds, rest_below, 1 + INNER_SWEEPS, thetas, found
        share_out(sweep_blocks, n_blocks, *matrix, theta, intercept, duals, *prices, *rest, worthwhile=n_blocks > 1)
        theta = thetas.mean(axis=0) if n_blocks > 1 else thetas[0].copy()
        intercept = float(found[:, 0].mean())
        rest_below = min(rest_below, 0.1 * float(found[:, 1].sum()) / max(1, counted.size))
        if p.fit_intercept:
            intercept += b_weight * (float((p.weights * p.signs * duals).sum()) - p.tilt_b)
    return theta, intercept, objective_at_zero


def _reach(rows, weights):
    """sum_i w_i |x_ij| for each column."""
    if rows.values.size == 0 and np.all(weights == 1.0):
        return rows.counts.astype(np.float64)
    return column_products(rows._replace(values=np.abs(rows.values)), weights, np.empty(rows.n_features))


def make_problem(rows, signs, weights, tilt, tilt_b, alpha, lam, fit_intercept):
    """A `Problem` on prepared rows; tilt None stands for zeros."""
    signs, weights = plain(signs, np.float64), plain(weights, np.float64)
    tilt = np.zeros(rows.n_features) if tilt is None else plain(tilt, np.float64)
    scratch = np.empty((BLOCKS, rows.n_features))
    total, prices = float(weights.sum()), (float(tilt_b), float(alpha), float(lam))
    return Problem(rows, signs, weights, tilt, *prices, bool(fit_intercept), total, _reach(rows, weights), scratch)


def solve_cold(problem, tol, max_iter):
    """(point, Newton steps) from nothing."""
    theta, intercept, objective_at_zero = coordinate_start(problem)
    point, damping = evaluate(problem, theta, intercept), 0.01
    if not point.objective < objective_at_zero:
        point, damping = evaluate(problem, np.zeros(theta.size), 0.0), 1.0
    return polish(problem, point, tol, max_iter, damping)


def solve_from(problem, theta, intercept, tol, max_iter):
    """(point, Newton steps) from a given start."""
    given = 0.0 if intercept is None or not problem.fit_intercept else float(intercept)
    return polish(problem, evaluate(problem, np.array(theta, np.float64), given), tol, max_iter, 0.01)


def l2_sparse(
    rows,
    signs,
    weights,
    tilt,
    tilt_b,
    alpha,
    lam,
    fit_intercept=True,
    coef0=None,
    intercept0=None,
    tol=1e-6,
    max_iter=200,
):
    """Minimise F with the penalty (alpha / 2) |theta|^2; `rows` is a `PreparedRows` or (indptr, indices, data, m).

    Stops when the optimality is <= tol or, for tol >= 1e-6, the duality gap <= tol^2 |F|, after max_iter Newton steps,
    or where rounding ends all progress. Returns (coef, intercept, objective, n_iter, optimality, gap).
    """
    if not isinstance(rows, PreparedRows):
        rows = prepare_rows(*rows)
    problem = make_problem(rows, signs, weights, tilt, tilt_b, alpha, lam, fit_intercept)
    if coef0 is None:
        point, steps = solve_cold(problem, tol, max_iter)
    else:
        point, steps = solve_from(problem, coef0, intercept0, tol, max_iter)
    return point.theta, point.intercept, point.objective, steps, point.optimality, point.gap
