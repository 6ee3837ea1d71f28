"""Figures: one file each, found by name (`figures` in config.yaml), here or in figures/ of the plug-ins.

A figure's file has

    CAPTION = "What it shows, in a sentence or two."
    SETTINGS = {"seed": 1}  # the keys of its config entry, beside those of every figure, with their defaults
    NEEDS_DATA = False  # whether it needs the first replicates of its scenarios, features and all
    NEEDS_PUBLISHED = False  # whether it reads workflow/report/published.csv

    def compute(context):
        '''What is shown: a tidy DataFrame, or a NamedTuple with a method `table()` that gives one.'''

    def draw(data, context):
        '''A matplotlib Figure of what `compute` gave.'''

Of these `compute` and `draw` must be there. The context is a `shiftbench.present.context.Context`; its `data` are
{(experiment, scenario): Replicate} for a figure that needs them. What several figures share is in `figures/base.py`.
"""

from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

COMMON = ("layout", "of", "title", "section")  # settings of every figure


def make(module: ModuleType, context) -> tuple[Figure, pd.DataFrame]:
    """(the figure, the numbers in it); settings that the context leaves out take their defaults."""
    unknown = unknown_settings(module, context.settings)
    if unknown:
        raise ValueError(f"{context.name}: unknown settings {unknown}; known are {list(_settings(module))}")
    context = context._replace(settings=_settings(module) | context.settings)
    data = module.compute(context)
    table = data if isinstance(data, pd.DataFrame) else data.table()
    return module.draw(data, context), table


def unknown_settings(module: ModuleType, settings: Iterable[str]) -> list[str]:
    """Settings that a figure does not know; one without `SETTINGS` takes any."""
    if not hasattr(module, "SETTINGS"):
        return []
    return [name for name in settings if name not in module.SETTINGS and name not in COMMON]


def _settings(module) -> dict[str, Any]:
    settings = getattr(module, "SETTINGS", {})
    return dict(settings) if isinstance(settings, Mapping) else {}
