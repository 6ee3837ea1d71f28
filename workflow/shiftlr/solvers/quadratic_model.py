"""Minimise the quadratic model of one proximal Newton step over a working set of coordinates.

With the loss gradient g, the curvatures h and the current values v of the coordinates in the set, both solvers find
steps d that lower

    g.d + d.H.d / 2 + kappa sum_a |v_a + d_a|,    H = X' diag(h) X (1 on the intercept's column), slot 0 = intercept,

`kappa` not counting for slot 0. One keeps H (small sets): exact solves on the support, coordinate descent to find it.
The other keeps X d only (large sets): coordinate descent, and conjugate gradients on the support.
"""

import math

import numpy as np
from numba import njit

from .columns import add_column, add_weighted_column, column_dot, fill_gram_row, weighted_square
from .loss import REORDER

# Relative ridge on the diagonal of H: a flat direction becomes a long step, cut at the first sign change.
RIDGE = 1e-10


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def total_of(vector):
    """The sum of the entries."""
    total = 0.0
    for i in range(vector.size):
        total += vector[i]
    return total


@njit(error_model="numpy", cache=True)
def copy_head(source, target, size):
    """target[:size] = source[:size]."""
    for a in range(size):
        target[a] = source[a]


@njit(error_model="numpy", cache=True)
def soft_threshold(value, width):
    """Shrink towards zero by `width`: sign(v) max(|v| - width, 0)."""
    if value > width:
        return value - width
    if value < -width:
        return value + width
    return 0.0


@njit(error_model="numpy", cache=True)
def excess_slope(gradient, value, kappa):
    """Distance of -gradient from the subdifferential of kappa |.| at `value`."""
    if value > 0.0:
        return abs(gradient + kappa)
    if value < 0.0:
        return abs(gradient - kappa)
    return max(abs(gradient) - kappa, 0.0)


@njit(error_model="numpy", cache=True)
def set_violation(gradients, values, reaches, kappa, first, size):
    """Largest violation of the optimality conditions in the set, each over `reaches`, the gradient's largest value."""
    worst = 0.0
    for a in range(first, size):
        worst = max(worst, excess_slope(gradients[a], values[a], kappa if a > 0 else 0.0) / reaches[a])
    return worst


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def fill_gram(features, columns, start, size, first, curvatures, work, gram):
    """Fill rows and columns start..size-1 of H, slot 0 being the intercept (left out if first = 1)."""
    for a in range(max(start, 1), size):
        fill_gram_row(features, columns, a, curvatures, work, gram)
        gram[a, a] *= 1.0 + RIDGE
        gram[a, 0] = column_dot(features, columns[a], curvatures) if first == 0 else 0.0
        gram[0, a] = gram[a, 0]
    if start == 0:
        gram[0, 0] = total_of(curvatures) * (1.0 + RIDGE)


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def _factorise(gram, support, start, count, factor):
    """Rows start..count-1 of the Cholesky factor of H on the support; tiny pivots are held at the ridge."""
    for a in range(start, count):
        row = factor[a]
        source = gram[support[a]]
        for c in range(a):
            other = factor[c]
            total = source[support[c]]
            for p in range(c):
                total -= row[p] * other[p]
            row[c] = total * other[c]  # the diagonal holds the inverse of the pivot's root
        diagonal = source[support[a]]
        pivot = diagonal
        for p in range(a):
            pivot -= row[p] * row[p]
        row[a] = 1.0 / math.sqrt(max(pivot, 0.5 * RIDGE * diagonal))


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def _solve_factored(factor, count, x):
    """Solve L L' x = x in place."""
    for a in range(count):
        row = factor[a]
        total = x[a]
        for p in range(a):
            total -= row[p] * x[p]
        x[a] = total * row[a]
    for a in range(count - 1, -1, -1):
        row = factor[a]
        x[a] *= row[a]
        value = x[a]
        for p in range(a):
            x[p] -= row[p] * value


