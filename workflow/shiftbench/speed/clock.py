"""The clock of the benchmark: wall time or, on a machine that others use too, processor time.

Processor time counts what this process used, so it does not tell whether two threads help, and nothing that needs two
threads is judged by it.
"""

import resource
import time

WALL, PROCESSOR = "wall time", "processor time"
_kind = WALL


def use(kind: str) -> None:
    """Set the clock for all that follows."""
    global _kind  # noqa: PLW0603  # one clock for all solvers
    if kind not in (WALL, PROCESSOR):
        raise ValueError(f"{kind!r}: the clock is {WALL!r} or {PROCESSOR!r}")
    _kind = kind


def kind() -> str:
    """Which clock is used."""
    return _kind


def now() -> float:
    """Seconds from some moment on."""
    return time.perf_counter() if _kind == WALL else time.process_time()


def now_with_children() -> float:
    """The same, with what processes used that were started here and have ended."""
    return time.perf_counter() if _kind == WALL else time.process_time() + children()


def children() -> float:
    """Processor seconds of processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
