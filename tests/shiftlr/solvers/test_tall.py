"""Tall dense features: answers against the conditions that define them, in plain NumPy, and against linear programs."""

import tracemalloc
import warnings

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.special import expit
from shiftlr import RobustLogisticRegression, StandardLogisticRegression, robust_path
from shiftlr.solvers import separability, tall
from shiftlr.solvers.path import Start
from shiftlr.solvers.problem import make_problem
from shiftlr.solvers.quasi_newton import Objective, Search
from sklearn.exceptions import ConvergenceWarning

ROWS = 17_000


def data(m=6, seed=0, n=ROWS, noise=1.0):
    """Correlated columns of several sizes, labels with noise, uneven weights."""
    random = np.random.default_rng(seed)
    X = (random.normal(size=(n, m)) @ random.normal(size=(m, m)) + random.normal(size=m)) * np.geomspace(0.1, 10.0, m)
    scores = (X - X.mean(axis=0)) / X.std(axis=0) @ random.normal(size=m)
    y = (scores + noise * random.logistic(size=n) > 0.3).astype(int)
    return X, y, random.uniform(0.2, 3.0, size=n)


def violation(X, y, w, coef, intercept, lam=1.0, alpha=0.0, fit_intercept=True, doubts=0.0):
    """The largest entry of the gradient, relative to the sum of the sizes of its terms."""
    signs = 2.0 * y - 1.0
    margins = signs * (X @ coef + intercept)
    pull = w * signs * (doubts - np.minimum(expit(-margins), min(lam, 1.0)))
    centre = X.mean(axis=0) if fit_intercept else 0.0
    gradient = (X - centre).T @ pull + alpha * coef
    sizes = np.abs(X - centre).T @ np.abs(pull) + alpha * np.abs(coef)
    worst = np.max(np.abs(gradient) / sizes)
    return max(worst, abs(pull.sum()) / np.abs(pull).sum()) if fit_intercept else worst


def is_tall(X, y, w=None, fit_intercept=True):
    w = np.ones(len(y)) if w is None else w
    return isinstance(make_problem(X, 2.0 * y - 1.0, w, None, fit_intercept), tall.Tall)


@pytest.mark.parametrize("lam", [1.0, 0.2, 0.02])
@pytest.mark.parametrize("alpha", [0.0, 30.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_gradient_vanishes(lam, alpha, fit_intercept):
    X, y, w = data()
    assert is_tall(X, y, w, fit_intercept)
    penalty = "l2" if alpha else None
    model = RobustLogisticRegression(lam, penalty, alpha, fit_intercept=fit_intercept).fit(X, y, w)
    assert violation(X, y, w, model.coef_[0], model.intercept_[0], lam, alpha, fit_intercept) < 1e-7
    margins = (2 * y - 1) * (X @ model.coef_[0] + model.intercept_[0])
    shifts = (2 * y - 1) * model.shifts_
    loss = np.logaddexp(0.0, -(margins + shifts)) + min(lam, 1.0) * np.abs(shifts)
    expected = w @ loss + 0.5 * alpha * model.coef_[0] @ model.coef_[0]
    np.testing.assert_allclose(model.objective_, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "store",
    [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2], lambda X: X[::-1][::-1], np.float32],
    ids=["columns first", "strided", "view", "singles"],
)
def test_any_storage(store):
    X, y, w = data()
    X = X.astype(np.float32).astype(float)
    expected = StandardLogisticRegression().fit(X, y, w)
    stored = store(X)
    if stored.dtype == float:
        stored.flags.writeable = False
    model = StandardLogisticRegression().fit(stored, y, w)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-7)


@pytest.mark.parametrize("offset", [10.0, 1e5])
def test_offsets(offset):
    X, y, w = data()
    expected = StandardLogisticRegression().fit(X, y, w)
    moved = X + offset * np.where(np.arange(6) % 2 == 0, 1.0, -1.0)
    assert is_tall(moved, y, w)
    model = StandardLogisticRegression().fit(moved, y, w)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6)
    assert model.optimality_ <= 1e-8


def test_many_columns_with_and_without_correlations():
    random = np.random.default_rng(3)
    n, m = ROWS, 120
    independent = random.normal(size=(n, m))
    factors = random.normal(size=(n, 4)) @ random.normal(size=(4, m)) + 0.1 * independent
    for X in (independent, factors * np.geomspace(1e-3, 1e3, m)):
        y = (X[:, 0] / X[:, 0].std() + random.logistic(size=n) > 0.0).astype(int)
        model = StandardLogisticRegression("l2", 1.0).fit(X, y)
        assert is_tall(X, y)
        assert model.optimality_ <= 1e-8
        assert violation(X, y, np.ones(n), model.coef_[0], model.intercept_[0], alpha=1.0) < 1e-7


