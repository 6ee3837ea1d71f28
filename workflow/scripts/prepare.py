"""Draw one block of replicates, and say what there is to say of its data."""

from shiftbench.run.job import start

start(snakemake)

from shiftbench import runs
from shiftbench.datasets import blocks, facts

replicates = blocks.write(snakemake.output.data, snakemake.params.job)
rows = [row for one in replicates for row in facts.data_rows(snakemake.wildcards.experiment, one)]
arrays = {key: values for one in replicates for key, values in facts.data_arrays(one).items()}
runs.write_rows(snakemake.output.facts, rows)
runs.write_arrays(snakemake.output.arrays, arrays)
