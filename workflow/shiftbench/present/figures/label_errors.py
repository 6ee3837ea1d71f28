"""Which labels are wrong: the share of wrong labels among the k most suspicious ones, a panel for each scenario."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

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
from shiftbench.runs import DATA

CAPTION = (
    "Ours, not the report's: among the k labels that look most suspicious to a method, the share that is wrong; means "
    "over replicates, the bands reach one standard error to either side. A method that does not rank all labels ends "
    "with the last one that it names."
)
SETTINGS = {"methods": ("standard", "robust", "flipping", "confident_learning"), "without": ()}
_METRIC = "precision_at_"
_COLUMNS = ["experiment", "scenario", "method", "k", "precision", "se", "ends", "among_all"]


def compute(context) -> pd.DataFrame:
    """The share at each k that was measured, and where a ranking `ends`; `among_all` is that among all labels."""
    rows: list[tuple] = []
    for experiment, scenario in context.scenarios():
        among_all = context.runs.values(experiment, scenario, DATA, "mislabelled").mean()
        for method in methods_shown(context, experiment, scenario):
            points = _points(context, experiment, scenario, method)
            rows += ((experiment, scenario, method, *point, among_all) for point in points)
    return pd.DataFrame(rows, columns=_COLUMNS)


def _points(context, *place):
    """(k, precision, standard error, whether it is the end) for each k that all replicates rank, and for the end."""
    runs = context.runs
    measured = runs.of(*place)["metric"].unique()
    ks = sorted(int(name.removeprefix(_METRIC)) for name in measured if name.startswith(_METRIC))
    points = [(k, *mean_and_error(runs.values(*place, f"{_METRIC}{k}")), False) for k in ks]
    points = [point for point in points if not np.isnan(point[1])]
    if not _ends(context, place):
        return points
    named, right = runs.values(*place, "suspected_count"), runs.values(*place, "suspected_right")
    if named.empty:  # not measured
        named = pd.Series([context.array(*place, "suspected").sum()])
    ranked = [point for point in points if point[0] <= named.min()]
    if len(ranked) == len(points) or (ranked and ranked[-1][0] == named.mean()):
        return ranked
    shares = right.reindex(named.index)[named > 0] / named[named > 0]
    share = right.sum() / named.sum() if shares.notna().any() else np.nan
    return [*ranked, (named.mean(), share, mean_and_error(shares)[1], True)]


def _ends(context, place):
    """Whether labels that are not suspected are all the same to a method."""
    suspicion, suspected = (context.array(*place, name) for name in ("suspicion", "suspected"))
    if suspicion is None:  # the fit failed
        return False
    others = suspicion[~suspected]
    return len(others) > 0 and np.ptp(others) == 0.0


def draw(data: pd.DataFrame, context) -> Figure:
    """A line for each method, and a dotted one for the labels as they come."""
    looks, places = looks_of(data["method"]), context.scenarios()
    ks = sorted(set(data["k"][~data["ends"].astype(bool)].astype(int)))
    base: dict[str, Any] = {"color": "black", "lw": 0.8, "ls": ":"}
    with style():
        figure = Figure(figsize=(7.2, 3.4))
        grid = panels(figure, len(places))
        for axes, place in zip(grid, places, strict=False):
            of_panel = data[(data["experiment"] == place[0]) & (data["scenario"] == place[1])]
            for name, look in looks.items():
                mine = of_panel[of_panel["method"] == name].dropna(subset="precision")
                draw_band(axes, mine["k"], mine["precision"], mine["se"], look)
                axes.plot(mine["k"], mine["precision"], **look, clip_on=False)
            for share in of_panel["among_all"].dropna().unique():
                axes.axhline(share, **base)
            axes.set(xscale="log", xlabel="$k$", ylim=(0.0, 1.0))
            axes.set_xticks(ks, [str(k) for k in ks])
            axes.xaxis.set_minor_locator(NullLocator())
            entitle(axes, context.about(*place)["title"], context, [place])
        grid[0].set_ylabel("share of wrong labels\namong the first $k$")
        share_legend(figure, looks, titles_of(context, data), [Line2D([], [], **base, label="among all labels")])
    return figure
