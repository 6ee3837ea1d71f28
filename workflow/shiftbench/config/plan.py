"""From a completed config to jobs: replicates cut into blocks, and what each job is told.

A block is a stretch of an experiment's replicates, which may reach over several scenarios. What a job is told is all
that its results depend on, so that a change elsewhere in the config is no reason to run it again.
"""

import hashlib
import json
from typing import Any, NamedTuple

from shiftbench.config.merge import merged

DATA = "data"  # the method of rows that speak of the data, as in `shiftbench.runs`
REPORT, BEYOND = "report", "beyond"  # targets


class Block(NamedTuple):
    """The replicates that one job works through: (scenario, first, last) of each stretch."""

    number: int
    segments: tuple[tuple[str, int, int], ...]

    def holds(self, scenario: str, replicate: int) -> bool:
        return any(name == scenario and first <= replicate <= last for name, first, last in self.segments)


class Fit(NamedTuple):
    """One job: a method on a block."""

    experiment: str
    method: str
    block: int

    @property
    def path(self) -> str:
        return f"{self.experiment}/{self.method}/{self.block}"


def blocks(config: dict[str, Any], experiment: str) -> list[Block]:
    """An experiment's replicates cut into blocks of at most `replicates_per_job`."""
    about = config["experiments"][experiment]
    size = about["replicates_per_job"] or config["replicates_per_job"]
    found: list[Block] = []
    segments: list[tuple[str, int, int]] = []
    room = size
    for name, scenario in about["scenarios"].items():
        first = 0
        while first < scenario["replicates"]:
            last = min(first + room, scenario["replicates"]) - 1
            segments.append((name, first, last))
            room -= last - first + 1
            first = last + 1
            if room == 0:
                found.append(Block(len(found), tuple(segments)))
                segments, room = [], size
    if segments:
        found.append(Block(len(found), tuple(segments)))
    return found


def target_of(config: dict[str, Any], name: str) -> str:
    """What makes an experiment, table or figure; one that shows runs from beyond the report is beyond it too."""
    if name in config["experiments"]:
        return config["experiments"][name]["target"]
    views = [config[kind][name] for kind in ("tables", "figures") if name in config[kind]]
    return BEYOND if any(shows_beyond(config, view) for view in views) else REPORT


def shows_beyond(config: dict[str, Any], view: dict[str, Any]) -> bool:
    """Whether a table or figure shows runs from beyond the report."""
    shown = [config["experiments"].get(place.partition(".")[0]) for place in view["of"]]
    return any(about is not None and about["target"] == BEYOND for about in shown)


def methods_of(config: dict[str, Any], experiment: str, scenario: str | None = None) -> list[str]:
    """An experiment's methods; of a scenario those that it names, by default all but other scenarios' readings."""
    about = config["experiments"][experiment]
    if scenario is None:
        return list(about["methods"])
    scenarios = about["scenarios"]
    if scenarios[scenario]["methods"]:
        wanted = {*scenarios[scenario]["methods"], *scenarios[scenario]["readings"], *config["extra_methods"]}
        return [name for name in about["methods"] if name in wanted]
    readings = {name for one in scenarios.values() for name in one["readings"]} - set(config["extra_methods"])
    elsewhere = {
        name for name in readings - set(scenarios[scenario]["readings"]) if not about["methods"][name]["shown"]
    }
    return [name for name in about["methods"] if name not in elsewhere]


def shown_methods(config: dict[str, Any], experiment: str) -> list[str]:
    """The methods that the experiment's own table shows."""
    return [name for name, method in config["experiments"][experiment]["methods"].items() if method["shown"]]


def segments_of(config: dict[str, Any], experiment: str, method: str, block: Block) -> list[tuple[str, int, int]]:
    """The part of a block in which a method is run."""
    return [segment for segment in block.segments if method in methods_of(config, experiment, segment[0])]


def fits(config: dict[str, Any], experiment: str) -> list[Fit]:
    """All jobs of an experiment."""
    return [
        Fit(experiment, method, block.number)
        for block in blocks(config, experiment)
        for method in methods_of(config, experiment)
        if segments_of(config, experiment, method, block)
    ]


