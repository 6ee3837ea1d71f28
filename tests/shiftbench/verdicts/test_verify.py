"""The check against expected results: rounding passes, anything else is named."""

import copy
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_up_runs import both, facts, runs_of
from shiftbench.config.load import complete
from shiftbench.config.plan import REPORT, methods_of
from shiftbench.runs import DATA, write_table
from shiftbench.verdicts import verify
from shiftbench.verdicts.judge import read_published
from shiftbench.verdicts.verify import (
    Mismatch,
    check,
    compare,
    judgements,
    read_expected,
    summarise,
    tolerance,
    write_expected,
)

ROOT = Path(__file__).parents[3]
SPREAD = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3.0)  # a standard error of 1

RUNS = both(
    runs_of({"a.s:x": 70.0 + SPREAD, "a.s:y": 80.0 + SPREAD}),
    runs_of({"a.s:x": [3.0, 9.0, 4.0]}, "seconds"),
    runs_of({"a.s:x": [0.3, 0.2, 0.1]}, "score"),
    facts("a.s", {"positives": 900}),
).table
VERDICTS = pd.DataFrame(
    [("one", "reproduced", 2.5), ("two", "worse", -4.0), ("three", "not_comparable", np.nan)],
    columns=["id", "verdict", "z"],
).assign(data="report", on_other_data=["", "", "reproduced"], ours=70.0, ours_se=0.5)
EXPECTED = summarise(RUNS) | {"verdicts": judgements(VERDICTS)}


def differing(expected=EXPECTED, runs=RUNS, verdicts=VERDICTS):
    """The lines of the Mismatch, without its head."""
    differences = compare(expected, runs, verdicts)
    with pytest.raises(Mismatch) as caught:
        check(differences)
    head, *lines = str(caught.value).splitlines()
    assert head == f"{len(lines)} of {len(differences)} results differ from the expected ones:"
    return lines


def moved(method, by, runs=RUNS):
    """The runs with values moved by this much."""
    mine = (runs["method"] == method) & (runs["metric"] != "seconds")
    return runs.assign(value=runs["value"] + np.where(mine, by, 0.0))


def turned(verdict, z):
    """The verdicts with another one on `one`."""
    return VERDICTS.assign(verdict=[verdict, *VERDICTS["verdict"][1:]], z=[z, *VERDICTS["z"][1:]])


def test_equal_results_pass():
    differences = compare(EXPECTED, RUNS, VERDICTS)
    check(differences)
    assert differences["agrees"].all() and len(differences) == 3 * 2 + 3 + 3 + 1  # one verdict is on other data
    assert EXPECTED["means"] == {
        "a.s:x:accuracy": [70.0, 1.0],
        "a.s:y:accuracy": [80.0, 1.0],
        "a.s:data:positives": [900.0, 0.0],
    }  # neither seconds nor scores while tuning
    assert EXPECTED["replicates"] == {"a.s:data": [1, 0], "a.s:x": [3, 0], "a.s:y": [3, 0]}


def test_they_pass_after_a_trip_to_the_disk(tmp_path):
    write_expected(tmp_path / "expected.json", RUNS, VERDICTS)
    check(compare(read_expected(tmp_path / "expected.json"), RUNS, VERDICTS))
    assert read_expected(tmp_path / "expected.json") == json.loads(json.dumps(EXPECTED))
    assert '  "a.s:x:accuracy": [70.0, 1.0],\n' in (tmp_path / "expected.json").read_text()  # one line each


@pytest.mark.parametrize("by", [0.49, -0.49])
def test_a_mean_may_move_by_less_than_half_a_standard_error(by):
    check(compare(EXPECTED, moved("y", by), VERDICTS))


@pytest.mark.parametrize("by", [0.51, -0.51, 30.0])
def test_a_mean_that_moved_further_is_named(by):
    assert differing(runs=moved("y", by)) == [f"a.s:y:accuracy: expected 80.0, found {80.0 + by} (tolerance 0.5)"]


@pytest.mark.parametrize("by", [1, -1, 0.01])
def test_facts_of_the_data_must_be_equal(by):
    (line,) = differing(runs=moved(DATA, by))
    assert line.startswith(f"a.s:data:positives: expected 900.0, found {900.0 + by} ")
    spread = both(facts("a.s", {"positives": 900}), facts("a.s", {"positives": 1000})).table.assign(replicate=[0, 1])
    expected = summarise(spread) | {"verdicts": {}}
    assert expected["means"]["a.s:data:positives"] == [950.0, 50.0]
    assert not compare(expected, moved(DATA, by, spread), VERDICTS.iloc[:0])["agrees"].all()


