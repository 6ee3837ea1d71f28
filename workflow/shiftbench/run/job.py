"""What the script of a rule does first: its log, and the kernels it needs."""

import logging
import os
import sys
from typing import NoReturn

from shiftlr import kernels

from shiftbench.files import DamagedFile
from shiftbench.time_limit import STOPPED


def start(job, compiled: bool = False) -> None:
    """Send what is said to the rule's log, for as long as the script lives; `job` is Snakemake's.

    A script that fits models has them `compiled`: on a node with another kind of processor than the one that the rule
    `compile` ran on, the first job compiles and the others wait for it.
    """
    sys.stderr = open(job.log[0], "w", buffering=1, encoding="utf-8", errors="backslashreplace")  # noqa: SIM115
    sys.excepthook = _say
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    if compiled and "NUMBA_CACHE_DIR" in os.environ:
        kernels.ensure(os.environ["NUMBA_CACHE_DIR"])


def _say(kind, error, traceback):
    """A file that is damaged is named in one line; nobody needs to know where that was found."""
    if isinstance(error, DamagedFile):
        _say_why(str(error))
    else:
        sys.__excepthook__(kind, error, traceback)


def stop(message: str) -> NoReturn:
    """End a job that cannot do its work for a reason outside the code: the end of the run repeats this line alone."""
    _say_why(message)
    sys.exit(1)


def _say_why(message):
    print(STOPPED + " ".join(message.split()), file=sys.stderr, flush=True)
