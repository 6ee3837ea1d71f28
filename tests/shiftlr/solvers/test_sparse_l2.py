"""The large sparse L2 solver against dense references: scipy on the profiled problem, scikit-learn, [X | I]."""

import numba
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from shiftlr.solvers import trust_region
from shiftlr.solvers.dual import l2_sparse, prepare_rows


def profiled(margins, lam):
    """Value, slope and curvature, written apart from the solvers' own."""
    value, slope = np.logaddexp(0.0, -margins), -0.5 * (1.0 - np.tanh(0.5 * margins))
    curvature = -slope * (1.0 + slope)
    if lam < 1.0:
        t = np.log1p(-lam) - np.log(lam)
        low = margins < t
        value = np.where(low, -np.log1p(-lam) + lam * (t - margins), value)
        slope, curvature = np.where(low, -lam, slope), np.where(low, 0.0, curvature)
    return value, slope, curvature


class Case:
    """One problem with all its parts, dense on the side."""

    def __init__(self, X, signs, weights=None, tilt=None, tilt_b=0.0, alpha=1.0, lam=0.3, fit_intercept=True):
        self.X = sp.csr_matrix(X)
        self.X.sort_indices()
        n, m = self.X.shape
        self.signs = np.asarray(signs, float)
        self.weights = np.ones(n) if weights is None else np.asarray(weights, float)
        self.tilt = np.zeros(m) if tilt is None else np.asarray(tilt, float)
        self.tilt_b, self.alpha, self.lam, self.fit_intercept = tilt_b, alpha, lam, fit_intercept

    def rows(self, binary=False):
        return prepare_rows(self.X.indptr, self.X.indices, None if binary else self.X.data, self.X.shape[1])

    def solve(self, tol=1e-9, max_iter=300, rows=None, **warm):
        return l2_sparse(
            rows or self.rows(),
            self.signs,
            self.weights,
            self.tilt,
            self.tilt_b,
            self.alpha,
            self.lam,
            self.fit_intercept,
            tol=tol,
            max_iter=max_iter,
            **warm,
        )

    def value_and_gradient(self, x):
        theta, b = x[:-1], x[-1] if self.fit_intercept else 0.0
        value, slope, _ = profiled(self.signs * (self.X @ theta + b), self.lam)
        u = self.weights * self.signs * slope
        f = self.weights @ value + self.tilt @ theta + self.tilt_b * b + 0.5 * self.alpha * theta @ theta
        g_b = u.sum() + self.tilt_b if self.fit_intercept else 0.0
        return f, np.append(self.X.T @ u + self.tilt + self.alpha * theta, g_b)

    def optimality(self, coef, intercept):
        _, g = self.value_and_gradient(np.append(coef, intercept))
        reach = np.append(abs(self.X).T @ self.weights, self.weights.sum())
        _, slope, _ = profiled(self.signs * (self.X @ coef + (intercept if self.fit_intercept else 0.0)), self.lam)
        steepness = max(self.weights @ np.abs(slope) / self.weights.sum(), 1e-6 * min(1.0, self.lam))
        return np.max(np.abs(g[reach > 0]) / reach[reach > 0], initial=0.0) / steepness

    def hessian(self, x):
        Z = np.c_[self.X.toarray(), np.full(self.X.shape[0], float(self.fit_intercept))]
        _, _, curvature = profiled(self.signs * (Z @ x), self.lam)
        penalty = np.append(np.full(self.X.shape[1], self.alpha), 0.0 if self.fit_intercept else 1.0)
        return Z.T @ ((self.weights * curvature)[:, None] * Z) + np.diag(penalty)

    def reference(self):
        """The objective by L-BFGS-B and then trust-exact, in columns scaled to norm 1."""
        scale = 1.0 / np.sqrt(np.append(np.asarray(self.X.multiply(self.X).sum(0)).ravel() + self.alpha, 1.0))

        def scaled(y):
            f, g = self.value_and_gradient(scale * y)
            return f, scale * g

        first = scipy.optimize.minimize(
            scaled,
            np.zeros(scale.size),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 200, "ftol": 0.0, "gtol": 1e-10},
        )
        second = scipy.optimize.minimize(
            scaled,
            first.x,
            jac=True,
            method="trust-exact",
            hess=lambda y: scale[:, None] * self.hessian(scale * y) * scale,
            options={"maxiter": 500, "gtol": 1e-9, "max_trust_radius": 1e8},
        )
        return min(first.fun, second.fun)

    def check(self, result, tol=1e-6):
        coef, intercept, objective, _n_iter, optimality, gap = result
        f, _ = self.value_and_gradient(np.append(coef, intercept))
        best = self.reference()
        total = self.weights.sum()
        # where F is next to 0 (separable data) the reference is exact for an example, not relative to F
        size = abs(f) if abs(f) > 1e-6 * total else 0.1 * total
        assert np.all(np.isfinite(coef)) and np.isfinite(intercept) and np.isfinite(gap)
        assert objective == pytest.approx(f, rel=1e-11, abs=1e-11)
        # both sides: a reference that failed must fail the test, not pass it
        assert f - best <= 1e-8 * abs(f)
        assert best - f <= 1e-8 * size
        assert self.optimality(coef, intercept) <= tol
        assert optimality <= tol
        assert gap >= f - best - 1e-11 * size


