"""A method that this machine cannot run is skipped, with the reason: it has neither failed nor passed."""

import numpy as np
import pandas as pd
import pytest
from made_up_runs import both, place_of, runs_of
from rivals import make_config, make_job, make_replicate
from shiftbench import fit, plugins
from shiftbench.config.load import complete
from shiftbench.present.context import build_context
from shiftbench.present.verdicts_page import summary
from shiftbench.run.steps import Steps
from shiftbench.runs import COLUMNS, Runs, chosen_params, rows_of, write_rows, write_table
from shiftbench.verdicts import verify
from shiftbench.verdicts.judge import read_published
from shiftlr import methods

REASON = "R with the package glmnet is not installed: on Debian `apt-get install r-cran-glmnet`"
SPREAD = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3.0)  # a standard error of 1
VERDICTS = pd.DataFrame(columns=["id", "verdict", "z", "data"])


@pytest.fixture
def without_r(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))


def skipped(name, metric="accuracy"):
    """Three replicates that were skipped."""
    rows = [rows_of(place_of(name, k), {metric: np.nan}, {}, "skipped", REASON, "report")[0] for k in range(3)]
    return Runs(pd.DataFrame(rows, columns=list(COLUMNS)), {})


def test_a_method_says_what_is_missing(without_r):
    assert methods.load("glmnet_path", plugins.folders("methods", None)).missing() == REASON


