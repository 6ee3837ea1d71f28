"""Exact nearest neighbours among the rows of a large sparse matrix, by Euclidean distance.

Distances from one row to all others are |x|^2 + |z|^2 - 2 x.z, with x.z gathered from the columns of x; all that is
kept at a time is one such line of distances for each chunk. Equal distances are ordered by row number, so that the
order is total: leaving rows out of a list of neighbours gives the list of a search without these rows (`restrict`).

For a matrix of ones, distances are whole numbers, kept in the smallest type that holds them, which makes the search
several times faster; and the most frequent columns, on which most of the time would go, are bits of one word per row.
For other values, each x.z is a sum in the order of the columns, so that its bits depend on x and z only, not on which
other rows there are or on the number of threads.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.rows import CHUNKS, NO_VALUES, transposed
from shiftlr.solvers.storage import plain
from shiftlr.solvers.threads import share_out
from shiftlr.validation import each_entry_once

BLOCK = 256  # distances looked at together, to see whether any is small enough
WORD = 64  # bits
NO_WORDS = np.empty(0, np.uint64)


class Searchable(NamedTuple):
    """Rows made ready for a search; see `make_searchable`."""

    indptr: np.ndarray  # int64, row starts
    indices: np.ndarray  # int32, columns
    values: np.ndarray  # float64, or of length 0 for ones
    column_starts: np.ndarray  # int64, the transposed copy: starts,
    column_rows: np.ndarray  # int32, rows,
    column_values: np.ndarray  # float64 or of length 0, values
    words: np.ndarray  # uint64, for ones only: the columns that are left out above because they are frequent
    norms: np.ndarray  # |x|^2 of what is not in the words; its type is that of distances


def nearest_rows(X, k):
    """The k nearest other rows of each row of the sparse matrix X: an (n, k) array of row numbers, nearest first."""
    return _nearest_of(_checked_rows(X, k), np.arange(X.shape[0]), k)


def restrict(neighbours, X, members, k):
    """`nearest_rows(X[members], k)`, from a table of the neighbours that the rows of X have among all of them.

    `members` is a mask, or rising row numbers; the row numbers returned count members only. Rows with fewer than k
    members in the table are searched for anew.
    """
    members = _checked_members(members, X.shape[0])
    places = np.full(X.shape[0], -1, np.int32)
    places[members] = np.arange(len(members), dtype=np.int32)
    found = places[neighbours[members]]
    is_member = found >= 0
    enough = is_member.sum(axis=1) >= k
    nearest = np.empty((len(members), k), np.int32)
    first = is_member[enough] & (np.cumsum(is_member[enough], axis=1) <= k)
    nearest[enough] = found[enough][first].reshape(-1, k)
    if not enough.all():
        short = np.flatnonzero(~enough)
        nearest[short] = _nearest_of(_checked_rows(X[members], k), short, k)
    return nearest


def _checked_members(members, n):
    """Row numbers, of a mask or of row numbers."""
    members = np.asarray(members)
    if members.dtype == bool:
        if members.shape != (n,):
            raise ValueError(f"members.shape == {members.shape}: a mask must be ({n},), a flag for each row of X")
        return np.flatnonzero(members)
    # they must rise because equal distances are ordered by row number
    if members.dtype.kind not in "iu" or members.ndim != 1 or np.any(np.diff(members) <= 0):
        raise ValueError(f"members={members!r}: must be a mask, or row numbers that rise; sort them")
    if len(members) and not 0 <= members[0] <= members[-1] < n:
        raise ValueError(f"members run from {members[0]} to {members[-1]}: must be rows of X, from 0 to {n - 1}")
    return members


def _checked_rows(X, k):
    """X as CSR with each entry stored once and columns rising, if it has enough rows."""
    n = X.shape[0]
    if not 1 <= k < n:
        raise ValueError(f"k={k}: a row of {n} has from 1 to {n - 1} neighbours; use a k in this range")
    return each_entry_once(sparse.csr_array(X, dtype=np.float64))


def _nearest_of(X, queries, k):
    """The k nearest rows of X for some of its rows."""
    rows = make_searchable(X)
    nearest = np.empty((len(queries), k), np.int32)
    share_out(search, CHUNKS, *rows, _beyond_all(rows.norms.dtype), queries, nearest)
    return nearest


def _beyond_all(kind):
    """A distance larger than any."""
    return kind.type(np.inf if kind.kind == "f" else np.iinfo(kind).max)


def make_searchable(X):
    """The rows of a CSR matrix, with a transposed copy and, if all entries are 1, the words of frequent columns."""
    indptr, indices = X.indptr.astype(np.int64), X.indices.astype(np.int32)
    if np.all(X.data == 1.0):
        indptr, indices, words = split_frequent(indptr, indices, X.shape[1])
        sizes = np.diff(indptr)
        # one more than the largest distance marks what is no neighbour
        norms = sizes.astype(np.min_scalar_type(2 * int(sizes.max()) + WORD + 1))
        values = NO_VALUES
    else:
        values, words = plain(X.data), NO_WORDS
        norms = squares_in_order(indptr, values)
        if not np.isfinite(4.0 * norms.max()):
            raise ValueError("X: squared distances are not finite; leave out NaN and inf, and scale the features")
    column_starts, column_rows, column_values = transposed(indptr, indices, values, X.shape[1])
    return Searchable(indptr, indices, values, column_starts, column_rows, column_values, words, norms)


def split_frequent(indptr, indices, n_columns):
    """(indptr, indices, words): the matrix of ones without its most frequent columns, and these as bits of words."""
    counts = np.bincount(indices, minlength=n_columns)
    frequent = np.argsort(-counts, kind="stable")[:WORD]
    bits = np.zeros(n_columns, np.uint64)
    bits[frequent] = np.uint64(1) << np.arange(len(frequent), dtype=np.uint64)
    entry_stays = (bits == 0)[indices]
    starts = np.concatenate([[0], np.cumsum(entry_stays)])[indptr]
    return starts, indices[entry_stays], words_of_rows(indptr, indices, bits)


@kernel(error_model="numpy")
def words_of_rows(indptr, indices, bits):
    """The bits of each row's columns, in one word per row."""
    words = np.zeros(indptr.size - 1, np.uint64)
    for i in range(words.size):
        for q in range(indptr[i], indptr[i + 1]):
            words[i] |= bits[indices[q]]
    return words