def random_case(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 200)), int(rng.integers(1, 120))
    density = rng.uniform(0.02, 0.6)
    X = sp.random(n, m, density=density, random_state=rng, data_rvs=lambda k: rng.normal(0, 1, k)).toarray()
    if seed % 3 == 0:
        X *= 10.0 ** rng.integers(-6, 7, m)
    if m > 4:
        X[:, 1] = X[:, 0]
        X[:, 2] = 0.0
        if seed % 2:
            X[:, 3] = 1.0
    X[rng.random(n) < 0.1] = 0.0
    signs = np.where(rng.random(n) < rng.choice([0.5, 0.1]), 1.0, -1.0)
    signs[0] = 1.0
    signs[-1] = -1.0
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], n) if seed % 4 == 1 else None
    if weights is not None:
        weights[[0, -1]] = 1.0
    lam = [0.05, 0.3, 0.7, 1.0, 0.01][seed % 5]
    alpha = 10.0 ** rng.uniform(-3, 3)
    tilt, tilt_b = None, 0.0
    if seed % 7 == 3:
        q = rng.uniform(0.5, 1.0, n) * min(lam, 1.0)
        u = (weights if weights is not None else np.ones(n)) * signs * (min(lam, 1.0) - q) * 0.5
        tilt, tilt_b = X.T @ u, u.sum()
    return Case(X, signs, weights, tilt, tilt_b, alpha, lam, bool(seed % 6) and n > 1)


@pytest.mark.parametrize("seed", range(60))
def test_random_problems_reach_the_reference(seed):
    case = random_case(seed)
    case.check(case.solve())


def text_like(seed, n=400, m=300):
    rng = np.random.default_rng(seed)
    p = 1.0 / np.arange(1, m + 1)
    X = (rng.random((n, m)) < np.minimum(0.9, 2.0 * p)).astype(float)
    signs = np.where(X @ rng.normal(size=m) + rng.normal(size=n) > 1.0, 1.0, -1.0)
    return Case(X, signs, lam=0.1)


