"""Which columns have to join the working set, mostly without reading them.

With r = dloss / d(X theta + b), column j has to join if |x_j.r + tilt_j| > kappa. Along a path r moves little, and
nearly in a plane. So x_j.r is kept for two earlier r, made orthogonal to 1 and to each other and of length 1. With
these references u_1 and u_2,

    r = (sum of r / n) 1 + c_1 u_1 + c_2 u_2 + rest,    |x_j.r - what is known of it| <= ||x_j - mean_j|| ||rest||,

and only columns whose gradient may exceed kappa by this are read. If those are many, all are, and r becomes one of the
two. On a path of 50 kappas this happens about ten times.
"""

import math

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import column_dot
from shiftlr.solvers.loss import REORDER
from shiftlr.solvers.source import bring, multiply_all
from shiftlr.solvers.working_set import REFERENCES, SIZE, join

_FEW = 32  # one in so many columns is read by itself; for more, all are
_LEAST_ANGLE = 1e-3  # between two references: below it rounding would count
_ROUNDING = 1e-10  # of ||x_j|| ||r||: an ample allowance for rounding in what is foretold


@kernel(fastmath=REORDER, error_model="numpy")
def _size_and_sum(vector):
    """(norm, sum) of a vector."""
    square = 0.0
    total = 0.0
    for i in range(vector.size):
        square += vector[i] * vector[i]
        total += vector[i]
    return math.sqrt(square), total


@kernel(fastmath=REORDER, error_model="numpy")
def _take_out(direction, rest):
    """rest -= c * direction of length 1, where c is their product, which is returned."""
    product = 0.0
    for i in range(rest.size):
        product += direction[i] * rest[i]
    for i in range(rest.size):
        rest[i] -= product * direction[i]
    return product


@kernel(fastmath=REORDER, error_model="numpy")
def foretell(source, state):
    """Fill `products` with what is known of x_j.r; returns (||rest||, |sum of the rest|, ||r||)."""
    n = state.residuals.size
    size, total = _size_and_sum(state.residuals)
    for i in range(n):
        state.rest[i] = state.residuals[i] - total / n
    if state.counts[REFERENCES] == 0:
        for j in range(state.products.size):
            state.products[j] = total * source.mean[j]
    else:
        first = _take_out(state.references[0], state.rest)
        second = _take_out(state.references[1], state.rest) if state.counts[REFERENCES] == 2 else 0.0
        first_products = state.reference_products[0]
        second_products = state.reference_products[1]
        for j in range(state.products.size):
            known = total * source.mean[j] + first * first_products[j]
            state.products[j] = known + second * second_products[j]
    left, left_total = _size_and_sum(state.rest)
    return left, abs(left_total), size


@kernel(fastmath=REORDER, error_model="numpy")
def _read_all(features, source, state):
    """Fill `products` with x_j.r, read, and make r the first reference, beside the latest that differs enough."""
    multiply_all(features, source, state.residuals, state.products)
    n = state.rest.size
    size, total = _size_and_sum(state.residuals)
    for i in range(n):
        state.rest[i] = state.residuals[i] - total / n
    length, _ = _size_and_sum(state.rest)
    if length <= 1e-12 * size:
        return
    kept = -1
    cosine = 0.0
    for k in range(state.counts[REFERENCES]):
        cosine = 0.0
        for i in range(n):
            cosine += state.references[k, i] * state.rest[i] / length
        if 1.0 - cosine * cosine >= _LEAST_ANGLE * _LEAST_ANGLE:
            kept = k
            break
    sine = math.sqrt(1.0 - cosine * cosine) if kept >= 0 else 1.0
    for i in range(n):
        new = state.rest[i] / length
        state.references[1, i] = (state.references[max(kept, 0), i] - cosine * new) / sine
        state.references[0, i] = new
    for j in range(state.products.size):
        new = (state.products[j] - total * source.mean[j]) / length
        state.reference_products[1, j] = (state.reference_products[max(kept, 0), j] - cosine * new) / sine
        state.reference_products[0, j] = new
    state.counts[REFERENCES] = 2 if kept >= 0 else 1


