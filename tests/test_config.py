"""The config: the project's own is valid, bad ones are refused with all that is wrong, and defaults are filled in."""

import copy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from refusals import assert_refused
from shiftlr import methods
from shiftlr.config import (
    SCHEMA,
    ConfigError,
    blocks,
    complete,
    data_settings,
    fingerprint,
    methods_of,
    tuning_settings,
)

PROJECT = yaml.safe_load((Path(__file__).parents[1] / "config.yaml").read_text())


def small(**top):
    """Two methods, one experiment, two scenarios; keys that hold a dot change what lies deeper."""
    config = {
        "methods": {"standard": {}, "robust": {"grid": {"lam": [1.0, 0.1]}, "penalised": "first_procedure"}},
        "experiments": {
            "one": {
                "columns": ["a", "b"],
                "data": {"features": 4, "p0": 0.1},
                "scenarios": {"s": {"row": ["1", "2"]}, "t": {"row": ["3", "4"], "p0": 0.3, "replicates": 7}},
            },
        },
    }
    return changed(config, top)


def changed(config, changes):
    for path, value in changes.items():
        *above, last = path.split(".")
        place = config
        for key in above:
            place = place[key]
        place[last] = value
    return config


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


def test_the_project_s_config_is_valid():
    config = complete(PROJECT)
    assert list(config["experiments"]) == ["table1", "normal", "svm", "table7"]
    assert {method["method"] for method in config["methods"].values()} <= set(methods.known())
    assert config["experiments"]["table7"]["scenarios"]["exp3"]["flip_between"] == [-5.0, -4.0]


@pytest.mark.parametrize(
    ("path", "entry"), [pytest.param(*found, id=found[0]) for found in properties(yaml.safe_load(SCHEMA.read_text()))]
)
def test_every_key_of_the_schema_has_a_description_and_a_default(path, entry):
    assert entry["description"].strip() and "default" in entry, path


def test_the_walk_finds_keys_at_every_depth():
    found = {path for path, _ in properties(yaml.safe_load(SCHEMA.read_text()))}
    assert {".seed", ".$defs.scenario.p0", ".$defs.values.oneOf[1].from", ".properties.figures.plate"} <= found


