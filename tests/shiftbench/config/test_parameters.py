"""Values of methods' parameters: each method's own checks are asked before any job, with the tuning it would have."""

import pytest
from refusals import assert_refused, refusals
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from small_config import ONE, PROJECT, SCENARIO, small

POSITIVE = "must be a finite number greater than 0"


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("methods.robust.grid.lam", [-1], ["=-1", POSITIVE]),
        ("methods.robust.grid.lam", ["abc"], ["='abc'", POSITIVE]),
        ("methods.robust.grid.lam", [1.0, float("nan")], ["=nan", POSITIVE]),
        ("methods.robust.grid.lam", [0.5, float("inf")], ["=inf", POSITIVE]),
        ("methods.robust.grid.lam", [None], ["=None", POSITIVE]),
        ("methods.robust.grid.lam", [[0.1]], ["=[0.1]", POSITIVE]),
        ("methods.robust.grid.tol", [0.1, 0], ["=0", POSITIVE]),
        ("methods.prefilter.grid.k", [0], ["=0", "must be a whole number at least 1"]),
        ("methods.prefilter.grid.k", [1, 2.0], ["=2.0", "must be a whole number at least 1"]),
        ("methods.prefilter.grid.rule", ["any", "one"], ["='one'", "'any', 'majority', 'all', 'positives', 'prior'"]),
        ("methods.prefilter_oracle.params.rule", "none", ["='none'", "'majority'"]),
        ("methods.svm.grid.C", [1.0, 0.0], ["=0.0", POSITIVE]),
        ("methods.flipping.params.initial_flip", 0.7, ["=0.7", "less than 0.5"]),
        ("methods.flipping.params.initial_flip", [0.1], ["=[0.1]", "one for each class"]),
        ("methods.flipping.params.n_init", 0, ["=0", "a whole number at least 1"]),
        ("methods.flipping.params.random_state", "x", ["='x'", "a whole number from 0 to 2**32 - 1"]),
        ("methods.confident_learning.params.n_splits", 1, ["=1", "a whole number at least 2"]),
        ("methods.confident_learning.params.random_state", -1, ["=-1", "a whole number from 0 to 2**32 - 1"]),
        ("methods.glmnet_path.params.maxit", 0, ["=0", "a whole number at least 1"]),
        ("methods.glmnet_path.params.thresh", "no", ["='no'", POSITIVE]),
        ("methods.standard.params.tol", -1, ["=-1", POSITIVE]),
        ("methods.standard.params.tol", "1e-8", ["='1e-8'", POSITIVE]),
        ("methods.standard.params.max_iter", 2.5, ["=2.5", "a whole number"]),
        ("methods.standard.params.penalty", "l3", ["='l3'", "None, 'l1', 'l2'"]),
        ("methods.standard.params.fit_intercept", "yes", ["='yes'", "True or False"]),
        ("methods.standard.params.alpha", 1.0, ["=1.0", "has no effect with penalty=None"]),
    ],
)
def test_values_that_a_method_does_not_take_are_refused(key, value, said):
    assert_refused(small(**{key: value}), [f"{key}{said[0]}", *said[1:]])


def test_each_bad_value_of_a_grid_is_named_once():
    lines = refusals(small(**{"methods.robust.grid": {"lam": [1.0, -1, "abc"], "tol": [1.0e-6, 0.1]}}))
    assert [line.split(":")[1].strip() for line in lines] == [
        f"methods.robust.grid.lam={bad}" for bad in ("-1", "'abc'")
    ]


def test_what_an_experiment_changes_is_checked_there():
    config = small(**{f"{ONE}.methods": {"standard": {}, "robust": {"grid": {"lam": [0]}}}})
    assert_refused(config, [f"{ONE}.methods.robust.grid.lam=0", POSITIVE])
    config = small(**{f"{ONE}.methods": {"mine": {"method": "svm", "params": {"C": "much"}}}})
    assert_refused(config, [f"{ONE}.methods.mine.params.C='much'", POSITIVE])