@kernel(error_model="numpy")
def _list_candidates(source, problem, state, level, tol, left, left_sum, size):
    """List in `candidates` the columns outside whose gradient may exceed the level. Returns (count, unread).

    A column that can exceed the level by at most half of what the tolerance allows need not be read; `unread` is the
    largest violation there may be among these."""
    allowance = left + _ROUNDING * size
    root = math.sqrt(state.rest.size)
    for j in range(state.products.size):
        doubt = source.spread[j] * allowance + abs(source.mean[j]) * (left_sum + _ROUNDING * size * root)
        state.excess[j] = abs(state.products[j] + problem.tilt[j]) + doubt - level
    count = 0
    worst = 0.0
    for j in range(state.products.size):
        if not state.excess[j] <= 0.0 and state.member[j] == 0 and source.reach[j] > 0.0:
            if state.excess[j] <= 0.5 * tol * source.reach[j]:
                worst = max(worst, state.excess[j] / source.reach[j])
            else:
                state.candidates[count] = j
                count += 1
    return count, worst


@kernel(error_model="numpy")
def _rank_value(values, rank, low):
    """A level that at least `rank` values reach, by bisection, as high as 50 halvings find one; low has more."""
    high = low
    for j in range(values.size):
        high = max(high, values[j])
    for _ in range(50):
        middle = 0.5 * (low + high)
        count = 0
        for j in range(values.size):
            count += values[j] >= middle
        if count >= rank:
            low = middle
        else:
            high = middle
    return low


@kernel(error_model="numpy")
def add_columns(features, source, problem, state, level, kappa, tol):
    """Add columns whose gradient, by `products`, exceeds `level`, the worst first if they are many.

    Returns (added, violation, all): the largest violation at kappa >= level among columns outside before, and whether
    all that exceed the level were added."""
    worst = 0.0
    found = 0
    for j in range(state.products.size):
        over = abs(state.products[j] + problem.tilt[j]) - level
        state.excess[j] = 0.0
        if over > 0.0 and state.member[j] == 0 and source.reach[j] > 0.0:
            worst = max(worst, (over + level - kappa) / source.reach[j])
            state.excess[j] = over / source.reach[j]
            found += state.excess[j] > tol
    if found == 0:
        return 0, worst, True
    before = state.counts[SIZE]
    room = max(20, before // 2)
    least = _rank_value(state.excess, room, tol) if found > room else tol
    count = 0
    for j in range(state.member.size):
        if state.excess[j] > tol and state.excess[j] >= least:
            state.candidates[count] = j
            count += 1
    bring(features, source, state.candidates[:count], state.wanted)
    for k in range(count):
        join(source, problem, state, state.candidates[k], 0.0)
    return count, worst, count == found


@kernel(error_model="numpy")
def grow_set(features, source, problem, state, kappa, tol):
    """Add columns that violate the optimality conditions by more than tol. Returns (added, violation).

    `violation` is a bound on the violation of any column outside before."""
    left, left_sum, size = foretell(source, state)
    m = state.products.size
    count, unread = m, 0.0
    if state.counts[REFERENCES] > 0:
        count, unread = _list_candidates(source, problem, state, kappa, tol, left, left_sum, size)
    if count == 0:
        return 0, unread
    if _FEW * count > m:
        _read_all(features, source, state)
        unread = 0.0
    else:
        columns = state.candidates[:count]
        bring(features, source, columns, state.wanted)
        for k in range(count):
            j = columns[k]
            state.products[j] = column_dot(features, source.place[j], state.residuals)
    added, worst, _ = add_columns(features, source, problem, state, kappa, kappa, tol)
    return added, max(worst, unread)
