"""F1 of each method and the flip probabilities it learned, one line per share of the features (appendix B)."""

import numpy as np
import pandas as pd

from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table, means_over, number
from shiftbench.present.tables import base
from shiftbench.runs import DATA

# What it takes from its entry in the config, beside what all tables have.
SETTINGS = {"metric": None, "methods": None, "columns": ["scenario"]}

FLIPS = {"flip_p0": "negative to positive", "flip_p1": "positive to negative"}
CAPTION = "With few features the flipping model learns flip probabilities above zero, and both models do poorly."


def build(context: Context) -> Table:
    """Means over draws of the features."""
    columns = ["experiment", "scenario", "row", "features", "draw", "model", "f1", *FLIPS, "data"]
    data = pd.DataFrame([row for place in context.scenarios() for row in _draws(context, place)], columns=columns)
    methods = list(dict.fromkeys(method for place in context.scenarios() for method in context.methods(*place)))
    learned = [method for method in methods if data.loc[data["model"] == method, list(FLIPS)].notna().any(axis=None)]
    titles = {method: context.title_of(context.experiments()[0], method) for method in methods}
    lines = []
    for place in context.scenarios():
        mine = data[(data["experiment"] == place[0]) & (data["scenario"] == place[1])]
        cells = [Cell(text) for text in context.about(*place)["row"]]
        cells.append(Cell("-" if mine.empty else f"{mine['features'].mean():,.0f}"))
        of = {method: mine[mine["model"] == method] for method in methods}
        cells += [Cell(_mean(of[method]["f1"])) for method in methods]
        cells += [Cell(f"{of[method][flip].mean():.4f}") for method in learned for flip in FLIPS]
        lines.append(cells)
    head = [*context.settings.get("columns", ["scenario"]), "number", *(f"{title} F1" for title in titles.values())]
    head += [
        text if len(learned) == 1 else f"{titles[method]}: {text}" for method in learned for text in FLIPS.values()
    ]
    caption = context.caption(
        more=", means over draws: F1, and the learned probabilities that a negative is seen as a positive, and the "
        "reverse."
    )
    notes = [means_over(context.replicates(), "draw"), *_chosen_elsewhere(context), *_range(context, data)]
    return Table(caption, head, lines, len(head) - len(methods) - 2 * len(learned), [0], notes, data)


def _draws(context, place):
    """One row per draw and method."""
    features = context.runs.values(*place, DATA, "features")
    for method in context.methods(*place):
        found = {name: context.runs.values(*place, method, name) for name in ("f1", *FLIPS)}
        for draw in found["f1"].index:
            row = {"experiment": place[0], "scenario": place[1], "row": " / ".join(context.about(*place)["row"])}
            row |= {"features": features.get(draw, np.nan), "draw": draw, "model": method}
            row |= {name: values.get(draw, np.nan) for name, values in found.items()}
            yield row | {"data": context.origin(*place, method)}


def _mean(values):
    """The mean with its standard error."""
    if values.empty:
        return "failed"
    return number(values.mean(), values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan, digits=2)


def _chosen_elsewhere(context):
    if all(context.about(*place)["params_from"] for place in context.scenarios()):
        return [r"$\sigma^2$ is the one chosen with all features."]
    return []


def _range(context, data):
    """A note on how much the baseline's F1 differs between draws."""
    listed = []
    for row, values in data[data["model"] == base.BASELINE].groupby("row", sort=False)["f1"]:
        if len(values) > 1:
            listed.append(f"{row}: {values.min():.0f} to {values.max():.0f}")
    return [f"F1 of {base.BASELINE} from the least to the greatest draw: {', '.join(listed)}."] if listed else []
