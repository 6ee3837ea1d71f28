"""A fit is right, or it warns, or it raises: one kind of hostility at a time, against answers in extended precision."""

import warnings

import numpy as np
import pytest
from extended_precision import least_objective
from hostile_problems import KINDS, MODELS, ONE_SIDED, Model, hostile_problem, plain_problem, stored, wrong_in_silence
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_expit
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
    robust_path,
)
from shiftlr.model_selection import lam_grid, tune_by_folds
from sklearn.exceptions import ConvergenceWarning

NAMES = {model: f"{model.name}-{model.penalty}" for model in MODELS}


@pytest.mark.parametrize("model", MODELS, ids=NAMES.get)
@pytest.mark.parametrize("kind", KINDS)
def test_right_or_warned(kind, model):
    sizes = (1e2, 1e6, 1e8, 1e10, 1e12) if kind in ONE_SIDED else (1e-12, 1e-6, 1e6, 1e12)
    for place, size in enumerate(sizes):
        assert wrong_in_silence(hostile_problem(kind, size, seed=place), model) == [], f"{size:.0e}"


@pytest.mark.parametrize("penalty", [None, "l2"])
@pytest.mark.parametrize("kind", ["row", "weight", "scale", "column"])
@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_one_hostile_thing_is_solved_and_not_only_warned_of(storage, kind, penalty):
    for seed, size in enumerate((1e6, 1e8, 1e10, 1e12)):
        problem = hostile_problem(kind, size, seed)
        for name in ("standard", "robust"):
            model = Model(name, penalty)
            weights, terms = model.terms(problem)
            least, _ = least_objective(problem.X, problem.signs, weights, **terms)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                fit = model.estimator(problem).fit(stored(problem.X, storage), problem.signs, sample_weight=weights)
            assert fit.objective_ <= least * (1.0 + 1e-6)


def test_a_column_is_not_lost_beside_one_that_is_1e15_times_as_large():
    random = np.random.default_rng(0)
    n = 400
    flag = (random.random(n) < 0.5).astype(float)
    y = np.where(random.random(n) < 0.1, 1.0 - flag, flag)
    nanoseconds = 1.7e18 + random.uniform(0.0, 7 * 24 * 3600e9, size=n)  # within a week
    fit = StandardLogisticRegression().fit(np.column_stack([nanoseconds, flag]), y)
    scaled = StandardLogisticRegression().fit(np.column_stack([(nanoseconds - 1.7e18) / 1e14, flag]), y)
    assert fit.objective_ == pytest.approx(scaled.objective_, rel=1e-9)
    assert fit.score(np.column_stack([nanoseconds, flag]), y) > 0.85


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e8])
@pytest.mark.parametrize("storage", ["dense", "sparse", "wide"])
@pytest.mark.parametrize("model", MODELS[:6], ids=NAMES.get)
def test_an_offset_changes_nothing(model, storage, offset):
    problem = plain_problem(np.random.default_rng(3))
    X = np.round(problem.X * 2**20) / 2**20  # so that the sums below are exact
    fits = [model.estimator(problem).fit(stored(X + shift, storage), problem.signs) for shift in (0.0, offset)]
    assert fits[1].objective_ == pytest.approx(fits[0].objective_, rel=1e-9)
    np.testing.assert_allclose(fits[1].coef_, fits[0].coef_, rtol=1e-5, atol=1e-7)


def test_constant_columns_are_not_features():
    X, y, *_ = plain_problem(np.random.default_rng(4))
    with_constant = np.column_stack([X, np.full(len(X), 1e8 / 3.0)])
    fits = [StandardLogisticRegression().fit(features, y) for features in (X, with_constant)]
    assert fits[1].objective_ == pytest.approx(fits[0].objective_, rel=1e-12)


def test_an_outlying_row_does_not_make_data_separable():
    for seed in range(4):
        X, y, *_ = hostile_problem("row", 1e10, seed)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            StandardLogisticRegression().fit(X, y)
    with pytest.warns(ConvergenceWarning, match="separable"):
        StandardLogisticRegression().fit(X * 1e10, np.sign(X[:, 0]))


def test_prefiltering_is_right_on_what_it_keeps():
    for seed, (kind, size) in enumerate([("scale", 1e12), ("offsets", 1e8), ("row", 1e10), ("weight", 1e12)]):
        problem = hostile_problem(kind, size, seed)
        fit = PrefilteredLogisticRegression(k=3, rule="majority", penalty="l2", alpha=1.0)
        fit.fit(problem.X, problem.signs, sample_weight=problem.weights)
        kept = fit.kept_
        least, _ = least_objective(problem.X[kept], problem.signs[kept], problem.weights[kept], 1.0, "l2", 1.0)
        assert fit.objective_ <= least * (1.0 + 1e-6)


