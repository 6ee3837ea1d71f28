"""The SVM against answers of other kinds: a quadratic program by SciPy, libsvm, and the conditions of an optimum."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem, signs_of
from scipy import sparse
from scipy.optimize import LinearConstraint, minimize
from shiftlr import LinearSVM
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC


def fit(X, y, w, price, fit_intercept, **settings):
    """A fit that may not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        return LinearSVM(C=price, fit_intercept=fit_intercept, **settings).fit(X, y, sample_weight=w)


def value(X, y, w, price, coef, intercept):
    slacks = np.maximum(0.0, 1.0 - signs_of(y) * (X @ coef + intercept))
    return 0.5 * coef @ coef + price * w @ slacks


def least_by_program(X, y, w, price, fit_intercept):
    """Of the primal as a quadratic program with slacks, by an interior-point method of SciPy's."""
    (n, m), signs = X.shape, signs_of(y)
    linear = np.concatenate([np.zeros(m + 1), price * w])
    quadratic = np.concatenate([np.ones(m), np.zeros(n + 1)])
    margins = np.hstack([signs[:, None] * X, signs[:, None] * float(fit_intercept), np.eye(n)])
    free = np.concatenate([np.full(m + 1, -np.inf), np.zeros(n)])
    found = minimize(
        lambda v: linear @ v + 0.5 * v @ (quadratic * v),
        np.concatenate([np.zeros(m + 1), np.full(n, 2.0)]),
        jac=lambda v: linear + quadratic * v,
        hess=lambda v: np.diag(quadratic),
        method="trust-constr",
        constraints=[LinearConstraint(margins, 1.0, np.inf)],
        bounds=list(zip(free, np.full(m + 1 + n, np.inf), strict=True)),
        options={"gtol": 1e-10, "xtol": 1e-12, "barrier_tol": 1e-10, "maxiter": 2000},
    )
    return value(X, y, w, price, found.x[:m], found.x[m] if fit_intercept else 0.0)


