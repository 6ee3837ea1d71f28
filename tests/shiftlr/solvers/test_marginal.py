"""The likelihood of labels of which some were flipped: its terms, its derivatives, and the way up to its maximum."""

import warnings

import numpy as np
import pytest
from problems import random_problem
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit, log_expit
from shiftlr import FlippingLogisticRegression
from shiftlr.solvers.ascent import NEARBY, climb, newton_step
from shiftlr.solvers.marginal import Marginal
from shiftlr.solvers.path import Start

FLIPS = np.array([0.23, 0.07])


def weak_problem(seed, n, coef, rates=(0.2, 0.1)):
    """Labels that depend little on the features, so that EM is slow."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, len(coef)))
    true = (random.random(n) < expit(X @ coef)).astype(int)
    flipped = random.random(n) < np.asarray(rates)[true]
    return X, np.where(flipped, 1 - true, true)


def log_seen(margins, signs, flips):
    """log P of every label, by scipy, and the doubts."""
    seen = (signs > 0).astype(int)
    with np.errstate(divide="ignore"):
        right = log_expit(margins) + np.log1p(-flips)[seen]
        wrong = log_expit(-margins) + np.log(flips)[1 - seen]
    return np.logaddexp(right, wrong), expit(wrong - right)


def value(marginal, z):
    """The penalised log-likelihood at (theta, b, flips) as one vector, b for centred columns."""
    m = marginal.X.shape[1]
    shift = z[m] - marginal.centre @ z[:m] if marginal.fit_intercept else 0.0
    values, _ = log_seen(marginal.signs * (marginal.X @ z[:m] + shift), marginal.signs, z[-2:])
    return marginal.weights @ values - 0.5 * marginal.alpha * z[:m] @ z[:m]


@pytest.mark.parametrize("flips", [(0.2, 0.1), (0.3, 0.0), (0.0, 1e-200), (0.0, 0.0)])
def test_terms_of_any_margin(flips):
    flips = np.array(flips)
    margins = np.concatenate([np.linspace(-3.0, 3.0, 13), [-5e4, -800.0, -40.0, 40.0, 800.0, 5e4]])
    X, signs = np.tile(margins, 2)[:, None], np.repeat([1.0, -1.0], len(margins))
    weights = np.linspace(0.5, 2.0, len(signs))
    marginal = Marginal(X * signs[:, None], signs, weights, None, 0.0, True)
    point = marginal.at(Start(np.ones(1), 0.0), flips)
    values, doubts = log_seen(X[:, 0], signs, flips)
    assert point.log_likelihood == pytest.approx(weights @ values, rel=1e-13)
    np.testing.assert_allclose(point.doubts, doubts, rtol=1e-12, atol=1e-290)
    assert np.all(point.doubts[doubts == 0.0] <= 1e-290)
    for true in (0, 1):
        of_class = (signs > 0) == (true == 1)
        flipped, kept = (weights * doubts)[~of_class].sum(), (weights * (1.0 - doubts))[of_class].sum()
        assert point.next_flips[true] == pytest.approx(flipped / (flipped + kept), rel=1e-12)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.7])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_derivatives_are_those_of_finite_differences(fit_intercept, alpha, store):
    X, y, w = random_problem(11, 90, 3)
    marginal = Marginal(store(X + 3.0), np.where(y == 1, 1.0, -1.0), w, "l2" if alpha else None, alpha, fit_intercept)
    coef, intercept = np.array([0.4, -0.3, 0.2]), 0.1 if fit_intercept else 0.0
    expansion = marginal.expand(marginal.at(Start(coef, intercept), FLIPS))
    z = np.concatenate([coef, [intercept + marginal.centre @ coef] if fit_intercept else [], FLIPS])
    steps = 1e-4 * np.eye(len(z))
    slopes = [(value(marginal, z + step) - value(marginal, z - step)) / 2e-4 for step in steps]
    bends = [
        [
            (value(marginal, z + a + b) - value(marginal, z + a - b) - value(marginal, z - a + b)
             + value(marginal, z - a - b)) / 4e-8
            for b in steps
        ]
        for a in steps
    ]  # fmt: skip
    np.testing.assert_allclose(expansion.gradient, slopes, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(expansion.information, -np.array(bends), rtol=1e-4, atol=1e-3)
    taken_away = (expansion.known - expansion.information)[:-2, :-2]  # by hidden labels, from what EM takes for known
    assert np.all(np.linalg.eigvalsh(taken_away) > 0.0)


def test_a_step_ends_where_the_model_has_its_maximum():
    X, y = weak_problem(1, 20_000, np.full(3, 1.5))
    marginal = Marginal(X, np.where(y == 1, 1.0, -1.0), np.ones(len(y)), None, 0.0, True)
    expansion = marginal.expand(marginal.at(Start(np.full(3, 1.45), 0.0), np.array([0.19, 0.11])))
    step = newton_step(expansion, np.array([0.19, 0.11]), np.zeros(2, dtype=bool), NEARBY)
    assert step.damping == 0.0
    np.testing.assert_allclose(step.change, np.linalg.solve(expansion.information, expansion.gradient), rtol=1e-8)
    assert step.gain == pytest.approx(0.5 * expansion.gradient @ step.change, rel=1e-8)


def test_a_probability_never_goes_to_0_or_leaves_it():
    X, y = weak_problem(2, 2000, np.full(3, 1.0), rates=(0.0, 0.2))
    marginal = Marginal(X, np.where(y == 1, 1.0, -1.0), np.ones(len(y)), None, 0.0, True)
    for flips in (np.array([1e-3, 0.2]), np.array([0.0, 0.2])):
        point, fixed = marginal.at(Start(np.full(3, 1.0), 0.0), flips), flips == 0.0
        points, found = climb(marginal, point, marginal.expand(point), fixed, NEARBY, 100)
        assert found and len(points) > 0
        assert (points[-1].flips[0] == 0.0) == fixed[0]
        assert points[-1].flips[0] < 0.05


def climbed(X, y, penalty, flips, start):
    """The largest log-likelihood that scipy's L-BFGS finds, from given weights and flip probabilities."""
    signs = np.where(y == 1, 1.0, -1.0)
    m = X.shape[1]

    def loss(z):
        values, doubts = log_seen(signs * (X @ z[:m] + z[m]), signs, expit(z[-2:]))
        against = expit(-signs * (X @ z[:m] + z[m]))
        residuals = signs * (doubts - against)
        flips = expit(z[-2:])
        slopes = []
        for true in (0, 1):
            kept, flipped = (1.0 - doubts)[(y == 1) == (true == 1)].sum(), doubts[(y == 1) != (true == 1)].sum()
            slopes.append(flips[true] * kept - (1.0 - flips[true]) * flipped)
        gradient = np.concatenate([X.T @ residuals + penalty * z[:m], [residuals.sum()], slopes])
        return (-values.sum() + 0.5 * penalty * z[:m] @ z[:m]) / len(y), gradient / len(y)

    z = np.concatenate([start, np.log(flips / (1.0 - flips))])
    options = {"maxiter": 5000, "maxfun": 10000, "ftol": 1e-16, "gtol": 1e-10}
    found = minimize(loss, z, jac=True, method="L-BFGS-B", options=options)
    return -found.fun * len(y), found.x


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("alpha", [0.0, 5.0])
def test_weak_signals_end_at_the_maximum(store, alpha):
    """EM's gains look finished far below it; L-BFGS starts where EM starts, and from where the fit has ended."""
    for seed in range(3):
        X, y = weak_problem(seed, 20_000, np.full(4, 0.6))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            fit = FlippingLogisticRegression(penalty="l2" if alpha else None, alpha=alpha).fit(store(X), y)
        ended = np.append(fit.coef_[0], fit.intercept_)
        learned = fit.flip_probabilities_[[0, 1], [1, 0]]
        best, z = climbed(X, y, alpha, np.full(2, 0.2), np.zeros(5))
        further, _ = climbed(X, y, alpha, np.maximum(learned, 1e-12), ended)
        assert fit.log_likelihoods_[-1] >= max(best, further) - 1e-5
        np.testing.assert_allclose(ended, z[:-2], atol=2e-3)
        np.testing.assert_allclose(learned, expit(z[-2:]), atol=2e-3)
        assert np.all(np.diff(fit.log_likelihoods_) >= 0.0)
        assert fit.n_iter_ == len(fit.log_likelihoods_) - 1 < 40


def test_the_first_iterations_are_those_of_em():
    X, y = weak_problem(5, 5000, np.full(3, 0.5))
    fits = {}
    for n in (1, 2, 3, 100):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fits[n] = FlippingLogisticRegression(max_iter=n).fit(X, y)
    for n in (1, 2, 3):
        assert fits[n].n_iter_ == n
        assert fits[n].log_likelihoods_ == fits[100].log_likelihoods_[: n + 1]


def test_labels_that_are_right_leave_small_doubts_in_order():
    """Without flips a probability sinks towards 0, and what doubts are left still say which label looks worst."""
    X, y = weak_problem(6, 4000, np.full(3, 1.5), rates=(0.0, 0.0))
    fit = FlippingLogisticRegression().fit(X, y)
    learned = fit.flip_probabilities_[[0, 1], [1, 0]]
    assert np.all(learned > 0.0) and learned.min() < 1e-3
    margins = np.where(y == 1, 1.0, -1.0) * fit.decision_function(X)
    for label in (0, 1):
        assert np.all(np.diff(fit.doubts_[y == label][np.argsort(-margins[y == label])]) >= 0.0)
