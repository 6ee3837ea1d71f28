"""Tuning: grids in their order, on a development set, by folds, by the report's first procedure, or not at all."""

import numpy as np
import pytest
from rivals import folder, make_job, make_replicate
from shiftbench import tuner as tuner_module
from shiftbench.datasets.base import Part
from shiftlr import methods
from shiftlr.model_selection import first_procedure, fit_grid, fold_scores, tune_on_dev

__all__ = ["folder"]  # a fixture
REPLICATE = make_replicate()
TRAIN, DEV = REPLICATE.parts["train"], REPLICATE.parts["dev"]


@pytest.fixture
def tuner(folder):
    def make(name, method=None, seed=0, alpha=None, **tuning):
        job = make_job(folder, name, method, **tuning)
        return tuner_module.Tuner(job["method"], job["scenarios"]["s"]["tuning"], folder, seed, alpha)

    return make


def test_values_stand_in_the_order_of_preference():
    assert tuner_module.values([3, 1, 2]) == [3, 1, 2]
    assert tuner_module.values(["any", "majority"]) == ["any", "majority"]
    down = tuner_module.values({"from": 1.0, "to": 0.01, "points": 5})
    assert down == pytest.approx([1.0, 10**-0.5, 0.1, 10**-1.5, 0.01])
    assert down[0] == 1.0 and down[-1] == 0.01 and all(type(value) is float for value in down)
    up = tuner_module.values({"from": 0.01, "to": 1.0, "points": 5})
    assert up == sorted(up)
    assert tuner_module.values({"from": 1.0, "to": 0.01, "points": 2}) == [1.0, 0.01]


def test_the_first_name_of_a_grid_varies_slowest():
    assert tuner_module.settings({"b": [2, 1], "a": ["x", "y"]}) == [
        {"b": 2, "a": "x"},
        {"b": 2, "a": "y"},
        {"b": 1, "a": "x"},
        {"b": 1, "a": "y"},
    ]
    assert tuner_module.settings({}) == [{}]
    assert len(tuner_module.settings({"a": {"from": 1.0, "to": 0.1, "points": 4}, "b": [1, 2]})) == 8


def test_penalties_are_strengths_variances_or_shares_of_the_strongest():
    X = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0], [3.0, 0.0]])
    train = Part(X, np.array([0, 1, 1, 1]))
    about = {"sigma2s": None, "alphas": [3.0, 1.0]}
    assert tuner_module.penalties(about, train) == [3.0, 1.0]
    assert tuner_module.penalties(about | {"alphas": {"from": 1.0, "to": 4.0, "points": 3}}, train) == pytest.approx(
        [1, 2, 4]
    )
    assert tuner_module.penalties(about | {"sigma2s": [10.0, 0.5]}, train) == [0.1, 2.0]
    # the largest |X'(y - mean)|: the second feature has 2/4 + 1/4, the first -3/4 + 1/4 + 3/4
    assert tuner_module.strongest(X, train.labels) == pytest.approx(0.75)
    relative = tuner_module.penalties(about | {"alphas": {"weakest": 0.01, "points": 3}}, train)
    assert relative == pytest.approx([0.75, 0.075, 0.0075])


def test_under_the_strongest_penalty_the_standard_model_has_no_weights():
    strongest = tuner_module.strongest(TRAIN.X, TRAIN.labels)
    for factor, any_left in ((1.0001, False), (0.999, True)):
        model = methods.load("standard")(penalty="l1", alpha=factor * strongest).fit(TRAIN.X, TRAIN.labels)
        assert model.coef_.any() == any_left


@pytest.mark.parametrize("by", ["dev", "folds", "none"])
@pytest.mark.parametrize("levels", [[1, 2, 3], [3, 2, 1], [2, 3, 1]])
def test_the_first_setting_wins_a_tie(tuner, levels, by):
    _, params, score = tuner("constant", {"grid": {"level": levels, "text": ["b", "a"]}}, by=by).fit(REPLICATE.parts)
    assert params == {"level": levels[0], "text": "b"}
    assert (
        np.isnan(score)
        if by == "none"
        else score == pytest.approx(np.mean(~(DEV if by == "dev" else TRAIN).labels), abs=0.02)
    )


