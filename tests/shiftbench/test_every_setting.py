"""Metrics at every setting of a grid: rows beside those of the chosen one, which stay as they are."""

import numpy as np
import pandas as pd
import pytest
from rivals import folder, make_job, make_replicate
from shiftbench import fit, runs, tuner
from shiftbench.datasets.base import Part
from shiftbench.metrics import kept_positives, kept_wrong, removed_negatives, removed_positives, true_positives
from shiftlr import methods

__all__ = ["folder"]  # a fixture
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # prefiltered data separate
REPLICATE = make_replicate()
TRAIN, TEST = REPLICATE.parts["train"], REPLICATE.parts["test"]
LAMS = [1.0, 0.3, 0.1]


def measured(folder, name, method, replicate=REPLICATE, **settings):
    metrics = settings.pop("metrics", ("accuracy", "share_suspected"))
    rows, _ = fit.run(make_job(folder, name, method, metrics=metrics, **settings), replicate, {})
    assert rows[0]["status"] == "ok", rows[0]["reason"]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("by", ["dev", "folds", "none"])
def test_every_setting_is_measured_as_if_it_had_been_chosen(folder, by):
    table = measured(folder, "robust", {"grid": {"lam": LAMS}}, by=by, at_every_setting=["accuracy"])
    found = dict(zip(table["metric"], table["value"], strict=True))
    for lam in LAMS:
        alone = methods.load("robust")(lam=lam).fit(TRAIN.X, TRAIN.labels)
        assert found[f"accuracy@lam={lam:g}"] == pytest.approx(100.0 * np.mean(alone.predict(TEST.X) == TEST.truth))
        assert f"share_suspected@lam={lam:g}" not in found
    plain = measured(folder, "robust", {"grid": {"lam": LAMS}}, by=by)
    own = table[~table["metric"].str.contains("@")]
    pd.testing.assert_series_equal(own["metric"].reset_index(drop=True), plain["metric"])
    assert found["accuracy"] == dict(zip(plain["metric"], plain["value"], strict=True))["accuracy"]
    assert set(table["params"]) == set(plain["params"])


def test_a_metric_at_a_setting_is_found_by_its_name(folder):
    tables = [
        measured(folder, "prefilter", {"grid": {"k": [1, 3]}}, make_replicate(number), at_every_setting=["accuracy"])
        for number in range(3)
    ]
    table = pd.concat(tables)
    values = runs.values(table, runs.metric_at("accuracy", {"k": 3}))
    assert values.index.tolist() == [0, 1, 2] and values.between(50.0, 100.0).all()
    assert runs.values(table, "accuracy@k=7").empty
    assert set(runs.values(table, "k")) <= {1.0, 3.0}


@pytest.mark.parametrize(
    ("setting", "name"),
    [({"k": 3}, "f1@k=3"), ({"alpha": 0.1, "lam": 1.0}, "f1@alpha=0.1,lam=1"), ({"rule": "any"}, "f1@rule=any")],
)
def test_names(setting, name):
    assert runs.metric_at("f1", setting) == name


def test_settings_that_were_compared_are_not_fitted_again(folder, monkeypatch):
    job = make_job(folder, "prefilter", {"grid": {"k": [1, 3, 5]}})
    tuned = tuner.Tuner(job["method"], job["scenarios"]["s"]["tuning"], folder, 0)
    estimator, params, _ = tuned.fit(REPLICATE.parts)
    monkeypatch.setattr(tuner, "fit_grid", None)
    fitted = tuned.fit_each(TRAIN)
    assert [setting for setting, _ in fitted] == [{"k": 1}, {"k": 3}, {"k": 5}]
    assert {setting["k"]: one for setting, one in fitted}[params["k"]] is estimator


def test_where_parameters_are_taken_over_no_other_setting_is_measured(folder):
    job = make_job(folder, "robust", {"grid": {"lam": LAMS}}, each=False, at_every_setting=["accuracy"])
    chosen = {}
    first, _ = fit.run(job, REPLICATE, chosen)
    later, _ = fit.run(job, make_replicate(1), chosen)
    assert sum("@" in row["metric"] for row in first) == 3 and not any("@" in row["metric"] for row in later)


def outcome(suspected, labels, truth=None):
    class Says:
        def suspected(self, X, y):
            return np.array(suspected)

    truth = None if truth is None else np.array(truth)
    return fit.Outcome(Says(), {}, np.nan, {"train": Part(np.zeros((len(labels), 1)), np.array(labels), truth)})


@pytest.mark.parametrize("kind", [int, bool])
def test_shares_of_labels_removed_and_left(kind):
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1], dtype=kind)
    truth = np.array([0, 0, 0, 0, 1, 1, 1, 0, 0, 0], dtype=kind)
    found = outcome(np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 0], dtype=bool), labels, truth)
    assert removed_negatives(found) == 75.0 and removed_positives(found) == pytest.approx(100.0 / 3.0)
    assert kept_positives(found) == 80.0 and kept_wrong(found) == 20.0 and true_positives(found) == 30.0


def test_shares_where_there_is_nothing_to_share():
    everything = outcome([True, True], [1, 1])
    assert removed_negatives(everything) is None and removed_positives(everything) == 100.0
    assert kept_positives(everything) is None and true_positives(everything) is None
    assert kept_wrong(everything) is None and kept_wrong(outcome([True, True], [1, 0], [1, 1])) is None
