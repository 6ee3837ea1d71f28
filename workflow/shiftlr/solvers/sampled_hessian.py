"""The Hessian of some rows, alpha I + Z^T D Z for the kept rows Z and their curvatures D, made small.

More than half of the columns have one entry in Z. Those of row i, with the square sum k_i and the product
q_i = x.gradient, are left out of the system: with y_i what the other columns give row i, its value at the minimum over
those left out is (alpha y_i - q_i) / (alpha + c_i k_i), as if its curvature were c_i alpha / (alpha + c_i k_i) and its
gradient in y_i smaller by c_i q_i / (alpha + c_i k_i). `conjugate_gradients.py` solves the system.
"""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.loss import REORDER
from shiftlr.solvers.rows import BLOCKS, chunk_bounds

HOT_COLUMNS = 256  # the block of frequent columns whose part of the Hessian is factored
HOT_ROWS = 5_000  # about as many rows tell enough of that block


class Model(NamedTuple):
    """The system for the columns with several entries in the kept rows, and its preconditioner."""

    columns: np.ndarray  # int32, numbers of these columns in the whole matrix
    starts: np.ndarray
    indices: np.ndarray
    values: np.ndarray
    blocks: np.ndarray  # int64, BLOCKS + 1 bounds of the rows
    own: np.ndarray  # curvatures of the rows, and
    curvatures: np.ndarray  # as the columns left out make them
    residual: np.ndarray  # minus the gradient, the intercept last
    inverses: np.ndarray  # of the diagonal, 0 in the factored block
    hot: np.ndarray  # int64, the columns of that block (the intercept among them, if there is one)
    factor: np.ndarray  # its Cholesky factor after scaling to a diagonal of ones
    scale: np.ndarray  # that scaling
    singles: "Singles"
    ridge_b: float  # added to the intercept's curvature, which may be 0


class Singles(NamedTuple):
    """The columns with one entry in the kept rows, row by row."""

    starts: np.ndarray
    columns: np.ndarray  # int32, in the whole matrix
    values: np.ndarray
    square_sums: np.ndarray  # k_i
    slopes: np.ndarray  # q_i


@kernel(error_model="numpy")
def gather_rows(indptr, indices, values, kept, counts):
    """(starts, columns, values) of the kept rows; `counts`, zeros before, gets the entries of each column."""
    starts = np.zeros(kept.size + 1, np.int64)
    for k in range(kept.size):
        starts[k + 1] = starts[k] + indptr[kept[k] + 1] - indptr[kept[k]]
    columns = np.empty(starts[kept.size], np.int32)
    kept_values = np.empty(starts[kept.size] if values.size > 0 else 0)
    for k in range(kept.size):
        low, to, end = np.uint64(indptr[kept[k]]), np.uint64(starts[k]), np.uint64(starts[k + 1])
        for q in range(end - to):
            j = indices[low + q]
            columns[to + q] = j
            counts[np.uint32(j)] += np.int32(1)
            if values.size > 0:
                kept_values[to + q] = values[low + q]
    return starts, columns, kept_values


@kernel(error_model="numpy")
def number_columns(counts):
    """Number the columns of several entries: `counts` becomes the numbers, -1 for others; (columns, their counts)."""
    used = 0
    columns, their_counts = np.empty(counts.size, np.int32), np.empty(counts.size, np.int32)
    for j in range(counts.size):
        count = counts[j]
        columns[used], their_counts[used] = j, count
        counts[j] = used if count > 1 else -1
        used += 1 if count > 1 else 0
    return columns[:used].copy(), their_counts[:used].copy()