@pytest.mark.parametrize("penalty", [None, "l2"])
@pytest.mark.parametrize("kind", KINDS)
def test_flipping_ends_at_a_maximum_or_warns(kind, penalty):
    for seed, size in enumerate((1e4, 1e8, 1e12)):
        problem = hostile_problem(kind, size, seed)
        X, signs, weights, *_ = problem
        alpha = 0.0 if penalty is None else 1.0
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fit = FlippingLogisticRegression(penalty=penalty, alpha=alpha).fit(X, signs, sample_weight=weights)
        if not caught:
            better = _climb(X, signs, weights, alpha, fit)
            assert fit.objective_ <= better + 1e-6 * abs(better), f"{size:.0e}"


def _climb(X, signs, weights, alpha, fit):
    """The least minus log-likelihood that L-BFGS-B finds from the fit on, on columns of one size."""
    centre = np.median(X, axis=0)
    scale = np.median(np.abs(X - centre), axis=0)
    Z, coef = (X - centre) / scale, fit.coef_[0]
    start = np.concatenate([coef * scale, [fit.intercept_[0] + centre @ coef]])
    flips = fit.flip_probabilities_[[0, 1], [1, 0]]

    def value(point):
        margins = signs * (Z @ point[:-3] + point[-3])
        flip = point[-2:]
        own, other = flip[(signs > 0).astype(int)], flip[(signs < 0).astype(int)]
        with np.errstate(divide="ignore"):
            seen = np.logaddexp(log_expit(margins) + np.log1p(-own), log_expit(-margins) + np.log(other))
        return -weights @ seen / weights.sum() + 0.5 * alpha / weights.sum() * np.sum((point[:-3] / scale) ** 2)

    bounds = [(None, None)] * len(start) + [(0.0, 0.999)] * 2
    options = {"ftol": 1e-15, "gtol": 1e-9, "maxfun": 20000}
    found = minimize(value, np.concatenate([start, flips]), method="L-BFGS-B", bounds=bounds, options=options)
    return found.fun * weights.sum()


# what overflows, vanishes, or stops too early


def test_a_measure_that_is_no_number_is_no_convergence():
    fit = StandardLogisticRegression()
    fit.optimality_, fit.n_iter_ = np.nan, 3
    with pytest.warns(ConvergenceWarning, match="optimality nan"):
        fit._warn_if_not_converged(1e-8)


@pytest.mark.parametrize("weight", [1e308, 1e101, 1e-320])
def test_weights_that_overflow_are_refused(weight):
    X, y, *_ = plain_problem(np.random.default_rng(5))
    with pytest.raises(ValueError, match=r"sample_weight\[0\]=.*multiply all weights by one number"):
        StandardLogisticRegression().fit(X, y, sample_weight=np.full(len(y), weight))


@pytest.mark.parametrize(
    "estimator",
    [
        RobustLogisticRegression(lam=1e-320),
        StandardLogisticRegression(penalty="l2", alpha=1e-320),
        StandardLogisticRegression(penalty="l1", alpha=1e300),
        LinearSVM(C=1e-320),
    ],
)
def test_prices_that_vanish_or_overflow_are_refused(estimator):
    X, y, *_ = plain_problem(np.random.default_rng(5))
    with pytest.raises(ValueError, match="must be a number from 1e-100 to 1e"):
        estimator.fit(X, y)
    with pytest.raises(ValueError, match="lams=1e-320"):
        robust_path(X, y, [0.5, 1e-320])


@pytest.mark.parametrize("scale", [1e-308, 1e-300, 1e300])
@pytest.mark.parametrize("model", MODELS, ids=NAMES.get)
def test_features_at_the_ends_of_the_range_are_fitted_or_refused_by_name(model, scale):
    problem = plain_problem(np.random.default_rng(6))
    for X in (problem.X * scale, sparse.csr_array(problem.X * scale)):
        with warnings.catch_warnings(record=True) as caught, np.errstate(all="ignore"):
            warnings.simplefilter("always")
            try:
                fit = model.estimator(problem).fit(X, problem.signs)
            except ValueError as error:
                assert "Scale the features" in str(error)
                continue
        weights, terms = model.terms(problem)
        if terms["penalty"] is None:
            least, _ = least_objective(problem.X, problem.signs, weights, **terms)
            assert caught or fit.objective_ <= least * (1.0 + 1e-6)
        assert np.isfinite(fit.objective_)


def test_paths_and_tuning_warn_of_points_that_did_not_converge():
    X, y, *_ = plain_problem(np.random.default_rng(7), n=200)
    lams = [1.0, 0.3, 0.1, 0.01]
    with pytest.warns(ConvergenceWarning, match="of 4 fits of a path did not converge; the worst, at alpha="):
        robust_path(X, y, lams, max_iter=1)
    with pytest.warns(ConvergenceWarning, match="fits of a path did not converge"):
        tune_by_folds(RobustLogisticRegression(max_iter=1), lam_grid(lams), X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        robust_path(X, y, lams)
        tune_by_folds(RobustLogisticRegression(), lam_grid(lams), X, y)
