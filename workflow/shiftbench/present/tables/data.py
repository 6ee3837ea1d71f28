"""Sizes of the training sets and how many labels are wrong (the report's Table 3), ours beside the report's."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table
from shiftbench.runs import DATA
from shiftbench.verdicts.expressions import parse

SETTINGS: dict = {}  # what it takes from its entry in the config, beside what all tables have

FACTS = ("positives", "negatives", "features", "p0", "p1")
CAPTION = "How many examples each training set has, and how many of its labels are wrong."
_RATES = (
    "Automatic labels: $p_0$ is the share of persons that were missed, $p_1$ the share of other words that were "
    "marked. Crowd: $p_0$ is the share of words marked among those that the majority of workers calls no person, "
    "$p_1$ the share not marked among those it calls persons."
)


class Entry(NamedTuple):
    """A line."""

    source: str
    partition: str
    whose: str
    facts: list[float]
    errors: list[float]
    data: str
    starts_group: bool = False


def build(context: Context) -> Table:
    """Each training set of ours, other readings of it, and the report's that it is compared with; then test sets."""
    entries: list[Entry] = []
    for place in _originals(context):
        source = _source(context, place)
        entries.append(_ours(context, place, source, "train", FACTS)._replace(starts_group=True))
        for reading in _readings(context, place):
            entries.append(_ours(context, reading, _named(context, reading, source), "train", FACTS))
        entries += _report(context, place, "")
    entries += _test_sets(context)
    lines = [[Cell(one.source), Cell(one.partition), Cell(one.whose), *_cells(one.facts)] for one in entries]
    data = pd.DataFrame([_record(one) for one in entries])
    groups = [k for k, entry in enumerate(entries) if entry.starts_group]
    head = ["source", "partition", "", "# pos", "# neg", "# features", "$p_0$", "$p_1$"]
    return Table(context.caption() + ".", head, lines, 3, groups, _notes(context, entries), data)


def _readings(context, place):
    """The scenarios shown that are other readings of one."""
    return [one for one in context.scenarios() if context.about(*one)["reading_of"] == ".".join(place)]


def _originals(context):
    """The scenarios shown that are no reading of another one shown."""
    shown = context.scenarios()
    readings = [reading for place in shown for reading in _readings(context, place)]
    return [place for place in shown if place not in readings]


def _source(context, place):
    return context.params(*place, DATA).get("source") or context.about(*place)["title"]


def _named(context, reading, source):
    return f"{source}, {context.about(*reading)['title']}"


def _test_sets(context):
    """One line per test set; scenarios may share one. Readings that differ have lines below it, then the report."""
    names = [f"test_{name}" for name in FACTS]
    alike: dict[str, list] = {}
    for place in _originals(context):
        ours = _ours(context, place, context.about(*place)["title"], "test", names)
        if not np.isnan(ours.facts[0]):
            alike.setdefault(str(ours.facts), []).append((place, ours._replace(starts_group=True)))
    for same in alike.values():
        report = [line for place, _ in same for line in _report(context, place, "test_")][:1]
        first = same[0][1]._replace(source=report[0].source) if report else same[0][1]
        yield first
        seen = {str(first.facts)}
        for reading in (one for place, _ in same for one in _readings(context, place)):
            ours = _ours(context, reading, _named(context, reading, first.source), "test", names)
            if not np.isnan(ours.facts[0]) and str(ours.facts) not in seen:
                seen.add(str(ours.facts))
                yield ours
        yield from report


def _ours(context, place, source, partition, names):
    found = [context.estimate(f"{place[0]}.{place[1]}:{DATA}:{name}") for name in names]
    rows = context.runs.of(*place, DATA)
    of_facts = rows[rows["metric"].isin(names)]["data"]
    origin = of_facts.iloc[0] if len(of_facts) else context.origin(*place, DATA)
    values, errors = ([getattr(one, name) if one else np.nan for one in found] for name in ("value", "se"))
    return Entry(source, partition, "ours", values, errors, origin)


def _report(context, place, prefix):
    """What the report says of the set that one of ours is compared with: no line, or one."""
    facts, name = dict.fromkeys(FACTS, np.nan), None
    for row in context.published[context.published["ours"] != ""].itertuples():
        terms = parse(row.ours)
        quantity = terms[0].quantity
        if len(terms) > 1 or terms[0].method != DATA or (terms[0].experiment, terms[0].scenario) != place:
            continue
        if quantity.startswith("test_") == bool(prefix) and quantity.removeprefix("test_") in facts:
            facts[quantity.removeprefix("test_")], name = row.value, row.row.removesuffix(" test")
    return [] if name is None else [Entry(name, "", "report", list(facts.values()), [np.nan] * len(facts), "report")]


def _cells(facts):
    whole = [Cell("-" if np.isnan(one) else f"{one:,.0f}") for one in facts[:3]]
    return whole + [Cell("-" if np.isnan(one) else f"{one:.3f}") for one in facts[3:]]


def _record(entry):
    record = {"source": entry.source, "partition": entry.partition, "whose": entry.whose}
    record |= dict(zip(FACTS, entry.facts, strict=True)) | {"data": entry.data}
    return record | {f"{name}_se": error for name, error in zip(FACTS, entry.errors, strict=True)}


def _notes(context, entries):
    notes = [_RATES] if any(not np.isnan(entry.facts[3]) for entry in entries) else []
    against = []
    for place in context.scenarios():
        found = [context.estimate(f"{place[0]}.{place[1]}:{DATA}:{name}") for name in ("p0_gold", "p1_gold")]
        if None not in found:
            source = context.params(*place, DATA).get("source", place[1])
            against.append(f"{source}: $p_0$ {found[0].value:.3f}, $p_1$ {found[1].value:.3f}")
    if against:
        notes.append(f"Against CoNLL's own labels instead of the majority: {'; '.join(against)}.")
    notes += [note for place in _originals(context) for note in _ratios(context, place)]
    if any(error > 0.0 for entry in entries for error in entry.errors):
        notes.append(f"Means over {context.replicates(of_data=True)[-1]} replicates; standard errors are in the CSV.")
    return notes


def _ratios(context, place):
    """A note on how many features a training set has for each of its test set, where the report has both numbers."""
    at = FACTS.index("features")
    theirs = [line.facts[at] for prefix in ("", "test_") for line in _report(context, place, prefix)]
    if len(theirs) < 2 or np.isnan(theirs).any():
        return []
    source, said = _source(context, place), []
    for one in (place, *_readings(context, place)):
        found = [context.estimate(f"{'.'.join(one)}:{DATA}:{name}") for name in ("features", "test_features")]
        if None not in found:
            name = source if one == place else _named(context, one, source)
            said.append(f"{name}: {found[0].value / found[1].value:.3f}")
    said.append(f"report: {theirs[0] / theirs[1]:.3f}")
    return [f"Features of the training set for each feature of the test set: {'; '.join(said)}."]
