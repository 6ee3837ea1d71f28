"""Simulated data: what a replicate depends on, the distributions, and wrong labels."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from shiftbench import noise
from shiftbench.datasets import base, simulated
from shiftbench.datasets.simulated import DEFAULTS, GENERATORS, check

SMALL = {"features": 3, "train": 40, "dev": 30, "test": 20}
UNIFORM = {"p0": 0.2, "p1": 0.1}


def draw(name="e.s", seed=7, number=4, flips=UNIFORM, kind="uniform", **settings):
    made = getattr(noise, kind)(**flips)
    return base.draw(simulated, DEFAULTS | SMALL | settings, made, base.seed_of(name, number, seed), name, number)


def draw_large(flips=None, kind="uniform", **settings):
    """One training set large enough to look at its shares and means."""
    settings = {"train": 40000, "dev": 1, "test": 1} | settings
    return draw("e.s", 0, 0, {"p0": 0.0} if flips is None else flips, kind, **settings).parts["train"]


def near_share(share, expected, n):
    """Within four standard deviations of the binomial distribution."""
    return abs(share - expected) <= 4.0 * np.sqrt(expected * (1.0 - expected) / n)


def assert_same(one, other):
    for name, part in one.parts.items():
        for values, other_values in zip(part[:3], other.parts[name][:3], strict=True):
            np.testing.assert_array_equal(values, other_values)


def test_a_replicate_is_drawn_one_part_after_the_other_with_its_noise():
    """By hand: features, labels and flips of the train set, then those of the development set, then the test set."""
    found = draw()
    rng = np.random.default_rng(base.seed_of("e.s", 4, 7))
    for name, n in (("train", 40), ("dev", 30), ("test", 20)):
        X = rng.uniform(-5.0, 5.0, (n, 3))
        truth = rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * X.sum(axis=1)))
        flipped = rng.random(n) < np.where(truth, 0.1, 0.2) if name != "test" else np.zeros(n, dtype=bool)
        np.testing.assert_array_equal(found.parts[name].X, X)
        np.testing.assert_array_equal(found.parts[name].truth, truth)
        np.testing.assert_array_equal(found.parts[name].labels, truth ^ flipped)


def test_the_same_replicate_is_the_same_every_time():
    assert_same(draw(), draw())


@pytest.mark.parametrize(("name", "seed", "number"), [("e.t", 7, 4), ("f.s", 7, 4), ("e.s", 8, 4), ("e.s", 7, 5)])
def test_other_names_seeds_and_numbers_give_other_data(name, seed, number):
    ours, other = draw(), draw(name, seed, number)
    for part, other_part in zip(ours.parts.values(), other.parts.values(), strict=True):
        assert not np.isin(part.X, other_part.X).any()


def test_the_order_of_settings_does_not_matter():
    settings = DEFAULTS | SMALL
    seed = base.seed_of("e.s", 4, 7)
    both = [base.draw(simulated, about, None, seed, "s", 4) for about in (settings, dict(reversed(settings.items())))]
    assert_same(*both)


@pytest.mark.parametrize("distribution", ["uniform", "normal"])
def test_sets_do_not_share_examples(distribution):
    parts = draw(distribution=distribution).parts
    assert {name: part.X.shape for name, part in parts.items()} == {"train": (40, 3), "dev": (30, 3), "test": (20, 3)}
    values = np.concatenate([part.X.ravel() for part in parts.values()])
    assert len(np.unique(values)) == len(values)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize(("p0", "p1"), [(0.3, 0.0), (0.1, 0.4), (0.0, 0.0), (1.0, 1.0)])
def test_labels_are_flipped_as_often_as_asked(generator, p0, p1):
    part = draw_large({"p0": p0, "p1": p1}, generator=generator, features=2)
    flipped = part.labels != part.truth
    for truth, chance in ((False, p0), (True, p1)):
        of_class = flipped[part.truth == truth]
        assert near_share(of_class.mean(), chance, len(of_class))


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize(
    ("kind", "flips"), [("uniform", {"p0": 1.0, "p1": 1.0}), ("region", {"low": -5.0, "high": 5.0, "p1": 1.0})]
)
def test_test_labels_are_never_flipped(generator, kind, flips):
    parts = draw(flips=flips, kind=kind, generator=generator, features=2).parts
    np.testing.assert_array_equal(parts["test"].labels, parts["test"].truth)
    assert np.any(parts["train"].labels != parts["train"].truth)
    assert np.any(parts["dev"].labels != parts["dev"].truth)


@pytest.mark.parametrize(("low", "high"), [(-5.0, -4.0), (-1.0, 0.5)])
def test_a_region_flips_exactly_its_negatives(low, high):
    part = draw_large({"low": low, "high": high}, "region", features=2)
    inside = (part.X[:, 0] >= low) & (part.X[:, 0] <= high)
    assert np.any(inside & part.truth) and np.any(inside & ~part.truth)
    np.testing.assert_array_equal(part.labels != part.truth, inside & ~part.truth)


def test_logistic_labels_follow_the_relevant_features_only():
    part = draw_large(features=4, relevant=2)
    chances = 1.0 / (1.0 + np.exp(-2.0 * part.X[:, :2].sum(axis=1)))
    for low in np.arange(0.0, 1.0, 0.25):
        within = (chances >= low) & (chances < low + 0.25)
        n = within.sum()
        assert near_share(part.truth[within].mean(), chances[within].mean(), n)
    others = part.X[:, 2:]
    assert np.all(np.abs(others[part.truth].mean(axis=0) - others[~part.truth].mean(axis=0)) < 0.12)


@pytest.mark.parametrize(("distribution", "sd", "most"), [("uniform", 10.0 / np.sqrt(12.0), 5.0), ("normal", 1.0, 6.0)])
def test_distribution_of_the_features(distribution, sd, most):
    X = draw_large(features=3, distribution=distribution).X
    np.testing.assert_allclose(X.std(axis=0), sd, rtol=0.02)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=4.0 * sd / np.sqrt(len(X)))
    assert np.abs(X).max() <= most


def test_two_gaussians():
    part = draw_large(generator="two_gaussians", features=2)
    assert near_share(part.truth.mean(), 0.5, len(part.truth))
    for truth, mean, variance in ((True, 0.0, 1.0), (False, 1.0, 1.5)):
        X = part.X[part.truth == truth]
        np.testing.assert_allclose(X.mean(axis=0), mean, atol=4.0 * np.sqrt(variance / len(X)))
        np.testing.assert_allclose(np.cov(X.T), variance * np.eye(2), atol=0.06)


def test_density_ratio_has_few_positives():
    assert draw_large(generator="density_ratio", features=50).truth.mean() == pytest.approx(0.014, abs=0.002)


def test_density_ratio_labels_follow_the_ratio_of_the_densities():
    part = draw_large(generator="density_ratio", features=2)
    positive = multivariate_normal([2.0, 2.0], np.eye(2)).pdf(part.X)
    negative = multivariate_normal([-2.0, -2.0], 2.0 * np.eye(2)).pdf(part.X)
    chances = positive / (positive + negative)
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
        within = (chances >= low) & (chances <= high)
        assert near_share(part.truth[within].mean(), chances[within].mean(), within.sum())


def softmax(**settings):
    about = DEFAULTS | {"generator": "softmax", "classes": 4, "features": 3} | settings
    return base.draw(simulated, about, noise.uniform(share=0.2), base.seed_of("e.s", 0, 7), "s", 0)


def test_a_softmax_s_labels_follow_weights_that_are_drawn_once():
    """By hand: weights, then features and Gumbel noise of each part, and flips of the first two."""
    found = softmax(relevant=2)
    rng = np.random.default_rng(base.seed_of("e.s", 0, 7))
    weights = rng.normal(scale=np.sqrt(2.0), size=(4, 2))
    for name in ("train", "dev", "test"):
        X = rng.uniform(-5.0, 5.0, (500, 3))
        truth = np.argmax(X[:, :2] @ weights.T - np.log(-np.log(1.0 - rng.random((500, 4)))), axis=1)
        flipped = rng.random(500) < (0.2 if name != "test" else 0.0)
        moved = rng.integers(1, 4, 500) if name != "test" else 0
        np.testing.assert_array_equal(found.parts[name].X, X)
        np.testing.assert_array_equal(found.parts[name].truth, truth)
        np.testing.assert_array_equal(found.parts[name].labels, (truth + flipped * moved) % 4)
    assert found.about["classes"] == ["1", "2", "3", "4"]


def test_a_softmax_s_classes_are_as_likely_as_their_scores_say():
    train = softmax(train=60000, features=2, classes=3, distribution="normal").parts["train"]
    weights = np.random.default_rng(base.seed_of("e.s", 0, 7)).normal(scale=np.sqrt(2.0), size=(3, 2))
    scores = np.exp(train.X @ weights.T)
    chances = scores / scores.sum(axis=1, keepdims=True)
    for one in range(3):
        for low in np.arange(0.0, 1.0, 0.25):
            within = (chances[:, one] >= low) & (chances[:, one] < low + 0.25)
            assert near_share(np.mean(train.truth[within] == one), chances[within, one].mean(), within.sum())


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"generator": "softmax", "classes": 1}, "classes: 1 must be a whole number, at least 2"),
        ({"classes": 2.5}, "classes: 2.5 must be a whole number, at least 2"),
        ({"classes": 3}, "classes: 3 are too many for logistic; use softmax"),
    ],
)
def test_classes_that_cannot_be_drawn_are_refused(settings, problem):
    assert list(check(DEFAULTS | settings)) == [problem]


@pytest.mark.parametrize("generator", GENERATORS)
def test_good_settings_have_nothing_wrong_with_them(generator):
    for settings in (DEFAULTS, DEFAULTS | SMALL | {"relevant": 3, "generator": generator, "distribution": "normal"}):
        assert list(check(settings)) == []


def test_what_is_said_of_a_replicate():
    about = draw().about
    train = draw().parts["train"]
    assert about["origin"] == "report" and about["features"] == 3
    assert about["positives"] == train.labels.sum() and about["positives"] + about["negatives"] == 40
    assert about["mislabelled"] == np.mean(train.labels != train.truth) > 0.0
