"""All rows of all methods in one table."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.training import read_rows, write_runs

write_runs(snakemake.output.runs, read_rows(snakemake.input.rows))
