"""How far the replicates of each method lie apart."""

import pandas as pd
from matplotlib.figure import Figure
from shiftbench.present.style import style

CAPTION = "The first metric of every replicate, one column of dots for each method."
SETTINGS: dict = {}


def compute(context):
    """One row per replicate and method."""
    parts = []
    for experiment, scenario in context.scenarios():
        metric = context.config["experiments"][experiment]["metrics"][0]
        for method in context.methods(experiment, scenario):
            values = context.runs.values(experiment, scenario, method, metric)
            parts.append(pd.DataFrame({"scenario": scenario, "method": method, "value": values.to_numpy()}))
    return pd.concat(parts, ignore_index=True)


def draw(data, context):
    """Dots over the methods."""
    with style():
        figure = Figure()
        axes = figure.subplots()
        axes.plot(data["method"], data["value"], "o")
        axes.set_ylabel("value, %")
    return figure
