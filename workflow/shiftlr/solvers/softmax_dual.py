"""A start for sparse problems of more than two classes with L2: coordinate ascent in the dual, a block for each row.

The weights that minimise  sum_i w_i loss_i(x_i theta + b) + (alpha / 2) ||theta||^2  are  -sum_i w_i x_i' r_i / alpha,
with the residuals r_i = q_i - e_y. A step finds the best residual of one row while the others stay. With k = w_i
||x_i||^2 / alpha and v the row's scores without its own part in theta, it solves  r = gradient of loss_i(v - k r): the
equation of a group's shift with kappa = k (`group_shift.py`). Shifts bound the residual:

LABEL   where q_y would be below 1 - lam it is 1 - lam, and the other q_c share lam.
GROUP   where r would be longer than lam, kappa grows until it is not.

An intercept counts as one more column, of which the penalty pulls it not to 0 but to where it was before the sweep
(the method of multipliers): so it ends where nothing pulls. Rows that hardly move are left out of most sweeps.
"""

import math

import numpy as np
from scipy.special import entr

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.group_shift import group_terms
from shiftlr.solvers.softmax_loss import LABEL, hessian_entries, softmax_terms
from shiftlr.solvers.softmax_newton import is_good, least_gain
from shiftlr.solvers.softmax_objective import FAR
from shiftlr.solvers.softmax_rows import SparseRows, inner

_LIFT = 4.0  # the square of the value of the intercept's column
_ROUNDS, _CLOSE = 30, 1e-6  # of Newton's method for one row, and how near it comes; all is scaled to be feasible
_ALL = 6  # every so many sweeps take all rows
_RESTING = 1.0  # of the mean change: rows that changed less are left out of the other sweeps
_SWEEPS = 400  # at most
_FIRST_LOOK, _LOOKS = 12.0, 1.25  # sweeps before the point is looked at, and by how much more before the next time
_BALANCING, _BALANCED = 10, 1e-13  # steps for the intercepts, and how far they go
_NO_GAIN, _PATIENCE = 0.9, 3  # of the least gap before: the third look in a row that finds more is the last


@kernel(error_model="numpy", inline="always")
def _omega(x):
    """The solution w of w + log(w) = x to about 1e-8, in half the time of `group_shift.omega`."""
    if x < -15.0:
        return math.exp(max(x, -740.0))
    if x < 1.0:
        w = math.exp(x if x < -2.0 else 2.0 * (x - 1.0) / 3.0)
    else:
        w = x - math.log(x) + math.log(x) / x
    for _ in range(3):
        rest = x - w - math.log(w)
        one = 1.0 + w
        twice = 2.0 * one * (one + 2.0 * rest / 3.0)
        w *= 1.0 + rest / one * (twice - rest) / (twice - 2.0 * rest)
        if abs(rest) <= 0.01:
            break
    return w


@kernel(error_model="numpy")
def _share_out(scores, label, pull, without, k, total, nu, q):
    """q_c = omega(log(k) + v_c + pull [c = label] - nu) / k that sum to `total`, without class `without`. Returns nu.

    The search begins at nu; the sum is convex and falls with nu.
    """
    most = -np.inf
    for c in range(scores.size):
        if c != without:
            most = max(most, scores[c] + (pull if c == label else 0.0))
    log_k = math.log(k)
    nu = max(nu, most - k * total - math.log(total))  # there the largest alone makes up the total
    found = 0.0
    for _ in range(_ROUNDS):
        found, bent = 0.0, 0.0
        for c in range(scores.size):
            if c != without:
                own = _omega(log_k + scores[c] + (pull if c == label else 0.0) - nu)
                q[c] = own / k
                found += q[c]
                bent += q[c] / (1.0 + own)
        if abs(found - total) <= _CLOSE * total:
            break
        nu += (found - total) / bent
    for c in range(scores.size):
        if c != without:
            q[c] *= total / found
    return nu


@kernel(error_model="numpy")
def _best_residual(kind, scores, label, k, lam, nu, row):
    """Fill `row` with the residual that solves the row's problem; `scores` are without its own part. Returns nu."""
    nu = _share_out(scores, label, k, -1, k, 1.0, nu, row)
    if kind == LABEL:
        if 1.0 - row[label] > lam:
            _share_out(scores, label, k, label, k, lam, -np.inf, row)
            row[label] = 1.0 - lam
        row[label] -= 1.0
        return nu
    square = 0.0
    for c in range(row.size):
        row[c] -= 1.0 if c == label else 0.0
        square += row[c] * row[c]
    if square > lam * lam:
        group_terms(scores, label, lam, k, row)
    return nu