@pytest.mark.parametrize(
    ("metric", "mean", "se", "allowed"),
    [
        ("accuracy", 80.0, 0.3, 0.15),
        ("accuracy", 80.0, 0.0, 8e-5),
        ("f1", 80.0, 0.9, 0.1),
        ("precision", 80.0, 0.0, 0.1),
        ("recall", 80.0, 0.01, 0.1),
        ("flips", 0.0, 0.0, 0.01),
        ("flip_p0", 0.3, 0.002, 0.01),
        ("flip_p1", 0.3, 0.002, 0.01),
        ("precision_at_50", 0.9, 0.1, 0.018),
        ("precision_at_2000", 0.1, 0.1, 0.01),
        ("suspected_count", 2000.0, 9.0, 40.0),
        ("suspected_right", 0.0, 0.0, 0.01),
        ("share_suspected", 0.02, 0.01, 0.005),
        ("share_suspected", 0.02, 0.0, 0.0004),
        ("suspects_hit", 6.2, 0.4, 0.2),
        ("suspects_hit", 6.0, 0.0, 6e-6),
        ("sigma2", 10.0, 0.0, 1e-5),
    ],
)
def test_tolerances(metric, mean, se, allowed):
    assert tolerance(f"e.s:robust:{metric}", mean, se) == pytest.approx(allowed)
    assert tolerance(f"e.s:data:{metric}", mean, se) == pytest.approx(1e-6 * mean)
    values = {"e.s:x": mean + se * SPREAD}
    expected = summarise(runs_of(values, metric).table) | {"verdicts": {}}
    for share, agrees in ((0.98, True), (-0.98, True), (1.02, False), (-1.02, False)):
        runs = runs_of({"e.s:x": values["e.s:x"] + share * allowed}, metric).table
        assert compare(expected, runs, VERDICTS.iloc[:0])["agrees"].all() == agrees, share


def test_a_missing_method_is_named():
    lines = differing(runs=RUNS[RUNS["method"] != "y"])
    assert [line.split(": ")[0] for line in lines] == ["a.s:y succeeded", "a.s:y failed", "a.s:y:accuracy"]
    assert "expected 80.0" in lines[2]


def test_an_extra_method_is_named():
    lines = differing(runs=pd.concat([RUNS, RUNS[RUNS["method"] == "y"].assign(method="z")]))
    assert [line.split(": ")[0] for line in lines] == ["a.s:z succeeded", "a.s:z failed", "a.s:z:accuracy"]
    assert "found 80.0" in lines[2]


def test_an_extra_metric_is_named():
    more = pd.concat([RUNS, runs_of({"a.s:x": [1.0, 2.0, 3.0]}, "share_suspected").table])
    (line,) = differing(runs=more)
    assert line.startswith("a.s:x:share_suspected: expected nan, found 2.0")


def test_a_failure_more_or_less_is_named():
    failing = RUNS.assign(status=["ok", "failed", *["ok"] * (len(RUNS) - 2)])
    failing = failing[failing["metric"].isin(["accuracy", "positives"])]
    lines = ["a.s:x succeeded: expected 3, found 2 (tolerance 0)", "a.s:x failed: expected 0, found 1 (tolerance 0)"]
    assert differing(runs=failing) == lines
    back = [line.replace("3, found 2", "2, found 3").replace("0, found 1", "1, found 0") for line in lines]
    assert differing(expected=EXPECTED | summarise(failing)) == back


def test_a_method_that_always_fails_as_expected_passes():
    failing = runs_of({"a.s:x": [1.0, 2.0]}, failed={("a.s:x", 0), ("a.s:x", 1)}).table
    expected = summarise(failing) | {"verdicts": EXPECTED["verdicts"]}
    assert expected["means"] == {} and expected["replicates"] == {"a.s:x": [0, 2]}
    check(compare(expected, failing, VERDICTS))


@pytest.mark.parametrize(("verdict", "z"), [("better", 3.1), ("worse", -2.6), ("not_comparable", np.nan)])
def test_a_turned_verdict_is_named(verdict, z):
    assert differing(verdicts=turned(verdict, z)) == [f"one: expected reproduced, found {verdict}"]


def test_a_verdict_at_the_limit_may_turn():
    check(compare(EXPECTED, RUNS, turned("better", 2.9)))


