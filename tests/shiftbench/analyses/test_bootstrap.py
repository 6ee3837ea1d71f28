"""The bootstrap over groups of the test set: draws, scores on them, and differences between methods."""

import numpy as np
import pytest
from made_up_runs import draw_counts
from shiftbench.analyses.bootstrap import contrast, counts_of, difference, draws_of_groups, interval, resampled
from shiftbench.counts import SCORES, count_by_group, scores_of_counts
from shiftbench.runs import Runs
from sklearn.metrics import precision_recall_fscore_support

N = 400


def draw(seed, n=200):
    """(predictions, truth, groups) with any mixture of right and wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < rng.uniform(0.05, 0.9)
    return rng.random(n) < np.where(truth, *rng.random(2)), truth, rng.integers(3, 9, n)


def by_scikit_learn(predicted, truth):
    found = precision_recall_fscore_support(truth, predicted, average="binary", zero_division=0)
    return 100.0 * np.array(found[:3])


@pytest.mark.parametrize("seed", range(4))
def test_each_group_once_gives_the_scores_themselves(seed):
    predicted, truth, groups = draw(seed)
    counts = count_by_group(predicted, truth, groups)
    once = resampled(counts, np.ones((1, len(counts)), dtype=int))
    assert [once[name][0] for name in SCORES] == pytest.approx(by_scikit_learn(predicted, truth))


def test_a_group_drawn_twice_counts_twice():
    predicted, truth, groups = draw(3)
    times = np.array([2, 0, 1, 3, 0, 1])
    found = resampled(count_by_group(predicted, truth, groups), times[None])
    rows = np.repeat(np.arange(len(groups)), times[groups - 3])
    assert [found[name][0] for name in SCORES] == pytest.approx(by_scikit_learn(predicted[rows], truth[rows]))


def test_draws_are_as_many_groups_as_there_are_and_depend_on_the_seed_alone():
    draws = draws_of_groups(12, 30, seed=5)
    assert draws.shape == (30, 12) and (draws.sum(axis=1) == 12).all() and (draws >= 0).all()
    assert np.array_equal(draws, draws_of_groups(12, 30, seed=5))
    assert not np.array_equal(draws, draws_of_groups(12, 30, seed=6))
    drawn = np.random.default_rng(0).integers(4, size=(3, 4))
    assert draws_of_groups(4, 3).tolist() == [[int((one == k).sum()) for k in range(4)] for one in drawn]
    with pytest.raises(ValueError, match="read-only"):
        draws[0, 0] = 9  # they are shared


def test_an_interval_holds_the_middle_part():
    values = np.random.default_rng(0).permutation(np.arange(1001.0))
    assert interval(values) == pytest.approx((25.0, 975.0))
    assert interval(values, level=0.5) == pytest.approx((250.0, 750.0))
    assert interval(np.full(9, 3.0)) == (3.0, 3.0)


def runs_with(counts):
    """Runs with the counts of {"method/replicate": counts} in scenario e.s."""
    return Runs(None, {f"e/s/{key}/counts": value for key, value in counts.items()})


def make(replicates=1):
    """Two methods that differ, and a third that is the second's twin."""
    counts = {f"one/{r}": draw_counts(10 + r, recall=0.8) for r in range(replicates)}
    counts |= {f"other/{r}": draw_counts(20 + r, recall=0.6) for r in range(replicates)}
    return runs_with(counts | {f"twin/{r}": counts[f"other/{r}"] for r in range(replicates)})


def f1_of(counts):
    """From the definition."""
    hits, found, positives = counts
    precision, recall = hits / found, hits / positives
    return 100.0 * 2.0 * precision * recall / (precision + recall)


def by_hand(runs, replicates, score=f1_of):
    """(difference of each replicate, mean difference on each resample), with loops."""
    counts = [[runs.arrays[f"e/s/{name}/{r}/counts"] for name in ("one", "other")] for r in range(replicates)]
    values = [score(one.sum(axis=0)) - score(other.sum(axis=0)) for one, other in counts]
    drawn = np.random.default_rng(0).integers(30, size=(N, 30))
    moved = [
        np.mean([score(one[rows].sum(axis=0)) - score(other[rows].sum(axis=0)) for one, other in counts])
        for rows in drawn
    ]
    return np.array(values), np.array(moved)


