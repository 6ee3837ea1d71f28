"""Simulated examples, whose labels are then made wrong on purpose: the report's sections 4.1, 5, 6 and appendix B."""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import expit

from shiftbench.datasets.base import PARTS, Part

WEIGHT = 2.0  # of every relevant feature; the intercept is zero
REDRAWN = True  # drawing takes less time than reading, and random numbers do not compress
DEFAULTS = {
    "generator": "logistic",
    "features": 10,
    "relevant": None,  # how many of them have a weight; by default all
    "classes": 2,
    "distribution": "uniform",
    "train": 500,
    "dev": 500,
    "test": 500,
}
DISTRIBUTIONS = ("uniform", "normal")
MANY_CLASSES = ("softmax",)  # generators of any number of classes, with weights that are drawn once for all parts


def load(settings, rng):
    """Train, development and test set, drawn one after the other."""
    generate = GENERATORS[settings["generator"]]
    if settings["generator"] in MANY_CLASSES:
        yield "about", {"classes": [str(k + 1) for k in range(settings["classes"])]}
        generate = partial(generate, weights=_weights(rng, settings))
    for name in PARTS:
        X, truth = generate(rng, settings, settings[name])
        yield name, Part(X, truth, truth)


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    if settings["generator"] not in GENERATORS:
        yield f"generator: {settings['generator']!r} is not allowed; allowed are {', '.join(GENERATORS)}"
    if settings["distribution"] not in DISTRIBUTIONS:
        yield f"distribution: {settings['distribution']!r} is not allowed; allowed are {', '.join(DISTRIBUTIONS)}"
    least = {"features": 1, "train": 2, "dev": 1, "test": 1}
    for name, minimum in least.items():
        if not _is_whole(settings[name], minimum):
            yield f"{name}: {settings[name]!r} must be a whole number, at least {minimum}"
    if not _is_whole(settings["classes"], 2):
        yield f"classes: {settings['classes']!r} must be a whole number, at least 2"
    elif settings["classes"] > 2 and settings["generator"] not in MANY_CLASSES:
        yield f"classes: {settings['classes']} are too many for {settings['generator']}; use {', '.join(MANY_CLASSES)}"
    relevant, features = settings["relevant"], settings["features"]
    if relevant is not None and not (_is_whole(relevant, 1) and _is_whole(features, relevant)):
        yield f"relevant: {relevant!r} must be a whole number from 1 to the {features} features"


def memory(settings, replicates):
    """Bytes of one replicate's features, of two more while they are drawn, and of the labels of all replicates."""
    examples = sum(settings[name] for name in PARTS)
    columns = settings["features"] + (settings["classes"] if settings["generator"] in MANY_CLASSES else 0)
    return 3 * 8 * columns * examples + 3 * examples * replicates


def _is_whole(value, minimum):
    return isinstance(value, int) and not isinstance(value, bool) and value >= minimum


def _features(rng, settings, n):
    size = (n, settings["features"])
    return rng.uniform(-5.0, 5.0, size) if settings["distribution"] == "uniform" else rng.normal(size=size)


def _logistic(rng, settings, n):
    """Labels from the logistic model on the relevant features, which come first."""
    X = _features(rng, settings, n)
    relevant = settings["features"] if settings["relevant"] is None else settings["relevant"]
    return X, rng.random(n) < expit(WEIGHT * X[:, :relevant].sum(axis=1))


def _two_gaussians(rng, settings, n):
    """Section 6: positives from N((0, 0), I), negatives from N((1, 1), 1.5 I), as likely as each other."""
    truth = rng.random(n) < 0.5
    noise = rng.normal(size=(n, settings["features"]))
    return np.where(truth[:, None], noise, 1.0 + np.sqrt(1.5) * noise), truth


def _density_ratio(rng, settings, n):
    """Experiment 4: features as in `logistic`, labels by the densities N(2, I) of positives, N(-2, 2 I) of others."""
    X = _features(rng, settings, n)
    log_positive = -0.5 * ((X - 2.0) ** 2).sum(axis=1)
    log_negative = -0.25 * ((X + 2.0) ** 2).sum(axis=1) - 0.5 * settings["features"] * np.log(2.0)
    return X, rng.random(n) < expit(log_positive - log_negative)


def _weights(rng, settings):
    """Weights of each class for the relevant features, from which two classes differ as much as in `logistic`."""
    relevant = settings["features"] if settings["relevant"] is None else settings["relevant"]
    return rng.normal(scale=WEIGHT / np.sqrt(2.0), size=(settings["classes"], relevant))


def _softmax(rng, settings, n, weights):
    """Labels from the softmax of the relevant features' weighted sums: the largest of them plus Gumbel noise."""
    X = _features(rng, settings, n)
    scores = X[:, : weights.shape[1]] @ weights.T
    return X, np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)


GENERATORS: dict[str, Callable] = {
    "logistic": _logistic,
    "softmax": _softmax,
    "two_gaussians": _two_gaussians,
    "density_ratio": _density_ratio,
}