def test_grows_until_the_hessian_is_good_enough(monkeypatch):
    """A sample of as many rows as columns, of rows with heavy tails."""
    monkeypatch.setattr(tall, "_SAMPLE_ENTRIES", 1)
    monkeypatch.setattr(tall, "_SAMPLE_ROWS_PER_COLUMN", 1)
    random = np.random.default_rng(4)
    X = random.standard_t(2.5, size=(ROWS, 8)) @ random.normal(size=(8, 8))
    y = (X @ random.normal(size=8) + 3.0 * random.logistic(size=ROWS) > 0.0).astype(int)
    problem = make_problem(X, 2.0 * y - 1.0, np.ones(ROWS), None, True)
    assert problem.curvature.size < 10
    path = problem.path(np.zeros(1), np.array([0.3]), 1e-8, 1000)
    assert path.optimalities[0] <= 1e-8
    assert violation(X, y, np.ones(ROWS), path.coefs[0], path.intercepts[0], lam=0.3) < 1e-7


def test_doubts_and_warm_starts():
    X, y, w = data()
    doubts = np.random.default_rng(5).uniform(0.0, 0.6, size=ROWS)
    problem = make_problem(X, 2.0 * y - 1.0, w, None, True)
    settings = (np.zeros(1), np.ones(1), 1e-9, 1000)
    cold = problem.path(*settings, doubts=doubts)
    warm = problem.path(*settings, start=Start(np.full(6, 0.01), 0.2), doubts=doubts)
    for path in (cold, warm):
        assert violation(X, y, w, path.coefs[0], path.intercepts[0], doubts=doubts) < 1e-8
    again = problem.path(*settings, start=Start(cold.coefs[0], cold.intercepts[0]), doubts=doubts)
    assert again.n_iters[0] <= 1


def test_path_is_a_row_of_fits():
    X, y, w = data()
    lams = np.geomspace(1.0, 0.05, 7)
    path = robust_path(X, y, lams, sample_weight=w)
    for k, lam in enumerate(lams):
        assert violation(X, y, w, path.coefs[k], path.intercepts[k], lam) < 1e-7
        single = RobustLogisticRegression(lam).fit(X, y, w)
        np.testing.assert_allclose(single.coef_[0], path.coefs[k], rtol=1e-5, atol=1e-9)


def test_weight_zero_is_absence():
    X, y, w = data(n=2 * ROWS)
    w[::3] = 0.0
    expected = RobustLogisticRegression(0.2).fit(X[w > 0.0], y[w > 0.0], w[w > 0.0])
    X[::3] = 1e30
    model = RobustLogisticRegression(0.2).fit(X, y, w)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8)
    assert model.shifts_.shape == (2 * ROWS,)


