"""The config: the project's own is valid, bad ones are refused with all that is wrong, and defaults are filled in."""

import copy
import os
import subprocess
import sys

import pytest
import yaml
from refusals import assert_refused, refusals
from shiftbench.catalog import Catalog
from shiftbench.config.load import SCHEMA, complete
from shiftbench.config.plan import BEYOND, target_of
from shiftbench.config.schema import ConfigError
from shiftlr import methods
from small_config import ONE, PROJECT, ROOT, SCENARIO, changed, completed, one, small

BENCHMARK_S_OWN = (
    *("cleanlab_confident", "cleanlab_default", "confident_learning", "disagreement", "glmnet_path", "label_errors"),
    *("prefilter_oracle", "standard_oracle"),
)
METHODS = sorted([*methods.known(), *BENCHMARK_S_OWN])


def properties(schema, path=""):
    """(path, property) of every property anywhere in a schema."""
    if isinstance(schema, list):
        for k, below in enumerate(schema):
            yield from properties(below, f"{path}[{k}]")
    elif isinstance(schema, dict):
        for name, below in schema.get("properties", {}).items():
            yield f"{path}.{name}", below
        for key, below in schema.items():
            if key != "default":
                yield from properties(below, f"{path}.{key}")


# What a user must write has no default.
REQUIRED = {".$defs.dataset_file.file", ".$defs.dataset_file.label", ".$defs.suspects.of", ".$defs.suspects.method"}


@pytest.mark.parametrize(
    ("path", "entry"), [pytest.param(*found, id=found[0]) for found in properties(yaml.safe_load(SCHEMA.read_text()))]
)
def test_every_key_of_the_schema_has_a_description_and_a_default(path, entry):
    assert entry["description"].strip() and ("default" in entry) != (path in REQUIRED), path


def test_the_walk_finds_keys_at_every_depth():
    found = {path for path, _ in properties(yaml.safe_load(SCHEMA.read_text()))}
    assert {".seed", ".$defs.scenario.row", ".$defs.values.oneOf[1].from", ".$defs.tuning.alpha_from"} <= found
    assert found >= REQUIRED


class WithoutLayouts(Catalog):
    """A catalog that does not look at tables and figures."""

    def layout_problems(self, kind, settings):
        return []


@pytest.mark.parametrize("catalog", [WithoutLayouts, Catalog])
def test_the_project_s_config_is_valid(catalog):
    config = complete(PROJECT, catalog=catalog)
    assert [name for name in config["experiments"] if target_of(config, name) != BEYOND] == [
        *("table1", "table2", "preprocessing", "table4", "table5", "readings_features", "noise_curve", "normal"),
        *("svm", "table7", "readings_flipping", "prefilter_rules", "thinning", "readings_glmnet"),
    ]
    beyond = [name for name in config["experiments"] if target_of(config, name) == BEYOND]
    assert {"multiclass", "rivals", "choosing_lam", "planted"} <= set(beyond)
    assert all(config["experiments"][name]["section"] == "ours" for name in beyond)
    assert {method["method"] for method in config["methods"].values()} <= set(METHODS)
    exp3 = config["experiments"]["table7"]["scenarios"]["exp3"]
    assert exp3["noise"] == {"kind": "region", "low": -5.0, "high": -4.0} and exp3["data"]["features"] == 1