def test_missing_and_extra_verdicts_are_named():
    (line,) = differing(verdicts=VERDICTS[VERDICTS["id"] != "two"])
    assert line.startswith("two: expected worse, found ")
    expected = copy.deepcopy(EXPECTED)
    del expected["verdicts"]["three"]
    line, on_other = differing(expected=expected)
    assert line.startswith("three: expected ") and line.endswith("found not_comparable")
    assert on_other == "three on other data: expected None, found reproduced"


@pytest.mark.parametrize("found", ["contradicted", "inconclusive", ""])
def test_a_turned_verdict_on_other_data_is_named(found):
    lines = differing(verdicts=VERDICTS.assign(on_other_data=["", "", found]))
    assert lines == [f"three on other data: expected reproduced, found {found}"]


def test_verdicts_are_kept_with_ours_and_its_error():
    kept = judgements(VERDICTS.assign(ours=[70.0, np.nan, 1.0], ours_se=[np.nan, np.nan, 0.25]))
    assert kept["one"] == {"verdict": "reproduced", "on_other_data": "", "z": 2.5, "ours": 70.0, "ours_se": None}
    assert kept["two"] == {"verdict": "worse", "on_other_data": "", "z": -4.0, "ours": None, "ours_se": None}
    last = {"verdict": "not_comparable", "on_other_data": "reproduced", "z": None, "ours": 1.0, "ours_se": 0.25}
    assert kept["three"] == last


def test_every_difference_gets_a_line():
    lines = differing(runs=moved("x", 5.0), verdicts=turned("worse", -9.0))
    assert [line.split(": ")[0] for line in lines] == ["a.s:x:accuracy", "one"]


@pytest.mark.parametrize("data", ["standin", "quick"])
def test_stand_ins_and_quick_looks_are_left_out(data):
    mine = RUNS["method"] == "y"
    runs = moved("y", 30.0).assign(data=np.where(mine, data, "report"))
    verdicts = turned("worse", -9.0).assign(data=[data, "report", "report"])
    check(compare(EXPECTED, runs, verdicts))
    assert "a.s:y" not in " ".join([*summarise(runs)["means"], *summarise(runs)["replicates"]])
    fewer = compare(EXPECTED, runs, verdicts)
    assert len(fewer) == len(compare(EXPECTED, RUNS, VERDICTS)) - 4
    check(compare(EXPECTED, moved("x", 9.0).assign(data=data), VERDICTS.assign(data=data, verdict="not_comparable")))


def test_results_become_the_expected_ones(tmp_path):
    VERDICTS.to_csv(tmp_path / "verdicts.csv", index=False)
    write_table(tmp_path / "runs.parquet", RUNS)
    verify.main(str(tmp_path), str(tmp_path / "expected.json"))
    assert read_expected(tmp_path / "expected.json") == EXPECTED


@pytest.mark.parametrize("data", ["standin", "quick"])
def test_stand_ins_and_quick_looks_never_become_the_expected_ones(tmp_path, data):
    VERDICTS.to_csv(tmp_path / "verdicts.csv", index=False)
    write_table(tmp_path / "runs.parquet", RUNS.assign(data=[data, *RUNS["data"][1:]]))
    with pytest.raises(SystemExit, match="stand-in data" if data == "standin" else "quick look"):
        verify.main(str(tmp_path), str(tmp_path / "expected.json"))
    assert not (tmp_path / "expected.json").exists()


def test_the_expected_results_are_those_of_the_config():
    expected = read_expected(ROOT / "tests" / "expected" / "results.json")
    config = complete(yaml.safe_load((ROOT / "config.yaml").read_text()))
    report = {name: about for name, about in config["experiments"].items() if about["target"] == REPORT}
    scenarios = [(name, scenario) for name, about in report.items() for scenario in about["scenarios"]]
    assert set(expected["replicates"]) == {
        f"{experiment}.{scenario}:{method}"
        for experiment, scenario in scenarios
        for method in [*methods_of(config, experiment, scenario), DATA]
    }
    for experiment, scenario in scenarios:
        wanted = config["experiments"][experiment]["scenarios"][scenario]["replicates"]
        for method in methods_of(config, experiment, scenario):
            assert expected["replicates"][f"{experiment}.{scenario}:{method}"] == [wanted, 0]
    assert set(expected["verdicts"]) == set(read_published()["id"])
    accuracies = [value for key, value in expected["means"].items() if key.endswith(":accuracy")]
    assert all(50.0 < mean < 100.0 and 0.0 < se < 3.0 for mean, se in accuracies) and len(accuracies) > 50
