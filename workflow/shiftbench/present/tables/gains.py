"""Means over replicates, and below them by how much each method is above others on the same replicates."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftbench.present.context import Context, Place
from shiftbench.present.table import Cell, Table, means_over, signed
from shiftbench.present.tables import base
from shiftbench.runs import DATA
from shiftbench.verdicts.judge import ORIGINS, with_holm
from shiftbench.verdicts.relations import LEVEL

# What it takes from its entry in the config, beside what all tables have. `over` names the methods to compare with;
# each comparison of two methods stands once. `share_wrong` is a column with the share of wrong labels in training, and
# `interval` shows the 95 % interval of a difference instead of its standard error. `bounds` names methods that nobody
# has, such as an oracle: they are never bold.
SETTINGS: dict[str, Any] = {
    "metric": None,
    "methods": None,
    "columns": ["scenario"],
    "over": [base.BASELINE],
    "share_wrong": False,
    "interval": False,
    "bounds": [],
}

CAPTION = "Means over replicates, and below them the paired differences between methods, with tests."
SIGNIFICANT = "*"
MEAN = "(mean)"  # stands for a scenario, and can be the name of none
_COMPARED = ["experiment", "scenario", "method", "over", "difference", "se", "low", "high", "p"]


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
    headings = list(context.settings.get("columns", SETTINGS["columns"]))
    shares = _shares_wrong(context) if context.settings.get("share_wrong", SETTINGS["share_wrong"]) else {}
    lines: list[list[Cell]] = []
    groups = []
    for place in context.scenarios():
        row = context.about(*place)["row"]
        groups.append(len(lines))
        keys = row if len(row) == len(headings) else [" / ".join(row)]
        lines += _lines(shown, [*keys, *([_percent(shares[place])] if shares else [])], [place])
    complete = _with_all_methods(context, columns)
    headings += ["wrong, %"] if shares else []
    if len(complete) > 1:
        groups.append(len(lines))
        lines += _lines(shown, ["mean", *[""] * (len(headings) - 1)], complete)
    head = [*headings, "", *(_title(context, name) for name in columns)]
    metrics = list(dict.fromkeys(data["metric"]))
    measured = base.measured_on(context, metrics[-1])
    measured = " or ".join([*map(base.name_of, metrics[:-1]), measured])
    caption = context.caption(context.settings["title"] or context.name, f": {measured}.")
    numbers = _numbers(shown, shares)
    return Table(caption, head, lines, len(headings) + 1, groups, _notes(shown, complete), numbers)


def _numbers(shown, shares):
    """For the CSV: a row for each comparison, and for each mean that is compared with none."""
    of_all = shown.compared["scenario"] == MEAN
    both = shown.data.merge(shown.compared[~of_all], on=["experiment", "scenario", "method"], how="left")
    origin = max(shown.context.origins(), key=ORIGINS.index)
    more = shown.compared[of_all].assign(row=MEAN, metric=shown.data["metric"].iloc[0], data=origin)
    both = base.ordered(pd.concat([both, more], ignore_index=True) if len(more) else both)
    both["title"] = [_title(shown.context, method) for method in both["method"]]
    if shares:
        places = zip(both["experiment"], both["scenario"], strict=True)
        both["share_wrong"] = [shares.get(place, np.nan) for place in places]
    return both


def _shares_wrong(context: Context) -> dict[Place, float]:
    """The mean share of wrong labels in training, NaN where nobody knows it."""
    found = {place: context.runs.values(*place, DATA, "mislabelled") for place in context.scenarios()}
    return {place: float(values.mean()) if len(values) else np.nan for place, values in found.items()}


def _percent(share):
    return "-" if np.isnan(share) else f"{100.0 * share:.1f}"


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
    """(mean difference, standard error, ends of its interval, p-value), of differences paired by replicate.

    Of several scenarios it is the mean.
    """
    terms = []
    for experiment, scenario in places:
        place, metric = f"{experiment}.{scenario}", base.metric_of(context, experiment)
        terms.append(f"{place}:{method}:{metric} - {place}:{other}:{metric}")
    found = context.estimate(" + ".join(terms))
    if found is None:
        return (np.nan,) * 5
    low, high = (end / len(places) for end in found.interval())
    p = np.nan if np.isnan(found.se) else found.p_value()
    return found.value / len(places), found.se / len(places), low, high, p


def _lines(shown: _Shown, keys: list[str], places: list[Place]) -> list[list[Cell]]:
    """The means of one scenario, or of several, and the comparisons."""
    metrics = dict.fromkeys(base.metric_of(shown.context, name) for name, _ in places)
    means = [_mean(shown.data, places, name) for name in shown.columns]
    bounds = shown.context.settings.get("bounds", SETTINGS["bounds"])
    known = [one.ours for one in means if one.method not in bounds and not np.isnan(one.ours)]
    lower = base.lower_is_better(shown.context, next(iter(metrics)))
    best = (min(known) if lower else max(known)) if known else np.nan
    named = Cell(" or ".join(map(base.name_of, metrics)))
    lines = [
        [*map(Cell, keys), named, *(base.our_cell(row, row.ours == best and row.method not in bounds) for row in means)]
    ]
    experiment, scenario = _named(places)
    for other in shown.over:
        of = shown.compared[
            (shown.compared["experiment"] == experiment)
            & (shown.compared["scenario"] == scenario)
            & (shown.compared["over"] == other)
        ].set_index("method")
        interval = shown.context.settings.get("interval", SETTINGS["interval"])
        cells = [_comparison(of.loc[name], interval) if name in of.index else Cell("") for name in shown.columns]
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


def _comparison(row, interval):
    if interval and not np.isnan(row["se"]):
        text = signed(row["difference"], row["low"], row["high"])
    else:
        text = f"{row['difference']:+.2f}" + ("" if np.isnan(row["se"]) else f" ± {row['se']:.2f}")
    return Cell(text + (SIGNIFICANT if row["p_holm"] < LEVEL else ""))


def _notes(shown: _Shown, complete: list[Place]) -> list[str]:
    n_tests = shown.compared["p"].notna().sum()
    notes = [
        f"{means_over(shown.context.replicates())} Below: differences on the same replicates{_of_intervals(shown)}; "
        f"{SIGNIFICANT} not zero "
        f"at {LEVEL:.0%} after Holm's correction over the {n_tests} comparisons of this table."
    ]
    if 1 < len(complete) < len(shown.context.scenarios()):
        notes.append(f"Last: the mean of the {len(complete)} scenarios in which all methods are run.")
    elif complete:
        notes.append("Last: the mean of all scenarios.")
    notes += [_summary(shown, other) for other in shown.over]
    return notes + base.failures(shown.context, shown.data)


def _of_intervals(shown):
    return " with 95 % intervals" if shown.context.settings.get("interval", SETTINGS["interval"]) else ""


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