@pytest.mark.parametrize("changes", [{"replicates": 5}, {"quick": True}, {"extra_methods": ["svm_tuned"]}])
def test_the_project_s_config_is_valid_in_other_runs(changes):
    complete(PROJECT | changes, catalog=Catalog)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("sed", 1, ["(top level)", "unknown key 'sed'", "seed"]),
        ("methods.robust.gird", {}, ["methods.robust", "unknown key 'gird'", "allowed are grid, method, params"]),
        (f"{ONE}.colums", ["a"], [ONE, "unknown key 'colums'", "table"]),
        (f"{SCENARIO}.p0", 0.1, [SCENARIO, "unknown key 'p0'", "noise", "params_from"]),
        ("figures", {"figure9": {}}, ["figures.figure9.layout", "'figure9'", "figure1", "plate"]),
        ("figures.Plate", {}, ["figures", "lower-case", "'Plate'"]),
        ("tables", {"mine": {}}, ["tables.mine.layout", "is missing", "names the file"]),
        ("tables", {"mine": {"layout": "pie"}}, ["tables.mine.layout", "'pie'", "means"]),
        ("tables", {"one": {"layout": "means"}}, ["tables.one", "an experiment has this name", "use another"]),
        ("tables", {"fit": {"layout": "means"}}, ["tables.fit", "the workflow itself uses", "use another"]),
        ("tables", {"m": {"layout": "means", "of": ["two"]}}, ["tables.m.of", "no experiment 'two'", "there are one"]),
        ("figures", {"plate": {"of": ["one.u"]}}, ["figures.plate.of", "'one' has no scenario 'u'", "it has s, t"]),
        ("suspects", {"a": {"of": "one", "method": "robust"}}, ["suspects.a.of", "'one' is no scenario", "one.SCENA"]),
        ("suspects", {"a": {"of": "two.s", "method": "robust"}}, ["suspects.a.of", "no experiment 'two'", "are one"]),
        ("suspects", {"a": {"of": "one.s", "method": "svm"}}, ["suspects.a.method", "'svm'", "standard, robust"]),
        ("suspects", {"a": {"of": "one.s"}}, ["suspects.a", "'method' is a required property"]),
        (
            "suspects",
            {"verdicts": {"of": "one.s", "method": "robust"}},
            ["suspects.verdicts", "results/verdicts.csv is a"],
        ),
        (
            "suspects",
            {"tables/one": {"of": "one.s", "method": "robust"}},
            ["suspects.tables/one", "the workflow itself"],
        ),
        ("suspects", {"../a": {"of": "one.s", "method": "robust"}}, ["suspects", "'../a' is no name"]),
        ("only", ["one", "two"], ["only", "there is no 'two'", "there are one"]),
        ("only", "one", ["only", "'one'", "type array"]),
        ("seed", -1, ["seed", "-1", "minimum of 0"]),
        ("seed", "2014", ["seed", "'2014'", "type integer"]),
        ("seed", 5.0, ["seed", "5.0", "type integer"]),
        ("replicates", 0, ["replicates", "0", "minimum of 1"]),
        ("replicates", "all", ["replicates", "'all'", "type integer or null"]),
        ("replicates_per_job", 5.0, ["replicates_per_job", "5.0", "type integer"]),
        ("quick", "yes", ["quick", "'yes'", "type boolean or null"]),
        ("on_missing", "ask", ["on_missing", "'ask'", "standin, error"]),
        ("plugins", "nowhere", ["plugins", "'nowhere' is not a directory"]),
        ("extra_methods", "robust", ["extra_methods", "'robust'", "type array"]),
        (
            "extra_methods",
            ["forest"],
            ["extra_methods", "'forest' is not under `methods`", "there are standard, robust"],
        ),
        ("methods.standard", None, ["methods.standard", "None", "type object"]),
        ("methods.Standard", {}, ["methods", "lower-case", "'Standard'"]),
        ("methods.forest", {}, ["methods.forest", "no method 'forest'", *METHODS, "workflow/shiftlr/methods"]),
        ("methods.mine", {"method": "base"}, ["methods.mine", "no method 'base'", *METHODS]),
        ("methods.standard.grid", {"lam": [1.0]}, ["methods.standard.grid", "no parameter 'lam'", "alpha"]),
        ("methods.standard.params", {"C": 1.0}, ["methods.standard.params", "no parameter 'C'", "fit_intercept"]),
        ("methods.robust.grid", {"lam": 0.1}, ["methods.robust.grid.lam", "0.1", "list of values", "points"]),
        ("methods.robust.grid", {"lam": []}, ["methods.robust.grid.lam", "[] should be non-empty"]),
        (
            "methods.robust.grid",
            {"lam": {"from": 0.0, "to": 1.0, "points": 3}},
            ["methods.robust.grid.lam.from", "0.0", "minimum of 0"],
        ),
        (
            "methods.robust.grid",
            {"lam": {"from": 1.0, "to": 2.0}},
            ["methods.robust.grid.lam", "'points' is a required"],
        ),
        (
            f"{ONE}.dataset",
            "iris",
            [f"{ONE}.dataset", "no dataset 'iris'", "colon, conll_person, crowd", "simulated, wikipedia, wrench ("],
        ),
        (f"{ONE}.dataset", "blocks", [f"{ONE}.dataset", "no dataset 'blocks'"]),
        (f"{ONE}.dataset", 3, [f"{ONE}.dataset", "3 is not allowed", "string, object"]),
        (f"{ONE}.dataset", {"file": "a.csv"}, [f"{ONE}.dataset", "'label' is a required property"]),
        (f"{ONE}.dataset", {"file": "a", "label": "b", "dev": 1}, [f"{ONE}.dataset.dev", "1", "maximum of 1"]),
        (f"{ONE}.methods", ["standard", "svm"], [f"{ONE}.methods", "'svm'", "standard, robust"]),
        (f"{ONE}.methods", [], [f"{ONE}.methods", "[]", "non-empty"]),
        (f"{ONE}.methods", "robust", [f"{ONE}.methods", "'robust'", "array, object"]),
        (f"{ONE}.methods", ["standard"] * 2, [f"{ONE}.methods", "non-unique"]),
        (f"{ONE}.methods", {"robust": {"gird": {}}}, [f"{ONE}.methods.robust", "unknown key 'gird'", "grid, method"]),
        (f"{ONE}.methods", {"svm": {"grid": {"C": [1.0]}}}, [f"{ONE}.methods", "'svm' is not under `methods`"]),
        (f"{ONE}.methods", {"s": {"method": "svm", "grid": {"D": [1]}}}, [f"{ONE}.methods.s.grid", "'D'", "C, fit_"]),
        (f"{ONE}.methods", {"robust": {"params": {"D": 1}}}, [f"{ONE}.methods.robust.params", "'D'", "alpha"]),
        (f"{ONE}.methods", {"data": {"method": "svm"}}, [f"{ONE}.methods", "'data' is the name", "use another"]),
        (f"{ONE}.metrics", ["accuracy", "beauty"], [f"{ONE}.metrics", "no metric 'beauty'", "accuracy", "f1"]),
        (f"{ONE}.metrics", [], [f"{ONE}.metrics", "[]"]),
        (f"{ONE}.table", {"bold": "all"}, [f"{ONE}.table.bold", "'all'", "best, significant"]),
        (f"{ONE}.table.layout", "pie", [f"{ONE}.table.layout", "'pie'", "means"]),
        (f"{ONE}.table.gain_beside", "two", [f"{ONE}.table.gain_beside", "'two'", "there are one"]),
        (f"{ONE}.scenarios", {}, [f"{ONE}.scenarios", "{}"]),
        (f"{ONE}.seed", -1, [f"{ONE}.seed", "-1", "minimum of 0"]),
        (f"{ONE}.quick", {"dat": {}}, [f"{ONE}.quick", "unknown key 'dat'", "data"]),
        (f"{ONE}.quick", {"replicates": 0}, [f"{ONE}.quick.replicates", "0", "minimum of 1"]),
        ("experiments.fit", {"dataset": "simulated"}, ["experiments.fit", "the workflow itself uses", "use another"]),
        ("experiments.two", {}, ["experiments.two", "'dataset' is a required property"]),
        (f"{SCENARIO}.readings", ["robust_too"], [f"{SCENARIO}.readings", "'robust_too'", "standard, robust"]),
        (f"{SCENARIO}.row", ["1"], [f"{SCENARIO}.row", "['1'] has 1 entries", "['a', 'b']"]),
        (f"{SCENARIO}.row", ["1", 2], [f"{SCENARIO}.row.1", "2", "type string"]),
    ],
)
def test_bad_configs_are_refused(key, value, words):
    assert_refused(small(**{key: value}), words)


