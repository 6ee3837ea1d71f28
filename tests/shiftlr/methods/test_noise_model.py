"""The noise model: its likelihood against one written down by hand, its gradient, and what it finds in drawn data."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.special import softmax
from shiftlr.methods._noise_model import _Likelihood, best_set, fit_noise_model


def drawn(seed, n=3000, n_classes=3, noise=0.2):
    """(scores, codes, true classes, noise matrix): scores are the logits that the true classes follow."""
    random = np.random.default_rng(seed)
    scores = 2.0 * random.normal(size=(n, n_classes))
    truth = (scores + random.gumbel(size=scores.shape)).argmax(axis=1)
    matrix = np.full((n_classes, n_classes), noise / (n_classes - 1))
    np.fill_diagonal(matrix, 1.0 - noise)
    codes = (random.random(n)[:, None] > matrix[truth].cumsum(axis=1)).sum(axis=1)
    return scores, codes, truth, matrix


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_likelihood_is_the_formula_and_its_gradient_the_slope(n_classes):
    scores, codes, _, _ = drawn(n_classes, n=40, n_classes=n_classes)
    random = np.random.default_rng(0)
    weights = random.uniform(0.5, 2.0, 40)
    likelihood = _Likelihood(scores, codes, weights)
    at = likelihood.start() + 0.3 * random.normal(size=len(likelihood.start()))
    offsets = np.r_[0.0, at[1:n_classes]]
    flips = softmax(at[n_classes:].reshape(n_classes, -1), axis=1)
    value = -0.5 * (5.0 if at[0] > 0.0 else 0.3) * at[0] ** 2 - 0.5 * offsets @ offsets
    for i in range(40):
        chances = softmax(np.exp(at[0]) * scores[i] + offsets)
        value += weights[i] * np.log(sum(chances[z] * flips[z, codes[i]] for z in range(n_classes)))
    value += sum(
        4.0 / (n_classes - 1) * np.log(flips[z, c]) for z in range(n_classes) for c in range(n_classes) if z != c
    )
    assert -likelihood.negative(at)[0] == pytest.approx(value, rel=1e-12)
    slope = approx_fprime(at, lambda point: likelihood.negative(point)[0], 1e-7)
    np.testing.assert_allclose(likelihood.negative(at)[1], slope, atol=2e-4)


@pytest.mark.parametrize("seed", range(6))
def test_flips_are_found_and_doubts_are_nearly_probabilities(seed):
    scores, codes, truth, matrix = drawn(seed, n_classes=2 + seed % 3, noise=[0.05, 0.3][seed % 2])
    found = fit_noise_model(scores, codes)
    np.testing.assert_allclose(found.noise_matrix, matrix, atol=0.07)
    np.testing.assert_allclose(found.noise_matrix.sum(axis=1), 1.0)
    wrong = codes != truth
    for low, high, within in ((0.0, 0.1, 0.04), (0.3, 0.7, 0.2), (0.8, 1.01, 0.1)):
        between = (found.doubts >= low) & (found.doubts < high)
        assert np.mean(wrong[between]) == pytest.approx(np.mean(found.doubts[between]), abs=within)


def test_the_size_of_scores_and_weights_does_not_matter_much():
    scores, codes, _, _ = drawn(1)
    found = fit_noise_model(scores, codes)
    np.testing.assert_allclose(fit_noise_model(5.0 * scores, codes).doubts, found.doubts, atol=0.01)
    np.testing.assert_allclose(fit_noise_model(scores, codes, np.full(3000, 1e6)).doubts, found.doubts, atol=1e-9)
    twice = np.repeat(np.arange(3000), 2)
    counted = fit_noise_model(scores[twice], codes[twice])
    np.testing.assert_allclose(counted.doubts[::2], found.doubts, atol=0.04)


def test_the_order_of_the_classes_does_not_matter_much():
    scores, codes, _, _ = drawn(2)
    order = np.array([2, 0, 1])
    turned = fit_noise_model(scores[:, order], np.argsort(order)[codes])
    np.testing.assert_allclose(turned.doubts, fit_noise_model(scores, codes).doubts, atol=0.01)


def test_the_best_set_has_the_largest_expected_f1():
    random = np.random.default_rng(0)
    for _ in range(50):
        doubts = random.random(30) ** random.choice([1, 3, 8])
        candidates = random.random(30) < 0.6
        named = best_set(doubts, candidates)
        assert not (named & ~candidates).any()
        places = np.flatnonzero(candidates)[np.argsort(-doubts[candidates])]
        f1 = [2.0 * doubts[places[:k]].sum() / (k + doubts.sum()) for k in range(1, len(places) + 1)]
        assert set(np.flatnonzero(named)) == set(places[: 1 + int(np.argmax(f1))])


def test_nobody_is_named_where_no_wrong_label_is_expected():
    assert not best_set(np.full(100, 0.004), np.ones(100, dtype=bool)).any()
    assert not best_set(np.ones(5), np.zeros(5, dtype=bool)).any()
