"""Which method comes first, second, ... in each scenario."""

import pandas as pd
from shiftbench.present.table import Cell, Table


def build(context) -> Table:
    """One line per scenario: the methods by their mean of the experiment's first metric."""
    rows, lines = [], []
    for experiment, scenario in context.scenarios():
        metric = context.config["experiments"][experiment]["metrics"][0]
        means = {
            method: context.runs.values(experiment, scenario, method, metric).mean()
            for method in context.methods(experiment, scenario)
        }
        order = sorted(means, key=lambda method: -means[method])
        rows += [(scenario, place, method, means[method]) for place, method in enumerate(order, 1)]
        named = ", ".join(f"{context.title_of(experiment, method)} {means[method]:.2f}" for method in order)
        lines.append([Cell(context.about(experiment, scenario)["title"]), Cell(named)])
    data = pd.DataFrame(rows, columns=["scenario", "place", "method", "mean"])
    return Table(context.caption(), ["scenario", "from best to worst"], lines, 2, [0], [], data)
