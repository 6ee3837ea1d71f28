"""Which method finds wrong labels: how many it names, how many of those are wrong, and among the k most suspicious."""

import re

import numpy as np
import pandas as pd

from shiftbench.config.plan import shown_methods
from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table
from shiftbench.runs import DATA

SETTINGS = {"methods": None}  # what it takes from its entry in the config, beside what all tables have

FIRST = ("labels", "ranking", "named", "named_wrong", "wrong", "n")  # columns of the CSV
CAPTION = "Of the labels that each method suspects, how many are wrong."


def build(context: Context) -> Table:
    """One line per scenario and method that says which labels look wrong, those that no other table shows too."""
    found = [row for place in context.scenarios() for row in _rows(context, place)]
    rows = pd.DataFrame(found, columns=None if found else ["experiment", *FIRST, "data"])
    ks = sorted((name for name in rows if re.fullmatch(r"at_\d+", name)), key=lambda name: int(name[3:]))
    lines: list[list[Cell]] = []
    groups = []
    for (experiment, scenario), of_scenario in rows.groupby(["experiment", "labels"], sort=False):
        groups.append(len(lines))
        for row in of_scenario.to_dict("records"):
            title = context.about(experiment, scenario)["title"] if len(lines) == groups[-1] else ""
            right = f"{row['named_wrong'] / row['named']:.2f}" if row["named"] else "-"
            cells = [Cell("" if np.isnan(row[k]) else f"{row[k]:.2f}") for k in ks]
            method = Cell(context.title_of(experiment, row["ranking"]))
            lines.append([Cell(title), method, Cell(f"{row['named']:,.0f}"), Cell(right), *cells])
    counts = rows.drop_duplicates(["experiment", "labels"])
    wrong = ", ".join(
        f"{context.about(one.experiment, one.labels)['title']}: {one.wrong:,.0f}" for one in counts.itertuples()
    )
    notes = [
        "named: labels that the method calls wrong (shifted, more likely wrong than not, filtered out, on the wrong "
        "side of the boundary or of their margin, confident learning); right: the share of them that is wrong indeed; "
        "then the share among the k most suspicious. Equally suspicious examples count in part.",
        f"Wrong labels in all: {wrong}.",
        *_spread(context, rows, ks),
    ]
    head = ["labels", "suspicion by", "named", "right", *(f"{int(k[3:]):,}" for k in ks)]
    first = [*FIRST, *ks, "data"]
    data = rows[[*first, *(name for name in rows.columns if name not in first)]]
    return Table(context.caption(more=_beside(context)), head, lines, 2, groups, notes, data)


def _rows(context, place):
    """Means over replicates, of all methods of the experiment."""
    facts = {name: context.runs.values(*place, DATA, name) for name in ("positives", "negatives", "mislabelled")}
    size = facts["positives"] + facts["negatives"]
    for method in context.methods(*place, hidden=True):
        named = context.runs.values(*place, method, "suspected_count")
        if not len(named):
            continue
        row = {
            "experiment": place[0],
            "labels": place[1],
            "ranking": method,
            "named": named.mean(),
            "named_wrong": context.runs.values(*place, method, "suspected_right").mean(),
            "wrong": (facts["mislabelled"] * size).round().mean(),
            "n": size.mean(),
            "data": context.origin(*place, method),
            "replicates": len(named),
        }
        metrics = context.runs.of(*place, method)["metric"].unique()
        for metric in [name for name in metrics if name.startswith("precision_at_")]:
            values = context.runs.values(*place, method, metric)
            k = metric.removeprefix("precision_at_")
            row |= {f"at_{k}": values.mean(), f"at_{k}_se": values.std(ddof=1) / np.sqrt(len(values))}
        yield row


def _spread(context, rows, ks):
    errors = rows[[f"{k}_se" for k in ks]].to_numpy() if ks else np.array([])
    if context.replicates() == [1] or not np.isfinite(errors).any():
        return []
    return [
        f"Means over {' or '.join(map(str, context.replicates()))} replicates; standard errors of the shares among the "
        f"k most suspicious are at most {np.nanmax(errors):.2f}."
    ]


def _beside(context):
    """Names of the methods that the experiments' own tables do not show."""
    hidden = {
        context.title_of(name, method): None
        for name in context.experiments()
        for method in context.methods(name, hidden=True)
        if method not in shown_methods(context.config, name)
    }
    return f" Beside the methods of the other tables: {', '.join(hidden)}." if hidden else ""
