"""Precision, recall and F1 of the persons found, and their spread over articles."""

import numpy as np
import pytest
from shiftlr.metrics import Scores, count_by_group, draws_of_groups, interval, resampled, scores
from sklearn.metrics import precision_recall_fscore_support


def draw(seed, n=200):
    """(predictions, truth, groups) with any mixture of right and wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < rng.uniform(0.05, 0.9)
    return rng.random(n) < np.where(truth, *rng.random(2)), truth, rng.integers(3, 9, n)


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_of_scikit_learn(seed):
    predicted, truth, _ = draw(seed)
    wanted = precision_recall_fscore_support(truth, predicted, average="binary", zero_division=0)
    assert scores(predicted, truth) == pytest.approx(100.0 * np.array(wanted[:3]))


@pytest.mark.parametrize(("predicted", "truth"), [([0, 0], [1, 0]), ([1, 0], [0, 0]), ([0, 0], [0, 0])])
def test_nothing_found_or_nothing_to_find_scores_zero(predicted, truth):
    assert scores(np.array(predicted, bool), np.array(truth, bool)) == Scores(0.0, 0.0, 0.0)


def test_all_found_and_nothing_else_scores_a_hundred():
    truth = np.array([True, False, True])
    assert scores(truth, truth) == Scores(100.0, 100.0, 100.0)


def test_counts_stand_in_the_order_of_the_groups():
    predicted = np.array([1, 1, 0, 1, 0], dtype=bool)
    truth = np.array([1, 0, 1, 1, 0], dtype=bool)
    counts = count_by_group(predicted, truth, np.array([7, 7, 7, 2, 5]))
    assert counts.tolist() == [[1, 1, 1], [0, 0, 0], [1, 2, 2]]  # groups 2, 5 and 7


@pytest.mark.parametrize("seed", range(4))
def test_each_group_once_gives_the_scores_themselves(seed):
    predicted, truth, groups = draw(seed)
    counts = count_by_group(predicted, truth, groups)
    once = resampled(counts, np.ones((1, len(counts)), dtype=int))
    assert [once[name][0] for name in Scores._fields] == pytest.approx(list(scores(predicted, truth)))


def test_a_group_drawn_twice_counts_twice():
    predicted, truth, groups = draw(3)
    times = np.array([2, 0, 1, 3, 0, 1])
    found = resampled(count_by_group(predicted, truth, groups), times[None])
    rows = np.repeat(np.arange(len(groups)), times[groups - 3])
    assert [found[name][0] for name in Scores._fields] == pytest.approx(list(scores(predicted[rows], truth[rows])))


def test_draws_are_as_many_groups_as_there_are_and_depend_on_the_seed_alone():
    draws = draws_of_groups(12, 30, seed=5)
    assert draws.shape == (30, 12) and (draws.sum(axis=1) == 12).all() and (draws >= 0).all()
    assert np.array_equal(draws, draws_of_groups(12, 30, seed=5))
    assert not np.array_equal(draws, draws_of_groups(12, 30, seed=6))


def test_an_interval_holds_the_middle_part():
    values = np.random.default_rng(0).permutation(np.arange(1001.0))
    assert interval(values) == pytest.approx((25.0, 975.0))
    assert interval(values, level=0.5) == pytest.approx((250.0, 750.0))
    assert interval(np.full(9, 3.0)) == (3.0, 3.0)
