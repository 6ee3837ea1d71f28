"""One score of each method, one line per scenario, such as the share of wrong labels: a figure as a table."""

import numpy as np

from shiftbench.analyses.bootstrap import difference
from shiftbench.counts import SCORES
from shiftbench.present.context import Context
from shiftbench.present.table import Cell, Table, means_over
from shiftbench.present.tables import base

# What it takes from its entry in the config, beside what all tables have.
SETTINGS = {"metric": None, "methods": None, "columns": ["scenario"]}

CAPTION = "The numbers behind the figure of the same name."


def build(context: Context) -> Table:
    """One line per scenario, one column per method; F1 where it is measured, else the experiment's first metric."""
    metrics = context.config["experiments"][context.experiments()[0]]["metrics"]
    settings = {"metric": "f1" if "f1" in metrics else metrics[0]} | context.settings
    context = context._replace(settings=settings)
    wanted = {place: context.methods(*place) for place in context.scenarios()}
    methods = list(dict.fromkeys(method for names in wanted.values() for method in names))
    data = base.numbers(context, wanted)
    gains = [_gain(context, row) for row in data.itertuples()]
    data[["gain", "gain_low", "gain_high"]] = np.array(gains).reshape(len(data), 3)
    best = data.groupby(["experiment", "scenario"])["ours"].transform("max").eq(data["ours"])
    lines = []
    for place in wanted:
        cells = {row.method: base.our_cell(row, best[row.Index]) for row in data.itertuples() if row[1:3] == place}
        keys = [Cell(text) for text in context.about(*place)["row"]]
        lines.append([*keys, *(cells.get(method, Cell("-")) for method in methods)])
    headings = context.settings.get("columns", ["scenario"])
    titles = [context.title_of(context.experiments()[0], method) for method in methods]
    caption = context.caption(more=f": {base.measured_on(context, settings['metric'])}.")
    notes = [means_over(context.replicates()), *base.failures(context, data)]
    return Table(caption, [*headings, *titles], lines, len(headings), [0], notes, data)


def _gain(context, row):
    """(difference from the baseline, ends of its interval)."""
    if row.metric not in SCORES or row.method == base.BASELINE:
        return [np.nan] * 3
    resamples = context.config["resamples"]
    found = difference(context.runs, row.experiment, row.scenario, row.method, base.BASELINE, row.metric, resamples)
    return [np.nan] * 3 if found is None else [found.value, found.low, found.high]
