"""Other readings of what the report leaves open, each with its verdict, below the one that the verdicts are about.

A reading is a method that a scenario lists under `readings`, a variant of a method that has a `why`, or what has a
`why` in a scenario with `reading_of`. It is compared with the number published for what it is a reading of.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from shiftbench.config.plan import methods_of
from shiftbench.present.context import Context, Place, quick_experiments
from shiftbench.present.table import LEGEND, MARKS, Cell, Table, as_printed, distance
from shiftbench.verdicts.expressions import parse
from shiftbench.verdicts.judge import judge

SETTINGS: dict = {}  # what it takes from its entry in the config, beside what all tables have

CAPTION = "Each below the reading that the verdicts are about, beside the published number."
COLUMNS = ("id", "published", "published_se", "ours", "ours_se", "z", "verdict", "note", "replicates", "data")


class Reading(NamedTuple):
    """Where the results of a reading are, and what the table says of it."""

    place: Place
    method: str
    title: str
    why: str


def build(context: Context) -> Table:
    """For each published number with readings: the one that the verdicts are about, then the others."""
    published = context.published[(context.published["relation"] == "=") & (context.published["ours"] != "")]
    found = _readings(context)
    lines: list[list[Cell]] = []
    starts, records, reasons = [], [], set[str]()
    for row in published.itertuples():
        (term,) = parse(row.ours)
        others = found.get(((term.experiment, term.scenario), term.method), [])
        if not others:
            continue
        starts.append(len(lines))
        own = Reading((term.experiment, term.scenario), term.method, "in the table", "")
        for k, reading in enumerate([own, *others]):
            judged = _judged(context, row, term, reading)
            if k and np.isnan(judged["ours"]) and _measures(context, reading, term) is False:
                continue  # it is a reading of the method's other numbers
            where = Cell(f"{row.place}: {row.row}, {row.column}" if k == 0 else "")
            report = Cell(as_printed(row.value, row.digits, row.se) if k == 0 else "")
            failed = context.failures(*reading.place, reading.method)[1]
            ours = as_printed(judged["ours"], row.digits, judged["ours_se"])
            ours = ours + "†" * bool(failed) if ours else "failed" if failed else "not run"
            mark = Cell(f"{MARKS[judged['verdict']]} {judged['verdict'].replace('_', ' ')}".strip())
            why = Cell("" if reading.why in reasons else reading.why)
            reasons.add(reading.why)
            lines.append([where, Cell(reading.title), Cell(ours), report, Cell(distance(judged["z"])), mark, why])
            records.append(_record(judged, reading))
    head = ["number", "reading", "ours", "report", "z", "verdict", "why it was tried"]
    notes = [
        "z: distance from the published number in standard errors.",
        LEGEND,
        "A reason stands where it is first given; the CSV has it in every row.",
        *_failed(context, found),
        *_not_run(context, found),
    ]
    data = pd.DataFrame(records, columns=["id", "experiment", "scenario", "method", "reading", *COLUMNS[1:], "why"])
    return Table(context.caption(more="."), head, lines, 2, starts, notes, data)


def _readings(context) -> dict[tuple[Place, str], list[Reading]]:
    """Readings by the (scenario, method) that they are readings of, in the config's order."""
    found: dict[tuple[Place, str], list[Reading]] = {}
    for experiment, scenario in context.scenarios():
        about, methods = context.about(experiment, scenario), context.config["experiments"][experiment]["methods"]
        elsewhere = about["reading_of"]
        of: Place = tuple(elsewhere.split(".")) if elsewhere else (experiment, scenario)
        for name in methods_of(context.config, experiment, scenario):
            method = methods[name]
            is_variant = name in about["readings"] or (method["why"] and name != method["reading_of"])
            has_reason = about["why"] or method["why"]  # else it is the table's own way on other draws
            if not (has_reason if elsewhere else is_variant):
                continue
            title = f"{method['title']}, {about['title']}" if elsewhere else method["title"]
            why = " ".join(text for text in (about["why"] if elsewhere else "", method["why"]) if text)
            reading = Reading((experiment, scenario), name, title, why)
            found.setdefault((of, method["reading_of"]), []).append(reading)
    return found


def _judged(context, row, term, reading) -> dict:
    """The verdict on a published number with a reading's result in the place of ours."""
    expression = f"{reading.place[0]}.{reading.place[1]}:{reading.method}:{term.quantity}"
    claim = pd.DataFrame([row._asdict()]).assign(ours=expression, note="")
    quick = quick_experiments(context.config)
    return judge(claim, context.runs, context.config["resamples"], quick)[0].iloc[0].to_dict()


def _measures(context, reading, term):
    """Whether the runs of a reading have the quantity; None if it was not run."""
    rows = context.runs.of(*reading.place, reading.method)
    return bool((rows["metric"] == term.quantity).any()) if len(rows) else None


def _failed(context, found):
    """A note on the fits that failed, if any did."""
    shown = [*found, *((one.place, one.method) for several in found.values() for one in several)]
    listed = []
    for (experiment, scenario), method in dict.fromkeys(shown):
        succeeded, failed, _ = context.failures(experiment, scenario, method)
        if failed:
            listed.append(f"{context.title_of(experiment, method)} in {scenario}: {failed} of {failed + succeeded}")
    return [f"† Fits that failed and are left out: {', '.join(listed)}."] if listed else []


def _not_run(context, found):
    """A note on each method that this machine cannot run."""
    skipped = {
        context.title_of(one.place[0], one.method): context.skipped(*one.place, one.method)
        for several in found.values()
        for one in several
    }
    return [f"{title} was not run: {reason}." for title, reason in skipped.items() if reason]


def _record(judged, reading):
    place = {"experiment": reading.place[0], "scenario": reading.place[1], "method": reading.method}
    said = {"reading": reading.title, "why": reading.why}
    return {name: judged[name] for name in COLUMNS} | place | said
