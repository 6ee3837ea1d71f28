"""Plate diagram of the label-flipping model (appendix A): shaded nodes are observed, dots are parameters."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch

from shiftbench.present.style import style

CAPTION = (
    "The plate diagram of the label-flipping model (appendix A): the label that is seen depends on a hidden true "
    "label, which depends on the features."
)
SETTINGS: dict[str, None] = {}

_PLACES = {"x": (0.0, 0.0), "z": (2.0, 0.0), "y": (4.0, 0.0), "theta": (2.0, 1.6), "gamma": (4.0, 1.6)}
_RADII = {"x": 0.36, "z": 0.36, "y": 0.36, "theta": 0.07, "gamma": 0.07}
_FILLS = {"x": "0.85", "z": "white", "y": "0.85", "theta": "black", "gamma": "black"}


def compute(context) -> pd.DataFrame:
    """Which variable depends on which."""
    return pd.DataFrame([("x", "z"), ("theta", "z"), ("z", "y"), ("gamma", "y")], columns=["from", "to"])


def draw(data: pd.DataFrame, context) -> Figure:
    """The variables of one example inside of the plate, the parameters above it."""
    with style():
        figure = Figure(figsize=(4.4, 2.6))
        axes = figure.subplots()
        axes.add_patch(FancyBboxPatch((-0.8, -1.2), 5.6, 1.95, "round,pad=0,rounding_size=0.15", fill=False))
        axes.text(4.65, -1.08, r"$i = 1, \ldots, n$", ha="right", va="bottom")
        for name, place in _PLACES.items():
            axes.add_patch(Circle(place, _RADII[name], facecolor=_FILLS[name], edgecolor="black", zorder=2))
        for name, meaning in (("x", "features"), ("z", "true label"), ("y", "label seen")):
            axes.text(*_PLACES[name], f"${name}^{{(i)}}$", ha="center", va="center", fontsize=11)
            axes.text(_PLACES[name][0], -0.44, meaning, ha="center", va="top", fontsize=7.5)
        for name, meaning in (("theta", "weights"), ("gamma", "flipping probabilities")):
            x, y = _PLACES[name]
            axes.text(x + 0.17, y, rf"$\{name}$", ha="left", va="center", fontsize=11)
            axes.text(x, y + 0.18, meaning, ha="center", va="bottom", fontsize=7.5)
        for tail, head in data.itertuples(index=False):
            axes.add_patch(_arrow(tail, head))
        axes.set(xlim=(-0.9, 5.0), ylim=(-1.3, 2.15), aspect="equal")
        axes.set_axis_off()
    return figure


def _arrow(tail, head):
    """An arrow from the rim of one circle to the rim of another."""
    start, end = np.array(_PLACES[tail]), np.array(_PLACES[head])
    direction = (end - start) / np.linalg.norm(end - start)
    rims = tuple(start + _RADII[tail] * direction), tuple(end - _RADII[head] * direction)
    return FancyArrowPatch(*rims, arrowstyle="-|>", mutation_scale=10, shrinkA=0, shrinkB=0, color="black", lw=0.9)
