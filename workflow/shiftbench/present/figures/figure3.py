"""Figure 3: precision against recall on the test set, marked where the decision is 0, as in the tables."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from sklearn.metrics import precision_recall_curve

from shiftbench.counts import count_by_group, scores_of_counts
from shiftbench.present.figures.base import entitle, methods_shown, panels, share_legend, titles_of
from shiftbench.present.style import looks_of, style
from shiftbench.runs import DATA

CAPTION = (
    "The report's Figure 3: precision and recall on the test set for every threshold, after training on the labels "
    "that the panels name; marks show the threshold of the tables. All of the first replicate."
)
SETTINGS = {"methods": None, "without": ()}  # by default the methods of the experiment's table
_COLUMNS = ["experiment", "scenario", "method", "kind", "threshold", "recall", "precision", "f1"]


def compute(context) -> pd.DataFrame:
    """The points of each curve, and the `mark` on it, with its F1 in per cent."""
    found = []
    for experiment, scenario in context.scenarios():
        truth = context.array(experiment, scenario, DATA, "test_truth")
        for method in methods_shown(context, experiment, scenario):
            decision = context.array(experiment, scenario, method, "test")
            if decision is not None and decision.ndim > 1:
                raise ValueError(f"{context.name}: {experiment}.{scenario} has more than two classes, and so no curve")
            if decision is not None and truth is not None:  # a failed fit has no decisions
                points = pd.concat([_curve(truth == 1, decision), _mark(truth == 1, decision)])
                found.append(points.assign(experiment=experiment, scenario=scenario, method=method))
    return pd.concat(found, ignore_index=True)[_COLUMNS] if found else pd.DataFrame(columns=_COLUMNS)


def _curve(truth, decision):
    precision, recall, thresholds = precision_recall_curve(truth, decision, drop_intermediate=True)
    thresholds = np.append(thresholds, np.nan)  # at the last point nothing is found
    return pd.DataFrame({"kind": "curve", "threshold": thresholds, "recall": recall, "precision": precision})


def _mark(truth, decision):
    found = scores_of_counts(count_by_group(decision > 0.0, truth))
    shares = {name: found[name] / 100.0 for name in ("recall", "precision")}
    return pd.DataFrame({"kind": "mark", "threshold": 0.0} | shares | {"f1": found["f1"]})


def draw(data: pd.DataFrame, context) -> Figure:
    """A panel for each scenario."""
    looks, places = looks_of(data["method"]), context.scenarios()
    curves, marks = data[data["kind"] == "curve"], data[data["kind"] == "mark"]
    left, bottom = _corner(marks)
    with style():
        figure = Figure(figsize=(7.2, 3.9))
        grid = panels(figure, len(places))
        for axes, place in zip(grid, places, strict=False):
            drawn, lowest = [], 1.0
            for name, look in looks.items():
                curve, mark = (part[_is_of(part, place, name)] for part in (curves, marks))
                if mark.empty:
                    continue
                axes.plot(curve["recall"], curve["precision"], **look | {"marker": ""})
                above = {"ls": "", "zorder": look["zorder"] + 1.0, "label": f"{mark['f1'].item():.1f}"}
                drawn += axes.plot(mark["recall"], mark["precision"], **look | above)
                lowest = min(lowest, _lowest(curve, left))
            is_free = lowest > (1.0 + bottom) / 2.0  # the lower left corner
            corner: Any = "lower left" if is_free else "upper right"
            axes.legend(handles=drawn, title="F1 at the mark, %", title_fontsize=8, loc=corner)
            axes.set(xlabel="recall", xlim=(left, 1.0), ylim=(bottom, 1.0))
            entitle(axes, context.about(*place)["title"], context, [place])
        grid[0].set_ylabel("precision")
        share_legend(figure, looks, titles_of(context, data))
    return figure


def _is_of(table, place, method):
    return (table["experiment"] == place[0]) & (table["scenario"] == place[1]) & (table["method"] == method)


def _corner(marks):
    """Where the axes begin: far enough below the marks to see the curves bend."""
    lowest = marks[["recall", "precision"]].min().to_numpy() if len(marks) else np.ones(2)
    left, bottom = np.clip(np.floor(10.0 * (lowest - (0.25, 0.35)) + 1e-9) / 10.0, 0.0, None)
    return float(left), float(bottom)


def _lowest(curve, left):
    """The least precision in the left half of the axes."""
    inside = curve["recall"].between(left, (1.0 + left) / 2.0)
    return float(np.min(curve["precision"][inside].to_numpy(), initial=1.0))
