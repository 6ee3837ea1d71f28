"""Where every external file came from."""

from shiftbench.run.job import start

start(snakemake)

import json
from pathlib import Path

from shiftbench.fetch.sources import collect
from shiftbench.files import write_text

found = collect(Path(record).parent for record in snakemake.input.records)
write_text(snakemake.output.provenance, json.dumps(found, indent=2) + "\n")
