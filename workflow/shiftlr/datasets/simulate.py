"""Simulated examples whose labels are then made wrong on purpose: the report's sections 4.1, 5, 6 and appendix B.

A scenario is a mapping of settings (see `scenario` in workflow/schemas/config.schema.yaml). A replicate of it is drawn
from a seed that depends on the scenario's name and the replicate's number alone, so every method sees the same data
whatever runs first, and however replicates are cut into blocks.
"""

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit

from shiftlr.files import whole

WEIGHT = 2.0  # of every relevant feature; the intercept is zero


class Part(NamedTuple):
    """A train, development or test set."""

    X: np.ndarray
    labels: np.ndarray  # as a learner sees them
    truth: np.ndarray


class Replicate(NamedTuple):
    """One draw of a scenario; the labels of the test set are the true ones."""

    number: int
    train: Part
    dev: Part
    test: Part


def _features(rng, scenario, n):
    size = (n, scenario["features"])
    return rng.uniform(-5.0, 5.0, size) if scenario["distribution"] == "uniform" else rng.normal(size=size)


def _logistic(rng, scenario, n):
    """Labels from the logistic model on the relevant features, which come first."""
    X = _features(rng, scenario, n)
    relevant = scenario["features"] if scenario["relevant"] is None else scenario["relevant"]
    return X, rng.random(n) < expit(WEIGHT * X[:, :relevant].sum(axis=1))


def _two_gaussians(rng, scenario, n):
    """Section 6: positives from N((0, 0), I), negatives from N((1, 1), 1.5 I), as likely as each other."""
    truth = rng.random(n) < 0.5
    noise = rng.normal(size=(n, scenario["features"]))
    return np.where(truth[:, None], noise, 1.0 + np.sqrt(1.5) * noise), truth


def _density_ratio(rng, scenario, n):
    """Experiment 4: features as in `logistic`, labels by the densities N(2, I) of positives, N(-2, 2 I) of others."""
    X = _features(rng, scenario, n)
    log_positive = -0.5 * ((X - 2.0) ** 2).sum(axis=1)
    log_negative = -0.25 * ((X + 2.0) ** 2).sum(axis=1) - 0.5 * scenario["features"] * np.log(2.0)
    return X, rng.random(n) < expit(log_positive - log_negative)


GENERATORS: dict[str, Callable] = {
    "logistic": _logistic,
    "two_gaussians": _two_gaussians,
    "density_ratio": _density_ratio,
}


def flip(rng, scenario, X, truth):
    """The labels that are seen: negatives flipped with p0, positives with p1, negatives of a region always."""
    chance = np.where(truth, scenario["p1"], scenario["p0"])
    flipped = rng.random(len(truth)) < chance
    if scenario["flip_between"] is not None:
        low, high = scenario["flip_between"]
        flipped |= ~truth & (X[:, 0] >= low) & (X[:, 0] <= high)
    return truth ^ flipped


def draw(name: str, scenario: dict[str, Any], seed: int, number: int) -> Replicate:
    """Replicate `number` of a scenario."""
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    rng = np.random.default_rng(np.random.SeedSequence([seed, key, number]))
    parts = []
    for part in ("train", "dev", "test"):
        X, truth = GENERATORS[scenario["generator"]](rng, scenario, scenario[part])
        labels = truth if part == "test" else flip(rng, scenario, X, truth)
        parts.append(Part(X, labels, truth))
    return Replicate(number, *parts)


def _fingerprint(replicate):
    """Checksum of everything drawn."""
    digest = hashlib.sha256()
    for part in replicate[1:]:
        for values in part:
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _packed_labels(replicate):
    """The labels of a replicate, eight to a byte; those of the test set are the true ones."""
    train, dev, test = replicate.train, replicate.dev, replicate.test
    kinds = {
        "train_labels": train.labels,
        "train_truth": train.truth,
        "dev_labels": dev.labels,
        "dev_truth": dev.truth,
        "test_truth": test.truth,
    }
    return {kind: np.packbits(labels) for kind, labels in kinds.items()}


def write_block(path: str | Path, name: str, scenario: dict[str, Any], seed: int, numbers: range) -> None:
    """A block of replicates on disk: how each is drawn, its labels (seen and true), and its checksum.

    Features are random numbers, which do not compress, and drawing them again takes less time than reading them; so
    they are not stored. `read_block` draws them and compares the checksum.
    """
    replicates = [draw(name, scenario, seed, number) for number in numbers]
    packed = [_packed_labels(replicate) for replicate in replicates]
    arrays: dict[str, Any] = {kind: np.stack([labels[kind] for labels in packed]) for kind in packed[0]}
    recipe = json.dumps({"name": name, "scenario": scenario, "seed": seed, "numbers": list(numbers)})
    checksums = np.array([_fingerprint(replicate) for replicate in replicates])
    with whole(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays, recipe=np.array(recipe), sha256=checksums)


def read_block(path: str | Path) -> Iterator[Replicate]:
    """The replicates of a block, one after the other, exactly as they were when it was written."""
    with np.load(path) as block:
        stored = dict(block)
    recipe, checksums = json.loads(str(stored["recipe"])), stored["sha256"]
    for place, (number, checksum) in enumerate(zip(recipe["numbers"], checksums, strict=True)):
        replicate = draw(recipe["name"], recipe["scenario"], recipe["seed"], number)
        labels = _packed_labels(replicate)
        same = all(np.array_equal(stored[kind][place], labels[kind]) for kind in labels)
        if not same or _fingerprint(replicate) != checksum:
            raise ValueError(
                f"{path}: replicate {number} is not what it was when the file was written; "
                "another numpy or another generator? Delete the file and run again."
            )
        yield replicate
