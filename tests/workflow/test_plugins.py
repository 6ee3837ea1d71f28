"""The six additions of tests/plugins and a file of the user's own, each without another file being touched."""

import hashlib
import shutil

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

# What a user writes beside tests/plugins/config.yaml.
MINE = """
experiments:
  customers:
    title: Customers who leave
    dataset: {file: mine/customers.csv, label: churn, id: name}
    noise: {kind: uniform, p0: 0.1, p1: 0.1}
    tuning: {by: folds, folds: 2}
    replicates: 2
  breast_cancer: {replicates_per_job: 10}
"""
ADDITIONS = {
    *("methods/gce_by_hand.py", "datasets/breast_cancer.py", "noise/nearest.py"),
    *("metrics/balanced_accuracy.py", "tables/ranking.py", "figures/spread.py"),
}
TABLES = ("table1", "table2", "preprocessing", "table4", "table5", "table8", "noise_curve", "thinning", "label_errors")
FIGURES = ("accuracies", "figure3", "label_errors", "noise_curve")  # those that show runs of all methods


def project_files(clone):
    """All files but those that were added and those that are made."""
    added = (clone.path("tests/plugins"), clone.path("mine"), clone.path("results"), clone.path(".snakemake"))
    files = [
        path
        for path in clone.folder.rglob("*")
        if path.is_file() and not any(path.is_relative_to(one) for one in added)
    ]
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture(scope="module")
def added(everything, tmp_path_factory):
    """A finished run with all additions."""
    clone = everything.copy(tmp_path_factory.mktemp("plugins") / "clone")
    before = project_files(clone)
    shutil.copytree(ROOT / "tests/plugins", clone.path("tests/plugins"), ignore=shutil.ignore_patterns("__pycache__"))
    clone.path("mine").mkdir()
    clone.path("mine/config.yaml").write_text(MINE)
    rng = np.random.default_rng(0)
    age, plan = rng.normal(40.0, 10.0, 120), rng.choice(["small", "large"], 120)
    churn = np.where(age + 10.0 * (plan == "large") + rng.normal(0.0, 5.0, 120) > 45.0, "left", "stayed")
    names = [f"customer {k}" for k in range(120)]
    customers = pd.DataFrame({"name": names, "age": age, "plan": plan, "churn": churn})
    customers.to_csv(clone.path("mine/customers.csv"), index=False)
    clone.printed = clone.run("--cores", "2", "--configfile", "tests/plugins/config.yaml", "mine/config.yaml")
    assert project_files(clone) == before
    return clone


def table(clone, name):
    return pd.read_csv(clone.path(f"results/tables/{name}.csv"))


def test_each_addition_is_one_file():
    folder = ROOT / "tests/plugins"
    assert {str(path.relative_to(folder)) for path in folder.rglob("*.py")} == ADDITIONS


def test_a_dataset_noise_and_a_metric_give_a_table(added):
    rows = table(added, "breast_cancer")
    assert set(rows["scenario"]) == {"uniform", "nearest"}
    assert set(rows["method"]) == {"standard", "robust", "flipping", "gce_by_hand"}
    assert (rows["replicates"] == 5).all() and rows["ours"].between(70.0, 100.0).all()
    runs = added.runs()
    mine = runs[(runs["experiment"] == "breast_cancer") & (runs["method"] != "data")]
    assert {"accuracy", "balanced_accuracy"} <= set(mine["metric"]) and set(mine["status"]) == {"ok"}
    wrong = runs[(runs["experiment"] == "breast_cancer") & (runs["metric"] == "mislabelled")]
    assert wrong["value"].between(0.1, 0.3).all()


def test_a_table_and_a_figure_stand_beside_the_others(added):
    assert table(added, "breast_cancer_ranking")["place"].max() == 4
    assert "GCE" in added.path("results/tables/breast_cancer_ranking.md").read_text()
    for ending in ("pdf", "png"):
        assert added.path(f"results/figures/spread.{ending}").stat().st_size > 0
    shown = pd.read_csv(added.path("results/figures/spread.csv"))
    assert shown.value_counts(["scenario", "method"]).eq(5).all() and "gce_by_hand" in set(shown["method"])


def test_a_method_stands_in_every_table_and_figure(added):
    for name in (*TABLES, "customers", "breast_cancer"):
        for ending in ("tex", "md", "html"):
            assert "GCE" in added.path(f"results/tables/{name}.{ending}").read_text(), f"{name}.{ending}"
    for name in ("table4", "table5", "table8"):
        rows = table(added, name).query("model == 'gce_by_hand'")
        assert len(rows) == 2 and rows["f1"].between(30.0, 100.0).all() and rows["published_f1"].isna().all()
    for name in FIGURES:
        assert "gce_by_hand" in set(pd.read_csv(added.path(f"results/figures/{name}.csv"))["method"]), name
    failed = added.runs().query("status != 'ok'")
    assert failed.empty, failed


def test_all_else_comes_out_the_same(added, everything):
    """Everything after the fits was made anew."""
    texts, before = added.texts(), everything.texts()
    for name in [f"tables/{table}.csv" for table in (*TABLES, "table3", "readings")]:
        mine = [line for line in texts[name].splitlines() if "gce" not in line.lower()]
        assert mine == before[name].splitlines(), name
    for name in ("colon/suspects.csv", "ner/suspects_auto.csv", "ner/suspects_crowd.csv"):
        assert texts[name] == before[name], name
    # The project's own fits did not run again.
    for path in everything.path("results/runs").rglob("*/*/*.csv"):
        name = path.relative_to(everything.folder)
        assert added.path(name).stat().st_mtime_ns == path.stat().st_mtime_ns, name


def test_a_file_of_the_users_own_needs_no_code(added):
    rows = table(added, "customers")
    assert set(rows["method"]) == {"standard", "robust", "gce_by_hand"} and rows["ours"].between(60.0, 100.0).all()
    facts = added.runs().query("experiment == 'customers' and method == 'data'").drop_duplicates("metric")
    known = facts.set_index("metric")["value"]
    assert known["features"] == 3 and known["positives"] + known["negatives"] == 60  # age, and a column for each plan
    assert set(facts["data"]) == {"other"}


def test_edits_of_the_additions_are_seen(added, tmp_path):
    """A plug-in is a step's code, and the user's file its data, like the project's own."""
    clone = added.copy(tmp_path / "copy")
    words = ("--configfile", "tests/plugins/config.yaml", "mine/config.yaml")
    assert clone.planned(*words) == {}
    with clone.path("mine/customers.csv").open("a") as file:
        file.write("one more,50,small,left\n")
    planned = clone.planned(*words)
    assert planned["prepare"] == 1 and planned["fit"] == 3
    shutil.copy(added.path("mine/customers.csv"), clone.path("mine"))
    clone.edit("tests/plugins/metrics/balanced_accuracy.py", "in per cent.", "in per cent!")
    planned = clone.planned(*words)
    assert planned["fit"] == 4 and "prepare" not in planned
