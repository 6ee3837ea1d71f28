"""How stably each tissue is named: how often it has a shift, over the resamples that it is in."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from shiftbench.analyses.stability import stability
from shiftbench.present.figures.base import entitle, only_scenario, shown
from shiftbench.present.markup import literal
from shiftbench.present.style import GREY, VERMILLION, style

CAPTION = (
    "How often each tissue has a nonzero shift, over the bootstrap resamples that it is in, at the parameters that "
    "cross-validation chose for Table 2's default row."
)
SETTINGS = {"method": "robust", "resamples": 200, "seed": None}  # by default the experiment's seed
NEEDS_DATA = True


def compute(context) -> pd.DataFrame:
    """One row per tissue, those that are shifted most often first; none if the method failed."""
    place, settings = only_scenario(context), context.settings
    params = context.params(*place, settings["method"])
    if not params:
        return pd.DataFrame({"sample": [], "suspect": np.array([], bool), "share": np.array([], float)})
    train, seed = context.data[place].parts["train"], settings["seed"]
    if seed is None:
        seed = context.config["experiments"][place[0]]["seed"] or 0
    suspected = train.tags["suspected"]
    shares = stability(train.X, train.labels, train.ids, suspected, params, settings["resamples"], seed)
    return shares.sort_values(["share", "sample"], ascending=[False, True], ignore_index=True)


def draw(data: pd.DataFrame, context) -> Figure:
    """A bar for each tissue, suspects marked."""
    places = np.arange(len(data))
    with style():
        figure = Figure(figsize=(7.2, 3.0))
        axes = figure.subplots()
        for is_suspect, colour, label in ((True, VERMILLION, "suspected in the literature"), (False, GREY, "others")):
            mine = data["suspect"] == is_suspect
            axes.bar(places[mine], data["share"][mine], color=colour, width=0.8, label=label)
        axes.set_xticks(places, [shown(literal(name)) for name in data["sample"]], rotation=90, fontsize=6)
        for tick, is_suspect in zip(axes.get_xticklabels(), data["suspect"], strict=True):
            tick.set_fontweight("bold" if is_suspect else "normal")
        axes.set(ylabel="share of resamples\nin which it is shifted", ylim=(0, 1), xlim=(-0.8, max(len(data), 1) - 0.2))
        axes.legend(loc="upper right")
        entitle(axes, "", context, context.scenarios())
    return figure