def test_the_best_on_the_development_set_wins(tuner):
    prices = [1e-4, 0.01, 1.0]
    estimator, params, score = tuner("svm", {"grid": {"C": prices}}).fit(REPLICATE.parts)
    fits = [methods.load("svm")(C=price).fit(TRAIN.X, TRAIN.labels) for price in prices]
    scores = [one.score(DEV.X, DEV.labels) for one in fits]
    assert len(set(scores)) > 1
    assert params == {"C": prices[int(np.argmax(scores))]} and score == max(scores)
    np.testing.assert_array_equal(estimator.coef_, fits[int(np.argmax(scores))].coef_)


def test_another_scorer_may_choose(tuner):
    grid = {"lam": [1.0, 0.3, 0.1, 0.03]}
    _, params, score = tuner("robust", {"grid": grid}, scoring="f1").fit(REPLICATE.parts)
    direct = tune_on_dev(
        methods.load("robust")(),
        [{"lam": lam} for lam in grid["lam"]],
        TRAIN.X,
        TRAIN.labels,
        DEV.X,
        DEV.labels,
        scoring="f1",
    )
    assert params == direct.params and score == direct.score


def test_a_development_set_must_be_there(tuner):
    with pytest.raises(ValueError, match=r"tuning\.by: 'dev' needs a development set, .* use folds"):
        tuner("standard").fit({"train": TRAIN})


@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("seed", [0, 2])
def test_the_best_over_folds_wins_and_folds_follow_from_the_seed(tuner, repeats, seed):
    lams = [1.0, 0.3, 0.1, 0.03]
    tuned = tuner("robust", {"grid": {"lam": lams}}, seed, by="folds", folds=4, repeats=repeats)
    _, params, score = tuned.fit(REPLICATE.parts)
    grid = [{"lam": lam} for lam in lams]
    seeds = {"n_splits": 4, "n_repeats": repeats, "random_state": seed * repeats}  # no two replicates share folds
    scores = fold_scores(methods.load("robust")(), grid, TRAIN.X, TRAIN.labels, **seeds)
    assert params == grid[int(np.argmax(scores))] and score == scores.max()


def test_a_single_setting_is_not_compared_with_itself(tuner, monkeypatch):
    monkeypatch.setattr(tuner_module, "fold_scores", None)
    estimator, params, score = tuner("robust", {"grid": {"lam": [0.2]}}, by="folds").fit(REPLICATE.parts)
    assert params == {"lam": 0.2} and estimator.lam == 0.2 and np.isnan(score)


def test_without_tuning_the_first_setting_of_each_is_taken(tuner):
    tuned = tuner(
        "robust", {"grid": {"lam": [0.3, 0.1]}}, by="none", penalty="l2", alphas=[1.0, 5.0], prefer="stronger"
    )
    estimator, params, score = tuned.fit({"train": TRAIN})
    assert params == {"alpha": 5.0, "lam": 0.3} and estimator.alpha == 5.0 and np.isnan(score)


def test_a_rival_that_is_not_linear_is_tuned_over_its_own_grid(tuner):
    estimator, params, score = tuner("neighbours").fit(REPLICATE.parts)
    grid = [{"k": k, "weights": "uniform"} for k in (1, 3, 15)]
    scores = [type(estimator)(**one).fit(TRAIN.X, TRAIN.labels).score(DEV.X, DEV.labels) for one in grid]
    assert params == grid[int(np.argmax(scores))] and score == max(scores)
    assert tuner("neighbours", {"grid": {"k": [7]}}).fit(REPLICATE.parts)[1] == {"k": 7}
    alone, nothing, _ = tuner("neighbours", {"grid": {}, "params": {"k": 9}}).fit(REPLICATE.parts)
    assert nothing == {} and alone.k == 9 and alone.weights == "distance"


