"""Every file in methods/ is a method that the workflow can run: a new file is tested the moment it exists."""

import importlib
import json
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
import yaml
from shiftlr import methods, training
from shiftlr.config import complete, data_settings
from shiftlr.datasets.simulate import draw
from sklearn.base import BaseEstimator, clone

CONFIG = yaml.safe_load((Path(__file__).parents[1] / "config.yaml").read_text())
PENALISED = {"penalty": "l1", "alphas": [0.1, 1.0, 10.0]}


def settings_of(method, **scenario):
    """The method as config.yaml has it, or with its defaults, and a small scenario."""
    rows = {"s": {"row": ["s"], "features": 3, "train": 120, "dev": 120, "test": 400, "p0": 0.1, **scenario}}
    config = complete(
        {
            "methods": {method: CONFIG["methods"].get(method, {})},
            "experiments": {"e": {"methods": [method], "scenarios": rows}},
        }
    )
    return config["methods"][method], config["experiments"]["e"]["scenarios"]["s"]


def replicate_of(scenario):
    return draw("e.s", data_settings(scenario), 1, 0)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder in the place of methods/."""
    before = set(sys.modules)
    monkeypatch.setattr(methods, "_FOLDER", tmp_path)
    monkeypatch.setattr(methods, "__path__", [*methods.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith(methods.__name__):
            del sys.modules[name]


@pytest.mark.parametrize("name", methods.known())
def test_a_file_defines_one_estimator(name):
    kind = methods.load(name)
    assert issubclass(kind, BaseEstimator) and kind.__module__ == f"shiftlr.methods.{name}"
    assert all(callable(getattr(kind, wanted)) for wanted in ("get_params", "set_params", "fit", "predict"))
    assert methods.load(name) is kind


@pytest.mark.parametrize("name", methods.known())
@pytest.mark.parametrize("scenario", [{}, PENALISED], ids=["plain", "penalised"])
def test_a_method_goes_through_training(name, scenario):
    method, scenario = settings_of(name, **scenario)
    replicate = replicate_of(scenario)
    rows = [training.train_replicate(method, scenario, replicate) for _ in range(2)]
    assert rows[0]["status"] == "ok", rows[0]["reason"]
    assert rows[0]["test_accuracy"] > 0.7 and rows[0]["dev_accuracy"] > 0.6
    assert all(row.pop("seconds") > 0.0 for row in rows)
    assert rows[0] == rows[1]
    assert set(rows[0]) <= set(training.COLUMNS)
    params = json.loads(rows[0]["params"])
    assert ("alpha" in params) == (scenario["penalty"] == "l1" and "penalty" in methods.load(name)().get_params())
    assert all(rows[0][key] == value for key, value in params.items() if key in training.COLUMNS)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", methods.known())
def test_a_clone_learns_the_same(name):
    _, scenario = settings_of(name)
    train, test = replicate_of(scenario).train, replicate_of(scenario).test
    first = methods.load(name)().fit(train.X, train.labels)
    second = clone(first).fit(train.X, train.labels)
    assert first.get_params() == second.get_params() == methods.load(name)().get_params()
    for attribute, value in vars(first).items():
        if isinstance(value, np.ndarray | float | int):
            np.testing.assert_array_equal(value, getattr(second, attribute), err_msg=attribute)
    np.testing.assert_array_equal(first.predict(test.X), second.predict(test.X))


@pytest.mark.parametrize("name", CONFIG["methods"])
def test_the_methods_of_the_config_can_be_made(name):
    method = complete({"methods": {name: CONFIG["methods"][name]}})["methods"][name]
    estimator = methods.load(method["method"])(**method["params"])
    for setting in training.settings(method["grid"] or {}):
        clone(estimator).set_params(**setting)


def test_the_report_s_methods_are_known():
    assert {"standard", "robust", "flipping", "prefilter", "svm"} <= set(methods.known())
    assert not {"base", "__init__"} & set(methods.known())


@pytest.mark.parametrize("name", ["forest", "base", "__init__", "robust.py", ""])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ValueError) as caught:
        methods.load(name)
    assert f"method {name!r} is not known" in str(caught.value)
    assert ", ".join(methods.known()) in str(caught.value) and "methods/" in str(caught.value)


IMPORTS = "from sklearn.base import BaseEstimator\nfrom shiftlr.methods.svm import LinearSVM\n\n"
ESTIMATOR = """
    class {}(BaseEstimator):
        def fit(self, X, y):
            return self
"""


@pytest.mark.parametrize(
    ("classes", "found"),
    [([], "none"), (["One", "Two"], "One, Two")],
    ids=["no class", "two classes"],
)
def test_a_file_without_exactly_one_class_is_refused(folder, classes, found):
    (folder / "rival.py").write_text(IMPORTS + "".join(textwrap.dedent(ESTIMATOR.format(name)) for name in classes))
    assert methods.known() == ["rival"]
    with pytest.raises(ValueError, match=rf"rival\.py: must define exactly one estimator class, found {found}$"):
        methods.load("rival")


def test_helpers_and_imported_classes_do_not_count(folder):
    text = (
        "from sklearn.base import BaseEstimator\nfrom shiftlr.methods.svm import LinearSVM\n\nclass Helper:\n    pass\n"
    )
    (folder / "rival.py").write_text(text + textwrap.dedent(ESTIMATOR.format("Rival")))
    assert methods.load("rival").__name__ == "Rival"
    assert complete({"methods": {"mine": {"method": "rival"}}})["methods"]["mine"]["title"] == "mine"
