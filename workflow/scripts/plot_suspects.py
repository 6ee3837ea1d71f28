"""The map over both parameters, and the stability of each tissue."""

import json
import sys

sys.stderr = open(snakemake.log[0], "w", buffering=1)

import pandas as pd
from shiftlr.datasets.sources import is_standin
from shiftlr.figures import save
from shiftlr.suspect_figures import map_figure, stability_figure

out, standin = snakemake.output, is_standin(snakemake.input.folder)
chosen = json.loads(pd.read_csv(snakemake.input.rows)["params"].iloc[0])
save(map_figure(pd.read_csv(snakemake.input.map), chosen, standin), out.map_pdf, out.map_png)
save(stability_figure(pd.read_csv(snakemake.input.stability), standin), out.stability_pdf, out.stability_png)