def test_a_bad_setting_of_a_figure_is_refused():
    words = ["figures.figure1.sed", "is unknown", "figure1 has", "clean", "outliers", "seed"]
    assert_refused(small(figures={"figure1": {"sed": 1}}), words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"experiments.two.scenarios": {"u": {}}}, "'two' has no scenario s, t"),
        ({"experiments.two.methods": ["standard"]}, "a gain needs the methods standard and robust"),
    ],
)
def test_a_gain_is_shown_beside_an_experiment_like_it_only(changes, words):
    two = {"dataset": "simulated", "scenarios": {"s": {}, "t": {}}}
    config = small(**{"experiments.two": two, f"{ONE}.table.gain_beside": "two"})
    assert complete(config, catalog=Catalog)["experiments"]["one"]["table"]["gain_beside"] == "two"
    assert_refused(changed(config, changes), [f"{ONE}.table.gain_beside", words])


def test_every_problem_gets_a_line():
    by_schema = {"seed": -1, "replicates_per_job": 0, "methods.robust.shown": "x", f"{SCENARIO}.title": 3, "sed": 1}
    beyond = {
        "extra_methods": ["x", "y"],
        "methods.forest": {},
        f"{SCENARIO}.row": ["1"],
        f"{SCENARIO}.data": {"relevant": 9},
    }
    for changes, keys in (
        (by_schema, ["(top level)", f"{SCENARIO}.title", "methods.robust.shown", "replicates_per_job", "seed"]),
        (beyond, [f"{SCENARIO}.data.relevant", f"{SCENARIO}.row", "extra_methods", "extra_methods", "methods.forest"]),
    ):
        lines = [line.split(": ") for line in refusals(small(**changes))]
        assert {line[0] for line in lines} == {"mine.yaml"}
        assert sorted(line[1] for line in lines) == keys


