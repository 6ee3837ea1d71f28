"""Tune and fit one method on every replicate of a block."""

from shiftbench.run.job import start

start(snakemake, compiled=True)

import sys

from shiftbench import fit, runs
from shiftbench.datasets import blocks

job, chosen = snakemake.params.job, runs.chosen_params(snakemake.input.get("chosen", []))
rows, arrays = [], {}
for replicate in blocks.read(snakemake.input.data, job["scenarios"]):
    found, kept = fit.run(job, replicate, chosen)
    rows += found
    arrays |= kept
    if found[0]["status"] != "ok" or found[0]["reason"]:
        print(f"{replicate.scenario} {replicate.number}: {found[0]['status']}: {found[0]['reason']}", file=sys.stderr)
runs.write_rows(snakemake.output.rows, rows)
runs.write_arrays(snakemake.output.arrays, arrays)
