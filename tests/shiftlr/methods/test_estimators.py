"""The estimators as users meet them: scikit-learn's own checks, odd data, bad input."""

import warnings

import numpy as np
import pytest
from estimators import ALL
from problems import random_problem, violation
from scipy import sparse
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
    robust_path,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator

PENALISED = [
    StandardLogisticRegression(penalty="l2", alpha=0.5),
    RobustLogisticRegression(penalty="l1", alpha=0.1),
    RobustLogisticRegression(penalty="l2", alpha=0.5),
    FlippingLogisticRegression(penalty="l2", alpha=0.5),
    PrefilteredLogisticRegression(penalty="l1", alpha=0.1, rule="majority", k=5),
]
LOGISTIC = [StandardLogisticRegression(), RobustLogisticRegression()]


@pytest.mark.parametrize("estimator", ALL + PENALISED, ids=repr)
def test_scikit_learn_checks(estimator):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # most of the checks' data are separable, and say so
        outcomes = check_estimator(estimator, on_fail="raise", on_skip=None)
    assert {outcome["status"] for outcome in outcomes} == {"passed"}


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_labels_of_any_kind(estimator):
    X, y, _ = random_problem(3, 60, 2)
    numbers = estimator.fit(X, y).predict(X)
    words = estimator.fit(X, np.array(["no", "yes"])[y]).predict(X)
    assert list(estimator.classes_) == ["no", "yes"]
    assert np.array_equal(words == "yes", numbers == 1)
    assert np.array_equal(estimator.fit(X, y.astype(bool)).predict(X), numbers == 1)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_learned_attributes(estimator):
    X, y, _ = random_problem(4, 60, 3)
    assert estimator.fit(X, y) is estimator
    assert estimator.coef_.shape == (1, 3) and estimator.intercept_.shape == (1,)
    assert estimator.n_features_in_ == 3 and estimator.n_iter_ >= 1
    assert np.isfinite(estimator.objective_)
    scores = estimator.decision_function(X)
    assert np.array_equal(estimator.predict(X), (scores > 0).astype(int))
    if hasattr(estimator, "predict_proba"):
        probabilities = estimator.predict_proba(X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
        np.testing.assert_allclose(np.exp(estimator.predict_log_proba(X)), probabilities, atol=1e-300)


def test_fits_into_pipelines_and_searches():
    X, y, _ = random_problem(5, 80, 3)
    pipeline = make_pipeline(StandardScaler(), RobustLogisticRegression(penalty="l2", alpha=1.0))
    search = GridSearchCV(pipeline, {"robustlogisticregression__lam": [0.05, 0.3, 1.0]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.5


def test_suspects_are_the_examples_with_shifts_largest_first():
    X, y, _ = random_problem(6, 200, 2, noise=0.0)
    names = np.array(["cat", "dog"])[y]
    far = np.argsort(
        -np.abs(RobustLogisticRegression(lam=0.1, penalty="l2", alpha=1e-2).fit(X, y).decision_function(X))
    )
    wrong = far[:3]
    noisy = names.copy()
    noisy[wrong] = np.where(names[wrong] == "cat", "dog", "cat")
    model = RobustLogisticRegression(lam=0.1, penalty="l2", alpha=0.1).fit(X, noisy)
    suspects = model.suspects()
    assert set(wrong) <= set(suspects.index)
    first = suspects.iloc[:3]
    assert set(first.index) == set(wrong)
    assert list(first["suggested_label"]) == list(names[first.index])
    assert np.array_equal(suspects["shift"], model.shifts_[suspects.index])


def test_lam_of_one_or_more_is_the_standard_model():
    X, y, w = random_problem(7, 80, 3)
    standard = StandardLogisticRegression().fit(X, y, sample_weight=w)
    for lam in (1.0, 7.5):
        robust = RobustLogisticRegression(lam=lam).fit(X, y, sample_weight=w)
        np.testing.assert_array_equal(robust.coef_, standard.coef_)
        assert not robust.shifts_.any()


@pytest.mark.parametrize(("penalty", "alpha"), [(None, 0.0), ("l1", 0.5), ("l2", 0.5)])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array, sparse.csc_matrix])
def test_path_equals_single_fits_in_any_order(penalty, alpha, storage):
    X, y, w = random_problem(8, 90, 4)
    lams = np.array([0.2, 0.9, 0.05, 1.5, 0.2])
    path = robust_path(storage(X), y, lams, penalty=penalty, alpha=alpha, sample_weight=w)
    for k, lam in enumerate(lams):
        single = RobustLogisticRegression(lam=lam, penalty=penalty, alpha=alpha).fit(storage(X), y, sample_weight=w)
        assert path.objectives[k] == pytest.approx(single.objective_, rel=1e-11)
        np.testing.assert_allclose(path.coefs[k], single.coef_.ravel(), rtol=1e-5, atol=1e-6)
        assert path.intercepts[k] == pytest.approx(single.intercept_[0], rel=1e-4, abs=1e-6)
        assert path.shares[k] == np.mean(single.shifts_ != 0.0)


@pytest.mark.parametrize("estimator", ALL + PENALISED, ids=repr)
def test_no_intercept(estimator):
    X, y, _ = random_problem(9, 80, 3)
    params = {"fit_intercept": False}
    model = type(estimator)(**{**estimator.get_params(), **params}).fit(X, y)
    assert model.intercept_[0] == 0.0


# Odd data ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("estimator", LOGISTIC, ids=repr)
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kind", ["complete", "quasi", "more features than examples"])
def test_separable_data_end_finite_and_say_so(estimator, storage, kind):
    random = np.random.default_rng(10)
    X = random.normal(size=(60, 3))
    y = (X[:, 0] > 0.1).astype(int)
    if kind == "quasi":  # the third feature is nonzero for positives only; the rest is noise
        y = (X[:, 0] + random.normal(size=60) > 0.0).astype(int)
        X[:, 2] = y * (np.arange(60) % 3 == 0)
    if kind == "more features than examples":
        X = random.normal(size=(20, 50))
        y = random.integers(0, 2, size=20)
    with pytest.warns(ConvergenceWarning, match="separable"), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = estimator.fit(storage(X), y)
    assert np.isfinite(model.coef_).all() and np.isfinite(model.intercept_).all()
    if kind != "quasi":
        assert model.score(storage(X), y) == 1.0


@pytest.mark.parametrize("estimator", LOGISTIC, ids=repr)
def test_data_that_are_not_separable_do_not_warn(estimator):
    X, y, w = random_problem(11, 80, 3)
    X = np.hstack([X, X[:, :1], np.full((80, 1), 3.0)])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.fit(X, y, sample_weight=w)


def odd_data():
    X, y, _ = random_problem(12, 120, 4)
    yield "scales of 1e6 and 1e-6", X * np.array([1e6, 1.0, 1e-6, 1e3]), y
    yield "duplicated columns", np.hstack([X, X, X[:, :1]]), y
    yield "a constant column", np.hstack([X, np.full((120, 1), 7.0), np.zeros((120, 1))]), y
    yield "a large offset", X + np.array([1e5, -1e4, 0.0, 3.0]), y
    yield "one feature", X[:, :1], y
    rare = np.zeros(3000, dtype=int)
    rare[[7, 900, 2500]] = 1
    random = np.random.default_rng(13)
    yield "99.9 % one class", random.normal(size=(3000, 3)) + 0.5 * rare[:, None], rare
    yield "n < m", random.normal(size=(40, 100)), random.integers(0, 2, size=40)


ODD_CASES = [
    pytest.param(X, y, penalty, alpha, id=f"{name}, {penalty}")
    for name, X, y in odd_data()
    for penalty, alpha in [(None, 0.0), ("l1", 0.8), ("l2", 0.3)]
    if (name, penalty) != ("n < m", None)  # separable, see above
]


@pytest.mark.parametrize("lam", [0.15, 1.0])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("X", "y", "penalty", "alpha"), ODD_CASES)
def test_odd_data_are_solved(X, y, penalty, alpha, lam, storage):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        warnings.simplefilter("error", ConvergenceWarning)
        model = RobustLogisticRegression(lam=lam, penalty=penalty, alpha=alpha).fit(storage(X), y)
    theta, b = model.coef_.ravel(), model.intercept_[0]
    assert violation(X, y, np.ones(len(y)), theta, b, lam, penalty, alpha) <= 1e-6


