"""What is said once and what is said again: who wins, and what a quick run changes."""

from pathlib import Path

import pytest
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from shiftbench.config.merge import merged
from shiftbench.config.plan import methods_of, shown_methods, tuning_of
from small_config import ONE, PROJECT, SCENARIO, completed, one, small


def test_mappings_are_merged_at_every_level_and_what_stands_above_wins():
    below = {"a": {"b": 1, "c": {"d": 2}}, "e": [1, 2]}
    assert merged(below, {"a": {"c": {"f": 3}, "b": None}, "e": [3]}) == {
        "a": {"b": None, "c": {"d": 2, "f": 3}},
        "e": [3],
    }
    assert below == {"a": {"b": 1, "c": {"d": 2}}, "e": [1, 2]}
    assert merged({"a": 1}, {"a": {"b": 2}}) == {"a": {"b": 2}} and merged({"a": {"b": 2}}, {"a": 1}) == {"a": 1}


@pytest.mark.parametrize("above", [{"from": 2.0, "to": 1.0, "points": 2}, {"weakest": 0.1, "points": 5}, [1.0]])
def test_values_of_a_grid_are_taken_as_they_are(above):
    below = {"alphas": {"from": 0.1, "to": 10.0, "points": 3}}
    assert merged(below, {"alphas": above}) == {"alphas": above}


def test_a_merged_setting_shares_nothing_with_what_it_was_made_of():
    below, above = {"a": {"b": [1]}}, {"c": {"d": [2]}}
    both = merged(below, above)
    both["a"]["b"].append(9)
    both["c"]["d"].append(9)
    assert below == {"a": {"b": [1]}} and above == {"c": {"d": [2]}}


PLACES = [
    f"{ONE}.tuning",
    f"{ONE}.scenarios.s.tuning",
    "methods.standard.tuning",
    f"{ONE}.methods.standard.tuning",
]


@pytest.mark.parametrize("n", range(1, 5))
def test_tuning_of_the_experiment_the_scenario_the_method_and_the_method_in_the_experiment_win_in_this_order(n):
    changes = {f"{ONE}.methods": {"standard": {}, "robust": {}}}
    changes |= {place: {"folds": 10 + k, "repeats": 20 + k} for k, place in enumerate(PLACES[:n])}
    changes[PLACES[n - 1]] = {"folds": 10 + n - 1}  # what it does not say comes from below
    config = completed(**changes)
    found = tuning_of(config, "one", "s", "standard")
    assert (found["folds"], found["repeats"]) == (10 + n - 1, 20 + n - 2 if n > 1 else 1)
    assert found["by"] == "dev"  # the default
    assert tuning_of(config, "one", "t", "robust")["folds"] == 10  # only what holds for all fits


def test_a_scenario_s_data_and_noise_win_over_those_shared():
    scenarios = one(**{f"{SCENARIO}.data": {"train": 50}})["scenarios"]
    assert scenarios["s"]["data"] == {"features": 4, "train": 50} and scenarios["t"]["data"] == {"features": 4}
    assert [scenarios[name]["noise"]["p0"] for name in "st"] == [0.1, 0.3]


@pytest.mark.parametrize(
    ("shared", "own", "wanted"),
    [
        ({"kind": "uniform", "p0": 0.1}, {}, {"kind": "uniform", "p0": 0.1}),
        ({"kind": "uniform", "p0": 0.1}, {"p1": 0.2}, {"kind": "uniform", "p0": 0.1, "p1": 0.2}),
        ({"kind": "uniform", "p0": 0.1}, {"kind": "uniform", "p1": 0.2}, {"kind": "uniform", "p0": 0.1, "p1": 0.2}),
        (
            {"kind": "uniform", "p0": 0.1},
            {"kind": "region", "low": 0, "high": 1},
            {"kind": "region", "low": 0, "high": 1},
        ),
        ({"kind": "uniform", "p0": 0.1}, None, None),
        (None, {}, None),
        (None, {"kind": "uniform"}, {"kind": "uniform"}),
    ],
)
def test_noise_of_another_kind_replaces_the_experiment_s(shared, own, wanted):
    assert one(**{f"{ONE}.noise": shared, f"{SCENARIO}.noise": own})["scenarios"]["s"]["noise"] == wanted


