"""How well persons are found: precision, recall and F1 in per cent, and how far they would move on other articles."""

from typing import NamedTuple

import numpy as np


class Scores(NamedTuple):
    """In per cent; 0 where nothing was found or nothing is there to be found."""

    precision: float
    recall: float
    f1: float


def scores(predicted: np.ndarray, truth: np.ndarray) -> Scores:
    """Precision, recall and F1 of the positive class."""
    return Scores(*(float(one) for one in _of_counts(count_by_group(predicted, truth, np.zeros(len(truth), int))[0])))


def count_by_group(predicted: np.ndarray, truth: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """(groups, 3): true positives, predicted positives and positives of each group, groups in sorted order."""
    places = np.unique(groups, return_inverse=True)[1]
    columns = (predicted & truth, predicted, truth)
    return np.column_stack([np.bincount(places, column, places.max() + 1) for column in columns])


def _of_counts(counts):
    """(precision, recall, F1) of counts in the last axis, in per cent."""
    hits, predicted, positives = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    precision = 100.0 * hits / np.maximum(predicted, 1.0)
    recall = 100.0 * hits / np.maximum(positives, 1.0)
    return precision, recall, 200.0 * hits / np.maximum(predicted + positives, 1.0)


def draws_of_groups(n_groups: int, resamples: int, seed: int) -> np.ndarray:
    """(resamples, n_groups): how often each group is in each bootstrap resample. Methods must share the draws."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(n_groups, size=(resamples, n_groups))
    return np.array([np.bincount(one, minlength=n_groups) for one in drawn])


def resampled(counts: np.ndarray, draws: np.ndarray) -> dict[str, np.ndarray]:
    """Precision, recall and F1 on each resample of the groups."""
    return dict(zip(Scores._fields, _of_counts(draws @ counts), strict=True))


def interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """The middle part of bootstrapped values."""
    low, high = np.quantile(values, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)
