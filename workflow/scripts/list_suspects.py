"""The words with a shift, in context: all of them as CSV, the first as a page."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
import shutil
from pathlib import Path

import pandas as pd
from shiftlr import formats
from shiftlr.recognition_tables import suspect_table

given, out = snakemake.input, snakemake.output
about = json.loads(Path(given.about).read_text())
suspects = pd.read_csv(given.suspects, keep_default_na=False)
shutil.copyfile(given.suspects, out.csv)
formats.write(suspect_table(suspects, about["source"], about["data"] == "standin"), html=out.html)