def test_a_method_in_an_experiment_is_what_the_top_level_says_and_what_the_experiment_changes():
    top = {"params": {"tol": 0.1, "max_iter": 9}, "grid": {"C": [1.0]}, "tuning": {"by": "folds"}, "title": "SVM"}
    own = {"params": {"tol": 0.2}, "tuning": {"folds": 3}, "shown": False}
    found = one(**{"methods.svm": top, f"{ONE}.methods": {"svm": own, "other": {"method": "svm"}}})["methods"]
    assert found["svm"] == {
        "title": "SVM",
        "method": "svm",
        "params": {"tol": 0.2, "max_iter": 9},
        "grid": {"C": [1.0]},
        "tuning": {"by": "folds", "folds": 3},
        "shown": False,
        "reading_of": "svm",
        "why": "",
    }
    # a variant of its own takes over nothing but the file
    alone = {"title": "other", "method": "svm", "params": {}, "grid": None, "tuning": {}, "shown": True}
    assert found["other"] == alone | {"reading_of": "svm", "why": ""}
    emptied = one(**{"methods.svm": top, f"{ONE}.methods": {"svm": {"grid": {}, "method": "standard"}}})["methods"][
        "svm"
    ]
    assert emptied["grid"] == {} and emptied["method"] == "standard"


def test_null_takes_out_a_method_that_an_anchor_brought_in():
    assert list(one(**{f"{ONE}.methods": {"standard": {}, "robust": None}})["methods"]) == ["standard"]


def test_extra_methods_stand_in_every_table_and_readings_in_none():
    changes = {
        "methods.svm": {},
        "methods.flipping": {},
        "extra_methods": ["svm", "robust"],
        f"{SCENARIO}.readings": ["flipping", "standard"],
    }
    config = completed(**changes)
    assert methods_of(config, "one") == methods_of(config, "one", "s") == ["standard", "robust", "svm", "flipping"]
    assert methods_of(config, "one", "t") == ["standard", "robust", "svm"]
    assert shown_methods(config, "one") == ["standard", "robust", "svm"]


def test_an_extra_method_that_is_a_reading_too_stands_in_every_scenario():
    config = completed(**{"methods.svm": {}, "extra_methods": ["svm"], f"{SCENARIO}.readings": ["svm"]})
    assert methods_of(config, "one", "t") == ["standard", "robust", "svm"] == shown_methods(config, "one")


def test_a_method_that_is_not_shown_is_run():
    config = completed(**{f"{ONE}.methods": {"standard": {"shown": False}, "robust": {}}})
    assert methods_of(config, "one", "s") == ["standard", "robust"] and shown_methods(config, "one") == ["robust"]


def test_replicates_at_the_top_win():
    def replicates(**changes):
        return [scenario["replicates"] for scenario in one(**changes)["scenarios"].values()]

    assert replicates() == [100, 7]
    assert replicates(**{f"{ONE}.replicates": 20}) == [20, 7]
    assert replicates(replicates=5) == [5, 5]
    assert replicates(replicates=500) == [500, 500]
    # one replicate means that there is nothing to draw
    assert replicates(replicates=9) == [9, 7]  # a quick look has no more of them than a whole run
    assert replicates(replicates=9, quick=False) == [9, 9]
    assert replicates(replicates=5, **{f"{SCENARIO}.replicates": 1}) == [1, 5]
    assert replicates(replicates=5, **{f"{ONE}.replicates": 1}) == [1, 5]


