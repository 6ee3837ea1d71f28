"""One model in several ways: their means, the published number, how often each fails or leaves no shifts."""

import numpy as np
import pandas as pd

from shiftbench.present.context import Context
from shiftbench.present.published import published_for
from shiftbench.present.table import Cell, Table, distance, means_over, number
from shiftbench.present.tables import base
from shiftbench.verdicts.judge import read_published

# What it takes from its entry in the config, beside what all tables have.
SETTINGS = {"metric": None, "methods": None, "columns": ["scenario"]}

CAPTION = "One model in several ways, beside the published number."
SHARES = {"not_converged": "not converged", "without_shifts": "without shifts"}  # metrics, in per cent here
NOTES = {
    "not_converged": "Not converged: calls of the solver, in per cent, that ended before all solutions were found.",
    "without_shifts": "Without shifts: replicates, in per cent, in which the model that was chosen has none.",
}


def build(context: Context) -> Table:
    """One line per scenario: ours by each method, the report's number, distances from it, and the shares."""
    columns = list(dict.fromkeys(method for name in context.experiments() for method in context.methods(name)))
    data = _beside_report(context, base.numbers(context, dict.fromkeys(context.scenarios(), columns)))
    shown = [
        (share, method)
        for share in SHARES
        for method in columns
        if data.loc[data["method"] == method, share].notna().any()
    ]
    lines = []
    for place in context.scenarios():
        rows = [row for row in data.itertuples() if (row.experiment, row.scenario) == place]
        of = {row.method: row for row in rows}
        lines.append(
            [
                *(Cell(text) for text in context.about(*place)["row"]),
                *(_our_cell(row) for row in rows),
                Cell(number(rows[0].published, rows[0].published_se)),
                *(Cell(_percent(getattr(of[method], share))) for share, method in shown),
            ]
        )
    experiment = context.experiments()[0]
    titles = {method: context.title_of(experiment, method) for method in columns}
    keys = context.settings.get("columns", ["scenario"])
    head = [*keys, *titles.values(), "report"]
    head += [f"{titles[method]}: {SHARES[share]}" for share, method in shown]
    metric = base.metric_of(context, experiment)
    caption = context.caption(context.settings["title"] or context.name, f": {base.measured_on(context, metric)}.")
    notes = [
        means_over(context.replicates()),
        "In brackets: distance from the published number in standard errors.",
        *(NOTES[share] for share in dict.fromkeys(share for share, _ in shown)),
        *base.failures(context, data),
    ]
    return Table(caption, head, lines, len(keys), [0], notes, base.ordered(data))


def _beside_report(context, data):
    """The rows of `numbers` with what the report has for what they are readings of, and the shares."""
    stated = read_published()
    places = zip(data["experiment"], data["scenario"], data["method"], data["metric"], strict=True)
    said = np.array([published_for(context, stated, *place) for place in places], dtype=float).reshape(-1, 2)
    data = data.assign(published=said[:, 0], published_se=said[:, 1])
    spread = np.hypot(data["ours_se"], data["published_se"].fillna(0.0))
    data["z"] = (data["ours"] - data["published"]) / spread.where(spread > 0.0)
    for share in SHARES:
        means = [
            context.runs.values(row.experiment, row.scenario, row.method, share).mean() for row in data.itertuples()
        ]
        data[share] = pd.Series(means, index=data.index, dtype=float)
    return data


def _our_cell(row):
    """Our number, and its distance from the published one in brackets."""
    cell, z = base.our_cell(row), distance(row.z)
    return cell._replace(text=f"{cell.text} ({z})") if z else cell


def _percent(share):
    return "-" if np.isnan(share) else f"{100.0 * share:.0f}"
