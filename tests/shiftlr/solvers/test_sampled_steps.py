"""The parts of the sparse L2 solver against dense algebra, scipy's searches and plain numpy."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from shiftlr.solvers import conjugate_gradients, line_search, sampled_hessian, trust_region, warm_start
from shiftlr.solvers.dual import make_problem
from shiftlr.solvers.frame import offset_ratios
from shiftlr.solvers.points import evaluate
from shiftlr.solvers.rows import column_products, prepare_rows, row_products, without_columns
from shiftlr.solvers.sparse_ridge import SparseRidge, offsets_of_ones


def slope(margins, lam):
    """Of the profiled loss, written apart from the solvers' own."""
    return np.maximum(-1.0 / (1.0 + np.exp(margins)), -lam)


def matrix(seed, n=90, m=140, ones=True):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, m), density=0.03, rng=rng, format="csr", data_sampler=None if ones else rng.normal)
    if ones:
        X.data[:] = 1.0
    X = sp.csr_array(sp.hstack([X, sp.csr_array((rng.random((n, 5)) < 0.5).astype(float))]))
    X.sort_indices()
    return X, np.where(rng.random(n) < 0.4, 1.0, -1.0), rng


def prepared(X, ones):
    return prepare_rows(X.indptr, X.indices, None if ones else X.data, X.shape[1])


@pytest.mark.parametrize("ones", [True, False])
def test_products(ones):
    X, _, rng = matrix(0, ones=ones)
    theta, u = rng.normal(size=X.shape[1]), rng.normal(size=X.shape[0])
    rows = prepared(X, ones)
    np.testing.assert_allclose(row_products(rows, theta, 0.3, np.empty(len(u))), X @ theta + 0.3, atol=1e-13)
    np.testing.assert_allclose(column_products(rows, u, np.empty(len(theta))), X.T @ u, atol=1e-13)
    assert np.array_equal(rows.counts, np.bincount(X.indices, minlength=X.shape[1]))


def test_columns_that_are_dropped_are_empty():
    X, _, rng = matrix(1)
    dropped = rng.random(X.shape[1]) < 0.3
    rows = without_columns(prepared(X, True), dropped)
    got = sp.csr_array((np.ones(len(rows.indices)), rows.indices, rows.indptr), X.shape).toarray()
    assert np.array_equal(got, X.toarray() * ~dropped)
    assert not rows.counts[dropped].any()


@pytest.mark.parametrize("lam", [0.2, 1.0])
def test_intercept_is_the_root_that_scipy_finds(lam):
    rng = np.random.default_rng(2)
    signs, weights = np.where(rng.random(200) < 0.3, 1.0, -1.0), rng.uniform(0.1, 3.0, 200)
    scores = 3.0 * rng.normal(size=200)

    def derivative(b):
        return (weights * signs * slope(signs * (scores + b), lam)).sum() + 0.7

    best = scipy.optimize.brentq(derivative, -20.0, 20.0, xtol=1e-13)
    for start in (0.0, 9.0):  # from afar Newton's method alone would fail
        margins = signs * (scores + start)
        moved = line_search.centre_intercept(margins, signs, weights, lam, 0.7, weights.sum())
        assert start + moved == pytest.approx(best, abs=1e-9)
        np.testing.assert_allclose(margins, signs * (scores + best), atol=1e-9)


def model_of(X, ones, kept, curvatures, gradient, gradient_b, alpha, with_b):
    scratch = np.empty(X.shape[1], np.int32)
    given = kept, curvatures, gradient, gradient_b, alpha, with_b, float(X.shape[0])
    return sampled_hessian.build_model(prepared(X, ones), *given, scratch)


