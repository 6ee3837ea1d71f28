"""One method on one training set of words."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

from shiftlr.datasets import words
from shiftlr.recognition import chosen_alpha, load, record, save, train

method, ner, labels = snakemake.params.method, snakemake.params.ner, snakemake.params.labels
data = words.load(snakemake.input.words)
chosen = load(snakemake.input.chosen[0]) if snakemake.input.get("chosen") else {}
arguments = {}
if labels["like"]:
    arguments["like"] = {name: model["params"] for name, model in chosen.items() if model["status"] == "ok"}
elif chosen:
    arguments["alpha"] = chosen_alpha(chosen)
about, arrays = record(method, data, lambda: train(method, data, ner, labels["lam"], **arguments))
for name, one in about.items():
    print(name, one["status"], one.get("reason", ""), *one.get("warnings", []), sep="\n  ", file=sys.stderr)
save(snakemake.output.about, snakemake.output.arrays, about, arrays)
