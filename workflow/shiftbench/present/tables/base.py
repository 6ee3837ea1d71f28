"""What layouts share: means of methods in scenarios, the published numbers beside them, and notes."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from shiftbench import plugins
from shiftbench.config.plan import tuning_of
from shiftbench.present.context import Context, Place
from shiftbench.present.markup import literal
from shiftbench.present.table import MARKS, PERCENT, Cell, number
from shiftbench.runs import DATA
from shiftbench.verdicts.expressions import parse

BASELINE = "standard"
LETTERS = {"lam": r"$\lambda$"}
NAMES = {"f1": "F1"}
_NUMBERS = {
    **dict.fromkeys(("experiment", "scenario", "row", "method", "metric"), str),
    **dict.fromkeys(("ours", "ours_se"), float),
    **dict.fromkeys(("replicates", "failed"), int),
    "data": str,
}


def name_of(metric: str) -> str:
    """How a metric is called."""
    return NAMES.get(metric, metric.replace("_", " "))


def measured_on(context: Context, metric: str) -> str:
    """What a metric is measured on: test sets whose true labels are known are clean."""
    if metric not in PERCENT:
        return name_of(metric)
    known = all(len(context.runs.values(*place, DATA, "mislabelled")) for place in context.scenarios())
    return f"{name_of(metric)} on {'clean ' if known else ''}test sets, in per cent"


def metric_of(context: Context, experiment: str) -> str:
    """The metric to show: the one of the settings, or the experiment's first."""
    return context.settings.get("metric") or context.config["experiments"][experiment]["metrics"][0]


def numbers(context: Context, wanted: Mapping[Place, Iterable[str]]) -> pd.DataFrame:
    """One row per scenario and method: mean, standard error, how many replicates succeeded and failed."""
    rows = []
    for (experiment, scenario), methods in wanted.items():
        row, metric = " / ".join(context.about(experiment, scenario)["row"]), metric_of(context, experiment)
        for method in methods:
            found = context.estimate(f"{experiment}.{scenario}:{method}:{metric}")
            succeeded, failed, _ = context.failures(experiment, scenario, method)
            value, se = (found.value, found.se) if found else (np.nan, np.nan)
            origin = context.origin(experiment, scenario, method)
            rows.append((experiment, scenario, row, method, metric, value, se, succeeded, failed, origin))
    return pd.DataFrame(rows, columns=list(_NUMBERS)).astype(_NUMBERS)


def published_numbers(context: Context) -> dict[tuple[str, str], float]:
    """The report's numbers by (method, quantity), whatever scenario of ours they are compared with."""
    stated = context.published[(context.published["relation"] == "=") & (context.published["ours"] != "")]
    terms = [(parse(row.ours), row.value) for row in stated.itertuples()]
    return {(of[0].method, of[0].quantity): value for of, value in terms if len(of) == 1}


def beside_published(context: Context, data: pd.DataFrame) -> pd.DataFrame:
    """The rows of `numbers` with what the report has in the same place, and the verdict."""
    stated = context.published[(context.published["relation"] == "=") & (context.published["ours"] != "")]
    stated = stated.rename(columns={"value": "published", "se": "published_se"})
    stated = stated.assign(published_bold=stated["bold"] == "yes")
    stated = stated.merge(context.verdicts[["id", "z", "verdict"]], on="id")
    keys = data["experiment"] + "." + data["scenario"] + ":" + data["method"] + ":" + data["metric"]
    stated = stated.drop_duplicates("ours").set_index("ours")
    wanted = stated[["published", "published_se", "published_bold", "z", "verdict"]]
    joined = data.join(wanted.reindex(keys).reset_index(drop=True))
    joined["published_bold"] = joined["published_bold"].eq(True)
    joined["verdict"] = joined["verdict"].fillna("not_comparable")
    joined[["published", "published_se", "z"]] = joined[["published", "published_se", "z"]].astype(float)
    return joined


def ordered(data: pd.DataFrame) -> pd.DataFrame:
    """The columns of the CSV: those that were added later stand behind."""
    behind = ["metric", "data"]
    return data[[name for name in data.columns if name not in behind] + behind]


def lower_is_better(context: Context, metric: str) -> bool:
    """Whether the function of a metric says `lower_is_better`."""
    base, _, end = metric.rpartition("_")
    function = plugins.load_function("metrics", base if end.isdigit() else metric, context.config["plugins"])
    return getattr(function, "lower_is_better", False)


def our_cell(row: Any, bold: bool = False) -> Cell:
    """Our number; a dagger where some replicates failed, the word where all did. `row` is one of `numbers`."""
    if np.isnan(row.ours):
        return Cell("failed" if row.failed and not row.replicates else "-")
    text = number(row.ours, row.ours_se, digits=2 if row.metric in PERCENT else None)
    return Cell(text + ("†" if row.failed else ""), bool(bold))


def published_cell(row: Any) -> Cell:
    return Cell(f"{number(row.published, row.published_se)} {MARKS[row.verdict]}".strip(), bool(row.published_bold))


def failures(context: Context, data: pd.DataFrame) -> list[str]:
    """Notes on the fits that failed, if any did, and on methods that were not run."""
    listed = [
        f"{context.title_of(row.experiment, row.method)} in {row.row}: {row.failed} of {row.failed + row.replicates}"
        for row in data[data["failed"] > 0].itertuples()
    ]
    notes = [f"† Fits that failed and are left out: {', '.join(listed)}."] if listed else []
    return notes + not_run(context, data)


def not_run(context: Context, data: pd.DataFrame) -> list[str]:
    """A note on each method that this machine could not run."""
    reasons: dict[str, str] = {}
    for row in data[data["replicates"] + data["failed"] == 0].itertuples():
        reason = context.skipped(row.experiment, row.scenario, row.method)
        if reason:
            reasons[context.title_of(row.experiment, row.method)] = literal(reason)
    return [f"{title} was not run (-): {reason}." for title, reason in reasons.items()]


def chosen(context: Context, experiment: str, scenario: str, method: str) -> dict[str, float]:
    """The parameters that were chosen on the first replicate, by the names that the report has for them.

    alpha is kappa of the L1 penalty, 1 / sigma^2 of the L2 penalty.
    """
    penalty = tuning_of(context.config, experiment, scenario, method)["penalty"]
    found = {}
    for name, value in sorted(context.params(experiment, scenario, method).items()):
        if name == "alpha" and penalty == "l1":
            found[r"$\kappa$"] = value
        elif name == "alpha" and penalty == "l2":
            found[r"$\sigma^2$"] = 1.0 / value
        else:
            found[LETTERS.get(name, name)] = value
    return found


def said(params: dict[str, Any]) -> str:
    """Parameters in few characters."""
    return ", ".join(
        f"{name} = {value:.3g}" if isinstance(value, float) else f"{name} = {value}" for name, value in params.items()
    )
