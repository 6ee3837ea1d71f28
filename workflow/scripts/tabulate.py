"""One table in every format."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import pandas as pd
from shiftlr import formats
from shiftlr.tables import readings_table, simulation_table
from shiftlr.verdicts import read_published

config = snakemake.config
given = (
    pd.read_parquet(snakemake.input.runs),
    read_published(snakemake.input.published),
    pd.read_csv(snakemake.input.verdicts),
)
name = snakemake.wildcards.table
table = readings_table(config, *given) if name == "readings" else simulation_table(config, name, *given)
out = snakemake.output
formats.write(table, tex=out.tex, csv=out.csv, md=out.md, html=out.html)