def test_all_files_of_a_config_are_named():
    with pytest.raises(ConfigError, match=r"^base\.yaml \+ mine\.yaml: seed: -1 "):
        complete(small(seed=-1), "base.yaml + mine.yaml")


@pytest.mark.parametrize("config", [PROJECT, PROJECT | {"replicates": 5}, small(), {}])
def test_completing_leaves_its_argument_alone_and_is_done_once(config):
    before = copy.deepcopy(config)
    full = complete(config)
    assert config == before
    assert complete(full) == full  # what a run is given is complete already
    full.setdefault("methods", {})["more"] = {}
    assert complete(config) == complete(before)


def test_defaults_are_filled_in():
    config = completed()
    assert config["seed"] == 2014 and config["extra_methods"] == [] and config["quick"] is False
    assert config["methods"]["standard"] == {
        "title": "standard",
        "method": "standard",
        "params": {},
        "grid": None,
        "tuning": {},
        "shown": True,
        "reading_of": "standard",
        "why": "",
    }
    experiment = config["experiments"]["one"]
    assert experiment["metrics"] == ["accuracy"] and experiment["table"]["layout"] == "means"
    assert list(experiment["methods"]) == ["standard", "robust"]
    scenario = experiment["scenarios"]["s"]
    assert (scenario["title"], scenario["params_from"], scenario["readings"]) == ("s", None, [])
    tuning = yaml.safe_load(SCHEMA.read_text())["$defs"]["tuning"]["properties"]
    assert scenario["tuning"] == {name: about["default"] for name, about in tuning.items()}
    assert scenario["tuning"]["alphas"] == {"from": 0.1, "to": 100.0, "points": 19}


def test_an_experiment_may_say_next_to_nothing():
    experiment = complete({"methods": {"standard": {}}, "experiments": {"e": {"dataset": "colon"}}})["experiments"]["e"]
    assert list(experiment["scenarios"]) == ["all"] and experiment["scenarios"]["all"]["replicates"] == 5
    assert experiment["scenarios"]["all"]["row"] == ["all"] and experiment["scenarios"]["all"]["noise"] is None


def test_a_figure_s_layout_is_the_one_of_its_name():
    config = complete({"figures": {"plate": {}, "mine": {"layout": "plate"}}}, catalog=Catalog)
    assert [config["figures"][name]["layout"] for name in ("plate", "mine")] == ["plate", "plate"]


def test_a_title_stands_in_a_row_that_says_nothing_else():
    assert one(**{f"{SCENARIO}.row": None, f"{SCENARIO}.title": "best"})["scenarios"]["s"]["row"] == ["best"]


def test_jobs_of_a_checked_run_import_no_method():
    """A job on a cluster reads the config too; the run that submitted it has checked it."""
    code = (
        "import sys, yaml\n"
        "from shiftbench.config.load import complete\n"
        "whole = complete(yaml.safe_load(open('config.yaml')))\n"
        "assert 'sklearn' not in sys.modules and 'numba' not in sys.modules\n"
        "from shiftbench.catalog import Catalog\n"
        "assert whole == complete(yaml.safe_load(open('config.yaml')), catalog=Catalog)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"PYTHONPATH": "workflow"}, check=True)
