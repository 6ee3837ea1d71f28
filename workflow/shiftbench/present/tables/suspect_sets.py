"""How often each set of examples is suspected, over the replicates of one method on one scenario."""

import pandas as pd

from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table
from shiftbench.present.tables.suspects import all_named, listed, names_of
from shiftbench.runs import DATA

MOST = 5
SETTINGS = {"methods": None, "most": MOST}  # what it takes from its entry in the config: how many sets of each it shows

CAPTION = "How often each set of examples comes out, over seeds of the folds. All sets are in the CSV."


def build(context: Context) -> Table:
    """One line per set, the commonest of each method first."""
    most = int(context.settings.get("most", MOST))
    lines: list[list[Cell]] = []
    starts, records = [], []
    for place in context.scenarios():
        published = set(_published(context, place))
        for method in context.methods(*place):
            title = f"{context.title_of(place[0], method)}, {context.about(*place)['title']}"
            sets = all_named(context, place, method)
            starts += [len(lines)] if sets else []
            for k, one in enumerate(sets):
                same = {*one.hits, *one.others} == published
                records.append(
                    {"experiment": place[0], "scenario": place[1], "method": method, "times": one.times}
                    | {"replicates": one.replicates, "suspects": " ".join(one.hits), "others": " ".join(one.others)}
                    | {"as_published": same, "data": context.origin(*place, method)}
                )
                if k < most:
                    often = f"{one.times} of {one.replicates}"
                    cells = [title if k == 0 else "", often, " ".join(one.hits), listed(one.others), "✓" * same]
                    lines.append([Cell(text) for text in cells])
    head = ["method", "seeds", "suspects", "false positives", "as published"]
    notes = [f"At most {most} sets of each method are shown; the CSV has all."] if len(records) > len(lines) else []
    return Table(context.caption(more="."), head, lines, 1, starts, notes, pd.DataFrame(records))


def _published(context, place):
    """The names of the examples that the report found, if the data say."""
    mask = context.array(*place, DATA, "tag.published")
    return [] if mask is None else names_of(context, place)[mask].tolist()
