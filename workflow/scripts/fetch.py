"""Fetch one external dataset, or make its stand-in."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from importlib import import_module

from shiftlr.datasets import MODULES, sources

config = snakemake.config
name = snakemake.wildcards.source
sources.fetch(
    name,
    sources.load("sources.yaml")[name],
    snakemake.output.folder,
    mirror=sources.mirror_of(config),
    kept=snakemake.params.kept,
    on_missing=config["on_missing"],
    standin=import_module(f"shiftlr.datasets.{MODULES[name]}").write_standin,
    unreachable=snakemake.params.unreachable,
    planned=snakemake.params.planned,
)
