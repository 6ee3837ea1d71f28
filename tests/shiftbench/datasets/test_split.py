"""Datasets cut at random into parts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from shiftbench.datasets.base import split

SEED = np.random.SeedSequence(5)


def rows_of(part):
    """Which examples a part has, told by their first feature."""
    return np.asarray(part.X[:, [0]].todense() if sparse.issparse(part.X) else part.X[:, 0]).ravel().tolist()


@given(st.integers(20, 80), st.sampled_from([0.0, 0.1, 0.25, 0.4]), st.sampled_from([0.0, 0.2, 0.5]), st.integers(0, 9))
def test_every_example_is_in_one_part_and_shares_are_as_asked(n, dev, test, seed):
    y = np.arange(n) % 2
    parts = split(np.arange(n)[:, None], y, np.random.default_rng(seed), dev=dev, test=test, ids=np.arange(n))
    assert sorted(row for part in parts.values() for row in rows_of(part)) == list(range(n))
    sizes = {name: len(part.labels) for name, part in parts.items()}
    wanted = {"train": n - round(dev * n) - round(test * n), "dev": round(dev * n), "test": round(test * n)}
    assert sizes == {name: size for name, size in wanted.items() if size}
    for part in parts.values():
        assert part.labels.tolist() == y[rows_of(part)].tolist() and part.ids.tolist() == rows_of(part)


@given(st.integers(3, 30), st.integers(20, 60), st.integers(0, 9))
def test_groups_are_never_split(n_groups, n, seed):
    rng = np.random.default_rng(seed)
    groups = np.array([f"g{k}" for k in np.concatenate([np.arange(n_groups), rng.integers(n_groups, size=n)])])
    X = np.arange(len(groups))[:, None]
    try:
        parts = split(X, np.zeros(len(groups)), rng, dev=0.2, test=0.3, groups=groups)
    except ValueError:
        assert n_groups - round(0.2 * n_groups) - round(0.3 * n_groups) < 2
        return
    found = {name: set(part.groups) for name, part in parts.items()}
    assert sum(map(len, found.values())) == n_groups == len(set.union(*found.values()))
    assert len(found.get("test", ())) == round(0.3 * n_groups) and len(found.get("dev", ())) == round(0.2 * n_groups)
    for part in parts.values():
        assert part.groups.tolist() == groups[rows_of(part)].tolist()


def test_a_split_depends_on_the_random_numbers_alone():
    X, y = np.arange(40)[:, None], np.arange(40) % 2
    once, again, other = (rows_of(split(X, y, np.random.default_rng(seed))["train"]) for seed in (1, 1, 2))
    assert once == again != other


def test_examples_stay_in_the_order_of_the_file():
    parts = split(np.arange(40)[:, None], np.zeros(40), np.random.default_rng(0))
    assert all(rows_of(part) == sorted(rows_of(part)) for part in parts.values())


def test_labels_of_the_test_set_are_the_true_ones():
    y, truth = np.zeros(40, dtype=int), np.ones(40, dtype=int)
    parts = split(np.arange(40)[:, None], y, np.random.default_rng(0), truth=truth)
    assert parts["test"].labels.all() and parts["test"].truth.all()
    for name in ("train", "dev"):
        assert not parts[name].labels.any() and parts[name].truth.all()
    unknown = split(np.arange(40)[:, None], y, np.random.default_rng(0))
    assert unknown["train"].truth is None and unknown["test"].truth.tolist() == unknown["test"].labels.tolist()


def test_what_is_split_may_be_a_list_a_frame_or_sparse():
    X = np.arange(40.0).reshape(20, 2)
    lists = {"groups": ["a", "b", "c", "d"] * 5, "ids": [f"i{k}" for k in range(20)], "truth": [0, 1] * 10}
    wanted = split(X, np.arange(20) % 2, np.random.default_rng(0), **{name: np.array(v) for name, v in lists.items()})
    for given_X in (X.tolist(), pd.DataFrame(X), sparse.csr_array(X), sparse.csc_matrix(X), sparse.coo_array(X)):
        parts = split(given_X, [0, 1] * 10, np.random.default_rng(0), **lists)
        for name, part in wanted.items():
            found = parts[name].X.toarray() if sparse.issparse(parts[name].X) else parts[name].X
            np.testing.assert_array_equal(found, part.X)
            assert parts[name].ids.tolist() == part.ids.tolist()


def test_a_train_set_of_nothing_is_refused():
    with pytest.raises(ValueError, match=r"dev=0\.5, test=0\.5: leave 0 of 10 for the train set"):
        split(np.zeros((10, 1)), np.zeros(10), np.random.default_rng(0), dev=0.5, test=0.5)
    with pytest.raises(ValueError, match=r"leave 1 of 3 for the train set"):
        split(np.zeros((9, 1)), np.zeros(9), np.random.default_rng(0), dev=0.3, test=0.3, groups=np.arange(9) // 3)
