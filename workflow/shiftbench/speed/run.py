"""One solver at work: its tolerances, its clock, and what went wrong."""

import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numba
import numpy as np
from threadpoolctl import threadpool_limits

from shiftbench.speed import clock
from shiftbench.speed.problem import Contender, Skipped
from shiftbench.speed.task import Fit

SHORTEST_ROUND = 0.1  # seconds; a solver that takes less is run several times
TRIES = 2  # more of a short solver at each tolerance, for the curves


@dataclass
class Point:
    """A solver at one tolerance."""

    tolerance: float
    objectives: np.ndarray
    seconds: float


class Run:
    """A solver at work: what it found at each tolerance so far."""

    def __init__(self, contender: Contender, patience: float):
        self.contender, self.patience = contender, patience
        self.points: list[Point] = []
        self.status = ""
        self.chosen: Point | None = None
        self.last: Fit | None = None
        self.rounds = 0
        self.prepared = False

    def prepare(self) -> None:
        with self._guarded():
            self.solve = self.contender.prepare(self.contender.task)
            self.prepared = True

    def step(self) -> None:
        """The next tolerance."""
        with self._guarded():
            tolerance = self.contender.tolerances[len(self.points)]
            fit, seconds = self._clocked(tolerance)
            for _ in range(TRIES if seconds < SHORTEST_ROUND else 0):
                seconds = min(seconds, self._clocked(tolerance)[1])
            objectives = self.contender.task.objectives(fit)
            if not np.isfinite(objectives).all():
                raise ValueError("weights that are not finite")
            self.points.append(Point(tolerance, objectives, seconds))
            self.last = fit

    def can_step(self) -> bool:
        spent = sum(point.seconds for point in self.points)
        return not self.status and spent <= self.patience and len(self.points) < len(self.contender.tolerances)

    def choose(self, best: np.ndarray, goal: float) -> None:
        """The loosest sufficient tolerance; the one with the least gap if none is."""
        if self.points:
            gaps = [gap(point, best) for point in self.points]
            self.chosen = next((p for p, g in zip(self.points, gaps, strict=True) if g <= goal), None)
            if self.chosen is None:
                self.chosen = self.points[int(np.argmin(gaps))]

    def gap(self, point: Point | None = None) -> float:
        """Of a point, or of the last one."""
        best = self.contender.task.best
        return np.inf if best is None else gap(point or self.points[-1], best)

    def run_round(self) -> None:
        """Solve at least once, and short problems many times."""
        if self.chosen is None or self.status:
            return
        with self._guarded():
            end = time.perf_counter() + SHORTEST_ROUND
            while True:
                self.last, seconds = self._clocked(self.chosen.tolerance)
                self.chosen.seconds = min(self.chosen.seconds, seconds)
                if time.perf_counter() >= end:
                    break
            self.rounds += 1

    def _clocked(self, tolerance):
        start = clock.now()
        fit = self.solve(tolerance)
        elapsed = clock.now() - start
        return fit, elapsed if fit.seconds is None else fit.seconds

    @contextmanager
    def _guarded(self):
        """A peer that is missing or fails says so in its row, and the others go on."""
        try:
            with quiet(), threads(self.contender.threads):
                yield
        except Exception as error:
            self.status = why_not(error)


@contextmanager
def quiet() -> Iterator[None]:
    """Some tolerances are tighter than rounding allows; the gaps tell, and warnings need not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def why_not(error: Exception) -> str:
    """The status of what did not run."""
    if isinstance(error, Skipped):
        return f"skipped: {error}"
    if isinstance(error, ImportError):
        return f"skipped: {error.name or error} is not installed"
    return f"failed: {type(error).__name__}: {error}"


@contextmanager
def threads(number: int) -> Iterator[None]:
    """As many threads for numba and BLAS."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(number, numba.config.NUMBA_NUM_THREADS))
    try:
        with threadpool_limits(number):
            yield
    finally:
        numba.set_num_threads(before)


def gap(point: Point, best: np.ndarray) -> float:
    """The largest relative distance to the least objectives known."""
    return float(np.max((point.objectives - best) / np.abs(best)))
