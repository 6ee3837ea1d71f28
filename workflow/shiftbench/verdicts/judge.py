"""Whether each published number and claim reproduced: computed from the runs, never typed.

A row of workflow/report/published.csv says what the report states and, in `ours`, which quantity of ours that is (see
`shiftbench.verdicts.expressions`). `relation` says how the two are compared:

    =   our value with the published one, both with their standard errors
    >   ours is above zero (paired test, Holm's correction within the table, 5 %)
    >=  ours is not significantly below zero
    ~   ours does not differ significantly from zero
    <=  ours is not significantly above the value

Significant is a distance of more than 2.58 standard errors; numbers without any, such as counts, must be equal. Not
comparable are rows without `ours`, what was found on other data than the report's, on stand-ins or in a quick look, and
what one replicate cannot say.
"""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import pandas as pd
from statsmodels.stats.multitest import multipletests

from shiftbench.runs import Runs
from shiftbench.verdicts.estimate import Estimate, estimate
from shiftbench.verdicts.expressions import PUBLISHED, experiments_in, parse

LIMIT = 2.58  # standard errors: 1 % in a two-sided test
LEVEL = 0.05
VERDICTS = ("reproduced", "better", "worse", "not_comparable")
COLUMNS = ("id", "table", "row", "column", "published", "published_se", "ours", "ours_se", "z", "verdict", "data")
COMPARISONS = ("id", "table", "claim", "data", "difference", "low", "high", "p")
ORIGINS = ("report", "other", "quick", "standin")  # the later ones weigh more
_CLOSE = 1e-9  # relative; counts and values of a grid are equal up to rounding


def read_published(path: str | Path = PUBLISHED) -> pd.DataFrame:
    """The report's numbers and claims."""
    text = ["row", "column", "ours", "bold", "better", "claim"]
    published = pd.read_csv(path, dtype=dict.fromkeys(text, str))
    published[text] = published[text].fillna("")
    return published


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
    ours = [estimate(runs, row.ours, resamples) if row.ours else None for row in published.itertuples()]
    data = [origin_of(runs, row.ours, quick) or row.data for row in published.itertuples()]
    comparisons = _compare(published, ours, data)
    adjusted = dict(zip(comparisons["id"], comparisons["p_holm"], strict=True))
    rows = []
    for row, found, origin in zip(published.itertuples(), ours, data, strict=True):
        z, verdict = np.nan, "not_comparable"
        if found is not None and origin == ORIGINS[0] and _says_enough(row, found):
            z, verdict = _verdict(row, found, adjusted)
        value, se = (found.value, found.se) if found else (np.nan, np.nan)
        z = z if np.isfinite(z) else np.nan  # between counts there is no distance in standard errors
        rows.append((row.id, row.table, row.row, row.column, row.value, row.se, value, se, z, verdict, origin))
    return pd.DataFrame(rows, columns=list(COLUMNS)), comparisons


def judge_table(
    name: str, published: pd.DataFrame, runs: Runs, resamples: int = 2000, quick: Collection[str] = ()
) -> pd.DataFrame:
    """The verdicts on one table of the report; `runs` may be those that it needs (`tables_needed`) alone."""
    return judge(published[published["table"] == name], runs, resamples, quick)[0]


def origin_of(runs: Runs, expression: str, quick: Collection[str] = ()) -> str | None:
    """The worst of the data that an expression's quantities were found on; None where there are none."""
    found: set[str] = set()
    for term in parse(expression):
        rows = runs.of(*term[1:4])
        of_metric = rows[rows["metric"] == term.quantity]
        found |= set((of_metric if len(of_metric) else rows)["data"])
        if len(rows) and term.experiment in quick:
            found.add("quick")
    return max(found, key=ORIGINS.index, default=None)


def _says_enough(row, found: Estimate):
    """Whether there is a standard error, or none is needed: numbers without any on both sides must be equal."""
    return not np.isnan(found.se) or (row.relation == "=" and np.isnan(row.se))


def _verdict(row, found, adjusted):
    """(distance from what the report says, in standard errors; verdict)."""
    target = row.value if row.relation in ("=", "<=") else 0.0
    published_se = row.se if row.relation == "=" and not np.isnan(row.se) else 0.0
    difference, se = found.value - target, np.hypot(np.nan_to_num(found.se), published_se)
    if abs(difference) <= _CLOSE * abs(target):
        difference = 0.0
    z = difference / se if se > 0.0 else (0.0 if difference == 0.0 else np.copysign(np.inf, difference))
    if row.relation == ">":
        return z, "reproduced" if difference > 0.0 and adjusted[row.id] < LEVEL else "worse"
    holds = {"=": abs(z) <= LIMIT, "~": abs(z) <= LIMIT, ">=": z >= -LIMIT, "<=": z <= LIMIT}[row.relation]
    if holds:
        return z, "reproduced"
    return z, "better" if row.better == ("higher" if z > 0.0 else "lower") else "worse"


def _compare(published, ours, data):
    """The claimed improvements: difference, 95 % interval, p-value, and the p-value corrected within its table."""
    rows = [
        (row.id, row.table, row.claim, origin, found.value, *found.interval(), found.p_value())
        for row, found, origin in zip(published.itertuples(), ours, data, strict=True)
        if row.relation == ">" and found is not None and not np.isnan(found.se)
    ]
    return with_holm(pd.DataFrame(rows, columns=list(COMPARISONS)))


def with_holm(comparisons: pd.DataFrame) -> pd.DataFrame:
    """The same rows with `p_holm`, Holm's correction within each table."""
    comparisons = comparisons.assign(p_holm=np.nan)
    for _, group in comparisons.groupby("table"):
        comparisons.loc[group.index, "p_holm"] = multipletests(group["p"], method="holm")[1]
    return comparisons
