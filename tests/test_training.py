"""Training: grids in order, tuning on the development set, failures that stay rows, and rows on disk."""

import json
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from shiftlr import methods, training
from shiftlr.config import complete, data_settings
from shiftlr.datasets.simulate import draw
from shiftlr.tuning import first_procedure
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import KNeighborsClassifier


class Neighbours(ClassifierMixin, BaseEstimator):
    """A rival with a grid of its own that is not linear."""

    grid = {"k": [1, 3, 15], "weights": ["uniform"]}  # noqa: RUF012

    def __init__(self, k=5, weights="distance"):
        self.k = k
        self.weights = weights

    def fit(self, X, y):
        self.model_ = KNeighborsClassifier(n_neighbors=self.k, weights=self.weights).fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


class Constant(ClassifierMixin, BaseEstimator):
    """Says the same whatever `level` and `text` are, so all settings tie; `fault` makes it warn and fail."""

    def __init__(self, level=0, text="", fault=None):
        self.level = level
        self.text = text
        self.fault = fault

    def fit(self, X, y):
        if self.fault:
            for level in range(3):
                warnings.warn(f"doubt {level}", RuntimeWarning, stacklevel=1)
        if self.fault == "raise":
            raise ZeroDivisionError('no,\n"luck"')
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.zeros(len(X), dtype=bool)


@pytest.fixture(autouse=True)
def rivals(monkeypatch):
    """Two more methods, as if there were files of theirs."""
    more = {"neighbours": Neighbours, "constant": Constant}
    load, known = methods.load, methods.known
    monkeypatch.setattr(methods, "known", lambda: sorted([*known(), *more]))
    monkeypatch.setattr(methods, "load", lambda name: more.get(name) or load(name))


def prepare(name, method=None, **scenario):
    """A method's settings, a small scenario's, and a replicate of it."""
    rows = {"s": {"row": ["s"], "features": 3, "train": 80, "dev": 80, "test": 80, "p0": 0.2, **scenario}}
    config = complete(
        {"methods": {name: method or {}}, "experiments": {"e": {"methods": [name], "scenarios": rows}}},
    )
    settings = config["experiments"]["e"]["scenarios"]["s"]
    return config["methods"][name], settings, draw("e.s", data_settings(settings), 3, 0)


def tune(name, method=None, **scenario):
    method, settings, replicate = prepare(name, method, **scenario)
    return training.tune(method, settings, replicate.train, replicate.dev)


def train(name, method=None, **scenario):
    return training.train_replicate(*prepare(name, method, **scenario))


def test_values_stand_in_the_order_of_preference():
    assert training.values([3, 1, 2]) == [3, 1, 2]
    assert training.values(["any", "majority"]) == ["any", "majority"]
    down = training.values({"from": 1.0, "to": 0.01, "points": 5})
    assert down == pytest.approx([1.0, 10**-0.5, 0.1, 10**-1.5, 0.01])
    assert down[0] == 1.0 and down[-1] == 0.01 and all(type(value) is float for value in down)
    up = training.values({"from": 0.01, "to": 1.0, "points": 5})
    assert up == sorted(up)
    assert training.values({"from": 1.0, "to": 0.01, "points": 2}) == [1.0, 0.01]


def test_the_first_name_of_a_grid_varies_slowest():
    assert training.settings({"b": [2, 1], "a": ["x", "y"]}) == [
        {"b": 2, "a": "x"},
        {"b": 2, "a": "y"},
        {"b": 1, "a": "x"},
        {"b": 1, "a": "y"},
    ]
    assert training.settings({}) == [{}]


@pytest.mark.parametrize("levels", [[1, 2, 3], [3, 2, 1], [2, 3, 1]])
def test_the_first_setting_wins_a_tie(levels):
    tuned = tune("constant", {"grid": {"level": levels, "text": ["b", "a"]}})
    assert tuned.params == {"level": levels[0], "text": "b"}
    assert len(tuned.rows) == 6 and len({row["score"] for row in tuned.rows}) == 1


