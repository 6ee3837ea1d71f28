"""Whether the published standard errors of accuracies are possible: a test set of n examples has one of its own.

The accuracy p of one replicate on n test examples varies by at least sqrt(p (1 - p) / n), however alike the fitted
models are; so a mean over R replicates has a standard error of at least sqrt(p (1 - p) / (n R)).
"""

import numpy as np
import pandas as pd

from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table
from shiftbench.verdicts.expressions import parse

SETTINGS = {"replicates": 100}  # what it takes from its entry in the config: how many the report is taken to have

CAPTION = "A standard error below the smallest possible one says that the column was run otherwise."


def build(context: Context) -> Table:
    """One line per published accuracy with a standard error."""
    replicates = int(context.settings.get("replicates", SETTINGS["replicates"]))
    records = []
    for row in context.published[context.published["relation"] == "="].itertuples():
        (term,) = parse(row.ours)
        if np.isnan(row.se) or term.quantity != "accuracy":
            continue
        size, share = context.about(term.experiment, term.scenario)["data"]["test"], row.value / 100.0
        smallest = 100.0 * np.sqrt(share * (1.0 - share) / (size * replicates))
        records.append(
            {"id": row.id, "row": row.row, "method": term.method, "published": row.value, "published_se": row.se}
            | {"smallest": smallest, "possible": bool(row.se >= smallest - 0.005)}  # the report rounds
            | {"replicates_needed": int(np.ceil(1e4 * share * (1.0 - share) / (size * (row.se + 0.005) ** 2)))}
            | {"data": "report"}
        )
    lines = [
        [
            *(
                Cell(one["row"]),
                Cell(one["method"]),
                Cell(f"{one['published']:.2f}"),
                Cell(f"{one['published_se']:.2f}"),
            ),
            *(Cell(f"{one['smallest']:.2f}"), Cell("yes" if one["possible"] else "no", not one["possible"])),
            Cell(str(one["replicates_needed"])),
        ]
        for one in records
    ]
    head = ["experiment", "method", "report", "s.e.", "smallest s.e.", "possible", "replicates at least"]
    caption = context.caption(more=f": the smallest standard error of a mean over {replicates} replicates.")
    return Table(caption, head, lines, 2, [0], [], pd.DataFrame(records))
