"""Which of the suspected examples each method suspects too (the report's Table 2): a dot for each, in replicate 0."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from shiftbench import plugins
from shiftbench.present.context import Context, Place
from shiftbench.present.table import Cell, Table
from shiftbench.present.tables import base
from shiftbench.runs import DATA

# What it takes from its entry in the config, beside what all tables have.
SETTINGS = {"methods": None, "default": None}

LITERATURE = Path(__file__).parents[3] / "report" / "literature.csv"
COUNTS = {"hits": "suspects_hit", "others": "false_positives"}  # their metrics
CAPTION = (
    "Which of the suspected examples each method names, and which others. What was published stands above ours. The "
    "verdict compares the default row. Parameters are chosen on the labels as they are."
)
_MOST_LISTED = 8


class Named(NamedTuple):
    """What a method calls mislabelled in the first replicate."""

    hits: list[str]  # the suspects among them
    others: list[str]


def named(context: Context, place: Place, method: str) -> Named | None:
    """In the order of the data; None if the method failed."""
    called = context.array(*place, method, "suspected")
    if called is None:
        return None
    ids, suspects = names_of(context, place), of_data(context, place, "tag.suspected")
    return Named(ids[called & suspects].tolist(), ids[called & ~suspects].tolist())


def names_of(context: Context, place: Place) -> np.ndarray:
    """The names of the examples."""
    ids = context.array(*place, DATA, "ids")
    return np.arange(len(of_data(context, place, "labels"))).astype(str) if ids is None else ids.astype(str)


def of_data(context: Context, place: Place, name: str) -> np.ndarray:
    """What is known of the examples, or a ValueError."""
    found = context.array(*place, DATA, name)
    if found is None:
        raise ValueError(f"{context.name}: {'.'.join(place)} has no {name!r}; this layout needs the tag `suspected`")
    return found


def listed(names: list[str]) -> str:
    """Examples by name, if they are few."""
    return ", ".join(names) if len(names) <= _MOST_LISTED else f"({len(names)} examples)"


def build(context: Context) -> Table:
    """What the literature found, the report's own row, then ours."""
    literature = pd.read_csv(LITERATURE, dtype=str).fillna("")
    literature = literature[literature["table"] == context.name]
    suspects = _suspects(context)
    lines, records = [], []
    found: Named | None
    for row in literature.itertuples():
        found = Named(row.suspects.split(), row.false_positives.split())
        lines.append(_line(row.method, found, suspects))
        records.append(_record(row.method, "published", found, suspects) | {"data": "report"})
    for experiment, scenario in context.scenarios():
        for method in context.methods(experiment, scenario):
            title = context.title_of(experiment, method)
            if len(context.scenarios()) > 1:
                title = f"{title}, {context.about(experiment, scenario)['title']}"
            found = named(context, (experiment, scenario), method)
            lines.append(_line(title, found, suspects))
            params = base.said(base.chosen(context, experiment, scenario, method))
            record = _record(title, "ours", found, suspects) | {"parameters": params}
            record |= {"data": context.origin(experiment, scenario, method)}
            records.append(record | _counts(context, experiment, scenario, method))
    caption = context.caption(
        more=", and others that were called mislabelled. Above: as published; below: ours, tuned without a look at the "
        "suspects."
    )
    data = pd.DataFrame(records)
    notes = [*_shifts(context), *_spread(data), *_failed(context)]
    return Table(caption, ["method", *suspects, "false positives"], lines, 1, [0, len(literature)], notes, data)


def _suspects(context):
    """The names of the suspects: those labelled 1 first, then by their numbers."""
    place = context.scenarios()[0]
    labels, tags = of_data(context, place, "labels"), of_data(context, place, "tag.suspected")
    pairs = zip(labels[tags].tolist(), names_of(context, place)[tags].tolist(), strict=True)
    number = lambda name: int("".join(re.findall(r"\d+", name)) or 0)  # noqa: E731
    return [name for _, name in sorted(pairs, key=lambda pair: (-pair[0], number(pair[1]), pair[1]))]


def _line(title, found, suspects):
    if found is None:
        return [Cell(title), *[Cell("")] * len(suspects), Cell("failed")]
    return [Cell(title), *(Cell("•" if name in found.hits else "") for name in suspects), Cell(listed(found.others))]


def _record(title, source, found, suspects):
    hits, others = found or ([], [])
    record = {"method": title, "source": source} | {name: int(name in hits) for name in suspects}
    return record | {"hits": len(hits), "false_positives": " ".join(others), "parameters": ""}


def _counts(context, experiment, scenario, method):
    """Means over all replicates."""
    found = {"replicates": context.failures(experiment, scenario, method)[0]}
    for name, metric in COUNTS.items():
        one = context.estimate(f"{experiment}.{scenario}:{method}:{metric}")
        found |= {f"mean_{name}": one.value if one else np.nan, f"mean_{name}_se": one.se if one else np.nan}
    return found


def _shifts(context):
    """A note with the sizes of the default method's shifts, which have the sign of the label that was given."""
    method, place = context.settings.get("default"), context.scenarios()[0]
    suspicion = context.array(*place, method, "suspicion") if method else None
    if suspicion is None:
        return []
    labels, names = of_data(context, place, "labels"), names_of(context, place)
    places = np.flatnonzero(context.array(*place, method, "suspected"))
    places = places[np.argsort(-suspicion[places], kind="stable")]
    shifts = [f"{names[k]} {suspicion[k] if labels[k] == 1 else -suspicion[k]:+.2f}" for k in places]
    experiment = place[0]
    dataset = plugins.load_file(
        "datasets", context.config["experiments"][experiment]["dataset"], context.config["plugins"]
    )
    negative, positive = getattr(dataset, "LABELS", ("0", "1"))
    return [
        f"Shifts ({context.title_of(experiment, method)}): {', '.join(shifts) or 'none'}. They are positive on what is "
        f"labelled {positive} but looks {negative}, negative on the reverse."
    ]


def _spread(data):
    """A note with the means over replicates: dots are those of the first."""
    ours = data[data["source"] == "ours"]
    several = int(ours["replicates"].max()) if len(ours) else 0
    if several < 2:
        return []
    said = [
        f"{row.method}: {row.mean_hits:.1f} ± {row.mean_hits_se:.1f} and "
        f"{row.mean_others:.1f} ± {row.mean_others_se:.1f}"
        for row in ours.itertuples()
        if row.replicates > 1
    ]
    return [
        f"Dots are those of the first of {several} replicates. Suspects hit and false positives, means over all ± "
        f"standard error: {'; '.join(said)}."
    ]


def _failed(context):
    notes = []
    for experiment, scenario in context.scenarios():
        for method in context.methods(experiment, scenario):
            succeeded, failed, reason = context.failures(experiment, scenario, method)
            if failed:
                title = context.title_of(experiment, method)
                notes.append(f"{title}: {failed} of {succeeded + failed} fits failed: {reason}")
    return notes
