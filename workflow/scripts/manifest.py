"""What made these results: code, settings, versions, machine, time, data."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.manifest import describe, write

params = snakemake.params
manifest = describe(
    config_sha256=params.config_sha256,
    started=params.started,
    benchmarks=params.benchmarks,
    runs=snakemake.input.runs,
    data=snakemake.input.simulated,
    provenance=snakemake.input.provenance,
)
write(snakemake.output.manifest, manifest)