@kernel(error_model="numpy")
def squares_in_order(indptr, values):
    """|x|^2 of each row, summed in the order in which `distances_by_values` sums x.x: copies have distance 0."""
    norms = np.zeros(indptr.size - 1)
    for i in range(norms.size):
        for q in range(indptr[i], indptr[i + 1]):
            norms[i] += values[q] * values[q]
    return norms


@kernel(error_model="numpy")
def bits_set(word):
    """How many bits of a 64-bit word are set; compilers know this formula and use the instruction for it."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@kernel(error_model="numpy")
def distances_of_ones(indptr, indices, column_starts, column_rows, words, norms, i, distances):
    """Squared distances from row i of a matrix of ones to all rows."""
    word, norm = words[i], norms[i]
    for z in range(distances.size):
        distances[z] = norm + norms[z] + bits_set(word ^ words[z])
    for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j = np.uint64(np.uint32(indices[q]))
        for p in range(np.uint64(column_starts[j]), np.uint64(column_starts[j + np.uint64(1)])):
            distances[np.uint32(column_rows[p])] -= 2


@kernel(error_model="numpy")
def distances_by_values(indptr, indices, values, column_starts, column_rows, column_values, norms, i, distances):
    """Squared distances from row i to all rows; rounding may not make them negative."""
    distances[:] = 0.0
    for q in range(np.uint64(indptr[i]), np.uint64(indptr[i + 1])):
        j = np.uint64(np.uint32(indices[q]))
        value = values[q]
        for p in range(np.uint64(column_starts[j]), np.uint64(column_starts[j + np.uint64(1)])):
            distances[np.uint32(column_rows[p])] += value * column_values[p]
    for z in range(distances.size):
        distances[z] = max(norms[i] + norms[z] - 2.0 * distances[z], 0.0)


# no distance is NaN, and -0 and 0 are equal: with this known, the minimum is taken in vector lanes
@kernel(error_model="numpy", fastmath={"nnan", "nsz"})
def smallest_between(distances, first, last):
    """The smallest distance in a block."""
    least = distances[first]
    for z in range(np.uint64(first), np.uint64(last)):
        least = min(least, distances[z])
    return least


@kernel(error_model="numpy")
def insert(distance, z, best, nearest):
    """Put row z in its place behind all that are as near, and drop the last one."""
    place = best.size - 1
    while place > 0 and best[place - 1] > distance:
        best[place] = best[place - 1]
        nearest[place] = nearest[place - 1]
        place -= 1
    best[place] = distance
    nearest[place] = z


@kernel(error_model="numpy")
def keep_nearest(distances, none, best, nearest):
    """Fill `nearest` with the rows of smallest distance, in order; `none` is a distance that no row has."""
    best[:] = none
    worst = best.size - 1
    for first in range(0, distances.size, BLOCK):
        last = min(first + BLOCK, distances.size)
        if smallest_between(distances, first, last) < best[worst]:
            for z in range(first, last):
                if distances[z] < best[worst]:
                    insert(distances[z], z, best, nearest)


@kernel(error_model="numpy", nogil=True)
def search(
    first,
    last,
    indptr,
    indices,
    values,
    column_starts,
    column_rows,
    column_values,
    words,
    norms,
    none,
    queries,
    nearest,
):
    """Fill lines of `nearest` with the rows nearest to that of `queries`, itself left out: chunks first..last."""
    for chunk in range(first, last):
        distances = np.empty_like(norms)
        best = np.empty(nearest.shape[1], norms.dtype)
        for place in range(chunk, queries.size, CHUNKS):  # every CHUNKS-th, so that chunks take about as long
            i = queries[place]
            if words.size > 0:
                distances_of_ones(indptr, indices, column_starts, column_rows, words, norms, i, distances)
            else:
                distances_by_values(
                    indptr, indices, values, column_starts, column_rows, column_values, norms, i, distances
                )
            distances[i] = none
            keep_nearest(distances, none, best, nearest[place])
