"""The label-flipping model: EM's promises, and known noise found again."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem
from scipy import sparse
from scipy.special import expit
from shiftlr import FlippingLogisticRegression, StandardLogisticRegression


def flipped_data(seed, n, rates, m=3):
    """Logistic data, class c flipped with probability rates[c]."""
    random = np.random.default_rng(seed)
    X = random.uniform(-5.0, 5.0, size=(n, m))
    true = (random.random(n) < expit(X @ np.full(m, 2.0))).astype(int)
    flipped = random.random(n) < np.asarray(rates)[true]
    return X, np.where(flipped, 1 - true, true), flipped


@given(
    st.integers(0, 10**6),
    st.sampled_from([(None, 0.0), ("l1", 0.5), ("l2", 0.5)]),
    st.booleans(),
    st.floats(0.02, 0.45),
)
def test_likelihood_never_decreases(seed, penalty, as_sparse, initial):
    X, y, w = random_problem(seed, 60, 3)
    model = FlippingLogisticRegression(penalty=penalty[0], alpha=penalty[1], initial_flip=initial, max_iter=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(sparse.csr_array(X) if as_sparse else X, y, sample_weight=w)
    assert np.all(np.diff(model.log_likelihoods_) >= 0.0)
    assert np.isfinite(model.coef_).all()
    np.testing.assert_allclose(model.flip_probabilities_.sum(axis=1), 1.0)
    assert np.all((model.flip_probabilities_ >= 0.0) & (model.flip_probabilities_ <= 1.0))
    assert np.all((model.doubts_ >= 0.0) & (model.doubts_ <= 1.0))


def test_the_likelihood_is_that_of_the_observed_labels():
    X, y, w = random_problem(1, 80, 2)
    model = FlippingLogisticRegression(penalty="l2", alpha=0.7).fit(X, y, sample_weight=w)
    probability = expit(model.decision_function(X))
    flips = model.flip_probabilities_
    seen = flips[0, y] * (1.0 - probability) + flips[1, y] * probability
    expected = w @ np.log(seen) - 0.35 * np.sum(model.coef_**2)
    assert model.log_likelihoods_[-1] == pytest.approx(expected, rel=1e-10)
    assert model.objective_ == -model.log_likelihoods_[-1]
    wrong = flips[1 - y, y] * np.where(y == 1, 1.0 - probability, probability)
    np.testing.assert_allclose(model.doubts_, wrong / seen, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("rates", [(0.3, 0.0), (0.1, 0.25), (0.0, 0.0)])
def test_planted_flip_rates_are_found(rates):
    X, y, flipped = flipped_data(2, 4000, rates)
    model = FlippingLogisticRegression().fit(X, y)
    expected = [[1.0 - rates[0], rates[0]], [rates[1], 1.0 - rates[1]]]
    np.testing.assert_allclose(model.flip_probabilities_, expected, atol=0.03)
    if flipped.any():
        assert model.doubts_[flipped].mean() > 0.8
        assert model.doubts_[~flipped].mean() < 0.1


def test_m_step_equals_the_copied_data():
    """One EM step by hand, every example copied once a class, as the report describes it."""
    X, y, w = random_problem(3, 70, 2)
    standard = StandardLogisticRegression().fit(X, y, sample_weight=w)
    right = expit(np.where(y == 1, 1.0, -1.0) * standard.decision_function(X))
    doubts = 0.2 * (1.0 - right) / (0.2 * (1.0 - right) + 0.8 * right)
    copied = StandardLogisticRegression().fit(
        np.vstack([X, X]), np.r_[y, 1 - y], sample_weight=np.r_[w * (1.0 - doubts), w * doubts]
    )
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore"
        )  # EM may end at the identity with weights that run away; only its first step counts
        model = FlippingLogisticRegression(initial_flip=0.2).fit(X, y, sample_weight=w)
    probability = expit(copied.decision_function(X))
    flips = [
        (w * doubts)[y != true].sum() / ((w * doubts)[y != true].sum() + (w * (1.0 - doubts))[y == true].sum())
        for true in (0, 1)
    ]
    matrix = np.array([[1.0 - flips[0], flips[0]], [flips[1], 1.0 - flips[1]]])
    seen = matrix[0, y] * (1.0 - probability) + matrix[1, y] * probability
    assert model.log_likelihoods_[1] == pytest.approx(w @ np.log(seen), rel=1e-8)


def test_more_starts_are_never_worse_and_repeatable():
    X, y, _ = random_problem(4, 100, 4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = FlippingLogisticRegression(penalty="l2", alpha=0.1).fit(X, y)
        many = [
            FlippingLogisticRegression(penalty="l2", alpha=0.1, n_init=8, random_state=5).fit(X, y) for _ in range(2)
        ]
    assert many[0].objective_ <= one.objective_
    assert np.array_equal(many[0].coef_, many[1].coef_)
    assert np.array_equal(many[0].flip_probabilities_, many[1].flip_probabilities_)


def test_labels_are_right_more_often_than_not():
    """A start beyond the mirror comes back with the classes named as they were."""
    for seed in range(40):
        X, y, _ = random_problem(seed, 10, 6)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = FlippingLogisticRegression(penalty="l1", alpha=0.1, n_init=4, random_state=seed).fit(X, y)
        assert model.flip_probabilities_[0, 1] + model.flip_probabilities_[1, 0] <= 1.0 + 1e-9


def test_separable_data_are_named():
    X, _, _ = random_problem(6, 50, 2)
    with pytest.warns(UserWarning, match="separable"):
        FlippingLogisticRegression().fit(X, X[:, 0] > 0.0)


def test_too_few_iterations_warn():
    X, y, _ = random_problem(5, 70, 2)
    with pytest.warns(UserWarning, match="EM stopped after max_iter=1 iterations"):
        FlippingLogisticRegression(max_iter=1).fit(X, y)