@pytest.mark.parametrize("by", ["dev", "folds"])
def test_a_method_that_cannot_be_penalised_is_tuned_as_ever(tuner, by):
    penalised = tuner("neighbours", by=by, penalty="l1", alpha=3.0)
    assert "penalty" not in penalised.estimator.get_params() and not penalised.taken
    assert penalised.fit(REPLICATE.parts)[1] == tuner("neighbours", by=by).fit(REPLICATE.parts)[1]


@pytest.mark.parametrize(("prefer", "order"), [("weaker", [0.5, 2.0]), ("stronger", [2.0, 0.5])])
@pytest.mark.parametrize("tie_break", ["penalty", "grid"])
def test_a_penalty_is_tuned_jointly_with_the_grid(tuner, prefer, order, tie_break):
    about = {"penalty": "l2", "alphas": [2.0, 0.5], "prefer": prefer, "tie_break": tie_break}
    tuned = tuner("robust", {"grid": {"lam": [1.0, 0.1]}}, **about)
    pairs = [(alpha, lam) for alpha in order for lam in (1.0, 0.1)]
    if tie_break == "grid":
        pairs = [(alpha, lam) for lam in (1.0, 0.1) for alpha in order]
    assert [(one["alpha"], one["lam"]) for one in tuned._grid(TRAIN)] == pairs
    estimator, params, _ = tuned.fit(REPLICATE.parts)
    assert estimator.penalty == "l2" and set(params) == {"alpha", "lam"}


def test_a_penalty_that_was_chosen_elsewhere_is_taken(tuner):
    tuned = tuner("robust", {"grid": {"lam": [1.0, 0.1]}}, alpha=7.0, penalty="l2")
    assert tuned._grid(TRAIN) == [{"lam": 1.0}, {"lam": 0.1}]
    estimator, params, _ = tuned.fit(REPLICATE.parts)
    assert estimator.alpha == params["alpha"] == 7.0 and estimator.penalty == "l2"


@pytest.mark.parametrize("train_accuracy", ["theta", "shifts"])
@pytest.mark.parametrize("prefer", ["weaker", "stronger"])
@pytest.mark.parametrize("by", ["dev", "folds"])
def test_the_first_procedure_is_used_where_asked_for(tuner, train_accuracy, prefer, by):
    parts = make_replicate(features=10).parts
    train, dev = parts["train"], parts["dev"]
    alphas, lams = [0.1, 1.0, 10.0], [1.0, 0.3, 0.1, 0.03]
    asked = {"procedure": "first_procedure", "train_accuracy": train_accuracy, "penalty": "l1", "alphas": alphas}
    tuned = tuner("robust", {"grid": {"lam": lams}}, 2, by=by, prefer=prefer, repeats=2, **asked)
    estimator, params, score = tuned.fit(parts)
    robust = methods.load("robust")(penalty="l1")
    data = (train.X, train.labels, dev.X, dev.labels) if by == "dev" else (train.X, train.labels)
    seeds = {} if by == "dev" else {"n_repeats": 2, "random_state": 4}
    direct = {
        name: first_procedure(robust, alphas, lams, *data, by=name, prefer=prefer, **seeds)
        for name in ("theta", "shifts")
    }
    assert (params, score) == (direct[train_accuracy].params, direct[train_accuracy].score)
    np.testing.assert_array_equal(estimator.coef_, direct[train_accuracy].estimator.coef_)
    assert direct["theta"].rows != direct["shifts"].rows


def test_the_first_procedure_needs_a_penalty_and_lam(tuner):
    asked = {"procedure": "first_procedure", "alphas": [1.0, 10.0]}
    _, params, _ = tuner("robust", {"grid": {"lam": [1.0, 0.1]}}, **asked).fit(REPLICATE.parts)
    assert set(params) == {"lam"}  # without a penalty as ever
    _, params, _ = tuner("standard", penalty="l1", **asked).fit(REPLICATE.parts)
    assert set(params) == {"alpha"}  # methods without lam choose jointly


