"""All points of the noise curve in one table."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
from pathlib import Path

from shiftlr.files import write_text
from shiftlr.noise_curve import as_frame

ner = snakemake.params.ner
rows = [row for path in snakemake.input.rows for row in json.loads(Path(path).read_text())]
frame = as_frame(rows, ner["resamples"], ner["seed"])
frame["data"] = json.loads(Path(snakemake.input.about).read_text())["data"]
write_text(snakemake.output.curve, frame.to_csv(index=False))
