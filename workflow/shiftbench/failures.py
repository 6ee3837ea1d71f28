"""Which errors are a method's answer, and so a result, and which only say that something is broken here.

A method that cannot be fitted to its data says so by raising: that is a row with its reason, the same on every machine.
An error of the environment says nothing about the method. Kept as a row it would outlive its cause, so it fails the
job, which leaves no files and is run again.
"""

import pickle
import subprocess
from concurrent.futures import BrokenExecutor
from traceback import walk_tb

from shiftbench.time_limit import TimeLimit

# Memory, files, processes, the network; code that cannot be loaded; what was stored and cannot be read again.
ENVIRONMENT = (
    *(MemoryError, OSError, SystemError, BrokenExecutor, subprocess.SubprocessError),
    *(ImportError, SyntaxError),
    *(EOFError, pickle.PickleError),
)
# What loads, compiles and starts code. A damaged file makes it raise errors of any kind.
MACHINERY = ("importlib", "llvmlite", "numba", "pickle", "threading")
_IMPORTED = "<module>"  # the frame of a file that is being imported


def is_answer(error: BaseException) -> bool:
    """Whether an error is the method's own statement about its data: the one rule for what becomes a row.

    It is, whatever its class, unless it
    - is one of `ENVIRONMENT`,
    - was raised while code was imported, or within `MACHINERY`,
    - was raised from such an error, or is a group that has one.
    So ValueError, ArithmeticError, LinAlgError and RuntimeError are answers, and so are KeyError, TypeError and the
    like: a method with a mistake in it fails on every machine. `sys.exit` and the time limit are answers too, Ctrl-C is
    not.
    """
    if isinstance(error, ENVIRONMENT) or not isinstance(error, Exception | SystemExit | TimeLimit):
        return False
    interrupted = isinstance(error, TimeLimit)  # wherever it was
    if not interrupted and any(_is_machinery(frame) for frame, _ in walk_tb(error.__traceback__)):
        return False
    others = [error.__cause__, *(error.exceptions if isinstance(error, BaseExceptionGroup) else ())]
    return all(is_answer(other) for other in others if other is not None)


def _is_machinery(frame):
    package = str(frame.f_globals.get("__name__")).partition(".")[0].removeprefix("_frozen_")
    return package in MACHINERY or frame.f_code.co_name == _IMPORTED


def reason_of(error: BaseException) -> str:
    """The reason of a failed fit."""
    if isinstance(error, SystemExit):
        return f"SystemExit: it called sys.exit({error.code!r})"
    if isinstance(error, TimeLimit):
        return f"time limit: {error}"
    return f"{type(error).__name__}: {error}"
