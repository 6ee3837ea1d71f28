"""What the rules ask of the config: what there is to make, from what, and what a change of settings reruns."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from shiftbench.config.load import complete
from shiftbench.run.steps import Steps

ROOT = Path(__file__).parents[3]
PROJECT = yaml.safe_load((ROOT / "config.yaml").read_text())
EXPERIMENTS = [name for name, about in PROJECT["experiments"].items() if about.get("target") != "beyond"]
SMALL = {"dataset": "simulated", "methods": ["standard", "robust"], "scenarios": {"s": {}}}


def steps(**changes):
    return Steps(complete(PROJECT | changes))


@pytest.fixture(scope="module")
def project():
    return steps()


def test_everything_of_the_report_is_made_unless_told_otherwise(project):
    beyond = project.made_by("beyond")
    every = dict.fromkeys([*PROJECT["experiments"], *PROJECT["tables"], *PROJECT["figures"]])
    assert project.wanted == [name for name in every if name not in beyond]
    assert project.experiments == EXPERIMENTS and not set(EXPERIMENTS) & set(beyond)
    assert set(project.external) == {"alon1999", "conll2003", "annie", "names", "crowd2014"}


@pytest.mark.parametrize(
    ("only", "experiments", "external"),
    [
        (["table1"], ["table1"], set()),
        (["svm", "table1"], ["table1", "svm"], set()),
        (["table2"], ["table2"], {"alon1999"}),
        (["plate"], [], set()),
        (["colon_map"], ["table2"], {"alon1999"}),
        (["table8"], ["table4"], {"conll2003", "annie", "names", "crowd2014"}),
        (["thinning"], ["thinning"], {"conll2003", "annie", "names", "crowd2014"}),  # and single fits of table4
        (["normal"], ["table1", "normal"], set()),  # whose gain stands beside
    ],
)
def test_only_what_is_needed_is_run(only, experiments, external):
    some = steps(only=only)
    assert some.wanted == only and some.experiments == experiments and set(some.external) == external


def with_more(target):
    """The project with one more experiment, and a table and a figure of its runs."""
    more = {"experiments": PROJECT["experiments"] | {"more": SMALL | {"target": target, "section": "ours"}}}
    more["tables"] = PROJECT["tables"] | {"both": {"layout": "means", "of": ["table1", "more"]}}
    more["figures"] = PROJECT["figures"] | {"curve": {"layout": "noise_curve", "of": ["more.s"]}}
    return steps(**more | {"suspects": PROJECT["suspects"] | {"more/list": {"of": "more.s", "method": "robust"}}})


def test_what_is_beyond_the_report_is_no_part_of_it(project):
    """Nor is what shows runs of it; the report's settings, and so its manifest, stay as they are."""
    beyond, inside = with_more("beyond"), with_more("report")
    assert set(beyond.made_by("beyond")) - set(project.made_by("beyond")) == {"more", "both", "curve"}
    assert beyond.wanted == project.wanted and beyond.experiments == project.experiments
    assert beyond.report_config() == project.report_config() != inside.report_config()
    assert {"more", "both", "curve"} <= set(inside.wanted) and "more" in inside.experiments
    assert beyond.category("more") == beyond.category("curve") == "Beyond the report"
    assert [beyond.category(name) for name in project.wanted] == [project.category(name) for name in project.wanted]
    assert "results/more/list.csv" in beyond.files_of("more")


def test_files_of_a_target(project):
    tables = [f"results/tables/table5.{kind}" for kind in ("tex", "csv", "md", "html")]
    assert project.files_of("table5") == [*tables, "results/ner/suspects_auto.csv"]
    both = project.files_of("noise_curve")
    assert {"results/tables/noise_curve.csv", "results/figures/noise_curve.pdf"} <= set(both) and len(both) == 7
    assert project.files_of("plate") == [f"results/figures/plate.{kind}" for kind in ("pdf", "png", "csv")]


