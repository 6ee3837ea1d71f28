"""How a number or claim compares with ours: every verdict, and what turns each into each other."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_up_runs import both, runs_of
from scipy import stats
from shiftbench.verdicts.estimate import Estimate
from shiftbench.verdicts.judge import judge
from shiftbench.verdicts.relations import LIMIT, VERDICTS, judge_gain, judge_interval, judge_number, worst

N = 100


def number(value, se, mean, our_se, better="higher"):
    return judge_number(SimpleNamespace(value=value, se=se, better=better), Estimate(mean, our_se, N - 1.0, N))


def interval(relation, mean, our_se, value=np.nan, margin=0.0):
    row = SimpleNamespace(relation=relation, value=value, margin=margin)
    return judge_interval(row, Estimate(mean, our_se, np.inf, N))


@pytest.mark.parametrize(
    ("mean", "better", "expected"),
    [
        (50.0, "higher", "reproduced"),
        (50.0 + 1.99 * LIMIT, "higher", "reproduced"),
        (50.0 + 2.01 * LIMIT, "higher", "better"),
        (50.0 - 2.01 * LIMIT, "higher", "worse"),
        (50.0 + 2.01 * LIMIT, "lower", "worse"),
        (50.0 - 2.01 * LIMIT, "lower", "better"),
        (50.0 + 2.01 * LIMIT, "", "different"),
        (50.0 - 2.01 * LIMIT, "", "different"),
    ],
)
def test_numbers(mean, better, expected):
    judged = number(50.0, 1.6, mean, 1.2, better)  # together a standard error of 2
    assert judged.verdict == expected and judged.z == pytest.approx((mean - 50.0) / 2.0)
    assert np.isnan(judged.needed)


def test_a_wide_error_of_ours_is_no_agreement():
    assert number(50.0, 0.5, 51.0, 1.0).verdict == "reproduced"
    judged = number(50.0, 0.5, 51.0, 2.0)
    assert judged.verdict == "inconclusive" and judged.needed == 4 * N  # half the error
    assert number(50.0, 0.5, 60.0, 2.0).verdict == "better"  # far is far
    assert number(50.0, 0.5, 50.0, np.nan).verdict == "inconclusive"  # one replicate


@pytest.mark.parametrize(
    ("value", "mean", "better", "expected"),
    [
        (7.0, 7.0, "higher", "reproduced"),
        (7.0, 8.0, "higher", "better"),
        (7.0, 6.0, "higher", "worse"),
        (125062.0, 125617.0, "", "different"),
        (0.3, 0.1 + 0.2, "", "reproduced"),  # but for rounding
    ],
)
def test_counts_must_be_equal(value, mean, better, expected):
    for se in (np.nan, 0.0):
        judged = number(value, np.nan, mean, se, better)
        assert judged.verdict == expected and np.isnan(judged.z)


@pytest.mark.parametrize(
    ("mean", "p", "expected"),
    [
        (0.5, 0.04, "reproduced"),
        (0.5, 0.06, "inconclusive"),
        (-0.5, 0.06, "inconclusive"),
        (-0.5, 0.04, "contradicted"),
        (0.5, np.nan, "inconclusive"),
    ],
)
def test_claims_that_one_beats_another(mean, p, expected):
    judged = judge_gain(Estimate(mean, 0.25, N - 1.0, N), p, 3)
    assert judged.verdict == expected and np.isnan(judged.z)  # a claim has no distance
    assert np.isfinite(judged.needed) == (expected == "inconclusive")


def test_a_difference_that_is_too_small_to_be_worth_the_claim():
    small = Estimate(0.01, 0.02, np.inf, N)
    assert judge_gain(small, 0.6, 1, 0.1).verdict == "contradicted"
    assert judge_gain(small, 0.6, 1, 0.05).verdict == "inconclusive"
    assert judge_gain(small, 0.6, 1).verdict == "inconclusive"
    assert judge_gain(small, 0.01, 1, 0.1).verdict == "reproduced"  # small, but there


def test_the_replicates_that_are_said_to_tell_do_so_four_times_out_of_five():
    rng = np.random.default_rng(0)
    truth, spread = 0.5, 4.0
    judged = judge_gain(Estimate(truth, spread / np.sqrt(N), N - 1.0, N), 0.2, 1)
    means = truth + spread / np.sqrt(judged.needed) * rng.normal(size=4000)
    told = np.mean(means / (spread / np.sqrt(judged.needed)) > stats.norm.ppf(0.975))
    assert told == pytest.approx(0.8, abs=0.03)
    assert judge_gain(Estimate(0.0, 1.0, 9.0, N), 1.0, 1).needed == np.inf  # nothing to tell
    assert np.isnan(judge_gain(Estimate(0.5, 1.0, np.inf), 0.6, 1).needed)  # replicates are not what it lacks
    more = judge_gain(Estimate(truth, spread / np.sqrt(N), N - 1.0, N), 0.2, 5).needed
    assert more > judged.needed  # beside other claims


@pytest.mark.parametrize(
    ("relation", "mean", "se", "expected"),
    [
        ("~", 0.2, 0.1, "reproduced"),
        ("~", -0.2, 0.1, "reproduced"),
        ("~", 0.2, 0.5, "inconclusive"),
        ("~", 2.0, 0.1, "contradicted"),
        ("~", -2.0, 0.1, "contradicted"),
        (">=", 3.0, 0.1, "reproduced"),
        (">=", -0.2, 0.1, "reproduced"),  # by less than the margin
        (">=", -0.2, 0.5, "inconclusive"),
        (">=", -2.0, 0.1, "contradicted"),
        ("<=", 4.0, 0.1, "reproduced"),
        ("<=", 5.2, 0.1, "reproduced"),
        ("<=", 5.2, 0.5, "inconclusive"),
        ("<=", 7.0, 0.1, "contradicted"),
        ("<=", 5.0, np.nan, "inconclusive"),
        ("<=", 5.0, 0.0, "reproduced"),
        ("<=", 6.01, 0.0, "contradicted"),
    ],
)
def test_claims_about_a_range(relation, mean, se, expected):
    judged = interval(relation, mean, se, value=5.0, margin=1.0)
    assert judged.verdict == expected and np.isnan(judged.z)
    assert np.isfinite(judged.needed) == (expected == "inconclusive" and not np.isnan(se))


def test_without_a_margin_a_range_ends_where_it_ends():
    assert interval("<=", 0.9, 0.01, value=1.0, margin=np.nan).verdict == "reproduced"
    assert interval("<=", 0.99, 0.01, value=1.0, margin=np.nan).verdict == "inconclusive"
    assert interval("<=", 1.1, 0.01, value=1.0, margin=np.nan).verdict == "contradicted"


def test_a_claim_of_several_parts_is_as_good_as_its_worst():
    found = {name: judge_gain(Estimate(sign, 0.1, 9.0, N), p, 1) for name, sign, p in PARTS}
    assert worst([found["holds"], found["open"]]).verdict == "inconclusive"
    assert worst([found["holds"], found["open"], found["fails"]]).verdict == "contradicted"
    assert worst([found["holds"], found["holds"]]).verdict == "reproduced"


PARTS = [("holds", 1.0, 0.01), ("open", 1.0, 0.5), ("fails", -1.0, 0.01)]

SHAPE = np.resize([-1.0, 1.0], 40)  # of mean zero
# Samples, relation and data that give each verdict: to turn one into another is to exchange them.
CASES = {
    "reproduced": (50.0 + SHAPE, "=", "higher", "report"),
    "better": (52.0 + SHAPE, "=", "higher", "report"),
    "worse": (48.0 + SHAPE, "=", "higher", "report"),
    "different": (48.0 + SHAPE, "=", "", "report"),
    "contradicted": (-5.0 + SHAPE, ">", "", "report"),
    "inconclusive": (0.1 + SHAPE, ">", "", "report"),
    "not_comparable": (50.0 + SHAPE, "=", "higher", "other"),
}


def judged_as(samples, relation, better, data):
    published = pd.DataFrame(
        [("one", "Table 1", "t", "r", "c", relation, 50.0, 0.2, "", better, "a.s:x:accuracy", "report", "", 0.0, "")],
        columns=[
            *("id", "place", "table", "row", "column", "relation", "value", "se", "bold", "better", "ours", "data"),
            *("claim", "margin", "note"),
        ],
    )
    return judge(published, runs_of({"a.s:x": samples}, data=data))[0].loc[0]


def test_every_verdict_has_its_case():
    assert set(CASES) == set(VERDICTS)


@pytest.mark.parametrize("after", CASES)
@pytest.mark.parametrize("before", CASES)
def test_each_verdict_turns_into_each_other(before, after):
    assert judged_as(*CASES[before])["verdict"] == before
    assert judged_as(*CASES[after])["verdict"] == after


def test_the_same_claim_takes_all_verdicts_of_a_claim_as_its_runs_change():
    means = {"contradicted": -5.0, "inconclusive": 0.05, "reproduced": 5.0}
    found = {name: judged_as(mean + SHAPE, ">", "", "report") for name, mean in means.items()}
    assert {name: row["verdict"] for name, row in found.items()} == {name: name for name in means}
    assert found["inconclusive"]["replicates"] == len(SHAPE) < found["inconclusive"]["replicates_needed"]
    assert all(np.isnan(row["z"]) for row in found.values())


def test_claims_on_other_data_are_judged_apart():
    for name, mean in {"contradicted": -5.0, "inconclusive": 0.05, "reproduced": 5.0}.items():
        judged = judged_as(mean + SHAPE, ">", "", "other")
        assert judged["verdict"] == "not_comparable" and judged["on_other_data"] == name
    for data in ("standin", "quick"):
        assert judged_as(5.0 + SHAPE, ">", "", data)["on_other_data"] == ""
    assert judged_as(5.0 + SHAPE, "=", "higher", "other")["on_other_data"] == ""  # a number of other data says nothing


def test_a_joint_claim_is_judged_by_all_its_parts():
    runs = both(*(runs_of({f"a.s:{name}": mean + SHAPE * scale}) for name, mean, scale in JOINT))
    cases = {"x - y and y - z": "reproduced", "x - y and z - y": "contradicted", "x - y and x - w": "inconclusive"}
    for text, expected in cases.items():
        expression = re.sub(r"\b([xyzw])\b", r"a.s:\1:accuracy", text)
        published = pd.DataFrame([("one", "t", ">", np.nan, np.nan, expression)], columns=COLUMNS).assign(
            place="", row="r", column="c", better="", data="report", claim="c", margin=np.nan, note=""
        )
        assert judge(published, runs)[0].loc[0, "verdict"] == expected, text


COLUMNS = ["id", "table", "relation", "value", "se", "ours"]
JOINT = [("x", 60.0, 1.0), ("y", 55.0, 1.5), ("z", 50.0, 0.5), ("w", 59.99, 3.0)]
