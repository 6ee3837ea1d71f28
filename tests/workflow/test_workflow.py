"""The smallest config through real Snakemake."""

import json
import signal
import subprocess
import time

import pandas as pd
import pytest
from conftest import environment

TABLES = [f"results/tables/{table}.{kind}" for table in ("table1", "readings") for kind in ("tex", "csv", "md", "html")]
OTHERS = [
    "results/runs.parquet",
    "results/verdicts.csv",
    "results/comparisons.csv",
    "results/manifest.json",
    "results/figures/plate.pdf",
    "results/figures/plate.png",
]


def test_everything_is_there(finished):
    for name in TABLES + OTHERS:
        assert finished.path(name).stat().st_size > 0, name
    runs = finished.runs()
    assert len(runs) == 2 * 3 + 3 * 4
    assert (runs["status"] == "ok").all()
    assert "published numbers and claims" in finished.printed  # the verdicts end a run
    assert "100%" in finished.printed


def test_every_job_leaves_a_log_and_a_benchmark(finished):
    for rule in ("simulate", "train", "tabulate", "plot"):
        logs = {path.stem for path in finished.path(f"results/logs/{rule}").rglob("*.log")}
        benchmarks = {path.stem for path in finished.path(f"results/benchmarks/{rule}").rglob("*.tsv")}
        assert logs == benchmarks != set()


def test_manifest(finished):
    manifest = json.loads(finished.path("results/manifest.json").read_text())
    assert set(manifest) == {"code", "config_sha256", "packages", "machine", "time", "data"}
    assert manifest["time"]["fit_seconds"] > 0.0
    assert manifest["time"]["overhead_seconds"] == pytest.approx(
        manifest["time"]["wall_seconds"] * 2 - manifest["time"]["fit_seconds"], abs=0.2
    )
    assert len(manifest["data"]["simulated"]) == 3


def test_verdicts_have_the_fixed_columns(finished):
    verdicts = pd.read_csv(finished.path("results/verdicts.csv"))
    assert ",".join(verdicts) == "id,table,row,column,published,published_se,ours,ours_se,z,verdict,data"
    judged = verdicts.set_index("id")["verdict"]
    assert judged["table1.p30.standard"] != "not_comparable"
    assert judged["table7.exp1.standard"] == "not_comparable"


def test_second_run_has_nothing_to_do(finished):
    assert finished.planned() == {}


def test_cores_and_block_size_change_nothing(finished, clone):
    clone.edit("config.yaml", "seeds_per_job: 3", "seeds_per_job: 2")
    clone.run("--cores", "1")
    pd.testing.assert_frame_equal(clone.runs(), finished.runs())
    assert clone.texts() == finished.texts()


def test_edited_method_reruns_itself_and_what_depends_on_it(copy_of_finished):
    clone = copy_of_finished
    before = {path: path.stat().st_mtime_ns for path in clone.path("results/runs").rglob("*.csv")}
    clone.edit("workflow/shiftlr/methods/standard.py", '"""Standard', '"""The standard')
    planned = clone.planned()
    assert planned == {"train": 3, "combine": 1, "judge": 1, "tabulate": 2, "manifest": 1, "all": 1, "plot": 1}
    clone.run("--cores", "2")
    changed = {path.parent.name for path, then in before.items() if path.stat().st_mtime_ns != then}
    assert changed == {"standard"}
    assert clone.planned() == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "replicates: 3",
            "replicates: 0",
            "config.yaml: experiments.table1.replicates: 0 is less than the minimum of 1",
        ),
        ("seeds_per_job", "seeds_per_jobs", "unknown key 'seeds_per_jobs'; allowed are"),
        ("[standard, robust]", "[standard, robst]", "'robst' is not under `methods`; there are standard, robust"),
        ("  standard: {}", "  standard: {}\n  rival: {}", "no method 'rival'; known are flipping, prefilter, robust"),
    ],
)
def test_bad_config_is_refused_before_any_job(clone, old, new, message):
    clone.edit("config.yaml", old, new)
    assert message in clone.run("--cores", "1", ok=False)
    assert not clone.path("results").exists()


RIVAL = '''
"""A rival for the test."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Rival(ClassifierMixin, BaseEstimator):
    """Says the class whose mean is nearer along the first features."""

    grid = {"n_features": [1, 3]}

    def __init__(self, n_features=1):
        self.n_features = n_features

    def fit(self, X, y):
        BREAK
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == label, : self.n_features].mean(axis=0) for label in self.classes_])
        return self

    def predict(self, X):
        distances = ((X[:, None, : self.n_features] - self.means_) ** 2).sum(axis=2)
        return self.classes_[distances.argmin(axis=1)]
'''


def test_one_file_and_a_name_add_a_method_to_every_table(copy_of_finished):
    clone = copy_of_finished
    clone.path("workflow/shiftlr/methods/rival.py").write_text(RIVAL.replace("BREAK", ""))
    clone.edit("config.yaml", "  standard: {}", "  standard: {}\n  rival: {}")
    clone.edit("config.yaml", "seeds_per_job: 3", "seeds_per_job: 3\nalso: [rival]")
    assert clone.planned()["train"] == 3
    clone.run("--cores", "2")
    assert clone.runs().query("method == 'rival'")["test_accuracy"].between(0.5, 1.0).all()
    assert " & rival \\\\" in clone.path("results/tables/table1.tex").read_text()


def test_failed_fits_are_rows_and_the_others_go_on(copy_of_finished):
    clone = copy_of_finished
    broken = RIVAL.replace("BREAK", "raise ArithmeticError('no luck')")
    clone.path("workflow/shiftlr/methods/rival.py").write_text(broken)
    clone.edit("config.yaml", "  standard: {}", "  standard: {}\n  rival: {}")
    clone.edit("config.yaml", "seeds_per_job: 3", "seeds_per_job: 3\nalso: [rival]")
    clone.run("--cores", "2")
    rows = clone.runs().query("method == 'rival'")
    assert set(rows["status"]) == {"failed"}
    assert set(rows["reason"]) == {"ArithmeticError: no luck"}
    table = clone.path("results/tables/table1.md").read_text()
    assert "| failed |" in table
    assert "rival in 0.3 / 0.0 / no: 3 of 3" in table


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_run_goes_on_and_ends_the_same(finished, clone, how):
    process = subprocess.Popen(
        clone.command("--cores", "2"),
        cwd=clone.folder,
        env=environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 300
    while not list(clone.folder.glob("results/runs/**/*.csv")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(how)
    assert process.wait(120) != 0
    assert not clone.path("results/runs.parquet").exists()
    clone.run("--cores", "2")
    pd.testing.assert_frame_equal(clone.runs(), finished.runs())
    assert clone.texts() == finished.texts()
    assert clone.planned() == {}


def test_changed_result_fails_verification(copy_of_finished):
    clone = copy_of_finished
    printed = clone.run("--cores", "2", "verify", ok=False)
    assert "results differ from the expected ones" in printed
    assert "normal.clean:robust: expected" in printed
    assert not clone.path("results/verify.csv").exists()


def test_report_page_needs_no_network(copy_of_finished, monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # nobody listens there
    copy_of_finished.run("--cores", "1", "--report", "report.html")
    page = copy_of_finished.path("report.html").read_text()
    for text in ("A small table", "plate diagram", "0. Verdicts", "1. Section 4.1", "8. Figures"):
        assert text in page


def test_lint(clone):
    assert "in a good condition" in clone.run("--lint")
