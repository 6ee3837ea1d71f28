"""Whether each published number and claim reproduced: computed from the runs, never typed.

A row of workflow/report/published.csv says what the report states and, in `ours`, which quantity of ours that is (see
`shiftbench.verdicts.expressions`); how the two are compared is told in `shiftbench.verdicts.relations`. *Not
comparable* is what was not run, and what was run on other data than the report's, on stand-ins, or in a quick look.
Claims (all but `=`) that were tried on other data get a verdict of their own in `on_other_data`, counted apart.
"""

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from shiftbench.runs import Runs
from shiftbench.verdicts.estimate import Estimate, estimate
from shiftbench.verdicts.expressions import PUBLISHED, experiments_in, parts, terms_of
from shiftbench.verdicts.relations import (
    FAILURES,
    LEVEL,
    VERDICTS,
    Judged,
    judge_gain,
    judge_interval,
    judge_number,
    worst,
)

COLUMNS = (
    *("id", "place", "table", "row", "column", "relation", "published", "published_se", "ours", "ours_se", "z"),
    "verdict",
    "on_other_data",  # the verdict on a claim that was tried on other data
    "replicates",
    "replicates_needed",  # to tell, where it is inconclusive
    "note",
    "data",
)
COMPARISONS = ("id", "table", "claim", "data", "difference", "low", "high", "p")
ORIGINS = ("report", "other", "quick", "standin")  # the later ones weigh more
_PLACEHOLDER = re.compile(r"\{([^}]*)\}")


def read_published(path: str | Path = PUBLISHED) -> pd.DataFrame:
    """The report's numbers and claims. `digits` are the decimals of a value as it is printed there."""
    text = ["row", "column", "ours", "bold", "better", "claim", "note"]
    published = pd.read_csv(path, dtype=dict.fromkeys([*text, "value"], str))
    published[text] = published[text].fillna("")
    digits = published["value"].fillna("").str.partition(".")[2].str.len()
    return published.assign(digits=digits, value=published["value"].astype(float))


def tables_needed(published: pd.DataFrame) -> set[str]:
    """The experiments whose runs are needed to judge some rows."""
    return experiments_in(published["ours"])


