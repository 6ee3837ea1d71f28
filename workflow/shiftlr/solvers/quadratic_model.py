"""Minimise the quadratic model of one proximal Newton step over a working set of coordinates, with H stored.

With the loss gradient g, the curvatures h and the current values v of the coordinates in the set, find v + d to lower

    g.d + d.H.d / 2 + kappa sum_a |v_a + d_a|,    H = X' diag(h) X,

slot 0 of the set being the intercept: a column of ones, not penalised. Exact solves on the support, cut at the first
sign change, and coordinate descent to find the support. What is shared with `matrix_free_model.py` stands first.
"""

import math

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import add_column, column_dot, fill_gram_row
from shiftlr.solvers.dense import solve_cholesky
from shiftlr.solvers.loss import REORDER

# Relative ridge on the diagonal of H: a flat direction becomes a long step, cut at the first sign change.
RIDGE = 1e-10


@kernel(fastmath=REORDER, error_model="numpy")
def total_of(vector):
    """The sum of the entries."""
    total = 0.0
    for i in range(vector.size):
        total += vector[i]
    return total


@kernel(error_model="numpy")
def copy_head(source, target, size):
    """target[:size] = source[:size]."""
    for a in range(size):
        target[a] = source[a]


@kernel(error_model="numpy")
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


@kernel(error_model="numpy")
def soft_threshold(value, width):
    """Shrink towards zero by `width`: sign(v) max(|v| - width, 0)."""
    if value > width:
        return value - width
    if value < -width:
        return value + width
    return 0.0


@kernel(error_model="numpy")
def excess_slope(gradient, value, kappa):
    """Distance of -gradient from the subdifferential of kappa |.| at `value`."""
    if value > 0.0:
        return abs(gradient + kappa)
    if value < 0.0:
        return abs(gradient - kappa)
    return max(abs(gradient) - kappa, 0.0)


@kernel(error_model="numpy")
def set_violation(gradients, values, reaches, kappa, first, size):
    """Largest violation of the optimality conditions in the set, each over `reaches`, the gradient's largest value."""
    worst = 0.0
    for a in range(first, size):
        worst = max(worst, excess_slope(gradients[a], values[a], kappa if a > 0 else 0.0) / reaches[a])
    return worst


@kernel(fastmath=REORDER, error_model="numpy")
def fill_gram(features, columns, start, size, first, curvatures, work, gram):
    """Fill rows and columns start..size-1 of H, slot 0 being the intercept (left out if first = 1)."""
    for a in range(max(start, 1), size):
        fill_gram_row(features, columns, a, curvatures, work, gram)
        gram[a, a] *= 1.0 + RIDGE
        gram[a, 0] = column_dot(features, columns[a], curvatures) if first == 0 else 0.0
        gram[0, a] = gram[a, 0]
    if start == 0:
        gram[0, 0] = total_of(curvatures) * (1.0 + RIDGE)


@kernel(fastmath=REORDER, error_model="numpy")
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


@kernel(error_model="numpy")
def list_support(points, first, size, support, n_factored, listed, fresh):
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


@kernel(error_model="numpy")
def first_crossing(points, moves, support, count, kappa):
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


@kernel(fastmath=REORDER, error_model="numpy")
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


@kernel(fastmath=REORDER, error_model="numpy")
def solve_gram_model(
    gram, factor, support, n_factored, listed, fresh, moves, gradients, points, reaches, kappa, first, size, target
):
    """Minimise the model with H at hand. `points` go from v to v + d, `gradients` follow as the model's gradient.

    Exact solve on the support, cut at the first sign change; then, unless the model is solved to `target`, a sweep.
    Returns the number of rows of `factor` that hold for `support`."""
    for _ in range(60 + size):
        count, kept = list_support(points, first, size, support, n_factored, listed, fresh)
        _factorise(gram, support, kept, count, factor)
        n_factored = count
        for r in range(count):
            a = support[r]
            pull = 0.0 if a == 0 else (kappa if points[a] > 0.0 else -kappa)
            moves[r] = -(gradients[a] + pull)
        solve_cholesky(factor, count, moves)
        share, crossing = first_crossing(points, moves, support, count, kappa)
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
