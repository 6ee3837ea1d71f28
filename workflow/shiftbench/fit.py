"""One method on one replicate: tune, fit, measure. A fit that fails or is skipped is a row too, with its reason."""

import math
import numbers
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from shiftlr.methods._many_classes import margins_of
from shiftlr.model_selection.predictions import check_classes, check_flags, check_numbers, check_probabilities

from shiftbench import plugins, runs
from shiftbench.counts import count_by_group
from shiftbench.datasets.base import Part, Replicate
from shiftbench.failures import is_answer, reason_of
from shiftbench.time_limit import TimeLimit, time_limit
from shiftbench.tuner import Tuner

_FEW = 10_000  # examples


class Outcome:
    """A fitted method and the data it was fitted to; what metrics are computed from.

    What the method answers is checked: an array that does not fit the examples, or has no sense, is a ValueError.
    """

    def __init__(self, estimator, params: dict[str, Any], score: float, parts: Mapping[str, Part], others=()):
        self.estimator, self.params, self.score = estimator, params, score
        self.train, self.test = parts["train"], parts.get("test")
        self.others: Sequence[Outcome] = others  # of every setting of the grid, if these are to be measured too

    @cached_property
    def predicted(self) -> np.ndarray:
        """The classes of the test set."""
        assert self.test is not None
        return check_classes(self.estimator.predict(self.test.X), range(self.test.n_classes), self.test.X.shape[0])

    @cached_property
    def decision(self) -> np.ndarray:
        """A number for each example of the test set, positive where the estimator says the second class.

        With more than two classes, a number for each of them: (n, C).
        """
        assert self.test is not None
        return decision(self.estimator, self.test.X, self.test.n_classes)

    @cached_property
    def found(self) -> np.ndarray:
        """The class of each example of the test set by its decision; with more than two classes, as predicted."""
        assert self.test is not None
        return self.decision > 0.0 if self.test.n_classes == 2 else self.predicted

    @cached_property
    def suspicion(self) -> np.ndarray:
        """How much each training label looks wrong; methods that do not say are asked how far they disagree."""
        if hasattr(self.estimator, "suspicion"):
            given = self.estimator.suspicion(self.train.X, self.train.labels)
            return check_numbers(given, len(self.train.labels), "suspicion")
        numbers = decision(self.estimator, self.train.X, self.train.n_classes)
        if numbers.ndim == 2:
            return -margins_of(numbers, self.train.labels)
        return -np.where(self.train.labels == 1, 1.0, -1.0) * numbers

    @cached_property
    def suspected(self) -> np.ndarray:
        """Which training labels the method calls wrong."""
        if hasattr(self.estimator, "suspected"):
            given = self.estimator.suspected(self.train.X, self.train.labels)
            return check_flags(given, len(self.train.labels))
        return self.suspicion > 0.0


def decision(estimator, X, n_classes: int = 2) -> np.ndarray:
    """A number that is positive where a classifier says the second class; of more classes one for each, (n, C)."""
    n = X.shape[0]
    if n_classes > 2:
        return _decisions(estimator, X, n_classes)
    if hasattr(estimator, "decision_function"):
        return check_numbers(estimator.decision_function(X), n)
    if hasattr(estimator, "predict_proba"):
        return check_probabilities(estimator.predict_proba(X), n)[:, 1] - 0.5
    return (check_classes(estimator.predict(X), range(2), n) == estimator.classes_[1]) - 0.5


def _decisions(estimator, X, n_classes):
    """A number for each class, the largest for the one that is said; -inf for classes that were not trained on."""
    known, n = np.asarray(estimator.classes_).astype(int), X.shape[0]
    if hasattr(estimator, "decision_function") and len(known) == 2:
        half = 0.5 * check_numbers(estimator.decision_function(X), n)
        numbers = np.column_stack([-half, half])
    elif hasattr(estimator, "decision_function"):
        numbers = check_numbers(estimator.decision_function(X), n, n_columns=len(known))
    elif hasattr(estimator, "predict_proba"):
        numbers = check_probabilities(estimator.predict_proba(X), n, n_classes=len(known))
    else:
        said = check_classes(estimator.predict(X), range(n_classes), n)
        numbers = (said[:, None] == known) - 0.5
    decisions = np.full((n, n_classes), -np.inf)
    decisions[:, known] = numbers
    return decisions


def measure(names: list[str], outcome: Outcome, folder: str | None = None) -> dict[str, float | None]:
    """The metrics by name."""
    found: dict[str, float | None] = {}
    for name in names:
        base, number = split_number(name)
        found[name] = check_value(name, _metric(base, folder and Path(folder).absolute())(outcome, *number))
    return found


@cache
def _metric(name, folder):
    """The function of a metric: looking for it again takes longer than most metrics do."""
    return plugins.load_function("metrics", name, folder)


def check_value(metric: str, value: Any) -> float | None:
    """What a metric gave: a finite number, or None where it does not apply."""
    if value is None:
        return None
    if isinstance(value, numbers.Integral | np.bool_):
        return int(value)
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ValueError(f"the metric {metric} gave {value!r}: must be a finite number, or None if it does not apply")
    return float(value)


def measure_others(names: list[str], outcome: Outcome, folder: str | None = None) -> dict[str, float | None]:
    """The metrics at every setting of the grid, by names such as `accuracy@k=3`."""
    found: dict[str, float | None] = {}
    for other in outcome.others:
        measured = measure(names, other, folder)
        found |= {runs.metric_at(name, other.params): value for name, value in measured.items()}
    return found


