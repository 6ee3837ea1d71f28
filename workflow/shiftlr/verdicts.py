"""Whether each published number and claim reproduced: computed from the runs, never typed.

A row of workflow/report/published.csv says what the report states and, in `ours`, which quantity of ours that is: sums
and differences of `experiment.scenario:method:quantity`, each a mean over replicates. Terms of one scenario are paired
by replicate; scenarios are independent of each other. `topic:quantity` is a fact that another part of the workflow
found, with the data it found it on. `relation` says how the two are compared:

    =   our value with the published one, both with their standard errors
    >   ours is above zero (paired test, Holm's correction within the table, 5 %)
    >=  ours is not significantly below zero
    ~   ours does not differ significantly from zero
    <=  ours is not significantly above the value

Significant is a distance of more than 2.58 standard errors; numbers without any, such as counts, must be equal.
Not comparable are rows without `ours`, and what was found on other data than the report's, or on stand-ins.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import DescrStatsW

PUBLISHED = Path(__file__).parents[1] / "report" / "published.csv"
LIMIT = 2.58  # standard errors: 1 % in a two-sided test
LEVEL = 0.05
FACTS = ("key", "value", "se", "data")
VERDICTS = ("reproduced", "better", "worse", "not_comparable")
COLUMNS = ("id", "table", "row", "column", "published", "published_se", "ours", "ours_se", "z", "verdict", "data")

QUANTITIES = {
    "accuracy": lambda runs: 100.0 * runs["test_accuracy"],
    "share_shifted": lambda runs: runs["share_shifted"],
    "flip_p0": lambda runs: runs["flip_p0"],
    "flip_p1": lambda runs: runs["flip_p1"],
    "k": lambda runs: runs["k"],
    "k_is_1": lambda runs: (runs["k"] == 1).astype(float),
}

_FACT = re.compile(r"[a-z0-9_]+:[a-z0-9_]+")
_TERM = re.compile(r"([+-]?)\s*([a-z0-9_]+)\.([a-z0-9_]+):([a-z0-9_]+):([a-z0-9_]+)\s*")


class Estimate(NamedTuple):
    """A mean over replicates, or a sum of such means over independent scenarios."""

    value: float
    se: float
    df: float  # degrees of freedom, by Satterthwaite's rule

    def interval(self, level=0.95):
        """Confidence interval (low, high)."""
        return tuple(self.value + stats.t.ppf([0.5 - level / 2, 0.5 + level / 2], self.df) * self.se)

    def p_value(self):
        """Two-sided p-value of the value being zero."""
        if self.se == 0.0:
            return float(self.value == 0.0)
        return float(2.0 * stats.t.sf(abs(self.value / self.se), self.df))


def read_published(path: str | Path = PUBLISHED) -> pd.DataFrame:
    """The report's numbers and claims."""
    text = ["row", "column", "ours", "bold", "better", "claim"]
    published = pd.read_csv(path, dtype=dict.fromkeys(text, str))
    published[text] = published[text].fillna("")
    return published


