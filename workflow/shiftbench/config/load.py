"""config.yaml checked against its schema and against itself, with defaults filled in and what experiments share merged.

A completed config has, of each experiment, all methods by name with all their settings, and of each scenario all
settings of data, noise and tuning. Those of a method's tuning are merged last, in `shiftbench.config.plan`.
"""

import copy
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from shiftbench.config.checks import checks
from shiftbench.config.limits import size_problems
from shiftbench.config.merge import merged
from shiftbench.config.schema import ConfigError, dotted, few_lines, violations
from shiftbench.config.settings import setting_problems

SCHEMA = Path(__file__).parents[2] / "schemas" / "config.schema.yaml"
QUICK = 20  # fewer replicates than that are a quick look


def complete(
    config: dict[str, Any], file: str = "config.yaml", folder: str | Path = ".", catalog=None
) -> dict[str, Any]:
    """The config with every default filled in, or a ConfigError. Paths in it are relative to `folder`.

    `catalog(plugins)` gives what there is to be named (`shiftbench.catalog.Catalog`). What was checked when a run was
    started need not be checked again by each of its jobs on a cluster: that imports all methods, which takes two
    seconds and 150 MB.
    """
    schema = _schema()
    problems = violations(config, schema)
    if not problems:
        problems = list(_quick_violations(config, schema))
    if not problems:
        problems = list(_tuning_violations(config, schema))
    if not problems:
        config = _filled(copy.deepcopy(config), schema, Path(folder))
    if not problems and catalog is not None:
        known = catalog(config["plugins"])
        problems = list(checks(config, known))
        if not problems:  # what is named is there: so it can be asked
            problems = [*setting_problems(config, known, defaults_of("tuning")), *size_problems(config, known)]
    if problems:
        raise ConfigError("\n".join(f"{file}: {line}" for line in few_lines(problems)))
    return config


def defaults_of(part: str) -> dict[str, Any]:
    """The defaults of a part of the schema, such as `tuning`."""
    schema = _schema()
    return _with_defaults({}, schema["$defs"][part], schema)


@cache
def _schema():
    return yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))


def _quick_violations(config, schema):
    """`quick` holds keys of an experiment, but not all of them."""
    about = schema["$defs"]["experiment"]
    keys = {name: below for name, below in about["properties"].items() if name != "quick"}
    quick = about | {"properties": keys, "required": [], "$defs": schema["$defs"]}
    for name, experiment in config.get("experiments", {}).items():
        yield from _violations_below(f"experiments.{name}.quick", experiment.get("quick", {}), quick)


def _tuning_violations(config, schema):
    """`tuning` may stand in several places, which are merged: so it is checked without its defaults."""
    tuning = schema["$defs"]["tuning"] | {"$defs": schema["$defs"]}
    places = [(f"methods.{name}", method) for name, method in config.get("methods", {}).items()]
    for name, experiment in config.get("experiments", {}).items():
        places += [*_tuned(f"experiments.{name}", experiment)]
        places += [*_tuned(f"experiments.{name}.quick", experiment.get("quick", {}))]
    for key, settings in places:
        yield from _violations_below(f"{key}.tuning", settings.get("tuning", {}), tuning)


def _tuned(key, experiment):
    """All places of an experiment that may say how something is tuned."""
    yield key, experiment
    yield from ((f"{key}.scenarios.{one}", about) for one, about in experiment.get("scenarios", {}).items())
    if isinstance(experiment.get("methods"), dict):
        yield from ((f"{key}.methods.{one}", about or {}) for one, about in experiment["methods"].items())


def _violations_below(key, settings, schema):
    top = dotted()
    for problem in violations(settings, schema):
        yield key + (problem.removeprefix(top) if problem.startswith(top) else f".{problem}")


def _filled(config, schema, folder):
    config = _with_defaults(config, schema, schema)
    if config["quick"] is None:
        config["quick"] = config["replicates"] is not None and config["replicates"] < QUICK
    if config["plugins"]:
        config["plugins"] = str(folder / config["plugins"])
    for name, method in config["methods"].items():
        config["methods"][name] = _named(method, name)
    for name, experiment in config["experiments"].items():
        _fill_experiment(config, name, experiment, schema, folder)
    for name, figure in config["figures"].items():
        figure["layout"] = figure["layout"] or name
    return config


