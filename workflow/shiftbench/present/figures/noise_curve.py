"""A score on the test set against the share of training labels that were flipped, a panel for each way to flip them.

A scenario's `row` in the config says what it is: [kind of noise, share in per cent]. Share 0 stands in all panels.
"""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from shiftbench.present.figures.base import (
    draw_band,
    entitle,
    mean_and_error,
    methods_shown,
    panels,
    share_legend,
    titles_of,
)
from shiftbench.present.style import looks_of, style

CAPTION = (
    "Ours, not the report's: F1 or accuracy on the test set against the share of true training labels that were "
    "flipped, a panel for each way to flip them; means over replicates, the bands reach one standard error to either "
    "side."
)
SETTINGS = {"metric": "f1", "methods": None, "without": ()}
_COLUMNS = ["experiment", "scenario", "noise", "share", "method", "mean", "se", "replicates"]
_TITLES = {"f1": "F1"}  # of metrics


def compute(context) -> pd.DataFrame:
    """Mean and standard error at each share; NaN where all fits failed."""
    rows = []
    for experiment, scenario, noise, share in _points(context):
        for method in methods_shown(context, experiment, scenario):
            values = context.runs.values(experiment, scenario, method, context.settings["metric"])
            rows.append((experiment, scenario, noise, share, method, *mean_and_error(values), len(values)))
    table = pd.DataFrame(rows, columns=_COLUMNS).sort_values("share", kind="stable", ignore_index=True)
    known = table.groupby(["experiment", "method"])["mean"].transform("count") > 0
    return table[known].reset_index(drop=True)


def _points(context):
    """(experiment, scenario, kind of noise, share in per cent); where the share is 0, once for each kind."""
    found = []
    for experiment, scenario in context.scenarios():
        row = context.about(experiment, scenario)["row"]
        try:
            noise, share = row[0], float(row[1])
        except (IndexError, ValueError):
            raise ValueError(
                f"{context.name}: experiments.{experiment}.scenarios.{scenario}.row: {row} must be "
                "[kind of noise, share of flipped labels in per cent]"
            ) from None
        found.append((experiment, scenario, noise, share))
    kinds: dict[str, dict[str, None]] = {}  # of each experiment, in order
    for experiment, _, noise, share in found:
        kinds.setdefault(experiment, {}).update({noise: None} if share > 0.0 else {})
    for experiment, scenario, noise, share in found:
        for kind in (noise,) if share > 0.0 else kinds[experiment] or (noise,):
            yield experiment, scenario, kind, share


def draw(data: pd.DataFrame, context) -> Figure:
    """A line for each method."""
    looks, metric = looks_of(data["method"]), context.settings["metric"]
    order = {(experiment, noise): None for experiment, _, noise, _ in _points(context)}
    with style():
        figure = Figure(figsize=(7.2, 3.6))
        grid = panels(figure, len(order))
        for axes, (experiment, noise) in zip(grid, order, strict=False):
            of_panel = data[(data["experiment"] == experiment) & (data["noise"] == noise)]
            for name, look in looks.items():
                mine = of_panel[of_panel["method"] == name]
                draw_band(axes, mine["share"], mine["mean"], mine["se"], look)
                axes.plot(mine["share"], mine["mean"], **look)
            axes.set_xlabel("flipped training labels, %")
            axes.set_xticks(np.unique(data["share"]))
            entitle(axes, noise, context, [(experiment, one) for one in of_panel["scenario"].unique()])
        grid[0].set_ylabel(f"{_TITLES.get(metric, metric)} on the test set, %")
        share_legend(figure, looks, titles_of(context, data))
    return figure
