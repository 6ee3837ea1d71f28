"""Sparse feature rows made ready for the L2 solvers: fixed partitions, products.

Every product runs over a fixed partition of the rows, whatever the number of threads, so that results have the same
bits for any number: x.theta is a sum along a row, X^T u a sum for each of a few blocks of rows, added in their order.
No transposed copy is kept: adding rows up is faster than summing along columns, most of which are short.
`values` of length 0 stands for a matrix of ones. No row may hold a column twice.
Indices are cast to unsigned types, and these loops are not reordered, because that more than doubles their speed:
signed ones are tested for counting from the end, and gather instructions are slower than single loads.

Renumbering columns by frequency and merging identical ones was measured and left out: one fit gains less from it
than the preparation costs.
"""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.loss import REORDER
from shiftlr.solvers.storage import plain
from shiftlr.solvers.threads import share_out

CHUNKS = 8  # the partition of every loop that is shared out, whatever the number of threads
BLOCKS = 2  # of these chunks, each with sums of its own for the columns
WORTH_SHARING = 200_000  # entries; products of fewer take less than 0.2 ms, and waking a thread some of that
NO_VALUES = np.empty(0)


class PreparedRows(NamedTuple):
    """A feature matrix with all that is made once for it; see `prepare_rows`."""

    indptr: np.ndarray  # int64, row starts
    indices: np.ndarray  # int32, columns
    values: np.ndarray  # float64, or of length 0 for ones
    row_chunks: np.ndarray  # int64, CHUNKS + 1 bounds of about equal entries
    squared_norms: np.ndarray  # float64, sum_j x_ij^2 for each row
    counts: np.ndarray  # int32, entries of each column

    @property
    def n_rows(self):
        return self.indptr.size - 1

    @property
    def n_features(self):
        return self.counts.size

    @property
    def blocks(self):
        """BLOCKS + 1 bounds of the blocks of rows."""
        return self.row_chunks[:: CHUNKS // BLOCKS].copy()

    @property
    def worth_sharing(self):
        return self.indices.size >= WORTH_SHARING


@kernel(error_model="numpy")
def chunk_bounds(starts, n_chunks):
    """n_chunks + 1 bounds that share out rows (or columns) so that each chunk has about the same number of entries."""
    n = starts.size - 1
    bounds = np.zeros(n_chunks + 1, np.int64)
    for c in range(1, n_chunks):
        # each row also counts for itself: rows may be empty
        goal = (starts[n] + n) * c // n_chunks
        low, high = bounds[c - 1], n
        while low < high:
            middle = (low + high) // 2
            if starts[middle] + middle < goal:
                low = middle + 1
            else:
                high = middle
        bounds[c] = low
    bounds[n_chunks] = n
    return bounds


@kernel(error_model="numpy")
def transposed(indptr, indices, values, n_columns):
    """(starts, rows, values) of the transposed copy; rows rise along each column."""
    starts = np.zeros(n_columns + 1, np.int64)
    for q in range(indices.size):
        starts[np.uint64(indices[q]) + np.uint64(1)] += 1
    for column in range(n_columns):
        starts[column + 1] += starts[column]
    place = starts[:n_columns].copy()
    rows = np.empty(indices.size, np.int32)
    column_values = np.empty(values.size)
    for i in range(indptr.size - 1):
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = np.uint32(indices[q])
            p = np.uint64(place[j])
            place[j] += 1
            rows[p] = i
            if values.size > 0:
                column_values[p] = values[q]
    return starts, rows, column_values


@kernel(error_model="numpy", fastmath=REORDER)
def squares_along(starts, values, factors, ids):
    """sum_q values[q]^2 factors[ids[q]] along each row; an empty `factors` stands for ones."""
    total = np.zeros(starts.size - 1)
    for i in range(total.size):
        z = 0.0
        for q in range(starts[i], starts[i + 1]):
            square = values[q] * values[q] if values.size > 0 else 1.0
            z += square * factors[ids[q]] if factors.size > 0 else square
        total[i] = z
    return total


@kernel(error_model="numpy")
def products_between(starts, ids, values, vector, offset, first, last, out):
    """out[i] = offset + sum_q values[q] vector[ids[q]] along the rows (or columns of a transposed copy) first..last."""
    for i in range(first, last):
        z = 0.0
        if values.size > 0:
            for q in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                z += values[q] * vector[np.uint32(ids[q])]
        else:
            for q in range(np.uint64(starts[i]), np.uint64(starts[i + 1])):
                z += vector[np.uint32(ids[q])]
        out[i] = offset + z


@kernel(error_model="numpy", nogil=True)
def products_of_chunks(first, last, starts, ids, values, vector, offset, chunks, out):
    """`products_between` for the chunks first..last."""
    products_between(starts, ids, values, vector, offset, chunks[first], chunks[last], out)


@kernel(error_model="numpy")
def add_rows(indptr, indices, values, factors, first, last, sums):
    """sums[j] = sum_i factors[i] x_ij over the rows first..last."""
    sums[:] = 0.0
    for i in range(first, last):
        factor = factors[i]
        if values.size > 0:
            for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                sums[np.uint32(indices[q])] += values[q] * factor
        else:
            for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
                sums[np.uint32(indices[q])] += factor


@kernel(error_model="numpy", nogil=True)
def add_rows_of_blocks(first, last, indptr, indices, values, factors, blocks, sums):
    """`add_rows` for the blocks first..last, each into its own row of `sums`."""
    for block in range(first, last):
        add_rows(indptr, indices, values, factors, blocks[block], blocks[block + 1], sums[block])


@kernel(error_model="numpy")
def count_entries(indices, n_columns):
    """How many entries each column has."""
    counts = np.zeros(n_columns, np.int32)
    for q in range(indices.size):
        counts[np.uint32(indices[q])] += np.int32(1)
    return counts


def prepare_rows(indptr, indices, data, n_features):
    """Check and copy a CSR matrix into `PreparedRows`; `data` None means that every stored entry is 1."""
    indptr, indices = plain(indptr, np.int64), plain(indices, np.int32)
    values = NO_VALUES if data is None else plain(data, np.float64)
    if data is not None and values.size == 0:
        values = NO_VALUES
    norms = squares_along(indptr, values, NO_VALUES, indices)
    chunks = chunk_bounds(indptr, CHUNKS)
    return PreparedRows(indptr, indices, values, chunks, norms, count_entries(indices, n_features))


def row_products(rows, theta, intercept, out):
    """out = X theta + intercept."""
    given = rows.indptr, rows.indices, rows.values, theta, intercept, rows.row_chunks, out
    share_out(products_of_chunks, CHUNKS, *given, worthwhile=rows.worth_sharing)
    return out


def column_products(rows, u, out):
    """out = X^T u."""
    sums = np.empty((BLOCKS, rows.n_features))
    given = rows.indptr, rows.indices, rows.values, u, rows.blocks, sums
    share_out(add_rows_of_blocks, BLOCKS, *given, worthwhile=rows.worth_sharing)
    np.sum(sums, axis=0, out=out)
    return out


@kernel(error_model="numpy")
def dropping_columns(indptr, indices, dropped):
    """(indptr, indices) of a matrix of ones without the columns that `dropped` says."""
    starts, kept = np.zeros(indptr.size, np.int64), np.empty(indices.size, np.int32)
    end = 0
    for i in range(indptr.size - 1):
        for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
            j = indices[q]
            kept[end] = j
            end += 0 if dropped[np.uint32(j)] else 1
        starts[i + 1] = end
    return starts, kept[:end]


def without_columns(rows, dropped):
    """Prepared rows of ones with some columns emptied."""
    indptr, indices = dropping_columns(rows.indptr, rows.indices, dropped)
    return prepare_rows(indptr, indices, None, rows.n_features)
