"""Tune and fit one method on every replicate of a block."""

from shiftbench.run.job import start

start(snakemake, compiled=True)

import sys

from shiftbench import fit, runs
from shiftbench.datasets import blocks
from shiftbench.time_limit import Watchdog

watchdog = Watchdog(sys.stderr)
job, chosen = snakemake.params.job, runs.chosen_params(snakemake.input.get("chosen", []))
rows, arrays = [], {}
for replicate in blocks.read(snakemake.input.data, job["scenarios"]):
    with watchdog.over(job["seconds_per_fit"], fit.title_of(job, replicate)):
        found, kept = fit.run(job, replicate, chosen)
    rows += found
    arrays |= kept
    if found[0]["status"] != "ok" or found[0]["reason"]:
        print(f"{replicate.scenario} {replicate.number}: {found[0]['status']}: {found[0]['reason']}", file=sys.stderr)
runs.write_rows(snakemake.output.rows, rows)
runs.write_arrays(snakemake.output.arrays, arrays)
# A thread that the method has left behind would keep the process from ending.
watchdog.expect(job["seconds_per_fit"], f"{job['name']} on {job['experiment']}, after its last fit,")
