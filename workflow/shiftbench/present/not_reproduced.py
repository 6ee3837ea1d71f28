"""What did not reproduce, and why: verdicts, which are computed, beside reasons, which are written by hand.

workflow/report/reasons.yaml has the reasons: a list of `ids` (of published.csv; `*` stands for anything), a `title` and
a `reason`. `python -m shiftbench.present.not_reproduced` writes docs/not_reproduced.md from the expected results.
"""

import json
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import yaml

from shiftbench.files import write_text
from shiftbench.present.table import as_printed, distance
from shiftbench.present.verdicts_page import stated
from shiftbench.verdicts.judge import counts_text, in_order, read_published

REASONS = Path(__file__).parents[2] / "report" / "reasons.yaml"
_HEAD = """# What did not reproduce, and why

Made from `tests/expected/results.json` and `workflow/report/reasons.yaml` by `make expected`; do not edit it.

"""


class Reason(NamedTuple):
    """Why some numbers and claims are not reproduced."""

    ids: list[str]
    title: str
    reason: str

    def explains(self, name: str) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in self.ids)


def read_reasons(path: str | Path = REASONS) -> list[Reason]:
    """All reasons; the first that explains an id counts."""
    return [Reason(**entry) for entry in yaml.safe_load(Path(path).read_text(encoding="utf-8"))]


def reasons_by_id(names: list[str], reasons: list[Reason]) -> dict[str, Reason]:
    """The reason of each id that has one."""
    found = {name: next((one for one in reasons if one.explains(name)), None) for name in names}
    return {name: reason for name, reason in found.items() if reason is not None}


def markdown(verdicts: pd.DataFrame, published: pd.DataFrame, reasons: list[Reason]) -> str:
    """The page: one section per reason, those of failures first; each with the numbers and claims it explains."""
    failed = in_order(verdicts[verdicts["verdict"] != "reproduced"])
    first = {name: next((k for k, one in enumerate(reasons) if one.explains(name)), -1) for name in failed["id"]}
    about = published.set_index("id")
    parts = [_HEAD, counts_text(verdicts), "\n"]
    for k in dict.fromkeys(first.values()):
        mine = failed[failed["id"].map(first) == k]
        title, text = (reasons[k].title, reasons[k].reason) if k >= 0 else ("Not explained yet", "")
        parts += [f"\n## {title}\n\n{text.strip()}\n\n" if text else f"\n## {title}\n\n"]
        parts += ["| place | what | report | ours | z | verdict |\n|---|---|---|---|---|---|\n"]
        parts += [_line(row, about.loc[row.id]) for row in mine.itertuples()]
    return "".join(parts)


def _line(row, about):
    what = f"{row.row}, {row.column}" + (f": {about['claim']}" if about["claim"] else "")
    ours = as_printed(row.ours, about["digits"], row.ours_se)
    verdict = row.verdict.replace("_", " ") + (f"; {row.on_other_data} on other data" if row.on_other_data else "")
    cells = [row.place, what, stated(row, about["digits"]), ours, distance(row.z), verdict]
    return f"| {' | '.join(text.replace('|', '/') for text in cells)} |\n"


def expected_verdicts(path: str | Path, published: pd.DataFrame) -> pd.DataFrame:
    """The verdicts in a file of expected results, in the form that `judge` gives."""
    kept = json.loads(Path(path).read_text(encoding="utf-8"))["verdicts"]
    rows = published[published["id"].isin(kept)].rename(columns={"value": "published", "se": "published_se"})
    for name in ("ours", "ours_se", "z"):
        values = [kept[one][name] for one in rows["id"]]
        rows[name] = np.array([np.nan if value is None else value for value in values], dtype=float)
    for name in ("verdict", "on_other_data"):
        rows[name] = [kept[one][name] for one in rows["id"]]
    return rows


def main(expected: str, page: str) -> None:
    """Write the page from a file of expected results."""
    published = read_published()
    write_text(page, markdown(expected_verdicts(expected, published), published, read_reasons()))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m shiftbench.present.not_reproduced EXPECTED.json PAGE.md")
    main(*sys.argv[1:])
