"""One table in every format."""

from shiftbench.run.job import start

start(snakemake)

from shiftbench import plugins
from shiftbench.present import formats
from shiftbench.present.context import build_context, needs
from shiftbench.runs import read_runs
from shiftbench.verdicts.judge import read_published

config, name = snakemake.config, snakemake.wildcards.table
runs = read_runs("results/runs", needs(config, name))
context = build_context(name, config, runs, read_published(snakemake.input.published))
layout = plugins.load_file("tables", context.settings["layout"], config["plugins"])
out = snakemake.output
formats.write(layout.build(context), tex=out.tex, csv=out.csv, md=out.md, html=out.html)