EXPERIMENT = "experiments.one"
SCENARIO = "experiments.one.scenarios.s"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("sed", 1, ["(top level)", "unknown key 'sed'", "seed"]),
        ("methods.robust.gird", {}, ["methods.robust", "unknown key 'gird'", "allowed are grid, method, params"]),
        (f"{SCENARIO}.p2", 0.1, [SCENARIO, "unknown key 'p2'", "p0, p1"]),
        ("figures", {"figure9": {}}, ["figures", "'figure9'", "figure1, figure2, plate"]),
        ("seed", -1, ["seed", "-1", "minimum of 0"]),
        ("seed", "2014", ["seed", "'2014'", "type integer"]),
        ("replicates", 0, ["replicates", "0", "minimum of 1"]),
        ("replicates", "all", ["replicates", "'all'", "type integer or null"]),
        ("also", "robust", ["also", "'robust'", "type array"]),
        ("methods.standard", None, ["methods.standard", "None", "type object"]),
        ("methods.Standard", {}, ["methods", "lower-case", "'Standard'"]),
        ("methods.forest", {}, ["methods.forest", "no method 'forest'", *methods.known(), "workflow/shiftlr/methods"]),
        ("methods.mine", {"method": "base"}, ["methods.mine", "no method 'base'", *methods.known()]),
        ("methods.standard.grid", {"lam": [1.0]}, ["methods.standard.grid", "no parameter 'lam'", "alpha"]),
        ("methods.standard.params", {"C": 1.0}, ["methods.standard.params", "no parameter 'C'", "fit_intercept"]),
        ("methods.robust.grid", {"lam": 0.1}, ["methods.robust.grid.lam", "0.1", "list of values", "points"]),
        ("methods.robust.grid", {"lam": []}, ["methods.robust.grid.lam", "[]", "list of values"]),
        (
            "methods.robust.grid",
            {"lam": {"from": 0.0, "to": 1.0, "points": 3}},
            ["methods.robust.grid.lam", "'from': 0.0", "numbers > 0"],
        ),
        ("methods.robust.grid", {}, ["methods.robust.penalised", "'first_procedure'", "grid of lam alone"]),
        ("methods.robust.grid", None, ["methods.robust.penalised", "'first_procedure'", "grid of lam alone"]),
        (
            "methods.standard.penalised",
            "first_procedure",
            ["methods.standard.penalised", "'first_procedure'", "robust"],
        ),
        ("methods.robust.penalised", "second", ["methods.robust.penalised", "'second'", "jointly, first_procedure"]),
        ("also", ["forest"], ["also", "'forest'", "there are standard, robust"]),
        (f"{EXPERIMENT}.methods", ["standard", "svm"], [f"{EXPERIMENT}.methods", "'svm'", "standard, robust"]),
        (f"{EXPERIMENT}.methods", [], [f"{EXPERIMENT}.methods", "[]"]),
        (f"{EXPERIMENT}.methods", ["standard"] * 2, [f"{EXPERIMENT}.methods", "non-unique"]),
        (f"{EXPERIMENT}.bold", "all", [f"{EXPERIMENT}.bold", "'all'", "best, significant"]),
        (f"{EXPERIMENT}.scenarios", {}, [f"{EXPERIMENT}.scenarios", "{}"]),
        ("figures", {"figure1": {"sed": 1}}, ["figures.figure1", "unknown key 'sed'", "clean, outliers, seed"]),
        ("figures", {"figure2": {"n": "many"}}, ["figures.figure2.n", "'many'", "type integer"]),
        ("colon", {"lams": [0.5, -1]}, ["colon.lams.1", "-1", "minimum of 0"]),
        ("colon", {"rows": {"robust": {}, "one": {"method": "svm"}}}, ["colon.rows.one.grid", "values of C alone"]),
        (
            "colon",
            {"rows": {"one": {"method": "flipping"}}},
            ["colon.default", "'robust' is not a row of method robust"],
        ),
        (f"{EXPERIMENT}.data", {"p0": 2}, [f"{EXPERIMENT}.data.p0", "2", "maximum of 1"]),
        (f"{EXPERIMENT}.gain_beside", "two", [f"{EXPERIMENT}.gain_beside", "'two'", "there are one"]),
        (f"{SCENARIO}.readings", ["robust_too"], [f"{SCENARIO}.readings", "'robust_too'", "standard, robust"]),
        (f"{SCENARIO}.row", ["1"], [f"{SCENARIO}.row", "['1'] has 1 entries", "['a', 'b']"]),
        (f"{SCENARIO}.row", ["1", 2], [f"{SCENARIO}.row.1", "2", "type string"]),
        (f"{SCENARIO}.relevant", 5, [f"{SCENARIO}.relevant", "5 is more than the 4 features"]),
        (f"{SCENARIO}.p1", -0.1, [f"{SCENARIO}.p1", "-0.1", "minimum of 0"]),
        (f"{SCENARIO}.p1", "0.1", [f"{SCENARIO}.p1", "'0.1'", "type number"]),
        (f"{SCENARIO}.train", 1, [f"{SCENARIO}.train", "1", "minimum of 2"]),
        (f"{SCENARIO}.train", 2.5, [f"{SCENARIO}.train", "2.5", "type integer"]),
        (f"{SCENARIO}.generator", "linear", [f"{SCENARIO}.generator", "'linear'", "two_gaussians, density_ratio"]),
        (f"{SCENARIO}.flip_between", [1.0], [f"{SCENARIO}.flip_between", "[1.0]", "too short"]),
        (f"{SCENARIO}.flip_between", [1.0, 0.0], [f"{SCENARIO}.flip_between", "[1.0, 0.0]", "smaller number"]),
        (f"{SCENARIO}.alphas", 3, [f"{SCENARIO}.alphas", "3", "list of values"]),
    ],
)
def test_bad_configs_are_refused(key, value, words):
    assert_refused(small(**{key: value}), words)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"experiments.two.scenarios": {"u": {"row": ["1"]}}}, "'two' has no scenario s, t"),
        ({"experiments.two.methods": ["standard"]}, "a gain needs the methods standard and robust"),
    ],
)
def test_a_gain_is_shown_beside_an_experiment_like_it_only(changes, words):
    config = small()
    two = {"scenarios": {name: {"row": [name]} for name in ("s", "t")}}
    config = changed(config, {"experiments.two": two, "experiments.one.gain_beside": "two"})
    assert complete(config)["experiments"]["one"]["gain_beside"] == "two"
    with pytest.raises(ConfigError, match=rf"^config\.yaml: experiments\.one\.gain_beside: {words}"):
        complete(changed(config, changes))


@pytest.mark.parametrize("key", ["seed", "seeds_per_job"])
def test_a_whole_number_with_a_point_is_refused_or_made_whole(key):
    try:
        assert type(complete(small(**{key: 5.0}))[key]) is int
    except ConfigError as error:
        assert f"{key}: 5.0 is not of type integer" in str(error)


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_probability_is_a_number_between_0_and_1(value):
    with pytest.raises(ConfigError, match=rf"{SCENARIO}\.p1: {value}"):
        complete(small(**{f"{SCENARIO}.p1": value}))


