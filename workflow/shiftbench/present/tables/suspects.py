"""Which of the suspected examples each method suspects too (the report's Table 2): the set that comes out most."""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from shiftbench import plugins
from shiftbench.analyses.suspect_sets import suspect_sets
from shiftbench.present.context import Context, Place
from shiftbench.present.markup import literal
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
    """What a method calls mislabelled."""

    hits: list[str]  # the suspects among them
    others: list[str]
    times: int = 1  # in how many replicates exactly these are named
    replicates: int = 1


def named(context: Context, place: Place, method: str) -> Named | None:
    """The set that comes out in most replicates, in the order of the data; None if the method failed."""
    every = all_named(context, place, method)
    return every[0] if every else None


def all_named(context: Context, place: Place, method: str) -> list[Named]:
    """All sets that come out, the commonest first."""
    sets = suspect_sets(context.runs, *place, method)
    if not sets:
        return []
    ids, suspects = names_of(context, place), of_data(context, place, "tag.suspected")
    total = sum(len(one.replicates) for one in sets)
    return [
        Named(
            ids[one.suspected & suspects].tolist(), ids[one.suspected & ~suspects].tolist(), len(one.replicates), total
        )
        for one in sets
    ]


def names_of(context: Context, place: Place) -> np.ndarray:
    """The names of the examples."""
    ids = context.array(*place, DATA, "ids")
    if ids is None:
        return np.arange(len(of_data(context, place, "labels"))).astype(str)
    return np.array([literal(name) for name in ids.astype(str)], dtype=str)


def of_data(context: Context, place: Place, name: str) -> np.ndarray:
    """What is known of the examples, or a ValueError."""
    found = context.array(*place, DATA, name)
    if found is None:
        raise ValueError(f"{context.name}: {'.'.join(place)} has no {name!r}; this layout needs the tag `suspected`")
    return found


def times(found: Named | None) -> str:
    """In how many replicates exactly this set comes out."""
    return "" if found is None or found.replicates < 2 else f"{found.times} of {found.replicates}"


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
        lines.append([*_line(row.method, found, suspects), Cell("")])
        records.append(_record(row.method, "published", found, suspects) | {"data": "report"})
    for experiment, scenario in context.scenarios():
        for method in context.methods(experiment, scenario):
            title = context.title_of(experiment, method)
            if len(context.scenarios()) > 1:
                title = f"{title}, {context.about(experiment, scenario)['title']}"
            found = named(context, (experiment, scenario), method)
            lines.append([*_line(title, found, suspects), Cell(times(found))])
            params = base.said(base.chosen(context, experiment, scenario, method))
            record = _record(title, "ours", found, suspects) | {"parameters": params}
            record |= {"data": context.origin(experiment, scenario, method)}
            records.append(record | _counts(context, experiment, scenario, method))
    caption = context.caption(
        more=", and others that were called mislabelled. Above: as published; below: ours, tuned without a look at the "
        "suspects: the set that comes out most often, and with how many seeds of the folds."
    )
    data = pd.DataFrame(records)
    notes = [*_shifts(context), *_spread(data), *_failed(context)]
    return Table(
        caption, ["method", *suspects, "false positives", "seeds"], lines, 1, [0, len(literature)], notes, data
    )


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
    hits, others, *how_often = found or Named([], [], 0, 0)
    record = {"method": title, "source": source} | {name: int(name in hits) for name in suspects}
    record |= {"hits": len(hits), "false_positives": " ".join(others), "parameters": ""}
    return record | dict(zip(("times", "of_replicates"), how_often, strict=True))


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
    if suspicion is None:  # of the first replicate
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
    """A note with the means over replicates of our first method; the CSV has those of all."""
    several = data[(data["source"] == "ours") & (data["replicates"] > 1)].head(1)
    return [
        f"{row.method}: {row.mean_hits:.1f} ± {row.mean_hits_se:.1f} suspects hit, {row.mean_others:.1f} ± "
        f"{row.mean_others_se:.1f} false positives: means over all seeds ± standard error."
        for row in several.itertuples()
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