def test_the_smaller_lam_may_be_preferred(tuner):
    lams, asked = [0.9, 0.8], {"procedure": "first_procedure", "penalty": "l1", "alphas": [500.0]}  # no weight is left
    for prefer, lam in (("larger", 0.9), ("smaller", 0.8)):
        tuned = tuner("robust", {"grid": {"lam": lams}}, prefer_lam=prefer, **asked)
        assert tuned.fit(REPLICATE.parts)[1]["lam"] == lam


@pytest.mark.parametrize("by", ["dev", "folds"])
@pytest.mark.parametrize("about", [0.1, 0.3, "wrong_labels"])
def test_only_settings_that_suspect_about_the_share_are_chosen_from(tuner, about, by):
    lams = [1.0, 0.5, 0.3, 0.2, 0.1, 0.05, 0.02]
    limit = {"about": about, "within": 0.03}
    estimator, params, _ = tuner("robust", {"grid": {"lam": lams}}, by=by, limit=limit).fit(REPLICATE.parts)
    share = np.mean(TRAIN.labels != TRAIN.truth) if about == "wrong_labels" else about
    shares = fit_grid(methods.load("robust")(), [{"lam": lam} for lam in lams], TRAIN.X, TRAIN.labels).shares
    away = np.abs(shares - share)
    assert away[lams.index(params["lam"])] <= max(0.03, away.min())
    assert np.mean(estimator.shifts_ != 0.0) == shares[lams.index(params["lam"])]


def test_a_share_that_nobody_knows_is_refused(tuner):
    parts = {name: part._replace(truth=None) for name, part in REPLICATE.parts.items()}
    with pytest.raises(ValueError, match=r"tuning\.limit: the share of wrong labels is not known; give a number"):
        tuner("robust", limit={"about": "wrong_labels"}).fit(parts)


@pytest.mark.parametrize("by", ["dev", "folds", "none"])
@pytest.mark.parametrize("procedure", ["jointly", "first_procedure"])
def test_what_is_kept_is_fitted_to_the_final_tolerance(tuner, by, procedure):
    about = {"penalty": "l1", "alphas": [1.0, 2.0], "tol": 0.1, "procedure": procedure, "by": by}
    method = {"grid": {"lam": [1.0, 0.1]}}
    assert tuner("robust", method, **about).fit(REPLICATE.parts)[0].tol == 0.1
    estimator, params, _ = tuner("robust", method, final_tol=1e-9, **about).fit(REPLICATE.parts)
    assert estimator.tol == 1e-9
    anew = methods.load("robust")(penalty="l1", tol=1e-9, **params).fit(TRAIN.X, TRAIN.labels)
    np.testing.assert_array_equal(estimator.coef_, anew.coef_)


def test_a_method_s_own_tolerance_and_seed_win(tuner):
    assert tuner("robust", tol=0.1).estimator.tol == 0.1
    assert tuner("robust", {"params": {"tol": 0.2}}, tol=0.1).estimator.tol == 0.2
    assert tuner("constant", seed=9, tol=0.1).estimator.random_state == 9
    assert tuner("constant", {"params": {"random_state": 4}}, seed=9).estimator.random_state == 4


@pytest.mark.parametrize("by", ["none", "folds", "dev"])
def test_groups_are_passed_to_methods_that_want_them(tuner, by):
    groups = np.arange(80) // 8
    with_groups = {"train": TRAIN._replace(groups=groups), "dev": DEV}
    found = tuner("constant", {"grid": {"level": [1, 2]}}, by=by).fit(with_groups)[0]
    np.testing.assert_array_equal(found.groups_, groups)
    assert tuner("constant", by="none").fit({"train": TRAIN})[0].groups_ is None
    tuner("standard", by="none").fit(with_groups)  # which has no use for them
