"""Table 2, and the preprocessing beside it."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from pathlib import Path

import pandas as pd
from shiftlr import formats
from shiftlr.datasets.sources import is_standin
from shiftlr.suspect_tables import sensitivity_table, table2

colon, out = snakemake.config["colon"], snakemake.output
rows = {Path(path).stem: pd.read_csv(path) for path in snakemake.input.rows}
standin = is_standin(snakemake.input.folder)
tables = {
    "table2": table2(colon, {name: rows[name] for name in colon["rows"]}, standin, snakemake.input.literature),
    "preprocessing": sensitivity_table(colon, rows, standin),
}
for path in [*out.tables, out.table2, out.preprocessing]:
    formats.write(tables[Path(path).stem], **{Path(path).suffix[1:]: path})