def read_facts(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The facts of several files: key, value, se and the data they were found on."""
    tables = [pd.read_csv(path) for path in sorted(map(str, paths))]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(FACTS))


def parse(expression: str) -> list[tuple[float, str, str, str, str]]:
    """(sign, experiment, scenario, method, quantity) of each term."""
    terms: list[tuple[float, str, str, str, str]] = []
    position = 0
    while position < len(expression):
        match = _TERM.match(expression, position)
        if not match or (terms and not match[1]) or match[5] not in QUANTITIES:
            raise ValueError(
                f"ours = {expression!r}: cannot read {expression[position:]!r}; it must be "
                f"[+-] experiment.scenario:method:quantity with a quantity of {', '.join(QUANTITIES)}"
            )
        terms.append((-1.0 if match[1] == "-" else 1.0, match[2], match[3], match[4], match[5]))
        position = match.end()
    return terms


def estimate(runs: pd.DataFrame, expression: str) -> Estimate | None:
    """The quantity that an expression names; None where it was not run, or no fit succeeded."""
    by_scenario: dict[tuple[str, str], list] = {}
    for sign, experiment, scenario, method, quantity in parse(expression):
        by_scenario.setdefault((experiment, scenario), []).append((sign, method, quantity))
    value, variance, rest = 0.0, 0.0, 0.0
    for (experiment, scenario), terms in by_scenario.items():
        total = _paired(runs[(runs["experiment"] == experiment) & (runs["scenario"] == scenario)], terms)
        if total is None or len(total) < 2:
            return None
        sample = DescrStatsW(total.to_numpy())
        value += float(sample.mean)
        variance += float(sample.std_mean) ** 2
        rest += float(sample.std_mean) ** 4 / (len(total) - 1)
    return Estimate(value, float(np.sqrt(variance)), variance**2 / rest if rest > 0.0 else 1.0)


def is_fact(expression: str) -> bool:
    """Whether `ours` names a fact rather than a quantity of the runs."""
    return _FACT.fullmatch(expression) is not None


def _paired(runs, terms):
    """The terms of one scenario added up replicate by replicate, over those where all of them have a value."""
    total = None
    for sign, method, quantity in terms:
        of_method = runs[(runs["method"] == method) & (runs["status"] == "ok")].set_index("replicate")
        series = sign * QUANTITIES[quantity](of_method)
        total = series if total is None else total.add(series)  # aligned; NaN where one is missing
    return None if total is None else total.dropna()


def judge(published: pd.DataFrame, runs: pd.DataFrame, facts: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(verdicts, comparisons): a row for each published number or claim; a row for each claimed improvement.

    `facts` has columns key (`topic:quantity`), value, se and data.
    """
    known = facts.set_index("key")
    ours = [_ours(row.ours, runs, known) for row in published.itertuples()]
    data = [known.loc[row.ours, "data"] if row.ours in known.index else row.data for row in published.itertuples()]
    comparisons = _compare(published, ours, data)
    adjusted = dict(zip(comparisons["id"], comparisons["p_holm"], strict=True))
    rows = []
    for row, found, origin in zip(published.itertuples(), ours, data, strict=True):
        comparable = found is not None and origin == "report"
        z, verdict = _verdict(row, found, adjusted) if comparable else (np.nan, "not_comparable")
        value, se = (found.value, found.se) if found else (np.nan, np.nan)
        z = z if np.isfinite(z) else np.nan  # between counts there is no distance in standard errors
        rows.append((row.id, row.table, row.row, row.column, row.value, row.se, value, se, z, verdict, origin))
    return pd.DataFrame(rows, columns=list(COLUMNS)), comparisons


def _ours(expression, runs, facts):
    if not expression:
        return None
    if not is_fact(expression):
        return estimate(runs, expression)
    if expression not in facts.index:
        return None
    return Estimate(float(facts.loc[expression, "value"]), float(facts.loc[expression, "se"]), np.inf)


def _verdict(row, found, adjusted):
    """(distance from what the report says, in standard errors; verdict)."""
    target = row.value if row.relation in ("=", "<=") else 0.0
    published_se = row.se if row.relation == "=" and not np.isnan(row.se) else 0.0
    difference, se = found.value - target, np.hypot(np.nan_to_num(found.se), published_se)
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
        if row.relation == ">" and found is not None
    ]
    names = ["id", "table", "claim", "data", "difference", "low", "high", "p"]
    return with_holm(pd.DataFrame(rows, columns=names))


def with_holm(comparisons: pd.DataFrame) -> pd.DataFrame:
    """The same rows with `p_holm`, Holm's correction within each table."""
    comparisons = comparisons.assign(p_holm=np.nan)
    for _, group in comparisons.groupby("table"):
        comparisons.loc[group.index, "p_holm"] = multipletests(group["p"], method="holm")[1]
    return comparisons
