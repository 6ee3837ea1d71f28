"""A table before it has a format, and how numbers stand in it. `shiftbench.present.formats` writes it."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from shiftbench.verdicts.relations import LIMIT

MARKS = {
    "reproduced": "✓",
    "better": "▲",
    "worse": "▼",
    "different": "≠",
    "contradicted": "✗",
    "inconclusive": "?",
    "not_comparable": "",
}
LEGEND = (
    f"✓ reproduced (within {LIMIT} standard errors), ▲ better, ▼ worse than published; ≠ different, where neither is "
    "better; ? inconclusive."
)
_MOST_DIGITS = 4
PERCENT = ("accuracy", "precision", "recall", "f1")  # metrics in per cent


class Cell(NamedTuple):
    """What stands in one place of a table."""

    text: str
    bold: bool = False


class Table(NamedTuple):
    """A table before it has a format; `$...$` is LaTeX, words of the data are `markup.literal`."""

    caption: str
    head: list[str]
    lines: list[list[Cell]]
    n_keys: int  # how many columns name a line
    groups: list[int]  # the lines that begin a group
    notes: list[str]
    data: pd.DataFrame  # the same numbers, one per row


def number(value: float, se: float = np.nan, digits: int | None = None) -> str:
    """A number with its standard error, if it has one; small ones with more digits.

    `digits` are those of a number without a standard error; by default as many as it needs, and then one that does not
    vary, such as a count, has none.
    """
    if np.isnan(value):
        return ""
    if digits is None and (np.isnan(se) or se == 0.0):
        return f"{value:g}"
    if np.isnan(se):
        return f"{value:.{digits}f}"
    digits = 2 if se >= 0.005 or se == 0.0 else 4
    return f"{value:.{digits}f} ± {se:.{digits}f}"


def as_printed(value: float, digits: int, se: float = np.nan) -> str:
    """A number with the decimals that the report prints; with more where its error would be rounded to 0."""
    if np.isnan(value):
        return ""
    if se > 0.0:
        digits = max(digits, min(int(np.ceil(-np.log10(se))), _MOST_DIGITS), 1)
    text = f"{value:,.{digits}f}"
    return f"{text} ± {se:.{digits}f}" if se > 0.0 else text


def signed(value: float, low: float, high: float) -> str:
    """A difference with its interval."""
    return "" if np.isnan(value) else f"{value:+.2f} [{low:+.2f}, {high:+.2f}]"


def distance(z: float) -> str:
    """How many standard errors ours is away, if that can be said."""
    return "" if np.isnan(z) else f"{z:+.2f}"


def means_over(counts: list[int], what: str = "replicate") -> str:
    """A note that says how many replicates the means are over."""
    if not counts:
        return f"No {what} was run."
    several = [count for count in counts if count > 1]
    if not several:
        return f"One {what}, and so without standard errors."
    one = f"; one {what} where there is none" if len(several) < len(counts) else ""
    return f"Means over {' or '.join(map(str, several))} {what}s ± standard error{one}."
