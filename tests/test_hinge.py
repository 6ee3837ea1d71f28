"""The SVM on sparse features against the dense solver; see test_references.py for the dense one against libsvm."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from problems import random_problem
from scipy import sparse
from shiftlr import LinearSVM
from sklearn.exceptions import ConvergenceWarning


@given(st.integers(0, 10**6), st.integers(10, 60), st.integers(2, 40), st.floats(0.01, 1.0), st.booleans())
def test_sparse_equals_dense(seed, n, m, price, fit_intercept):
    X, y, w = random_problem(seed, n, m)
    X[np.abs(X) < 0.7] = 0.0
    dense = LinearSVM(C=price, fit_intercept=fit_intercept).fit(X, y, sample_weight=w)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        thin = LinearSVM(C=price, fit_intercept=fit_intercept, max_iter=20000).fit(
            sparse.csr_array(X), y, sample_weight=w
        )
    assert thin.objective_ == pytest.approx(dense.objective_, rel=2e-8)
    assert thin.optimality_ <= 1e-8 and dense.optimality_ <= 1e-8


def test_gap_bounds_the_distance_to_the_optimum_when_stopped_early():
    X, y, w = random_problem(3, 80, 5)
    exact = LinearSVM(C=5.0).fit(X, y, sample_weight=w).objective_
    for max_iter in (4, 20, 100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            early = LinearSVM(C=5.0, max_iter=max_iter).fit(sparse.csr_array(X), y, sample_weight=w)
        assert early.objective_ - exact <= early.optimality_ * early.objective_ + 1e-10
        assert early.objective_ >= exact * (1.0 - 1e-12)


def test_an_intercept_that_is_not_unique_is_the_middle_of_those_that_are_best():
    X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    y = np.array([0, 0, 1, 1])
    model = LinearSVM(C=0.01).fit(X, y)
    assert model.intercept_[0] == pytest.approx(0.0, abs=1e-9)
