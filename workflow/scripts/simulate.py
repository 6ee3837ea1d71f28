"""Draw one block of replicates of a scenario."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.datasets.simulate import write_block

wildcards = snakemake.wildcards
write_block(
    snakemake.output.data,
    name=f"{wildcards.experiment}.{wildcards.scenario}",
    scenario=snakemake.params.scenario,
    seed=snakemake.params.seed,
    numbers=range(int(wildcards.first), int(wildcards.last) + 1),
)
