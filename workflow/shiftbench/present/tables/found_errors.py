"""How well methods find wrong labels: a line for each scenario, a block of columns for each metric.

Below them the means over the scenarios, and by how much, and how often, the first method is better than each other.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftbench.metrics import TRUSTED
from shiftbench.present.context import Context, Place
from shiftbench.present.table import Cell, Table, means_over
from shiftbench.present.tables import base

# What it takes from its entry in the config, beside what all tables have: the metrics in the order of their columns,
# and of each the methods that it is shown of, by default all of them.
SETTINGS: dict[str, Any] = {"columns": ["scenario"], "methods": None, "shown": {"error_f1": None}}

CAPTION = "How well wrong labels are found, by what is known of the true ones; in per cent."
_NAMES = {
    "error_f1": "F1",
    "error_precision": "precision",
    "error_recall": "recall",
    "error_average_precision": "average precision",
    "clean_named": "right labels named",
    "precision_at_all": "precision at the true number",
}


class _Column(NamedTuple):
    metric: str
    method: str


def name_of(metric: str) -> str:
    """How a metric of wrong labels is called."""
    base_name, _, number = metric.rpartition("_")
    if base_name == "fdp":
        return f"false at {number} %"
    if base_name == "named_at":
        return f"named at {number} %"
    return _NAMES.get(metric, base.name_of(metric))


def build(context: Context) -> Table:
    """A line for each scenario, then the means and the comparisons."""
    columns = _columns(context)
    data = pd.concat([_numbers(context, column) for column in columns], ignore_index=True)
    headings = context.settings.get("columns", SETTINGS["columns"])
    lines: list[list[Cell]] = []
    groups: list[int] = []
    before = None
    for place in context.scenarios():
        row = context.about(*place)["row"]
        keys = row if len(row) == len(headings) else [" / ".join(row)]
        if keys[0] != before or len(keys) == 1:
            groups.append(len(lines))
        lines.append([*map(Cell, keys), *(Cell(_text(data, place, column)) for column in columns)])
        before = keys[0]
    groups.append(len(lines))
    lines += _summary(context, columns, data, len(headings))
    titles = {column: context.title_of(context.experiments()[0], column.method) for column in columns}
    head = [*headings, *(f"{name_of(column.metric)}: {titles[column]}" for column in columns)]
    caption = context.caption(context.settings["title"] or context.name, ", in per cent.")
    return Table(caption, head, lines, len(headings), groups, _notes(context, data), base.ordered(data))


def _columns(context: Context) -> list[_Column]:
    """Of each metric the methods that are shown, in the order of the settings."""
    known = context.methods(context.experiments()[0])
    found = []
    for metric, methods in context.settings.get("shown", SETTINGS["shown"]).items():
        unknown = sorted(set(methods or []) - set(known))
        if unknown:
            raise ValueError(f"{context.name}.shown.{metric}: no method {unknown[0]!r}; there are {', '.join(known)}")
        found += [_Column(metric, method) for method in methods or known]
    return found


def _numbers(context, column):
    """One row per scenario: the mean of a metric of a method."""
    of_metric = context._replace(settings=context.settings | {"metric": column.metric})
    return base.numbers(of_metric, {place: [column.method] for place in context.scenarios()})


def _of(data, column):
    return data[(data["metric"] == column.metric) & (data["method"] == column.method)]


def _text(data: pd.DataFrame, place: Place, column: _Column) -> str:
    """A mean with one decimal, of counts without; a dagger where some replicates failed, the word where all did."""
    rows = _of(data, column)
    row = next(rows[(rows["experiment"] == place[0]) & (rows["scenario"] == place[1])].itertuples())
    if np.isnan(row.ours):
        return "failed" if row.failed and not row.replicates else "-"
    digits = 0 if column.metric.startswith("named_at_") else 1
    return f"{row.ours:.{digits}f}{'†' if row.failed else ''}"


def _summary(context, columns, data, n_keys):
    """Means, by how much a metric's first method is above each other on average, and how often it is better."""
    blank = [Cell("")] * (n_keys - 1)
    means = [_of(data, column)["ours"].dropna() for column in columns]
    first = {metric: next(one for one in columns if one.metric == metric) for metric, _ in columns}
    title = context.title_of(context.experiments()[0], columns[0].method)
    differences, wins = [], []
    for column in columns:
        other = first[column.metric]
        found = None if column == other else _compare(context, column, other.method)
        differences.append(Cell("" if found is None else f"{found[0]:+.1f} ± {found[1]:.1f}"))
        wins.append(Cell("" if found is None else f"{found[2]} of {found[3]}"))
    return [
        [Cell("mean"), *blank, *(Cell(f"{one.mean():.1f}" if len(one) else "-") for one in means)],
        [Cell(f"{title}, less this"), *blank, *differences],
        [Cell(f"{title} better in"), *blank, *wins],
    ]


def _compare(context, column, method):
    """(mean difference, its standard error, scenarios in which `method` is better, all with both), or None."""
    found = []
    for experiment, scenario in context.scenarios():
        place = f"{experiment}.{scenario}"
        one = context.estimate(f"{place}:{method}:{column.metric} - {place}:{column.method}:{column.metric}")
        found += [] if one is None else [one]
    if not found:
        return None
    values = np.array([one.value for one in found])
    sign = -1.0 if base.lower_is_better(context, column.metric) else 1.0
    se = float(np.sqrt(sum(one.se**2 for one in found))) / len(found)  # scenarios are independent
    return float(values.mean()), se, int(np.sum(sign * values > 0.0)), len(found)


def _notes(context: Context, data: pd.DataFrame) -> list[str]:
    metrics = data.groupby("metric", sort=False)["ours_se"].max().dropna()
    errors = ", ".join(f"{name_of(metric)} {se:.1f}" for metric, se in metrics.items())
    notes = [f"{means_over(context.replicates())} The largest standard errors: {errors}." if errors else ""]
    notes.append("-: there are no wrong labels to be found. Last: the mean of the lines above that have a number.")
    if any(metric.startswith("fdp_") for metric in data["metric"]):
        notes.append(
            "false at q %: the share of right labels among those named where q % of them may be right, if the truth of "
            f"{TRUSTED:.0%} of the labels, drawn at random, is told; 0 where none is named. named at q %: how many."
        )
    return [note for note in notes if note] + base.failures(context, data.drop_duplicates(["scenario", "method"]))
