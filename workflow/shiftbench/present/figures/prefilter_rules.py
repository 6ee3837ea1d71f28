"""Accuracy of prefiltering by each rule against k, and below it which labels are left, a column for each scenario."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from shiftbench.present.figures.base import (
    draw_band,
    entitle,
    mean_and_error,
    methods_shown,
    share_legend,
    titles_of,
)
from shiftbench.present.published import published_for
from shiftbench.present.style import GREY, looks_of, style
from shiftbench.runs import metric_at
from shiftbench.verdicts.judge import read_published

CAPTION = (
    "Ours, not the report's: why no rule that treats both labels alike reaches the published accuracy of prefiltering "
    "in experiments 1 and 2. Each line is a rule: an example is removed if so many of its k - 1 neighbours disagree. "
    "Above, accuracy on the test set; k = 1 filters nothing and is the standard model. Below, the share of positives "
    "among the training labels that are left, and among the true ones. In experiments 1 and 2 most labels seen are "
    "positive, so neighbours outvote the negatives, all of them right. The oracles look at the true labels of "
    "neighbours, which no user knows. Means over replicates, the bands reach one standard error to either side. Where "
    "a rule would leave no label of a class, nothing is filtered."
)
NEEDS_PUBLISHED = True
SETTINGS = {"methods": None, "without": ()}
METRICS = {"accuracy": "accuracy on\nthe test set, %", "kept_positives": "positives among\nthe labels left, %"}
REPORT, TRUTH = "report", "truth"  # what stands for a method in rows of single numbers
_COLUMNS = ["experiment", "scenario", "method", "metric", "k", "mean", "se", "replicates"]
_LINES: dict[str, dict[str, Any]] = {
    REPORT: {"color": "black", "ls": (0, (6, 2)), "lw": 1.2, "label": "prefiltering in the report"},
    "standard": {"color": GREY, "ls": "-", "lw": 1.2, "label": "standard model, which is $k$ = 1"},
    TRUTH: {"color": "black", "ls": (0, (1, 1.5)), "lw": 1.4, "label": "positives among the true labels"},
}


def compute(context) -> pd.DataFrame:
    """Mean and standard error at each k; what the report has and the share of true positives are rows without k."""
    published, rows = read_published(), []
    for experiment, scenario in context.scenarios():
        found = context.runs.of(experiment, scenario)
        by_metric = dict(tuple(found[found["status"] == "ok"].groupby(["method", "metric"])["value"]))
        methods = methods_shown(context, experiment, scenario)
        for method in methods:
            grid = context.config["experiments"][experiment]["methods"][method]["grid"] or {}
            for metric in METRICS:
                for k in grid.get("k", []):
                    values = by_metric.get((method, metric_at(metric, {"k": k})), pd.Series(dtype=float))
                    if len(values):
                        numbers = (*mean_and_error(values), len(values))
                        rows.append((experiment, scenario, method, metric, float(k), *numbers))
        for method in methods[:1]:
            stated = published_for(context, published, experiment, scenario, method, "accuracy")
            rows.append((experiment, scenario, REPORT, "accuracy", np.nan, *stated, 0))
            values = by_metric.get((method, "true_positives"), pd.Series(dtype=float))
            numbers = (*mean_and_error(values), len(values))
            rows.append((experiment, scenario, TRUTH, "kept_positives", np.nan, *numbers))
    return pd.DataFrame(rows, columns=_COLUMNS)


def draw(data: pd.DataFrame, context) -> Figure:
    """A column for each scenario: accuracy above, the share of positives below."""
    curves = data[data["k"].notna()]
    looks, places = looks_of(curves["method"]), context.scenarios()
    with style():
        figure = Figure(figsize=(7.2, 5.4))
        grid = figure.subplots(2, max(len(places), 1), sharex=True, sharey="row", squeeze=False)
        for column, place in zip(grid.T, places, strict=False):
            mine = data[(data["experiment"] == place[0]) & (data["scenario"] == place[1])]
            for axes, metric in zip(column, METRICS, strict=True):
                _draw_panel(axes, mine[mine["metric"] == metric], looks, metric)
            entitle(column[0], context.about(*place)["title"], context, [place])
            column[1].set_xlabel("$k$")
        for axes, text in zip(grid[:, 0], METRICS.values(), strict=True):
            axes.set_ylabel(text)
        _label_ks(grid[0, 0], sorted(curves["k"].unique()))
        share_legend(figure, looks, titles_of(context, curves), [Line2D([], [], **look) for look in _LINES.values()])
    return figure


def _draw_panel(axes, mine, looks, metric):
    for name, look in looks.items():
        curve = mine[mine["method"] == name]
        draw_band(axes, curve["k"], curve["mean"], curve["se"], look)
        axes.plot(curve["k"], curve["mean"], **look)
    single = {name: mine.loc[mine["method"] == name, "mean"] for name in (REPORT, TRUTH)}
    single["standard"] = mine.loc[mine["k"] == 1.0, "mean"] if metric == "accuracy" else mine["mean"][:0]
    for name, values in single.items():
        if values.notna().any():
            axes.axhline(values.dropna().iloc[0], zorder=1.9, **_LINES[name] | {"label": "_"})


def _label_ks(axes, ks):
    """Equal ratios, and numbers where there is room for them."""
    axes.set_xscale("log")
    wanted = ks[:1]
    for k in ks[1:]:
        wanted += [k] if k >= 1.5 * wanted[-1] else []
    axes.set_xticks(wanted, [f"{k:g}" for k in wanted])
    axes.xaxis.set_minor_locator(NullLocator())
