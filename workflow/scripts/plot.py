"""One figure as PDF and PNG."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.figures import FIGURES, save

save(FIGURES[snakemake.wildcards.figure](snakemake.params.settings), snakemake.output.pdf, snakemake.output.png)
