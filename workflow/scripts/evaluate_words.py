"""Scores of all models of named-entity recognition, their differences, and facts for the verdicts."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
from pathlib import Path

import pandas as pd
from shiftlr.datasets import words
from shiftlr.evaluation import evaluate, facts, gather
from shiftlr.files import write_text

given, out = snakemake.input, snakemake.output
kinds = snakemake.params.labels
about = {kind: json.loads(Path(path).read_text()) for kind, path in zip(kinds, given.about, strict=True)}
models = {kind: gather(path for path in given.runs if Path(path).parent.name == kind) for kind in kinds}
results = [
    evaluate(kind, words.load(path), models[kind], snakemake.params.ner)
    for kind, path in zip(kinds, given.words, strict=True)
]
scores, differences = (pd.concat(parts, ignore_index=True) for parts in zip(*results, strict=True))
origin = {kind: one["data"] for kind, one in about.items()}
scores["data"], differences["data"] = scores["labels"].map(origin), differences["labels"].map(origin)
test = words.about_test(words.Folders(given.conll, "", "", ""))
write_text(out.scores, scores.to_csv(index=False))
write_text(out.differences, differences.to_csv(index=False))
write_text(out.facts, facts(about, test, models, scores, differences).to_csv(index=False))
words.save_about(out.test, test)