def test_rows_of_an_experiment_are_those_of_its_data_and_all_fits(project):
    rows = project.rows_of("table1")
    assert rows[0] == "results/data/table1/0_facts.csv" and len(rows) == len(set(rows))
    n_blocks = -(-(5 * 500 + 2 * 1000) // project.config["replicates_per_job"])
    assert len(project.blocks("table1")) == n_blocks
    assert f"results/runs/table1/robust/{n_blocks - 1}.csv" in rows
    assert "results/runs/table1/robust_fine/0.csv" not in rows  # a reading of later scenarios
    every = [path for name in EXPERIMENTS for path in project.rows_of(name)]
    assert len(every) == len(set(every))


def wildcards(experiment, method, block=0):
    return SimpleNamespace(experiment=experiment, method=method, block=str(block))


def test_fits_wait_for_those_whose_parameters_they_take(project):
    assert project.chosen_by(wildcards("table2", "standard")) == []
    assert project.chosen_by(wildcards("table2", "svm")) == ["results/runs/table2/standard/0.csv"]
    assert project.chosen_by(wildcards("table2", "robust")) == []
    assert project.chosen_by(wildcards("thinning", "flipping")) == ["results/runs/table4/flipping/0.csv"]
    assert project.chosen_by(wildcards("table4", "flipping")) == ["results/runs/table4/standard/0.csv"]


def test_slow_fits_start_before_those_that_are_many_in_a_job(project):
    order = sorted(EXPERIMENTS, key=project.fit_priority, reverse=True)
    assert order.index("table4") < order.index("readings_glmnet") < order.index("table1")
    assert project.fit_priority("table4") > project.fit_priority("table1") >= 1


def test_what_a_fit_is_told_can_be_a_parameter_of_a_rule(project):
    job = project.fit_job(wildcards("table1", "robust"))
    assert job["redrawn"] is True and json.loads(json.dumps(job)) == job
    assert project.fit_job(wildcards("table4", "robust"))["redrawn"] is False
    data = project.prepare_job("table4", "0")
    assert data["segments"] == [["turker", 0, 4], ["per_article", 0, 4]]
    assert data["folders"]["annie"] == "results/data/sources/annie"


def test_figures_have_the_features_they_show(project):
    assert project.figure_data("colon_map") == ["results/data/table2/0.npz"]
    assert project.figure_data("figure3") == []


def test_lists_of_suspects_have_the_settings_of_their_data(project):
    settings = project.listed_settings("ner/suspects_crowd")
    assert settings["dataset"] == "conll_person" and settings["data"]["labels"] == "per_article"
    assert settings["data"]["negatives"] is None and set(settings["data"]["folders"]) == set(
        project.sources_of("table4")
    )
    assert project.listed_runs("colon/suspects") == ["results/runs/table2.parquet", "results/runs/table2.npz"]


def test_sections_stand_in_the_config_s_order_with_ours_last(project):
    categories = {name: project.category(name) for name in project.wanted}
    assert categories["table1"] == "1. Section 4.1" and categories["table2"] == "2. Section 4.2"
    assert categories["table8"].endswith("appendix B") and categories["noise_curve"].endswith("Ours")
    numbers = {int(text.partition(".")[0]) for text in categories.values()}
    assert numbers == set(range(1, len(numbers) + 1))
    assert int(categories["noise_curve"].partition(".")[0]) == len(numbers)


def test_a_table_is_made_anew_when_what_it_shows_is_set_otherwise(project):
    def shown(name, **changes):
        return steps(**changes).shown_config(name)

    assert shown("table1") == project.shown_config("table1")
    titled = PROJECT["experiments"] | {"table1": PROJECT["experiments"]["table1"] | {"title": "Other"}}
    assert shown("table1", experiments=titled) != project.shown_config("table1")
    assert shown("table2", experiments=titled) == project.shown_config("table2")
    assert shown("table1", mirror="elsewhere") == project.shown_config("table1")


SCRIPT = """
import logging, os, sys
from types import SimpleNamespace
from shiftbench.run import job
from shiftlr import kernels
asked = []
kernels.ensure = lambda folder: asked.append(folder)
job.start(SimpleNamespace(log=[sys.argv[1]]), compiled="compiled" in sys.argv)
print("said", file=sys.stderr)
logging.getLogger("shiftbench.fetch").info("%s", asked)
os.kill(os.getpid(), 9) if "killed" in sys.argv else 1 / 0
"""


@pytest.mark.parametrize(("words", "asked"), [([], "[]"), (["compiled"], "['here']"), (["killed"], "[]")])
def test_what_a_script_says_and_how_it_fails_goes_to_its_log(tmp_path, words, asked):
    log = tmp_path / "a.log"
    variables = {"PYTHONPATH": str(ROOT / "workflow"), "NUMBA_CACHE_DIR": "here"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(log), *words],
        env=os.environ | variables,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0 and done.stderr == ""
    lines = log.read_text().splitlines()
    assert lines[:2] == ["said", asked]
    assert "killed" in words or lines[-1] == "ZeroDivisionError: division by zero"


def test_only_figures_with_published_numbers_depend_on_them(project):
    assert [name for name in project.figures if project.needs_published(name)] == ["prefilter_rules"]
