"""By how much a method is above the baseline, against the share of labels that are wrong."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shiftbench.present.figures.base import entitle, panels, shown
from shiftbench.present.style import BLACK, BLUE, GREEN, GREY, ORANGE, PURPLE, SKY, VERMILLION, style
from shiftbench.runs import DATA

CAPTION = (
    "Ours, not the report's: each mark is one set of labels; its score on the test set less that of standard logistic "
    "regression on the same replicates, against the share of training labels that are wrong. Marks say what made the "
    "labels wrong; bars reach one standard error to either side."
)
SETTINGS = {"metric": None, "methods": ("robust",), "baseline": "standard"}
SIMULATED = "simulated"
_COLUMNS = ["experiment", "scenario", "kind", "method", "metric", "share_wrong", "gain", "se", "replicates"]
_COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, BLACK, SKY)
_MARKERS = "osD^vP*Xph<>"
_LEAST = 0.2  # per cent; shares below it, none at all among them, are drawn here


def compute(context) -> pd.DataFrame:
    """One row for each scenario whose share of wrong labels is known, and each method that was run there."""
    baseline, rows = context.settings["baseline"], []
    for experiment, scenario in context.scenarios():
        wrong = context.runs.values(experiment, scenario, DATA, "mislabelled")
        metric = context.settings["metric"] or context.config["experiments"][experiment]["metrics"][0]
        for method in context.settings["methods"]:
            place = f"{experiment}.{scenario}"
            found = context.estimate(f"{place}:{method}:{metric} - {place}:{baseline}:{metric}")
            if found is not None and len(wrong):
                kind, share = _kind(context.about(experiment, scenario)), 100.0 * float(wrong.mean())
                rows.append((experiment, scenario, kind, method, metric, share, found.value, found.se, found.n))
    return pd.DataFrame(rows, columns=_COLUMNS)


def _kind(about):
    """What made labels wrong: the workflow itself, or what the last entry of the scenario's `row` says."""
    return SIMULATED if about["noise"] else about["row"][-1]


def draw(data: pd.DataFrame, context) -> Figure:
    """A panel for each method, with the share on a logarithmic axis."""
    methods, looks = list(dict.fromkeys(data["method"])), _looks(data["kind"])
    with style():
        figure = Figure(figsize=(1.2 + 3.6 * max(len(methods), 1), 4.2))
        axes = panels(figure, len(methods))
        for one, method in zip(axes, methods, strict=False):
            mine = data[data["method"] == method]
            one.axhline(0.0, color="black", lw=0.8, zorder=1.5)
            for kind, look in looks.items():
                of = mine[mine["kind"] == kind]
                x = np.maximum(of["share_wrong"], _LEAST)
                one.errorbar(x, of["gain"], yerr=of["se"].fillna(0.0), elinewidth=1.0, **look)
            one.set_xscale("log")
            one.set_xticks([_LEAST, 1, 3, 10, 30], ["0", "1", "3", "10", "30"])
            one.set_xticks([], minor=True)
            one.set_xlabel("wrong labels, %")
            places = mine[["experiment", "scenario"]].drop_duplicates().itertuples(index=False, name=None)
            entitle(one, context.title_of(mine["experiment"].iloc[0], method), context, places)
        axes[0].set_ylabel(f"score less that of {shown(_name(context))}, points")
        handles = [Line2D([], [], **look, label=shown(kind)) for kind, look in looks.items()]
        figure.legend(handles=handles, loc="outside right center", ncols=1)
    return figure


def _looks(kinds):
    """A marker and colour for each kind; simulations are many, and stand back."""
    looks, real = {}, [kind for kind in dict.fromkeys(kinds) if kind != SIMULATED]
    if SIMULATED in set(kinds):
        looks[SIMULATED] = {"color": GREY, "marker": ".", "ms": 6.0, "ls": "none", "alpha": 0.8, "zorder": 1.8}
    for k, kind in enumerate(real):
        looks[kind] = {
            "color": _COLOURS[k % len(_COLOURS)],
            "marker": _MARKERS[k % len(_MARKERS)],
            "ms": 6.0,
            "ls": "none",
            "zorder": 2.0 + 0.01 * k,
        }
    return looks


def _name(context):
    return context.title_of(context.experiments()[0], context.settings["baseline"])
