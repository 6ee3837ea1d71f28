"""What made these results: code, settings, versions, machine, time, data."""

from shiftbench.run.job import start

start(snakemake)

from shiftbench.run.manifest import describe, write

given, params = snakemake.input, snakemake.params
manifest = describe(
    config_sha256=params.config_sha256,
    started=params.started,
    benchmarks=params.benchmarks,
    runs=given.runs,
    data=given.blocks,
    provenance=given.provenance,
)
write(snakemake.output.manifest, manifest)
