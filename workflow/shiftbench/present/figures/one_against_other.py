"""A metric of one method against that of another: a point for each scenario."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from shiftbench.present.figures.base import NOTES, shown
from shiftbench.present.style import BLACK, BLUE, BROWN, GREEN, GREY, OLIVE, ORANGE, PURPLE, SKY, VERMILLION, style

CAPTION = (
    "Ours, not the report's: each point is a scenario, above the diagonal where the method on the vertical axis is "
    "better; bars reach one standard error to either side. Colours tell the data, markers what was done to the labels."
)
SETTINGS = {"metric": "error_f1", "method": "label_errors", "over": "cleanlab_default"}
_COLUMNS = ["experiment", "scenario", "group", "row", "over", "over_se", "value", "se", "replicates"]
_COLOURS = (BLUE, VERMILLION, GREEN, ORANGE, PURPLE, SKY, BROWN, OLIVE, BLACK)
_MARKERS = "osD^v*<>Xph"


def compute(context) -> pd.DataFrame:
    """The means of both methods; the first entry of a scenario's `row` is its group."""
    metric = context.settings["metric"]
    rows = []
    for experiment, scenario in context.scenarios():
        group, *others = context.about(experiment, scenario)["row"]
        pair = [
            context.estimate(f"{experiment}.{scenario}:{context.settings[name]}:{metric}")
            for name in ("over", "method")
        ]
        if None not in pair:
            other, one = pair
            name = " / ".join(others)
            rows.append((experiment, scenario, group, name, other.value, other.se, one.value, one.se, one.n))
    return pd.DataFrame(rows, columns=_COLUMNS)


def draw(data: pd.DataFrame, context) -> Figure:
    """One panel with both methods' axes alike; scenarios without the metric are not there."""
    colours = dict(zip(dict.fromkeys(data["group"]), _COLOURS * len(data), strict=False))
    markers = dict(zip(dict.fromkeys(data["row"]), _MARKERS * len(data), strict=False))
    with style():
        figure = Figure(figsize=(6.8, 5.0))
        axes = figure.subplots()
        low = min([*data["over"], *data["value"], 100.0]) - 3.0
        high = max([*data["over"], *data["value"], 0.0]) + 3.0
        axes.plot([low, high], [low, high], color=GREY, lw=0.8, zorder=1.5)
        for row in data.itertuples():
            look = {"color": colours[row.group], "marker": markers[row.row], "ms": 5.5, "elinewidth": 0.8}
            axes.errorbar(row.over, row.value, xerr=row.over_se, yerr=row.se, alpha=0.85, **look)
        axes.set_xlim(low, high)
        axes.set_ylim(low, high)
        axes.set_aspect("equal")
        axes.set_xlabel(_title(context, "over"))
        axes.set_ylabel(_title(context, "method"))
        origins = context.origins() if len(data) else set()
        note = next((note for origin, note in NOTES.items() if origin in origins), None)
        if note is not None:
            axes.set_title(f"({note})", color=VERMILLION)
        handles = [
            Line2D([], [], ls="", marker="o", color=colour, label=shown(name)) for name, colour in colours.items()
        ]
        handles += [
            Line2D([], [], ls="", marker=marker, color="0.45", label=shown(name)) for name, marker in markers.items()
        ]
        figure.legend(handles=handles, loc="outside right center", handlelength=1.2)
    return figure


def _title(context, name):
    """How a method's axis is called."""
    title = context.title_of(context.experiments()[0], context.settings[name])
    return shown(f"{context.settings['metric'].replace('error_f1', 'F1').replace('_', ' ')} of {title}, per cent")