@pytest.mark.parametrize(("penalty", "share"), [(None, 0.0), ("l1", 0.1), ("l2", 0.1)])
@pytest.mark.parametrize("lam", [1e-3, 1e-8])
@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
def test_a_small_lam_is_solved_as_well_as_a_large_one(penalty, share, lam, storage):
    X, y, _ = random_problem(15, 300, 4)
    model = RobustLogisticRegression(lam=lam, penalty=penalty, alpha=share * lam).fit(storage(X), y)
    assert violation(X, y, np.ones(300), model.coef_.ravel(), model.intercept_[0], lam, penalty, share * lam) <= 1e-6
    assert model.coef_.any() and 0.0 < np.mean(model.shifts_ != 0.0) < 1.0


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("lam", [0.001, 0.3, 1.0])
def test_separation_by_one_indicator_is_noticed(storage, lam):
    random = np.random.default_rng(16)
    X = np.column_stack([random.random(100) < 0.2, random.random(100) < 0.5]).astype(float)
    y = random.integers(0, 2, size=100)
    y[X[:, 0] > 0] = 1
    with pytest.warns(ConvergenceWarning, match="separable"):
        RobustLogisticRegression(lam=lam).fit(storage(X), y)


@pytest.mark.parametrize("scale", [1e-200, 1e-155, 1e150])
def test_absurd_scales_end(scale):
    X, y, _ = random_problem(17, 60, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("error", RuntimeWarning)
        for estimator in (RobustLogisticRegression(penalty="l2", alpha=1.0), LinearSVM()):
            assert np.isfinite(estimator.fit(X * scale, y).coef_).all()


def test_a_matrix_with_duplicate_entries_is_summed_and_left_as_it_was():
    X, y, _ = random_problem(18, 50, 3)
    doubled = sparse.csr_array(
        (np.repeat(X.ravel() / 2.0, 2), np.repeat(np.tile(np.arange(3), 50), 2), np.arange(0, 301, 6)), shape=(50, 3)
    )
    for estimator in [*ALL, *PENALISED]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            plain = estimator.fit(sparse.csr_array(X), y).coef_
            np.testing.assert_allclose(estimator.fit(doubled, y).coef_, plain, rtol=1e-6, atol=1e-9)
    assert doubled.nnz == 300
