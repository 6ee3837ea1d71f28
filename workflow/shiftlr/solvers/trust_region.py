"""Newton steps for sparse L2 problems: a sampled Hessian, conjugate gradients, an exact line search.

At margins m_i = s_i (x_i.theta + b) the Hessian in theta is alpha I + X^T D X with D_ii = w_i curvature_i. Shifted
rows have curvature 0 and most others next to none, so the model keeps a row of curvature c below a floor only with
probability c / floor, and then with curvature `floor`: right on average, and far smaller. The true gradient and the
true objective decide about the step, so that sampling costs at most some steps, and near the end there is none.

The intercept is kept at its exact minimiser. Then a_i = -slope_i satisfies the dual constraint, and the duality gap
of theta is |grad|^2 / (2 alpha), a bound on F - F*.
"""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import dot, solve_cholesky
from shiftlr.solvers.loss import REORDER, threshold
from shiftlr.solvers.rows import (
    evaluate,
    minimise_along,
    products_between,
    row_products,
    squares_along,
    transposed,
)

HOT_COLUMNS = 256  # the block of frequent columns whose part of the Hessian is factored
SAMPLING_FLOOR = 0.1  # rows of less curvature (at mean weight) are sampled,
SMALL = 300_000  # in matrices of more entries than this
LONGEST_INNER = 400  # conjugate gradient steps in one Newton step


class Model(NamedTuple):
    """The sampled Hessian alpha I + Z^T D Z on the columns that the kept rows touch, and its preconditioner."""

    columns: np.ndarray  # int32, numbers of those columns in the whole matrix
    starts: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    column_starts: np.ndarray
    column_rows: np.ndarray
    column_values: np.ndarray
    curvatures: np.ndarray
    diagonal: np.ndarray  # of the Hessian, the intercept last
    hot: np.ndarray  # int64, the columns of the factored block (the intercept among them, if there is one)
    factor: np.ndarray  # its Cholesky factor after scaling to a diagonal of ones
    scale: np.ndarray  # that scaling
    ridge_b: float  # added to the intercept's curvature, which may be 0