def assert_optimal(model, X, y, w, price, tol):
    """The conditions of an optimum, from coefficients and multipliers alone."""
    signs, a, upper = signs_of(y), model.multipliers_, price * w
    coef, intercept = model.coef_[0], model.intercept_[0]
    assert np.all((a >= 0.0) & (a <= upper))
    if model.fit_intercept:
        assert abs(signs @ a) <= 1e-9 * upper.sum()
    dual = a.sum() - 0.5 * np.sum((X.T @ (signs * a)) ** 2)
    assert value(X, y, w, price, coef, intercept) - dual <= 2.0 * tol * model.objective_
    slacks = 1.0 - signs * (X @ coef + intercept)
    lacking = upper * np.maximum(slacks, 0.0) - a * slacks  # 0 for each example, if it is on its bound's side
    assert lacking.max() <= 4.0 * tol * model.objective_


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_equals_a_quadratic_program(seed, fit_intercept):
    X, y, w = random_problem(seed, 24, 1 + seed % 4)
    price = 10.0 ** (seed % 5 - 2)
    model = fit(X, y, w, price, fit_intercept)
    assert model.objective_ == pytest.approx(least_by_program(X, y, w, price, fit_intercept), rel=1e-4)
    assert_optimal(model, X, y, w, price, 1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("price", [1e-3, 0.1, 10.0])
def test_many_more_features_than_examples(price, fit_intercept):
    """Some rows stand twice, with either label, so that they do not span as many dimensions as there are of them."""
    X, y, w = random_problem(9, 40, 300)
    X, y, w = np.vstack([X, X[:9]]), np.concatenate([y, y[:9][::-1]]), np.concatenate([w, w[:9]])
    model = fit(X, y, w, price, fit_intercept)
    assert_optimal(model, X, y, w, price, 1e-8)
    thin = fit(sparse.csr_array(X), y, w, price, fit_intercept)
    assert model.objective_ == pytest.approx(thin.objective_, rel=2e-8)
    np.testing.assert_allclose(model.coef_, thin.coef_, atol=1e-3 * np.abs(thin.coef_).max())


@given(
    st.integers(0, 10**6), st.integers(8, 150), st.integers(1, 40), st.floats(-4.0, 4.0), st.booleans(), st.booleans()
)
def test_conditions_of_an_optimum(seed, n, m, log_price, fit_intercept, thin):
    X, y, w = random_problem(seed, n, m)
    if seed % 3 == 0:
        X = np.round(X)  # ties, and rows twice
    if seed % 5 == 0:
        X, y, w = np.vstack([X, X]), np.concatenate([y, y]), np.concatenate([w, w])
    if thin:
        X = np.where(np.abs(X) < 0.7, 0.0, X)
    price = 10.0**log_price
    model = fit(sparse.csr_array(X) if thin else X, y, w, price, fit_intercept)
    assert_optimal(model, X, y, w, price, 1e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("price", [1e-3, 1.0, 100.0])
def test_many_examples_begin_with_a_part_of_them(price, fit_intercept):
    X, y, w = random_problem(5, 6000, 8)
    model = fit(X, y, w, price, fit_intercept)
    assert_optimal(model, X, y, w, price, 1e-8)
    order = np.argsort(y, kind="stable")  # the part may then lie badly
    again = fit(X[order], y[order], w[order], price, fit_intercept)
    assert again.objective_ == pytest.approx(model.objective_, rel=2e-8)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("price", [0.01, 1.0, 10.0])
def test_many_sparse_columns_of_ones_or_numbers(price, fit_intercept):
    random = np.random.default_rng(2)
    X = sparse.random_array((5000, 3000), density=0.004, rng=random, format="csr")
    y = (X @ random.normal(size=3000) + 0.3 * random.normal(size=5000) > 0.0).astype(int)
    w = random.uniform(0.5, 2.0, size=5000)
    for features in (X, (X != 0).astype(float)):
        model = fit(features, y, w, price, fit_intercept, tol=1e-6)
        assert_optimal(model, features, y, w, price, 1e-6)


def test_an_intercept_far_away_is_found():
    X, y, w = random_problem(7, 200, 3)
    near, far = fit(X, y, w, 0.01, True), fit(X + 50.0, y, w, 0.01, True)
    assert far.objective_ == pytest.approx(near.objective_, rel=1e-7)
    peer = SVC(kernel="linear", C=0.01, tol=1e-8).fit(X + 50.0, y, sample_weight=w)
    assert far.objective_ <= value(X + 50.0, y, w, 0.01, peer.coef_[0], peer.intercept_[0]) * (1.0 + 1e-7)


def test_the_same_bits_again():
    for n, m in ((300, 20), (6000, 5)):
        X, y, w = random_problem(n, n, m)
        one, two = (fit(X, y, w, 1.0, True) for _ in range(2))
        np.testing.assert_array_equal(one.coef_, two.coef_)
        np.testing.assert_array_equal(one.multipliers_, two.multipliers_)


@pytest.mark.parametrize("seed", range(4))
def test_multipliers_in_balance_are_a_start_like_any_other(seed):
    """Words, a rare class and a small C: all multipliers of the rare class reach C, and then nothing pulls at b."""
    random = np.random.default_rng(seed)
    n, m = 700, 3000
    common = 1.0 / np.arange(1, m + 1)
    y = (random.random(n) < 0.14).astype(int)
    columns = [np.unique(random.choice(m, 15, p=common / common.sum())) for _ in range(n)]
    lengths = np.array([len(one) for one in columns])
    values = np.repeat(1.0 / np.sqrt(lengths), lengths)
    X = sparse.csr_matrix((values, np.concatenate(columns), np.r_[0, lengths.cumsum()]), shape=(n, m))
    for C in (0.001, 0.1):
        ours = LinearSVM(C=C, tol=1e-6).fit(X, y)
        theirs = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
        slack = np.maximum(0.0, 1.0 - np.where(y == 1, 1.0, -1.0) * theirs.decision_function(X))
        least = 0.5 * theirs.coef_.multiply(theirs.coef_).sum() + C * slack.sum()
        assert ours.optimality_ <= 1e-6 and ours.objective_ <= least * (1.0 + 1e-6)
