"""Prefiltering against a brute-force reading of its rules."""

import warnings

import numpy as np
import pytest
from problems import random_problem
from scipy import sparse
from shiftlr import PrefilteredLogisticRegression, StandardLogisticRegression


def kept_by_hand(X, y, k, rule):
    kept = []
    for i in range(len(X)):
        distances = np.linalg.norm(X - X[i], axis=1)
        distances[i] = -1.0  # the example itself always comes first
        nearest = np.argsort(distances, kind="stable")[:k]
        against = np.sum(y[nearest] != y[i])
        kept.append(against == 0 if rule == "any" else against <= k / 2)
    return np.array(kept)


@pytest.mark.parametrize("rule", ["any", "majority"])
@pytest.mark.parametrize("k", [2, 3, 4, 7])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_rules_by_hand(rule, k, storage):
    X, y, _ = random_problem(1, 150, 2, noise=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is left may be separable
        model = PrefilteredLogisticRegression(k=k, rule=rule, penalty="l2", alpha=0.1).fit(storage(X), y)
    expected = kept_by_hand(X, y, k, rule)
    assert expected.any() and (not expected.all() or (k, rule) == (2, "majority"))  # one against one is no majority
    np.testing.assert_array_equal(model.kept_, expected)
    rest = StandardLogisticRegression(penalty="l2", alpha=0.1).fit(storage(X[expected]), y[expected])
    np.testing.assert_allclose(model.coef_, rest.coef_, rtol=1e-6, atol=1e-9)


def test_k_of_one_filters_nothing():
    X, y, w = random_problem(2, 80, 3)
    model = PrefilteredLogisticRegression(k=1).fit(X, y, sample_weight=w)
    assert model.kept_.all()
    np.testing.assert_array_equal(model.coef_, StandardLogisticRegression().fit(X, y, sample_weight=w).coef_)


def test_an_example_is_its_own_neighbour_even_among_copies():
    X = np.repeat(np.array([[0.0], [10.0]]), 6, axis=0)
    y = np.r_[np.zeros(6, int), np.ones(6, int)]
    y[0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = PrefilteredLogisticRegression(k=3, rule="majority", penalty="l2", alpha=1.0).fit(X, y)
    np.testing.assert_array_equal(np.flatnonzero(~model.kept_), [0])


def test_a_filter_that_leaves_one_class_filters_nothing_and_says_so():
    X = np.arange(10.0)[:, None]
    y = np.arange(10) % 2
    with pytest.warns(UserWarning, match="k=5, rule='any' would leave no example of a class"):
        model = PrefilteredLogisticRegression(k=5, penalty="l2", alpha=1.0).fit(X, y)
    assert model.kept_.all()
