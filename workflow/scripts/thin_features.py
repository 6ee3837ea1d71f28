"""Standard and flipping on random parts of the features."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
from pathlib import Path

from shiftlr.datasets import words
from shiftlr.files import write_text
from shiftlr.recognition import chosen_alpha, load
from shiftlr.thinning import thin

alpha = chosen_alpha(load(snakemake.input.chosen))
rows = thin(words.load(snakemake.input.words), alpha, snakemake.params.ner)
rows["data"] = json.loads(Path(snakemake.input.about).read_text())["data"]
write_text(snakemake.output.rows, rows.to_csv(index=False))
