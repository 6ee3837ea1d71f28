"""L2-penalised shifted logistic regression on large sparse data: dual coordinate descent, then Newton steps.

The penalty on the shifts is nothing but the box 0 <= a_i <= lam on the logistic dual, with

    theta(a) = (sum_i w_i s_i a_i x_i - tilt) / alpha.

A coordinate step solves a = min(lam, sigma(-(m + Q (a - a_before)))) with Q = w (|x|^2 / alpha + B), one row at a
time. A few sweeps, mostly over rows that still move, bring theta close; Newton steps (`trust_region`) do the rest.
The unpenalised intercept is the dual constraint sum_i w_i s_i a_i = tilt_b, held by a multiplier and the weight B.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.loss import exp_of_negative, threshold
from shiftlr.solvers.rows import PreparedRows, Problem, along, centre_intercept, evaluate, prepare_rows, products
from shiftlr.solvers.storage import plain
from shiftlr.solvers.trust_region import polish

CYCLES = 2  # full sweeps, each followed by
INNER_SWEEPS = 2  # sweeps over the rows that moved
FIRST_THRESHOLD = 1e-3  # share of the duality gap, in units of one row at mean weight, below which a row may rest


@kernel(error_model="numpy", inline="always")
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


def coordinate_start(problem):
    """(theta, intercept) after a few sweeps from a = 0, and the best objective with theta = 0."""
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
    for _ in range(CYCLES):
        order, moved, first_parts = counted.copy(), counted.size, 0.0
        for inner in range(1 + INNER_SWEEPS):
            intercept, moved, parts = sweep(
                rows.indptr,
                rows.indices,
                rows.values,
                rows.squared_norms,
                p.signs,
                p.weights,
                theta,
                intercept,
                duals,
                p.alpha,
                lam,
                b_weight,
                order[:moved],
                rest_below,
            )
            first_parts = parts if inner == 0 else first_parts
        rest_below = min(rest_below, 0.1 * first_parts / max(1, counted.size))
        if p.fit_intercept:
            intercept += b_weight * (float((p.weights * p.signs * duals).sum()) - p.tilt_b)
    return theta, intercept, objective_at_zero


def _reach(rows, weights):
    """sum_i w_i |x_ij| for each column."""
    if rows.values.size == 0 and np.all(weights == 1.0):
        return np.diff(rows.column_starts).astype(np.float64)
    reach = np.empty(rows.n_features)
    products(rows.column_starts, rows.column_rows, np.abs(rows.column_values), weights, 0.0, rows.column_chunks, reach)
    return reach


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
    signs, weights = plain(signs, np.float64), plain(weights, np.float64)
    tilt = np.zeros(rows.n_features) if tilt is None else plain(tilt, np.float64)
    problem = Problem(
        rows,
        signs,
        weights,
        tilt,
        float(tilt_b),
        float(alpha),
        float(lam),
        bool(fit_intercept),
        float(weights.sum()),
        _reach(rows, weights),
    )
    if coef0 is None:
        theta, intercept, objective_at_zero = coordinate_start(problem)
        point, damping = evaluate(problem, theta, intercept), 0.01
        if not point.objective < objective_at_zero:
            point, damping = evaluate(problem, np.zeros(rows.n_features), 0.0), 1.0
    else:
        given = 0.0 if intercept0 is None or not fit_intercept else float(intercept0)
        point = evaluate(problem, np.array(coef0, np.float64), given)
        damping = 0.01
    point, steps = polish(problem, point, tol, max_iter, damping)
    return point.theta, point.intercept, point.objective, steps, point.optimality, point.gap
