"""The check against expected results: rounding passes, anything else is named."""

import copy
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from shiftlr import verify
from shiftlr.config import complete, methods_of
from shiftlr.verdicts import read_published
from shiftlr.verify import Mismatch, check, compare, judgements, means, read_expected, real_facts

ROOT = Path(__file__).parents[1]
SPREAD = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3.0) / 100.0  # a standard error of 1 per cent

RUNS = pd.DataFrame(
    [
        {"experiment": "a", "scenario": "s", "method": method, "status": "ok", "test_accuracy": mean + noise}
        for method, mean in {"x": 0.7, "y": 0.8}.items()
        for noise in SPREAD
    ]
)
VERDICTS = pd.DataFrame(
    [("one", "reproduced", 2.5), ("two", "worse", -4.0), ("three", "not_comparable", np.nan)],
    columns=["id", "verdict", "z"],
).assign(data="report")
FACTS = pd.DataFrame([("colon:suspects", 6, None, "report")], columns=["key", "value", "se", "data"])
EXPECTED = {"means": means(RUNS), "facts": real_facts(FACTS), "verdicts": judgements(VERDICTS)}


def differing(expected=EXPECTED, runs=RUNS, verdicts=VERDICTS, facts=FACTS):
    """The lines of the Mismatch, without its head."""
    differences = compare(expected, runs, verdicts, facts)
    with pytest.raises(Mismatch) as caught:
        check(differences)
    head, *lines = str(caught.value).splitlines()
    assert head == f"{len(lines)} of {len(differences)} results differ from the expected ones:"
    return lines


def moved(method, by):
    """The runs with a mean moved by this many standard errors."""
    return RUNS.assign(test_accuracy=RUNS["test_accuracy"] + np.where(RUNS["method"] == method, by / 100.0, 0.0))


def turned(verdict, z):
    """The verdicts with another one on `one`."""
    return VERDICTS.assign(verdict=[verdict, *VERDICTS["verdict"][1:]], z=[z, *VERDICTS["z"][1:]])


def test_equal_results_pass():
    differences = compare(EXPECTED, RUNS, VERDICTS, FACTS)
    check(differences)
    assert differences["agrees"].all() and len(differences) == 2 * 2 + 1 + 3
    assert EXPECTED["means"]["a.s:x"] == {"mean": 70.0, "se": 1.0, "failed": 0}


def test_they_pass_after_a_trip_to_the_disk(tmp_path):
    (tmp_path / "expected.json").write_text(json.dumps(EXPECTED))
    check(compare(read_expected(tmp_path / "expected.json"), RUNS, VERDICTS, FACTS))


@pytest.mark.parametrize("by", [0.49, -0.49])
def test_a_mean_may_move_by_less_than_half_a_standard_error(by):
    check(compare(EXPECTED, moved("y", by), VERDICTS, FACTS))


@pytest.mark.parametrize("by", [0.51, -0.51, 30.0])
def test_a_mean_that_moved_further_is_named(by):
    assert differing(runs=moved("y", by)) == [f"a.s:y: expected 80.0, found {80.0 + by} (tolerance 0.5)"]


def test_a_missing_method_is_named():
    lines = differing(runs=RUNS[RUNS["method"] != "y"])
    assert [line.split(":")[:2] for line in lines] == [["a.s", "y"], ["a.s", "y failed"]]
    assert "expected 80.0" in lines[0]


def test_an_extra_method_is_named():
    (line,) = differing(runs=pd.concat([RUNS, RUNS[RUNS["method"] == "y"].assign(method="z")]))
    assert line.startswith("a.s:z: expected ") and "found 80.0" in line


def test_a_failure_more_or_less_is_named():
    failing = RUNS.assign(status=["ok", "failed", *["ok"] * 4])
    assert differing(runs=failing) == ["a.s:x failed: expected 0, found 1 (tolerance 0.0)"]
    expected = EXPECTED | {"means": means(failing)}
    assert differing(expected=expected) == ["a.s:x failed: expected 1, found 0 (tolerance 0.0)"]


