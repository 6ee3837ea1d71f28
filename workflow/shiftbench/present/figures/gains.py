"""By how much each method is above the baseline, a row for each scenario."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from shiftbench.present.figures.base import NOTES, methods_shown, share_legend, shown, titles_of
from shiftbench.present.style import GREY, VERMILLION, looks_of, style

CAPTION = (
    "Ours, not the report's: accuracy on the test set less that of standard logistic regression on the same "
    "replicates, a row for each scenario; bars reach one standard error to either side."
)
SETTINGS = {"metric": "accuracy", "methods": None, "without": (), "baseline": "standard"}
_COLUMNS = ["experiment", "scenario", "group", "row", "method", "gain", "se", "replicates"]
_HEIGHT = 0.42  # of a row, in inches
_ROOM = 0.76  # of a row's height, that its marks are spread over


def compute(context) -> pd.DataFrame:
    """The mean gain in each scenario with its standard error; the first entry of a scenario's `row` is its group."""
    metric, baseline = context.settings["metric"], context.settings["baseline"]
    rows = []
    for experiment, scenario in context.scenarios():
        first, *others = context.about(experiment, scenario)["row"]
        group, name = (first, " / ".join(others)) if others else ("", first)
        for method in methods_shown(context, experiment, scenario):
            place = f"{experiment}.{scenario}"
            found = context.estimate(f"{place}:{method}:{metric} - {place}:{baseline}:{metric}")
            if method != baseline and found is not None:
                rows.append((experiment, scenario, group, name, method, found.value, found.se, found.n))
    return pd.DataFrame(rows, columns=_COLUMNS)


def draw(data: pd.DataFrame, context) -> Figure:
    """One panel; the rows of a group stand together below its name."""
    looks = {name: look | {"ls": "none"} for name, look in looks_of(data["method"]).items()}
    rows = data.drop_duplicates(["experiment", "scenario"])
    heights = np.arange(len(rows)) + 0.6 * (np.cumsum(rows["group"] != rows["group"].shift()) - 1)
    at = dict(zip(zip(rows["experiment"], rows["scenario"], strict=True), heights, strict=True))
    with style():
        figure = Figure(figsize=(7.2, 1.2 + _HEIGHT * (max(heights, default=0.0) + 1.0)))
        axes = figure.subplots()
        for height in heights[::2]:
            axes.axhspan(height - 0.5, height + 0.5, color=GREY, alpha=0.14, lw=0)
        axes.axvline(0.0, color="black", lw=0.8, zorder=1.5)
        for k, (name, look) in enumerate(looks.items()):
            mine = data[data["method"] == name]
            spread = _ROOM * (k / max(len(looks) - 1, 1) - 0.5)
            y = [at[place] + spread for place in zip(mine["experiment"], mine["scenario"], strict=True)]
            axes.errorbar(mine["gain"], y, xerr=mine["se"], elinewidth=1.2, **look)
        labels = [f"{row.group}: {row.row}" if row.group else row.row for row in rows.itertuples()]
        axes.set_yticks(heights, [shown(label) for label in labels])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(max(heights, default=0.0) + 0.6, -0.6)
        axes.set_xlabel(f"{context.settings['metric']} less that of {_name(context)}, points")
        origins = {context.origin(*place) for place in at}
        note = next((note for origin, note in NOTES.items() if origin in origins), None)
        if note is not None:
            axes.set_title(f"({note})", color=VERMILLION)
        share_legend(figure, looks, titles_of(context, data))
    return figure


def _name(context):
    return shown(context.title_of(context.experiments()[0], context.settings["baseline"]))
