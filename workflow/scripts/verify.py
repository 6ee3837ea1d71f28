"""Compare the results with the expected ones; fails, with every difference named, if one is too large."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import pandas as pd
from shiftlr.files import write_text
from shiftlr.verdicts import read_facts
from shiftlr.verify import check, compare, read_expected

differences = compare(
    read_expected(snakemake.input.expected),
    pd.read_parquet(snakemake.input.runs),
    pd.read_csv(snakemake.input.verdicts),
    read_facts(snakemake.input.facts),
)
check(differences)
write_text(snakemake.output.differences, differences.to_csv(index=False))
