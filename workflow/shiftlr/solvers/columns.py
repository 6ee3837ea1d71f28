"""Column operations on features, the only place where dense and sparse storage differ.

`features` is a C-contiguous array of shape (m, n), one row per column of X, or a tuple (data, indices, indptr, n_rows)
of a CSC matrix of shape (n, m). Each function below is a plain name; the compiler picks the body by the storage, and
so does a call from Python.
"""

import numpy as np
from numba import types
from numba.extending import overload

from shiftlr.solvers._kernel import options_inside
from shiftlr.solvers.loss import REORDER

_OPTIONS = options_inside(fastmath=REORDER, error_model="numpy")
ALL_AT_HAND, BY_ROW, BY_COLUMN = 0, 1, 2  # layouts of a matrix that columns are copied from
_HEIGHT = 64  # examples per block where columns are copied out of rows
_BLOCK = 1024  # examples per block of a whole Gram matrix: a block of every column stays in the cache
_MANY_COLUMNS = 64  # from here on BLAS multiplies; it has one thread during a fit
_WIDE_BLOCK = 256  # examples per block for BLAS


def column_dot(features, j, vector):
    """Column j times a vector: sum_i x_ij v_i."""
    return _column_dot(features, j, vector)(features, j, vector)


def add_column(features, j, factor, vector):
    """vector += factor * column j."""
    return _add_column(features, j, factor, vector)(features, j, factor, vector)


def add_weighted_column(features, j, factor, weights, vector):
    """vector += factor * weights * column j, elementwise."""
    return _add_weighted_column(features, j, factor, weights, vector)(features, j, factor, weights, vector)


def weighted_square(features, j, weights):
    """sum_i h_i x_ij^2."""
    return _weighted_square(features, j, weights)(features, j, weights)


def column_sums(features, j, weights):
    """(sum_i w_i |x_ij|, sum_i x_ij, sum_i x_ij^2)."""
    return _column_sums(features, j, weights)(features, j, weights)


def fill_gram_row(features, columns, a, curvatures, work, gram):
    """gram[a, c] = gram[c, a] = sum_i h_i x_ia x_ic for slots c = 1..a, where slot c holds column `columns[c]`.

    `work` has length n and is all zero before and, for sparse features, after."""
    return _fill_gram_row(features, columns, a, curvatures, work, gram)(features, columns, a, curvatures, work, gram)


def weighted_gram(columns, weights, gram):
    """gram_jk = sum_i weight_i column_ji column_ki (lower triangle)."""
    return _weighted_gram(columns, weights, gram)(columns, weights, gram)


def copy_columns(features, place, matrix, layout, centre, wanted):
    """Put the `wanted` columns of a matrix, less their centres, at `place` and after it; sparse ones are all there."""
    given = features, place, matrix, layout, centre, wanted
    return _copy_columns(*given)(*given)


def _is_dense(features):
    """Of features or, in the compiler's hands, of their type."""
    return isinstance(features, types.Array | np.ndarray)


@overload(column_dot, jit_options=_OPTIONS)
def _column_dot(features, j, vector):
    def dense(features, j, vector):
        column = features[j]
        total = 0.0
        for i in range(column.size):
            total += column[i] * vector[i]
        return total

    def sparse(features, j, vector):
        data, indices, indptr, _ = features
        total = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            total += data[p] * vector[indices[p]]
        return total

    return dense if _is_dense(features) else sparse


@overload(add_column, jit_options=_OPTIONS)
def _add_column(features, j, factor, vector):
    def dense(features, j, factor, vector):
        column = features[j]
        for i in range(column.size):
            vector[i] += factor * column[i]

    def sparse(features, j, factor, vector):
        data, indices, indptr, _ = features
        for p in range(indptr[j], indptr[j + 1]):
            vector[indices[p]] += factor * data[p]

    return dense if _is_dense(features) else sparse


@overload(add_weighted_column, jit_options=_OPTIONS)
def _add_weighted_column(features, j, factor, weights, vector):
    def dense(features, j, factor, weights, vector):
        column = features[j]
        for i in range(column.size):
            vector[i] += factor * (weights[i] * column[i])

    def sparse(features, j, factor, weights, vector):
        data, indices, indptr, _ = features
        for p in range(indptr[j], indptr[j + 1]):
            i = indices[p]
            vector[i] += factor * (weights[i] * data[p])

    return dense if _is_dense(features) else sparse


@overload(weighted_square, jit_options=_OPTIONS)
def _weighted_square(features, j, weights):
    def dense(features, j, weights):
        column = features[j]
        total = 0.0
        for i in range(column.size):
            total += weights[i] * column[i] * column[i]
        return total

    def sparse(features, j, weights):
        data, indices, indptr, _ = features
        total = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            total += weights[indices[p]] * data[p] * data[p]
        return total

    return dense if _is_dense(features) else sparse