def split_number(metric: str) -> tuple[str, list[int]]:
    """`precision_at_50` is the metric `precision_at` with the number 50."""
    base, _, number = metric.rpartition("_")
    return (base, [int(number)]) if number.isdigit() else (metric, [])


def run(job: dict[str, Any], replicate: Replicate, chosen: dict[str, dict[str, Any]]):
    """(rows, arrays) of one method on one replicate. `job` is what `shiftbench.config.plan.fit_settings` gives.

    `chosen` holds parameters that were chosen before (see `shiftbench.runs.chosen_params`), and gets those chosen here.
    """
    place = {
        "experiment": job["experiment"],
        "scenario": replicate.scenario,
        "replicate": replicate.number,
        "method": job["name"],
    }
    outcome, arrays, status, reason, start = None, {}, "ok", "", time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with time_limit(job["seconds_per_fit"]):
                outcome, metrics, arrays = _fit_and_measure(job, replicate, chosen)
        except runs.Skipped as missing:
            status, reason = "skipped", str(missing)
        except (Exception, SystemExit, TimeLimit) as error:
            if not is_answer(error):
                error.add_note(
                    f"while {title_of(job, replicate)} was fitted; nothing of this job is kept: run it again"
                )
                raise
            outcome, arrays, status, reason = None, {}, "failed", reason_of(error)
    if outcome is None:
        metrics = dict.fromkeys(job["metrics"], np.nan)
    elif caught:
        reason = f"{len(caught)} warnings, the first: {caught[0].message}"
    metrics["seconds"] = time.perf_counter() - start
    params = {} if outcome is None else outcome.params
    if outcome is not None:
        chosen[runs.key_of(job["experiment"], replicate.scenario, job["name"], replicate.number)] = params
    return runs.rows_of(place, metrics, params, status, reason, replicate.about["origin"]), arrays


def title_of(job: dict[str, Any], replicate: Replicate) -> str:
    """How a fit is called in messages."""
    return f"{job['name']} on replicate {replicate.number} of {job['experiment']}.{replicate.scenario}"


def _fit_and_measure(job, replicate, chosen):
    """(outcome, metrics, arrays)."""
    outcome = _fit(job, replicate, chosen)
    metrics: dict[str, float | None] = {"score": None if np.isnan(outcome.score) else outcome.score}
    metrics |= measure(job["metrics"], outcome, job["plugins"])
    tuning = job["scenarios"][replicate.scenario]["tuning"]
    metrics |= measure_others(tuning["at_every_setting"], outcome, job["plugins"])
    return outcome, metrics, arrays_of(outcome, replicate, job)


def _fit(job, replicate, chosen):
    scenario = job["scenarios"][replicate.scenario]
    tuning, number = scenario["tuning"], replicate.number
    seed = number + (job["shared_seed"] or 0)
    here = f"{job['experiment']}.{replicate.scenario}"
    first = 0 if not tuning["each"] else number  # the replicate on which settings are chosen
    source = scenario["params_from"] or (here if first != number else None)
    if source is not None:
        key = f"{source}:{job['name']}#0"
        if key not in chosen:
            raise ValueError(f"it has no parameters to take over: it failed in {source}, where they were to be chosen")
        tuner = Tuner(job["method"], tuning, job["plugins"], seed)
        return Outcome(tuner.fit_fixed(chosen[key], replicate.parts["train"]), chosen[key], np.nan, replicate.parts)
    alpha, chooser = None, tuning["alpha_from"]
    if chooser is not None and chooser != job["name"]:
        key = f"{here}:{chooser}#{first}"
        if key not in chosen:
            raise ValueError(f"{chooser} failed, and so chose no penalty")
        alpha = chosen[key].get("alpha")
        if alpha is None and tuning["penalty"] is not None:
            raise ValueError(f"tuning.alpha_from: {chooser} has no penalty, and so chose none")
    tuner = Tuner(job["method"], tuning, job["plugins"], seed, alpha)
    estimator, params, score = tuner.fit(replicate.parts)
    others = []
    if tuning["at_every_setting"]:
        fitted = tuner.fit_each(replicate.parts["train"])
        others = [Outcome(one, setting, np.nan, replicate.parts) for setting, one in fitted]
    return Outcome(estimator, params, score, replicate.parts, others)


def arrays_of(outcome: Outcome, replicate: Replicate, job: dict[str, Any]) -> dict[str, np.ndarray]:
    """What is kept of single examples: counts by group always, decisions and suspicions of the first replicate.

    Which examples are suspected is kept of every replicate where they are few.
    """
    if job["redrawn"]:
        return {}
    key = f"{replicate.scenario}/{job['name']}/{replicate.number}"
    arrays: dict[str, np.ndarray] = {}
    test = outcome.test
    if test is not None and test.groups is not None:
        arrays[f"{key}/counts"] = count_by_group(outcome.found, np.asarray(test.truth), test.groups).astype(int)
    if replicate.number == 0 or len(outcome.suspected) <= _FEW:
        arrays[f"{key}/suspected"] = outcome.suspected
    if replicate.number == 0:
        if test is not None:
            arrays[f"{key}/test"] = outcome.decision
        arrays[f"{key}/suspicion"] = outcome.suspicion
    return arrays