def test_a_method_that_always_fails_as_expected_passes():
    failing = RUNS.assign(
        status=["failed"] * 3 + ["ok"] * 3, test_accuracy=RUNS["test_accuracy"].where(RUNS["method"] == "y")
    )
    check(compare(EXPECTED | {"means": means(failing)}, failing, VERDICTS, FACTS))


@pytest.mark.parametrize(("verdict", "z"), [("better", 3.1), ("worse", -2.6), ("not_comparable", np.nan)])
def test_a_turned_verdict_is_named(verdict, z):
    assert differing(verdicts=turned(verdict, z)) == [f"one: expected reproduced, found {verdict}"]


def test_a_verdict_at_the_limit_may_turn():
    check(compare(EXPECTED, RUNS, turned("better", 2.9), FACTS))


def test_missing_and_extra_verdicts_are_named():
    (line,) = differing(verdicts=VERDICTS[VERDICTS["id"] != "two"])
    assert line.startswith("two: expected worse, found ")
    expected = copy.deepcopy(EXPECTED)
    del expected["verdicts"]["three"]
    (line,) = differing(expected=expected)
    assert line.startswith("three: expected ") and line.endswith("found not_comparable")


def test_every_difference_gets_a_line():
    lines = differing(runs=moved("x", 5.0), verdicts=turned("worse", -9.0))
    assert [line.split(": ")[0] for line in lines] == ["a.s:x", "one"]


def test_results_become_the_expected_ones(tmp_path):
    VERDICTS.to_csv(tmp_path / "verdicts.csv", index=False)
    RUNS.to_parquet(tmp_path / "runs.parquet")
    (tmp_path / "colon").mkdir()
    FACTS.to_csv(tmp_path / "colon" / "facts.csv", index=False)
    verify.main(str(tmp_path), str(tmp_path / "expected.json"))
    assert read_expected(tmp_path / "expected.json") == EXPECTED


def test_the_expected_results_are_those_of_the_config():
    expected = read_expected(ROOT / "tests" / "expected" / "results.json")
    config = complete(yaml.safe_load((ROOT / "config.yaml").read_text()))
    assert set(expected["means"]) == {
        f"{experiment}.{scenario}:{method}"
        for experiment, settings in config["experiments"].items()
        for scenario in settings["scenarios"]
        for method in methods_of(config, experiment, scenario)
    }
    assert set(expected["verdicts"]) == set(read_published()["id"])
    assert all(50.0 < one["mean"] < 100.0 and 0.0 < one["se"] < 2.0 for one in expected["means"].values())


def test_facts_must_be_equal_unless_they_are_of_standins():
    assert differing(facts=FACTS.assign(value=7)) == ["colon:suspects: expected 6.0, found 7.0 (tolerance 0.0)"]
    assert len(differing(facts=FACTS.iloc[:0])) == 1
    on_standins = VERDICTS.assign(data="standin", verdict="not_comparable")
    check(compare(EXPECTED, RUNS, on_standins, FACTS.assign(value=9, data="standin")))


def test_facts_with_an_error_may_move_within_it():
    facts = pd.DataFrame(
        [("ner:auto_share", 8.0, 2.0, "other"), ("ner:auto_robust_gain", 0.0, 0.0, "other")], columns=FACTS.columns
    )
    expected = EXPECTED | {"facts": real_facts(facts)}
    assert compare(expected, RUNS, VERDICTS, facts.assign(value=[8.9, 0.09]))["agrees"].all()
    assert differing(expected, facts=facts.assign(value=[9.1, 0.11])) == [
        "ner:auto_robust_gain: expected 0.0, found 0.11 (tolerance 0.1)",
        "ner:auto_share: expected 8.0, found 9.1 (tolerance 1.0)",
    ]
