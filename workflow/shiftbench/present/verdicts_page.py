"""The page of all verdicts, and the text that ends a run."""

from typing import Any

import numpy as np
import pandas as pd

from shiftbench.present.table import MARKS, Cell, Table, as_printed, distance
from shiftbench.verdicts.judge import counts_text, in_order

DATA_MARKS = {"standin": "stand-in data", "other": "other data", "quick": "quick look"}
SIGNS = {"=": "=", ">": "> 0", ">=": "≥ 0", "~": "≈ 0", "<=": "≤"}
Z_NOTE = "z: distance from the published number in standard errors, both errors taken together."
_MOST = 1e6  # replicates


def verdict_table(verdicts: pd.DataFrame, published: pd.DataFrame, reasons: dict[str, Any] | None = None) -> Table:
    """Every published number and claim with ours beside it, failures first.

    `reasons` are by id, each with a title and a reason, which is given in full where it is first needed.
    """
    about, given = published.set_index("id"), set[str]()
    lines: list[list[Cell]] = []
    groups = []
    before = None
    for row in in_order(verdicts).itertuples():
        kind = (row.verdict, row.on_other_data)
        if kind != before:
            groups.append(len(lines))
        before = kind
        claim, digits = about.loc[row.id, ["claim", "digits"]]
        reason = None if row.verdict == "reproduced" else (reasons or {}).get(row.id)
        why = "" if reason is None else f"{reason.title}: see above" if reason.title in given else reason.reason
        given |= {reason.title} if reason else set()
        notes = [note for note in (row.note, needed_text(row), why) if note]
        lines.append(
            [
                Cell(said(row)),
                Cell(row.place),
                Cell(row.row),
                Cell(f"{row.column}: {claim}" if claim else row.column),
                Cell(SIGNS[row.relation]),
                Cell(as_printed(row.published, digits, row.published_se)),
                Cell(as_printed(row.ours, digits, row.ours_se)),
                Cell(distance(row.z)),
                Cell(" ".join(_sentence(note) for note in notes)),
            ]
        )
    head = ["verdict", "place", "row", "what", "relation", "report", "ours", "z", "remarks"]
    return Table(counts_text(verdicts), head, lines, 4, groups, [Z_NOTE], in_order(verdicts))


def short_table(verdicts: pd.DataFrame, published: pd.DataFrame) -> Table:
    """What was tried and did not reproduce, without remarks, for the PDF; the caption counts all verdicts."""
    digits = published.set_index("id")["digits"]
    failed = verdicts[(verdicts["verdict"] != "reproduced") & (verdicts["verdict"] != "not_comparable")]
    lines = [
        [
            *(Cell(said(row)), Cell(row.place), Cell(row.row), Cell(row.column), Cell(SIGNS[row.relation])),
            Cell(as_printed(row.published, digits[row.id], row.published_se)),
            *(Cell(as_printed(row.ours, digits[row.id], row.ours_se)), Cell(distance(row.z))),
        ]
        for row in in_order(failed).itertuples()
    ]
    head = ["verdict", "place", "row", "what", "", "report", "ours", "z"]
    return Table(counts_text(verdicts) + " Those that failed:", head, lines, 4, [0], [Z_NOTE], failed)


def said(row: Any) -> str:
    """A verdict in words, with the data that it is on."""
    text = f"{MARKS[row.verdict]} {row.verdict.replace('_', ' ')}".strip()
    if row.on_other_data:
        return f"{text} ({DATA_MARKS[row.data]}: {row.on_other_data} there)"
    return text + (f" ({DATA_MARKS[row.data]})" if row.data in DATA_MARKS else "")


def stated(row: Any, digits: int) -> str:
    """What the report states: a number, a limit, or what it claims of a difference, with the one it found."""
    value = as_printed(row.published, digits, row.published_se)
    if row.relation == "=":
        return value
    if row.relation == "<=":
        return f"{SIGNS[row.relation]} {value}"
    return SIGNS[row.relation] + (f" ({value})" if value else "")


def needed_text(row: Any) -> str:
    """How many replicates would tell, where a verdict is inconclusive."""
    if "inconclusive" not in (row.verdict, row.on_other_data):
        return ""
    if np.isnan(row.replicates):
        return "the error is that of the test set: more replicates would not tell"
    now = f"now {row.replicates:.0f}"
    if np.isnan(row.replicates_needed):
        return f"more replicates would tell ({now})"
    if row.replicates_needed > _MOST:
        return f"no number of replicates would tell: the difference is nothing ({now})"
    return f"about {_rounded(row.replicates_needed):,} replicates would tell ({now})"


def summary(
    verdicts: pd.DataFrame,
    published: pd.DataFrame,
    provenance: dict[str, Any],
    quick: bool = False,
    runs: pd.DataFrame | None = None,
) -> str:
    """The text that ends a run: what was judged, failures first; the counts; what is a stand-in or was not run.

    `runs` is the long table.
    """
    about = published.set_index("id")
    lines = [f"{'':64s} {'report':>18s} {'ours':>16s} {'z':>7s}  verdict"]
    tried = verdicts[(verdicts["verdict"] != "not_comparable") | (verdicts["on_other_data"] != "")]
    for row in in_order(tried).itertuples():
        claim, digits = about.loc[row.id, ["claim", "digits"]]
        what = f"{row.table:7s} {row.row:23s} {row.column}"
        failed = row.verdict not in ("reproduced", "better") and row.on_other_data != "reproduced"
        remarks = "; ".join(text for text in (claim if failed else "", row.note, needed_text(row)) if text)
        verdict = f"{row.on_other_data} on other data" if row.on_other_data else row.verdict
        ours = as_printed(row.ours, digits, row.ours_se)
        end = f"  ({remarks})" if remarks else ""
        lines.append(f"{what:64s} {stated(row, digits):>18s} {ours:>16s} {distance(row.z):>7s}  {verdict}{end}")
    lines += ["", counts_text(verdicts)]
    if quick or (verdicts["data"] == "quick").any():
        lines.append("A quick look: few replicates or smaller data, and so nothing is compared with the report.")
    for name, source in provenance.items():
        if source["kind"] == "standin":
            lines += [f"Stand-in data, not the real {name} ({source['title']}).", f"  {source['how_to_get']}"]
    if runs is not None:
        skipped = runs[runs["status"] == "skipped"].drop_duplicates(["experiment", "method"])
        lines += [f"Not run: {row.method} in {row.experiment}. {row.reason}" for row in skipped.itertuples()]
    return "\n".join(lines) + "\n"


def _rounded(value):
    """Two significant digits, upwards."""
    unit = 10.0 ** max(np.floor(np.log10(max(value, 1.0))) - 1.0, 0.0)
    return int(np.ceil(value / unit) * unit)


def _sentence(text):
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")
