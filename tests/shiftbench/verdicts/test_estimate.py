"""Quantities of the runs with their standard errors: the tests behind verdicts against scipy and statsmodels."""

import numpy as np
import pytest
from made_up_runs import both, draw_counts, runs_of
from scipy import stats
from shiftbench.analyses.bootstrap import difference
from shiftbench.counts import scores_of_counts
from shiftbench.verdicts.estimate import estimate
from shiftbench.verdicts.expressions import experiments_in, parse
from statsmodels.stats.weightstats import DescrStatsW

RNG = np.random.default_rng(5)
SIZES = {"a.s:x": 30, "a.s:y": 30, "a.t:x": 50, "b.s:x": 12}
SAMPLES = {name: 100.0 * RNG.uniform(0.6, 0.9, n) for name, n in SIZES.items()}
RUNS = runs_of(SAMPLES)


@pytest.mark.parametrize(
    "expression",
    [
        "a.s:x",
        "a.s:x:accuracy a.s:y:accuracy",
        "a.s:x:accuracy - ",
        "a.s:x:accuracy * 2",
        "a.s:x:accuracy -- a.s:y:accuracy",
        "a.s:x:k=",
        "a.s:x:k=one",
        "colon:suspects",
    ],
)
def test_an_expression_that_cannot_be_read_is_named(expression):
    with pytest.raises(ValueError) as caught:
        parse(expression)
    assert str(caught.value).startswith(f"ours = {expression!r}: cannot read ")
    assert "experiment.scenario:method:quantity" in str(caught.value) and "parameter=value" in str(caught.value)


def test_expressions():
    assert parse("a.s:x:accuracy - b.s_1:y_2:k + a.s:x:flip_p0 - a.s:x:k=0.5 + a.s:data:p0 - a.s:svm:C=1e-3") == [
        (1.0, "a", "s", "x", "accuracy"),
        (-1.0, "b", "s_1", "y_2", "k"),
        (1.0, "a", "s", "x", "flip_p0"),
        (-1.0, "a", "s", "x", "k=0.5"),
        (1.0, "a", "s", "data", "p0"),
        (-1.0, "a", "s", "svm", "C=1e-3"),
    ]
    assert parse("- a.s:x:accuracy")[0].sign == -1.0 and parse("") == []
    assert experiments_in(["a.s:x:k - b.t:x:k", "", "a.s:y:k"]) == {"a", "b"}


def test_a_mean():
    found, sample = estimate(RUNS, "a.s:x:accuracy"), SAMPLES["a.s:x"]
    assert found.value == pytest.approx(sample.mean()) and found.se == pytest.approx(stats.sem(sample))
    assert found.df == pytest.approx(29) and found.interval() == pytest.approx(DescrStatsW(sample).tconfint_mean())


def test_parameters_that_were_chosen_are_quantities():
    runs = both(*(runs_of({"a.s:x": [70.0]}, params={"k": k, "lam": 0.1}) for k in (1, 1, 3, 5)))
    runs.table["replicate"] = range(4)
    assert estimate(runs, "a.s:x:k").value == 2.5 and estimate(runs, "a.s:x:k=1").value == 0.5
    assert estimate(runs, "a.s:x:k=1").se == pytest.approx(stats.sem([1.0, 1.0, 0.0, 0.0]))
    assert estimate(runs, "a.s:x:lam") == (0.1, 0.0, np.inf, 4)  # exactly, though 0.1 + 0.1 + ... is not
    assert estimate(runs, "a.s:x:alpha") is None


def test_one_scenario_is_paired_by_replicate():
    shuffled = RUNS._replace(table=RUNS.table.sample(frac=1.0, random_state=0))
    found = estimate(shuffled, "a.s:x:accuracy - a.s:y:accuracy")
    reference = stats.ttest_rel(SAMPLES["a.s:x"], SAMPLES["a.s:y"])
    assert found.value / found.se == pytest.approx(reference.statistic) and found.df == pytest.approx(reference.df)
    assert found.p_value() == pytest.approx(reference.pvalue)
    for level in (0.95, 0.9):
        assert found.interval(level) == pytest.approx(reference.confidence_interval(level))


@pytest.mark.parametrize("other", ["a.t:x", "b.s:x"])
def test_scenarios_are_independent_of_each_other(other):
    found = estimate(RUNS, f"a.s:x:accuracy - {other}:accuracy")
    reference = stats.ttest_ind(SAMPLES["a.s:x"], SAMPLES[other], equal_var=False)
    assert found.value / found.se == pytest.approx(reference.statistic) and found.df == pytest.approx(reference.df)
    assert found.p_value() == pytest.approx(reference.pvalue)
    assert found.interval() == pytest.approx(reference.confidence_interval())


def test_failed_fits_are_left_out_of_means_and_pairs():
    runs = runs_of(SAMPLES, failed={("a.s:x", 3), ("a.s:y", 7)})
    x, y = SAMPLES["a.s:x"], SAMPLES["a.s:y"]
    assert estimate(runs, "a.s:x:accuracy").value == pytest.approx(np.delete(x, 3).mean())
    reference = stats.ttest_rel(np.delete(x, [3, 7]), np.delete(y, [3, 7]))
    found = estimate(runs, "a.s:x:accuracy - a.s:y:accuracy")
    assert found.p_value() == pytest.approx(reference.pvalue) and found.df == pytest.approx(27)


