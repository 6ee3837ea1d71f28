"""Tables of the simulations: ours above the published numbers, in the report's columns and order.

A `Table` is made from the runs here, and written as LaTeX, Markdown, HTML and CSV by `shiftlr.formats`.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftlr.config import methods_of
from shiftlr.verdicts import LEVEL, LIMIT, VERDICTS, estimate, with_holm

BASELINE = "standard"
MARKS = {"reproduced": "✓", "better": "▲", "worse": "▼", "not_comparable": ""}
_DATA_MARKS = {"standin": " (stand-in data)", "other": " (other data)"}
LEGEND = f"✓ reproduced (within {LIMIT} standard errors), ▲ better, ▼ worse than published"


class Cell(NamedTuple):
    """What stands in one place of a table."""

    text: str
    bold: bool = False


class Table(NamedTuple):
    """A table before it has a format; `$...$` in headings and captions is LaTeX."""

    caption: str
    head: list[str]
    lines: list[list[Cell]]
    n_keys: int  # how many columns name a line
    groups: list[int]  # the lines that begin a group
    notes: list[str]
    data: pd.DataFrame  # the same numbers, one a row


def simulation_table(config: dict[str, Any], name: str, runs, published, verdicts) -> Table:
    """The table of one experiment: a line of ours and a line of the report's for each scenario."""
    experiment = config["experiments"][name]
    columns = methods_of(config, name)
    data = _numbers(config, name, dict.fromkeys(experiment["scenarios"], columns), runs)
    data = _beside_published(data, published, verdicts)
    data["bold"] = _bold(name, experiment["bold"], data, runs)
    with_report = bool(data["published"].notna().any())
    lines: list[list[Cell]] = []
    groups = []
    for scenario, settings in experiment["scenarios"].items():
        cells = [row for row in data.itertuples() if row.scenario == scenario]
        keys = [Cell(text) for text in settings["row"]]
        whose = [[Cell("ours")], [Cell("report")]] if with_report else [[], []]
        groups.append(len(lines))
        lines.append([*keys, *whose[0], *map(_ours, cells)])
        if with_report:
            lines.append([*[Cell("")] * len(keys), *whose[1], *map(_published, cells)])
    head = [*experiment["columns"], *([""] * with_report), *(config["methods"][method]["title"] for method in columns)]
    if experiment["gain_beside"]:
        head += ["gain", f"gain in {experiment['gain_beside']}"]
        for first, gains in zip(groups, _gains(name, experiment, runs), strict=True):
            lines[first].extend(gains)
            for line in lines[first + 1 : first + 1 + with_report]:
                line.extend([Cell("")] * len(gains))
    n_keys = len(experiment["columns"]) + with_report
    notes = _notes(config, experiment, data, with_report)
    return Table(_caption(experiment), head, lines, n_keys, groups if with_report else [0], notes, data)


def readings_table(config: dict[str, Any], runs, published, verdicts) -> Table:
    """The other readings of what the report leaves open, below the one that stands in the experiment's table."""
    files = {name: method["method"] for name, method in config["methods"].items()}
    parts = []
    for name, experiment in config["experiments"].items():
        wanted = {
            scenario: [
                method
                for base in dict.fromkeys(files[reading] for reading in settings["readings"])
                for method in [*experiment["methods"], *settings["readings"]]
                if files[method] == base
            ]
            for scenario, settings in experiment["scenarios"].items()
        }
        parts.append(_beside_published(_numbers(config, name, wanted, runs), published, verdicts))
    data = pd.concat(parts, ignore_index=True).assign(bold=False)
    # A reading is compared with the number published for the method that it is a reading of.
    groups = data.groupby(["experiment", "scenario", data["method"].map(files)], sort=False)
    numbers = ["published", "published_se"]
    data[numbers] = groups[numbers].transform("first")
    data["z"] = (data["ours"] - data["published"]) / np.hypot(data["ours_se"], data["published_se"].fillna(0.0))
    lines: list[list[Cell]] = []
    starts = []
    for (experiment, _, _), group in groups:
        starts.append(len(lines))
        for row in data.loc[group.index].itertuples():
            first = len(lines) == starts[-1]
            title = config["methods"][row.method]["title"]
            in_table = " (in the table)" if row.method in config["experiments"][experiment]["methods"] else ""
            lines.append(
                [
                    Cell(f"{experiment}: {row.row}" if first else ""),
                    Cell(title + in_table),
                    _ours(row),
                    Cell(number(row.published, row.published_se) if first else ""),
                    Cell(_distance(row)),
                ]
            )
    caption = "Other readings of what the report leaves open: accuracy on clean test sets, in per cent."
    notes = ["z: distance from the published number in standard errors.", *_failures(config, data)]
    return Table(caption, ["experiment", "reading", "ours", "report", "z"], lines, 2, starts, notes, data)


def _numbers(config, name, wanted, runs):
    """One row a scenario and method: mean accuracy, its standard error, how many replicates succeeded and failed."""
    rows = []
    for scenario, methods in wanted.items():
        row = " / ".join(config["experiments"][name]["scenarios"][scenario]["row"])
        for method in methods:
            mine = runs[(runs["experiment"] == name) & (runs["scenario"] == scenario) & (runs["method"] == method)]
            found = estimate(runs, f"{name}.{scenario}:{method}:accuracy")
            succeeded = int((mine["status"] == "ok").sum())
            value, se = (found.value, found.se) if found else (np.nan, np.nan)
            rows.append((name, scenario, row, method, value, se, succeeded, len(mine) - succeeded))
    names = ["experiment", "scenario", "row", "method", "ours", "ours_se", "replicates", "failed"]
    kinds = dict(zip(names, [str, str, str, str, float, float, int, int], strict=True))
    return pd.DataFrame(rows, columns=names).astype(kinds)