@njit(error_model="numpy", cache=True)
def _list_support(points, first, size, support, n_factored, listed, fresh):
    """Update `support` to the slots with a nonzero point (and the intercept), keeping the old order in front.

    Returns (count, kept): the first `kept` entries are as before, so that their rows of the factor stay valid."""
    count = 0
    kept = 0
    for a in range(size):
        listed[a] = 0
    for r in range(n_factored):
        a = support[r]
        if a == 0 or points[a] != 0.0:
            if kept == r:
                kept += 1
            fresh[count] = a
            listed[a] = 1
            count += 1
    for a in range(first, size):
        if listed[a] == 0 and (a == 0 or points[a] != 0.0):
            fresh[count] = a
            count += 1
    for r in range(count):
        support[r] = fresh[r]
    return count, kept


@njit(error_model="numpy", cache=True)
def _first_crossing(points, moves, support, count, kappa):
    """(share, r): how much of the moves can be made before the sign of support entry r changes; (1, -1) if all."""
    share = 1.0
    crossing = -1
    if kappa > 0.0:
        for r in range(count):
            a = support[r]
            if a > 0 and points[a] * moves[r] < 0.0 and abs(points[a]) <= share * abs(moves[r]):
                share = abs(points[a]) / abs(moves[r])
                crossing = r
    return share, crossing


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def _gram_sweep(gram, gradients, points, kappa, first, size):
    """One round of coordinate descent; `gradients` follow the points."""
    for a in range(first, size):
        row = gram[a]
        old = points[a]
        new = soft_threshold(old - gradients[a] / row[a], (kappa if a > 0 else 0.0) / row[a])
        if new != old:
            points[a] = new
            delta = new - old
            for c in range(size):
                gradients[c] += delta * row[c]


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def solve_gram_model(
    gram, factor, support, n_factored, listed, fresh, moves, gradients, points, reaches, kappa, first, size, target
):
    """Minimise the model with H at hand. `points` go from v to v + d, `gradients` follow as the model's gradient.

    Exact solve on the support, cut at the first sign change; then, unless the model is solved to `target`, a sweep.
    Returns the number of rows of `factor` that hold for `support`."""
    for _ in range(60):
        count, kept = _list_support(points, first, size, support, n_factored, listed, fresh)
        _factorise(gram, support, kept, count, factor)
        n_factored = count
        for r in range(count):
            a = support[r]
            pull = 0.0 if a == 0 else (kappa if points[a] > 0.0 else -kappa)
            moves[r] = -(gradients[a] + pull)
        _solve_factored(factor, count, moves)
        share, crossing = _first_crossing(points, moves, support, count, kappa)
        for r in range(count):
            a = support[r]
            delta = share * moves[r]
            if r == crossing:
                delta = -points[a]
            points[a] += delta
            row = gram[a]
            for c in range(size):
                gradients[c] += delta * row[c]
        if crossing >= 0:
            continue
        if set_violation(gradients, points, reaches, kappa, first, size) <= target:
            break
        _gram_sweep(gram, gradients, points, kappa, first, size)
    return n_factored


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def _free_sweep(features, columns, tilts, curvatures, diagonal, pulls, points, reaches, kappa, first, size):
    """One round of coordinate descent without H: `pulls` = residuals + h X d follow. Returns the worst violation met."""
    worst = 0.0
    for a in range(first, size):
        if a == 0:
            gradient = tilts[0] + total_of(pulls)
        else:
            gradient = tilts[a] + column_dot(features, columns[a], pulls)
        width = kappa if a > 0 else 0.0
        worst = max(worst, excess_slope(gradient, points[a], width) / reaches[a])
        new = soft_threshold(points[a] - gradient / diagonal[a], width / diagonal[a])
        delta = new - points[a]
        if delta != 0.0:
            points[a] = new
            if a == 0:
                for i in range(pulls.size):
                    pulls[i] += delta * curvatures[i]
            else:
                add_weighted_column(features, columns[a], delta, curvatures, pulls)
    return worst


