"""Other readings of what the report leaves open, each below the one that stands in the experiment's own table."""

import numpy as np

from shiftbench.config.plan import methods_of
from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table, distance, number
from shiftbench.present.tables import base

SETTINGS: dict = {}  # what it takes from its entry in the config, beside what all tables have

CAPTION = "Each beside the reading that stands in the experiment's own table, and the published number."


def build(context: Context) -> Table:
    """One line per reading, with its distance from the number published for the method that it is a reading of."""
    data = base.beside_published(context, base.numbers(context, _wanted(context)))
    files = [_file_of(context, row.experiment, row.method) for row in data.itertuples()]
    data = data.assign(bold=False, method_file=files)
    groups = data.groupby(["experiment", "scenario", "method_file"], sort=False)
    stated = ["published", "published_se"]
    data[stated] = groups[stated].transform("first")
    data["z"] = (data["ours"] - data["published"]) / np.hypot(data["ours_se"], data["published_se"].fillna(0.0))
    lines: list[list[Cell]] = []
    starts = []
    for _, group in groups:
        starts.append(len(lines))
        for row in data.loc[group.index].itertuples():
            first = len(lines) == starts[-1]
            shown = " (in the table)" if row.method in context.methods(row.experiment) else ""
            lines.append(
                [
                    Cell(f"{row.experiment}: {row.row}" if first else ""),
                    Cell(context.title_of(row.experiment, row.method) + shown),
                    base.our_cell(row),
                    Cell(number(row.published, row.published_se) if first else ""),
                    Cell(distance(row.z)),
                ]
            )
    metrics = list(dict.fromkeys(base.measured_on(context, name) for name in data["metric"])) or ["none"]
    caption = context.caption(more=f": {' or '.join(metrics)}.")
    notes = ["z: distance from the published number in standard errors.", *base.failures(context, data)]
    head = ["experiment", "reading", "ours", "report", "z"]
    return Table(caption, head, lines, 2, starts, notes, base.ordered(data.drop(columns="method_file")))


def _wanted(context):
    """The methods of each scenario with readings: those of the same file as a reading, the table's own first."""
    wanted = {}
    for experiment, scenario in context.scenarios():
        readings = context.about(experiment, scenario)["readings"]
        shown = context.methods(experiment)
        wanted[experiment, scenario] = [
            method
            for file in dict.fromkeys(_file_of(context, experiment, reading) for reading in readings)
            for method in methods_of(context.config, experiment, scenario)
            if _file_of(context, experiment, method) == file and (method in shown or method in readings)
        ]
    return wanted


def _file_of(context, experiment, method):
    return context.config["experiments"][experiment]["methods"][method]["method"]