@pytest.mark.parametrize("ones", [True, False])
@pytest.mark.parametrize("with_b", [True, False])
@pytest.mark.parametrize("hot_rows", [5, 5000])
def test_direction_solves_the_system_of_the_kept_rows(monkeypatch, ones, with_b, hot_rows):
    """All columns, those with one entry in these rows too, which the solver leaves out of its system."""
    monkeypatch.setattr(sampled_hessian, "HOT_COLUMNS", 7)
    monkeypatch.setattr(sampled_hessian, "HOT_ROWS", hot_rows)
    X, signs, rng = matrix(3, ones=ones)
    kept = np.flatnonzero(rng.random(X.shape[0]) < 0.4)
    curvatures, gradient, alpha = rng.uniform(0.01, 2.0, len(kept)), rng.normal(size=X.shape[1]), 0.3
    gradient_b = 0.8 if with_b else 0.0
    model = model_of(X, ones, kept, curvatures, gradient, gradient_b, alpha, with_b)
    counts = np.bincount(X[kept].indices, minlength=X.shape[1])
    assert np.array_equal(model.columns, np.flatnonzero(counts > 1)) and np.any(counts == 1)
    at_rows = np.zeros(len(kept)), signs[kept], np.ones(len(kept))
    x = conjugate_gradients.solve_model(model, gradient, gradient_b, alpha, 1.0, with_b, *at_rows, 1e-12, False)
    d = conjugate_gradients.direction_from(model, gradient, alpha, x)
    Z = np.c_[X[kept].toarray(), np.full(len(kept), float(with_b))]
    H = Z.T @ (curvatures[:, None] * Z) + np.diag(np.append(np.full(X.shape[1], alpha), 0.0 if with_b else 1.0))
    expected = np.linalg.solve(H, -np.append(gradient, gradient_b))
    np.testing.assert_allclose(np.append(d, x[-1]), expected, atol=1e-8)


def gradient_after_a_step(lam, refine, forcing):
    """The largest entry of the gradient after a step with all rows kept, from a model with wrong curvatures."""
    X, signs, rng = matrix(4)
    theta, alpha, n = 0.3 * rng.normal(size=X.shape[1]), 1.0, X.shape[0]
    margins = signs * (X @ theta)
    gradient = X.T @ (signs * slope(margins, lam)) + alpha * theta
    model = model_of(X, True, np.arange(n), np.full(n, 0.2), gradient, 0.0, alpha, False)
    at_rows = margins, signs, np.ones(n)
    x = conjugate_gradients.solve_model(model, gradient, 0.0, alpha, lam, False, *at_rows, forcing, refine)
    reached = theta + conjugate_gradients.direction_from(model, gradient, alpha, x)
    return np.abs(X.T @ (signs * slope(signs * (X @ reached), lam)) + alpha * reached).max()


def test_refined_step_is_the_minimum_over_the_kept_rows(monkeypatch):
    """Refined until nothing changes, it ends where the gradient is 0, however curved the way there is."""
    monkeypatch.setattr(conjugate_gradients, "REFINEMENTS", 200)
    monkeypatch.setattr(conjugate_gradients, "SETTLED", 1e-13)
    monkeypatch.setattr(conjugate_gradients, "FIRST_FORCING", 1e-8)
    assert gradient_after_a_step(1.0, True, 1e-12) < 1e-5


@pytest.mark.parametrize("lam", [0.3, 1.0])
def test_refining_pays(lam):
    assert gradient_after_a_step(lam, True, 0.01) < 0.5 * gradient_after_a_step(lam, False, 0.01)


def test_shifted_rows_get_chances_by_their_distance():
    lam, t = 0.2, np.log(4.0)
    margins = t + np.array([-20.0, -1.0, -0.1, 0.1, 2.0])
    own, weights = np.array([0.0, 0.0, 0.0, 0.15, 0.05]), np.array([1.0, 2.0, 1.0, 1.0, 1.0])
    curvatures, chances = own.copy(), np.empty(5)
    trust_region.shifted_rows(margins, weights, lam, 0.01, curvatures, chances)
    np.testing.assert_allclose(curvatures, [0.0016, 0.0032, 0.0016, 0.15, 0.05], rtol=1e-12)
    np.testing.assert_allclose(chances, [0.0016, 0.32 * np.exp(-3.0), 0.16 * np.exp(-0.3), 0.15, 0.05], rtol=1e-12)


