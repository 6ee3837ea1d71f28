"""One method on one replicate: what it takes over from others, what its rows say, and failures that stay rows."""

import json

import numpy as np
import pytest
from rivals import folder, make_config, make_job, make_replicate
from shiftbench import fit, runs, tuner
from shiftbench.config.plan import Fit, fit_settings
from shiftbench.datasets.base import Part
from shiftlr import methods
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

__all__ = ["folder"]  # a fixture
REPLICATE = make_replicate()
TRAIN, TEST = REPLICATE.parts["train"], REPLICATE.parts["test"]
METRICS = ("accuracy", "share_suspected", "flip_p0", "flip_p1", "precision_at_10")
LAMS = {"grid": {"lam": [1.0, 0.3, 0.1]}}


@pytest.fixture
def run(folder):
    """Runs a method and returns {metric: value} with what all its rows say."""

    def running(name, method=None, replicate=REPLICATE, chosen=None, **settings):
        job = make_job(folder, name, method, **{"metrics": METRICS, **settings})
        return said(*fit.run(job, replicate, {} if chosen is None else chosen))

    return running


def said(rows, arrays):
    common = [{key: row[key] for key in runs.COLUMNS if key not in ("metric", "value")} for row in rows]
    assert all(one == common[0] for one in common)
    found = {row["metric"]: row["value"] for row in rows}
    return found, common[0] | {"params": json.loads(common[0]["params"])}, arrays


def test_a_row_says_what_was_learned(run):
    robust, about, _ = run("robust", {"grid": {"lam": [0.1]}})
    estimator = methods.load("robust")(lam=0.1).fit(TRAIN.X, TRAIN.labels)
    assert about["params"] == {"lam": 0.1} and about["status"] == "ok" and about["reason"] == ""
    assert robust["share_suspected"] == np.mean(estimator.shifts_ != 0.0) > 0.0
    assert "flip_p0" not in robust and "flip_p1" not in robust
    assert robust["score"] == estimator.score(REPLICATE.parts["dev"].X, REPLICATE.parts["dev"].labels)
    assert robust["seconds"] >= 0.0
    flipping, _, _ = run("flipping")
    assert flipping["flip_p0"] == pytest.approx(0.2, abs=0.15) and flipping["flip_p1"] == pytest.approx(0.0, abs=0.15)
    fitted = methods.load("flipping")().fit(TRAIN.X, TRAIN.labels)
    assert flipping["flip_p0"] == fitted.flip_probabilities_[0, 1]


def test_rows_say_where_they_come_from(run):
    _, about, _ = run("standard", replicate=make_replicate(4))
    place = {"experiment": "e", "scenario": "s", "replicate": 4, "method": "standard"}
    assert about == place | {"params": {}, "status": "ok", "reason": "", "data": "report"}
    marked = REPLICATE._replace(about=REPLICATE.about | {"origin": "standin"})
    assert run("standard", replicate=marked)[1]["data"] == "standin"


def test_accuracy_is_that_on_the_true_labels_of_the_test_set(run):
    found, _, _ = run("constant")
    assert found["accuracy"] == pytest.approx(100.0 * np.mean(~TEST.truth))
    assert found["score"] == np.mean(~REPLICATE.parts["dev"].labels)


def test_where_nothing_is_compared_there_is_no_score(run):
    assert "score" not in run("standard", by="none")[0]


def test_a_method_that_raises_gives_rows_and_the_others_go_on(run):
    chosen = {}
    found, about, arrays = run("constant", {"params": {"fault": "raise"}}, chosen=chosen, redrawn=False)
    assert found.pop("seconds") >= 0.0
    assert list(found) == list(METRICS) and np.isnan(list(found.values())).all()
    assert about["status"] == "failed" and about["reason"] == 'ZeroDivisionError: no,\n"luck"'
    assert about["params"] == {} and arrays == {} and chosen == {}
    assert run("constant", {"grid": {"fault": [None, "raise"]}})[1]["status"] == "failed"
    assert run("constant")[1]["status"] == "ok"


def test_a_metric_that_raises_is_a_failure_too(run, tmp_path, folder):
    found, about, _ = run("standard", metrics=["accuracy", "nothing_like_it"])
    assert about["status"] == "failed" and "no metric 'nothing_like_it'" in about["reason"]
    assert np.isnan(found["accuracy"])


def test_warnings_are_the_reason_of_a_fit_that_succeeded(run):
    found, about, _ = run("constant", {"params": {"fault": "warn"}})
    assert about["status"] == "ok" and about["reason"] == "3 warnings, the first: doubt 0"
    assert found["accuracy"] > 0.0 and run("constant")[1]["reason"] == ""