@kernel(error_model="numpy")
def sweep(
    kind, data, indices, indptr, codes, weights, alpha, lam, lift, order, floor, norms, residuals, nus, moves, theta, b
):
    """One step for each row in the given order that moved by more than `floor`; theta, b and the residuals follow.

    `lift` is what the square of the intercept's column is, 0 without one. Returns the mean move of the rows.
    """
    n_classes = residuals.shape[1]
    scores, row = np.empty(n_classes), np.empty(n_classes)
    total = 0.0
    for place in range(order.size):
        i = order[place]
        k = weights[i] * (norms[i] + lift) / alpha
        if moves[i] < floor or not k > 0.0:
            continue
        first, last = indptr[i], indptr[i + 1]
        for c in range(n_classes):
            scores[c] = b[c]
        for p in range(first, last):
            value, own = data[p], theta[indices[p]]
            for c in range(n_classes):
                scores[c] += value * own[c]
        old = residuals[i]
        for c in range(n_classes):
            scores[c] += k * old[c]
        nus[i] = _best_residual(kind, scores, codes[i], k, lam, nus[i], row)
        largest = 0.0
        for c in range(n_classes):
            change = row[c] - old[c]
            old[c] = row[c]
            largest = max(largest, abs(change))
            row[c] = -weights[i] * change / alpha
        moves[i] = largest
        total += largest
        for c in range(n_classes):
            b[c] += lift * row[c]
        for p in range(first, last):
            value, own = data[p], theta[indices[p]]
            for c in range(n_classes):
                own[c] += value * row[c]
    return total / max(order.size, 1)


def takes_dual(objective):
    """Whether the features are sparse, all weights have the same penalty, and labels are hard."""
    ridge = objective.ridge[: objective.rows.n_columns]
    is_even = ridge.size > 0 and ridge[0] > 0.0 and bool(np.all(ridge == ridge[0]))
    return isinstance(objective.rows, SparseRows) and is_even and objective.tilt is None


def dual_start(objective, theta, tol):
    """(weights, bound of what is left to gain), from sweeps that go on until that is little, or falls no more.

    `theta` is all 0, and the objective one that `takes_dual`.
    """
    rows, fit_intercept = objective.rows, objective.rows.fit_intercept
    n, n_classes = rows.n_rows, theta.shape[1]
    alpha, lift = float(objective.ridge[0]), _LIFT if fit_intercept else 0.0
    norms = np.bincount(np.repeat(np.arange(n), np.diff(rows.indptr)), rows.data**2, minlength=n)
    b = np.zeros(n_classes)
    residuals, nus, moves = np.zeros((n, n_classes)), np.full(n, -np.inf), np.full(n, np.inf)
    # Frequent columns side by side stay in the cache.
    order = np.argsort(-np.bincount(rows.indices, minlength=rows.n_columns), kind="stable")
    places = np.empty(rows.n_columns, rows.indices.dtype)
    places[order] = np.arange(rows.n_columns)
    weights = np.zeros((rows.n_columns, n_classes))
    given = objective.kind, rows.data, places[rows.indices], rows.indptr, objective.codes, objective.weights
    random, mean, look, best = np.random.default_rng(0), 0.0, _FIRST_LOOK, np.inf
    stale = 0
    for k in range(_SWEEPS):
        rows_in_order, floor = random.permutation(n), 0.0 if k % _ALL == 0 else _RESTING * mean
        moved = norms, residuals, nus, moves, weights, b
        mean = sweep(*given, alpha, objective.lam, lift, rows_in_order, floor, *moved)
        b -= lift / alpha * (objective.weights @ residuals)
        if k + 1 < look:
            continue
        look *= _LOOKS
        theta[: rows.n_columns] = weights[places]
        if fit_intercept:
            theta[-1] = b
        point = _balanced_point(objective, theta)
        gap = point.value - _dual_value(objective, residuals, weights, alpha, point.theta[rows.n_columns :])
        stale = 0 if gap < _NO_GAIN * best else stale + 1
        best = min(gap, best)
        if gap <= least_gain(tol) * point.value or is_good(objective, point, tol) or stale == _PATIENCE:
            break
    at_zero = objective.at(np.zeros_like(theta))
    return (point.theta, gap) if point.value < at_zero.value else (at_zero.theta, np.inf)


def _dual_value(objective, residuals, weights, alpha, intercepts):
    """A bound of the minimum from below: the entropies of q less the penalty of the weights that go with q - e_y.

    With intercepts (a row of them, or none) the residuals have to sum to 0; by how much they do not counts against it.
    """
    chances = residuals.copy()
    chances[np.arange(len(chances)), objective.codes] += 1.0
    value = objective.weights @ entr(np.maximum(chances, 0.0)).sum(axis=1) - 0.5 * alpha * inner(weights, weights)
    sums = objective.weights @ residuals
    return value + sum(sums @ row - FAR * np.abs(sums).sum() for row in intercepts)


def _balanced_point(objective, theta):
    """The point theta with the best intercepts, by Newton's method."""
    rows, n_classes = objective.rows, theta.shape[1]
    scores, theta = rows.scores(theta), theta.copy()
    residuals, states, entries = np.empty_like(scores), np.zeros(len(scores)), np.empty(len(scores))
    hessian, lowest = np.empty((n_classes, n_classes)), np.inf
    for _ in range(_BALANCING if rows.fit_intercept else 0):
        given = objective.codes, objective.weights
        loss, _ = softmax_terms(objective.kind, scores, *given, objective.lam, residuals, states)
        pull = residuals.sum(axis=0)
        if not loss < lowest or np.abs(pull).max() <= _BALANCED * objective.total_weight:
            break
        lowest = loss
        for c in range(n_classes):
            for d in range(c + 1):
                hessian_entries(residuals, states, *reversed(given), c, d, entries)
                hessian[c, d] = hessian[d, c] = entries.sum()
        step = np.linalg.lstsq(hessian, -pull, rcond=1e-12)[0]
        scores += step
        theta[-1] += step
    return objective.at(theta, scores)
