"""All rows of an experiment in one table, and all its arrays in one file."""

from shiftbench.run.job import start

start(snakemake)

from shiftbench import runs

runs.write_table(snakemake.output.table, runs.read_rows(snakemake.input.rows))
runs.write_arrays(snakemake.output.arrays, runs.read_arrays(snakemake.input.arrays))
