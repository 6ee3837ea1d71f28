"""All rows of an experiment in one table, and all its arrays in one file."""

from shiftbench.run.job import start

start(snakemake)

from shiftbench import runs
from shiftbench.config.plan import files_of_rows

planned = files_of_rows(snakemake.config, snakemake.wildcards.experiment)
wanted = [runs.Contents(*planned[name[len("results/") : -len(".csv")]]) for name in snakemake.input.rows]
runs.write_table(snakemake.output.table, runs.read_rows(snakemake.input.rows, wanted))
runs.write_arrays(snakemake.output.arrays, runs.read_arrays(snakemake.input.arrays))
