"""One of the tables of named-entity recognition."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
from pathlib import Path

import pandas as pd
from shiftlr import formats, recognition_tables
from shiftlr.verdicts import read_published

given, config, name = snakemake.input, snakemake.config, snakemake.wildcards.table
about = {Path(path).stem: json.loads(Path(path).read_text()) for path in given.about}
standin = {kind for kind, one in about.items() if one["data"] == "standin"}
published = read_published(given.published)
if name == "table3":
    test = json.loads(Path(given.test).read_text())
    table = recognition_tables.data_table(about, test, published)
elif name == "thinning":
    table = recognition_tables.thinning_table(
        pd.read_csv(given.thinning), config["ner"]["thinning"]["labels"] in standin
    )
elif name == "label_errors":
    errors = pd.concat(map(pd.read_csv, given.errors), ignore_index=True)
    table = recognition_tables.label_error_table(config, errors, not standin.isdisjoint(errors["labels"]))
else:
    scores, differences = pd.read_csv(given.scores), pd.read_csv(given.differences)
    table = recognition_tables.score_table(name, config, about, scores, differences, published)
formats.write(table, **{kind: snakemake.output[kind] for kind in ("tex", "csv", "md", "html")})