@pytest.mark.parametrize("alpha", [1e-6, 1e-3, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("lam", [0.1, 1.0])
def test_penalties_from_weak_to_strong(alpha, lam):
    case = text_like(1, 120, 60)
    case.alpha, case.lam = alpha, lam
    _coef, _intercept, f, _, optimality, gap = case.solve(tol=1e-8)
    assert optimality <= 1e-8 or gap <= 1e-16 * f
    assert f == pytest.approx(case.reference(), rel=1e-8)


def degenerate_cases():
    rng = np.random.default_rng(5)
    base = rng.normal(size=(30, 4))
    y = np.where(rng.random(30) < 0.5, 1.0, -1.0)
    rare = -np.ones(1000)
    rare[7] = 1.0
    wide = rng.normal(size=(5, 40))
    scaled = rng.normal(size=(50, 4)) * [1e6, 1e-6, 1.0, 1e6]
    return {
        "duplicated": Case(np.c_[base, base, base[:, :1]], y),
        "constant": Case(np.c_[base, np.ones(30)], y),
        "empty_column": Case(np.c_[base, np.zeros(30)], y),
        "empty_rows": Case(np.r_[base, np.zeros((9, 4))], np.r_[y, np.ones(9)]),
        "all_zero": Case(np.zeros((30, 3)), y),
        "one_row": Case(np.ones((1, 2)), [1.0], fit_intercept=False),
        "wide": Case(wide, [1, -1, 1, -1, 1], alpha=1e-3, lam=1.0),
        "rare": Case(rng.normal(size=(1000, 5)), rare),
        "rare_plain": Case(rng.normal(size=(1000, 5)), rare, lam=1.0),
        "scaled": Case(scaled, np.where(rng.random(50) < 0.4, 1, -1)),
        "scaled_plain": Case(scaled, np.where(rng.random(50) < 0.4, 1, -1), lam=1.0, alpha=1e-2),
        "no_columns": Case(np.zeros((6, 1)), [1, 1, -1, 1, -1, 1]),
    }


@pytest.mark.parametrize("name", sorted(degenerate_cases()))
def test_degenerate_inputs(name):
    case = degenerate_cases()[name]
    case.check(case.solve(), tol=1e-7)


@pytest.mark.parametrize("lam", [0.2, 1.0])
@pytest.mark.parametrize("weights", [[1.0] * 6, [0.0] * 6])
def test_one_class_and_no_weight_neither_hang_nor_break(lam, weights):
    case = Case(np.arange(12.0).reshape(6, 2), np.ones(6), weights, lam=lam)
    coef, intercept, f, n_iter, optimality, _gap = case.solve(tol=1e-8)
    assert np.all(np.isfinite(coef)) and np.isfinite(intercept) and np.isfinite(f) and n_iter <= 300
    assert optimality <= 1e-8 or f <= 1e-6  # one class has no minimum: F falls to 0 as the intercept grows


def test_agrees_with_scikit_learn():
    from sklearn.linear_model import LogisticRegression

    case = text_like(2)
    case.lam = 1.0
    peer = LogisticRegression(C=1.0, tol=1e-10, max_iter=10000).fit(case.X, case.signs)
    coef, intercept, f, *_ = case.solve()
    assert f <= case.value_and_gradient(np.append(peer.coef_, peer.intercept_))[0] + 1e-8
    np.testing.assert_allclose(coef, peer.coef_.ravel(), atol=1e-4)
    assert intercept == pytest.approx(peer.intercept_[0], abs=1e-3)


def test_equals_the_explicit_shift_columns():
    """[X | I] with an L1 penalty on the shifts, as positive and negative parts with bounds."""
    case = text_like(3, 60, 30)
    n, m = case.X.shape

    def explicit(x):
        theta, up, down, b = x[:m], x[m : m + n], x[m + n : m + 2 * n], x[-1]
        margin = case.signs * (case.X @ theta + up - down + b)
        u = -case.signs * 0.5 * (1 - np.tanh(0.5 * margin))
        f = np.logaddexp(0, -margin).sum() + case.lam * (up + down).sum() + 0.5 * case.alpha * theta @ theta
        return f, np.concatenate([case.X.T @ u + case.alpha * theta, u + case.lam, -u + case.lam, [u.sum()]])

    bounds = [(None, None)] * m + [(0, None)] * (2 * n) + [(None, None)]
    best = scipy.optimize.minimize(
        explicit,
        np.zeros(m + 2 * n + 1),
        jac=True,
        method="L-BFGS-B",
        bounds=bounds,
        options={"maxiter": 20000, "maxfun": 30000, "ftol": 1e-15, "gtol": 1e-9},
    ).fun
    f = case.solve()[2]
    assert f <= best + 1e-8 * best and f >= best - 1e-6 * best


def test_binary_without_values_equals_ones():
    case = text_like(4)
    with_values, without = case.solve(), case.solve(rows=case.rows(binary=True))
    np.testing.assert_allclose(without[0], with_values[0], atol=1e-9)
    assert without[2] == pytest.approx(with_values[2], rel=1e-12)


def test_weights_equal_repetition_and_zero_weights_removal():
    case = text_like(6, 150, 40)
    times = np.random.default_rng(0).integers(0, 4, 150)
    case.weights = times.astype(float)
    repeated = Case(case.X[np.repeat(np.arange(150), times)], np.repeat(case.signs, times), lam=case.lam)
    a, b = case.solve(tol=1e-10), repeated.solve(tol=1e-10)
    np.testing.assert_allclose(a[0], b[0], atol=1e-7)
    assert a[2] == pytest.approx(b[2], rel=1e-12)


def test_tilt_equals_examples_copied_for_each_class():
    """Soft labels: weight q for the sign, 1 - q for the other, as two plain examples or as a tilt."""
    rng = np.random.default_rng(8)
    X, signs, q = rng.normal(size=(80, 6)), np.where(rng.random(80) < 0.5, 1.0, -1.0), rng.uniform(0.5, 1, 80)
    u = (1 - q) * signs
    tilted = Case(X, signs, tilt=X.T @ u, tilt_b=u.sum(), lam=1.0)
    copied = Case(np.r_[X, X], np.r_[signs, -signs], np.r_[q, 1 - q], lam=1.0)
    a, b = tilted.solve(tol=1e-10), copied.solve(tol=1e-10)
    np.testing.assert_allclose(a[0], b[0], atol=1e-8)
    assert a[1] == pytest.approx(b[1], abs=1e-8)
    assert a[2] == pytest.approx(b[2], rel=1e-11)


def test_warm_start_is_never_worse_and_short_at_the_optimum():
    case = text_like(9)
    coef, intercept, f, _n_iter, *_ = case.solve(tol=1e-9)
    again = case.solve(tol=1e-8, coef0=coef, intercept0=intercept)
    assert again[3] == 0 and again[2] <= f * (1 + 1e-15)
    start = np.random.default_rng(0).normal(size=coef.size)
    f_start = case.value_and_gradient(np.append(start, 0.7))[0]
    for steps in (0, 1, 5):
        assert case.solve(max_iter=steps, coef0=start, intercept0=0.7)[2] <= f_start
    assert case.solve(coef0=start, intercept0=0.7)[2] == pytest.approx(f, rel=1e-10)


def sampled_case(monkeypatch):
    """A case on which rows are sampled, as they are in large matrices."""
    monkeypatch.setattr(trust_region, "SMALL", 0)
    return text_like(10, 3000, 500)


@pytest.mark.parametrize("lam", [0.1, 1.0])
def test_sampling_rows_changes_the_way_but_not_the_end(monkeypatch, lam):
    case = sampled_case(monkeypatch)
    case.lam = lam
    result = case.solve(tol=1e-8)
    monkeypatch.undo()
    assert result[2] == pytest.approx(case.solve(tol=1e-8)[2], rel=1e-12)
    assert case.optimality(*result[:2]) <= 1e-6


def test_same_bits_on_a_second_run_and_for_one_and_two_threads(monkeypatch):
    case = sampled_case(monkeypatch)
    before = numba.get_num_threads()
    results = []
    try:
        for threads in (1, min(2, before), 1):
            numba.set_num_threads(threads)
            results.append(case.solve(tol=1e-6))
    finally:
        numba.set_num_threads(before)
    for other in results[1:]:
        assert np.array_equal(results[0][0], other[0]) and results[0][1:] == other[1:]


def test_gap_rule_stops_early_and_the_gap_is_a_bound():
    case = text_like(11)
    best = case.solve(tol=1e-10)[2]
    for tol in (1e-1, 1e-2, 1e-3):
        _coef, _intercept, f, _, optimality, gap = case.solve(tol=tol)
        assert optimality <= tol or gap <= tol**2 * f
        assert f - best <= gap + 1e-12 * f