def _beside_published(data, published, verdicts):
    """The rows with what the report has in the same place, and the verdict."""
    stated = published[(published["relation"] == "=") & (published["ours"] != "")].rename(
        columns={"value": "published", "se": "published_se"}
    )
    stated = stated.assign(published_bold=stated["bold"] == "yes").merge(verdicts[["id", "z", "verdict"]], on="id")
    keys = data["experiment"] + "." + data["scenario"] + ":" + data["method"] + ":accuracy"
    stated = stated[stated["ours"].isin(keys)]  # elsewhere one number of ours may stand beside several of the report's
    wanted = stated.set_index("ours")[["published", "published_se", "published_bold", "z", "verdict"]]
    joined = data.join(wanted.reindex(keys).reset_index(drop=True))
    joined["published_bold"] = joined["published_bold"].eq(True)
    joined["verdict"] = joined["verdict"].fillna("not_comparable")
    return joined


def _bold(name, rule, data, runs):
    """Which of our numbers are bold: the best of a row; or only if it beats the baseline significantly."""
    best = data.groupby("scenario")["ours"].transform("max").eq(data["ours"])
    if rule == "best":
        return best
    others = data[data["method"] != BASELINE]
    found = [
        estimate(runs, f"{name}.{row.scenario}:{row.method}:accuracy - {name}.{row.scenario}:{BASELINE}:accuracy")
        for row in others.itertuples()
    ]
    ps = [1.0 if one is None or one.value <= 0.0 else one.p_value() for one in found]
    corrected = with_holm(pd.DataFrame({"table": name, "p": ps}, index=others.index))["p_holm"]
    return best & corrected.reindex(data.index).lt(LEVEL)


def number(value, se):
    """A number with its standard error, if it has one; small ones with more digits."""
    if np.isnan(value):
        return ""
    if np.isnan(se):
        return f"{value:g}"
    digits = 2 if se >= 0.005 else 4
    return f"{value:.{digits}f} ± {se:.{digits}f}"


def _distance(row):
    """How many standard errors ours is away, if that can be said."""
    return "" if np.isnan(row.z) else f"{row.z:+.2f}"


def _ours(row):
    """Our number; a dagger where some replicates failed, the word where all did."""
    if np.isnan(row.ours):
        return Cell("failed" if row.failed and not row.replicates else "-")
    return Cell(number(row.ours, row.ours_se) + ("†" if row.failed else ""), bool(row.bold))


def _published(row):
    return Cell(f"{number(row.published, row.published_se)} {MARKS[row.verdict]}".strip(), row.published_bold)


def _gains(name, experiment, runs):
    """For each scenario the gain of robust over the baseline, here and in the experiment it is compared with."""
    for scenario in experiment["scenarios"]:
        pair = []
        for place in (name, experiment["gain_beside"]):
            found = estimate(runs, f"{place}.{scenario}:robust:accuracy - {place}.{scenario}:{BASELINE}:accuracy")
            pair.append(Cell("-" if found is None else f"{found.value:+.2f} ± {found.se:.2f}"))
        yield pair


def _caption(experiment):
    section = experiment["section"]
    where = f" ({'' if section.startswith('appendix') else 'section '}{section})" if section else ""
    return f"{experiment['title']}{where}: accuracy on clean test sets, in per cent."


def _notes(config, experiment, data, with_report):
    counts = sorted({settings["replicates"] for settings in experiment["scenarios"].values()})
    notes = [f"Means over {' or '.join(map(str, counts))} replicates ± standard error."]
    if with_report:
        notes.append(LEGEND + ".")
    return notes + _failures(config, data)


def _failures(config, data):
    """A note on the fits that failed, if any did."""
    listed = [
        f"{config['methods'][row.method]['title']} in {row.row}: {row.failed} of {row.failed + row.replicates}"
        for row in data[data["failed"] > 0].itertuples()
    ]
    return [f"† Fits that failed and are left out: {', '.join(listed)}."] if listed else []


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
                Cell(_distance(row)),
                Cell(mark),
            ]
        )
    note = "z: distance from what the report states in standard errors; for claims about a difference, from zero."
    return Table(
        _counts(verdicts),
        ["place", "row", "what", "report", "ours", "z", "verdict"],
        lines,
        3,
        groups,
        [note],
        verdicts,
    )


def summary(verdicts: pd.DataFrame, published: pd.DataFrame, provenance: dict[str, Any]) -> str:
    """The text that ends a run: every number or claim that was judged, the counts, and what is a stand-in."""
    claims = dict(zip(published["id"], published["claim"], strict=True))
    lines = [f"{'':64s} {'report':>14s} {'ours':>16s} {'z':>6s}  verdict"]
    for row in verdicts[verdicts["verdict"] != "not_comparable"].itertuples():
        what = f"{row.table:7s} {row.row:23s} {row.column}"
        why = f"  ({claims[row.id]})" if row.verdict == "worse" and claims[row.id] else ""
        stated, ours = number(row.published, row.published_se), number(row.ours, row.ours_se)
        lines.append(f"{what:64s} {stated:>14s} {ours:>16s} {_distance(row):>6s}  {row.verdict}{why}")
    lines += ["", _counts(verdicts)]
    for name, source in provenance.items():
        if source["kind"] == "standin":
            lines += [f"Stand-in data, not the real {name} ({source['title']}).", f"  {source['how_to_get']}"]
    return "\n".join(lines) + "\n"


def _counts(verdicts):
    counts = verdicts["verdict"].value_counts()
    listed = ", ".join(f"{counts.get(verdict, 0)} {verdict.replace('_', ' ')}" for verdict in VERDICTS)
    return f"{len(verdicts)} published numbers and claims: {listed}."
