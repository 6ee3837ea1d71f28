"""The value of an expression (see `shiftbench.verdicts.expressions`) with its standard error.

Terms of one scenario are paired by replicate, scenarios are independent of each other. The standard error is over
replicates. For a difference of precision, recall or F1 within a scenario it also has the spread over the groups of the
test set in it (`shiftbench.analyses.bootstrap`), if all replicates have the same one.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from shiftbench.analyses.bootstrap import contrast
from shiftbench.analyses.suspect_sets import suspect_sets
from shiftbench.counts import SCORES
from shiftbench.runs import Runs
from shiftbench.verdicts.expressions import Term, parse

COMMONEST = "commonest("


class Estimate(NamedTuple):
    """A mean over replicates, or a sum of such means over independent scenarios."""

    value: float
    se: float  # NaN where there is one replicate, or the value is that of one outcome
    df: float  # degrees of freedom, by Satterthwaite's rule
    n: int | None = None  # replicates of the scenario that has most; None where these are not what the error is of

    def interval(self, level=0.95):
        """Confidence interval (low, high)."""
        return tuple(self.value + stats.t.ppf([0.5 - level / 2, 0.5 + level / 2], self.df) * self.se)

    def p_value(self):
        """Two-sided p-value of the value being zero."""
        if self.se == 0.0:
            return float(self.value == 0.0)
        return float(2.0 * stats.t.sf(abs(self.value / self.se), self.df))


def estimate(runs: Runs, expression: str, resamples: int = 2000) -> Estimate | None:
    """The quantity that an expression names; None where it was not run, or no fit succeeded."""
    by_scenario: dict[tuple[str, str], list[Term]] = {}
    for term in parse(expression):
        by_scenario.setdefault((term.experiment, term.scenario), []).append(term)
    parts = [_of_scenario(runs, terms, resamples) for terms in by_scenario.values()]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    variance = sum(part.se**2 for part in known)
    rest = sum(part.se**4 / part.df for part in known)
    counts = [part.n for part in known]
    return Estimate(
        sum(part.value for part in known),
        float(np.sqrt(variance)),
        variance**2 / rest if rest else np.inf,
        None if None in counts else max(counts),
    )


def _of_scenario(runs, terms, resamples):
    found = _on_resamples(runs, terms, resamples)
    if found is not None:
        return Estimate(found.value, found.se, np.inf)
    if terms[0].quantity.startswith(COMMONEST):
        return _of_commonest(runs, terms)
    total = pd.concat([term.sign * runs.values(*term[1:]) for term in terms], axis=1)  # aligned by replicate
    sample = total.dropna().sum(axis=1).to_numpy()
    n = len(sample)
    if not n:
        return None
    if n == 1:
        return Estimate(float(sample[0]), np.nan, np.nan, n)
    if np.ptp(sample) == 0.0:  # rounding would make a spread of its own
        return Estimate(float(sample[0]), 0.0, float(n - 1), n)
    described = DescrStatsW(sample)
    return Estimate(float(described.mean), float(described.std_mean), float(n - 1), n)


def _of_commonest(runs, terms):
    """A metric in the replicates with the commonest set of suspects: one outcome, so that it has no error."""
    (term,) = terms
    sets = suspect_sets(runs, *term[1:4])
    values = runs.values(*term[1:4], term.quantity.removeprefix(COMMONEST).removesuffix(")"))
    found = values.reindex(sets[0].replicates).dropna() if sets else values.iloc[:0]
    return Estimate(float(found.iloc[0]), np.nan, np.nan, len(values)) if len(found) else None


def _on_resamples(runs, terms, resamples):
    """A difference of scores by the bootstrap, where that is what the terms are and there are counts."""
    quantities, weights = {term.quantity for term in terms}, dict.fromkeys((term.method for term in terms), 0.0)
    for term in terms:
        weights[term.method] += term.sign
    if len(quantities) > 1 or not quantities <= set(SCORES) or len(terms) < 2 or sum(weights.values()) != 0.0:
        return None
    return contrast(runs, terms[0].experiment, terms[0].scenario, weights, quantities.pop(), resamples)
