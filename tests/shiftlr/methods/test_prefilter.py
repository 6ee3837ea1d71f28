"""Prefiltering against a brute-force reading of its rules."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from problems import random_problem
from scipy import sparse
from shiftlr import PrefilteredLogisticRegression, StandardLogisticRegression
from shiftlr.methods import prefilter
from shiftlr.model_selection.grids import fit_grid
from shiftlr.solvers.neighbours import nearest_rows
from sklearn.base import clone


def stays(rule, seen, others, everybody):
    """Whether an example seen as `seen` stays, given the labels of its other neighbours and of the training set."""
    against = sum(label != seen for label in others)
    if rule == "any":
        return against == 0
    if rule == "all":
        return not others or against < len(others)
    if rule == "prior":
        chance = Fraction(sum(label != seen for label in everybody), len(everybody))
        return not others or Fraction(against, len(others)) <= chance
    outvoted = against > len(others) + 1 - against
    return not (outvoted and (rule == "majority" or seen == 1))


def kept_by_hand(X, y, k, rule, votes=None):
    votes = (y if votes is None else votes).tolist()
    kept = []
    for i in range(len(X)):
        distances = np.linalg.norm(X - X[i], axis=1)
        distances[i] = -1.0  # the example itself always comes first
        nearest = np.argsort(distances, kind="stable")[1:k]
        kept.append(stays(rule, int(y[i]), [votes[j] for j in nearest], votes))
    return np.array(kept)


@pytest.mark.parametrize("rule", prefilter.RULES)
@pytest.mark.parametrize("k", [2, 3, 4, 7])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_rules_by_hand(rule, k, storage):
    X, y, _ = random_problem(1, 150, 2, noise=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what is left may be separable
        model = PrefilteredLogisticRegression(k=k, rule=rule, penalty="l2", alpha=0.1).fit(storage(X), y)
    expected = kept_by_hand(X, y, k, rule)
    # one against one is no majority, and six neighbours seldom all disagree
    assert expected.any() and (not expected.all() or (k, rule) in [(2, "majority"), (2, "positives"), (7, "all")])
    np.testing.assert_array_equal(model.kept_, expected)
    rest = StandardLogisticRegression(penalty="l2", alpha=0.1).fit(storage(X[expected]), y[expected])
    np.testing.assert_allclose(model.coef_, rest.coef_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("rule", prefilter.RULES)
def test_neighbours_may_vote_with_other_labels_than_those_of_the_fit(rule):
    X, y, _ = random_problem(3, 120, 2, noise=0.2)
    votes = np.where(np.random.default_rng(0).random(120) < 0.3, 1 - y, y)
    kept = prefilter.agrees_with_neighbours(X, y, np.ones(120), 4, rule, voted=votes)
    np.testing.assert_array_equal(kept, kept_by_hand(X, y, 4, rule, votes))
    assert not np.array_equal(kept, kept_by_hand(X, y, 4, rule))


def test_only_the_second_class_can_be_discarded_by_the_rule_positives():
    X, y, _ = random_problem(1, 150, 2, noise=0.2)
    names = np.array(["a", "b"])[y]
    majority, positives = (
        PrefilteredLogisticRegression(k=5, rule=rule, penalty="l2", alpha=1.0).fit(X, names).kept_
        for rule in ("majority", "positives")
    )
    assert not majority[y == 0].all() and not majority[y == 1].all()
    np.testing.assert_array_equal(positives, majority | (y == 0))


def test_labels_drawn_by_chance_lose_as_many_of_each_kind_by_the_rule_prior():
    random = np.random.default_rng(4)
    X, y = random.normal(size=(2000, 2)), (random.random(2000) < 0.7).astype(int)
    lost = {}
    for rule in ("majority", "prior"):
        kept = PrefilteredLogisticRegression(k=11, rule=rule, penalty="l2", alpha=1.0).fit(X, y).kept_
        lost[rule] = [np.mean(~kept[y == label]) for label in (0, 1)]
    assert lost["majority"][0] > 0.8 and lost["majority"][1] < 0.1
    assert lost["prior"] == pytest.approx([0.5, 0.5], abs=0.15)


def test_an_unknown_rule_is_refused():
    X, y, _ = random_problem(2, 30, 2)
    with pytest.raises(ValueError, match=r"rule='most': must be one of .*any.*majority.*all.*positives.*prior"):
        PrefilteredLogisticRegression(rule="most").fit(X, y)


@pytest.mark.parametrize("rule", prefilter.RULES)
def test_k_of_one_filters_nothing(rule):
    X, y, w = random_problem(2, 80, 3)
    model = PrefilteredLogisticRegression(k=1, rule=rule).fit(X, y, sample_weight=w)
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


def sparse_problem(n=200, m=60):
    """Rows of ones, with many equal distances, and labels that some neighbours do not share."""
    random = np.random.default_rng(5)
    X = sparse.csr_array((random.random((n, m)) < 0.1).astype(float))
    y = (np.asarray(X[:, :6].sum(axis=1)).ravel() > 0).astype(int) ^ (random.random(n) < 0.1)
    return X, y


def test_equal_distances_are_in_the_order_of_rows():
    X, y = sparse_problem()
    model = PrefilteredLogisticRegression(k=4, rule="majority", penalty="l2", alpha=1.0).fit(X, y)
    # whole numbers, because roots of equal sums could differ
    squares = np.array([np.sum((X.toarray() - x) ** 2, axis=1) for x in X.toarray()])
    np.fill_diagonal(squares, -1.0)
    nearest = np.argsort(squares, axis=1, kind="stable")[:, :4]
    np.testing.assert_array_equal(model.kept_, np.sum(y[nearest] != y[:, None], axis=1) <= 2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("width", [4, 9])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_a_table_of_neighbours_saves_the_search(storage, width, weighted):
    X, y, _ = random_problem(1, 150, 2, noise=0.1)
    X, weights = storage(X), (np.arange(150) % 4).astype(float) if weighted else None
    model = PrefilteredLogisticRegression(k=5, rule="majority", penalty="l2", alpha=0.1)
    searched = model.fit(X, y, weights)
    kept, coef = searched.kept_, searched.coef_
    model.fit(X, y, weights, neighbours=nearest_rows(sparse.csr_array(X), width))
    assert not kept.all()
    np.testing.assert_array_equal(model.kept_, kept)
    np.testing.assert_array_equal(model.coef_, coef)


@pytest.mark.parametrize("columns", [2, 40])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_search_serves_all_settings_of_a_grid(columns, weighted):
    X, y, _ = random_problem(1, 150, columns, noise=0.1)
    weights = (np.arange(150) % 4).astype(float) if weighted else None
    grid = [{"k": k} for k in (1, 2, 3, 7, 20)]
    model = PrefilteredLogisticRegression(rule="majority", penalty="l2", alpha=0.1)
    assert model.shared_by_settings(grid, X)["neighbours"].shape == (150, 19)
    together = fit_grid(model, grid, X, y, weights)
    for place, params in enumerate(grid):
        alone = clone(model).set_params(**params).fit(X, y, weights)
        np.testing.assert_array_equal(together.estimator(place).kept_, alone.kept_)
        np.testing.assert_array_equal(together.estimator(place).coef_, alone.coef_)


def test_equal_distances_of_dense_rows_are_searched_for_each_setting():
    X = sparse_problem()[0]
    assert PrefilteredLogisticRegression().shared_by_settings([{"k": 3}, {"k": 9}], X.toarray()) == {}


@pytest.mark.parametrize("rule", prefilter.RULES)
@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_whole_weights_count_copies_and_zero_leaves_out(storage, k, rule):
    X, y, _ = random_problem(1, 150, 2, noise=0.1)
    weights = np.arange(150) % 4
    model = PrefilteredLogisticRegression(k=k, rule=rule, penalty="l2", alpha=0.1)
    by_weight = model.fit(storage(X), y, weights.astype(float)).kept_
    by_copies = model.fit(storage(np.repeat(X, weights, axis=0)), np.repeat(y, weights)).kept_
    np.testing.assert_array_equal(np.repeat(by_weight, weights), by_copies)


TABLE = np.tile(np.arange(1, 5), (200, 1))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (TABLE[:, :2], r"neighbours.shape == \(200, 2\): must be \(200, 3\) or wider"),
        (TABLE[:50], r"neighbours.shape == \(50, 4\): must be \(200, 3\) or wider"),
        (TABLE[0], r"neighbours.shape == \(4,\): must be"),
        (TABLE.astype(float), "neighbours.dtype == float64: must be whole numbers"),
        (TABLE - 2, "neighbours has row numbers from -1 to 2: X has the rows 0 to 199"),
        (TABLE + 196, "neighbours has row numbers from 197 to 200: X has the rows 0 to 199"),
        (TABLE, r"neighbours\[1\] holds row 1 itself"),
    ],
)
def test_a_table_that_does_not_fit(table, message):
    X, y = sparse_problem()
    with pytest.raises(ValueError, match=message):
        PrefilteredLogisticRegression(k=4).fit(X, y, neighbours=table)


def test_a_grid_is_searched_once(monkeypatch):
    X, y = sparse_problem()
    model = PrefilteredLogisticRegression(rule="majority", penalty="l2", alpha=1.0)
    grid = [{"k": 1}, {"k": 3}, {"k": 9}, {"k": 5, "alpha": 2.0}]
    one_by_one = [PrefilteredLogisticRegression(**model.get_params() | params).fit(X, y) for params in grid]
    widths = []

    def counted(X, k):
        widths.append(k)
        return nearest_rows(X, k)

    monkeypatch.setattr(prefilter, "nearest_rows", counted)
    fits = fit_grid(model, grid, X.tocoo(), y)
    assert widths == [8]
    for place, alone in enumerate(one_by_one):
        np.testing.assert_array_equal(fits.estimator(place).kept_, alone.kept_)
        np.testing.assert_array_equal(fits.estimator(place).coef_, alone.coef_)


@pytest.mark.parametrize(("k", "message"), [(0, "k=0: must be a whole number at least 1"), (201, "only 200 examples")])
def test_a_bad_k_in_a_grid(k, message):
    with pytest.raises(ValueError, match=message):
        fit_grid(PrefilteredLogisticRegression(penalty="l2", alpha=1.0), [{"k": 3}, {"k": k}], *sparse_problem())
