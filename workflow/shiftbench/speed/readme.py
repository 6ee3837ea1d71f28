"""README's section on speed, made from a summary of the benchmark: `make bench-readme`.

The summary is kept as docs/speed.csv, so that everybody can make the same section again.
"""

import shutil
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

from shiftbench.files import write_text
from shiftbench.speed import results, tables
from shiftbench.speed.problem import OURS
from shiftbench.speed.results import Row, is_ours, is_within

BEGIN = "<!-- speed: written by `make bench-readme` from docs/speed.csv -->\n"
END = "<!-- end of speed -->\n"

INTRODUCTION = """\
`make bench` (or `snakemake --cores 1 bench`) builds a second environment with the peers and measures ratios of times
in one run, interleaved. Every solver runs at the loosest of its tolerances that reaches the gap, which is (objective -
least known) / least known, by one objective function for all. Each has one thread. Ours is timed through the public
interface, checks included; peers without their preparation. `make bench BENCH=--list` shows the problems,
`BENCH="--only svm"` runs some of them, `BENCH=--quick` all in small sizes. Rows, tables and figures (time against gap,
time against rows) are written to `results/bench/`.
"""
HEADINGS = ("problem", "gap", "ours", "peer's time / ours, below 1 we lose", "goal")


def section(about: dict[str, str], summary: Sequence[Row]) -> str:
    """The text between the markers."""
    made_with = [about[key] for key in ("date", "machine", "load", "clock", "versions") if key in about]
    lines = [
        INTRODUCTION,
        _wrapped(f"{tables.counts(summary)} at commit {about['commit']} ({'; '.join(made_with)}):"),
        tables.markdown_table(HEADINGS, [_line(rows) for rows in _by_problem(summary)]),
        "",
        _losses(summary),
    ]
    if missing := _missing(summary):
        lines.append(missing)
    return "\n".join(lines)


def _wrapped(text):
    """A paragraph."""
    return textwrap.fill(text, 120, break_on_hyphens=False, break_long_words=False) + "\n"


def _by_problem(summary):
    """The rows of each problem that was measured."""
    problems: dict[str, list[Row]] = {}
    for row in summary:
        if row["ours"] is not None:
            problems.setdefault(row["problem"], []).append(row)
    return list(problems.values())


def _line(rows):
    """A problem in one line of the table."""
    _, gap, ours, *_ = tables.cells(rows[:1])[0]
    shown = ", ".join(filter(None, map(_compared, rows)))
    return [rows[0]["title"], gap, ours, shown, _goals(rows)]


def _compared(row):
    """One peer and its ratio, bold where we lose; a quotient of ours; or a number of its own."""
    if row["against"] is None:
        return ""
    if row["value"] is None:
        return f"{row['against']} -"
    if "/" not in row["quantity"]:
        return f"{row['against']} {row['value']:.2g}"
    ratio = tables.ratio_text(row["value"])
    if row["quantity"].startswith(f"{OURS} /"):
        return f"{ratio} times {row['against']}"
    name = row["against"] + ("" if is_within(row["their_gap"], row["goal"]) else f" (gap {row['their_gap']:.0e})")
    return f"{name} **{ratio}**" if row["value"] < 1.0 and not is_ours(row["against"]) else f"{name} {ratio}"


def _goals(rows):
    """Each bound with its verdict; against whom it was missed, where it was reached against others."""
    goals = []
    for bound in dict.fromkeys(row["target"] for row in rows if row["target"] and row["value"] is not None):
        mine = [row for row in rows if row["target"] == bound and row["value"] is not None]
        missed = [row["against"] or OURS for row in mine if row["verdict"] != "reached"]
        sign = bound.replace(">=", "≥").replace("<=", "≤")
        text = "reached" if not missed else "missed"
        if missed and len(missed) < len(mine):
            text += " against " + ", ".join(missed)
        goals.append(f"{sign} {text}")
    return "; ".join(goals)


def _losses(summary):
    """Who still wins."""
    lost = [line for line in results.wins(summary) if not line["is_right"] or (line["ratio"] or 1.0) < 1.0]
    if not lost:
        return _wrapped("No peer was faster on any of these problems.")
    texts = [
        f"{line['title']} ({line['fastest']}, {tables.ratio_text(line['ratio'])})"
        if line["fastest"]
        else f"{line['title']} (we miss the gap)"
        for line in lost
    ]
    return _wrapped("Peers still win on: " + "; ".join(texts) + ".")


def _missing(summary):
    """What was not measured, with the reasons."""
    reasons: dict[str, list[str]] = {}
    for row in summary:
        if row["verdict"].startswith(("skipped", "failed")):
            name = row["title"] if row["ours"] is None else f"{row['against']} on {row['title']}"
            reasons.setdefault(row["verdict"], []).append(name)
    return "".join(_wrapped(f"Not measured: {'; '.join(names)} ({reason}).") for reason, names in reasons.items())


def put(text: str, new: str) -> str:
    """A README with a new section between the markers."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the README has no lines {BEGIN.strip()} and {END.strip()}")
    return before + BEGIN + "\n" + new + "\n" + END + after


def main(summary: str | Path, kept: str | Path = "docs/speed.csv", readme: str | Path = "README.md") -> None:
    """Keep a summary and write the section that it gives."""
    if Path(summary).resolve() != Path(kept).resolve():
        shutil.copyfile(summary, kept)
    write_text(readme, put(Path(readme).read_text(encoding="utf-8"), section(*results.read(kept))))


if __name__ == "__main__":
    main(*sys.argv[1:])
