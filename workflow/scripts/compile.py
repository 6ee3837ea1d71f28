"""Compile all kernels once, before the jobs that fit models start."""

from shiftbench.run.job import start

start(snakemake)

import json
import os

from shiftbench.files import write_text
from shiftlr import kernels

compiled = kernels.ensure(os.environ["NUMBA_CACHE_DIR"])
write_text(snakemake.output.stamp, json.dumps({"kernels": kernels.fingerprint(), "compiled_now": compiled}) + "\n")
