"""The L1 solver against answers found another way, and against the optimality conditions written out in numpy."""

import numpy as np
import pytest
import scipy.sparse
from scipy.optimize import minimize
from shiftlr.solvers.coordinate import l1_path, largest_kappa

TOL = 1e-8


def as_csc(x):
    matrix = scipy.sparse.csc_matrix(x)
    matrix.sum_duplicates()
    return (matrix.data, matrix.indices, matrix.indptr, matrix.shape[0])


def as_dense(x):
    return np.ascontiguousarray(x.T, dtype=float)


def fit(x, signs, kappas, lams, weights=None, tilt=None, tilt_b=0.0, fit_intercept=True, coef0=None, intercept0=0.0,
        storage=as_dense, tol=TOL, max_iter=1000):  # fmt: skip
    n, m = x.shape
    kappas, lams = np.broadcast_arrays(np.atleast_1d(np.asarray(kappas, float)), np.asarray(lams, float))
    return l1_path(
        storage(x), signs, np.ones(n) if weights is None else weights, np.zeros(m) if tilt is None else tilt, tilt_b,
        kappas.copy(), lams.copy(), fit_intercept, np.zeros(m) if coef0 is None else coef0, intercept0, tol, max_iter,
    )  # fmt: skip


def loss_and_slope(margins, lam):
    """The profiled loss by its definition: the shift is the larger of 0 and t - margin."""
    shifts = np.maximum(np.log((1 - lam) / lam) - margins, 0.0) if lam < 1 else np.zeros_like(margins)
    shifted = margins + shifts
    return np.logaddexp(0.0, -shifted) + (lam * shifts if lam < 1 else 0.0), -np.exp(-np.logaddexp(0.0, shifted))


def objective(x, signs, weights, tilt, tilt_b, kappa, lam, coef, intercept):
    value, _ = loss_and_slope(signs * (x @ coef + intercept), lam)
    return weights @ value + tilt @ coef + tilt_b * intercept + kappa * np.abs(coef).sum()


def optimality(x, signs, weights, tilt, tilt_b, kappa, lam, coef, intercept, fit_intercept=True):
    _, slope = loss_and_slope(signs * (x @ coef + intercept), lam)
    residuals = weights * signs * slope
    gradient = x.T @ residuals + tilt
    distance = np.where(coef != 0, np.abs(gradient + kappa * np.sign(coef)), np.maximum(np.abs(gradient) - kappa, 0.0))
    reach = weights @ np.abs(x)
    worst = np.max(distance[reach > 0] / reach[reach > 0], initial=0.0)
    worst = max(worst, abs(residuals.sum() + tilt_b) / weights.sum()) if fit_intercept else worst
    steepest = min(1.0, lam)
    return worst / (steepest if kappa == 0.0 else max(weights @ np.abs(slope) / weights.sum(), 1e-6 * steepest))


def by_split_variables(x, signs, weights, tilt, tilt_b, kappa, lam, fit_intercept):
    """theta = positive part - negative part, both >= 0, minimised by L-BFGS-B on the profiled loss."""
    m = x.shape[1]

    def function(z):
        coef, b = z[:m] - z[m : 2 * m], z[-1]
        value, slope = loss_and_slope(signs * (x @ coef + b), lam)
        residuals = weights * signs * slope
        gradient = x.T @ residuals + tilt
        total = weights @ value + tilt @ coef + tilt_b * b + kappa * z[: 2 * m].sum()
        return total, np.r_[gradient + kappa, -gradient + kappa, (residuals.sum() + tilt_b) * fit_intercept]

    bounds = [(0, None)] * (2 * m) + [(None, None)]
    return _lbfgsb(function, np.zeros(2 * m + 1), bounds)


def by_explicit_shifts(x, signs, weights, kappa, lam):
    """The model as first written down: a shift for every example, a column each, L1 on both, plain logistic loss."""
    n, m = x.shape
    wide = np.hstack([x, np.eye(n)])
    width = np.r_[np.full(m, kappa), lam * weights]

    def function(z):
        beta, b = z[: m + n] - z[m + n : 2 * (m + n)], z[-1]
        margins = signs * (wide @ beta + b)
        residuals = -weights * signs * np.exp(-np.logaddexp(0.0, margins))
        gradient = wide.T @ residuals
        total = weights @ np.logaddexp(0.0, -margins) + width @ (z[: m + n] + z[m + n : -1])
        return total, np.r_[gradient + width, -gradient + width, residuals.sum()]

    bounds = [(0, None)] * (2 * (m + n)) + [(None, None)]
    return _lbfgsb(function, np.zeros(2 * (m + n) + 1), bounds)


