"""What a filter removes: accuracy tuned, at its best and at one k, and the labels that are gone there, a line each."""

from typing import Any

import numpy as np
import pandas as pd

from shiftbench.present.context import Context, Place
from shiftbench.present.published import published_for
from shiftbench.present.table import Cell, Table, means_over, number
from shiftbench.runs import metric_at
from shiftbench.verdicts.judge import read_published

# What it takes from its entry in the config, beside what all tables have.
SETTINGS: dict[str, Any] = {"methods": None, "k": 5}

CAPTION = (
    "Labels seen as negative and as positive that each rule removes. The oracles look at the true labels of "
    "neighbours, which no user knows."
)
SHARES = ("removed_negatives", "removed_positives", "kept_positives")


def build(context: Context) -> Table:
    """One line per scenario and method. The best k is that of the best mean accuracy on test sets."""
    published, k = read_published(), context.settings.get("k", SETTINGS["k"])
    lines: list[list[Cell]] = []
    records: list[dict[str, Any]] = []
    groups, notes = [], []
    for place in context.scenarios():
        groups.append(len(lines))
        found = [_record(context, place, method, published, k) for method in context.methods(*place)]
        for record in found:
            first = len(lines) == groups[-1]
            title = context.about(*place)["title"] if first else ""
            lines.append([Cell(title), Cell(context.title_of(place[0], record["method"])), *_cells(record, first)])
        records += found
        notes += _seen(context, place, found)
    head = ["", "an example is removed if", "tuned", "report", "best $k$", "best", f"$k$ = {k}"]
    head += ["negatives removed", "positives removed", "positives left"]
    notes = [means_over(context.replicates()), *notes]
    caption = context.caption(
        more=": accuracy on clean test sets with $k$ tuned on noisy labels, with the $k$ that is best on test sets, "
        f"and with $k$ = {k}; then, with $k$ = {k}, the shares of the training labels seen as negative and as positive "
        "that are removed, and of positives among those left; in per cent."
    )
    return Table(caption, head, lines, 2, groups, notes, pd.DataFrame(records))


def _record(context: Context, place: Place, method: str, published: pd.DataFrame, k: int) -> dict[str, Any]:
    rows = context.runs.of(*place, method)
    by_metric = dict(tuple(rows[rows["status"] == "ok"].groupby("metric")["value"]))
    ks = (context.config["experiments"][place[0]]["methods"][method]["grid"] or {}).get("k", [])

    def mean(metric, setting=None):
        name = metric if setting is None else metric_at(metric, {"k": setting})
        values = by_metric.get(name, pd.Series(dtype=float))
        return float(values.mean()), float(values.sem())

    found = {one: mean("accuracy", one) for one in ks}
    best = max((one for one in ks if not np.isnan(found[one][0])), key=lambda one: found[one][0], default=np.nan)
    numbers = {"tuned": mean("accuracy"), "published": published_for(context, published, *place, method, "accuracy")}
    numbers |= {"best": found.get(best, (np.nan, np.nan)), "at_k": found.get(k, (np.nan, np.nan))}
    record = {"experiment": place[0], "scenario": place[1], "method": method, "best_k": best, "k": k}
    for name, (value, se) in numbers.items():
        record |= {name: value, f"{name}_se": se}
    record |= {name: mean(name, k)[0] for name in SHARES}
    record |= {f"tuned_{name}": mean(name)[0] for name in SHARES}
    record |= {"seen_positives": mean("kept_positives", 1)[0], "true_positives": mean("true_positives")[0]}
    succeeded, failed, _ = context.failures(*place, method)
    return record | {"replicates": succeeded, "failed": failed, "data": context.origin(*place, method)}


def _cells(record, first):
    if np.isnan(record["tuned"]):
        return [Cell("failed" if record["failed"] else "-"), *[Cell("")] * 7]
    said = {name: number(record[name], record[f"{name}_se"], 2) for name in ("tuned", "published", "best", "at_k")}
    said["tuned"] += "†" if record["failed"] else ""
    said["published"] = said["published"] if first else ""
    shares = ["" if np.isnan(record[name]) else f"{record[name]:.1f}" for name in SHARES]
    texts = [said["tuned"], said["published"], number(record["best_k"]), said["best"], said["at_k"], *shares]
    return [Cell(text) for text in texts]


def _seen(context, place, records):
    """A note on the labels before anything is removed, and one on fits that failed."""
    title, notes = context.about(*place)["title"], []
    known = [one for one in records if not np.isnan(one["seen_positives"] + one["true_positives"])]
    if known:
        seen, true = known[0]["seen_positives"], known[0]["true_positives"]
        notes.append(f"{title}: {seen:.1f} % of the labels seen are positive, {true:.1f} % of the true ones.")
    for one in records:
        if one["failed"]:
            method = context.title_of(place[0], one["method"])
            notes.append(f"† {method} in {title}: {one['failed']} of {one['failed'] + one['replicates']} fits failed.")
    return notes
