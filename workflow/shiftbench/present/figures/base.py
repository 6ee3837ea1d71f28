"""What several figures share: which methods they show, titles that say where the data come from, and legends."""

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.mathtext import MathTextParser

from shiftbench.present.markup import pieces
from shiftbench.present.style import VERMILLION

# What titles say of data that are not as they should be, the worst first.
NOTES = {"standin": "stand-in data", "quick": "quick look, smaller data"}


def defaults_of(function: Callable) -> dict[str, Any]:
    """The arguments of a function with their defaults."""
    return {name: about.default for name, about in inspect.signature(function).parameters.items()}


def methods_shown(context, experiment: str, scenario: str) -> list[str]:
    """The methods to show, without those of the setting `without`."""
    return [name for name in context.methods(experiment, scenario) if name not in context.settings["without"]]


def titles_of(context, table: pd.DataFrame) -> dict[str, str]:
    """How the methods of a table with the columns experiment and method are called, in the first of its experiments."""
    pairs = table[["experiment", "method"]].drop_duplicates("method")
    return {method: context.title_of(experiment, method) for experiment, method in pairs.itertuples(index=False)}


def only_scenario(context) -> tuple[str, str]:
    """The scenario of a figure that shows just one."""
    places = context.scenarios()
    if len(places) != 1:
        named = ", ".join(".".join(place) for place in places) or "none"
        raise ValueError(f"{context.name}.of: must name one scenario; it names {named}")
    return places[0]


def mean_and_error(values: pd.Series) -> tuple[float, float]:
    """(mean, standard error) over replicates; NaN where there are too few."""
    values = values.dropna()
    n = len(values)
    mean = float(values.mean()) if n else np.nan
    return mean, float(values.std(ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def shown(text: str) -> str:
    """A title as matplotlib takes it; what it cannot set as maths is text, and a dollar there a dollar."""
    parts = list(pieces(text))
    if any(is_maths and not _can_be_set(part) for part, is_maths in parts):
        parts = [(f"${part}$" if is_maths else part, False) for part, is_maths in parts]
    found = "".join(f"${part}$" if is_maths else part.replace("$", r"\$") for part, is_maths in parts)
    return f" {found}" if found.startswith("_") else found  # legends leave out what begins so


def _can_be_set(maths):
    try:
        MathTextParser("path").parse(f"${maths}$")
    except ValueError:
        return False
    return True


def entitle(axes: Axes, title: str, context, places: Iterable[tuple[str, str]]) -> None:
    """A title that says if the data of some scenarios are not as they should be."""
    found = {context.origin(*place) for place in places}
    title = shown(title)
    note = next((note for origin, note in NOTES.items() if origin in found), None)
    if note is None:
        axes.set_title(title)
    else:
        axes.set_title(f"{title}\n({note})" if title else note, color=VERMILLION)


def panels(figure: Figure, n: int) -> list[Axes]:
    """Axes beside each other, with the same limits."""
    return list(figure.subplots(1, max(n, 1), sharex=True, sharey=True, squeeze=False)[0])


def draw_band(axes: Axes, x, means: pd.Series, errors: pd.Series, look: dict[str, Any]) -> None:
    """A light band of one standard error to either side."""
    axes.fill_between(x, means - errors, means + errors, color=look["color"], alpha=0.18, lw=0, zorder=1.5)


def share_legend(figure: Figure, looks: dict[str, dict[str, Any]], titles: dict[str, str], more=()) -> None:
    """One legend of all panels, above them, in as few rows as the width allows."""
    handles = []
    for name, look in looks.items():
        dashes = look["ls"] if isinstance(look["ls"], str) else (0, look["ls"][1])  # from the first dash on
        handles.append(Line2D([], [], **look | {"ls": dashes}, label=shown(titles[name])))
    handles += more
    for rows in range(1, len(handles) + 1):
        ncols = math.ceil(len(handles) / rows)
        legend = figure.legend(handles=handles, loc="outside upper center", ncols=ncols, handlelength=3.6)
        if ncols == 1 or legend.get_window_extent().width <= figure.bbox.width:
            break
        legend.remove()
    layout: Any = figure.get_layout_engine()
    layout.set(wspace=0.05)
