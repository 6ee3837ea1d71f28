"""Means over replicates, one column per method; where the report has numbers, ours stand above them."""

import pandas as pd

from shiftbench.present.context import Context
from shiftbench.present.table import LEGEND, Cell, Table, means_over
from shiftbench.present.tables import base
from shiftbench.verdicts.judge import with_holm
from shiftbench.verdicts.relations import LEVEL

# What it takes from its entry in the config, beside what all tables have.
SETTINGS = {"metric": None, "methods": None, "columns": ["scenario"], "bold": "best", "gain_beside": None}

CAPTION = "Means over replicates; where the report has numbers, ours stand above them."


def build(context: Context) -> Table:
    """One line of ours, and one of the report's if it has any, for each scenario."""
    columns = list(dict.fromkeys(method for name in context.experiments() for method in context.methods(name)))
    data = base.beside_published(context, base.numbers(context, dict.fromkeys(context.scenarios(), columns)))
    data["bold"] = _bold(context, data)
    with_report = bool(data["published"].notna().any())
    headings = context.settings.get("columns", ["scenario"])
    lines: list[list[Cell]] = []
    groups = []
    for place in context.scenarios():
        cells = [row for row in data.itertuples() if (row.experiment, row.scenario) == place]
        row = context.about(*place)["row"]
        keys = [Cell(text) for text in (row if len(row) == len(headings) else [" / ".join(row)])]
        groups.append(len(lines))
        lines.append([*keys, *[Cell("ours")] * with_report, *(base.our_cell(cell, cell.bold) for cell in cells)])
        if with_report:
            lines.append([*[Cell("")] * len(keys), Cell("report"), *map(base.published_cell, cells)])
    titles = {name: context.title_of(*_of(context, name)) for name in columns}
    head = [*headings, *([""] * with_report), *titles.values()]
    _add_gains(context, head, lines, groups)
    metric = base.metric_of(context, context.experiments()[0])
    caption = context.caption(context.settings["title"] or context.name, f": {base.measured_on(context, metric)}.")
    notes = [means_over(context.replicates()), *([LEGEND] if with_report else []), *base.failures(context, data)]
    n_keys = len(headings) + with_report
    return Table(caption, head, lines, n_keys, groups if with_report else [0], notes, base.ordered(data))


def _of(context, method):
    """(an experiment that has the method, the method)."""
    return next(name for name in context.experiments() if method in context.methods(name)), method


def _bold(context, data):
    """Which of our numbers are bold: the best of a row; or only if it beats the baseline significantly."""
    lower = base.lower_is_better(context, data["metric"].iloc[0])
    groups = data.groupby(["experiment", "scenario"])["ours"]
    best = groups.transform("min" if lower else "max").eq(data["ours"])
    if context.settings.get("bold", "best") == "best":
        return best
    others = data[data["method"] != base.BASELINE]
    ps = []
    for row in others.itertuples():
        found = context.estimate(_gain(row.experiment, row.scenario, row.method, row.metric))
        wins = found is not None and (found.value < 0.0 if lower else found.value > 0.0) and found.se == found.se
        ps.append(found.p_value() if wins else 1.0)
    corrected = with_holm(pd.DataFrame({"table": context.name, "p": ps}, index=others.index))["p_holm"]
    return best & corrected.reindex(data.index).lt(LEVEL)


def _gain(experiment, scenario, method, metric):
    place = f"{experiment}.{scenario}"
    return f"{place}:{method}:{metric} - {place}:{base.BASELINE}:{metric}"


def _add_gains(context, head, lines, groups):
    """For each scenario the gain of the first method over the baseline, here and in the experiment beside it."""
    beside = context.settings.get("gain_beside")
    if not beside:
        return
    first = next(name for name in context.methods(context.experiments()[0]) if name != base.BASELINE)
    head += ["gain", f"gain in {beside}"]
    for start, (experiment, scenario) in zip(groups, context.scenarios(), strict=True):
        pair = []
        for name in (experiment, beside):
            found = context.estimate(_gain(name, scenario, first, base.metric_of(context, name)))
            pair.append(Cell("-" if found is None else f"{found.value:+.2f} ± {found.se:.2f}"))
        lines[start].extend(pair)
    for line in lines:
        line.extend([Cell("")] * (len(head) - len(line)))
