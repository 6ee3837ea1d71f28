"""More than two classes, for every method: against answers that use none of our solvers."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
    robust_path,
)
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC
from softmax_answers import at_label, lower_bound, objective, random_classes, stored

STORAGES = ("dense", "sparse", "wide")
KINDS = ("label", "group")


def parts_of(model, y, n_columns):
    """Coefficients of the first columns, intercepts, and shifts (n, C)."""
    shifts = model.shifts_ if model.shifts_.ndim == 2 else at_label(model.shifts_, y, len(model.classes_))
    return model.coef_[:, :n_columns], model.intercept_, shifts


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(60))
def test_fits_are_the_minimum_by_duality(seed, kind):
    X, y, weights = random_classes(seed)
    random = np.random.default_rng(seed)
    alpha, lam = random.choice([0.01, 1.0, 20.0]), random.choice([0.02, 0.1, 0.4, 0.8])
    model = RobustLogisticRegression(lam, "l2", alpha, tol=1e-11, shift=kind)
    model.fit(stored(X, STORAGES[seed % 3]), y, sample_weight=weights)
    given = X, y, weights, alpha, lam, *parts_of(model, y, X.shape[1]), kind
    assert model.objective_ == pytest.approx(objective(*given), rel=1e-9)
    assert objective(*given) - lower_bound(*given) <= 1e-8 * model.objective_


@pytest.mark.parametrize("seed", range(50))
def test_standard_fits_are_those_of_an_independent_minimiser(seed):
    X, y, weights = random_classes(seed, noise=0.4)
    n_classes, m = y.max() + 1, X.shape[1]
    alpha = [0.0, 0.1, 5.0][seed % 3]

    def value(flat):
        theta = flat.reshape(n_classes, m + 1)
        scores = X @ theta[:, :m].T + theta[:, m]
        chances = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        chances[np.arange(len(y)), y] -= 1.0
        chances *= weights[:, None]
        losses = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
        gradient = np.column_stack([chances.T @ X + alpha * theta[:, :m], chances.sum(axis=0)])
        return weights @ losses + 0.5 * alpha * np.sum(theta[:, :m] ** 2), gradient.ravel()

    options = {"maxiter": 20_000, "maxfun": 40_000, "ftol": 1e-16, "gtol": 1e-10, "maxcor": 50}
    least = minimize(value, np.zeros(n_classes * (m + 1)), jac=True, method="L-BFGS-B", options=options).fun
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = StandardLogisticRegression("l2" if alpha else None, alpha).fit(X, y, sample_weight=weights)
    assert caught or model.objective_ <= least * (1.0 + 1e-8)
    at_model = value(np.column_stack([model.coef_, model.intercept_]).ravel())[0]
    assert caught or model.objective_ == pytest.approx(at_model, rel=1e-9)


@pytest.mark.parametrize("kind", [*KINDS, "one-vs-all"])
def test_the_order_of_the_classes_does_not_matter(kind):
    X, y, weights = random_classes(3, n=120, m=4, n_classes=5)
    names = np.array(["e", "a", "d", "b", "c"])
    model = RobustLogisticRegression(0.1, "l2", 1.0, shift=kind).fit(X, y, weights)
    renamed = RobustLogisticRegression(0.1, "l2", 1.0, shift=kind).fit(X, names[y], weights)
    order = np.argsort(names)
    assert renamed.objective_ == pytest.approx(model.objective_, rel=1e-10)
    np.testing.assert_allclose(renamed.coef_, model.coef_[order], atol=1e-7)
    np.testing.assert_allclose(renamed.predict_proba(X), model.predict_proba(X)[:, order], atol=1e-7)
    assert np.array_equal(renamed.predict(X), names[model.predict(X)])


def test_two_classes_do_not_depend_on_the_kind_of_shift():
    X, y, weights = random_classes(5, n=100, m=3, n_classes=3)
    two = (y > 0).astype(int)
    label = RobustLogisticRegression(0.1, "l2", 1.0).fit(X, two, weights)
    votes = RobustLogisticRegression(0.1, "l2", 1.0, shift="one-vs-all").fit(X, two, weights)
    group = RobustLogisticRegression(0.1 * np.sqrt(2.0), "l2", 1.0, shift="group").fit(X, two, weights)
    assert np.array_equal(label.coef_, votes.coef_)
    np.testing.assert_allclose(group.coef_, label.coef_, rtol=1e-9)
    np.testing.assert_allclose(group.shifts_[:, 1] - group.shifts_[:, 0], label.shifts_, rtol=1e-9, atol=1e-12)


def test_one_vs_all_is_a_model_of_two_classes_for_each():
    X, y, weights = random_classes(7, n=120, m=3, n_classes=4)
    model = RobustLogisticRegression(0.1, "l1", 0.5, shift="one-vs-all").fit(X, y, weights)
    for c in range(4):
        one = RobustLogisticRegression(0.1, "l1", 0.5).fit(X, y == c, weights)
        np.testing.assert_array_equal(model.coef_[c], one.coef_[0])
        np.testing.assert_allclose(model.shifts_[:, c], one.shifts_, atol=1e-12)
    assert model.predict_proba(X).sum(axis=1) == pytest.approx(1.0)
    assert np.array_equal(model.predict(X), model.decision_function(X).argmax(axis=1))


def test_l1_of_several_classes_is_refused_with_what_to_use_instead():
    X, y, _ = random_classes(1)
    for model in (StandardLogisticRegression("l1", 1.0), RobustLogisticRegression(0.1, "l1", 1.0)):
        with pytest.raises(ValueError, match="shift='one-vs-all'"):
            model.fit(X, y)


@pytest.mark.parametrize("kind", [*KINDS, "one-vs-all"])
def test_a_path_is_its_single_fits(kind):
    X, y, weights = random_classes(11, n=100, m=4, n_classes=4)
    lams = [0.02, 1.0, 0.3, 0.1]
    path = robust_path(X, y, lams, "l2", 1.0, sample_weight=weights, shift=kind)
    for k, lam in enumerate(lams):
        model = RobustLogisticRegression(lam, "l2", 1.0, shift=kind).fit(X, y, weights)
        assert path.objectives[k] == pytest.approx(model.objective_, rel=1e-9)
        np.testing.assert_allclose(path.coefs[k], model.coef_, atol=1e-5)
        assert path.shares[k] == np.mean(model.suspected(X, y))


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count_copies_and_zeros_count_nothing(kind):
    X, y, _ = random_classes(13, n=80, m=3, n_classes=4)
    counts = np.random.default_rng(0).integers(0, 3, 80)
    counts[:8] = 1
    weighted = RobustLogisticRegression(0.1, "l2", 1.0, shift=kind).fit(X, y, counts.astype(float))
    copied = RobustLogisticRegression(0.1, "l2", 1.0, shift=kind).fit(
        np.repeat(X, counts, axis=0), np.repeat(y, counts)
    )
    np.testing.assert_allclose(weighted.coef_, copied.coef_, atol=1e-7)


def test_suspects_are_named_with_the_class_they_seem_to_have():
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 2)) * 0.5 + np.repeat([[0, 4], [4, 0], [-4, -4], [4, 4]], 100, axis=0)
    truth = np.repeat(["north", "east", "south", "corner"], 100)
    y = truth.copy()
    wrong = random.choice(400, 12, replace=False)
    y[wrong] = [random.choice([name for name in np.unique(truth) if name != truth[i]]) for i in wrong]
    for kind in (*KINDS, "one-vs-all"):
        suspects = RobustLogisticRegression(0.1, "l2", 1.0, shift=kind).fit(X, y).suspects(n=12)
        assert set(suspects.index) == set(wrong)
        assert np.array_equal(suspects["suggested_label"], truth[suspects.index])


def test_separable_classes_without_a_penalty_are_told():
    X = np.repeat([[0.0, 4.0], [4.0, 0.0], [-4.0, -4.0]], 10, axis=0)
    with pytest.warns(ConvergenceWarning, match="separable"):
        StandardLogisticRegression().fit(X, np.repeat([0, 1, 2], 10))
    # the first class is alone on its side, the others overlap: still there is no minimum
    random = np.random.default_rng(0)
    X = np.vstack([random.normal(size=(20, 1)) - 10.0, random.normal(size=(40, 1)) + 10.0])
    with pytest.warns(ConvergenceWarning, match="separable"):
        StandardLogisticRegression().fit(X, np.r_[np.zeros(20), random.integers(1, 3, 40)])


def test_flips_between_classes_are_found():
    random = np.random.default_rng(1)
    X = random.normal(size=(3000, 4))
    truth = (2.0 * X @ random.normal(size=(4, 3)) + random.gumbel(size=(3000, 3))).argmax(axis=1)
    y = np.where((truth == 0) & (random.random(3000) < 0.3), 1, truth)
    model = FlippingLogisticRegression(tol=1e-7).fit(X, y)
    np.testing.assert_allclose(model.flip_probabilities_.sum(axis=1), 1.0)
    assert model.flip_probabilities_[0, 1] == pytest.approx(0.3, abs=0.06)
    assert model.flip_probabilities_[1:].diagonal(1) == pytest.approx(1.0, abs=0.06)
    assert np.all(np.diff(model.log_likelihoods_) >= 0.0)
    assert np.mean(y[model.suspected(X, y)] != truth[model.suspected(X, y)]) > 0.75
    standard = StandardLogisticRegression().fit(X, y)
    assert model.score(X, truth) > standard.score(X, truth)


def test_the_likelihood_of_flips_has_no_slope_where_em_ends():
    X, y, weights = random_classes(17, n=150, m=2, n_classes=3, noise=0.3)
    model = FlippingLogisticRegression("l2", 1.0, tol=1e-10, max_iter=5000).fit(X, y, weights)
    flips = model.flip_probabilities_

    def log_likelihood(coef, intercept):
        scores = X @ coef.T + intercept
        chances = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
        return weights @ np.log(np.sum(chances * flips.T[y], axis=1)) - 0.5 * np.sum(coef**2)

    assert log_likelihood(model.coef_, model.intercept_) == pytest.approx(model.log_likelihoods_[-1], rel=1e-12)
    for place in np.ndindex(*model.coef_.shape):
        step = np.zeros_like(model.coef_)
        step[place] = 1e-4
        ahead, behind = (log_likelihood(model.coef_ + sign * step, model.intercept_) for sign in (1.0, -1.0))
        assert abs(ahead - behind) / 2e-4 < 1e-2


def test_the_svm_fits_each_class_against_the_rest():
    X, y, _ = random_classes(19, n=150, m=4, n_classes=4)
    ours = LinearSVM(C=0.5, fit_intercept=False).fit(X, y)
    theirs = LinearSVC(C=0.5, loss="hinge", fit_intercept=False, tol=1e-9, max_iter=1_000_000).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-4)
    assert np.array_equal(ours.predict(X), theirs.predict(X)) and ours.multipliers_.shape == (150, 4)


def test_prefiltering_keeps_examples_whose_neighbours_have_their_class():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 2)) * 0.3 + np.repeat([[0, 3], [3, 0], [-3, -3]], 100, axis=0)
    y = np.repeat([0, 1, 2], 100)
    wrong = random.choice(300, 9, replace=False)
    y[wrong] = (y[wrong] + 1) % 3
    model = PrefilteredLogisticRegression(k=5, rule="majority", penalty="l2", alpha=1.0).fit(X, y)
    assert set(np.flatnonzero(~model.kept_)) == set(wrong)
    with pytest.raises(ValueError, match="rule='positives'"):
        PrefilteredLogisticRegression(rule="positives").fit(X, y)
