"""Which quantities a text names: sums and differences of `experiment.scenario:method:quantity`.

A quantity is a metric, a parameter that was chosen (`lam`), or whether it has a value (`k=1`); facts of the data are
metrics of the method `data`.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

PUBLISHED = Path(__file__).parents[2] / "report" / "published.csv"
_TERM = re.compile(
    r"([+-]?)\s*([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*):([a-z][a-z0-9_]*):([A-Za-z][A-Za-z0-9_]*(?:=[0-9.e-]*[0-9])?)\s*"
)


class Term(NamedTuple):
    """One quantity of an expression."""

    sign: float
    experiment: str
    scenario: str
    method: str
    quantity: str


def parse(expression: str) -> list[Term]:
    """The terms, or a ValueError that says what cannot be read."""
    terms: list[Term] = []
    position = 0
    while position < len(expression):
        match = _TERM.match(expression, position)
        if not match or (terms and not match[1]):
            raise ValueError(
                f"ours = {expression!r}: cannot read {expression[position:]!r}; it must be "
                "[+-] experiment.scenario:method:quantity with a metric, a parameter or parameter=value as quantity"
            )
        terms.append(Term(-1.0 if match[1] == "-" else 1.0, *match.groups()[1:]))
        position = match.end()
    return terms


def experiments_in(expressions: Iterable[str]) -> set[str]:
    """The experiments that some expressions speak of."""
    return {term.experiment for expression in expressions for term in parse(expression)}
