"""How one number or claim of the report compares with ours: the verdict, and how many replicates would be needed.

`relation` says what the report states of a quantity:

    =   a number. *Reproduced* if ours is within 2.58 standard errors of it, both errors taken together; else *better*
        or *worse*, or *different* where neither is better: counts, hyper-parameters. *Inconclusive* if it is that near
        only because our standard error is more than twice the published one. Numbers without a standard error on
        either side, such as counts, must be equal.
    >   above zero: A beats B. *Reproduced* or *contradicted* if it is significant, with Holm's correction within the
        table at 5 %. Else *contradicted* too if all of our 99 % interval is below `margin`, the smallest difference
        that would be worth the claim, where one is given; else *inconclusive*.
    >=  not below zero
    ~   zero
    <=  at most the value

The last three are *reproduced* if all of our 99 % interval is within `margin` of what is stated, which says how far off
is still the same; else *contradicted* if no part of the interval is what is stated, else *inconclusive*.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from shiftbench.verdicts.estimate import Estimate

LIMIT = 2.58  # standard errors: 1 % in a two-sided test
LEVEL = 0.05  # of all claims "A beats B" of a table together
WIDE = 2.0  # times the published standard error: with a larger one of ours, near is no news
FAILURES = ("contradicted", "worse", "different", "inconclusive")  # the gravest first
VERDICTS = ("reproduced", "better", "worse", "different", "contradicted", "inconclusive", "not_comparable")
RELATIONS = ("=", ">", ">=", "~", "<=")
_CLOSE = 1e-9  # relative; counts and values of a grid are equal up to rounding
_POWER = stats.norm.ppf(0.8)  # replicates that tell with a chance of 80 %


class Judged(NamedTuple):
    """A verdict, and what it rests on."""

    verdict: str
    z: float = np.nan  # distance from a published number in standard errors, for `=` alone
    needed: float = np.nan  # replicates, where it is inconclusive for want of them; infinite where none would tell


def judge_number(row: Any, found: Estimate) -> Judged:
    """A number of the report, `row` with value, se and better, against ours."""
    difference, published_se = found.value - row.value, np.nan_to_num(row.se)
    if abs(difference) <= _CLOSE * abs(row.value):
        difference = 0.0
    if np.isnan(found.se) and not np.isnan(row.se):  # one replicate
        return Judged("inconclusive")
    se = float(np.hypot(np.nan_to_num(found.se), published_se))
    z = difference / se if se > 0.0 else np.nan
    if abs(difference) > LIMIT * se:
        sides = {"higher": "better", "lower": "worse"} if difference > 0.0 else {"higher": "worse", "lower": "better"}
        return Judged(sides.get(row.better, "different"), z)
    if published_se > 0.0 and found.se > WIDE * published_se * (1.0 + _CLOSE):
        return Judged("inconclusive", z, _needed(found, found.se / (WIDE * published_se)))
    return Judged("reproduced", z)


def judge_gain(found: Estimate, p_adjusted: float, undecided: int, margin: float = np.nan) -> Judged:
    """A claim "A beats B"; `undecided` are the claims of its table that Holm's procedure does not decide."""
    if not p_adjusted < LEVEL:  # or it has no error
        if found.se > 0.0 and found.interval(0.99)[1] < margin:
            return Judged("contradicted")
        critical = stats.norm.ppf(1.0 - LEVEL / 2.0 / max(undecided, 1))
        return Judged("inconclusive", needed=_needed_to_see(found, abs(found.value), critical))
    return Judged("reproduced" if found.value > 0.0 else "contradicted")


def judge_interval(row: Any, found: Estimate) -> Judged:
    """A claim that a quantity lies in a range: `>=`, `~`, `<=`."""
    least, most = {">=": (0.0, np.inf), "~": (0.0, 0.0), "<=": (-np.inf, row.value)}[row.relation]
    if np.isnan(found.se):
        return Judged("inconclusive")
    low, high = found.interval(0.99) if found.se > 0.0 else (found.value, found.value)
    margin = np.nan_to_num(row.margin)
    if least - margin <= low and high <= most + margin:
        return Judged("reproduced")
    if high < least or most < low:
        return Judged("contradicted")
    inside = least - margin <= found.value <= most + margin
    edges = (least - margin, most + margin) if inside else (least, most)
    return Judged("inconclusive", needed=_needed_to_see(found, min(abs(found.value - edge) for edge in edges)))


def worst(several: list[Judged]) -> Judged:
    """The verdict on a claim of several parts: contradicted if one is, reproduced if all are."""
    for verdict in FAILURES:
        for judged in several:
            if judged.verdict == verdict:
                return judged
    return several[0]


def _needed_to_see(found, distance, critical=LIMIT):
    """Replicates with which a distance as large as the one found is significant, with a chance of 80 %."""
    if np.isnan(found.se) or distance == 0.0:
        return np.inf if distance == 0.0 else np.nan
    return _needed(found, (critical + _POWER) * found.se / distance)


def _needed(found, factor):
    """Replicates that make the standard error smaller by a factor."""
    return np.nan if found.n is None else float(np.ceil(found.n * factor**2))
