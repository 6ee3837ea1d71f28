"""One of the figures of named-entity recognition."""

import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import json
from pathlib import Path

import pandas as pd
from shiftlr import recognition_figures
from shiftlr.datasets import words
from shiftlr.evaluation import gather
from shiftlr.figures import save

given, name, titles = snakemake.input, snakemake.wildcards.figure, snakemake.params.titles
about = {Path(path).stem: json.loads(Path(path).read_text()) for path in given.about}
standin = {kind: one["data"] == "standin" for kind, one in about.items()}
if name == "noise_curve":
    figure = recognition_figures.noise_figure(pd.read_csv(given.curve[0]), titles, standin["gold"])
elif name == "label_errors":
    errors = pd.concat(map(pd.read_csv, given.errors), ignore_index=True)
    figure = recognition_figures.label_errors_figure(errors, titles, titles, standin)
else:
    panels = {}
    for path in given.words:
        kind = Path(path).stem
        models = gather(run for run in given.runs if Path(run).parent.name == kind)
        panels[kind] = recognition_figures.panel(titles[kind], words.load(path).truth_test, models)
    # the other rule for lam would hide the first
    figure = recognition_figures.figure3(panels, standin, titles, without=("robust_folds", "robust_share"))
save(figure, snakemake.output.pdf, snakemake.output.png)
