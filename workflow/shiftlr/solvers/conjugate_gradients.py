"""The step that a sampled Hessian leads to: conjugate gradients, with curvatures that hold on the whole way.

One pass over the kept rows Z gives a product with the Hessian, Z^T (D (Z p)), row by row. The preconditioner is the
factored block on frequent columns and the diagonal elsewhere.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import solve_cholesky
from shiftlr.solvers.loss import REORDER, exp_of_negative, threshold
from shiftlr.solvers.rows import BLOCKS, WORTH_SHARING
from shiftlr.solvers.threads import share_out

LONGEST = 400  # conjugate gradient steps for one solution
REFINEMENTS = 2  # how often the curvatures are brought up to date, at most
SETTLED = 0.05  # change of the model that needs no further one
SHORT = 1e-5  # change of a margin over which slopes are still told apart
FIRST_FORCING = 0.2  # of the residual is left before they are


@kernel(error_model="numpy", nogil=True)
def multiply_blocks(first, last, starts, ids, values, blocks, curvatures, p, sums):
    """Z^T (D (Z p)) for each of the blocks first..last of rows; the last entries of p and sums are the intercept's."""
    for block in range(first, last):
        mine = sums[block]
        mine[:] = 0.0
        total = 0.0
        for i in range(blocks[block], blocks[block + 1]):
            low, high = np.uint64(starts[i]), np.uint64(starts[i + 1])
            z = p[p.size - 1]
            if values.size > 0:
                for q in range(low, high):
                    z += values[q] * p[np.uint32(ids[q])]
            else:
                for q in range(low, high):
                    z += p[np.uint32(ids[q])]
            z *= curvatures[i]
            total += z
            if values.size > 0:
                for q in range(low, high):
                    mine[np.uint32(ids[q])] += values[q] * z
            else:
                for q in range(low, high):
                    mine[np.uint32(ids[q])] += z
        mine[mine.size - 1] = total


@kernel(error_model="numpy", fastmath=REORDER)
def finish_product(sums, p, alpha, ridge_b, image):
    """image = H p from the blocks' sums; returns p.image."""
    total, last = 0.0, p.size - 1
    first, second = sums[0], sums[1]
    for j in range(last):
        z = first[j] + second[j] + alpha * p[j]
        image[j] = z
        total += z * p[j]
    image[last] = first[last] + second[last] + ridge_b * p[last]
    return total + image[last] * p[last]


@kernel(error_model="numpy", fastmath=REORDER)
def advance(x, residual, p, image, step, inverses, hot, factor, scale, z):
    """x += step p, residual -= step image, z = P^-1 residual; returns residual.z.

    P is the factored block on the hot columns and the diagonal elsewhere.
    """
    total = 0.0
    for j in range(x.size):
        x[j] += step * p[j]
        r = residual[j] - step * image[j]
        residual[j] = r
        z[j] = r * inverses[j]
        total += r * z[j]
    y = np.empty(hot.size)
    for k in range(hot.size):
        y[k] = residual[hot[k]] * scale[k]
    solve_cholesky(factor, hot.size, y)
    for k in range(hot.size):
        z[hot[k]] = y[k] * scale[k]
        total += residual[hot[k]] * z[hot[k]]
    return total


@kernel(error_model="numpy", fastmath=REORDER)
def turn(p, z, beta):
    """p = z + beta p."""
    for j in range(p.size):
        p[j] = z[j] + beta * p[j]


@kernel(error_model="numpy", fastmath={"contract"}, inline="always")
def slope_at(margin, lam, t):
    """The slope of the profiled loss, given `threshold(lam)`."""
    e = exp_of_negative(-abs(margin))
    return -lam if margin < t else -(e if margin > 0.0 else 1.0) / (1.0 + e)


