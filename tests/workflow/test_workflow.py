"""The smallest config through real Snakemake."""

import json
import sys

import pandas as pd
import pytest

TABLES = [f"results/tables/{table}.{kind}" for table in ("table1", "readings") for kind in ("tex", "csv", "md", "html")]
FIGURES = [f"results/figures/{figure}.{kind}" for figure in ("plate", "accuracies") for kind in ("pdf", "png", "csv")]
OTHERS = [
    "results/runs.parquet",
    "results/verdicts.csv",
    "results/comparisons.csv",
    "results/manifest.json",
    "results/provenance.json",
    "results/summary.txt",
]
COLUMNS = "experiment,scenario,replicate,method,params,metric,value,status,reason"


def test_everything_is_there(finished):
    for name in TABLES + FIGURES + OTHERS:
        assert finished.path(name).stat().st_size > 0, name
    runs = finished.runs()
    assert ",".join(runs).startswith(COLUMNS)
    fits = runs[(runs["method"] != "data") & (runs["metric"] == "accuracy")]
    assert fits.value_counts(["scenario", "method"]).to_dict() == {
        ("p30", "standard"): 3,
        ("p30", "robust"): 3,
        ("l1_p30", "standard"): 4,
        ("l1_p30", "robust"): 4,
        ("l1_p30", "robust_with_shifts"): 4,
    }
    assert (runs["status"] == "ok").all()
    assert runs["params"].map(json.loads).map(lambda one: isinstance(one, dict)).all()
    assert "published numbers and claims" in finished.printed  # the verdicts end a run
    assert "100%" in finished.printed


def test_every_job_leaves_a_log_and_a_benchmark(finished):
    for rule in ("compile", "prepare", "fit", "combine", "judge", "tabulate", "plot", "provenance", "manifest"):
        assert jobs_in(finished, "logs", rule) == jobs_in(finished, "benchmarks", rule) != set(), rule
    assert len(jobs_in(finished, "logs", "prepare")) == 2 and len(jobs_in(finished, "logs", "fit")) == 6


def jobs_in(clone, kind, rule):
    """The jobs of a rule that left a log or a benchmark."""
    folder = clone.path(f"results/{kind}")
    files = [*folder.glob(f"{rule}.*"), *folder.glob(f"{rule}/**/*.*")]
    return {str(path.relative_to(folder).with_suffix("")) for path in files}


def test_manifest(finished):
    manifest = json.loads(finished.path("results/manifest.json").read_text())
    assert set(manifest) == {"code", "config_sha256", "packages", "machine", "time", "data"}
    assert manifest["time"]["fit_seconds"] > 0.0
    assert manifest["time"]["overhead_seconds"] == pytest.approx(
        manifest["time"]["wall_seconds"] * 2 - manifest["time"]["fit_seconds"], abs=0.2
    )
    assert list(manifest["data"]["blocks"]) == ["results/data/table1/0.npz", "results/data/table1/1.npz"]


def test_verdicts_have_the_fixed_columns(finished):
    verdicts = pd.read_csv(finished.path("results/verdicts.csv"))
    stated = ["id", "place", "table", "row", "column", "relation", "published", "published_se"]
    found = ["ours", "ours_se", "z", "verdict", "on_other_data", "replicates", "replicates_needed", "note", "data"]
    assert list(verdicts) == [*stated, *found]
    judged = verdicts.set_index("id")["verdict"]
    assert judged["table1.p30.standard"] != "not_comparable"
    assert judged["table7.exp1.standard"] == "not_comparable"
    assert verdicts.set_index("id").loc["table1.p30.standard", "replicates"] == 3


def test_second_run_has_nothing_to_do(finished):
    printed = finished.run("--cores", "2")
    assert "Nothing to be done" in printed
    assert "published numbers and claims" not in printed  # it has judged nothing
    assert "redundant and strongly discouraged" not in printed