@kernel(error_model="numpy")
def leave_singles_out(starts, ids, values, numbers, curvatures, gradient, alpha, diagonal, residual):
    """Cut the kept rows down, in place, to the columns that `numbers` has a number for, and put these in their stead.

    Adds to the diagonal and the residual (the intercept's last), makes the curvatures those of the smaller system.
    Returns (number of entries left, `Singles`).
    """
    n = starts.size - 1
    single_starts, single_columns = np.zeros(n + 1, np.int64), np.empty(numbers.size, np.int32)
    single_values = np.empty(numbers.size if values.size > 0 else 0)
    square_sums, slopes = np.zeros(n), np.zeros(n)
    begin, end, singles = 0, 0, 0
    for k in range(n):
        first = end
        for q in range(begin, starts[k + 1]):
            j = np.uint32(ids[q])
            x = values[q] if values.size > 0 else 1.0
            number = numbers[j]
            if number >= 0:
                ids[end] = number
                if values.size > 0:
                    values[end] = x
                end += 1
            else:
                single_columns[singles] = j
                if values.size > 0:
                    single_values[singles] = x
                singles += 1
                square_sums[k] += x * x
                slopes[k] += x * gradient[j]
        begin, starts[k + 1], single_starts[k + 1] = starts[k + 1], end, singles
        share = curvatures[k] / (alpha + curvatures[k] * square_sums[k])
        curvature, pull = alpha * share, share * slopes[k]
        curvatures[k] = curvature
        residual[residual.size - 1] += pull
        for q in range(np.uint64(first), np.uint64(end)):
            x = values[q] if values.size > 0 else 1.0
            number = np.uint32(ids[q])
            diagonal[number] += curvature * x * x
            residual[number] += pull * x
    single_values = single_values[: singles if values.size > 0 else 0]
    return end, Singles(single_starts, single_columns[:singles], single_values, square_sums, slopes)


@kernel(error_model="numpy")
def hot_block(starts, ids, values, curvatures, place, with_intercept, size, stride):
    """Lower half of Z^T D Z on the columns with place[j] >= 0, the intercept last; by one of `stride` rows."""
    block = np.zeros((size, size))
    where = np.empty(size, np.int64)
    x = np.empty(size)
    for i in range(0, starts.size - 1, stride):
        found = 0
        for q in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
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
            scaled = stride * curvatures[i] * x[a]
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


def build_model(rows, kept, curvatures, gradient, gradient_b, alpha, with_intercept, total_weight, scratch):
    """Cut out the kept rows' part of the matrix, factor the hot block; `scratch` is an int32 for each column."""
    scratch[:] = 0
    starts, ids, values = gather_rows(rows.indptr, rows.indices, rows.values, kept, scratch)
    columns, counts = number_columns(scratch)
    m = columns.size
    diagonal, residual = np.full(m + 1, alpha), np.zeros(m + 1)
    residual[:m] -= gradient[columns]
    lowered = curvatures.copy()
    size, singles = leave_singles_out(starts, ids, values, scratch, lowered, gradient, alpha, diagonal, residual)
    ids, values = ids[:size], values[:size]
    ridge_b = 1e-12 * total_weight if with_intercept else 1.0
    diagonal[m] = ridge_b + (lowered.sum() if with_intercept else 0.0)
    residual[m] = residual[m] - gradient_b if with_intercept else 0.0
    # a column weighs in the block by its entries, as far as they outweigh the penalty
    score = (1.0 - alpha / diagonal[:m]) * counts
    size = min(m, HOT_COLUMNS)
    hot = np.sort(np.argpartition(-score, size - 1)[:size]) if size > 0 else np.empty(0, np.int64)
    place = np.full(m, -1, np.int32)
    place[hot] = np.arange(size)
    if with_intercept:
        hot = np.append(hot, m)
    stride = max(1, kept.size // HOT_ROWS)
    block = hot_block(starts, ids, values, lowered, place, with_intercept, hot.size, stride)
    if stride > 1:  # the diagonal of the same rows, or the block might not be positive definite
        diagonal[hot] = np.where(hot < m, alpha, ridge_b) + block.diagonal()
    scale = factor_block(block, diagonal[hot])
    inverses = 1.0 / diagonal
    inverses[hot] = 0.0
    system = columns, starts, ids, values, chunk_bounds(starts, BLOCKS), curvatures.copy(), lowered, residual
    return Model(*system, inverses, hot, block, scale, singles, ridge_b)
