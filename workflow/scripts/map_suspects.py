"""The default row's shifts; what other parameters would find; how stable it is."""

import json
import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import pandas as pd
from shiftlr.datasets.colon import preprocess, read
from shiftlr.datasets.sources import is_standin
from shiftlr.files import write_text
from shiftlr.suspects import count_map, facts, shifted, stability

data, rows, colon = read(snakemake.input.folder), pd.read_csv(snakemake.input.rows), snakemake.params.colon
X = preprocess(data.intensities, **snakemake.params.preprocessing)
chosen = json.loads(rows["params"].iloc[0])
for path, table in (
    (snakemake.output.suspects, shifted(rows)),
    (snakemake.output.facts, facts(rows, is_standin(snakemake.input.folder))),
    (snakemake.output.map, count_map(colon, X, data)),
    (snakemake.output.stability, stability(chosen, colon, X, data)),
):
    write_text(path, table.to_csv(index=False))