@pytest.mark.parametrize(
    "edits",
    [
        {
            ("replicates: 3", "replicates: 0"): "experiments.table1.replicates: 0 is less than the minimum of 1",
            ("replicates_per_job", "replicates_per_jobs"): "unknown key 'replicates_per_jobs'; allowed are",
        },
        {
            ("[standard, robust]", "[standard, robst]"): "'robst' is not under `methods`; there are standard",
            ("  standard: {}", "  standard: {}\n  rival: {}"): "there is no method 'rival'; known are ",
            ("dataset: simulated", "dataset: tissues"): "table1.dataset: there is no dataset 'tissues'; known are",
            ("kind: uniform", "kind: unifrom"): "p30.noise.kind: there is no noise 'unifrom'; known are",
            ("layout: readings", "layout: reading"): "tables.readings.layout: there is no ",
            ("tables:", "only: [table9]\ntables:"): "only: there is no 'table9'; there are",
        },
    ],
)
def test_bad_config_is_refused_before_any_job(clone, edits):
    for old, new in edits:
        clone.edit("config.yaml", old, new)
    printed = clone.run("--cores", "1", ok=False).splitlines()
    for message in edits.values():
        assert any(line.startswith("config.yaml: ") and message in line for line in printed), (message, printed)
    assert not clone.path("results").exists()


BROKEN = '''
"""A method that never works."""

from shiftlr.methods.standard import StandardLogisticRegression


class Broken(StandardLogisticRegression):
    """Out of luck."""

    def fit(self, X, y):
        raise ArithmeticError("no luck")
'''


def test_failed_fits_are_rows_and_the_others_go_on(copy_of_finished):
    clone = copy_of_finished
    clone.path("mine/methods").mkdir(parents=True)
    clone.path("mine/methods/broken.py").write_text(BROKEN)
    clone.add({"plugins": "mine", "methods": {"broken": {}}, "extra_methods": ["broken"]})
    clone.run("--cores", "2", "table1")
    runs = pd.read_parquet(clone.path("results/runs/table1.parquet"))
    rows = runs[runs["method"] == "broken"]
    assert len(rows[rows["metric"] == "accuracy"]) == 7 and set(rows["status"]) == {"failed"}
    assert set(rows["reason"]) == {"ArithmeticError: no luck"}
    assert (runs.loc[runs["method"] != "broken", "status"] == "ok").all()
    table = clone.path("results/tables/table1.md").read_text()
    assert "| failed |" in table
    assert "broken in 0.3 / 0.0 / no: 3 of 3" in table


def test_results_are_verified(copy_of_finished):
    """Against those that were taken for the expected ones, and after one of these was changed."""
    clone = copy_of_finished
    expected = "tests/expected/results.json"
    make = (sys.executable, "-m", "shiftbench.verdicts.verify", "results", expected)
    clone.call(*make, PYTHONPATH=str(clone.path("workflow")))
    assert clone.planned("verify") == {"verify": 1}
    clone.run("--cores", "1", "verify")
    assert clone.path("results/verify.csv").stat().st_size > 0
    known = json.loads(clone.path(expected).read_text())
    known["means"]["table1.p30:robust:accuracy"][0] += 50.0
    clone.path(expected).write_text(json.dumps(known))
    printed = clone.run("--cores", "1", "verify", ok=False)
    assert "1 of" in printed and "results differ from the expected ones" in printed
    assert "table1.p30:robust:accuracy: expected 131." in printed
    assert not clone.path("results/verify.csv").exists()


def test_report_page_needs_no_network(copy_of_finished):
    proxies = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
    nowhere = dict.fromkeys(proxies, "http://127.0.0.1:9")  # nobody listens there
    copy_of_finished.run("--cores", "1", "--report", "report.html", **nowhere)
    page = copy_of_finished.path("report.html").read_text()
    for text in ("A small table", "plate diagram", "0. Verdicts", "1. Section 4.1", "2. Appendix A", "3. Ours"):
        assert text.lower() in page.lower(), text
