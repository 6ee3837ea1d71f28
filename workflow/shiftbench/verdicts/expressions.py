"""Which quantities a text names: sums and differences of `experiment.scenario:method:quantity`.

A quantity is a metric, a parameter that was chosen (`lam`), or whether it has a value (`k=1`); facts of the data are
metrics of the method `data`. `commonest(metric)` is a metric's value where the method suspects the set of examples that
comes out in most replicates. A claim about several quantities joins their expressions by the word `and`.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PUBLISHED = Path(__file__).parents[2] / "report" / "published.csv"
_TERM = re.compile(
    r"([+-]?)\s*([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*):([a-z][a-z0-9_]*):"
    r"(commonest\([a-z][a-z0-9_]*\)|[A-Za-z][A-Za-z0-9_]*(?:=[0-9.e-]*[0-9])?)\s*"
)
_AND = " and "


class Term(NamedTuple):
    """One quantity of an expression."""

    sign: float
    experiment: str
    scenario: str
    method: str
    quantity: str


def parts(claim: str) -> list[str]:
    """The expressions of a claim: most have one."""
    return [part.strip() for part in claim.split(_AND)] if claim else []


def parse(expression: str) -> list[Term]:
    """The terms of one expression, or a ValueError that says what cannot be read."""
    terms: list[Term] = []
    position = 0
    while position < len(expression):
        match = _TERM.match(expression, position)
        if not match or (terms and not match[1]):
            raise ValueError(
                f"ours = {expression!r}: cannot read {expression[position:]!r}; it must be "
                "[+-] experiment.scenario:method:quantity with a metric, commonest(metric), a parameter or "
                "parameter=value as quantity"
            )
        terms.append(Term(-1.0 if match[1] == "-" else 1.0, *match.groups()[1:]))
        position = match.end()
    return terms


def terms_of(claim: str) -> list[Term]:
    """The terms of all expressions of a claim."""
    return [term for part in parts(claim) for term in parse(part)]


def experiments_in(claims: Iterable[str]) -> set[str]:
    """The experiments that some claims speak of."""
    return {term.experiment for claim in claims for term in terms_of(claim)}
