"""Every model against an independent answer on random problems.

The answers come from scipy on the explicit [X | I], statsmodels and scikit-learn. Ours may not be above theirs by more
than 1e-8 relative; a loose check from below shows that both solve the same problem.
"""

import warnings

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import assume, given
from hypothesis import strategies as st
from problems import explicit_answer, explicit_objective, penalty_of, random_problem, signs_of, violation
from scipy import sparse
from scipy.special import expit
from shiftlr import LinearSVM, RobustLogisticRegression, StandardLogisticRegression
from shiftlr.solvers.loss import threshold
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

SEEDS = st.integers(0, 10**6)
LAMS = st.floats(0.02, 0.9)
ALPHAS = st.floats(0.01, 30.0)


def fit_or_skip(model, X, y, w):
    """Fit; a separable draw has no answer to compare with."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            return model.fit(X, y, sample_weight=w)
        except ConvergenceWarning as warning:
            assume("separable" not in str(warning))
            raise


def check_robust(X, y, w, lam, penalty, alpha, storage):
    model = RobustLogisticRegression(lam=lam, penalty=penalty, alpha=alpha)
    fit_or_skip(model, storage(X), y, w)
    theta, b = model.coef_.ravel(), model.intercept_[0]
    ours = explicit_objective(X, y, w, theta, b, model.shifts_, lam, penalty, alpha)
    theirs = explicit_answer(X, y, w, lam, penalty, alpha)
    assert ours <= theirs * (1.0 + 1e-8)
    assert ours >= theirs * (1.0 - 1e-4)
    assert model.objective_ == pytest.approx(ours, rel=1e-10)
    assert violation(X, y, w, theta, b, lam, penalty, alpha) <= 1e-6
    slopes = expit(-signs_of(y) * (X @ theta + b + model.shifts_))
    shifted = model.shifts_ != 0.0
    np.testing.assert_allclose(slopes[shifted], lam, rtol=1e-9)
    assert np.all(slopes[~shifted] <= lam * (1.0 + 1e-9))


@given(SEEDS, st.integers(30, 70), st.integers(1, 4), LAMS)
def test_robust_unpenalised(seed, n, m, lam):
    X, y, w = random_problem(seed, n, m)
    check_robust(X, y, w, lam, None, 0.0, np.asarray)


@given(SEEDS, st.integers(10, 60), st.integers(1, 30), LAMS, ALPHAS)
def test_robust_l2_dense(seed, n, m, lam, alpha):
    X, y, w = random_problem(seed, n, m)
    check_robust(X, y, w, lam, "l2", alpha, np.asarray)


@given(SEEDS, st.integers(10, 60), st.integers(1, 30), LAMS, ALPHAS)
def test_robust_l2_sparse(seed, n, m, lam, alpha):
    X, y, w = random_problem(seed, n, m)
    X[np.abs(X) < 0.8] = 0.0
    check_robust(X, y, w, lam, "l2", alpha, sparse.csr_array)


@given(SEEDS, st.integers(10, 60), st.integers(1, 30), LAMS, st.floats(0.3, 10.0), st.booleans())
def test_robust_l1(seed, n, m, lam, alpha, as_sparse):
    X, y, w = random_problem(seed, n, m)
    X[np.abs(X) < 0.5] = 0.0
    check_robust(X, y, w, lam, "l1", alpha, sparse.csr_array if as_sparse else np.asarray)


@given(SEEDS, st.integers(30, 70), st.integers(1, 4), st.booleans())
def test_standard_against_statsmodels_and_scikit_learn(seed, n, m, as_sparse):
    X, y, _ = random_problem(seed, n, m)
    ones = np.ones(n)
    model = fit_or_skip(StandardLogisticRegression(), sparse.csr_array(X) if as_sparse else X, y, None)
    theirs = -sm.Logit(y, sm.add_constant(X)).fit(disp=0, method="newton", tol=1e-12).llf
    assert model.objective_ <= theirs * (1.0 + 1e-8)
    assert model.objective_ == pytest.approx(theirs, rel=1e-6)
    peer = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-4, atol=1e-5)
    assert violation(X, y, ones, model.coef_.ravel(), model.intercept_[0], 1.0) <= 1e-6


@given(SEEDS, st.integers(10, 60), st.integers(1, 30), ALPHAS)
def test_standard_l2_against_scikit_learn(seed, n, m, alpha):
    X, y, w = random_problem(seed, n, m)
    model = StandardLogisticRegression(penalty="l2", alpha=alpha).fit(X, y, sample_weight=w)
    peer = LogisticRegression(C=1.0 / alpha, solver="newton-cholesky", tol=1e-12, max_iter=1000).fit(X, y, w)
    theta, b = peer.coef_.ravel(), peer.intercept_[0]
    theirs = explicit_objective(X, y, w, theta, b, np.zeros(n), 1.0, "l2", alpha)
    assert model.objective_ <= theirs * (1.0 + 1e-8)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-4, atol=1e-6)


@given(SEEDS, st.integers(20, 60), st.integers(1, 6), st.floats(0.3, 10.0), st.booleans())
def test_standard_l1_against_statsmodels(seed, n, m, alpha, as_sparse):
    X, y, _ = random_problem(seed, n, m)
    model = StandardLogisticRegression(penalty="l1", alpha=alpha).fit(sparse.csr_array(X) if as_sparse else X, y)
    strengths = np.r_[0.0, np.full(m, alpha)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about the Hessian, which we do not use
        peer = sm.Logit(y, sm.add_constant(X)).fit_regularized(
            alpha=strengths, disp=0, acc=1e-12, maxiter=2000, trim_mode="off", qc_verbose=False
        )
    theirs = explicit_objective(X, y, np.ones(n), peer.params[1:], peer.params[0], np.zeros(n), 1.0, "l1", alpha)
    assert model.objective_ <= theirs * (1.0 + 1e-8)
    assert model.objective_ == pytest.approx(theirs, rel=1e-4)
    assert violation(X, y, np.ones(n), model.coef_.ravel(), model.intercept_[0], 1.0, "l1", alpha) <= 1e-6


@given(SEEDS, st.integers(15, 30), st.integers(1, 3), st.floats(0.05, 0.8))
def test_robust_against_statsmodels_on_the_explicit_problem(seed, n, m, lam):
    X, y, _ = random_problem(seed, n, m)
    model = fit_or_skip(RobustLogisticRegression(lam=lam), X, y, None)
    strengths = np.r_[np.zeros(m + 1), np.full(n, lam)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        explicit = sm.Logit(y, np.hstack([sm.add_constant(X), np.eye(n)]))
        try:
            peer = explicit.fit_regularized(
                alpha=strengths, disp=0, acc=1e-12, maxiter=500, trim_mode="off", qc_verbose=False
            )
        except np.linalg.LinAlgError:  # from its standard errors, which [X | I] has none of
            assume(False)
    b, theta, shifts = peer.params[0], peer.params[1 : m + 1], peer.params[m + 1 :]
    theirs = explicit_objective(X, y, np.ones(n), theta, b, shifts, lam)
    assert model.objective_ <= theirs * (1.0 + 1e-8)


@given(SEEDS, st.integers(10, 80), st.integers(1, 20), st.floats(0.01, 100.0))
def test_svm_against_libsvm(seed, n, m, price):
    X, y, w = random_problem(seed, n, m)
    model = LinearSVM(C=price).fit(X, y, sample_weight=w)
    peer = SVC(kernel="linear", C=price, tol=1e-7, max_iter=1_000_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # an unfinished answer is a valid upper bound all the same
        peer.fit(X, y, sample_weight=w)

    def value(coef, intercept):
        theta = coef.ravel()
        return 0.5 * theta @ theta + price * w @ np.maximum(0.0, 1.0 - signs_of(y) * (X @ theta + intercept[0]))

    ours, theirs = value(model.coef_, model.intercept_), value(peer.coef_, peer.intercept_)
    assert ours <= theirs * (1.0 + 1e-8)
    assert model.objective_ == pytest.approx(ours, rel=1e-10)
    signs, multipliers = signs_of(y), model.multipliers_
    assert np.all((multipliers >= 0.0) & (multipliers <= price * w))
    dual_theta = X.T @ (signs * multipliers)
    dual = multipliers.sum() - 0.5 * dual_theta @ dual_theta
    assert abs(signs @ multipliers) <= 1e-9 * price * w.sum()
    assert ours - dual <= 1e-7 * ours  # a bound that does not trust the solver's own
    assert ours - dual <= model.optimality_ * ours + 1e-12 * ours


def test_penalty_of_agrees_with_the_definitions():
    theta = np.array([1.0, -2.0])
    assert penalty_of(theta, "l1", 3.0) == 9.0
    assert penalty_of(theta, "l2", 3.0) == 7.5
    assert threshold(0.5) == 0.0
