"""The suspects of a training set in context, and whether those that methods suspect are wrong."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
from pathlib import Path

import numpy as np
from shiftlr.datasets import words
from shiftlr.evaluation import gather
from shiftlr.files import write_text
from shiftlr.label_errors import compare_rankings, in_context

kind = snakemake.wildcards.labels
data, models = words.load(snakemake.input.words), gather(snakemake.input.runs)
errors = compare_rankings(kind, data, models, snakemake.params.ner)
errors["data"] = json.loads(Path(snakemake.input.about).read_text())["data"]
write_text(snakemake.output.errors, errors.to_csv(index=False))
text = words.text_of(kind, words.Folders(snakemake.input.conll, "", "", snakemake.input.crowd))
shifts = models.arrays.get("robust.suspicion", np.zeros(len(data.labels)))  # no robust model, no suspects
suspects = in_context(text, data, shifts).assign(data=errors["data"].iloc[0])
write_text(snakemake.output.suspects, suspects.to_csv(index=False))
