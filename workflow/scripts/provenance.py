"""Where every external file came from."""

import json
import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.datasets.sources import collect
from shiftlr.files import write_text

write_text(snakemake.output.provenance, json.dumps(collect(snakemake.input.folders), indent=2) + "\n")