@njit(error_model="numpy", cache=True)
def combine_columns(features, columns, support, count, factors, out):
    """out = sum_r factors_r * column of slot support_r, slot 0 being all ones."""
    for i in range(out.size):
        out[i] = 0.0
    for r in range(count):
        a = support[r]
        if a == 0:
            for i in range(out.size):
                out[i] += factors[r]
        elif factors[r] != 0.0:
            add_column(features, columns[a], factors[r], out)


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def _conjugate_gradients(features, columns, curvatures, diagonal, support, count, target, moves, fitted):
    """Solve H moves = moves on the support, roughly; `fitted` becomes X moves."""
    r = np.empty(count)
    p = np.empty(count)
    image = np.empty(count)
    direction = np.empty(fitted.size)
    weighted = np.empty(fitted.size)
    for i in range(fitted.size):
        fitted[i] = 0.0
    rho = 0.0
    for c in range(count):
        r[c] = moves[c]
        moves[c] = 0.0
        p[c] = r[c] / diagonal[support[c]]
        rho += r[c] * p[c]
    start = rho
    for _ in range(min(count, 100)):
        if rho <= target * target * start or rho <= 0.0:
            break
        combine_columns(features, columns, support, count, p, direction)
        for i in range(weighted.size):
            weighted[i] = curvatures[i] * direction[i]
        bend = 0.0
        for c in range(count):
            a = support[c]
            image[c] = total_of(weighted) if a == 0 else column_dot(features, columns[a], weighted)
            image[c] += RIDGE * diagonal[a] * p[c]
            bend += p[c] * image[c]
        alpha = rho / bend
        previous = rho
        rho = 0.0
        for c in range(count):
            moves[c] += alpha * p[c]
            r[c] -= alpha * image[c]
            rho += r[c] * r[c] / diagonal[support[c]]
        for i in range(fitted.size):
            fitted[i] += alpha * direction[i]
        for c in range(count):
            p[c] = r[c] / diagonal[support[c]] + rho / previous * p[c]


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def _projected_move(features, columns, tilts, curvatures, pulls, points, kappa, support, count, moves, fitted):
    """Make the moves with every sign change cut at zero if that lowers the model, else up to the first sign change."""
    share, crossing = _first_crossing(points, moves, support, count, kappa)
    if crossing >= 0:
        cut = np.empty(count)
        change = 0.0
        for r in range(count):
            a = support[r]
            crosses = a > 0 and points[a] * (points[a] + moves[r]) <= 0.0
            cut[r] = -points[a] if crosses else moves[r]
            change += tilts[a] * cut[r]
            if a > 0:
                change += kappa * (abs(points[a] + cut[r]) - abs(points[a]))
        shadow = np.empty(fitted.size)
        combine_columns(features, columns, support, count, cut, shadow)
        for i in range(shadow.size):
            change += (pulls[i] + 0.5 * curvatures[i] * shadow[i]) * shadow[i]
        if change < 0.0:
            share = 1.0
            copy_head(cut, moves, count)
            copy_head(shadow, fitted, shadow.size)
        else:
            moves[crossing] = -points[support[crossing]] / share
    for r in range(count):
        points[support[r]] += share * moves[r]
    if crossing >= 0 and share < 1.0:
        points[support[crossing]] = 0.0
    for i in range(pulls.size):
        pulls[i] += share * curvatures[i] * fitted[i]


@njit(fastmath=REORDER, error_model="numpy", cache=True)
def solve_free_model(
    features, columns, tilts, residuals, curvatures, points, reaches, kappa, first, size, target, support, listed,
    fresh, moves,
):  # fmt: skip
    """Minimise the model without H: `points` go from v to v + d."""
    diagonal = np.empty(size)
    diagonal[0] = total_of(curvatures) * (1.0 + RIDGE)
    for a in range(1, size):
        diagonal[a] = weighted_square(features, columns[a], curvatures) * (1.0 + RIDGE)
    pulls = np.empty(residuals.size)
    copy_head(residuals, pulls, residuals.size)
    fitted = np.empty(pulls.size)
    for turn in range(60):
        worst = 0.0
        for _ in range(3):
            worst = _free_sweep(
                features, columns, tilts, curvatures, diagonal, pulls, points, reaches, kappa, first, size
            )
        if worst <= target:
            break
        count, _ = _list_support(points, first, size, support, 0, listed, fresh)
        for r in range(count):
            a = support[r]
            gradient = tilts[a] + (total_of(pulls) if a == 0 else column_dot(features, columns[a], pulls))
            moves[r] = -(gradient + (0.0 if a == 0 else (kappa if points[a] > 0.0 else -kappa)))
        _conjugate_gradients(features, columns, curvatures, diagonal, support, count, 0.01, moves, fitted)
        _projected_move(features, columns, tilts, curvatures, pulls, points, kappa, support, count, moves, fitted)