@pytest.mark.parametrize(
    "expression",
    ["a.s:z:accuracy", "a.u:x:accuracy", "a.s:x:accuracy - a.s:z:accuracy", "a.s:x:k", "c.s:x:accuracy", "a.s:x:speed"],
)
def test_what_was_not_run_has_no_estimate(expression):
    assert estimate(RUNS, expression) is None
    all_failed = runs_of({"a.s:x": [50.0, 60.0]}, failed={("a.s:x", 0), ("a.s:x", 1)})
    assert estimate(all_failed, "a.s:x:accuracy") is None


def test_one_replicate_has_a_value_without_a_standard_error():
    runs = runs_of({"a.s:x": [50.0, 60.0], "a.t:x": [1.0, 2.0]}, failed={("a.s:x", 0)})
    for expression, value in (("a.s:x:accuracy", 60.0), ("a.s:x:accuracy - a.t:x:accuracy", 58.5)):
        found = estimate(runs, expression)
        assert found.value == value and np.isnan(found.se) and np.isnan(found.p_value())


def test_values_that_do_not_vary_have_no_spread():
    found = estimate(runs_of({"a.s:x": [0.1] * 7, "a.t:x": [1.0, 2.0]}), "a.s:x:accuracy")
    assert found == (0.1, 0.0, np.inf, 7) and found.interval() == (0.1, 0.1)
    assert found.p_value() == 0.0 and found._replace(value=0.0).p_value() == 1.0


def counted(replicates, metric="f1", truth_seeds=(0,) * 9):
    """Runs of x and y with counts by group, whose metric is that of the counts."""
    arrays = {
        f"a.s:{name}#{r}": draw_counts(10 * k + r, truth_seed=truth_seeds[r], recall=0.8 - 0.1 * k)
        for k, name in enumerate("xy")
        for r in range(replicates)
    }
    values = {
        f"a.s:{name}": [
            float(scores_of_counts(arrays[f"a.s:{name}#{r}"].sum(axis=0))[metric]) for r in range(replicates)
        ]
        for name in "xy"
    }
    keyed = {key.replace(".", "/").replace(":", "/").replace("#", "/") + "/counts": one for key, one in arrays.items()}
    return runs_of(values, metric, arrays=keyed), values


@pytest.mark.parametrize("metric", ["precision", "recall", "f1"])
@pytest.mark.parametrize("replicates", [1, 4])
def test_a_difference_of_scores_has_the_spread_over_the_test_set_in_it(metric, replicates):
    runs, values = counted(replicates, metric)
    found = estimate(runs, f"a.s:x:{metric} - a.s:y:{metric}", resamples=300)
    wanted = difference(runs, "a", "s", "x", "y", metric, 300)
    differences = np.subtract(values["a.s:x"], values["a.s:y"])
    assert found.value == pytest.approx(differences.mean()) and found.se == wanted.se and found.df == np.inf
    assert replicates == 1 or found.se > stats.sem(differences)
    back = estimate(runs, f"- a.s:x:{metric} + a.s:y:{metric}", resamples=300)
    assert back.value == pytest.approx(-found.value) and back.se == pytest.approx(found.se)
    assert found.p_value() == pytest.approx(2.0 * stats.norm.sf(abs(found.value / found.se)))


def test_other_quantities_have_the_spread_over_replicates_alone():
    runs, values = counted(4)
    alone, total = estimate(runs, "a.s:x:f1"), estimate(runs, "a.s:x:f1 + a.s:y:f1")
    assert alone.se == pytest.approx(stats.sem(values["a.s:x"])) and alone.df == pytest.approx(3)
    assert total.se == pytest.approx(stats.sem(np.add(values["a.s:x"], values["a.s:y"])))
    other, samples = runs_of({"a.s:x": [1.0, 5.0, 3.0], "a.s:y": [2.0, 4.0, 9.0]}), [-1.0, 1.0, -6.0]
    runs = both(other, runs)
    assert estimate(runs, "a.s:x:accuracy - a.s:y:accuracy").se == pytest.approx(stats.sem(samples))


def test_replicates_with_test_sets_of_their_own_have_their_spread_already():
    runs, values = counted(4, truth_seeds=range(4))
    found = estimate(runs, "a.s:x:f1 - a.s:y:f1")
    reference = stats.ttest_rel(values["a.s:x"], values["a.s:y"])
    assert found.value / found.se == pytest.approx(reference.statistic) and found.df == pytest.approx(3)


def test_bootstrapped_scenarios_are_added_to_others():
    runs, _ = counted(3)
    runs = both(runs, runs_of({"b.t:x": [1.0, 2.0, 6.0]}))
    one, other = estimate(runs, "a.s:x:f1 - a.s:y:f1"), estimate(runs, "b.t:x:accuracy")
    found = estimate(runs, "a.s:x:f1 - a.s:y:f1 - b.t:x:accuracy")
    assert found.value == pytest.approx(one.value - other.value) and found.se == pytest.approx(
        np.hypot(one.se, other.se)
    )
    assert found.df == pytest.approx(found.se**4 / (other.se**4 / 2))  # Satterthwaite, the first with no end of them