def files_of_rows(config: dict[str, Any], experiment: str) -> dict[str, tuple[str, str, frozenset[tuple[str, int]]]]:
    """All files of an experiment's rows, of its data first: what each holds, as (experiment, method, replicates).

    Files are named without their ending, below results/; a replicate is (scenario, number).
    """
    parts = blocks(config, experiment)
    found = {f"data/{experiment}/{one.number}_facts": (DATA, list(one.segments)) for one in parts}
    for fit in fits(config, experiment):
        found[f"runs/{fit.path}"] = (fit.method, segments_of(config, experiment, fit.method, parts[fit.block]))
    return {
        name: (experiment, method, frozenset((one, n) for one, first, last in segments for n in range(first, last + 1)))
        for name, (method, segments) in found.items()
    }


def needed(config: dict[str, Any], fit: Fit) -> list[Fit]:
    """The jobs whose chosen parameters a job takes over."""
    about = config["experiments"][fit.experiment]
    block = blocks(config, fit.experiment)[fit.block]
    found: dict[Fit, None] = {}
    for name, first, _ in segments_of(config, fit.experiment, fit.method, block):
        scenario = about["scenarios"][name]
        if scenario["params_from"]:
            source, _, other = scenario["params_from"].partition(".")
            found[Fit(source, fit.method, _block_of(config, source, other, 0))] = None
            continue
        tuning = tuning_of(config, fit.experiment, name, fit.method)
        if not tuning["each"] and first > 0:
            found[Fit(fit.experiment, fit.method, _block_of(config, fit.experiment, name, 0))] = None
        elif tuning["alpha_from"] not in (None, fit.method):
            found[fit._replace(method=tuning["alpha_from"])] = None
    return [one for one in found if one != fit]


def _block_of(config, experiment, scenario, replicate):
    return next(one.number for one in blocks(config, experiment) if one.holds(scenario, replicate))


def tuning_of(config: dict[str, Any], experiment: str, scenario: str, method: str) -> dict[str, Any]:
    """How a method is tuned in a scenario: the experiment's way, the scenario's, then the method's own."""
    about = config["experiments"][experiment]
    return merged(about["scenarios"][scenario]["tuning"], about["methods"][method]["tuning"])


def data_settings(config: dict[str, Any], experiment: str, block: Block, folders: dict[str, str]) -> dict[str, Any]:
    """What a block's data depend on: a new title or more replicates in another block leave them as they are."""
    about = config["experiments"][experiment]
    names = dict.fromkeys(name for name, _, _ in block.segments)
    return {
        "experiment": experiment,
        "dataset": about["dataset"],
        "plugins": config["plugins"],
        "folders": folders,
        "seed": config["seed"] if about["seed"] is None else None,  # the shared one takes its place
        "shared_seed": about["seed"],
        "segments": [list(segment) for segment in block.segments],
        "scenarios": {name: {key: about["scenarios"][name][key] for key in ("data", "noise")} for name in names},
    }


def fit_settings(config: dict[str, Any], fit: Fit, redrawn: bool) -> dict[str, Any]:
    """What a method's fits to a block depend on, beside the data."""
    about = config["experiments"][fit.experiment]
    segments = segments_of(config, fit.experiment, fit.method, blocks(config, fit.experiment)[fit.block])
    method = about["methods"][fit.method]
    return {
        "experiment": fit.experiment,
        "name": fit.method,
        "method": {key: method[key] for key in ("method", "params", "grid")},
        "metrics": about["metrics"],
        "plugins": config["plugins"],
        "shared_seed": about["seed"],
        "seconds_per_fit": config["seconds_per_fit"],
        "redrawn": redrawn,
        "scenarios": {
            name: {
                "tuning": tuning_of(config, fit.experiment, name, fit.method),
                "params_from": about["scenarios"][name]["params_from"],
            }
            for name, _, _ in segments
        },
    }


def fingerprint(settings: Any) -> str:
    """Checksum of settings: the same for the same settings in another order."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
