"""How far scores would move on another test set: a bootstrap over its groups, such as articles.

Examples of one group are not independent, so whole groups are drawn. All methods and replicates are compared on the
same draws. What is kept of each fit are its counts by group (`shiftbench.counts`).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from shiftbench.counts import scores_of_counts
from shiftbench.runs import Runs

NORMAL_95 = 1.959963984540054  # standard errors on either side that hold 95 %


class Difference(NamedTuple):
    """A difference between methods with its standard error and 95 % interval."""

    value: float
    se: float
    low: float
    high: float


@lru_cache(maxsize=4)
def draws_of_groups(n_groups: int, resamples: int, seed: int = 0) -> np.ndarray:
    """(resamples, n_groups): how often each group is in each bootstrap resample. Methods must share the draws."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(n_groups, size=(resamples, n_groups))
    draws = np.array([np.bincount(one, minlength=n_groups) for one in drawn])
    draws.flags.writeable = False
    return draws


def resampled(counts: np.ndarray, draws: np.ndarray) -> dict[str, np.ndarray]:
    """Precision, recall and F1 on each resample of the groups."""
    return scores_of_counts(draws @ counts)


def interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float]:
    """The middle part of bootstrapped values."""
    low, high = np.quantile(values, [0.5 - level / 2, 0.5 + level / 2])
    return float(low), float(high)


def counts_of(runs: Runs, experiment: str, scenario: str, method: str) -> dict[int, np.ndarray]:
    """The counts by group of each replicate that succeeded."""
    start = f"{experiment}/{scenario}/{method}/"
    found = {}
    for key, counts in runs.arrays.items():
        if key.startswith(start) and key.endswith("/counts"):
            found[int(key.removeprefix(start).removesuffix("/counts"))] = counts
    return dict(sorted(found.items()))


def contrast(
    runs: Runs, experiment: str, scenario: str, weights: Mapping[str, float], score: str, resamples: int = 2000
) -> Difference | None:
    """The sum of the methods' scores times their weights, as a mean over replicates.

    Its variance is the bootstrap's, in which the mean over replicates is taken on each resample, plus the variance over
    replicates divided by their number. None where methods have no counts, or where replicates have test sets of their
    own: these have the spread of the test set in them already.
    """
    counts = {method: counts_of(runs, experiment, scenario, method) for method in weights}
    shared = set.intersection(*(set(found) for found in counts.values())) if counts else set()
    replicates = sorted(shared)
    if not replicates or not _same_test_set([found[r] for found in counts.values() for r in replicates]):
        return None
    draws = draws_of_groups(len(next(iter(counts.values()))[replicates[0]]), resamples)
    values, moved = np.zeros(len(replicates)), np.zeros((len(replicates), resamples))
    for method, weight in weights.items():
        for k, replicate in enumerate(replicates):
            of_groups = counts[method][replicate]
            values[k] += weight * scores_of_counts(of_groups.sum(axis=0))[score]
            moved[k] += weight * resampled(of_groups, draws)[score]
    return _combined(values, moved.mean(axis=0))


def difference(
    runs: Runs, experiment: str, scenario: str, one: str, other: str, score: str = "f1", resamples: int = 2000
) -> Difference | None:
    """The score of one method less that of another; see `contrast`."""
    weights = {one: 0.0, other: 0.0}
    weights[one] += 1.0
    weights[other] -= 1.0
    return contrast(runs, experiment, scenario, weights, score, resamples)


def _combined(values, moved):
    """The bootstrap's interval, widened by the spread over replicates if there are several."""
    value, (low, high) = float(values.mean()), interval(moved)
    if len(values) == 1:
        return Difference(value, float(moved.std(ddof=1)), low, high)
    variance = values.var(ddof=1) / len(values)
    reach = NORMAL_95 * np.sqrt(variance)
    return Difference(
        value,
        float(np.sqrt(moved.var(ddof=1) + variance)),
        float(value - np.hypot(max(value - low, 0.0), reach)),
        float(value + np.hypot(max(high - value, 0.0), reach)),
    )


def _same_test_set(counts):
    """Whether all groups have as many positives everywhere."""
    return all(np.array_equal(one[:, 2], counts[0][:, 2]) for one in counts)
