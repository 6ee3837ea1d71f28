"""Compare the results with the expected ones; fails, with every difference named, if one is too large."""

from shiftbench.run.job import start

start(snakemake)

import pandas as pd
from shiftbench.files import write_text
from shiftbench.runs import read_table
from shiftbench.verdicts.verify import check, compare, read_expected

differences = compare(
    read_expected(snakemake.input.expected),
    read_table(snakemake.input.runs),
    pd.read_csv(snakemake.input.verdicts),
)
check(differences)
write_text(snakemake.output.differences, differences.to_csv(index=False))