@pytest.mark.parametrize("n", [7, 8, 400])
def test_offsets_of_ones_are_those_of_dense_columns(n):
    counts = np.arange(n + 1)
    dense = (np.arange(n)[:, None] < counts).astype(float)
    expected = np.where(2 * counts > n, offset_ratios(dense), 0.0)
    np.testing.assert_allclose(offsets_of_ones(counts, n), expected)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_ones_are_prepared_as_any_matrix(fit_intercept):
    """A column of ones, one of nearly nothing else (without its offset it is not of ones any more), one half full."""
    for fullest in (299, 300):
        X, signs, rng = matrix(5, n=300)
        full = np.c_[np.ones(300), np.arange(300) < fullest, rng.random(300) < 0.5].astype(float)
        X = sp.csr_array(sp.hstack([X, sp.csr_array(full)]))
        quick = SparseRidge(X, signs, np.ones(300), fit_intercept)
        plain = SparseRidge(X, signs, np.ones(300), fit_intercept)
        plain.centre = np.zeros(X.shape[1])
        plain._prepare(X)
        assert np.array_equal(quick.centre, plain.centre) and quick.caution == plain.caution
        assert np.array_equal(quick.X.toarray(), plain.X.toarray())
        for a, b in zip(quick.prepared, plain.prepared, strict=True):
            assert np.array_equal(a, b)


def test_prediction_is_never_worse_than_the_last_solution_and_margins_are_right():
    X, signs, rng = matrix(6)
    problem = make_problem(prepared(X, True), signs, np.ones(X.shape[0]), None, 0.0, 1.0, 0.2, True)
    solved = []
    for lam in (0.5, 0.3):
        point = evaluate(problem._replace(lam=lam), rng.normal(size=X.shape[1]), 0.1)
        solved.append(warm_start.Solved(warm_start.place_of(1.0, lam), point))
    before, last = solved
    there = evaluate(problem, last.point.theta, last.point.intercept)
    # one that differs from the last by rounding, at nearly the same place: a long step makes noise of it
    near = warm_start.place_of(1.0, 0.3 * (1.0 + 1e-13)), last.point.theta * (1.0 + 1e-14), last.point.intercept
    close = warm_start.Solved(near[0], evaluate(problem._replace(lam=0.3), *near[1:]))
    for older in (None, before, last, close):
        found = warm_start.predicted(problem, last, older, 1e-8)
        assert found.objective <= there.objective * (1.0 + 1e-12)
        np.testing.assert_allclose(found.margins, signs * (X @ found.theta + found.intercept), atol=1e-10)


@pytest.mark.parametrize("small", [True, False])
def test_a_path_ends_where_single_fits_do(monkeypatch, small):
    if not small:  # sampled rows and blocks, as in large matrices
        monkeypatch.setattr(trust_region, "SMALL", 0)
        monkeypatch.setattr("shiftlr.solvers.dual.SMALL", 0)
    X, signs, _ = matrix(7, n=400)
    problem = SparseRidge(X, signs, np.ones(400), True)
    alphas = np.array([1.0, 1.0, 1.0, 1.0, 0.5, 0.25, 2.0, 2.0])
    lams = np.array([2.0, 1.0, 0.5, 0.2, 0.2, 0.2, 0.6, 0.6])
    path = problem.path(alphas, lams, 1e-8, 500)
    assert np.all(path.optimalities <= 1e-8)
    for k in range(len(lams)):
        alone = problem.path(alphas[k : k + 1], lams[k : k + 1], 1e-8, 500)
        assert path.objectives[k] == pytest.approx(alone.objectives[0], rel=1e-11)
        np.testing.assert_allclose(path.coefs[k], alone.coefs[0], atol=1e-5)