def judge(
    published: pd.DataFrame, runs: Runs, resamples: int = 2000, quick: Collection[str] = ()
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(verdicts, comparisons): one row per published number or claim; one row per claimed improvement.

    `quick` are the experiments that were run with reduced settings.
    """
    keys = ["experiment", "scenario", "method", "metric", "status"]
    runs = runs._replace(table=runs.table.astype(dict.fromkeys(keys, "category")))  # much faster to search
    ours = [_estimates(runs, row.ours, resamples) for row in published.itertuples()]
    data = [origin_of(runs, row.ours, quick) or row.data for row in published.itertuples()]
    comparisons = _compare(published, ours, data)
    rows = []
    for row, found, origin in zip(published.itertuples(), ours, data, strict=True):
        tried = _judged(row, found, comparisons) if found and origin in ("report", "other") else None
        on_report = tried if tried is not None and origin == "report" else Judged("not_comparable")
        on_other = tried.verdict if tried is not None and origin == "other" and row.relation != "=" else ""
        shown = _shown(found)
        rows.append(
            (
                *(row.id, row.place, row.table, row.row, row.column, row.relation, row.value, row.se),
                *(shown.value, shown.se, on_report.z, on_report.verdict, on_other, shown.n),
                on_report.needed if tried is None or origin == "report" else tried.needed,
                _filled(row.note, runs, resamples),
                origin,
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS)).astype({"replicates": float}), comparisons


def judge_table(
    name: str, published: pd.DataFrame, runs: Runs, resamples: int = 2000, quick: Collection[str] = ()
) -> pd.DataFrame:
    """The verdicts on one table of the report; `runs` may be those that it needs (`tables_needed`) alone."""
    return judge(published[published["table"] == name], runs, resamples, quick)[0]


def origin_of(runs: Runs, claim: str, quick: Collection[str] = ()) -> str | None:
    """The worst of the data that a claim's quantities were found on; None where there are none."""
    found: set[str] = set()
    for term in terms_of(claim):
        rows = runs.of(*term[1:4])
        of_metric = rows[rows["metric"] == term.quantity]
        found |= set((of_metric if len(of_metric) else rows)["data"])
        if len(rows) and term.experiment in quick:
            found.add("quick")
    return max(found, key=ORIGINS.index, default=None)


def in_order(verdicts: pd.DataFrame) -> pd.DataFrame:
    """Failures first, the gravest on top; then what is better, reproduced, tried on other data, not comparable."""
    order = {verdict: k for k, verdict in enumerate([*FAILURES, "better", "reproduced"])}
    other = {verdict: len(order) + k for k, verdict in enumerate([*FAILURES, "reproduced"])}
    ranks = verdicts["verdict"].map(order).fillna(verdicts["on_other_data"].map(other)).fillna(len(order) + len(other))
    return verdicts.assign(rank=ranks).sort_values("rank", kind="stable").drop(columns="rank")


def counts_text(verdicts: pd.DataFrame) -> str:
    """How many verdicts there are of each kind: the one sentence that all outputs and the README have."""
    text = f"{len(verdicts)} published numbers and claims: {_listed(verdicts['verdict'], VERDICTS)}."
    other = verdicts.loc[verdicts["on_other_data"] != "", "on_other_data"]
    if len(other):
        kinds = ("reproduced", "contradicted", "inconclusive")
        text += f" Of the last, {len(other)} are claims that were tried on other data: {_listed(other, kinds)}."
    return text


def _listed(verdicts, kinds):
    counts = verdicts.value_counts()
    return ", ".join(f"{counts.get(kind, 0)} {kind.replace('_', ' ')}" for kind in kinds)


def _estimates(runs, claim, resamples) -> list[Estimate]:
    """Of each part of a claim; none if one of them was not run."""
    found = [estimate(runs, part, resamples) for part in parts(claim)]
    return [] if None in found else found  # type: ignore[return-value]


def _shown(found: list[Estimate]) -> Estimate:
    """The part of a claim that is nearest to failing stands for it."""
    if not found:
        return Estimate(np.nan, np.nan, np.nan)
    return min(found, key=lambda one: one.value / one.se if one.se > 0.0 else np.copysign(np.inf, one.value))


def _judged(row, found, comparisons) -> Judged:
    if row.relation == "=":
        return judge_number(row, found[0])
    if row.relation != ">":
        return worst([judge_interval(row, one) for one in found])
    mine = comparisons[comparisons["id"] == row.id]
    undecided = int((comparisons.loc[comparisons["table"] == row.table, "p_holm"] >= LEVEL).sum())
    if len(mine) < len(found):  # without an error there is no test
        return Judged("inconclusive")
    return worst([judge_gain(one, p, undecided, row.margin) for one, p in zip(found, mine["p_holm"], strict=True)])


def _filled(note: str, runs: Runs, resamples: int) -> str:
    """A note with the values of the expressions in braces, in per cent; none if one of them is not known."""
    values: dict[str, Any] = {text: estimate(runs, text, resamples) for text in _PLACEHOLDER.findall(note)}
    if None in values.values():
        return ""
    return _PLACEHOLDER.sub(lambda match: f"{100.0 * values[match[1]].value:.0f} %", note)


def _compare(published, ours, data):
    """The claimed improvements: difference, 95 % interval, p-value, and the p-value corrected within its table."""
    rows = [
        (row.id, row.table, row.claim, origin, one.value, *one.interval(), one.p_value())
        for row, found, origin in zip(published.itertuples(), ours, data, strict=True)
        if row.relation == ">"
        for one in found
        if not np.isnan(one.se)
    ]
    return with_holm(pd.DataFrame(rows, columns=list(COMPARISONS)))


def with_holm(comparisons: pd.DataFrame) -> pd.DataFrame:
    """The same rows with `p_holm`, Holm's correction within each table."""
    comparisons = comparisons.assign(p_holm=np.nan)
    for _, group in comparisons.groupby("table"):
        comparisons.loc[group.index, "p_holm"] = multipletests(group["p"], method="holm")[1]
    return comparisons