@overload(column_sums, jit_options=_OPTIONS)
def _column_sums(features, j, weights):
    def dense(features, j, weights):
        column = features[j]
        reach = 0.0
        total = 0.0
        squares = 0.0
        for i in range(column.size):
            reach += weights[i] * abs(column[i])
            total += column[i]
            squares += column[i] * column[i]
        return reach, total, squares

    def sparse(features, j, weights):
        data, indices, indptr, _ = features
        reach = 0.0
        total = 0.0
        squares = 0.0
        for p in range(indptr[j], indptr[j + 1]):
            reach += weights[indices[p]] * abs(data[p])
            total += data[p]
            squares += data[p] * data[p]
        return reach, total, squares

    return dense if _is_dense(features) else sparse


@overload(fill_gram_row, jit_options=_OPTIONS)
def _fill_gram_row(features, columns, a, curvatures, work, gram):
    def dense(features, columns, a, curvatures, work, gram):
        column = features[columns[a]]
        n = column.size
        for i in range(n):
            work[i] = curvatures[i] * column[i]
        c = 1
        while c + 3 <= a:  # four at a time: `work` is read once for four columns
            first = features[columns[c]]
            second = features[columns[c + 1]]
            third = features[columns[c + 2]]
            fourth = features[columns[c + 3]]
            s1 = 0.0
            s2 = 0.0
            s3 = 0.0
            s4 = 0.0
            for i in range(n):
                s1 += work[i] * first[i]
                s2 += work[i] * second[i]
                s3 += work[i] * third[i]
                s4 += work[i] * fourth[i]
            gram[a, c] = s1
            gram[a, c + 1] = s2
            gram[a, c + 2] = s3
            gram[a, c + 3] = s4
            c += 4
        while c <= a:
            gram[a, c] = column_dot(features, columns[c], work)
            c += 1
        for c in range(1, a):
            gram[c, a] = gram[a, c]

    def sparse(features, columns, a, curvatures, work, gram):
        data, indices, indptr, _ = features
        j = columns[a]
        for p in range(indptr[j], indptr[j + 1]):
            work[indices[p]] = curvatures[indices[p]] * data[p]
        for c in range(1, a + 1):
            gram[a, c] = column_dot(features, columns[c], work)
            gram[c, a] = gram[a, c]
        for p in range(indptr[j], indptr[j + 1]):
            work[indices[p]] = 0.0

    return dense if _is_dense(features) else sparse


@overload(copy_columns, jit_options=_OPTIONS)
def _copy_columns(features, place, matrix, layout, centre, wanted):
    def dense(features, place, matrix, layout, centre, wanted):
        n = features.shape[1]
        height = n if layout == BY_COLUMN else _HEIGHT
        for start in range(0, n, height):
            end = min(start + height, n)
            for k in range(wanted.size):
                j = wanted[k]
                column = features[place + k]
                middle = centre[j]
                if layout == BY_COLUMN:
                    given = matrix[j]
                    for i in range(n):
                        column[i] = given[i] - middle
                else:
                    for i in range(start, end):
                        column[i] = matrix[i, j] - middle

    def sparse(features, place, matrix, layout, centre, wanted):
        pass

    return dense if _is_dense(features) else sparse


@overload(weighted_gram, jit_options=_OPTIONS)
def _weighted_gram(columns, weights, gram):
    def dense(columns, weights, gram):
        size, n = columns.shape
        gram[:, :] = 0.0
        if size < _MANY_COLUMNS:
            scaled = np.empty(min(_BLOCK, n))
            for start in range(0, n, _BLOCK):
                width = min(_BLOCK, n - start)
                block_weights = weights[start : start + width]
                for j in range(size):
                    column_j = columns[j, start : start + width]
                    for i in range(width):
                        scaled[i] = column_j[i] * block_weights[i]
                    for k in range(j + 1):
                        column_k = columns[k, start : start + width]
                        total = 0.0
                        for i in range(width):
                            total += scaled[i] * column_k[i]
                        gram[j, k] += total
            return
        width = min(_WIDE_BLOCK, n)
        block, weighted = np.zeros((size, width)), np.zeros((size, width))
        product = np.empty((size, size))
        for start in range(0, n, width):
            used = min(width, n - start)
            for j in range(size):
                for i in range(used):
                    block[j, i] = columns[j, start + i]
                    weighted[j, i] = columns[j, start + i] * weights[start + i]
                for i in range(used, width):
                    weighted[j, i] = 0.0
            np.dot(weighted, block.T, product)
            gram += product

    def sparse(columns, weights, gram):
        data, indices, indptr, n = columns
        scaled = np.zeros(n)
        for j in range(gram.shape[0]):
            for p in range(indptr[j], indptr[j + 1]):
                scaled[indices[p]] = data[p] * weights[indices[p]]
            for k in range(j + 1):
                gram[j, k] = column_dot(columns, k, scaled)
            for p in range(indptr[j], indptr[j + 1]):
                scaled[indices[p]] = 0.0

    return dense if _is_dense(columns) else sparse