def test_the_best_on_the_development_set_wins():
    prices = [1e-4, 0.01, 1.0]
    method, settings, replicate = prepare("svm", {"grid": {"C": prices}})
    tuned = training.tune(method, settings, replicate.train, replicate.dev)
    fits = [methods.load("svm")(C=price).fit(replicate.train.X, replicate.train.labels) for price in prices]
    scores = [fit.score(replicate.dev.X, replicate.dev.labels) for fit in fits]
    assert len(set(scores)) > 1
    assert tuned.params == {"C": prices[int(np.argmax(scores))]} and tuned.score == max(scores)


def test_a_rival_that_is_not_linear_is_tuned_over_its_own_grid():
    row = train("neighbours")
    assert row["status"] == "ok" and row["test_accuracy"] > 0.7
    assert json.loads(row["params"]) == {"k": row["k"], "weights": "uniform"}
    tried = tune("neighbours").rows
    assert [setting["k"] for setting in tried] == [1, 3, 15]
    assert row["dev_accuracy"] == max(setting["score"] for setting in tried)
    assert "share_shifted" not in row and "flip_p0" not in row
    assert tune("neighbours", {"grid": {"k": [7]}}).params == {"k": 7}
    alone = tune("neighbours", {"grid": {}, "params": {"k": 9}})
    assert alone.params == {} and alone.estimator.k == 9 and alone.estimator.weights == "distance"


def test_a_method_that_cannot_be_penalised_is_tuned_as_ever():
    assert "penalty" not in Neighbours().get_params()
    assert tune("neighbours", penalty="l1").params == tune("neighbours").params


@pytest.mark.parametrize(("prefer", "order"), [("weaker", [0.5, 2.0]), ("stronger", [2.0, 0.5])])
def test_a_penalty_is_tuned_jointly_with_the_grid(prefer, order):
    tuned = tune("robust", {"grid": {"lam": [1.0, 0.1]}}, penalty="l2", alphas=[2.0, 0.5], prefer=prefer)
    assert [(row["alpha"], row["lam"]) for row in tuned.rows] == [(alpha, lam) for alpha in order for lam in (1.0, 0.1)]
    assert tuned.estimator.penalty == "l2" and set(tuned.params) == {"alpha", "lam"}


@pytest.mark.parametrize("train_accuracy", ["theta", "shifts"])
@pytest.mark.parametrize("prefer", ["weaker", "stronger"])
def test_the_first_procedure_is_used_where_asked_for(train_accuracy, prefer):
    alphas, lams = [0.1, 1.0, 10.0], [1.0, 0.3, 0.1, 0.03]
    wanted = {"grid": {"lam": lams}, "penalised": "first_procedure", "train_accuracy": train_accuracy}
    penalised = {"penalty": "l1", "alphas": alphas, "prefer": prefer, "features": 10, "p0": 0.3}
    method, settings, replicate = prepare("robust", wanted, **penalised)
    tuned = training.tune(method, settings, replicate.train, replicate.dev)
    data = (replicate.train.X, replicate.train.labels, replicate.dev.X, replicate.dev.labels)
    robust = methods.load("robust")(penalty="l1")
    direct = {by: first_procedure(robust, alphas, lams, *data, by=by, prefer=prefer) for by in ("theta", "shifts")}
    assert tuned.rows == direct[train_accuracy].rows and tuned.params == direct[train_accuracy].params
    assert direct["theta"].rows != direct["shifts"].rows
    assert len(tuned.rows) == len(alphas)  # jointly they would be 12
    assert [row["alpha"] for row in tuned.rows] == sorted(alphas, reverse=prefer == "stronger")
    without = tune("robust", wanted)
    assert [row["lam"] for row in without.rows] == lams and "alpha" not in without.params


