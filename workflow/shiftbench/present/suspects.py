"""A page with the first suspects of a list."""

from typing import Any

import pandas as pd

from shiftbench.present.markup import literal
from shiftbench.present.table import Cell, Table

SHOWN = 40  # suspects on a page
_MARKS = {"standin": "Stand-in data for what could not be had. ", "quick": "Quick look on smaller data. "}


def suspect_table(
    name: str, wanted: dict[str, Any], origins: set[str], found: pd.DataFrame, shown: pd.DataFrame
) -> Table:
    """The first rows of a list; `found` is what the method said, `shown` how the dataset shows it.

    `origins` says where the data come from: stand-ins and smaller data are marked.
    """
    first = shown.head(SHOWN)
    lines = [[Cell(_text(value)) for value in row] for row in first.itertuples(index=False)]
    mark = next((text for origin, text in _MARKS.items() if origin in origins), "")
    caption = (
        f"{mark}{wanted['of']}, {wanted['method']}: the {len(first)} most suspicious examples, of "
        f"{len(shown)} that are suspected. All of them: results/{name}.csv."
    )
    known = found[found["truth"] >= 0]
    share = (known["truth"] != known["label"]).mean()
    notes = [f"Of all {len(known)} suspected examples, {share:.0%} have a wrong label."] if len(known) else []
    head = [literal(str(column).replace("_", " ")) for column in shown.columns]
    return Table(caption, head, lines, len(shown.columns), [0], notes, first)


def _text(value):
    return f"{value:+.2f}" if isinstance(value, float) else literal(str(value))
