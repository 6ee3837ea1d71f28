"""Standard and flipping on random parts of the features."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.datasets import words
from shiftlr.files import write_text
from shiftlr.recognition import load
from shiftlr.thinning import thin

alpha = load(snakemake.input.chosen)["standard"]["params"]["alpha"]
rows = thin(words.load(snakemake.input.words), alpha, snakemake.params.ner)
write_text(snakemake.output.rows, rows.to_csv(index=False))