def test_a_row_says_what_was_learned():
    robust, flipping = train("robust", {"grid": {"lam": [0.1]}}), train("flipping")
    assert robust["lam"] == 0.1 and 0.0 < robust["share_shifted"] < 1.0 and "flip_p0" not in robust
    assert flipping["flip_p0"] == pytest.approx(0.2, abs=0.15) and flipping["flip_p1"] == pytest.approx(0.0, abs=0.15)
    fitted = tune("flipping").estimator
    assert flipping["flip_p0"] == fitted.flip_probabilities_[0, 1] and "share_shifted" not in flipping


def test_accuracy_is_that_on_the_true_labels_of_the_test_set():
    method, settings, replicate = prepare("constant")
    row = training.train_replicate(method, settings, replicate)
    assert row["test_accuracy"] == np.mean(~replicate.test.truth)
    assert row["dev_accuracy"] == np.mean(~replicate.dev.labels)


def test_a_method_that_raises_gives_a_row_and_the_others_go_on():
    failed = train("constant", {"params": {"fault": "raise"}})
    assert failed.pop("seconds") >= 0.0
    assert failed == {"replicate": 0, "status": "failed", "reason": 'ZeroDivisionError: no,\n"luck"'}
    one_bad = train("constant", {"grid": {"fault": [None, "raise"]}})
    assert one_bad["status"] == "failed"
    assert train("constant")["status"] == "ok"


def test_warnings_are_the_reason_of_a_fit_that_succeeded():
    row = train("constant", {"params": {"fault": "warn"}})
    assert row["status"] == "ok" and row["reason"] == "3 warnings, the first: doubt 0"
    assert "reason" not in train("constant")


def rows_of(n):
    """Rows with awkward numbers and words."""
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.random(n), 10.0 ** rng.uniform(-300, 300, n), [5e-324, 1 / 3, 0.1 + 0.2]])
    reasons = ["", 'a, "b"', "two\nlines", "NA", "nan", "é"]
    return [
        {
            "experiment": "e",
            "scenario": f"s{k % 2}",
            "method": f"m{k % 3}",
            "replicate": k // 6,
            "lam": float(number),
            "test_accuracy": number,  # NumPy's own
            "seconds": float(np.nextafter(number, 1.0)),
            "k": int(k),
            "params": json.dumps({"lam": float(number)}),
            "status": "ok",
            "reason": reasons[k % len(reasons)],
        }
        for k, number in enumerate(numbers)
    ]


def test_rows_on_disk_keep_every_bit(tmp_path):
    rows = rows_of(100)
    training.write_rows(tmp_path / "a.csv", rows)
    read = training.read_rows([tmp_path / "a.csv"])
    assert list(read.columns) == list(training.COLUMNS) and len(read) == len(rows)
    wanted = sorted(rows, key=lambda row: (row["scenario"], row["method"], row["replicate"]))
    for name in ("lam", "test_accuracy", "seconds", "k", "replicate", "params", "scenario"):
        assert read[name].tolist() == [row[name] for row in wanted], name
    assert read["reason"].fillna("").tolist() == [row["reason"] for row in wanted]
    assert read["alpha"].isna().all()


def test_a_reason_with_a_carriage_return_stays_one_row(tmp_path):
    rows = [rows_of(1)[0] | {"reason": "step 1\rstep 2"}]
    training.write_rows(tmp_path / "a.csv", rows)
    assert training.read_rows([tmp_path / "a.csv"])["reason"].tolist() == ["step 1\rstep 2"]


@pytest.mark.parametrize("cuts", [(0, 203), (0, 1, 100, 203), (0, 50, 51, 150, 203)])
def test_how_rows_are_cut_into_files_does_not_matter(cuts, tmp_path):
    rows = rows_of(100)
    training.write_rows(tmp_path / "all.csv", rows)
    paths = [tmp_path / f"{first}.csv" for first in cuts[:-1]]
    for path, (first, last) in zip(paths, pairwise(cuts), strict=True):
        training.write_rows(path, rows[first:last])
    expected = training.read_rows([tmp_path / "all.csv"])
    pd.testing.assert_frame_equal(training.read_rows(paths[::-1]), expected)
    training.write_runs(tmp_path / "runs.parquet", expected)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "runs.parquet"), expected)
