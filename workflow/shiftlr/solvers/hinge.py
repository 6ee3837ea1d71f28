"""Soft-margin SVM with an unpenalised intercept.

Primal:  1/2 ||theta||^2 + sum_i U_i max(0, 1 - s_i (x_i.theta + b)),  U_i = C w_i
Dual:    max  sum_i a_i - 1/2 ||theta(a)||^2,  theta(a) = sum_i s_i a_i x_i,  0 <= a_i <= U_i,  sum_i s_i a_i = 0

In rounds, each on a working set of examples: those whose multipliers may still have to change. Coordinate descent
(`hinge_descent.py`) comes first, Newton (`hinge_newton.py`) or, with many features, conjugate gradients
(`hinge_face.py`) last. After each round all examples are looked at: the duality gap, with the multipliers made to meet
the constraint and b minimised exactly, tells how good the result is.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import dot
from shiftlr.solvers.feature_rows import add_row, row_dot, squared_norm, take_rows
from shiftlr.solvers.hinge_descent import descend, shuffle
from shiftlr.solvers.hinge_face import climb_face
from shiftlr.solvers.hinge_newton import sharpen

__all__ = ["hinge_fit", "hinge_rows", "shuffle"]

_SWEEPS = 10  # of coordinate descent in the first rounds; then twice as many each time,
_MOST_SWEEPS = 50  # up to these
_MANY = 4000  # examples, from which on a part of them is fitted first
_PART = 8  # every so many-th
_TALL = 20  # examples for each feature, from which on a part tells theta, and margins tell multipliers
_NEWTON_FEATURES = 600  # up to here theta is found by Newton
_WIDE = 2  # features for each example, from which on only the span of the examples counts
_STIFFNESS = 1000.0  # how strongly many free multipliers hold the intercept while others change
_CLIMB_FROM = 0.002  # relative gap, from which on conjugate gradients follow coordinate descent;
_CLIMB_STEPS = 100  # at most so many steps of them,
_CLIMB_CLOSENESS = 0.01  # until the residual has fallen to this
_PATIENCE = 5  # rounds without a better gap: only rounding is left
_EXACT = 1e-15  # relative duality gap that nothing can better
_STATE = np.uint64(88172645463325252)  # of the generator of orders


@kernel(error_model="numpy")
def balance(signs, upper, multipliers):
    """Make sum_i s_i a_i = 0: by those strictly between their bounds, else by scaling down the heavier class."""
    excess = dot(signs, multipliers)
    room = 0.0
    for i in range(signs.size):
        if 0.0 < multipliers[i] < upper[i]:
            room += multipliers[i] if signs[i] * excess > 0.0 else upper[i] - multipliers[i]
    if room > 2.0 * abs(excess):
        share = abs(excess) / room
        for i in range(signs.size):
            if 0.0 < multipliers[i] < upper[i]:
                multipliers[i] += share * ((0.0 if signs[i] * excess > 0.0 else upper[i]) - multipliers[i])
        return
    positive, negative = 0.0, 0.0
    for i in range(signs.size):
        if signs[i] > 0.0:
            positive += multipliers[i]
        else:
            negative += multipliers[i]
    for i in range(signs.size):
        if signs[i] > 0.0 and positive > negative:
            multipliers[i] *= negative / positive
        elif signs[i] < 0.0 and negative > positive:
            multipliers[i] *= positive / negative


@kernel(error_model="numpy")
def best_intercept(scores, signs, upper, near):
    """The b that minimises sum_i U_i max(0, 1 - s_i (score_i + b)); the middle of them if there are many.

    The sum is piecewise linear: its slope begins at minus the positives' U_i and grows by U_i at s_i - score_i. Only
    kinks in a range around `near`, where the slope passes 0, are sorted.
    """
    kinks = signs - scores
    flat = 1e-12 * upper.sum()
    width = 0.01
    while True:
        low, high = near - width, near + width
        below, above, count = 0.0, 0.0, 0
        for i in range(signs.size):
            if signs[i] > 0.0:
                below -= upper[i]
                above -= upper[i]
            if kinks[i] < low:
                below += upper[i]
            if kinks[i] <= high:
                above += upper[i]
                count += kinks[i] >= low and upper[i] > 0.0
        if (below < -flat and above > flat) or not width < 1e300:
            break
        width *= 8.0
    inside, prices = np.empty(count), np.empty(count)
    place = 0
    for i in range(signs.size):
        if low <= kinks[i] <= high and upper[i] > 0.0:
            inside[place], prices[place] = kinks[i], upper[i]
            place += 1
    order = np.argsort(inside)
    slope = below
    for k in range(count):
        slope += prices[order[k]]
        if abs(slope) <= flat:
            return 0.5 * (inside[order[k]] + inside[order[min(k + 1, count - 1)]])
        if slope > 0.0:
            return inside[order[k]]
    return near


@kernel(error_model="numpy")
def combine(rows, signs, multipliers, theta):
    """theta = sum_i s_i a_i x_i."""
    theta[:] = 0.0
    for i in range(signs.size):
        if multipliers[i] != 0.0:
            add_row(rows, i, signs[i] * multipliers[i], theta)


@kernel(error_model="numpy")
def row_norms(rows, norms):
    """Fill the squared norm of each row."""
    for i in range(norms.size):
        norms[i] = squared_norm(rows, i)


@kernel(error_model="numpy")
def fill_scores(rows, theta, scores):
    for i in range(scores.size):
        scores[i] = row_dot(rows, i, theta)


def certify(rows, signs, upper, multipliers, fit_intercept, near, theta, scores):
    """(primal value, dual value, intercept) of multipliers that meet the constraint; fills theta and scores."""
    combine(rows, signs, multipliers, theta)
    fill_scores(rows, theta, scores)
    intercept = best_intercept(scores, signs, upper, near) if fit_intercept else 0.0
    half_norm = 0.5 * dot(theta, theta)
    losses = dot(upper, np.maximum(0.0, 1.0 - signs * (scores + intercept)))
    return half_norm + losses, float(multipliers.sum()) - half_norm, intercept


def nearest(margins, count):
    """About how far from 1 so many margins lie at most, judged by a sample."""
    every = max(1, margins.size // 4096)
    distances = np.abs(margins[::every] - 1.0)
    place = min(count // every, distances.size - 1)
    return np.partition(distances, place)[place]


def working_set(signs, upper, multipliers, scores, intercept, count):
    """Examples whose multipliers should change, and about `count` whose margins lie nearest to 1; all, if most are."""
    margins = signs * (scores + intercept)
    over = margins - 1.0
    chosen = ((over < 0.0) & (multipliers < upper)) | ((over > 0.0) & (multipliers > 0.0))
    if count > 0:
        band = nearest(margins, count) if count < signs.size else np.inf
        chosen |= (np.abs(over) <= band) & (upper > 0.0)
    numbers = np.flatnonzero(chosen)
    return numbers if 0 < 2 * numbers.size <= signs.size else np.arange(signs.size)


def solve(rows, signs, upper, norms, reach, theta, point, multipliers, intercept, by_newton, tol, max_iter):
    """Rounds from the multipliers given, with theta = theta(a), to a gap of at most tol times the objective.

    `by_newton` tells to begin with Newton, at `point`. Returns (theta, intercept, multipliers, primal value,
    iterations, duality gap, multipliers that make this theta).
    """
    n, m = signs.size, theta.size
    fit_intercept = reach > 0.0
    best_theta, best_multipliers, best_b = theta.copy(), multipliers.copy(), intercept
    of_best_theta = best_multipliers
    best_primal, best_dual, best_gap = np.inf, -np.inf, np.inf
    trial, scores, state = np.empty(m), np.empty(n), _STATE
    newton_possible = m <= _NEWTON_FEATURES or n <= _NEWTON_FEATURES
    done, stalled, round_number, tau, share = 0, 0, 0, 10.0, 0.2
    gentle, excess, climbs, climb_from = reach, 0.0, False, _CLIMB_FROM
    if by_newton:
        fill_scores(rows, point, scores)
    while True:
        chosen = np.arange(0, n, _PART if n >= _MANY else 1)
        if round_number > 0 or by_newton:
            count = int(max(share * n, 4.0 * m + 200.0)) if newton_possible else 0
            chosen = working_set(signs, upper, multipliers, scores, intercept, count)
            share *= 0.25
        part = take_rows(rows, chosen) if chosen.size < n else rows
        own = multipliers[chosen]
        others = dot(signs, multipliers) - dot(signs[chosen], own)
        if (round_number > 0 and newton_possible) or by_newton:
            if not by_newton:
                point = theta
            goal = max(0.3 * tol * best_primal, 0.003 * best_gap) if best_gap < np.inf else 1e-3
            intercept, steps, tau = sharpen(
                part, signs[chosen], upper[chosen], norms[chosen], point, theta, own, intercept, others, reach,
                max(10.0, tau / 9.0), goal, max_iter - done,
            )  # fmt: skip
            by_newton = False
        else:
            climbs = best_gap < climb_from * best_primal
            if not climbs:
                free = np.count_nonzero((multipliers > 0.0) & (multipliers < upper))
                gentle = _STIFFNESS * reach / max(free, _STIFFNESS)
            before, excess = excess, dot(signs, multipliers)
            # Of a sequence that falls like powers the limit is known; where multipliers were in balance it begins anew.
            ratio = excess / before if climbs and before != 0.0 else 0.0
            intercept += gentle * excess * (1.0 / (1.0 - ratio) if 0.0 < ratio < 0.8 else 1.0)
            sweeps = min(_SWEEPS * 2 ** max(min(round_number, 9) - 1, 0), _MOST_SWEEPS)
            intercept, steps, state = descend(
                part, signs[chosen], upper[chosen], norms[chosen], theta, own, intercept, gentle, 0.0,
                min(sweeps, (max_iter - done) * (n // chosen.size)), np.uint64(state),
            )  # fmt: skip
            if climbs:
                intercept = climb_face(
                    part, signs[chosen], upper[chosen], norms[chosen], theta, own, intercept, gentle, _CLIMB_CLOSENESS,
                    _CLIMB_STEPS,
                )  # fmt: skip
        done += max(1, steps * chosen.size // n)
        round_number += 1
        multipliers[chosen] = own
        candidate = multipliers.copy()
        if fit_intercept:
            balance(signs, upper, candidate)
        primal, dual, b = certify(rows, signs, upper, candidate, fit_intercept, intercept, trial, scores)
        theta[:] = trial
        if fit_intercept:
            combine(rows, signs, multipliers, theta)
        if primal < best_primal:
            best_primal, best_b = primal, b
            best_theta[:] = trial
            of_best_theta = candidate
        if dual > best_dual:
            best_dual = dual
            best_multipliers = candidate
        gap = best_primal - best_dual
        stalled = 0 if gap < 0.9 * best_gap else stalled + 1
        best_gap = min(gap, best_gap)
        if best_gap <= max(tol, _EXACT) * best_primal or done >= max_iter or stalled >= _PATIENCE:
            break
        if stalled > 0:
            share *= 8.0
            climb_from = 0.25 * best_gap / best_primal  # too early
    return best_theta, best_b, best_multipliers, best_primal, done, best_gap, of_best_theta


def hinge_fit(rows, n_features, signs, upper, fit_intercept, start, tol, max_iter):
    """Fit to rows, dense or sparse as in `feature_rows.py`. `start` holds multipliers (zeros for a cold start).

    Returns (theta, intercept, multipliers, objective, sweeps and Newton steps, duality gap). Stops when the gap is at
    most tol times the objective, or after max_iter sweeps and Newton steps. Rows with many more entries than there are
    rows are first written in coordinates of their span: all that counts is their products.
    """
    if isinstance(rows, np.ndarray) and n_features > _WIDE * len(rows):
        inside = np.ascontiguousarray(np.asarray(np.linalg.qr(rows.T, mode="r")).T)
        _, *found, made_of = _fit(inside, inside.shape[1], signs, upper, fit_intercept, start, tol, max_iter)
        theta = np.empty(n_features)
        combine(rows, signs, made_of, theta)
        return theta, *found
    return _fit(rows, n_features, signs, upper, fit_intercept, start, tol, max_iter)[:-1]


def _fit(rows, n_features, signs, upper, fit_intercept, start, tol, max_iter):
    """As `hinge_fit`, with the multipliers that make theta."""
    n = signs.size
    norms = np.empty(n)
    row_norms(rows, norms)
    reach = float(max(norms.mean(), 10.0 / upper.sum())) if fit_intercept else 0.0  # so that b can get anywhere
    multipliers = np.minimum(np.maximum(start, 0.0), upper)
    theta, intercept = np.zeros(n_features), 0.0
    combine(rows, signs, multipliers, theta)
    point = theta
    by_newton, done = False, 0
    if n >= max(_MANY, _TALL * n_features) and n_features <= _NEWTON_FEATURES:
        chosen = np.arange(0, n, _PART)
        point, intercept, _, _, done, *_ = solve(
            take_rows(rows, chosen), signs[chosen], _PART * upper[chosen], norms[chosen], reach, np.zeros(n_features),
            theta, np.zeros(chosen.size), 0.0, False, 1e-3, max(max_iter // 2, 1),
        )  # fmt: skip
        scores = np.empty(n)
        fill_scores(rows, point, scores)
        multipliers = np.where(signs * (scores + intercept) < 1.0, upper, 0.0)
        combine(rows, signs, multipliers, theta)
        by_newton = True
    theta, intercept, multipliers, primal, steps, gap, made_of = solve(
        rows, signs, upper, norms, reach, theta, point, multipliers, intercept, by_newton, tol, max(max_iter - done, 1)
    )
    return theta, intercept, multipliers, primal, min(done + steps, max_iter), gap, made_of


def hinge_rows(indptr, indices, data, n_features, signs, upper, fit_intercept, start, tol, max_iter):
    """`hinge_fit` for sparse rows, CSR."""
    return hinge_fit((data, indices, indptr), n_features, signs, upper, fit_intercept, start, tol, max_iter)
