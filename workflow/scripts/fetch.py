"""Fetch one external dataset, or make its stand-in."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.datasets import colon, sources

STANDINS = {"alon1999": colon.write_standin}

config = snakemake.config
name = snakemake.wildcards.source
sources.fetch(
    name,
    sources.load("sources.yaml")[name],
    snakemake.output.folder,
    mirror=sources.mirror_of(config),
    kept=snakemake.params.kept,
    on_missing=config["on_missing"],
    standin=STANDINS.get(name),
    unreachable=snakemake.params.unreachable,
    planned=snakemake.params.planned,
)
