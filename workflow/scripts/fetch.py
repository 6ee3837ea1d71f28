"""Fetch one external dataset, or make its stand-in."""

from shiftbench.run.job import start

start(snakemake)

from importlib import import_module
from pathlib import Path

from shiftbench.fetch import sources
from shiftbench.run.dependencies import ROOT

config, name = snakemake.config, snakemake.wildcards.source
source = sources.load(ROOT / "sources.yaml")[name]
sources.fetch(
    name,
    source,
    Path(snakemake.output.record).parent,
    mirror=sources.mirror_of(config),
    kept=snakemake.params.kept,
    on_missing=config["on_missing"],
    standin=import_module(sources.standin_module(source)).write_standin,
    unreachable=snakemake.params.unreachable,
    planned=snakemake.params.planned,
)