def _named(method, name):
    file = method["method"] or name
    return method | {"method": file, "title": method["title"] or name, "reading_of": method["reading_of"] or file}


def _fill_experiment(config, name, experiment, schema, folder):
    if config["quick"]:
        experiment.update({key: merged(experiment[key], value) for key, value in experiment["quick"].items()})
        _with_defaults(experiment, schema["$defs"]["experiment"], schema)  # of scenarios that are new
    if isinstance(experiment["dataset"], dict):
        about = _with_defaults(experiment["dataset"], schema["$defs"]["dataset_file"], schema)
        experiment["data"] = about | {"file": str(folder / about["file"])} | experiment["data"]
        experiment["dataset"] = "file"
    experiment["methods"] = _methods(config, experiment, schema)
    tuning = merged(defaults_of("tuning"), experiment["tuning"])
    for key, scenario in experiment["scenarios"].items():
        scenario["title"] = scenario["title"] or key
        scenario["row"] = scenario["row"] or [scenario["title"]]
        scenario["data"] = merged(experiment["data"], scenario["data"])
        scenario["noise"] = _noise(experiment["noise"], scenario["noise"])
        scenario["tuning"] = merged(tuning, scenario["tuning"])
        scenario["replicates"] = _replicates(config, experiment, scenario)
        source = scenario["params_from"]
        scenario["params_from"] = f"{name}.{source}" if source and "." not in source else source


def _replicates(config, experiment, scenario):
    asked = scenario["replicates"] or experiment["replicates"]
    if config["replicates"] is None:
        return asked
    if config["quick"]:
        return min(asked, config["replicates"])
    return 1 if asked == 1 else config["replicates"]  # what has nothing to draw stays at one replicate


def _noise(shared, own):
    """A scenario's noise: its own kind replaces the experiment's, else settings are merged."""
    if own is None:
        return None
    if "kind" in own and (shared is None or own["kind"] != shared.get("kind")):
        return own
    both = (shared or {}) | own
    return both or None


def _methods(config, experiment, schema):
    """All settings of an experiment's methods, and of those that stand in every table or as a scenario's readings."""
    given = experiment["methods"]
    given = given if isinstance(given, dict) else {name: {} for name in given}
    found: dict[str, Any] = {}
    for name, own in given.items():
        if own is not None:  # null takes out what an anchor brought in
            found[name] = _method(config, name, own, schema)
    readings = [name for scenario in experiment["scenarios"].values() for name in scenario["readings"]]
    for name in [*config["extra_methods"], *readings]:
        if name not in found:
            found[name] = _method(config, name, {}, schema)
            found[name]["shown"] = name in config["extra_methods"]
    return found


def _method(config, name, own, schema):
    """A method within an experiment: what the top level says of it, and what the experiment changes."""
    shared = config["methods"].get(name)
    if shared is None:
        return _named(_with_defaults(copy.deepcopy(own), schema["$defs"]["method"], schema), name)
    both = shared | {key: value for key, value in own.items() if key not in ("params", "tuning")}
    both["params"] = shared["params"] | own.get("params", {})
    both["tuning"] = merged(shared["tuning"], own.get("tuning", {}))
    return _named(both, name)


def _with_defaults(value, schema, root):
    """`value` with the defaults of all keys that its schema knows."""
    if "$ref" in schema:
        schema = schema | root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if not isinstance(value, dict):
        return value
    known = schema.get("properties", {})
    others = schema.get("additionalProperties") or {}
    for key, below in known.items():
        if key not in value and "default" in below:
            value[key] = copy.deepcopy(below["default"])
        if key in value:
            value[key] = _with_defaults(value[key], below, root)
    for key in value.keys() - known.keys():
        value[key] = _with_defaults(value[key], others, root)
    return value
