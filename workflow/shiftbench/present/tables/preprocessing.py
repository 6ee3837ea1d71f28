"""What is suspected under other settings of the data: one line per scenario and method."""

import pandas as pd

from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table
from shiftbench.present.tables import base
from shiftbench.present.tables.suspects import Named, listed, named, times

SETTINGS = {"methods": None}  # what it takes from its entry in the config, beside what all tables have

CAPTION = "The same method with the data prepared in other ways. The report does not say how it did."


def build(context: Context) -> Table:
    """The settings that differ between scenarios, and the set that each method suspects most often."""
    settings = {place: context.about(*place)["data"] for place in context.scenarios()}
    names = list(dict.fromkeys(name for one in settings.values() for name in one))
    steps = [name for name in names if len({str(one.get(name)) for one in settings.values()}) > 1]
    several = len({method for place in settings for method in context.methods(*place)}) > 1
    lines, records, failed = [], [], []
    for place, given in settings.items():
        for method in context.methods(*place):
            title, found = context.title_of(place[0], method), named(context, place, method)
            hits, others, *_ = found or Named([], [])
            params = base.said(base.chosen(context, *place, method))
            keys = [Cell(_text(given.get(step))) for step in steps] + [Cell(title)] * several
            count = Cell("failed" if found is None else str(len(hits)))
            lines.append([*keys, count, Cell(" ".join(hits)), Cell(listed(others)), Cell(times(found)), Cell(params)])
            records.append(
                {step: given.get(step) for step in steps}
                | {"hits": len(hits), "suspects": " ".join(hits), "false_positives": " ".join(others)}
                | {"seeds": times(found), "parameters": params, "method": title, "data": context.origin(*place, method)}
            )
            if found is None:
                failed.append(f"{title} in {place[1]} failed: {context.failures(*place, method)[2]}")
    caption = context.caption(
        more=": logarithms, arrays and genes brought to mean 0 and standard deviation 1. The first line is the one in "
        "Table 2."
    )
    head = [step.replace("_", " ") for step in steps] + ["method"] * several
    head += ["hits", "suspects", "false positives", "seeds", "parameters"]
    return Table(caption, head, lines, len(steps) + several, [0], failed, pd.DataFrame(records))


def _text(value):
    return {True: "yes", False: "no", None: ""}.get(value, str(value)) if isinstance(value, bool | None) else str(value)
