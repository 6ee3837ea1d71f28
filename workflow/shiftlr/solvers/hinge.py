"""Soft-margin SVM with an unpenalised intercept: Newton for few columns, dual coordinate descent for many sparse ones.

Primal:  1/2 ||theta||^2 + sum_i U_i max(0, 1 - s_i (x_i.theta + b)),  U_i = C w_i
Dual:    max  sum_i a_i - 1/2 ||theta(a)||^2,  theta(a) = sum_i s_i a_i x_i,  0 <= a_i <= U_i,  sum_i s_i a_i = 0

Few columns: Newton on a hinge rounded off over a width that shrinks, then a step to width 0 (`hinge_columns`).
Many sparse columns: coordinate descent (`hinge_rows`) keeps the intercept near a centre by a quadratic term of width
`reach` (a proximal step, repeated from where it ends), which replaces the equality constraint. It finds the bounds
quickly and the last digits slowly, so every few sweeps the multipliers strictly between their bounds are solved for
exactly. In both, the duality gap, with the multipliers scaled to meet the constraint and b minimised exactly, certifies
the result. Sparse rows are CSR: (indptr, indices, data).
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import column_dot
from shiftlr.solvers.dense import cholesky, dot, solve_cholesky
from shiftlr.solvers.newton import HINGE, combine_columns, newton_point
from shiftlr.solvers.rows import NO_VALUES, squares_along

_MOST_FREE = 600  # multipliers strictly between their bounds that the active-set step will take on
_SHRINK = 0.2  # of the width of the rounded-off hinge, from one stage to the next
_EXACT = 1e-13  # relative duality gap that only the exact solution has
_BOUND = 1e-12  # of U_i: closer than this is at the bound


@kernel(error_model="numpy")
def row_dot(indptr, indices, data, i, theta):
    total = 0.0
    for p in range(indptr[i], indptr[i + 1]):
        total += data[p] * theta[indices[p]]
    return total


@kernel(error_model="numpy")
def add_row(indptr, indices, data, i, factor, theta):
    for p in range(indptr[i], indptr[i + 1]):
        theta[indices[p]] += factor * data[p]


@kernel(error_model="numpy")
def shuffle(order, state):
    """Permute `order` by a generator of our own (xorshift); returns its new state."""
    for k in range(order.size - 1, 0, -1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        j = np.int64(state % np.uint64(k + 1))
        order[k], order[j] = order[j], order[k]
    return state


@kernel(error_model="numpy")
def sweep(indptr, indices, data, signs, upper, norms, order, theta, multipliers, intercept, reach, state):
    """One pass of dual coordinate descent in random order; returns (intercept, generator state)."""
    state = shuffle(order, state)
    for i in order:
        curvature = norms[i] + reach
        if curvature == 0.0:  # a row of zeros without an intercept: its margin stays at 0
            multipliers[i] = upper[i]
            continue
        margin = signs[i] * (row_dot(indptr, indices, data, i, theta) + intercept)
        old = multipliers[i]
        new = min(max(old + (1.0 - margin) / curvature, 0.0), upper[i])
        if new != old:
            multipliers[i] = new
            add_row(indptr, indices, data, i, (new - old) * signs[i], theta)
            intercept += reach * (new - old) * signs[i]
    return intercept, state


@kernel(error_model="numpy")
def balance(signs, multipliers):
    """Scale down the heavier class so that sum_i s_i a_i = 0."""
    positive = multipliers[signs > 0.0].sum()
    negative = multipliers[signs < 0.0].sum()
    for i in range(signs.size):
        if signs[i] > 0.0 and positive > negative:
            multipliers[i] *= negative / positive
        elif signs[i] < 0.0 and negative > positive:
            multipliers[i] *= positive / negative


@kernel(error_model="numpy")
def combine(indptr, indices, data, signs, multipliers, theta):
    """theta = sum_i s_i a_i x_i."""
    theta[:] = 0.0
    for i in range(signs.size):
        if multipliers[i] != 0.0:
            add_row(indptr, indices, data, i, signs[i] * multipliers[i], theta)


@kernel(error_model="numpy")
def best_intercept(scores, signs, upper):
    """The b that minimises sum_i U_i max(0, 1 - s_i (score_i + b)); the middle of them if there are many.

    The sum is piecewise linear: its slope begins at minus the positives' U_i and grows by U_i at s_i - score_i.
    """
    kinks = signs - scores
    order = np.argsort(kinks)
    slope = -upper[signs > 0.0].sum()
    flat = 1e-12 * upper.sum()
    for k in range(order.size):
        slope += upper[order[k]]
        if abs(slope) <= flat:
            later = k + 1
            while later < order.size - 1 and upper[order[later]] == 0.0:
                later += 1
            return 0.5 * (kinks[order[k]] + kinks[order[min(later, order.size - 1)]])
        if slope > 0.0:
            return kinks[order[k]]
    return 0.0


@kernel(error_model="numpy")
def certify(indptr, indices, data, signs, upper, multipliers, fit_intercept, theta, scores):
    """(primal value, duality gap, intercept) for multipliers that meet the constraint; fills theta and scores."""
    combine(indptr, indices, data, signs, multipliers, theta)
    for i in range(signs.size):
        scores[i] = row_dot(indptr, indices, data, i, theta)
    intercept = best_intercept(scores, signs, upper) if fit_intercept else 0.0
    half_norm = 0.5 * np.sum(theta * theta)
    losses = 0.0
    for i in range(signs.size):
        losses += upper[i] * max(0.0, 1.0 - signs[i] * (scores[i] + intercept))
    primal = half_norm + losses
    return primal, primal - (multipliers.sum() - half_norm), intercept


@kernel(error_model="numpy")
def free_system(indptr, indices, data, signs, free, size, width):
    """Gram matrix of the free rows, s_i s_j x_i.x_j, by spreading one row at a time; lower triangle."""
    gram = np.zeros((size, size))
    spread = np.zeros(width)
    for a in range(size):
        i = free[a]
        add_row(indptr, indices, data, i, signs[i], spread)
        for c in range(a, size):
            j = free[c]
            gram[c, a] = signs[j] * row_dot(indptr, indices, data, j, spread)
        for p in range(indptr[i], indptr[i + 1]):
            spread[indices[p]] = 0.0
    return gram


@kernel(error_model="numpy")
def newton_on_free(indptr, indices, data, n_features, signs, free, size, scores, fit_intercept):
    """The change of the free multipliers that puts their margins at 1 and leaves sum_i s_i a_i as it is."""
    gram = free_system(indptr, indices, data, signs, free, size, n_features)
    trace = 0.0
    for a in range(size):
        trace += gram[a, a]
    factor = np.empty((size, size))
    added = 1e-12 * max(trace / size, 1e-300)
    while added < np.inf and not cholesky(gram, added, 0.0, factor):
        added *= 100.0
    ones, slack = np.empty(size), np.empty(size)
    for a in range(size):
        ones[a] = signs[free[a]]
        slack[a] = 1.0 - signs[free[a]] * scores[free[a]]
    by_slack, by_sign = slack, ones.copy()
    solve_cholesky(factor, size, by_slack)
    if not fit_intercept:
        return by_slack
    solve_cholesky(factor, size, by_sign)
    intercept = np.sum(ones * by_slack) / np.sum(ones * by_sign)
    return by_slack - intercept * by_sign


@kernel(error_model="numpy")
def settle(indptr, indices, data, n_features, signs, upper, multipliers, fit_intercept, scores):
    """Multipliers with the free ones solved for exactly, if their bounds allow it; else the ones given."""
    n = signs.size
    free = np.empty(n, np.int64)
    size = 0
    for i in range(n):
        if _BOUND * upper[i] < multipliers[i] < (1.0 - _BOUND) * upper[i]:
            free[size] = i
            size += 1
    settled = multipliers.copy()
    if 0 < size <= _MOST_FREE:
        change = newton_on_free(indptr, indices, data, n_features, signs, free, size, scores, fit_intercept)
        for a in range(size):
            i = free[a]
            settled[i] = min(max(settled[i] + change[a], 0.0), upper[i])
        if fit_intercept:
            balance(signs, settled)
    return settled


@kernel(error_model="numpy")
def hinge_rows(indptr, indices, data, n_features, signs, upper, fit_intercept, start, tol, max_iter):
    """Sparse rows: dual coordinate descent. `start` holds multipliers (zeros for a cold start).

    Returns (theta, intercept, multipliers, objective, sweeps, duality gap). Stops when the gap is at most tol times
    the objective, or after max_iter sweeps.
    """
    n = signs.size
    norms = squares_along(indptr, data, NO_VALUES, indices)
    reach = max(norms.mean(), 1e-300) if fit_intercept else 0.0
    multipliers = np.minimum(np.maximum(start, 0.0), upper)
    theta, trial, scores = np.zeros(n_features), np.empty(n_features), np.empty(n)
    combine(indptr, indices, data, signs, multipliers, theta)
    order = np.arange(n)
    state = np.uint64(88172645463325252)
    intercept, best_intercept_found = 0.0, 0.0
    best_theta, best_multipliers = theta.copy(), multipliers.copy()
    best_primal, best_gap = 0.0, np.inf
    done, round_size = 0, 4
    while done < max_iter and not best_gap <= tol * best_primal:
        for _ in range(min(round_size, max_iter - done)):
            intercept, state = sweep(
                indptr, indices, data, signs, upper, norms, order, theta, multipliers, intercept, reach, state
            )
            intercept += reach * dot(signs, multipliers)  # the next centre is where this sweep ended
            done += 1
        round_size = min(2 * round_size, 512)
        candidate = multipliers.copy()
        if fit_intercept:
            balance(signs, candidate)
        for _ in range(3):
            primal, gap, b = certify(indptr, indices, data, signs, upper, candidate, fit_intercept, trial, scores)
            if not gap < best_gap:
                break
            best_theta[:], best_multipliers[:], best_intercept_found = trial, candidate, b
            best_primal, best_gap = primal, gap
            candidate = settle(indptr, indices, data, n_features, signs, upper, candidate, fit_intercept, scores)
    return best_theta, best_intercept_found, best_multipliers, best_primal, done, best_gap


@kernel(error_model="numpy")
def certify_columns(signed, signs, upper, ridge, theta, multipliers):
    """(primal value, duality gap) of a pair; the multipliers are first balanced and the intercept minimised exactly."""
    n_penalised = np.count_nonzero(ridge)
    margins = np.empty(signs.size)
    if n_penalised < theta.size:
        balance(signs, multipliers)
        theta[-1] = 0.0
        combine_columns(signed, theta, margins)
        theta[-1] = best_intercept(signs * margins, signs, upper)
    combine_columns(signed, theta, margins)
    losses, norm, dual_norm = 0.0, 0.0, 0.0
    for i in range(margins.size):
        losses += upper[i] * max(0.0, 1.0 - margins[i])
    for j in range(n_penalised):
        norm += ridge[j] * theta[j] ** 2
        dual_norm += column_dot(signed, j, multipliers) ** 2 / ridge[j]
    primal = 0.5 * norm + losses
    return primal, primal - (multipliers.sum() - 0.5 * dual_norm)


@kernel(error_model="numpy")
def hinge_columns(signed, signs, upper, ridge, start, tol, max_iter):
    """Columns times the signs (an intercept last, with ridge 0), as in `newton.py`: Newton on the rounded-off hinge.

    The width of the rounding is shrunk, each time from the solution before. Once the same examples lie within it, theta
    and the multipliers are straight lines in the width, so two widths give the hinge's own solution at width 0 exactly.
    Stops when the duality gap is at most tol times the objective and a smaller width no longer makes it smaller.
    Returns (theta, multipliers, objective, iterations, duality gap).
    """
    theta, tilt = start.copy(), np.zeros(start.size)
    margins, multipliers = np.empty(signs.size), np.zeros(signs.size)
    best_theta, best_multipliers = theta.copy(), np.zeros(signs.size)
    best_primal, best_gap = 0.0, np.inf
    iterations, width, improving = 0, 1.0, True
    while iterations < max_iter and width > 1e-12 and (improving or best_gap > tol * best_primal):
        before_theta, before_multipliers = theta.copy(), multipliers.copy()
        combine_columns(signed, theta, margins)
        _, used, _ = newton_point(
            HINGE, signed, upper, tilt, ridge, width, theta, margins, 1e-13, max_iter - iterations
        )
        iterations += max(used, 1)
        multipliers = upper * np.minimum(np.maximum((1.0 - margins) / width, 0.0), 1.0)
        to_zero = _SHRINK / (1.0 - _SHRINK) if width < 1.0 else 0.0
        trial = theta + to_zero * (theta - before_theta)
        trial_multipliers = multipliers + to_zero * (multipliers - before_multipliers)
        trial_multipliers = np.minimum(np.maximum(trial_multipliers, 0.0), upper)
        primal, gap = certify_columns(signed, signs, upper, ridge, trial, trial_multipliers)
        improving = _EXACT * primal < gap < 0.5 * best_gap
        if gap < best_gap:
            best_theta, best_multipliers, best_primal, best_gap = trial, trial_multipliers, primal, gap
        width *= _SHRINK
    return best_theta, best_multipliers, best_primal, iterations, best_gap