def test_r_without_the_package_is_not_enough(monkeypatch, tmp_path):
    program = tmp_path / "Rscript"
    program.write_text("#!/bin/sh\necho FALSE\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert methods.load("glmnet_path", plugins.folders("methods", None)).missing() == REASON


def test_its_rows_are_skipped_and_say_why(without_r, tmp_path):
    chosen = {}
    rows, arrays = fit.run(make_job(None, "glmnet_path", metrics=["accuracy"]), make_replicate(), chosen)
    assert {row["metric"] for row in rows} == {"accuracy", "seconds"} and np.isnan(rows[0]["value"])
    assert {(row["status"], row["reason"], row["params"]) for row in rows} == {("skipped", REASON, "{}")}
    assert arrays == {} and chosen == {}
    write_rows(tmp_path / "rows.csv", rows)
    assert chosen_params([tmp_path / "rows.csv"]) == {}


def test_it_is_run_again_when_what_it_needs_is_there(monkeypatch, tmp_path):
    """What is missing is among the parameters of its fits, and of no others."""
    steps = Steps(make_config(None, "glmnet_path", others={"standard": {}}))
    monkeypatch.setattr("shiftbench.methods._r_process.missing", lambda package: "")
    there = [steps.fit_job(wildcards(name)) for name in ("standard", "glmnet_path")]
    monkeypatch.setattr("shiftbench.methods._r_process.missing", lambda package: REASON)
    lacking = [steps.fit_job(wildcards(name)) for name in ("standard", "glmnet_path")]
    assert there[0] == lacking[0] and "missing" not in there[0]
    assert there[1] | {"missing": REASON} == lacking[1] and there[1]["missing"] == ""


def wildcards(method):
    return type("Wildcards", (), {"experiment": "e", "method": method, "block": "0"})()


def make_table(runs, layout="paths"):
    scenarios = {"p10": {"row": ["0.1"], "reading_of": "table1.p10"}}
    glmnet = {"method": "glmnet_path", "title": "glmnet", "reading_of": "robust"}
    one = {
        "dataset": "simulated",
        "methods": {"robust": {}, "robust_glmnet": glmnet},
        "replicates": 3,
        "table": {"layout": layout, "columns": ["row"]},
        "scenarios": scenarios,
    }
    config = complete({"methods": {"robust": {}}, "experiments": {"one": one}})
    return plugins.load_file("tables", layout).build(build_context("one", config, runs))


@pytest.mark.parametrize("layout", ["paths", "means"])
def test_a_table_shows_that_it_was_not_run(layout):
    table = make_table(both(runs_of({"one.p10:robust": 94.0 + SPREAD}), skipped("one.p10:robust_glmnet")), layout)
    z = " (+0.41)" if layout == "paths" else ""  # 93.58 ± 0.18 was published: 0.42 / sqrt(1 + 0.18^2)
    assert [cell.text for cell in table.lines[0]][1:3] == [f"94.00 ± 1.00{z}", "-"]
    assert f"glmnet was not run (-): {REASON}." in table.notes
    assert not any("failed" in note for note in table.notes)


def test_the_table_of_paths_has_published_numbers_and_shares():
    name = "one.p10:robust_glmnet"
    table = make_table(
        both(
            runs_of({"one.p10:robust": 94.58 + SPREAD, name: 93.58 + SPREAD}),
            runs_of({"one.p10:robust": [0.0, 0.0, 1.0], name: [1.0, 1.0, 0.0]}, "without_shifts"),
            runs_of({name: [1.0, 0.5, 0.0]}, "not_converged"),
        )
    )
    head = ["row", "robust", "glmnet", "report", "glmnet: not converged"]
    assert table.head == [*head, "robust: without shifts", "glmnet: without shifts"]
    texts = [cell.text for cell in table.lines[0]]
    assert texts == ["0.1", "94.58 ± 1.00 (+0.98)", "93.58 ± 1.00 (+0.00)", "93.58 ± 0.18", "50", "33", "67"]
    assert list(table.data["published"]) == [93.58, 93.58]
    assert {note.partition(":")[0] for note in table.notes} >= {"Not converged", "Without shifts", "In brackets"}
    alone = make_table(runs_of({"one.p10:robust": 94.58 + SPREAD, name: 93.58 + SPREAD}))
    assert alone.head == head[:4]  # what is not measured has no column, and no note
    assert not any(note.startswith(("Not converged", "Without shifts")) for note in alone.notes)


def test_the_end_of_a_run_says_what_was_not_run():
    runs = both(runs_of({"a.s:x": 70.0 + SPREAD}), skipped("a.s:y"), skipped("a.t:y")).table
    published = read_published().iloc[:0]
    verdicts = pd.DataFrame(columns=["verdict", "on_other_data", "data"])
    lines = summary(verdicts, published, {}, runs=runs).splitlines()
    assert lines[-1] == f"Not run: y in a. {REASON}" and sum("Not run" in line for line in lines) == 1
    assert "Not run" not in summary(verdicts, published, {}, runs=runs[runs["method"] == "x"])


def test_nothing_is_expected_of_what_was_not_run():
    all_run = runs_of({"a.s:x": 70.0 + SPREAD, "a.s:y": 80.0 + SPREAD}).table
    expected = verify.summarise(all_run) | {"verdicts": {}}
    some_run = both(runs_of({"a.s:x": 70.0 + SPREAD}), skipped("a.s:y")).table
    differences = verify.compare(expected, some_run, VERDICTS)
    verify.check(differences)
    assert not any("a.s:y" in what for what in differences["what"])
    assert "a.s:y" not in verify.summarise(some_run)["replicates"]
    with pytest.raises(verify.Mismatch, match=r"a\.s:y"):  # but it may not just be gone
        verify.check(verify.compare(expected, some_run[some_run["method"] == "x"], VERDICTS))


def test_results_with_gaps_are_not_taken_for_the_expected_ones(tmp_path):
    runs = both(runs_of({"a.s:x": 70.0 + SPREAD}), skipped("a.s:y")).table
    write_table(tmp_path / "runs.parquet", runs)
    VERDICTS.to_csv(tmp_path / "verdicts.csv", index=False)
    with pytest.raises(SystemExit, match=r"some methods were not run, .*r-cran-glmnet"):
        verify.main(str(tmp_path), str(tmp_path / "expected.json"))
