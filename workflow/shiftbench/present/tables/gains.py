"""Means over replicates, and below them by how much each method is above others on the same replicates."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftbench.present.context import Context, Place
from shiftbench.present.table import Cell, Table, means_over
from shiftbench.present.tables import base
from shiftbench.verdicts.judge import ORIGINS, with_holm
from shiftbench.verdicts.relations import LEVEL

# What it takes from its entry in the config, beside what all tables have. `over` names the methods to compare with;
# each comparison of two methods stands once.
SETTINGS: dict[str, Any] = {"metric": None, "methods": None, "columns": ["scenario"], "over": [base.BASELINE]}

CAPTION = "Means over replicates, and below them the paired differences between methods, with tests."
SIGNIFICANT = "*"
MEAN = "(mean)"  # stands for a scenario, and can be the name of none
_COMPARED = ["experiment", "scenario", "method", "over", "difference", "se", "p"]


class _Shown(NamedTuple):
    """What the lines are made from."""

    context: Context
    columns: list[str]
    over: list[str]
    data: pd.DataFrame  # one row for each mean
    compared: pd.DataFrame  # one for each comparison


def build(context: Context) -> Table:
    """A line of means for each scenario, and one for each method that the others are compared with."""
    columns = list(dict.fromkeys(method for name in context.experiments() for method in context.methods(name)))
    data = base.numbers(context, dict.fromkeys(context.scenarios(), columns))
    over = list(context.settings.get("over", SETTINGS["over"]))
    shown = _Shown(context, columns, over, data, _compare(context, columns, over))
    headings = context.settings.get("columns", SETTINGS["columns"])
    lines: list[list[Cell]] = []
    groups = []
    for place in context.scenarios():
        row = context.about(*place)["row"]
        groups.append(len(lines))
        lines += _lines(shown, row if len(row) == len(headings) else [" / ".join(row)], [place])
    complete = _with_all_methods(context, columns)
    if len(complete) > 1:
        groups.append(len(lines))
        lines += _lines(shown, ["mean", *[""] * (len(headings) - 1)], complete)
    head = [*headings, "", *(_title(context, name) for name in columns)]
    metric = base.metric_of(context, context.experiments()[0])
    caption = context.caption(context.settings["title"] or context.name, f": {base.measured_on(context, metric)}.")
    return Table(caption, head, lines, len(headings) + 1, groups, _notes(shown, complete), _numbers(shown))


def _numbers(shown):
    """For the CSV: a row for each comparison, and for each mean that is compared with none."""
    of_all = shown.compared["scenario"] == MEAN
    both = shown.data.merge(shown.compared[~of_all], on=["experiment", "scenario", "method"], how="left")
    origin = max(shown.context.origins(), key=ORIGINS.index)
    more = shown.compared[of_all].assign(row=MEAN, metric=shown.data["metric"].iloc[0], data=origin)
    return base.ordered(pd.concat([both, more], ignore_index=True) if len(more) else both)


def _title(context, method):
    experiment = next(name for name in context.experiments() if method in context.methods(name))
    return context.title_of(experiment, method)


def _with_all_methods(context, columns):
    """The scenarios in which all methods were to be run."""
    return [place for place in context.scenarios() if set(columns) <= set(context.methods(*place))]


def _compare(context: Context, columns: list[str], over: list[str]) -> pd.DataFrame:
    """Each comparison in each scenario, and in the mean of those that all methods were run in, with p after Holm."""
    complete, rows = _with_all_methods(context, columns), []
    for places in [[place] for place in context.scenarios()] + ([complete] if len(complete) > 1 else []):
        for k, other in enumerate(over):
            for method in columns:
                if method not in over[: k + 1]:
                    rows.append((*_named(places), method, other, *_difference(context, places, method, other)))
    found = pd.DataFrame(rows, columns=_COMPARED).dropna(subset="difference")
    tests = found["p"].dropna()
    corrected = with_holm(pd.DataFrame({"table": context.name, "p": tests}))["p_holm"] if len(tests) else tests
    return found.assign(p_holm=corrected.reindex(found.index))


def _named(places: list[Place]) -> Place:
    return places[0] if len(places) == 1 else (places[0][0], MEAN)


def _difference(context, places, method, other):
    """(mean difference, standard error, p-value), the mean over scenarios of differences paired by replicate."""
    terms = []
    for experiment, scenario in places:
        place, metric = f"{experiment}.{scenario}", base.metric_of(context, experiment)
        terms.append(f"{place}:{method}:{metric} - {place}:{other}:{metric}")
    found = context.estimate(" + ".join(terms))
    if found is None:
        return np.nan, np.nan, np.nan
    return found.value / len(places), found.se / len(places), np.nan if np.isnan(found.se) else found.p_value()


def _lines(shown: _Shown, keys: list[str], places: list[Place]) -> list[list[Cell]]:
    """The means of one scenario, or of several, and the comparisons."""
    metric = shown.data["metric"].iloc[0]
    means = [_mean(shown.data, places, name) for name in shown.columns]
    values = [row.ours for row in means]
    known = [value for value in values if not np.isnan(value)]
    lower = base.lower_is_better(shown.context, metric)
    best = (min(known) if lower else max(known)) if known else np.nan
    lines = [[*map(Cell, keys), Cell(base.name_of(metric)), *(base.our_cell(row, row.ours == best) for row in means)]]
    experiment, scenario = _named(places)
    for other in shown.over:
        of = shown.compared[
            (shown.compared["experiment"] == experiment)
            & (shown.compared["scenario"] == scenario)
            & (shown.compared["over"] == other)
        ].set_index("method")
        cells = [_comparison(of.loc[name]) if name in of.index else Cell("") for name in shown.columns]
        lines.append([*[Cell("")] * len(keys), Cell(f"over {_title(shown.context, other)}"), *cells])
    return lines


def _mean(data, places, method):
    """One row of `base.numbers`, or the mean of several, which are independent."""
    of_places = pd.Series(list(zip(data["experiment"], data["scenario"], strict=True)), index=data.index).isin(places)
    rows = data[of_places & (data["method"] == method)]
    first = next(rows.itertuples(index=False))
    if len(rows) == 1:
        return first
    se = float(np.sqrt((rows["ours_se"] ** 2).sum(skipna=False)) / len(rows))
    failed, succeeded = int(rows["failed"].sum()), int(rows["replicates"].sum())
    return first._replace(ours=rows["ours"].mean(skipna=False), ours_se=se, failed=failed, replicates=succeeded)


def _comparison(row):
    text = f"{row['difference']:+.2f}"
    text += "" if np.isnan(row["se"]) else f" ± {row['se']:.2f}"
    return Cell(text + (SIGNIFICANT if row["p_holm"] < LEVEL else ""))


def _notes(shown: _Shown, complete: list[Place]) -> list[str]:
    n_tests = shown.compared["p"].notna().sum()
    notes = [
        f"{means_over(shown.context.replicates())} Below: differences on the same replicates; {SIGNIFICANT} not zero "
        f"at {LEVEL:.0%} after Holm's correction over the {n_tests} comparisons of this table."
    ]
    if 1 < len(complete) < len(shown.context.scenarios()):
        notes.append(f"Last: the mean of the {len(complete)} scenarios in which all methods are run.")
    elif complete:
        notes.append("Last: the mean of all scenarios.")
    notes += [_summary(shown, other) for other in shown.over]
    return notes + base.failures(shown.context, shown.data)


def _summary(shown, other):
    """How often each method is significantly better or worse than one."""
    found = shown.compared[(shown.compared["over"] == other) & (shown.compared["scenario"] != MEAN)]
    sign = -1.0 if base.lower_is_better(shown.context, shown.data["metric"].iloc[0]) else 1.0
    parts = []
    for method in shown.columns:
        of_method = found[found["method"] == method]
        if len(of_method):
            clear = sign * of_method["difference"][of_method["p_holm"] < LEVEL]
            name = _title(shown.context, method)
            parts.append(f"{name} better in {(clear > 0).sum()}, worse in {(clear < 0).sum()} of {len(of_method)}")
    return f"Against {_title(shown.context, other)}, significantly: {'; '.join(parts)}."
