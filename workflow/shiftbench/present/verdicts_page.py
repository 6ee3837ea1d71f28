"""The page of all verdicts, and the text that ends a run."""

from typing import Any

import pandas as pd

from shiftbench.present.table import MARKS, Cell, Table, distance, number
from shiftbench.verdicts.judge import VERDICTS

_DATA_MARKS = {"standin": " (stand-in data)", "other": " (other data)", "quick": " (quick look)"}


def verdict_table(verdicts: pd.DataFrame, published: pd.DataFrame) -> Table:
    """Every published number and claim with ours beside it, in the report's order."""
    lines: list[list[Cell]] = []
    groups = []
    places = published.set_index("id")
    before = None
    for row in verdicts.itertuples():
        if row.table != before:
            groups.append(len(lines))
        before = row.table
        claim = places.loc[row.id, "claim"]
        mark = f"{MARKS[row.verdict]} {row.verdict.replace('_', ' ')}".strip() + _DATA_MARKS.get(row.data, "")
        lines.append(
            [
                Cell(places.loc[row.id, "place"]),
                Cell(row.row),
                Cell(f"{row.column}: {claim}" if claim else row.column),
                Cell(number(row.published, row.published_se)),
                Cell(number(row.ours, row.ours_se)),
                Cell(distance(row.z)),
                Cell(mark),
            ]
        )
    note = "z: distance from what the report states in standard errors; for claims about a difference, from zero."
    head = ["place", "row", "what", "report", "ours", "z", "verdict"]
    return Table(_counts(verdicts), head, lines, 3, groups, [note], verdicts)


def summary(verdicts: pd.DataFrame, published: pd.DataFrame, provenance: dict[str, Any], quick: bool = False) -> str:
    """The text that ends a run: every number or claim that was judged, the counts, and what is a stand-in."""
    claims = dict(zip(published["id"], published["claim"], strict=True))
    lines = [f"{'':64s} {'report':>14s} {'ours':>16s} {'z':>6s}  verdict"]
    for row in verdicts[verdicts["verdict"] != "not_comparable"].itertuples():
        what = f"{row.table:7s} {row.row:23s} {row.column}"
        why = f"  ({claims[row.id]})" if row.verdict == "worse" and claims[row.id] else ""
        stated, ours = number(row.published, row.published_se), number(row.ours, row.ours_se)
        lines.append(f"{what:64s} {stated:>14s} {ours:>16s} {distance(row.z):>6s}  {row.verdict}{why}")
    lines += ["", _counts(verdicts)]
    if quick or (verdicts["data"] == "quick").any():
        lines.append("A quick look: few replicates, and smaller data where marked so; those are not compared.")
    for name, source in provenance.items():
        if source["kind"] == "standin":
            lines += [f"Stand-in data, not the real {name} ({source['title']}).", f"  {source['how_to_get']}"]
    return "\n".join(lines) + "\n"


def _counts(verdicts):
    counts = verdicts["verdict"].value_counts()
    listed = ", ".join(f"{counts.get(verdict, 0)} {verdict.replace('_', ' ')}" for verdict in VERDICTS)
    return f"{len(verdicts)} published numbers and claims: {listed}."
