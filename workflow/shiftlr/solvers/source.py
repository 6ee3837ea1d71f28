"""Where the L1 solver's columns come from: a large dense matrix is read where it lies, and few of its columns copied.

The solver works on columns, one after the other in memory. A large matrix is neither transposed nor centred as a whole
for it: sums over all columns are taken in one pass over the matrix as it is (`dense_passes.py`), and only columns that
the solver works on are copied, and centred, when they are first asked for.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import ALL_AT_HAND, BY_COLUMN, BY_ROW, column_dot, column_sums, copy_columns
from shiftlr.solvers.dense_passes import look_over, multiply, spread_of
from shiftlr.solvers.loss import REORDER


class Source(NamedTuple):
    """The matrix behind `features`, which hold those of its columns, less their centres, that are at hand.

    With per-column figures after centring: reach = sum_i w_i |x_ij|, mean, spread = ||x_j - mean_j||.
    """

    matrix: np.ndarray  # (n, m) by row, (m, n) by column; read-only; without entries if all columns are at hand
    layout: int
    centre: np.ndarray
    place: np.ndarray  # of each column in the features, -1 if it is not at hand
    filled: np.ndarray  # (1,): how many are
    reach: np.ndarray
    mean: np.ndarray
    spread: np.ndarray


def as_stored(X):
    """(matrix, layout): a dense X or its transpose, whichever is contiguous, as a read-only view."""
    flags = X.flags
    by_column = flags.f_contiguous and not flags.c_contiguous
    matrix = X.T if by_column else X
    matrix = matrix.view() if matrix.flags.carray else np.require(matrix, None, ("C", "A")).view()
    matrix.flags.writeable = False  # kernels are compiled for one kind of array
    return matrix, BY_COLUMN if by_column else BY_ROW


_NOTHING = np.empty((0, 0))
_NOTHING.flags.writeable = False
_NO_CENTRE = np.zeros(0)


def all_at_hand(figures):
    """The source of features of which every column is there, dense or sparse."""
    return Source(_NOTHING, ALL_AT_HAND, _NO_CENTRE, *_all_placed(len(figures[0])), *figures)


@lru_cache(maxsize=8)  # nobody writes to them, since no column is ever missing
def _all_placed(m):
    """`place` and `filled` of a source with all columns."""
    return np.arange(m), np.array([m])


def none_at_hand(matrix, layout, centre, figures):
    """(features, source) of a dense matrix: room for all columns, which takes up memory only where it is written to."""
    m = len(centre)
    n = matrix.shape[0] if layout == BY_ROW else matrix.shape[1]
    return np.empty((m, n)), Source(matrix, layout, centre, np.full(m, -1), np.zeros(1, np.int64), *figures)


@kernel(fastmath=REORDER, error_model="numpy")
def figures_at_hand(features, weights, m):
    """reach, mean and spread of each column."""
    n = weights.size
    reach, mean, spread = np.empty(m), np.empty(m), np.empty(m)
    for j in range(m):
        reach[j], total, squares = column_sums(features, j, weights)
        mean[j] = total / n
        spread[j] = spread_of(total, squares, n)
    return reach, mean, spread


@kernel(error_model="numpy")
def all_columns(matrix, layout, centre, n):
    """(m, n): every column, less its centre."""
    features = np.empty((centre.size, n))
    copy_columns(features, 0, matrix, layout, centre, np.arange(centre.size))
    return features


@kernel(error_model="numpy")
def prepared_columns(matrix, layout, weights, fit_intercept, sample, ratio, weight_ratio, copies):
    """`look_over` and, unless rows are outlying, `all_columns` if `copies` says so: (features, uneven, extent, ...).

    Weights are uneven if the largest is more than `weight_ratio` times the least.
    """
    uneven = weights.max() > weight_ratio * weights.min()
    extent, outlying, centre, reach, mean, spread = look_over(matrix, layout, weights, fit_intercept, sample, ratio)
    if copies and not outlying:
        features = all_columns(matrix, layout, centre, weights.size)
    else:
        features = np.empty((0, 0))
    return features, uneven, extent, outlying, centre, reach, mean, spread


@kernel(error_model="numpy")
def bring(features, source, columns, wanted):
    """See to it that `columns` are at hand; `wanted` is scratch."""
    count = 0
    start = source.filled[0]
    for k in range(columns.size):
        j = columns[k]
        if source.place[j] < 0:
            source.place[j] = start + count
            wanted[count] = j
            count += 1
    if count > 0:
        copy_columns(features, start, source.matrix, source.layout, source.centre, wanted[:count])
        source.filled[0] = start + count


@kernel(fastmath=REORDER, error_model="numpy")
def multiply_all(features, source, vector, products):
    """products_j = x_j.vector for every column, after centring."""
    if source.layout == ALL_AT_HAND:
        for j in range(products.size):
            products[j] = column_dot(features, j, vector)
        return
    multiply(source.matrix, source.layout, vector, products)
    total = 0.0
    for i in range(vector.size):
        total += vector[i]
    for j in range(products.size):
        products[j] -= total * source.centre[j]