def _lbfgsb(function, start, bounds):
    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-15, "gtol": 1e-10, "maxcor": 50}
    return minimize(function, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options).fun


def random_problem(seed):
    """A small problem of random shape, scale, weights and tilt, with noise in the labels."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(8, 70)), int(rng.integers(1, 40))
    x = rng.normal(size=(n, m)) * 10.0 ** rng.uniform(-1, 1, m) + rng.normal(size=m) * rng.integers(0, 2)
    x[rng.random((n, m)) < rng.choice([0.0, 0.6])] = 0.0
    truth = np.where(rng.random(m) < 0.3, rng.normal(size=m), 0.0) / (np.abs(x).mean(0) + 1e-9)
    signs = np.where(rng.random(n) < 1 / (1 + np.exp(-np.clip(x @ truth, -30, 30))), 1.0, -1.0)
    signs[rng.random(n) < 0.15] *= -1.0
    signs[:2] = 1.0, -1.0
    weights = np.ones(n) if rng.random() < 0.4 else rng.integers(0, 4, n).astype(float)
    weights[:2] = 1.0
    lam = float(rng.choice([1.0, 2.0, 0.7, 0.5, 0.3, 0.1, 0.03]))
    tilt, tilt_b = np.zeros(m), 0.0
    if rng.random() < 0.4:  # soft labels: a share of each example counts for the other class
        share = weights * signs * rng.uniform(0, min(lam, 1.0), n) * 0.5
        tilt, tilt_b = x.T @ share, float(share.sum())
    fit_intercept = bool(rng.random() < 0.8)
    top = largest_kappa(as_dense(x), signs, weights, tilt, tilt_b, lam, fit_intercept)
    return x, signs, weights, tilt, tilt_b, float(top * 10 ** rng.uniform(-2, -0.1)), lam, fit_intercept


@pytest.mark.parametrize("seed", range(60))
def test_against_split_variables(seed):
    x, signs, weights, tilt, tilt_b, kappa, lam, fit_intercept = random_problem(seed)
    coefs, intercepts, objectives, _, optimalities = fit(
        x, signs, kappa, lam, weights, tilt, tilt_b, fit_intercept=fit_intercept
    )
    data = (x, signs, weights, tilt, tilt_b, kappa, lam)
    assert optimalities[0] <= TOL
    assert optimality(*data, coefs[0], intercepts[0], fit_intercept) <= 1e-6
    recomputed = objective(*data, coefs[0], intercepts[0])
    assert objectives[0] == pytest.approx(recomputed, rel=1e-12, abs=1e-12)
    theirs = by_split_variables(*data, fit_intercept)
    assert objectives[0] <= theirs + 1e-8 * max(abs(theirs), 1e-3)

    sparse = fit(x, signs, kappa, lam, weights, tilt, tilt_b, fit_intercept=fit_intercept, storage=as_csc)
    assert sparse[2][0] == pytest.approx(objectives[0], rel=1e-9, abs=1e-12)
    assert optimality(*data, sparse[0][0], sparse[1][0], fit_intercept) <= 1e-6


@pytest.mark.parametrize("seed", range(6))
def test_against_explicit_shifts(seed):
    rng = np.random.default_rng(100 + seed)
    x = rng.uniform(-5, 5, (40, 6))
    signs = np.where(x[:, :2].sum(1) + rng.logistic(size=40) > 0, 1.0, -1.0)
    signs[rng.random(40) < 0.2] *= -1.0
    weights = rng.uniform(0.5, 2.0, 40)
    kappa, lam = float(rng.uniform(0.3, 3.0)), float(rng.uniform(0.05, 0.8))
    ours = fit(x, signs, kappa, lam, weights)[2][0]
    theirs = by_explicit_shifts(x, signs, weights, kappa, lam)
    assert ours == pytest.approx(theirs, rel=1e-7)
    assert ours <= theirs * (1 + 1e-8)


def gene_like(seed=0, n=40, m=300):
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n, 5))
    x = factors @ rng.normal(size=(5, m)) * 0.5 + rng.normal(size=(n, m)) * 0.7 + rng.normal(size=m) + 6
    signs = np.where(factors[:, 0] + rng.normal(size=n) * 0.5 > 0, 1.0, -1.0)
    signs[rng.random(n) < 0.1] *= -1.0
    return x, signs


def assert_optimal(x, signs, kappas, lams, result, bound=1e-6, weights=None):
    weights = np.ones(len(signs)) if weights is None else weights
    for kappa, lam, coef, intercept, value in zip(*np.broadcast_arrays(kappas, lams), *result[:3], strict=False):
        assert optimality(x, signs, weights, np.zeros(x.shape[1]), 0.0, kappa, lam, coef, intercept) <= bound
        assert np.isfinite(value)


@pytest.mark.parametrize("lam", [1.0, 0.3, 0.05])
@pytest.mark.parametrize("storage", [as_dense, as_csc])
def test_kappa_path(lam, storage):
    x, signs = gene_like()
    top = largest_kappa(storage(x), signs, np.ones(40), np.zeros(300), 0.0, lam, True)
    kappas = np.geomspace(top, 0.01 * top, 40)
    result = fit(x, signs, kappas, lam, storage=storage)
    assert_optimal(x, signs, kappas, lam, result)
    assert result[4].max() <= TOL
    assert not result[0][0].any() or np.abs(result[0][0]).max() < 1e-7
    for k in (5, 20, 39):  # a cold start finds the same minimum
        assert fit(x, signs, kappas[k], lam)[2][0] == pytest.approx(result[2][k], rel=1e-9)


def test_grid_in_any_order():
    x, signs = gene_like(1)
    kappas, lams = (a.ravel() for a in np.meshgrid([8.0, 4.0, 2.0, 1.0], [1.0, 0.5, 0.2, 0.1]))
    order = np.random.default_rng(0).permutation(kappas.size)
    forward = fit(x, signs, kappas, lams)
    shuffled = fit(x, signs, kappas[order], lams[order])
    assert_optimal(x, signs, kappas, lams, forward)
    np.testing.assert_allclose(shuffled[2], forward[2][order], rtol=1e-9)


def test_dense_equals_csc():
    x, signs = gene_like(2)
    x[np.random.default_rng(0).random(x.shape) < 0.7] = 0.0
    kappas = np.geomspace(5.0, 0.5, 10)
    dense, sparse = fit(x, signs, kappas, 0.3), fit(x, signs, kappas, 0.3, storage=as_csc)
    np.testing.assert_allclose(sparse[2], dense[2], rtol=1e-9)
    tight = [fit(x, signs, 2.0, 0.3, storage=storage, tol=1e-13)[0] for storage in (as_dense, as_csc)]
    np.testing.assert_allclose(*tight, atol=1e-9)


@pytest.mark.parametrize("lam", [1.0, 0.2])
def test_weights_are_repetitions_and_zero_weight_is_absence(lam):
    rng = np.random.default_rng(5)
    x, signs, weights = rng.normal(size=(60, 8)), rng.choice([-1.0, 1.0], 60), rng.integers(0, 4, 60)
    weighted = fit(x, signs, 1.0, lam, weights.astype(float), tol=1e-12)
    repeated = fit(np.repeat(x, weights, axis=0), np.repeat(signs, weights), 1.0, lam, tol=1e-12)
    np.testing.assert_allclose(weighted[0], repeated[0], atol=1e-9)
    here = weights > 0
    removed = fit(x[here], signs[here], 1.0, lam, weights[here].astype(float), tol=1e-12)
    np.testing.assert_allclose(weighted[0], removed[0], atol=1e-9)
    np.testing.assert_allclose(weighted[2], removed[2], rtol=1e-12)


def test_soft_labels_are_examples_copied_per_class():
    rng = np.random.default_rng(6)
    x, signs, share = rng.normal(size=(50, 7)), rng.choice([-1.0, 1.0], 50), rng.uniform(0.5, 1.0, 50)
    other = (1.0 - share) * signs
    soft = fit(x, signs, 0.7, 1.0, tilt=x.T @ other, tilt_b=float(other.sum()), tol=1e-12)
    copied = fit(np.vstack([x, x]), np.r_[signs, -signs], 0.7, 1.0, np.r_[share, 1.0 - share], tol=1e-12)
    np.testing.assert_allclose(soft[0], copied[0], atol=1e-9)
    np.testing.assert_allclose(soft[2], copied[2], rtol=1e-10)


@pytest.mark.parametrize("max_iter", [0, 1, 2, 1000])
def test_never_worse_than_the_start(max_iter):
    x, signs = gene_like(3)
    rng = np.random.default_rng(0)
    for scale in (1e-3, 1.0, 30.0):
        coef0 = rng.normal(size=300) * scale * (rng.random(300) < 0.3)
        start = objective(x, signs, np.ones(40), np.zeros(300), 0.0, 1.5, 0.3, coef0, 2.0)
        result = fit(x, signs, 1.5, 0.3, coef0=coef0, intercept0=2.0, max_iter=max_iter)
        assert result[2][0] <= start * (1 + 1e-12)
        assert result[3][0] <= max_iter
        reached = optimality(x, signs, np.ones(40), np.zeros(300), 0.0, 1.5, 0.3, result[0][0], result[1][0])
        assert result[4][0] == pytest.approx(reached, rel=1e-6, abs=1e-10)
    warm = fit(x, signs, 1.5, 0.3)
    again = fit(x, signs, 1.5, 0.3, coef0=warm[0][0], intercept0=warm[1][0])
    assert again[3][0] == 0 and again[2][0] == pytest.approx(warm[2][0], rel=1e-14)


def degenerate(name):
    rng = np.random.default_rng(7)
    x, signs = rng.normal(size=(50, 12)), rng.choice([-1.0, 1.0], 50)
    if name == "duplicated columns":
        x[:, 6:] = x[:, :6]
    elif name == "opposite columns":
        x[:, 6:] = -x[:, :6]
    elif name == "constant and empty columns":
        x[:, 0], x[:, 1], x[:, 2] = 3.0, 0.0, -1e4
    elif name == "wide":
        x = rng.normal(size=(10, 200))
        signs = np.where(np.arange(10) % 2, 1.0, -1.0)
    elif name == "one class rare":
        x, signs = rng.normal(size=(2000, 12)), -np.ones(2000)
        signs[:2] = 1.0
    elif name == "scales":
        x = x * np.array([1e6, 1e-6] * 6)
    elif name == "separable":
        signs = np.where(x[:, 0] > 0, 1.0, -1.0)
    elif name == "all equal":
        x[:] = 1.0
    return x, signs


@pytest.mark.parametrize("storage", [as_dense, as_csc])
@pytest.mark.parametrize("lam", [1.0, 0.3])
@pytest.mark.parametrize(
    "name",
    ["duplicated columns", "opposite columns", "constant and empty columns", "wide", "one class rare", "scales",
     "separable", "all equal"],
)  # fmt: skip
def test_degenerate_inputs(name, lam, storage):
    x, signs = degenerate(name)
    n, m = x.shape
    top = largest_kappa(storage(x), signs, np.ones(n), np.zeros(m), 0.0, lam, True)
    kappas = max(top, 1e-3) * np.array([2.0, 0.5, 0.1, 1e-2, 1e-4, 0.3])
    if name == "scales":  # one kappa cannot suit columns a factor 1e12 apart, so take one that lets each kind in
        kappas = np.array([1e6, 1e5, 1e-6, 1e-7, 1e-9, 1.0])
    result = fit(x, signs, kappas, lam, storage=storage)
    assert all(np.isfinite(part).all() for part in result)
    assert_optimal(x, signs, kappas, lam, result)
    rng = np.random.default_rng(0)
    far = fit(x, signs, kappas[2], lam, coef0=rng.normal(size=m) / (np.abs(x).mean(0) + 1e-9), storage=storage)
    np.testing.assert_allclose(far[2][0], result[2][2], rtol=1e-8)


def test_extreme_kappas():
    x, signs = degenerate("")
    assert not fit(x, signs, 1e300, 0.3)[0].any()
    unpenalised = fit(x, signs, 0.0, 1.0)
    assert_optimal(x, signs, [0.0], 1.0, unpenalised)
    x, signs = degenerate("separable")
    for lam in (1.0, 0.3):
        result = fit(x, signs, [1e-6, 1e-12, 0.0], lam)
        assert all(np.isfinite(part).all() for part in result)
        assert result[2][-1] <= 1e-5


@pytest.mark.parametrize("storage", [as_dense, as_csc])
def test_large_working_set_without_gram(storage):
    rng = np.random.default_rng(8)
    x = rng.normal(size=(1500, 800)) * (rng.random((1500, 800)) < 0.1)
    signs = np.where(x[:, :300].sum(1) + rng.logistic(size=1500) > 0, 1.0, -1.0)
    result = fit(x, signs, [0.3, 0.05], 0.4, storage=storage)
    assert np.count_nonzero(result[0][1]) > 500
    assert_optimal(x, signs, [0.3, 0.05], 0.4, result)


def test_largest_kappa_is_where_the_first_coefficient_enters():
    for seed in range(10):
        x, signs, weights, tilt, tilt_b, _, lam, fit_intercept = random_problem(seed)
        top = largest_kappa(as_dense(x), signs, weights, tilt, tilt_b, lam, fit_intercept)
        sparse = largest_kappa(as_csc(x), signs, weights, tilt, tilt_b, lam, fit_intercept)
        assert sparse == pytest.approx(top, rel=1e-12)
        above, below = fit(x, signs, [1.001 * top, 0.99 * top], lam, weights, tilt, tilt_b, fit_intercept, tol=1e-11)[0]
        assert not above.any() and below.any()


def test_same_bits_on_a_second_run():
    x, signs = gene_like(4)
    kappas = np.geomspace(10.0, 0.3, 20)
    for storage in (as_dense, as_csc):
        one, two = (fit(x, signs, kappas, 0.3, storage=storage) for _ in range(2))
        assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=False))