def test_every_problem_gets_a_line():
    by_schema = {"seed": -1, "seeds_per_job": 0, "methods.robust.penalised": "x", f"{SCENARIO}.p0": 3, "sed": 1}
    beyond = {"also": ["x", "y"], "methods.forest": {}, f"{SCENARIO}.row": [], f"{SCENARIO}.relevant": 9}
    for changes, keys in (
        (by_schema, ["(top level)", f"{SCENARIO}.p0", "methods.robust.penalised", "seed", "seeds_per_job"]),
        (beyond, ["also", "also", f"{SCENARIO}.relevant", f"{SCENARIO}.row", "methods.forest"]),
    ):
        with pytest.raises(ConfigError) as caught:
            complete(small(**changes), "base.yaml + mine.yaml")
        lines = [line.split(": ") for line in str(caught.value).splitlines()]
        assert {line[0] for line in lines} == {"base.yaml + mine.yaml"}
        assert sorted(line[1] for line in lines) == keys


@pytest.mark.parametrize("config", [PROJECT, small(), {}], ids=["project", "small", "empty"])
def test_completing_leaves_its_argument_alone_and_is_done_once(config):
    before = copy.deepcopy(config)
    full = complete(config)
    assert config == before
    assert complete(full) == full  # what a run is given is complete already
    full.setdefault("methods", {})["more"] = {}
    assert complete(config) == complete(before)


def test_defaults_are_filled_in():
    config = complete(small())
    assert config["seed"] == 2014 and config["also"] == [] and config["figures"]["plate"] == {}
    assert config["methods"]["standard"] == {
        "title": "standard",
        "method": "standard",
        "params": {},
        "grid": None,
        "penalised": "jointly",
        "train_accuracy": "theta",
    }
    scenario = config["experiments"]["one"]["scenarios"]["s"]
    assert scenario["generator"] == "logistic" and scenario["alphas"] == {"from": 0.1, "to": 100.0, "points": 19}
    assert set(data_settings(scenario)) | set(tuning_settings(scenario)) | {"row", "replicates", "readings"} == set(
        scenario
    )


def test_a_scenario_s_settings_win_over_those_shared():
    scenarios = complete(small())["experiments"]["one"]["scenarios"]
    assert [scenarios[name]["p0"] for name in "st"] == [0.1, 0.3]
    assert [scenarios[name]["features"] for name in "st"] == [4, 4]


def test_replicates_at_the_top_win():
    def replicates(**changes):
        return [one["replicates"] for one in complete(small(**changes))["experiments"]["one"]["scenarios"].values()]

    assert replicates() == [100, 7]
    assert replicates(**{f"{EXPERIMENT}.replicates": 20}) == [20, 7]
    assert replicates(**{f"{EXPERIMENT}.data": {"replicates": 30}}) == [30, 7]
    assert replicates(replicates=5) == [5, 5]


@pytest.mark.parametrize("size", [1, 3, 7, 99, 100, 101, 1000])
@pytest.mark.parametrize("where", ["seeds_per_job", f"{EXPERIMENT}.seeds_per_job"])
def test_blocks_cover_every_replicate_once(size, where):
    config = complete(small(**{"seeds_per_job": 2} | {where: size}))
    cut = blocks(config, "one")
    for name, settings in config["experiments"]["one"]["scenarios"].items():
        covered = [k for block in cut if block.scenario == name for k in range(block.first, block.last + 1)]
        assert covered == list(range(settings["replicates"]))
    assert all(block.last - block.first < size for block in cut)
    assert cut[0].path == f"one/s/0-{min(size, 100) - 1}"


def test_methods_of_an_experiment_and_of_a_scenario():
    config = small(also=["svm", "robust"], **{f"{SCENARIO}.readings": ["flipping", "standard"]})
    config = complete(changed(config, {"methods.svm": {}, "methods.flipping": {}}))
    assert methods_of(config, "one") == methods_of(config, "one", "t") == ["standard", "robust", "svm"]
    assert methods_of(config, "one", "s") == ["standard", "robust", "svm", "flipping"]


def test_a_fingerprint_does_not_depend_on_order():
    config = complete(PROJECT)
    assert fingerprint(config) == fingerprint(dict(reversed(config.items())))
    assert fingerprint(config) != fingerprint(config | {"seed": 1})


def test_jobs_of_a_checked_run_import_no_method():
    """A job on a cluster reads the config too; the run that submitted it has checked it."""
    code = (
        "import sys, yaml\n"
        "from shiftlr.config import complete\n"
        "whole = complete(yaml.safe_load(open('config.yaml')), checked=True)\n"
        "assert 'sklearn' not in sys.modules and 'numba' not in sys.modules\n"
        "assert whole == complete(yaml.safe_load(open('config.yaml')))\n"
    )
    root = Path(__file__).parent.parent
    subprocess.run([sys.executable, "-c", code], cwd=root, check=True)
