"""Fetch one external dataset, or make its stand-in."""

from shiftbench.run.job import start, stop

start(snakemake)

import sys
from importlib import import_module
from pathlib import Path

from shiftbench.config.schema import ConfigError
from shiftbench.fetch import sources
from shiftbench.fetch.missing import MissingData
from shiftbench.run.dependencies import ROOT

config, name = snakemake.config, snakemake.wildcards.source
source = sources.load(ROOT / "sources.yaml")[name]
try:
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
except MissingData as error:
    print(error.details, file=sys.stderr)
    stop(str(error))
except ConfigError as error:
    stop(str(error))