@kernel(error_model="numpy")
def sample_rows(curvatures, floor, seed, kept, kept_curvatures):
    """Keep rows of curvature >= floor, others with probability curvature / floor and curvature floor; how many."""
    end = 0
    for i in range(curvatures.size):
        c = curvatures[i]
        if c <= 0.0:
            continue
        if c < floor:
            x = (np.uint64(i) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            if float(x >> np.uint64(11)) * 2.0**-53 * floor >= c:
                continue
            c = floor
        kept[end] = i
        kept_curvatures[end] = c
        end += 1
    return end


@kernel(error_model="numpy")
def submatrix(indptr, indices, values, kept, local):
    """Rows `kept` with their columns numbered by first use; `local` is scratch of -1 for each column."""
    size = 0
    for i in kept:
        size += indptr[i + 1] - indptr[i]
    starts = np.zeros(kept.size + 1, np.int64)
    ids = np.empty(size, np.int32)
    kept_values = np.empty(size if values.size > 0 else 0)
    columns = np.empty(min(size, local.size), np.int32)
    end, used = 0, 0
    for k in range(kept.size):
        for q in range(np.uint64(indptr[kept[k]]), np.uint64(indptr[kept[k] + 1])):
            j = np.uint32(indices[q])
            if local[j] < 0:
                local[j] = used
                columns[used] = j
                used += 1
            ids[end] = local[j]
            if values.size > 0:
                kept_values[end] = values[q]
            end += 1
        starts[k + 1] = end
    for k in range(used):
        local[columns[k]] = -1
    return starts, ids, kept_values, columns[:used].copy()


@kernel(error_model="numpy")
def hot_block(starts, ids, values, curvatures, place, with_intercept, size):
    """Lower half of Z^T D Z on the columns with place[j] >= 0, the intercept last."""
    block = np.zeros((size, size))
    where = np.empty(size, np.int64)
    x = np.empty(size)
    for i in range(starts.size - 1):
        found = 0
        for q in range(starts[i], starts[i + 1]):
            p = place[np.uint32(ids[q])]
            if p >= 0:
                where[found] = p
                x[found] = values[q] if values.size > 0 else 1.0
                found += 1
        if with_intercept:
            where[found] = size - 1
            x[found] = 1.0
            found += 1
        for a in range(found):
            scaled = curvatures[i] * x[a]
            p = where[a]
            for b in range(a + 1):
                block[np.uint32(max(p, where[b])), np.uint32(min(p, where[b]))] += scaled * x[b]
    return block


@kernel(error_model="numpy", fastmath=REORDER)
def factor_block(block, diagonal):
    """Cholesky factor in place, after scaling to a unit diagonal; pivots are kept above rounding, and inverted."""
    size = diagonal.size
    scale = 1.0 / np.sqrt(diagonal)
    for p in range(size):
        for k in range(p):
            block[p, k] *= scale[p] * scale[k]
        block[p, p] = 1.0
    for p in range(size):
        for k in range(p):
            z = 0.0
            for q in range(k):
                z += block[p, q] * block[k, q]
            block[p, k] = (block[p, k] - z) * block[k, k]
        z = 0.0
        for q in range(p):
            z += block[p, q] * block[p, q]
        block[p, p] = 1.0 / np.sqrt(max(1.0 - z, 1e-13))
    return scale


@kernel(error_model="numpy", fastmath=REORDER)
def precondition(residual, diagonal, hot, factor, scale, z):
    """z = P^-1 residual: the factored block on the hot columns, the diagonal elsewhere; returns residual.z."""
    for j in range(residual.size):
        z[j] = residual[j] / diagonal[j]
    size = hot.size
    y = np.empty(size)
    for p in range(size):
        y[p] = residual[hot[p]] * scale[p]
    solve_cholesky(factor, size, y)
    for p in range(size):
        z[hot[p]] = y[p] * scale[p]
    return dot(residual, z)


def build_model(rows, curvatures, floor, seed, alpha, with_intercept, total_weight, scratch):
    """Sample the rows, cut out their part of the matrix, factor the hot block."""
    kept, kept_curvatures, local = scratch
    count = sample_rows(curvatures, floor, seed, kept, kept_curvatures)
    chosen, c = kept[:count], kept_curvatures[:count].copy()
    starts, ids, values, columns = submatrix(rows.indptr, rows.indices, rows.values, chosen, local)
    m = columns.size
    column_starts, column_rows, column_values = transposed(starts, ids, values, m)
    ridge_b = 1e-12 * total_weight
    diagonal = np.empty(m + 1)
    diagonal[:m] = alpha + squares_along(column_starts, column_values, c, column_rows)
    diagonal[m] = ridge_b + (c.sum() if with_intercept else 1.0)
    # a column weighs in the block by its entries, as far as they outweigh the penalty
    score = (1.0 - alpha / diagonal[:m]) * np.diff(column_starts)
    size = min(m, HOT_COLUMNS)
    hot = np.sort(np.argpartition(-score, size - 1)[:size]) if size > 0 else np.empty(0, np.int64)
    place = np.full(m, -1, np.int32)
    place[hot] = np.arange(size)
    if with_intercept:
        hot = np.append(hot, m)
    block = hot_block(starts, ids, values, c, place, with_intercept, hot.size)
    scale = factor_block(block, diagonal[hot])
    return Model(
        columns, starts, ids, values, column_starts, column_rows, column_values, c, diagonal, hot, block, scale, ridge_b
    )


@kernel(error_model="numpy", fastmath=REORDER)
def advance(x, residual, p, image, step):
    """x += step p, residual -= step image."""
    for j in range(x.size):
        x[j] += step * p[j]
        residual[j] -= step * image[j]


@kernel(error_model="numpy")
def times(x, y, out):
    """out = x y, entry by entry."""
    for i in range(x.size):
        out[i] = x[i] * y[i]


def solve_model(model, gradient, gradient_b, alpha, with_intercept, forcing):
    """Conjugate gradients for H d = -gradient on the model's columns; (direction, direction_b, steps).

    By one thread: the products are short, and on a busy machine waiting for a second thread costs more than it gives.
    """
    m = model.columns.size
    residual = np.empty(m + 1)
    residual[:m] = -gradient[model.columns]
    residual[m] = -gradient_b if with_intercept else 0.0
    x, z, image = np.zeros(m + 1), np.empty(m + 1), np.empty(m + 1)
    along_rows = np.empty(model.curvatures.size)
    energy = precondition(residual, model.diagonal, model.hot, model.factor, model.scale, z)
    goal = forcing * forcing * energy
    p = z.copy()
    steps = 0
    while steps < LONGEST_INNER and energy > 0.0:
        products_between(model.starts, model.indices, model.values, p, p[m], 0, along_rows.size, along_rows)
        times(along_rows, model.curvatures, along_rows)
        products_between(model.column_starts, model.column_rows, model.column_values, along_rows, 0.0, 0, m, image)
        image[:m] += alpha * p[:m]
        image[m] = along_rows.sum() + model.ridge_b * p[m] if with_intercept else 0.0
        curvature = dot(p, image)
        if not curvature > 0.0:
            break
        advance(x, residual, p, image, energy / curvature)
        steps += 1
        before, energy = energy, precondition(residual, model.diagonal, model.hot, model.factor, model.scale, z)
        if energy <= goal:
            break
        p *= energy / before
        p += z
    return x[:m], x[m], steps


def damped(problem, point, damping):
    """Curvatures with `damping` lam (1 - lam) for shifted rows, which have none but may get some within a step."""
    if damping == 0.0 or problem.lam >= 1.0:
        return point.curvatures
    shifted = point.margins < threshold(problem.lam)
    return point.curvatures + shifted * (damping * problem.lam * (1.0 - problem.lam) * problem.weights)


def polish(problem, point, tol, max_iter, damping):
    """Newton steps from `point`, joined by conjugate directions, until it is good to `tol`; (point, steps).

    The step is d = -H^-1 grad + beta d_before with Polak and Ribiere's beta and an exact line search: where the
    sampled H differs from the true one this takes about half the steps, and where it does not beta is next to 0.
    """
    rows, alpha, with_b = problem.rows, problem.alpha, problem.fit_intercept
    n = rows.n_rows
    scratch = np.empty(n, np.int64), np.empty(n), np.full(rows.n_features, -1, np.int32)
    floor = SAMPLING_FLOOR * problem.total_weight / max(1, n) if rows.indices.size > SMALL else 0.0
    before, steps, failures = None, 0, 0
    while steps < max_iter and not point.good_enough(tol):
        model = build_model(
            rows, damped(problem, point, damping), floor, steps, alpha, with_b, problem.total_weight, scratch
        )
        x, x_b, _ = solve_model(model, point.gradient, point.gradient_b, alpha, with_b, 0.1 if floor > 0.0 else 0.01)
        newton = point.gradient / -alpha
        newton[model.columns] = x
        newton_margins = problem.signs * row_products(rows, newton, x_b, np.empty(n))
        decrement = -dot(point.gradient, newton) - point.gradient_b * x_b
        d, d_b, d_margins = newton, x_b, newton_margins
        if before is not None:
            beta = (decrement + dot(before[0], newton)) / before[1]
            trial = newton + beta * before[2]
            if beta > 0.0 and dot(point.gradient, trial) < -0.1 * decrement:
                d, d_b, d_margins = trial, x_b + beta * before[3], newton_margins + beta * before[4]
        linear = alpha * dot(point.theta, d) + dot(problem.tilt, d) + problem.tilt_b * d_b
        step, _change = minimise_along(
            point.margins, d_margins, problem.weights, problem.lam, linear, alpha * dot(d, d), 1.0, 0.1
        )
        if step == 0.0:
            # no progress: once more without sampling and conjugation, then it is rounding that stops us
            if floor == 0.0 and before is None:
                break
            floor, before = 0.0, None
            continue
        moved = evaluate(problem, point.theta + step * d, point.intercept + step * d_b)
        steps += 1
        before = point.gradient, decrement, d, d_b, d_margins
        damping = 0.1 * damping if step > 0.5 else min(1.0, max(10.0 * damping, 0.01))
        damping = damping if damping > 1e-4 else 0.0
        ratio = moved.gap / point.gap if point.gap > 0.0 else 1.0
        failures = failures + 1 if ratio > 0.5 else 0
        point = moved
        if failures >= 3:
            floor, failures = floor / 4.0 if floor > 1e-4 else 0.0, 0
    return point, steps