def test_columns_that_say_nothing():
    """Constant columns, repeated ones, and indicators that sum to one."""
    X, y, _ = data(m=3)
    levels = np.eye(4)[np.random.default_rng(6).integers(0, 4, size=ROWS)]
    wide = np.column_stack([X, np.full(ROWS, 7.0), X[:, 0], levels])
    assert is_tall(wide, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = StandardLogisticRegression(tol=1e-6).fit(wide, y)
    expected = StandardLogisticRegression().fit(np.column_stack([X, levels[:, :3]]), y)
    np.testing.assert_allclose(model.objective_, expected.objective_, rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(wide)[:, 1], expected.predict_proba(
        np.column_stack([X, levels[:, :3]]))[:, 1], atol=1e-5)  # fmt: skip


def test_hostile_features_go_another_way():
    X, y, w = data()
    far = X.copy()
    far[5] *= 1e7
    assert not is_tall(far, y)
    assert not is_tall(X, y, np.where(np.arange(ROWS) == 3, 1e6, w))
    assert not is_tall(X + 1e6, y, fit_intercept=False)
    assert not is_tall(X[:1000], y[:1000])


def separable_cases():
    """(name, X, y, whether they are separable)."""
    X, _, _ = data(m=5, seed=8)
    scores = (X - X.mean(axis=0)) / X.std(axis=0) @ np.arange(1.0, 6.0)
    clear = (scores > 0.1).astype(int)
    noisy = data(m=5, seed=8)[1]
    far = clear.copy()
    far[np.argmax(scores)] = 0
    rare, shared = X.copy(), X.copy()
    rare[:, 2] = shared[:, 2] = 0.0
    rare[np.flatnonzero(noisy == 1)[[3, 30, 300]], 2] = 1.0
    shared[[np.flatnonzero(noisy == 1)[3], np.flatnonzero(noisy == 0)[3]], 2] = 1.0
    return [
        ("clear", X, clear, True),
        ("one label wrong", X, far, False),
        ("noisy", X, noisy, False),
        ("a rare feature of one class", rare, noisy, True),
        ("a rare feature of both", shared, noisy, False),
    ]


@pytest.mark.parametrize("tol", [1e-2, 1e-5, 1e-8])
@pytest.mark.parametrize(("X", "y", "separable"), [pytest.param(*case, id=name) for name, *case in separable_cases()])
def test_separable_data_warn(X, y, separable, tol):
    model = StandardLogisticRegression(tol=tol)
    if separable:
        with pytest.warns(ConvergenceWarning, match="separable"):
            model.fit(X, y)
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model.fit(X, y)


def test_no_program_for_ordinary_data(monkeypatch):
    """Whatever the tolerance: the curvature is proof enough."""
    monkeypatch.setattr(separability, "linprog", None)
    X, y, w = data()
    for tol in (1e-1, 1e-3, 1e-6):
        for lam in (1.0, 0.1):
            RobustLogisticRegression(lam, tol=tol).fit(X, y, w)


@pytest.mark.parametrize(("X", "y", "separable"), [pytest.param(*case, id=name) for name, *case in separable_cases()])
def test_no_false_proofs(X, y, separable):
    """At any point the proof fails for separable data; at the minimum it holds for others."""
    problem = make_problem(X, 2.0 * y - 1.0, np.ones(len(y)), None, True)
    tilt = np.zeros(6)
    start = problem.path(np.zeros(1), np.ones(1), 1e-9, 100)
    theta = problem.frame.to_kernel(start.coefs[0], start.intercepts[0])
    points = [theta, np.zeros(6), *np.random.default_rng(9).normal(size=(20, 6))]
    proofs = [problem._proves_minimum(Search(Objective(problem.rows, tilt, tilt, 1.0), problem.curvature, point))
              for point in points]  # fmt: skip
    assert not (separable and any(proofs))
    assert separable or proofs[0] or start.optimalities[0] > 1e-9


@pytest.mark.parametrize("scale", [1.0, 1e-12])
@pytest.mark.parametrize(("X", "y", "separable"), [pytest.param(*case, id=name) for name, *case in separable_cases()])
def test_no_false_proofs_from_any_point(X, y, separable, scale):
    """As above, for points that other solvers may stop at; a feature may be small beside the others."""
    X = X.copy()
    X[:, 2] *= scale
    signs, w = 2.0 * y - 1.0, np.ones(len(y))
    for coef in (np.zeros(5), *np.random.default_rng(10).normal(size=(10, 5))):
        margins = signs * ((X - X.mean(axis=0)) @ coef)
        assert not (separable and separability._is_bounded(X, signs, w, True, margins, 1.0))
    if not separable and X[:, 2].max() > 2.0 * scale:  # nor of a feature that the sample may miss
        model = StandardLogisticRegression().fit(X, y)
        margins = signs * (X @ model.coef_[0] + model.intercept_[0])
        assert separability._is_bounded(X, signs, w, True, margins, 1.0)


def has_direction(X, signs):
    """The whole linear program, dense."""
    signed = X * signs[:, None]
    answer = linprog(-signed.sum(axis=0), A_ub=np.vstack([signed, -signed]), bounds=(None, None),
                     b_ub=np.concatenate([np.ones(len(X)), np.zeros(len(X))]))  # fmt: skip
    return -answer.fun > 0.5


@pytest.mark.parametrize("seed", range(12))
def test_programs_over_some_rows(seed, monkeypatch):
    """Random data, near the border between separable and not, with a feature that few rows have."""
    monkeypatch.setattr(separability, "_FEW_ROWS", 0)
    monkeypatch.setattr(separability, "_PER_COLUMN", 2)
    random = np.random.default_rng(seed)
    X = np.column_stack([random.normal(size=(400, 3)), np.zeros(400), np.ones(400)])
    X[random.choice(400, size=3), 3] = 1.0
    signs = np.where(X[:, 0] + X[:, 1] * 0.5 > 0.2, 1.0, -1.0)
    flipped = random.choice(400, size=seed % 3, replace=False)
    signs[flipped] *= -1.0
    margins = signs * (X @ random.normal(size=5))
    assert separability.has_separating_direction(X, signs, margins) == has_direction(X, signs)


def test_memory():
    """A fit allocates far less than the data."""
    X, y, _ = data(m=30, n=120_000)
    StandardLogisticRegression().fit(X[:ROWS], y[:ROWS])
    for model in (StandardLogisticRegression(), RobustLogisticRegression(0.1), StandardLogisticRegression("l2", 1.0)):
        tracemalloc.start()
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 0.6 * X.nbytes
