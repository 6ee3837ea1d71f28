"""What is measured beside the time to a gap: memory, shares of a fit, starting, compiling."""

import cProfile
import os
import pstats
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shiftbench.speed import clock

PACKAGES = str(Path(__file__).parents[2])

# In a process of its own, whose peak was the data before the fit began.
_MEMORY = """
import sys, warnings
import numpy as np
from shiftbench.speed import memory
from shiftbench.speed.data.simulated import tall
warnings.simplefilter("ignore")
if sys.argv[1] == "shiftlr":
    from shiftlr import StandardLogisticRegression as Model
else:
    from sklearn.linear_model import LogisticRegression
    Model = lambda: LogisticRegression(C=np.inf, tol=1e-4, max_iter=10_000)
X, signs = tall(1000, 30)
Model().fit(X, signs.astype(int))  # loads what is needed
X, signs = tall(int(sys.argv[2]), int(sys.argv[3]))
labels = signs.astype(int)
before = memory.current()
Model().fit(X, labels)
print(1.0 + (memory.peak() - before) / X.nbytes)
"""
_STARTS = {
    "shiftlr": "from shiftlr import RobustLogisticRegression as Model; settings = {'penalty': 'l2', 'alpha': 1.0}",
    "sklearn": "from sklearn.linear_model import LogisticRegression as Model; settings = {}",
}
_SMALL_FIT = """
import numpy as np
X = np.random.default_rng(0).normal(size=(200, 10))
Model(**settings).fit(X, (X[:, 0] > 0).astype(int))
"""


def seconds_of(action) -> float:
    """The time of one call."""
    start = clock.now_with_children()
    action()
    return clock.now_with_children() - start


def peak_memory(model: str, rows: int, columns: int) -> float:
    """The most memory of a plain fit, the data among it, as a multiple of the data."""
    return float(_python(_MEMORY, model, str(rows), str(columns)))


def share_of_check(solve, tolerance: float) -> float:
    """The share of a fit's time that is spent in the check for separability, by a profile."""
    profile = cProfile.Profile()
    start = time.perf_counter()
    profile.runcall(solve, tolerance)
    total = time.perf_counter() - start
    return sum(time_within(pstats.Stats(profile), is_check)) / total


def is_check(file: str, function: str) -> bool:
    """Whether a function is part of the check."""
    return Path(file).stem == "separability" or "separab" in function


def time_within(stats, belongs):
    """Seconds of the calls that come from outside into functions that belong together."""
    for (file, _, function), (_, _, _, cumulative, callers) in stats.stats.items():
        if not belongs(file, function):
            continue
        if not callers:
            yield cumulative
        for (caller_file, _, caller), (_, _, _, from_caller) in callers.items():
            if not belongs(caller_file, caller):
                yield from_caller


def compile_seconds() -> float:
    """Processor seconds that it takes to compile all kernels into an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        used = clock.children()
        _python("import sys; from shiftlr import kernels; kernels.ensure(sys.argv[1])", folder)
        return clock.children() - used


def start_seconds(model: str) -> float:
    """Seconds of a new Python that imports a package and makes a small fit."""
    return seconds_of(lambda: _python(_STARTS[model] + _SMALL_FIT))


def _python(code: str, *words: str) -> str:
    """What a program prints that runs in a new Python of this environment."""
    variables = {**os.environ, "PYTHONPATH": PACKAGES, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code, *words]
    done = subprocess.run(command, env=variables, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise RuntimeError(f"the measuring process failed: {' '.join(done.stderr.split())[-200:]}")
    return done.stdout