def test_the_penalty_that_another_method_chose_on_the_replicate_is_taken_over(run):
    about = {"alpha_from": "standard", "penalty": "l2", "alphas": [1.0, 2.0], "others": {"standard": {}}}
    chosen = {"e.s:standard#0": {"alpha": 77.0}, "e.s:standard#1": {"alpha": 5.0}}
    for number, alpha in ((0, 77.0), (1, 5.0)):
        _, found, _ = run("robust", LAMS, make_replicate(number), dict(chosen), **about)
        assert found["params"]["alpha"] == alpha and set(found["params"]) == {"alpha", "lam"}
    itself = run("standard", chosen=dict(chosen), alpha_from="standard", penalty="l2", alphas=[1.0, 2.0])[1]
    assert itself["params"]["alpha"] in (1.0, 2.0)
    assert run("neighbours", chosen=dict(chosen), **about)[1]["status"] == "ok"  # which has no penalty


def test_without_a_penalty_to_take_over_a_fit_fails_with_the_reason(run):
    about = {"alpha_from": "standard", "penalty": "l2", "others": {"standard": {}}}
    _, found, _ = run("robust", LAMS, **about)
    assert (found["status"], found["reason"]) == ("failed", "ValueError: standard failed, and so chose no penalty")
    _, found, _ = run("robust", LAMS, chosen={"e.s:standard#0": {"C": 1.0}}, **about)
    assert found["reason"] == "ValueError: tuning.alpha_from: standard has no penalty, and so chose none"
    _, found, _ = run("robust", LAMS, chosen={"e.s:standard#0": {}}, **about | {"penalty": None})
    assert found["status"] == "ok" and set(found["params"]) == {"lam"}  # there is nothing to choose


def test_settings_are_chosen_on_the_first_replicate_and_kept(run, monkeypatch):
    chosen = {}
    first = run("robust", LAMS, chosen=chosen, each=False)
    assert chosen == {"e.s:robust#0": first[1]["params"]} and "score" in first[0]
    monkeypatch.setattr(tuner, "tune_on_dev", None)
    later = run("robust", LAMS, make_replicate(3), chosen, each=False)
    assert later[1]["status"] == "ok" and later[1]["params"] == first[1]["params"] and "score" not in later[0]
    assert chosen["e.s:robust#3"] == first[1]["params"]
    train, test = (make_replicate(3).parts[name] for name in ("train", "test"))
    anew = methods.load("robust")(**first[1]["params"]).fit(train.X, train.labels)
    assert later[0]["accuracy"] == pytest.approx(100.0 * anew.score(test.X, test.truth))


def test_each_replicate_may_choose_for_itself(run):
    chosen = {"e.s:robust#0": {"lam": 0.77}}
    assert run("robust", LAMS, make_replicate(3), chosen)[1]["params"]["lam"] in (1.0, 0.3, 0.1)


def test_without_a_first_replicate_to_take_over_from_a_fit_fails_with_the_reason(run):
    _, found, _ = run("robust", LAMS, make_replicate(3), each=False)
    assert found["status"] == "failed"
    assert (
        found["reason"]
        == "ValueError: it has no parameters to take over: it failed in e.s, where they were to be chosen"
    )


def test_parameters_of_another_scenario_are_taken_over(run, monkeypatch):
    monkeypatch.setattr(tuner, "tune_on_dev", None)
    chosen = {"e.r:robust#0": {"lam": 0.77}, "e.r:robust#3": {"lam": 0.11}}
    for number in (0, 3):  # always those of the first replicate
        _, found, _ = run("robust", LAMS, make_replicate(number), chosen, params_from="r")
        assert (found["status"], found["params"]) == ("ok", {"lam": 0.77})
    _, found, _ = run("standard", replicate=make_replicate(), chosen=chosen, params_from="r")
    assert found["status"] == "failed" and "it failed in e.r" in found["reason"]


def test_what_was_chosen_is_found_on_disk_again(folder, tmp_path):
    config = make_config(folder, "robust", LAMS, each=False)
    job, chosen = fit_settings(config, Fit("e", "robust", 0), True), {}
    rows = fit.run(job, REPLICATE, chosen)[0]
    runs.write_rows(tmp_path / "a.csv", rows)
    read = runs.chosen_params([tmp_path / "a.csv"])
    assert read == chosen
    here, there = (fit.run(job, make_replicate(1), dict(one))[0] for one in (chosen, read))
    assert [row["value"] for row in here if row["metric"] != "seconds"] == [
        row["value"] for row in there if row["metric"] != "seconds"
    ]


