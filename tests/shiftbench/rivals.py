"""Methods of one's own as plug-ins, and jobs that fit them to simulated data."""

import pytest
from shiftbench.config.load import complete
from shiftbench.config.plan import Block, Fit, data_settings, fit_settings
from shiftbench.datasets import blocks

NEIGHBOURS = '''
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier


class Neighbours(ClassifierMixin, BaseEstimator):
    """A rival with a grid of its own that is not linear."""

    grid = {"k": [1, 3, 15], "weights": ["uniform"]}

    def __init__(self, k=5, weights="distance"):
        self.k, self.weights = k, weights

    def fit(self, X, y):
        self.model_ = KNeighborsClassifier(n_neighbors=self.k, weights=self.weights).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)
'''
CONSTANT = '''
import warnings

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Constant(ClassifierMixin, BaseEstimator):
    """Says the same whatever `level` and `text` are, so all settings tie; `fault` makes it warn and fail."""

    def __init__(self, level=0, text="", fault=None, random_state=None):
        self.level, self.text, self.fault, self.random_state = level, text, fault, random_state

    def fit(self, X, y, groups=None):
        if self.fault:
            for level in range(3):
                warnings.warn(f"doubt {level}", RuntimeWarning, stacklevel=1)
        if self.fault == "raise":
            raise ZeroDivisionError('no,\\n"luck"')
        self.classes_, self.groups_ = np.unique(y), groups
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=bool)
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of plug-ins with two more methods."""
    made = tmp_path_factory.mktemp("plugins")
    (made / "methods").mkdir()
    (made / "methods" / "neighbours.py").write_text(NEIGHBOURS)
    (made / "methods" / "constant.py").write_text(CONSTANT)
    return str(made)


def make_config(folder, name, method=None, data=None, metrics=("accuracy",), others=None, replicates=5, **scenario):
    """A method on one scenario of simulated data; keys of `scenario` are settings of tuning."""
    params_from = scenario.pop("params_from", None)
    scenarios = {"s": {"tuning": scenario, "replicates": replicates}}
    if params_from:
        scenarios = {params_from: {}, **scenarios}
        scenarios["s"]["params_from"] = params_from
    about = {
        "dataset": "simulated",
        "data": {"features": 3, "train": 80, "dev": 80, "test": 80} | (data or {}),
        "noise": {"kind": "uniform", "p0": 0.2},
        "methods": {**(others or {}), name: {"method": name} | (method or {})},
        "metrics": list(metrics),
        "scenarios": scenarios,
    }
    return complete({"seed": 3, "plugins": folder, "experiments": {"e": about}})


def make_job(folder, name, method=None, redrawn=True, **settings):
    """What the job of a method is told."""
    return fit_settings(make_config(folder, name, method, **settings), Fit("e", name, 0), redrawn)


def make_replicate(number=0, scenario="s", **data):
    config = make_config(None, "standard", data=data)
    job = data_settings(config, "e", Block(0, (("s", 0, 0),)), {})
    return blocks.draw(job, blocks.dataset_of(job), "s", number)._replace(scenario=scenario)
