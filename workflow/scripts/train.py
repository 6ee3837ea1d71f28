"""Tune and fit one method on every replicate of a block: one row each."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.datasets.simulate import read_block
from shiftlr.training import train_replicate, write_rows

wildcards = snakemake.wildcards
names = {"experiment": wildcards.experiment, "scenario": wildcards.scenario, "method": wildcards.method}
rows = [
    names | train_replicate(snakemake.params.method, snakemake.params.tuning, replicate)
    for replicate in read_block(snakemake.input.data)
]
for row in rows:
    if row["status"] != "ok":
        print(f"replicate {row['replicate']}: {row['status']}: {row['reason']}", file=sys.stderr)
write_rows(snakemake.output.rows, rows)
