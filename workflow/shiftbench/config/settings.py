"""What methods say of the values of their parameters, asked with the tuning that each would be fitted with."""

from collections.abc import Iterator
from typing import Any

from shiftbench.config.merge import merged
from shiftbench.config.plan import methods_of, tuning_of

PARTS = ("method", "params", "grid")


def setting_problems(config: dict[str, Any], catalog, tuning: dict[str, Any]) -> Iterator[str]:
    """One line for each thing that a method says; `tuning` are the defaults, for methods that no experiment has."""
    said: dict[str, None] = {}
    used = set()
    for experiment, about in config["experiments"].items():
        for scenario in about["scenarios"]:
            for name in methods_of(config, experiment, scenario):
                method, shared = about["methods"][name], config["methods"].get(name)
                own = shared is None or any(method[part] != shared[part] for part in PARTS)
                key = f"experiments.{experiment}.methods.{name}" if own else f"methods.{name}"
                used.add(name)
                place = f"experiments.{experiment}.scenarios.{scenario}"
                settings = tuning_of(config, experiment, scenario, name)
                said |= dict.fromkeys(_said(key, place, method, settings, catalog))
    for name, method in config["methods"].items():
        if name not in used:
            key = f"methods.{name}"
            said |= dict.fromkeys(_said(key, key, method, merged(tuning, method["tuning"]), catalog))
    yield from said


def _said(key, place, method, tuning, catalog):
    try:
        errors = catalog.refused_settings(method, tuning)
    except Exception as error:  # whatever a user's class raises when it is made
        errors = [error]
    for one in errors:
        yield _line(key, place, method, tuning, one)


def _line(key, place, method, tuning, error):
    """Our checks say `name=value: what is allowed`; the name leads to where in the config it stands."""
    name = str(error).partition("=")[0]
    for part in ("grid", "params"):
        if name in (method[part] or {}):
            return f"{key}.{part}.{error}"
    if name in tuning:
        return f"{place}.tuning.{error} for {method['method']}"
    return f"{key}: {error}" if isinstance(error, ValueError) else f"{key}: {type(error).__name__}: {error}"
