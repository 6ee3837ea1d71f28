"""The SVM on sparse features, by Newton and by dual coordinate descent, against the dense solver.

See test_references.py for the dense solver against libsvm.
"""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem, signs_of
from scipy import sparse
from shiftlr import LinearSVM
from shiftlr.solvers.hinge import hinge_rows
from sklearn.exceptions import ConvergenceWarning


def by_rows(X, y, prices, fit_intercept, tol, max_iter):
    """Dual coordinate descent, which the estimator keeps for many columns."""
    rows, start = sparse.csr_array(X), np.zeros(len(y))
    return hinge_rows(
        rows.indptr, rows.indices, rows.data, X.shape[1], signs_of(y), prices, fit_intercept, start, tol, max_iter
    )


@given(st.integers(0, 10**6), st.integers(10, 60), st.integers(2, 40), st.floats(0.01, 1.0), st.booleans())
def test_sparse_equals_dense(seed, n, m, price, fit_intercept):
    X, y, w = random_problem(seed, n, m)
    X[np.abs(X) < 0.7] = 0.0
    dense = LinearSVM(C=price, fit_intercept=fit_intercept).fit(X, y, sample_weight=w)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        thin = LinearSVM(C=price, fit_intercept=fit_intercept).fit(sparse.csr_array(X), y, sample_weight=w)
    assert thin.objective_ == pytest.approx(dense.objective_, rel=2e-8)
    assert thin.optimality_ <= 1e-8 and dense.optimality_ <= 1e-8
    _, _, multipliers, objective, _, gap = by_rows(X, y, price * w, fit_intercept, 1e-8, 20000)
    assert objective == pytest.approx(dense.objective_, rel=2e-8)
    assert gap <= 1e-8 * objective
    assert np.all((multipliers >= 0.0) & (multipliers <= price * w))


def test_gap_bounds_the_distance_to_the_optimum_when_stopped_early():
    X, y, w = random_problem(3, 80, 5)
    exact = LinearSVM(C=5.0).fit(X, y, sample_weight=w).objective_
    for sweeps in (4, 20, 100):
        theta, intercept, _, objective, done, gap = by_rows(X, y, 5.0 * w, True, 1e-8, sweeps)
        slacks = np.maximum(0.0, 1.0 - signs_of(y) * (X @ theta + intercept))
        assert objective == pytest.approx(0.5 * theta @ theta + 5.0 * w @ slacks, rel=1e-12)
        assert objective - exact <= gap + 1e-10 * exact
        assert objective >= exact * (1.0 - 1e-12)
        assert done <= sweeps


def test_many_sparse_columns():
    random = np.random.default_rng(4)
    X = sparse.random_array((300, 1500), density=0.02, rng=random, format="csr")
    y = (np.asarray(X[:, :200].sum(axis=1)).ravel() > 1.0).astype(int)
    thin = LinearSVM(C=0.5).fit(X, y)
    dense = LinearSVM(C=0.5).fit(X.toarray(), y)
    assert thin.optimality_ <= 1e-8
    assert thin.objective_ == pytest.approx(dense.objective_, rel=2e-8)


def test_an_intercept_that_is_not_unique_is_the_middle_of_those_that_are_best():
    X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    y = np.array([0, 0, 1, 1])
    model = LinearSVM(C=0.01).fit(X, y)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-9)
