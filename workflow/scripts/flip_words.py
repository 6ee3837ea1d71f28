"""One method on training sets with more and more flipped labels."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import gzip
import json
from pathlib import Path

from shiftlr.datasets import words
from shiftlr.files import write_text
from shiftlr.noise_curve import points, word_types

with gzip.open(snakemake.input.names, "rt", encoding="utf-8") as file:
    names = file.read().splitlines()
data = words.load(snakemake.input.words)
chosen = json.loads(Path(snakemake.input.chosen[0]).read_text()) if snakemake.input.get("chosen") else []
rows = points(
    snakemake.params.method, snakemake.wildcards.kind, data, word_types(data, names), snakemake.params.ner, chosen
)
write_text(snakemake.output.rows, json.dumps(rows, indent=1, default=lambda number: number.item()) + "\n")
