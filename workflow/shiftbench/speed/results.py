"""From the rows of the runner to what was compared: quotients, targets, and who wins where.

A frame is a list of dictionaries, written as CSV; empty cells are None.
"""

import csv
import io
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from shiftbench.files import write_text
from shiftbench.speed.problem import OURS, SECONDS, Problem, Target

RESULTS = (
    "problem",
    "title",
    "solver",
    "version",
    "threads",
    "tolerance",
    "goal",
    "gap",
    "value",
    "unit",
    "rounds",
    "status",
)
CURVES = ("problem", "title", "goal", "solver", "tolerance", "gap", "seconds")
ROWS = ("family", "title", "solver", "rows", "seconds", "gap", "goal", "exponent")
SUMMARY = (
    "problem",
    "title",
    "goal",
    "ours",
    "unit",
    "our_gap",
    "against",
    "theirs",
    "their_gap",
    "quantity",
    "value",
    "target",
    "verdict",
)
_NUMBERS = frozenset(
    ["goal", "ours", "our_gap", "theirs", "their_gap", "value", "gap", "seconds", "tolerance", "exponent", "rows"]
)

Row = dict[str, Any]


def compare(name: str, problem: Problem, rows: Sequence[Row]) -> list[Row]:
    """A row for each target, and one for each rival that has none."""
    found = {row["solver"]: row for row in rows}
    targets = list(problem.targets)
    named = {OURS} | {target.top for target in targets} | {target.bottom for target in targets}
    ours = found.get(OURS, {})
    rivals = [row["solver"] for row in rows if row["unit"] == ours.get("unit") and row["solver"] not in named]
    everything = [*targets, *(Target(rival, OURS) for rival in rivals)]
    return [_comparison(name, problem, target, found) for target in everything]


def _comparison(name: str, problem: Problem, target: Target, found: dict[str, Row]) -> Row:
    """One target, or one quotient without any."""
    ours = found.get(OURS, {})
    other = target.bottom if target.top == OURS else target.top
    theirs = found.get(other, {}) if other else {}
    row: Row = {"problem": name, "title": problem.title, "goal": ours.get("goal"), "ours": ours.get("value")}
    row |= {"unit": ours.get("unit", SECONDS), "our_gap": ours.get("gap"), "against": other}
    row |= {"theirs": theirs.get("value"), "their_gap": theirs.get("gap")}
    top, bottom = found[target.top], found.get(target.bottom or "", {"value": 1.0, "status": "ok"})
    row["quantity"] = f"{target.top} / {target.bottom}" if target.bottom else f"{target.top} ({top['unit']})"
    has_bound = target.at_least is not None or target.at_most is not None
    row["target"] = "" if not has_bound else target.text if target.bottom else f"{target.text} {top['unit']}"
    stopped = next((one["status"] for one in (top, bottom) if one.get("value") is None), None)
    if stopped:
        return row | {"value": None, "verdict": stopped}
    row["value"] = top["value"] / bottom["value"]
    failed = next((one["status"] for one in (top, bottom) if one["status"].startswith("failed")), None)
    if failed or (ours.get("status") == "gap missed"):
        row["verdict"] = f"MISSED: {failed or 'our gap is above the goal'}"
    elif has_bound:
        row["verdict"] = "reached" if target.is_reached(row["value"]) else "MISSED"
    else:
        row["verdict"] = ""
    return row


def skipped(name: str, title: str, reason: str) -> list[Row]:
    """A problem that cannot run here."""
    row: Row = {key: None if key in _NUMBERS or key == "against" else "" for key in SUMMARY}
    return [row | {"problem": name, "title": title, "verdict": f"skipped: {reason}"}]


def wins(summary: Iterable[Row]) -> list[Row]:
    """For each problem that others solve too, the fastest of those within the gap, and its time over ours.

    Losses come first. A problem where no peer is within the gap comes last.
    """
    problems: dict[str, list[Row]] = {}
    for row in summary:
        if row["quantity"] == f"{row['against']} / {OURS}" and row["unit"] == SECONDS and not is_ours(row["against"]):
            problems.setdefault(row["problem"], []).append(row)
    found = []
    for name, rows in problems.items():
        if rows[0]["ours"] is None:
            continue
        right = [row for row in rows if row["theirs"] is not None and is_within(row["their_gap"], row["goal"])]
        fastest = min(right, key=lambda row: row["theirs"], default=None)
        line = {"problem": name, "title": rows[0]["title"], "ours": rows[0]["ours"]}
        line |= {"fastest": fastest["against"] if fastest else None, "theirs": fastest["theirs"] if fastest else None}
        line["is_right"] = is_within(rows[0]["our_gap"], rows[0]["goal"])
        line["ratio"] = fastest["value"] if fastest else None
        if any(row["theirs"] is not None for row in rows):
            found.append(line)
    return sorted(found, key=_rank)


def _rank(line):
    """Losses first, those that miss the gap before all."""
    return line["is_right"], float("inf") if line["ratio"] is None else line["ratio"]


def is_ours(solver: str | None) -> bool:
    """Whether a name is one of our own ways to solve."""
    return solver is None or solver.split()[0] == OURS


def is_within(gap: float | None, goal: float | None) -> bool:
    """Whether a gap is small enough; what has no gap, such as an import, always is."""
    return gap is None or goal is None or gap <= goal


def write(path: str | Path, columns: Sequence[str], rows: Iterable[Row], about: dict[str, str] | None = None) -> None:
    """A CSV file; `about` stands above it as lines `# key: value`."""
    text = io.StringIO()
    text.writelines(f"# {key}: {value}\n" for key, value in (about or {}).items())
    table = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    for row in rows:
        table.writerow({key: _cell(row.get(key)) for key in columns})
    write_text(path, text.getvalue())


def _cell(value):
    """Four digits are more than a clock knows."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else " ".join(str(value).split())


def read(path: str | Path) -> tuple[dict[str, str], list[Row]]:
    """(What stands above a CSV file, its rows)."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    above = [line for line in lines if line.startswith("# ")]
    about = dict(line[2:].split(": ", 1) for line in above)
    rows = list(csv.DictReader(lines[len(above) :]))
    return about, [{key: _value(key, text) for key, text in row.items()} for row in rows]


def _value(key, text):
    if text == "":
        return None if key in _NUMBERS or key == "against" else ""
    return float(text) if key in _NUMBERS else text
