"""Estimators within scikit-learn: pipelines, searches and folds, with names of columns."""

import numpy as np
import pandas as pd
import pytest
from estimators import ALL
from scipy.special import expit
from shiftlr import RobustLogisticRegression, StandardLogisticRegression
from shiftlr.methods._noise_model import fit_noise_model
from shiftlr.model_selection import (
    first_procedure,
    fit_grid,
    lam_grid,
    second_procedure,
    tune_by_folds,
    tune_on_dev,
)
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
RANDOM = np.random.default_rng(0)
X = pd.DataFrame(RANDOM.normal(size=(300, 3)) * [1.0, 50.0, 0.1] + [0.0, 400.0, 2.0], columns=["a", "b", "c"])
Y = np.where(RANDOM.random(300) < expit(3.0 * X["a"] + (X["b"] - 400.0) / 25.0), "yes", "no")
GRID = lam_grid([1.0, 0.3, 0.1])


def pipeline(**params):
    return make_pipeline(StandardScaler(), RobustLogisticRegression(penalty="l2", alpha=1.0, **params))


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_every_estimator_in_a_pipeline_a_search_and_folds(model):
    steps = Pipeline([("scale", StandardScaler().set_output(transform="pandas")), ("model", clone(model))])
    steps.fit(X, Y)
    assert list(steps[-1].feature_names_in_) == ["a", "b", "c"]
    assert len(steps[-1].suspects(n=3)) == 3
    held_out = cross_val_predict(steps, X, Y, cv=3)
    assert np.mean(held_out == Y) > 0.75
    search = GridSearchCV(steps, {"model__tol": [1e-6, 1e-4]}, cv=2).fit(X, Y)
    assert search.best_score_ > 0.75


@pytest.mark.parametrize("names", ["lam", "robustlogisticregression__lam"])
def test_tuning_takes_a_pipeline(names):
    grid = [{names: params["lam"]} for params in GRID]
    tuned = tune_by_folds(pipeline(), grid, X, Y)
    scores = [
        np.mean(
            [
                pipeline(lam=params["lam"]).fit(X.iloc[train], Y[train]).score(X.iloc[rest], Y[rest])
                for train, rest in StratifiedKFold(5, shuffle=True, random_state=0).split(X, Y)
            ]
        )
        for params in GRID
    ]
    assert [row["score"] for row in tuned.rows] == pytest.approx(scores)
    assert isinstance(tuned.estimator, Pipeline) and set(tuned.params) == {names}
    alone = pipeline(lam=tuned.params[names]).fit(X, Y)
    np.testing.assert_allclose(tuned.estimator.predict_proba(X), alone.predict_proba(X), atol=1e-6)


def test_the_report_s_procedure_and_a_development_set_take_one_too():
    tuned = tune_on_dev(pipeline(), GRID, X[:200], Y[:200], X[200:], Y[200:], scoring="neg_log_loss")
    single = [
        fit_grid(pipeline(), [params], X[:200], Y[:200]).scores(X[200:], Y[200:], "neg_log_loss")[0] for params in GRID
    ]
    assert [row["score"] for row in tuned.rows] == pytest.approx(single)
    chosen = first_procedure(pipeline(), [10.0, 1.0], [1.0, 0.1], X, Y, by="shifts")
    by_hand = first_procedure(
        RobustLogisticRegression(penalty="l2"),
        [10.0, 1.0],
        [1.0, 0.1],
        StandardScaler().fit_transform(X),
        Y,
        by="shifts",
    )
    assert chosen.params == by_hand.params
    second = second_procedure(pipeline(), [10.0, 1.0], [1.0, 0.1], X, Y)
    assert set(second.params) == {"lam", "alpha"} and second.estimator.score(X, Y) > 0.8
    per_example = tune_by_folds(pipeline(), GRID, X, Y, per_example=True)
    smaller = [pipeline(lam=0.8 * params["lam"]).set_params(robustlogisticregression__alpha=0.8) for params in GRID]
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    by_hand = [
        np.mean([clone(one).fit(X.iloc[a], Y[a]).score(X.iloc[b], Y[b]) for a, b in folds.split(X, Y)])
        for one in smaller
    ]
    assert [row["score"] for row in per_example.rows] == pytest.approx(by_hand)


def test_parameters_of_earlier_steps_are_refused():
    with pytest.raises(
        ValueError, match="grid: 'standardscaler__with_mean' is no parameter of the pipeline's last step"
    ):
        fit_grid(pipeline(), [{"standardscaler__with_mean": False}], X, Y)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_noise_likelihood_is_that_of_the_noise_model(n_classes):
    codes = RANDOM.integers(0, n_classes, 300) if n_classes == 3 else (Y == "yes").astype(int)
    features = StandardScaler().fit_transform(X)
    grid = [{"lam": 0.5}, {"lam": 0.1}]
    model = RobustLogisticRegression(penalty="l2", alpha=1.0)
    scores = fit_grid(model, grid, features, codes).scores(features, codes, "noise_likelihood")
    for params, score in zip(grid, scores, strict=True):
        decision = clone(model).set_params(**params).fit(features, codes).decision_function(features)
        both = np.column_stack([-decision / 2, decision / 2]) if decision.ndim == 1 else decision
        assert score == pytest.approx(fit_noise_model(both, codes).log_likelihood / 300, rel=1e-5)


def test_the_noise_likelihood_finds_a_lam_where_deviance_finds_none():
    random = np.random.default_rng(1)
    features = random.uniform(-5, 5, size=(500, 10))
    truth = random.random(500) < expit(2.0 * features.sum(axis=1))
    labels = truth | (random.random(500) < 0.3)
    grid = lam_grid(np.geomspace(0.01, 1.0, 10))
    by_noise = tune_by_folds(RobustLogisticRegression(), grid, features, labels, scoring="noise_likelihood")
    by_deviance = tune_by_folds(RobustLogisticRegression(), grid, features, labels, scoring="neg_log_loss")
    assert by_deviance.params["lam"] == 1.0 and by_noise.params["lam"] < 0.2
    standard = StandardLogisticRegression().fit(features, labels)
    assert by_noise.estimator.score(features, truth) > standard.score(features, truth) + 0.03
