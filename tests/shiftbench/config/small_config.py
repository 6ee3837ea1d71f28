"""A small config, and ways to change it."""

import copy
from pathlib import Path

import yaml
from shiftbench.config.load import complete

ROOT = Path(__file__).parents[3]
PROJECT = yaml.safe_load((ROOT / "config.yaml").read_text())
ONE = "experiments.one"
SCENARIO = "experiments.one.scenarios.s"


def small(**changes):
    """Two methods, one experiment, two scenarios; keys that hold a dot change what lies deeper."""
    config = {
        "methods": {
            "standard": {},
            "robust": {"grid": {"lam": [1.0, 0.1]}, "tuning": {"procedure": "first_procedure"}},
        },
        "experiments": {
            "one": {
                "dataset": "simulated",
                "data": {"features": 4},
                "noise": {"kind": "uniform", "p0": 0.1},
                "replicates": 100,
                "table": {"columns": ["a", "b"]},
                "scenarios": {
                    "s": {"row": ["1", "2"]},
                    "t": {"row": ["3", "4"], "noise": {"p0": 0.3}, "replicates": 7},
                },
            },
        },
    }
    return changed(config, changes)


def changed(config, changes):
    """A copy of the config with other values at dotted keys; mappings on the way are made."""
    config = copy.deepcopy(config)
    for path, value in changes.items():
        *above, last = path.split(".")
        place = config
        for key in above:
            place = place.setdefault(key, {})
        place[last] = value
    return config


def completed(**changes):
    return complete(small(**changes))


def one(**changes):
    """The completed experiment."""
    return completed(**changes)["experiments"]["one"]