@kernel(error_model="numpy")
def mean_curvatures(
    starts, ids, values, own, lowered, singles, gradient, gradient_b, columns, alpha, x, margins, signs, weights, lam,
    residual,
):  # fmt: skip
    """Make the curvatures those that hold on the whole way from the point to where x leads, on average.

    That is (slope(m + z) - slope(m)) / z for a row whose margin m the step changes by z: with them the step is right
    even where the slopes are not straight lines. The residual's constant part follows. Returns by how much the model's
    value at x has changed, as a share of it.
    """
    t = threshold(lam)
    last = residual.size - 1
    for j in range(last):
        residual[j] = -gradient[columns[j]]
    residual[last] = -gradient_b
    change, total = 0.0, 0.0
    for k in range(own.size):
        y = x[last]
        for q in range(np.uint64(starts[k]), np.uint64(starts[k + 1])):
            y += (values[q] if values.size > 0 else 1.0) * x[np.uint32(ids[q])]
        z = (alpha * y - singles.slopes[k]) / (alpha + own[k] * singles.square_sums[k])
        step = signs[k] * z
        # a difference is as good as rounding leaves it, so that short steps count as longer ones
        step = step if abs(step) > SHORT else (SHORT if step > 0.0 else -SHORT)
        fall = slope_at(margins[k] + step, lam, t) - slope_at(margins[k], lam, t)
        mean = max(weights[k] * fall / step, 0.0)
        change += abs(mean - own[k]) * z * z
        own[k] = mean
        total += own[k] * z * z
        share = own[k] / (alpha + own[k] * singles.square_sums[k])
        lowered[k] = alpha * share
        pull = share * singles.slopes[k]
        residual[last] += pull
        for q in range(np.uint64(starts[k]), np.uint64(starts[k + 1])):
            residual[np.uint32(ids[q])] += pull * (values[q] if values.size > 0 else 1.0)
    return change / total if total > 0.0 else 0.0


def conjugate_gradients(model, alpha, with_intercept, x, residual, first, forcing):
    """Steps towards H x = residual, from x, until the residual has fallen to `forcing` of a first one; that one's size.

    `first` 0 stands for the residual at the beginning. Sizes are squared, and by the preconditioner's measure.
    """
    size = residual.size
    z, image, p, sums = np.empty(size), np.zeros(size), np.zeros(size), np.empty((BLOCKS, size))
    preconditioner = model.inverses, model.hot, model.factor, model.scale, z
    energy = advance(x, residual, p, image, 0.0, *preconditioner)
    first = energy if first == 0.0 else first
    turn(p, z, 0.0)
    steps = 0
    while steps < LONGEST and energy > forcing * forcing * first:
        curvature = product(model, alpha, with_intercept, p, sums, image)
        if not curvature > 0.0:
            break
        before, energy = energy, advance(x, residual, p, image, energy / curvature, *preconditioner)
        steps += 1
        turn(p, z, energy / before)
    return first


def product(model, alpha, with_intercept, p, sums, image):
    """image = H p; returns p.image."""
    given = model.starts, model.indices, model.values, model.blocks, model.curvatures
    share_out(multiply_blocks, BLOCKS, *given, p, sums, worthwhile=model.indices.size >= WORTH_SHARING)
    if not with_intercept:
        sums[:, -1] = 0.0
    return finish_product(sums, p, alpha, model.ridge_b, image)


def solve_model(model, gradient, gradient_b, alpha, lam, with_intercept, margins, signs, weights, forcing, refine):
    """The solution of the model; `refine` makes its curvatures those on the way there.

    `margins`, `signs` and `weights` are those of the kept rows.
    """
    residual = model.residual.copy()
    x, image, sums = np.zeros(residual.size), np.empty(residual.size), np.empty((BLOCKS, residual.size))
    system = model, alpha, with_intercept
    if not refine:
        conjugate_gradients(*system, x, residual, 0.0, forcing)
        return x
    rows = model.starts, model.indices, model.values, model.own, model.curvatures, model.singles
    first = conjugate_gradients(*system, x, residual, 0.0, FIRST_FORCING)
    for k in range(REFINEMENTS):
        change = mean_curvatures(
            *rows, gradient, gradient_b, model.columns, alpha, x, margins, signs, weights, lam, residual
        )
        if not with_intercept:
            residual[-1] = 0.0
        product(*system, x, sums, image)
        residual -= image
        last = change < SETTLED or k == REFINEMENTS - 1
        conjugate_gradients(*system, x, residual, first, forcing if last else FIRST_FORCING)
        if last:
            break
    return x


@kernel(error_model="numpy")
def best_singles(starts, ids, values, curvatures, alpha, singles, gradient, x, direction):
    """Fill in the direction on the columns left out: the best for the solution x on the others."""
    for k in range(starts.size - 1):
        y = x[x.size - 1]
        for q in range(np.uint64(starts[k]), np.uint64(starts[k + 1])):
            y += (values[q] if values.size > 0 else 1.0) * x[np.uint32(ids[q])]
        pull = curvatures[k] * (y - singles.slopes[k] / alpha)
        for q in range(singles.starts[k], singles.starts[k + 1]):
            j = singles.columns[q]
            direction[j] = -(gradient[j] + pull * (singles.values[q] if values.size > 0 else 1.0)) / alpha


def direction_from(model, gradient, alpha, x):
    """The direction on all columns: x on the model's, the best for that on those left out, else -gradient / alpha."""
    direction = gradient / -alpha
    direction[model.columns] = x[:-1]
    best_singles(
        model.starts, model.indices, model.values, model.curvatures, alpha, model.singles, gradient, x, direction
    )
    return direction
