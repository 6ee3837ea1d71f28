"""Nearest rows against a search by hand, with equal distances in the order of row numbers."""

import numba
import numpy as np
import pytest
from scipy import sparse
from shiftlr.solvers.neighbours import nearest_rows, restrict


def random_rows(kind, seed, n=120, m=200, density=0.1):
    """Sparse rows, some of them empty or copies of others; small whole numbers give many equal distances."""
    random = np.random.default_rng(seed)
    values = {
        "ones": np.ones((n, m)),
        "whole numbers": random.integers(1, 4, size=(n, m)).astype(float),
        "floats": random.normal(size=(n, m)),
    }[kind]
    X = values * (random.random((n, m)) < density * 3.0 ** random.uniform(-1.0, 2.0, size=m))
    X[:, 0] = values[0, 0]  # a column that all rows have
    X[5] = 0.0
    X[n // 2 : n // 2 + 9] = X[:9]
    return X


def nearest_by_hand(X, k):
    squares = np.array([np.sum((X - x) ** 2, axis=1) for x in X])
    np.fill_diagonal(squares, np.inf)
    return np.argsort(squares, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("kind", ["ones", "whole numbers", "floats"])
@pytest.mark.parametrize(("n", "m", "k"), [(120, 200, 7), (120, 200, 119), (30, 3, 4), (600, 90, 1), (2, 1, 1)])
def test_nearest_by_hand(kind, n, m, k):
    X = random_rows(kind, n + m + k, max(n, 18), m)[:n]
    ours = nearest_rows(sparse.csr_array(X), k)
    assert ours.shape == (n, k) and ours.dtype == np.int32
    np.testing.assert_array_equal(ours, nearest_by_hand(X, k))


@pytest.mark.parametrize("size", [30, 300, 30000])
def test_distances_of_any_size(size):
    X = np.zeros((6, 8 * size))
    for i in range(6):
        X[i, i * size : (i + 3) * size] = 1.0  # each is nearest to those on its sides
    ours = nearest_rows(sparse.csr_array(X), 2)
    np.testing.assert_array_equal(ours, [[1, 2], [0, 2], [1, 3], [2, 4], [3, 5], [4, 3]])


def test_rows_without_entries_are_in_order():
    np.testing.assert_array_equal(nearest_rows(sparse.csr_array((4, 5)), 2), [[1, 2], [0, 2], [0, 1], [0, 1]])


def test_order_and_parts_of_stored_entries_do_not_matter_and_are_left_alone():
    X = sparse.csr_array(random_rows("floats", 1))
    shuffled = X.copy()
    for first, last in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        shuffled.indices[first:last] = X.indices[first:last][::-1]
        shuffled.data[first:last] = X.data[first:last][::-1]
    shuffled.has_sorted_indices = shuffled.has_canonical_format = False
    before = shuffled.indices.copy()
    np.testing.assert_array_equal(nearest_rows(shuffled, 5), nearest_rows(X, 5))
    np.testing.assert_array_equal(shuffled.indices, before)
    halves = sparse.csr_array((np.repeat(X.data / 2.0, 2), np.repeat(X.indices, 2), 2 * X.indptr), shape=X.shape)
    np.testing.assert_array_equal(nearest_rows(halves, 5), nearest_rows(X, 5))


@pytest.mark.parametrize("kind", ["ones", "whole numbers", "floats"])
@pytest.mark.parametrize(("share", "width"), [(0.8, 30), (0.5, 12), (0.2, 12)])
def test_restricting_a_table_equals_searching_the_subset(kind, share, width):
    X = sparse.csr_array(random_rows(kind, 3, n=300))
    members = np.random.default_rng(4).random(300) < share
    table = nearest_rows(X, width)
    short = members[table[members]].sum(axis=1) < 4
    assert not short.all() and (short.any() or share == 0.8)  # both ways are taken
    expected = nearest_rows(X[np.flatnonzero(members)], 4)
    np.testing.assert_array_equal(restrict(table, X, members, 4), expected)
    np.testing.assert_array_equal(restrict(table, X, np.flatnonzero(members), 4), expected)


@pytest.mark.parametrize("kind", ["ones", "floats"])
def test_same_rows_for_one_and_two_threads(kind):
    X = sparse.csr_array(random_rows(kind, 5, n=500))
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = nearest_rows(X, 20)
        numba.set_num_threads(min(2, before))
        np.testing.assert_array_equal(nearest_rows(X, 20), alone)
    finally:
        numba.set_num_threads(before)


@pytest.mark.parametrize("k", [0, 120, 500])
def test_k_out_of_range(k):
    X = sparse.csr_array(random_rows("ones", 6))
    with pytest.raises(ValueError, match=f"k={k}: a row of 120 has from 1 to 119 neighbours"):
        nearest_rows(X, k)


@pytest.mark.parametrize("value", [np.nan, np.inf, 1e200])
def test_distances_that_are_not_finite(value):
    X = sparse.csr_array(random_rows("floats", 7))
    X.data[3] = value
    with pytest.raises(ValueError, match="X: squared distances are not finite"):
        nearest_rows(X, 3)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (np.ones(5, bool), r"members.shape == \(5,\): a mask must be \(120,\)"),
        ([3, 2, 5], "members=.*: must be a mask, or row numbers that rise"),
        ([1.0, 2.0], "members=.*: must be a mask, or row numbers that rise"),
        ([-1, 2], "members run from -1 to 2: .*from 0 to 119"),
        ([1, 120], "members run from 1 to 120: .*from 0 to 119"),
        ([1, 2, 3], "k=3: a row of 3 has from 1 to 2 neighbours"),
    ],
)
def test_bad_members(members, message):
    X = sparse.csr_array(random_rows("ones", 8))
    with pytest.raises(ValueError, match=message):
        restrict(nearest_rows(X, 4), X, members, 3)
