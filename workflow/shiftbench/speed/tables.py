"""The summary as Markdown, as LaTeX and as lines for a terminal."""

from collections.abc import Sequence

from shiftbench.speed.problem import OURS, SECONDS
from shiftbench.speed.results import Row, is_within, wins

HEADINGS = ("problem", "gap", "ours", "against", "its value", "ratio", "goal", "")
LATEX = {"\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_", "|": r"\textbar{}"}

SIGNS = {"<=": r"$\leq$", ">=": r"$\geq$", " x ": r" $\times$ ", "µ": r"$\mu$"}


def cells(rows: Sequence[Row]) -> list[list[str]]:
    """A line of texts for each row; what repeats the line above is left out."""
    lines: list[list[str]] = []
    before: Row = {}
    for row in rows:
        is_new = row["problem"] != before.get("problem")
        first = [row["title"], _gap(row["goal"]), _measured(row["ours"], row["unit"], row["our_gap"], row["goal"])]
        lines.append([*(first if is_new else ["", "", ""]), *_other(row), *_judged(row)])
        before = row
    return lines


def _other(row):
    """Whom we are compared with, and what they need."""
    if row["against"] is None:
        return ["", ""]
    is_quotient = "/" in row["quantity"]
    unit = row["unit"] if is_quotient else row["quantity"].rpartition("(")[2].rstrip(")")
    return [row["against"], _measured(row["theirs"], unit, row["their_gap"], row["goal"])]


def _judged(row):
    """Ratio, goal, verdict; a quotient of our own times has ours on top."""
    value, quantity = row["value"], row["quantity"]
    ratio = ratio_text(value) if value is not None and "/" in quantity else ""
    if ratio and quantity.startswith(f"{OURS} / "):
        ratio += " of it"
    return [ratio, row["target"], row["verdict"]]


def _measured(value, unit, gap, goal):
    """A time or another measure; one that was reached above the gap says so."""
    if value is None:
        return "-"
    text = seconds_text(value) if unit == SECONDS else f"{ratio_text(value)} {unit}"
    return text if is_within(gap, goal) else f"{text} (gap {gap:.1e})"


def _gap(goal):
    return "" if goal is None else f"{goal:.0e}".replace("e-0", "e-")


def seconds_text(seconds: float) -> str:
    """Two or three digits with a unit."""
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "µs")):
        value = seconds * factor
        if value >= 0.995:
            return f"{value:.0f} {unit}" if value >= 99.5 else f"{value:.2g} {unit}"
    return f"{seconds * 1e6:.2g} µs"


def ratio_text(ratio: float) -> str:
    """Two digits, or all before the point."""
    return f"{ratio:.0f}" if ratio >= 99.5 else f"{ratio:.2g}"


def win_lines(summary: Sequence[Row]) -> list[list[str]]:
    """Problem, ratio, the fastest and its time, ours; losses first."""
    lines = []
    for line in wins(summary):
        ratio = "-" if line["ratio"] is None else ratio_text(line["ratio"])
        fastest = f"{line['fastest']} {seconds_text(line['theirs'])}" if line["fastest"] else "no peer within the gap"
        own = seconds_text(line["ours"]) + ("" if line["is_right"] else " (above the gap)")
        lines.append([ratio, line["title"], fastest, own])
    return lines


def counts(summary: Sequence[Row]) -> str:
    """How many targets were reached."""
    with_target = [row for row in summary if row["target"]]
    measured = [row for row in with_target if row["value"] is not None]
    reached = sum(row["verdict"] == "reached" for row in measured)
    missing = len(with_target) - len(measured)
    return f"{reached} of {len(measured)} targets reached" + (f", {missing} not measured" if missing else "")


def markdown(summary: Sequence[Row], about: dict[str, str]) -> str:
    """Both tables, and what they were made with."""
    parts = [
        "# Speed\n",
        "\n".join(f"- {key}: {value}" for key, value in about.items()) + "\n",
        "## All comparisons\n",
        "The ratio is the peer's time over ours, so below 1 we lose, except where it says `of it`.\n",
        markdown_table(HEADINGS, cells(summary)),
        f"\n{counts(summary)}.\n",
        "## Who wins where\n",
        markdown_table(("fastest peer / ours", "problem", "fastest peer within the gap", "ours"), win_lines(summary)),
    ]
    return "\n".join(parts) + "\n"


def markdown_table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A pipe table."""
    rows = [headings, ["---"] * len(headings), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |" for row in rows)


def latex(summary: Sequence[Row], about: dict[str, str]) -> str:
    """A longtable for a page in landscape, with the packages array, booktabs and longtable."""
    lines = [
        "% " + "; ".join(f"{key}: {value}" for key, value in about.items()),
        r"\footnotesize",
        r"\begin{longtable}{@{}p{6.4cm}rp{2.4cm}p{3.4cm}p{2.8cm}rp{2cm}p{3.4cm}@{}}",
        r"\toprule",
        " & ".join(_escaped(heading) for heading in HEADINGS) + r" \\",
        r"\midrule",
        r"\endhead",
        *(" & ".join(_escaped(cell) for cell in line) + r" \\" for line in cells(summary)),
        r"\bottomrule",
        r"\end{longtable}",
    ]
    return "\n".join(lines) + "\n"


def _escaped(text):
    escaped = "".join(LATEX.get(letter, letter) for letter in text)
    for plain, mathematical in SIGNS.items():
        escaped = escaped.replace(plain, mathematical)
    return escaped


def terminal(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Columns of equal width."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))] if rows else []
    return "\n".join(
        "  ".join(
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
