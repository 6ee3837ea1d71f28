"""What one method says of every tissue."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.datasets.colon import read
from shiftlr.files import write_text
from shiftlr.suspects import as_rows, find

data = read(snakemake.input.folder)
found = find(snakemake.params.row, snakemake.params.colon, data)
write_text(snakemake.output.rows, as_rows(found, data).to_csv(index=False))