@pytest.mark.parametrize(
    ("given", "quick"),
    [
        ({}, False),
        ({"replicates": 5}, True),
        ({"replicates": 19}, True),
        ({"replicates": 20}, False),
        ({"replicates": 5, "quick": False}, False),
        ({"quick": True}, True),
    ],
)
def test_few_replicates_mean_a_quick_look_unless_told_otherwise(given, quick):
    config = completed(**given, **{f"{ONE}.quick": {"data": {"train": 60}}})
    assert config["quick"] is quick
    data = {"features": 4, "train": 60} if quick else {"features": 4}
    assert config["experiments"]["one"]["scenarios"]["t"]["data"] == data


def test_quick_settings_are_laid_over_all_parts_of_an_experiment():
    quick = {
        "tuning": {"repeats": 1, "alphas": {"weakest": 0.01, "points": 20}},
        "noise": {"p1": 0.5},
        "replicates_per_job": 3,
        "metrics": ["f1"],
        "methods": {"svm": {"params": {"tol": 0.1}}},
        "scenarios": {"t": {"replicates": 2}, "u": {"row": ["5", "6"]}},
    }
    shared = {f"{ONE}.quick": quick, "methods.svm": {}, f"{ONE}.tuning": {"folds": 9, "repeats": 10}}
    experiment = one(quick=True, **shared)
    tuning = experiment["scenarios"]["s"]["tuning"]
    assert (tuning["folds"], tuning["repeats"]) == (9, 1)
    assert tuning["alphas"] == {"weakest": 0.01, "points": 20}
    assert experiment["scenarios"]["s"]["noise"] == {"kind": "uniform", "p0": 0.1, "p1": 0.5}
    assert experiment["replicates_per_job"] == 3 and experiment["metrics"] == ["f1"]
    assert list(experiment["methods"]) == ["svm"] and experiment["methods"]["svm"]["params"] == {"tol": 0.1}
    assert [scenario["replicates"] for scenario in experiment["scenarios"].values()] == [100, 2, 100]
    complete(small(quick=True, **shared), catalog=Catalog)
    slow = one(**shared)
    assert list(slow["scenarios"]) == ["s", "t"] and slow["scenarios"]["s"]["tuning"]["repeats"] == 10


def test_a_quick_run_of_the_project_has_fewer_words():
    quick, full = complete(PROJECT | {"replicates": 5}), complete(PROJECT)
    for name in ("table4", "table5", "readings_features", "noise_curve", "thinning"):
        for key, scenario in quick["experiments"][name]["scenarios"].items():
            assert scenario["data"]["train_articles"] == 15 and scenario["data"]["test_articles"] == 15
            assert "train_articles" not in full["experiments"][name]["scenarios"][key]["data"]
    assert quick["experiments"]["table2"]["scenarios"]["tissues"]["tuning"]["repeats"] == 1


@pytest.mark.parametrize(("folder", "path"), [(".", "my/customers.csv"), ("base", "base/my/customers.csv")])
def test_a_file_of_one_s_own_is_a_dataset_with_settings(folder, path):
    about = {"file": "my/customers.csv", "label": "churn", "dev": 0.5}
    config = complete(
        small(**{f"{ONE}.dataset": about, f"{ONE}.data": {}, f"{SCENARIO}.data": {"dev": 0.1}}), folder=folder
    )
    experiment = config["experiments"]["one"]
    assert experiment["dataset"] == "file"
    wanted = {"file": path, "label": "churn", "truth": None, "id": None, "group": None, "dev": 0.5, "test": 0.25}
    assert experiment["scenarios"]["t"]["data"] == wanted
    assert experiment["scenarios"]["s"]["data"] == wanted | {"dev": 0.1}


def test_plugins_are_looked_for_beside_the_config(tmp_path):
    (tmp_path / "mine").mkdir()
    config = complete(small(plugins="mine"), folder=tmp_path, catalog=Catalog)
    assert Path(config["plugins"]) == tmp_path / "mine"
    absolute = complete(small(plugins=str(tmp_path / "mine")), folder="elsewhere", catalog=Catalog)
    assert absolute["plugins"] == config["plugins"]
