"""What the script of a rule does first: its log, and the kernels it needs."""

import logging
import os
import sys

from shiftlr import kernels


def start(job, compiled: bool = False) -> None:
    """Send what is said to the rule's log, for as long as the script lives; `job` is Snakemake's.

    A script that fits models has them `compiled`: on a node with another kind of processor than the one that the rule
    `compile` ran on, the first job compiles and the others wait for it.
    """
    sys.stderr = open(job.log[0], "w", buffering=1)  # noqa: SIM115
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s")
    if compiled and "NUMBA_CACHE_DIR" in os.environ:
        kernels.ensure(os.environ["NUMBA_CACHE_DIR"])
