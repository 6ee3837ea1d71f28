"""Row operations on features, dense or sparse, for solvers that go through the examples one by one.

`rows` is a C-contiguous array of shape (n, m), or a tuple (data, indices, indptr) of a CSR matrix of that shape, where
`data` of length 0 stands for ones. Each function below is a plain name; the compiler picks the body by the storage,
and so does a call from Python. As in `rows.py`, indices are cast to unsigned types, which more than doubles the speed.
"""

import numpy as np
from numba import types
from numba.extending import overload

from shiftlr.solvers._kernel import options_inside
from shiftlr.solvers.loss import REORDER

_OPTIONS = options_inside(fastmath=REORDER, error_model="numpy")


def row_dot(rows, i, theta):
    """x_i.theta."""
    return _row_dot(rows, i, theta)(rows, i, theta)


def add_row(rows, i, factor, theta):
    """theta += factor x_i."""
    return _add_row(rows, i, factor, theta)(rows, i, factor, theta)


def clear_row(rows, i, theta):
    """theta = 0 wherever x_i is stored."""
    return _clear_row(rows, i, theta)(rows, i, theta)


def squared_norm(rows, i):
    """x_i.x_i."""
    return _squared_norm(rows, i)(rows, i)


def take_rows(rows, numbers):
    """A copy of the rows with these numbers, stored one after the other; for Python alone."""
    if _is_dense(rows):
        return rows[numbers]
    data, indices, indptr = rows
    lengths = indptr[numbers + 1] - indptr[numbers]
    starts = np.zeros(numbers.size + 1, indptr.dtype)
    np.cumsum(lengths, out=starts[1:])
    places = np.repeat(indptr[numbers] - starts[:-1], lengths) + np.arange(starts[-1])
    return data[places] if data.size > 0 else data, indices[places], starts


def _is_dense(rows):
    """Of rows or, in the compiler's hands, of their type."""
    return isinstance(rows, types.Array | np.ndarray)


@overload(row_dot, jit_options=_OPTIONS)
def _row_dot(rows, i, theta):
    def dense(rows, i, theta):
        row = rows[i]
        total = 0.0
        for j in range(row.size):
            total += row[j] * theta[j]
        return total

    def sparse(rows, i, theta):
        data, indices, indptr = rows
        total = 0.0
        if data.size > 0:
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                total += data[p] * theta[np.uint32(indices[p])]
        else:
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                total += theta[np.uint32(indices[p])]
        return total

    return dense if _is_dense(rows) else sparse


@overload(add_row, jit_options=_OPTIONS)
def _add_row(rows, i, factor, theta):
    def dense(rows, i, factor, theta):
        row = rows[i]
        for j in range(row.size):
            theta[j] += factor * row[j]

    def sparse(rows, i, factor, theta):
        data, indices, indptr = rows
        if data.size > 0:
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                theta[np.uint32(indices[p])] += factor * data[p]
        else:
            for p in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                theta[np.uint32(indices[p])] += factor

    return dense if _is_dense(rows) else sparse


@overload(clear_row, jit_options=_OPTIONS)
def _clear_row(rows, i, theta):
    def dense(rows, i, theta):
        theta[: rows.shape[1]] = 0.0

    def sparse(rows, i, theta):
        _, indices, indptr = rows
        for p in range(indptr[i], indptr[i + 1]):
            theta[indices[p]] = 0.0

    return dense if _is_dense(rows) else sparse


@overload(squared_norm, jit_options=_OPTIONS)
def _squared_norm(rows, i):
    def dense(rows, i):
        row = rows[i]
        total = 0.0
        for j in range(row.size):
            total += row[j] * row[j]
        return total

    def sparse(rows, i):
        data, _, indptr = rows
        if data.size == 0:
            return float(indptr[i + 1] - indptr[i])
        total = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            total += data[p] * data[p]
        return total

    return dense if _is_dense(rows) else sparse
