"""The start from the dual: what it says is left to gain is no less than that, and it comes near."""

import numpy as np
import pytest
from scipy import sparse
from shiftlr import RobustLogisticRegression, StandardLogisticRegression
from shiftlr.solvers.many_classes import ManyClasses
from shiftlr.solvers.softmax_dual import dual_start, takes_dual
from shiftlr.solvers.softmax_newton import minimise
from shiftlr.solvers.softmax_objective import SoftmaxObjective
from softmax_answers import random_classes

WIDTH = 200  # columns of zeros: with few columns no sparse solver is asked


def objective_of(seed, shift, lam, alpha, fit_intercept):
    X, y, weights = random_classes(seed, n=80, n_classes=4)
    X = sparse.hstack(
        [sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)), sparse.csr_array((80, WIDTH))], format="csr"
    )
    problem = ManyClasses(X, y, weights, 4, "l2", fit_intercept, shift)
    ridge = problem.frame.ridge(alpha)
    return SoftmaxObjective(problem.rows, problem.codes, problem.weights, problem.kind, lam, ridge, None)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("shift", "lam"), [("label", 1.0), ("label", 0.3), ("label", 0.05), ("group", 0.3)])
@pytest.mark.parametrize("seed", range(4))
def test_the_minimum_is_within_what_is_left_to_gain(seed, shift, lam, fit_intercept):
    objective = objective_of(seed, shift, lam, [0.03, 1.0, 30.0][seed % 3], fit_intercept)
    assert takes_dual(objective)
    zero = np.zeros((objective.rows.n_columns + fit_intercept, 4))
    least = minimise(objective, zero, 1e-11, 1000)[0].value
    theta, gap = dual_start(objective, zero.copy(), 1e-5)
    value = objective.at(theta).value
    assert -1e-9 * least <= value - least <= gap + 1e-9 * least
    assert value <= least * (1.0 + 1e-4) or objective.ridge[0] < 0.1  # beside a small penalty sweeps are slow


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e4, 1e9])
@pytest.mark.parametrize("lam", [1.0, 0.1])
def test_features_and_weights_of_any_size(scale, lam):
    X, y, weights = random_classes(5, n=80, n_classes=4)
    X = sparse.hstack([sparse.csr_array(X), sparse.csr_array((80, WIDTH))], format="csr")
    kind = (
        RobustLogisticRegression(lam, "l2", 1.0, tol=1e-7)
        if lam < 1.0
        else StandardLogisticRegression("l2", 1.0, tol=1e-7)
    )
    plain = kind.fit(X, y, weights)
    objective, coef = plain.objective_, plain.coef_.copy()
    scaled = kind.set_params(alpha=scale**2).fit(X * scale, y, weights)
    assert scaled.objective_ == pytest.approx(objective, rel=1e-9)
    np.testing.assert_allclose(scaled.coef_ * scale, coef, atol=1e-5)
    heavy = kind.set_params(alpha=scale).fit(X, y, weights * scale)
    assert heavy.objective_ == pytest.approx(objective * scale, rel=1e-9)