def test_folds_and_starts_follow_from_the_replicate_and_the_shared_seed(folder, monkeypatch):
    seen = []
    made = tuner.Tuner

    def noted(*words):
        seen.append(words[3])
        return made(*words)

    monkeypatch.setattr(fit, "Tuner", noted)
    job = make_job(folder, "standard")
    for shared in (None, 0, 10):
        for number in (0, 4):
            fit.run(job | {"shared_seed": shared}, make_replicate(number), {})
    assert seen == [0, 4, 0, 4, 10, 14]


def test_arrays_are_kept_of_real_data(run, monkeypatch):
    groups = np.arange(80) // 8
    replicate = REPLICATE._replace(parts=REPLICATE.parts | {"test": TEST._replace(groups=groups)})
    _, _, arrays = run("standard", replicate=replicate, redrawn=False)
    assert set(arrays) == {f"s/standard/0/{name}" for name in ("counts", "test", "suspicion", "suspected")}
    estimator = methods.load("standard")().fit(TRAIN.X, TRAIN.labels)
    np.testing.assert_array_equal(arrays["s/standard/0/test"], estimator.decision_function(TEST.X))
    np.testing.assert_array_equal(arrays["s/standard/0/suspected"], estimator.predict(TRAIN.X) != TRAIN.labels)
    predicted = estimator.predict(TEST.X)
    for k in range(10):
        of_group = groups == k
        wanted = [(predicted & TEST.truth)[of_group].sum(), predicted[of_group].sum(), TEST.truth[of_group].sum()]
        assert arrays["s/standard/0/counts"][k].tolist() == wanted
    later = run("standard", replicate=replicate._replace(number=3), redrawn=False)[2]
    assert list(later) == ["s/standard/3/counts", "s/standard/3/suspected"]
    monkeypatch.setattr(fit, "_FEW", 79)  # of many examples the first replicate is enough
    assert list(run("standard", replicate=replicate._replace(number=3), redrawn=False)[2]) == ["s/standard/3/counts"]
    assert run("standard", replicate=replicate, redrawn=True)[2] == {}  # which can be drawn again
    alone = REPLICATE._replace(parts={"train": TRAIN})
    without_test = run("standard", replicate=alone, redrawn=False, by="none", metrics=["accuracy", "share_suspected"])
    assert set(without_test[2]) == {"s/standard/0/suspicion", "s/standard/0/suspected"}
    assert without_test[1]["status"] == "ok" and "accuracy" not in without_test[0]


@pytest.mark.parametrize("estimator", [LogisticRegression(), GaussianNB()], ids=["linear", "bayes"])
@pytest.mark.parametrize("kind", [bool, int])
def test_a_rival_that_does_not_say_suspects_what_it_contradicts(estimator, kind):
    parts = {name: part._replace(labels=part.labels.astype(kind)) for name, part in REPLICATE.parts.items()}
    found = fit.Outcome(estimator.fit(TRAIN.X, parts["train"].labels), {}, np.nan, parts)
    contradicted = estimator.predict(TRAIN.X) != parts["train"].labels
    assert 0 < contradicted.sum() < 80
    np.testing.assert_array_equal(found.suspected, contradicted)
    np.testing.assert_array_equal(found.decision > 0.0, estimator.predict(TEST.X) == 1)
    chances = estimator.predict_proba(TRAIN.X)[np.arange(80), parts["train"].labels.astype(int)]
    order = np.argsort(-found.suspicion, kind="stable")
    assert (np.diff(chances[order]) >= -1e-12).all()  # the least likely label first


def test_a_rival_s_own_suspicion_wins():
    class Sure:
        def suspicion(self, X, y):
            return np.arange(len(y), dtype=float)

        def suspected(self, X, y):
            return np.arange(len(y)) > 77

    found = fit.Outcome(Sure(), {}, np.nan, {"train": Part(TRAIN.X, TRAIN.labels)})
    assert found.suspicion[5] == 5.0 and found.suspected.sum() == 2 and found.test is None


def test_no_test_set_no_decision_is_asked_for():
    outcome = fit.Outcome(LogisticRegression().fit(TRAIN.X, TRAIN.labels), {"alpha": 0.5}, 0.9, {"train": TRAIN})
    measured = fit.measure(["accuracy", "f1", "sigma2", "suspected_count"], outcome)
    assert measured["accuracy"] is None and measured["f1"] is None and measured["sigma2"] == 2.0
    assert measured["suspected_count"] == (outcome.estimator.predict(TRAIN.X) != TRAIN.labels).sum()
