"""Table 2 and, beside it, what it would be under other preprocessing."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from shiftlr.datasets.colon import SUSPECTS
from shiftlr.suspects import shifted
from shiftlr.tables import Cell, Table

LITERATURE = Path(__file__).parents[1] / "report" / "literature.csv"
STANDIN = "Stand-in data, not the real tissues. "
_MOST_LISTED = 8


def table2(colon: dict[str, Any], rows: dict[str, pd.DataFrame], is_standin: bool, literature=LITERATURE) -> Table:
    """The report's Table 2: a dot where a suspect is found; the literature, the report's own row, then ours."""
    published = pd.read_csv(literature).fillna("")
    entries = [
        (row.method, "published", row.suspects.split(), row.false_positives.split(), "")
        for row in published.itertuples()
    ]
    for name, found in rows.items():
        entries.append((colon["rows"][name]["title"], "ours", *_named(found), _params(found)))
    lines = [
        [
            Cell(title),
            *(Cell("•" if suspect in hits else "") for suspect in SUSPECTS),
            Cell(_listed(others)),
        ]
        for title, _, hits, others, _ in entries
    ]
    data = pd.DataFrame(
        [
            {"method": title, "source": source}
            | {suspect: int(suspect in hits) for suspect in SUSPECTS}
            | {"hits": len(hits), "false_positives": " ".join(others), "parameters": params}
            | {"data": "standin" if is_standin and source == "ours" else "report"}
            for title, source, hits, others, params in entries
        ]
    )
    caption = (
        f"{STANDIN if is_standin else ''}Suspects identified in the colon-cancer data (section 4.2), and other tissues "
        "that were called mislabelled. Above: as published; below: ours, tuned without a look at the suspects."
    )
    head = ["method", *SUSPECTS, "false positives"]
    default = colon["default"]
    shifts = ", ".join(f"{row.sample} {row.shift:+.2f}" for row in shifted(rows[default]).itertuples())
    note = (
        f"Shifts ({colon['rows'][default]['title']}): {shifts or 'none'}. They are positive on a tumour that looks "
        "normal, negative on normal tissue that looks like a tumour."
    )
    return Table(caption, head, lines, 1, [0, len(published)], [note], data)


def sensitivity_table(colon: dict[str, Any], rows: dict[str, pd.DataFrame], is_standin: bool) -> Table:
    """The default row under each preprocessing."""
    variants = {colon["default"]: colon["preprocessing"]} | colon["sensitivity"]
    lines, records = [], []
    for name, steps in variants.items():
        hits, others = _named(rows[name])
        params = _params(rows[name])
        marks = [Cell("yes" if steps[step] else "no") for step in ("log", "per_array", "per_gene")]
        lines.append([*marks, Cell(str(len(hits))), Cell(" ".join(hits)), Cell(_listed(others)), Cell(params)])
        records.append(
            steps
            | {"hits": len(hits), "suspects": " ".join(hits), "false_positives": " ".join(others)}
            | {"parameters": params}
        )
    caption = (
        f"{STANDIN if is_standin else ''}Table 2's default row under other preprocessing: logarithms, arrays and genes "
        "brought to mean 0 and standard deviation 1. The first line is the one in Table 2."
    )
    head = ["log", "per array", "per gene", "hits", "suspects", "false positives", "parameters"]
    return Table(caption, head, lines, 3, [0], [], pd.DataFrame(records))


def _named(rows):
    """(suspects, other tissues) that a method calls mislabelled."""
    named = rows[rows["named"]]
    return named.loc[named["suspect"], "sample"].tolist(), named.loc[~named["suspect"], "sample"].tolist()


def _params(rows):
    """The chosen parameters in few characters."""
    letters = {"alpha": r"$\kappa$", "lam": r"$\lambda$"}
    chosen = json.loads(rows["params"].iloc[0])
    return ", ".join(f"{letters.get(name, name)} = {value:.3g}" for name, value in sorted(chosen.items()))


def _listed(samples):
    return ", ".join(samples) if len(samples) <= _MOST_LISTED else f"({len(samples)} tissues)"
