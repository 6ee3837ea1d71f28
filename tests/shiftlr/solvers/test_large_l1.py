"""L1 on dense features that are read where they lie, and screening: against numpy, L-BFGS-B and the KKT conditions.

Small problems take the way of large ones here, by a lower limit.
"""

import numba
import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit
from shiftlr.solvers import lasso
from shiftlr.solvers.columns import BY_COLUMN, BY_ROW
from shiftlr.solvers.dense_passes import look_over, measure, multiply, survey
from shiftlr.solvers.frame import OUTLYING, SAMPLE, has_outlying_rows
from shiftlr.solvers.lasso import Lasso
from shiftlr.solvers.source import as_stored


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


ORDERS = {
    "by row": np.ascontiguousarray,
    "by column": np.asfortranarray,
    "neither": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "read-only": read_only,
}


@pytest.fixture
def in_place(monkeypatch):
    """Every matrix counts as large."""
    monkeypatch.setattr(lasso, "_LARGE", 0)


def problem_of(seed, n=70, m=25):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, m)) * 10.0 ** random.uniform(-1, 1, m) + 3.0 * random.normal(size=m)
    X[:, 3] = 0.1  # a column of one value
    signs = np.where(X[:, 0] - X[:, 0].mean() + random.logistic(size=n) > 0.0, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    return X, signs, random.uniform(0.2, 3.0, n), random.uniform(0.0, 0.1, n)


def value_and_slopes(margins, lam):
    """The profiled loss by its definition: the shift is the larger of 0 and t - margin."""
    shifts = np.maximum(np.log((1 - lam) / lam) - margins, 0.0) if lam < 1 else np.zeros_like(margins)
    return np.logaddexp(0.0, -margins - shifts) + min(lam, 1.0) * shifts, -expit(-margins - shifts)


def smooth_part(X, signs, weights, doubts, lam, coef, intercept):
    """The objective without its penalty, with its gradients: soft labels add doubt * margin to each loss."""
    margins = signs * (X @ coef + intercept)
    value, slope = value_and_slopes(margins, lam)
    pulls = weights * signs * (slope + doubts)
    return weights @ (value + doubts * margins), X.T @ pulls, pulls.sum()


def least_objective(X, signs, weights, doubts, kappa, lam, fit_intercept):
    """By L-BFGS-B over theta's positive and negative parts, on centred columns where the intercept allows it."""
    X = X - X.mean(axis=0) if fit_intercept else X
    sizes = np.where(np.ptp(X, axis=0) > 0.0, np.abs(X).mean(axis=0), 1.0)
    m = X.shape[1]

    def function(z):
        value, by_coef, by_b = smooth_part(
            X / sizes, signs, weights, doubts, lam, z[:m] - z[m : 2 * m], z[-1] * fit_intercept
        )
        pulls = np.tile(kappa / sizes, 2)
        gradient = np.concatenate([by_coef, -by_coef]) + pulls
        return value + pulls @ z[: 2 * m], np.append(gradient, by_b * fit_intercept)

    bounds = [(0, None)] * (2 * m) + [(None, None)]
    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 50}
    return minimize(function, np.zeros(2 * m + 1), jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun


def violation(X, signs, weights, doubts, kappa, lam, coef, intercept):
    """Of the optimality conditions of all columns, over what their gradients could be at most."""
    _, gradient, _ = smooth_part(X, signs, weights, doubts, lam, coef, intercept)
    at_zero = np.maximum(np.abs(gradient) - kappa, 0.0)
    distance = np.where(coef == 0.0, at_zero, np.abs(gradient + kappa * np.sign(coef)))
    reach = weights @ np.abs(X - X.mean(axis=0))
    return np.max(distance[reach > 0.0] / reach[reach > 0.0])


@pytest.mark.parametrize("shape", [(1, 1), (3, 7), (8, 5), (13, 5000), (4100, 3)])
@pytest.mark.parametrize("order", ORDERS)
def test_passes_over_a_matrix(shape, order):
    random = np.random.default_rng(0)
    X, weights, vector = random.normal(1.0, 2.0, shape), random.uniform(0, 2, shape[0]), random.normal(size=shape[0])
    matrix, layout = as_stored(ORDERS[order](X))
    by_column = order == "by column" and min(shape) > 1
    assert layout == (BY_COLUMN if by_column else BY_ROW) and not matrix.flags.writeable
    low, high, sums = survey(matrix, layout, weights)
    assert np.array_equal(low, X.min(axis=0)) and np.array_equal(high, X.max(axis=0))
    np.testing.assert_allclose(sums, weights @ X, rtol=1e-12, atol=1e-12)
    centre = random.normal(size=shape[1])
    reach, mean, spread = measure(matrix, layout, weights, centre)
    moved = X - centre
    np.testing.assert_allclose(reach, weights @ np.abs(moved), rtol=1e-12)
    np.testing.assert_allclose(mean, moved.mean(axis=0), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(spread, np.linalg.norm(X - X.mean(axis=0), axis=0), rtol=1e-9, atol=1e-5)
    assert np.all(spread >= (1.0 - 1e-12) * np.linalg.norm(X - X.mean(axis=0), axis=0))
    products = np.empty(shape[1])
    multiply(matrix, layout, vector, products)
    np.testing.assert_allclose(products, vector @ X, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("lam", [1.0, 0.3])
def test_least_objective_in_place(in_place, order, fit_intercept, lam):
    X, signs, weights, doubts = problem_of(1)
    problem = Lasso(ORDERS[order](X), signs, weights, fit_intercept)
    assert problem.source.matrix.size == X.size
    for given in (None, doubts):
        soft = np.zeros(len(signs)) if given is None else given
        path = problem.path(np.array([8.0, 2.0]), np.full(2, lam), 1e-9, 1000, doubts=given)
        for kappa, coef, intercept, objective in zip(
            (8.0, 2.0), path.coefs, path.intercepts, path.objectives, strict=True
        ):
            smooth = smooth_part(X, signs, weights, soft, lam, coef, intercept)[0]
            assert objective == pytest.approx(smooth + kappa * np.abs(coef).sum(), rel=1e-10)
            theirs = least_objective(X, signs, weights, soft, kappa, lam, fit_intercept)
            assert objective == pytest.approx(theirs, rel=1e-8)
            assert coef[3] == 0.0 or not fit_intercept
            assert intercept == 0.0 or fit_intercept
    assert 0 < problem.source.filled[0] < X.shape[1]  # columns that are never needed are never copied


@pytest.mark.parametrize("order", ["by row", "by column"])
def test_no_column_is_overlooked(in_place, order):
    """On a path with many columns every column meets its condition at every point, by the last one read or not."""
    random = np.random.default_rng(5)
    factors = random.normal(size=(60, 4))
    X = factors @ random.normal(size=(4, 3000)) + random.normal(size=(60, 3000)) + random.normal(size=3000)
    signs = np.where(factors[:, 0] + random.logistic(size=60) > 0.0, 1.0, -1.0)
    weights, nothing = np.ones(60), np.zeros(60)
    kappas = np.geomspace(12.0, 0.5, 25)
    for lams in (np.ones(25), np.geomspace(0.9, 0.1, 25), np.tile([1.0, 0.2, 0.05, 0.5, 0.02], 5)):
        path = Lasso(ORDERS[order](X), signs, weights, True).path(kappas, lams, 1e-6, 1000)
        assert np.all(path.optimalities <= 1e-6)
        for kappa, lam, coef, intercept in zip(kappas, lams, path.coefs, path.intercepts, strict=True):
            assert violation(X, signs, weights, nothing, kappa, lam, coef, intercept) <= 1.1e-6


def test_answers_do_not_depend_on_the_storage(in_place, monkeypatch):
    X, signs, weights, doubts = problem_of(2, n=200, m=300)
    given = np.geomspace(60.0, 2.0, 12), np.full(12, 0.4), 1e-9, 1000
    paths = [Lasso(order(X), signs, weights, True).path(*given, doubts=doubts) for order in ORDERS.values()]
    paths.append(Lasso(sparse.csr_array(X), signs, weights, True).path(*given, doubts=doubts))
    monkeypatch.setattr(lasso, "_LARGE", 1 << 60)
    at_hand = Lasso(X, signs, weights, True)
    assert at_hand.source.matrix.size == 0
    expected = at_hand.path(*given, doubts=doubts)
    for path in paths:
        np.testing.assert_allclose(path.objectives, expected.objectives, rtol=1e-9)
        np.testing.assert_allclose(path.coefs, expected.coefs, rtol=1e-4, atol=1e-5)


def test_the_same_bits_again_and_on_two_threads(in_place):
    X, signs, weights, doubts = problem_of(3, n=300, m=200)
    given = np.geomspace(60.0, 2.0, 12), np.full(12, 0.4), 1e-6, 1000
    problem = Lasso(X, signs, weights, True)
    paths = [problem.path(*given), problem.path(*given, doubts=doubts), problem.path(*given)]
    before = numba.get_num_threads()
    try:
        for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
            numba.set_num_threads(threads)
            paths.append(Lasso(X, signs, weights, True).path(*given))
    finally:
        numba.set_num_threads(before)
    for path in paths[2:]:
        for ours, first in zip(path, paths[0], strict=True):
            assert np.array_equal(ours, first)


def test_what_is_hostile_is_copied(in_place):
    X, signs, weights, _ = problem_of(4)
    ones = np.ones(len(signs))
    far, outlying, heavy = X.copy(), X.copy(), ones.copy()
    far[:, 1] += 1e6 * np.ptp(X[:, 1])
    outlying[5] *= 1e9
    heavy[7] = 1e7
    for features, given in ((far, ones), (outlying, ones), (X, heavy)):
        assert Lasso(features, signs, given, True).source.matrix.size == 0
    assert Lasso(X, signs, weights, True).source.matrix.size == X.size


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 9, 40, 2500])
def test_outlying_rows_are_those_of_the_other_solvers(n, fit_intercept):
    random = np.random.default_rng(n)
    for scale in (1.0, 1e3, 1e6, 1e12):
        X = random.normal(size=(n, 6)) + 2.0
        X[n // 2] *= scale
        X[random.random(X.shape) < 0.2] = 0.0
        for order in ("by row", "by column"):
            matrix, layout = as_stored(ORDERS[order](X))
            found = look_over(matrix, layout, np.ones(n), fit_intercept, SAMPLE, OUTLYING)[1]
            assert found == has_outlying_rows(X, fit_intercept)