def test_settings_that_a_quick_run_has_are_checked_in_a_quick_run():
    quick = {"methods": {"standard": {}, "robust": {"grid": {"lam": [0]}}}}
    config = small(**{f"{ONE}.methods": {"standard": {}, "robust": {}}, f"{ONE}.quick": quick})
    complete(config, catalog=Catalog)
    assert_refused(config | {"quick": True}, [f"{ONE}.methods.robust.grid.lam=0", POSITIVE])


def test_parameters_are_judged_with_the_penalty_that_the_tuning_sets():
    penalised = {f"{ONE}.tuning": {"penalty": "l2"}, "methods.standard.params.alpha": 1.0}
    complete(small(**penalised), catalog=Catalog)
    config = small(**{"methods.robust": {"method": "glmnet_path"}, f"{SCENARIO}.tuning": {"penalty": "l2"}})
    assert_refused(config, [f"{SCENARIO}.tuning.penalty='l2'", "None, 'l1' for glmnet_path"])


def test_settings_that_only_go_together_are_judged_together():
    both = {"methods.standard.grid": {"penalty": ["l1", "l2"], "alpha": [0.1, 1.0]}}
    complete(small(**both), catalog=Catalog)
    both["methods.standard.grid"]["penalty"].append(None)
    lines = refusals(small(**both))
    assert len(lines) == 2 and all("has no effect with penalty=None" in line for line in lines)


def test_too_many_settings_are_refused_without_making_them():
    grid = {"lam": {"from": 1.0, "to": 0.1, "points": 100_000}}
    config = small(**{"methods.robust.grid": grid, f"{ONE}.tuning": {"penalty": "l1"}})
    assert_refused(config, ["methods.robust", "1900000 settings", "at most 100000"])


def test_a_method_is_asked_once_for_the_same_settings(monkeypatch):
    asked = []
    monkeypatch.setattr("shiftbench.catalog.refused_settings", lambda *given: asked.append(repr(given)) or [])
    complete(PROJECT, catalog=Catalog)
    assert 0 < len(asked) == len(set(asked)) < 100


def test_jobs_on_nodes_ask_no_method():
    """They would import all of them: two seconds and 150 MB in each."""
    complete(small(**{"methods.robust.grid": {"lam": [-1]}}))


PLUGINS = {
    "plain": "class Plain(BaseEstimator):\n    def __init__(self, a=1): self.a = a\n",
    "constrained": "class Constrained(BaseEstimator):\n    _parameter_constraints = {'a': [int]}\n"
    "    def __init__(self, a=1): self.a = a\n",
    "checked": "class Checked(BaseEstimator):\n    def __init__(self, a=1): self.a = a\n"
    "    def check_params(self):\n        if self.a != 1: raise ValueError(f'a={self.a}: must be 1')\n",
    "broken": "class Broken(BaseEstimator):\n    def __init__(self, a=1): self.a = a\n"
    "    def check_params(self): 1 / 0\n",
    "choosy": "class Choosy(BaseEstimator):\n    def __init__(self, a=1): self.a = int(a)\n",
}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("plain", "x", None),
        ("constrained", 2, None),
        ("constrained", "x", ["methods.constrained", "'a' parameter of Constrained must be an instance of 'int'"]),
        ("checked", 1, None),
        ("checked", 3, ["methods.checked.params.a=3", "must be 1"]),
        ("broken", 1, ["methods.broken", "ZeroDivisionError: division by zero"]),
        ("choosy", "x", ["methods.choosy", "invalid literal for int()"]),
    ],
)
def test_plug_ins_are_asked_in_the_way_they_know(name, value, said, tmp_path):
    (tmp_path / "methods").mkdir()
    text = "from sklearn.base import BaseEstimator\n" + PLUGINS[name]
    (tmp_path / "methods" / f"{name}.py").write_text(text, encoding="utf-8")
    config = small(**{"plugins": str(tmp_path), f"methods.{name}": {"params": {"a": value}}})
    if said is None:
        complete(config, catalog=Catalog)
    else:
        assert_refused(config, said)