def test_with_one_replicate_it_is_the_plain_bootstrap():
    runs = make()
    values, moved = by_hand(runs, 1)
    found = difference(runs, "e", "s", "one", "other", "f1", N)
    assert found.value == pytest.approx(values[0]) and found.se == pytest.approx(np.std(moved, ddof=1))
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(moved, [0.025, 0.975])))


@pytest.mark.parametrize("score", SCORES)
def test_with_several_replicates_both_variances_are_added(score):
    runs = make(4)
    by_definition = {
        "precision": lambda counts: 100.0 * counts[0] / counts[1],
        "recall": lambda counts: 100.0 * counts[0] / counts[2],
        "f1": f1_of,
    }
    values, moved = by_hand(runs, 4, by_definition[score])
    found = difference(runs, "e", "s", "one", "other", score, N)
    assert found.value == pytest.approx(values.mean())
    spread = values.var(ddof=1) / 4
    assert spread > 0.0 and found.se**2 == pytest.approx(moved.var(ddof=1) + spread)
    low, high = np.quantile(moved, [0.025, 0.975])
    assert found.low < low < found.value < high < found.high
    assert found.value - found.low == pytest.approx(np.hypot(found.value - low, 1.96 * spread**0.5), rel=1e-4)


def test_differences_change_sign_with_the_order():
    runs = make(3)
    there, back = (difference(runs, "e", "s", *pair, "f1", N) for pair in (("one", "other"), ("other", "one")))
    assert [there.value, there.se, there.low, there.high] == pytest.approx(
        [-back.value, back.se, -back.high, -back.low]
    )


@pytest.mark.parametrize("replicates", [1, 3])
def test_an_interval_holds_the_difference_and_is_about_four_standard_errors_wide(replicates):
    found = difference(make(replicates), "e", "s", "one", "other", "f1", N)
    assert found.low < found.value < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 * found.se, rel=0.25)


@pytest.mark.parametrize("pair", [("other", "twin"), ("one", "one")])
def test_equal_methods_differ_by_nothing_on_every_resample(pair):
    assert difference(make(3), "e", "s", *pair, "f1", N) == (0.0, 0.0, 0.0, 0.0)


def test_only_replicates_of_both_are_compared():
    runs = make(3)
    full = difference(runs_with({key[4:-7]: one for key, one in runs.arrays.items() if "/1/" not in key}), *ARGS)
    del runs.arrays["e/s/one/1/counts"]
    assert list(counts_of(runs, "e", "s", "one")) == [0, 2] and difference(runs, *ARGS) == full


ARGS = ("e", "s", "one", "other", "f1", N)


def test_without_counts_or_with_other_test_sets_there_is_no_bootstrap():
    assert difference(runs_with({"one/0": draw_counts(1)}), *ARGS) is None
    assert difference(runs_with({}), *ARGS) is None
    apart = {"one/0": draw_counts(1), "other/0": draw_counts(2)}
    assert difference(runs_with(apart), *ARGS) is not None
    moved = {f"{name}/1": draw_counts(k, truth_seed=7) for k, name in enumerate(("one", "other"))}
    assert difference(runs_with(apart | moved), *ARGS) is None
    fewer = {f"{name}/1": draw_counts(k, n_groups=9) for k, name in enumerate(("one", "other"))}
    assert difference(runs_with(apart | fewer), *ARGS) is None


def test_a_method_s_name_may_begin_another_s():
    runs = runs_with({"one/0": draw_counts(1), "one_more/0": draw_counts(2), "one/12": draw_counts(3)})
    assert list(counts_of(runs, "e", "s", "one")) == [0, 12]


def test_a_contrast_of_three_methods():
    runs = make(2)
    found = contrast(runs, "e", "s", {"one": 1.0, "other": -0.5, "twin": -0.5}, "f1", N)
    assert found == pytest.approx(difference(runs, "e", "s", "one", "other", "f1", N))
    assert scores_of_counts(np.array([2, 4, 5]))["f1"] == pytest.approx(f1_of((2, 4, 5)))
