"""Fits to all examples are made once for replicates that differ in their folds alone."""

import warnings

import numpy as np
import pytest
from problems import random_problem
from scipy import sparse
from shiftbench import repeated
from shiftbench.repeated import fit_grid as fit_grid_once
from shiftlr import FlippingLogisticRegression, RobustLogisticRegression
from shiftlr.model_selection import fit_grid

GRID = [{"lam": lam, "alpha": alpha} for alpha in (1.0, 0.5) for lam in (0.9, 0.3)]
ROBUST = RobustLogisticRegression(penalty="l1")


@pytest.fixture
def data():
    repeated._last.clear()
    return random_problem(0, 60, 4, noise=0.1)[:2]


def test_equal_data_and_settings_are_fitted_once(data):
    X, y = data
    first = fit_grid_once(ROBUST, GRID, X, y)
    again = fit_grid_once(RobustLogisticRegression(penalty="l1"), [dict(one) for one in GRID], X.copy(), y.copy())
    assert again is first
    np.testing.assert_array_equal(again.coefs, fit_grid(ROBUST, GRID, X, y).coefs)


def test_what_differs_is_fitted_anew(data):
    X, y = data
    others = [
        (RobustLogisticRegression(penalty="l1", tol=1e-6), GRID, X, y),
        (RobustLogisticRegression(penalty="l2"), GRID, X, y),
        (ROBUST, GRID[1:], X, y),
        (ROBUST, GRID, X + 1e-9, y),
        (ROBUST, GRID, X, 1 - y),
        (ROBUST, GRID, sparse.csr_array(X), y),
    ]
    for other in others:
        first = fit_grid_once(ROBUST, GRID, X, y)
        found = fit_grid_once(*other)
        assert found is not first
        np.testing.assert_array_equal(found.coefs, fit_grid(*other).coefs)


def test_fits_that_warn_warn_each_time(data):
    X, y = data
    model = RobustLogisticRegression(penalty="l1", max_iter=1)
    counts = []
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit_grid_once(model, GRID, X, y)
        counts.append([str(one.message) for one in caught])
    assert counts[0] and counts[0] == counts[1]


def test_random_starts_are_not_remembered(data):
    X, y = data
    model = FlippingLogisticRegression(n_init=2, random_state=0, penalty="l2", alpha=0.1)
    grid = [{"alpha": 0.1}, {"alpha": 1.0}]
    assert fit_grid_once(model, grid, X, y) is not fit_grid_once(model, grid, X, y)
