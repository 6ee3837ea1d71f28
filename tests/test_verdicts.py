"""Verdicts: the tests behind them against scipy and statsmodels, and that they follow the runs."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy import stats
from shiftlr import verdicts
from shiftlr.config import complete, methods_of
from shiftlr.verdicts import COLUMNS, LIMIT, estimate, is_fact, parse, read_published
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

CONFIG = complete(yaml.safe_load((Path(__file__).parents[1] / "config.yaml").read_text()))
PUBLISHED = read_published()
KEYS = ["experiment", "scenario", "method", "replicate", "status"]


def runs_of(values, quantity="test_accuracy", failed=()):
    """Runs from {"experiment.scenario:method": values over replicates}."""
    rows = []
    for name, series in values.items():
        for number, value in enumerate(series):
            bad = (name, number) in failed
            # a number beside a failure must not count
            rows.append((*re.split("[.:]", name), number, "failed" if bad else "ok", 0.0 if bad else value))
    learned = dict.fromkeys(("test_accuracy", "share_shifted", "flip_p0", "flip_p1", "k"), np.nan)
    return pd.DataFrame(rows, columns=[*KEYS, quantity]).assign(**{n: v for n, v in learned.items() if n != quantity})


RNG = np.random.default_rng(5)
SAMPLES = {name: RNG.uniform(0.6, 0.9, n) for name, n in {"a.s:x": 30, "a.s:y": 30, "a.t:x": 50, "b.s:x": 12}.items()}
RUNS = runs_of(SAMPLES)


def claims(*rows):
    """Published rows from (relation, value, se, ours, better, table)."""
    columns = ["relation", "value", "se", "ours", "better", "table"]
    frame = pd.DataFrame(rows, columns=columns).assign(id=[f"id{k}" for k in range(len(rows))])
    return frame.assign(row="r", column="c", bold="", data="report", claim="", place="Table 1")


def judge(published, runs, *facts):
    """With facts as (key, value, se, data)."""
    return verdicts.judge(published, runs, pd.DataFrame(facts, columns=["key", "value", "se", "data"]))


def verdict(relation, value, samples, se=np.nan, better=None):
    """The verdict on one claim about the mean of samples, in per cent."""
    better = ("higher" if relation == "=" else "") if better is None else better
    published = claims((relation, value, se, "a.s:x:accuracy", better, "one"))
    return judge(published, runs_of({"a.s:x": np.asarray(samples) / 100.0}))[0].loc[0, "verdict"]


@pytest.mark.parametrize(
    "expression",
    [
        "a.s:x",
        "a.s:x:speed",
        "a.s:x:accuracy a.s:y:accuracy",
        "a.s:x:accuracy - ",
        "a.s:x:accuracy * 2",
        "a.s:x:accuracy -- a.s:y:accuracy",
    ],
)
def test_an_expression_that_cannot_be_read_is_named(expression):
    with pytest.raises(ValueError) as caught:
        parse(expression)
    assert str(caught.value).startswith(f"ours = {expression!r}: cannot read ")
    assert "experiment.scenario:method:quantity" in str(caught.value) and "accuracy, share_shifted" in str(caught.value)


def test_expressions():
    assert parse("a.s:x:accuracy - b.s_1:y_2:k + a.s:x:flip_p0") == [
        (1.0, "a", "s", "x", "accuracy"),
        (-1.0, "b", "s_1", "y_2", "k"),
        (1.0, "a", "s", "x", "flip_p0"),
    ]
    assert parse("- a.s:x:accuracy")[0][0] == -1.0


def test_a_mean():
    found, sample = estimate(RUNS, "a.s:x:accuracy"), 100.0 * SAMPLES["a.s:x"]
    assert found.value == pytest.approx(sample.mean()) and found.se == pytest.approx(stats.sem(sample))
    assert estimate(runs_of({"a.s:x": [1.0, 1.0, 3.0, 5.0]}, "k"), "a.s:x:k_is_1").value == 0.5
    assert found.df == pytest.approx(29) and found.interval() == pytest.approx(DescrStatsW(sample).tconfint_mean())


def test_one_scenario_is_paired_by_replicate():
    shuffled = RUNS.sample(frac=1.0, random_state=0)
    found = estimate(shuffled, "a.s:x:accuracy - a.s:y:accuracy")
    reference = stats.ttest_rel(100.0 * SAMPLES["a.s:x"], 100.0 * SAMPLES["a.s:y"])
    assert found.value / found.se == pytest.approx(reference.statistic) and found.df == pytest.approx(reference.df)
    assert found.p_value() == pytest.approx(reference.pvalue)
    for level in (0.95, 0.9):
        assert found.interval(level) == pytest.approx(reference.confidence_interval(level))


@pytest.mark.parametrize("other", ["a.t:x", "b.s:x"])
def test_scenarios_are_independent_of_each_other(other):
    found = estimate(RUNS, f"a.s:x:accuracy - {other}:accuracy")
    reference = stats.ttest_ind(100.0 * SAMPLES["a.s:x"], 100.0 * SAMPLES[other], equal_var=False)
    assert found.value / found.se == pytest.approx(reference.statistic) and found.df == pytest.approx(reference.df)
    assert found.p_value() == pytest.approx(reference.pvalue)
    assert found.interval() == pytest.approx(reference.confidence_interval())


def test_failed_fits_are_left_out_of_means_and_pairs():
    runs = runs_of(SAMPLES, failed={("a.s:x", 3), ("a.s:y", 7)})
    x, y = 100.0 * SAMPLES["a.s:x"], 100.0 * SAMPLES["a.s:y"]
    assert estimate(runs, "a.s:x:accuracy").value == pytest.approx(np.delete(x, 3).mean())
    reference = stats.ttest_rel(np.delete(x, [3, 7]), np.delete(y, [3, 7]))
    found = estimate(runs, "a.s:x:accuracy - a.s:y:accuracy")
    assert found.p_value() == pytest.approx(reference.pvalue) and found.df == pytest.approx(27)


@pytest.mark.parametrize(
    "expression", ["a.s:z:accuracy", "a.u:x:accuracy", "a.s:x:accuracy - a.s:z:accuracy", "a.s:x:k", "c.s:x:accuracy"]
)
def test_what_was_not_run_has_no_estimate(expression):
    assert estimate(RUNS, expression) is None
    one_success = runs_of({"a.s:x": [0.5, 0.6]}, failed={("a.s:x", 0)})
    assert estimate(one_success, "a.s:x:accuracy") is None


SPREAD = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3.0)  # a standard error of 1 around 0


@pytest.mark.parametrize(
    ("relation", "target", "distance", "expected"),
    [
        ("=", 50.0, LIMIT - 0.01, "reproduced"),
        ("=", 50.0, LIMIT + 0.01, "better"),
        ("=", 50.0, -LIMIT - 0.01, "worse"),
        ("<=", 50.0, LIMIT - 0.01, "reproduced"),
        ("<=", 50.0, LIMIT + 0.01, "worse"),
        ("<=", 50.0, -9.0, "reproduced"),
        (">=", 0.0, 1.0, "reproduced"),
        (">=", 0.0, 0.01 - LIMIT, "reproduced"),
        (">=", 0.0, -0.01 - LIMIT, "worse"),
        ("~", 0.0, 0.01 - LIMIT, "reproduced"),
        ("~", 0.0, LIMIT + 0.01, "worse"),
        ("~", 0.0, -LIMIT - 0.01, "worse"),
        (">", 0.0, 4.4, "reproduced"),  # with 2 degrees of freedom 5 % lie beyond 4.303
        (">", 0.0, 4.2, "worse"),
        (">", 0.0, -9.0, "worse"),
    ],
)
def test_relations(relation, target, distance, expected):
    published = target or 7.0  # claims about zero do not look at it
    assert verdict(relation, published, target + distance + SPREAD) == expected


def test_the_published_standard_error_counts():
    assert verdict("=", 50.0, 53.0 + SPREAD, se=1.0) == "reproduced"
    assert verdict("=", 50.0, 53.0 + SPREAD, se=0.1) == "better"
    assert verdict("=", 50.0, 50.0 + LIMIT * 2.0**0.5 + 0.01 + SPREAD, se=1.0) == "better"


def test_numbers_without_spread():
    assert verdict("=", 50.0, [50.0] * 3) == "reproduced"
    assert verdict("=", 50.0, [50.5] * 3) == "better"
    assert verdict(">", 1.0, [0.0] * 3) == "worse" and verdict(">", 1.0, [0.5] * 3) == "reproduced"


@pytest.mark.parametrize(("better", "above", "below"), [("lower", "worse", "better"), ("", "worse", "worse")])
def test_which_side_is_better(better, above, below):
    assert [verdict("=", 50.0, mean + SPREAD, better=better) for mean in (55.0, 45.0)] == [above, below]


@pytest.mark.parametrize(
    ("value", "se", "data", "expected"),
    [
        (7, np.nan, "report", "reproduced"),
        (8, np.nan, "report", "better"),
        (6, np.nan, "report", "worse"),  # a count must be equal
        (7, np.nan, "other", "not_comparable"),
        (6, 0.5, "report", "reproduced"),
        (7, np.nan, "standin", "not_comparable"),
        (None, np.nan, "report", "not_comparable"),
    ],
)
def test_facts_that_were_found_elsewhere(value, se, data, expected):
    facts = [] if value is None else [("colon:suspects", value, se, data)]
    judged = judge(claims(("=", 7.0, np.nan, "colon:suspects", "higher", "one")), RUNS, *facts)[0].loc[0]
    assert judged["verdict"] == expected and judged["data"] == data
    assert value is None or judged["ours"] == value


def test_holm_corrects_within_a_table():
    names = [f"a.s{k}:x" for k in range(6)]
    samples = {name: RNG.normal(0.01, 0.015, 9) for name in names}
    published = claims(
        *((">", 1.0, np.nan, f"{name}:accuracy", "", "one" if k < 4 else "two") for k, name in enumerate(names))
    )
    judged, comparisons = judge(published, runs_of(samples))
    ps = np.array([stats.ttest_1samp(samples[name], 0.0).pvalue for name in names])
    corrected = np.concatenate([multipletests(part, method="holm")[1] for part in (ps[:4], ps[4:])])
    np.testing.assert_allclose(comparisons["p"], ps)
    np.testing.assert_allclose(comparisons["p_holm"], corrected)
    assert np.any((ps < 0.05) & (corrected >= 0.05)) and np.any(corrected < 0.05)
    means = np.array([samples[name].mean() for name in names])
    expected = np.where((corrected < 0.05) & (means > 0.0), "reproduced", "worse")
    np.testing.assert_array_equal(judged["verdict"], expected)
    assert (comparisons["low"] < comparisons["difference"]).all()


def agreeing_runs(n=6):
    """Runs of ours that come out as the report says, with as little spread as its claims need."""
    means = {row.ours.removesuffix(":accuracy"): row.value for row in PUBLISHED.itertuples() if is_number(row)}
    for scenario in CONFIG["experiments"]["normal"]["scenarios"]:
        gain = means[f"table1.{scenario}:robust"] - means[f"table1.{scenario}:standard"]
        means |= {f"normal.{scenario}:standard": 80.0, f"normal.{scenario}:robust": 80.0 + gain - 0.5}
    rng = np.random.default_rng(0)
    samples = {}
    for name, mean in means.items():
        noise = rng.normal(size=n)
        samples[name] = (mean + (0.2 if name.startswith("svm.clean") else 0.005) * (noise - noise.mean())) / 100.0
    learned = {"share_shifted": 0.01, "flip_p0": 0.3, "flip_p1": 0.0}
    runs = runs_of(samples).assign(**learned)
    runs["k"] = np.where(runs["scenario"] == "exp1", 5.0, 3.0) + runs["replicate"] % 2
    runs.loc[runs["scenario"] == "exp3", "k"] = 1.0
    return runs


# Tables 4 and 8 print the same models, so that two numbers may be about one fact; they are on other data.
AGREEING_FACTS = list(
    {row.ours: (row.ours, row.value, np.nan, row.data) for row in PUBLISHED.itertuples() if is_fact(row.ours)}.values()
)


def is_number(row):
    """Whether the report prints this accuracy."""
    return row.relation == "=" and row.ours.endswith(":accuracy")


@pytest.fixture(scope="module")
def agreed():
    return judge(PUBLISHED, agreeing_runs(), *AGREEING_FACTS)


def test_everything_reproduces_if_ours_are_the_published_numbers(agreed):
    judged, comparisons = agreed
    assert list(judged.columns) == list(COLUMNS) and judged["id"].tolist() == PUBLISHED["id"].tolist()
    comparable = (PUBLISHED["ours"] != "") & (PUBLISHED["data"] == "report")
    expected = np.where(comparable, "reproduced", "not_comparable")
    assert judged.loc[judged["verdict"] != expected, ["id", "verdict"]].values.tolist() == []
    claimed = PUBLISHED[(PUBLISHED["relation"] == ">") & (PUBLISHED["ours"] != "")]
    assert comparisons["id"].tolist() == claimed["id"].tolist()
    assert comparisons["data"].tolist() == claimed["data"].tolist()


@pytest.mark.parametrize("direction", [1.0, -1.0], ids=["better", "worse"])
@pytest.mark.parametrize(
    "moved", ["table1.p20.robust", "svm.noisy.svm", "table7.exp3.flipping", "table7.exp2.standard"]
)
def test_a_verdict_follows_the_number_it_is_about(agreed, moved, direction):
    row = PUBLISHED.set_index("id").loc[moved]
    runs = agreeing_runs()
    place, method, _ = row["ours"].split(":")
    mine = (runs["experiment"] + "." + runs["scenario"] == place) & (runs["method"] == method)
    runs.loc[mine, "test_accuracy"] += direction * 4.0 * row["se"] / 100.0
    moved_too = judge(PUBLISHED, runs, *AGREEING_FACTS)
    before, after = (judged.set_index("id") for judged, _ in (agreed, moved_too))
    turned = before.index[before["verdict"] != after["verdict"]]
    numbers = {row.id for row in PUBLISHED.itertuples() if is_number(row)}
    assert set(turned) & numbers == {moved}
    assert after.loc[moved, "verdict"] == ("better" if direction > 0.0 else "worse")
    assert after.loc[moved, "z"] == pytest.approx(direction * 4.0, abs=0.1)
    about = PUBLISHED.set_index("id")["ours"].str.contains(row["ours"], regex=False)
    assert about[turned].all()  # claims that have the number in them may turn with it, no others


def test_published_claims_are_well_formed():
    assert PUBLISHED["id"].is_unique
    assert set(PUBLISHED["relation"]) <= {"=", ">", ">=", "~", "<="}
    assert set(PUBLISHED["data"]) <= {"report", "other", "standin"}
    assert set(PUBLISHED["bold"]) <= {"", "yes"} and set(PUBLISHED["better"]) <= {"", "higher", "lower"}
    needs_a_value = PUBLISHED["relation"].isin(["=", "<="])
    assert PUBLISHED.loc[needs_a_value, "value"].notna().all()
    assert PUBLISHED.loc[~needs_a_value, "claim"].ne("").all()
    assert PUBLISHED.loc[PUBLISHED["relation"] != "=", "better"].eq("").all()  # a claim holds or does not


@pytest.mark.parametrize(
    ("name", "expression"),
    [pytest.param(row.id, row.ours, id=row.id) for row in PUBLISHED.itertuples() if row.ours and not is_fact(row.ours)],
)
def test_published_claims_are_about_what_is_run(name, expression):
    for _, experiment, scenario, method, _ in parse(expression):
        assert scenario in CONFIG["experiments"][experiment]["scenarios"], name
        assert method in methods_of(CONFIG, experiment), name


@pytest.mark.parametrize(("place", "count"), [("Table 1", 14), ("Section 6", 4), ("Table 7", 16)])
def test_every_number_of_the_simulations_is_there(place, count):
    numbers = [row for row in PUBLISHED.itertuples() if row.place == place and is_number(row)]
    assert len(numbers) == count
    assert all(50.0 < row.value < 100.0 and 0.0 < row.se < 1.0 and row.better == "higher" for row in numbers)
    for row in numbers:
        _, experiment, scenario, method, _ = parse(row.ours)[0]
        assert (row.table, row.column) == (experiment, method)
        assert row.row == " / ".join(CONFIG["experiments"][experiment]["scenarios"][scenario]["row"])
