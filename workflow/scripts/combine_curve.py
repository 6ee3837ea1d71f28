"""All points of the noise curve in one table."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
from pathlib import Path

from shiftlr.files import write_text
from shiftlr.noise_curve import as_frame

rows = [row for path in snakemake.input.rows for row in json.loads(Path(path).read_text())]
write_text(snakemake.output.curve, as_frame(rows).to_csv(index=False))
