"""config.yaml: checked against its schema and against itself, defaults filled in, experiments cut into jobs."""

import copy
import hashlib
import json
import math
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from jsonschema import Draft202012Validator
from jsonschema.validators import extend

from shiftlr.contradictions import contradictions

_DATA_SETTINGS = (
    "generator",
    "features",
    "relevant",
    "distribution",
    "train",
    "dev",
    "test",
    "p0",
    "p1",
    "flip_between",
)
_TUNING_SETTINGS = ("penalty", "alphas", "prefer")

# Models of the robust method beside `robust`, which differ in how lam is chosen.
LAM_RULES = {
    "robust_share": r"robust, $\lambda$ by share",
    "robust_folds": r"robust, $\lambda$ by folds",
    "robust_held_out": r"robust, $\lambda$ held out",
}
SCHEMA = Path(__file__).parents[1] / "schemas" / "config.schema.yaml"


# YAML's 5.0 is no whole number here, and .nan and .inf are no numbers: neither could be used for anything.
_Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine(
        "integer", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    ).redefine(
        "number",
        lambda _, value: isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
    ),
)


class ConfigError(ValueError):
    """Names the file, the key, the value and what is allowed, a line for each thing that is wrong."""


class Block(NamedTuple):
    """The replicates that one job works through."""

    experiment: str
    scenario: str
    first: int
    last: int

    @property
    def path(self) -> str:
        return f"{self.experiment}/{self.scenario}/{self.first}-{self.last}"


def complete(config: dict[str, Any], file: str = "config.yaml", checked: bool = False) -> dict[str, Any]:
    """The config with every default filled in, or a ConfigError.

    What the run has `checked` when it was started need not be checked again by each of its jobs on a cluster: that
    imports all methods, which takes two seconds and 150 MB.
    """
    schema = yaml.safe_load(SCHEMA.read_text())
    problems = violations(config, schema)
    if not problems:
        config = _with_defaults(copy.deepcopy(config), schema, schema)
        for name, method in config["methods"].items():
            method["method"] = method["method"] or name
            method["title"] = method["title"] or name
        for experiment in config["experiments"].values():
            for name, scenario in experiment["scenarios"].items():
                merged = _with_defaults(experiment["data"] | scenario, schema["$defs"]["scenario"], schema)
                merged["replicates"] = config["replicates"] or merged["replicates"] or experiment["replicates"]
                experiment["scenarios"][name] = merged
        for titled in (config["colon"]["rows"], config["ner"]["labels"]):
            for name, row in titled.items():
                row["title"] = row["title"] or name
        problems = [] if checked else list(contradictions(config))
    if problems:
        raise ConfigError("\n".join(f"{file}: {problem}" for problem in problems))
    return config


def blocks(config: dict[str, Any], experiment: str) -> list[Block]:
    """An experiment's replicates cut into blocks of at most `seeds_per_job`."""
    size = config["experiments"][experiment]["seeds_per_job"] or config["seeds_per_job"]
    return [
        Block(experiment, name, first, min(first + size, scenario["replicates"]) - 1)
        for name, scenario in config["experiments"][experiment]["scenarios"].items()
        for first in range(0, scenario["replicates"], size)
    ]


def methods_of(config: dict[str, Any], experiment: str, scenario: str | None = None) -> list[str]:
    """The columns of an experiment's table; for a scenario, with its other readings."""
    settings = config["experiments"][experiment]
    readings = settings["scenarios"][scenario]["readings"] if scenario else []
    return list(dict.fromkeys([*settings["methods"], *config["also"], *readings]))


def colon_row(config: dict[str, Any], name: str) -> dict[str, Any]:
    """A row of the colon-cancer table; `raw` and the like of `sensitivity` are the default row with other data."""
    colon = config["colon"]
    if name in colon["rows"]:
        return colon["rows"][name] | {"preprocessing": colon["preprocessing"]}
    return colon["rows"][colon["default"]] | {"preprocessing": colon["sensitivity"][name]}


def ner_methods(config: dict[str, Any]) -> list[str]:
    """The methods of the named-entity tables, in their order; standard is needed by all others."""
    return list(dict.fromkeys(["standard", *config["ner"]["methods"], *config["also"]]))


def ner_method(config: dict[str, Any], name: str) -> dict[str, Any]:
    """A method as the named-entity experiments use it: the file's name, fixed parameters and grid."""
    method, mine = config["methods"][name], config["ner"]["methods"].get(name, {"params": {}, "grid": None})
    grid = method["grid"] if mine["grid"] is None else mine["grid"]
    return {"name": name, "method": method["method"], "params": method["params"] | mine["params"], "grid": grid}


def untitled(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings of a method or row without its title, which changes tables and not what is run."""
    return {key: value for key, value in settings.items() if key != "title"}


def fingerprint(settings: Any) -> str:
    """Checksum of settings: the same for the same settings in another order."""
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()


def data_settings(scenario: dict[str, Any]) -> dict[str, Any]:
    """What a scenario's data depend on: a new label or more replicates leave the data as they are."""
    return {key: scenario[key] for key in _DATA_SETTINGS}


def tuning_settings(scenario: dict[str, Any]) -> dict[str, Any]:
    """What a scenario says about how methods are tuned."""
    return {key: scenario[key] for key in _TUNING_SETTINGS}


def violations(given: Any, schema: dict[str, Any], describe=None) -> list[str]:
    """What in `given` the schema does not allow, in its order; `describe` puts an error into words."""
    errors = sorted(_Validator(schema).iter_errors(given), key=_place)
    return [(describe or describe_error)(error) for error in errors]


def _place(error):
    return [str(part) for part in error.absolute_path]


def dotted(*parts: object) -> str:
    """The keys that lead to a place, as a user would say it."""
    return ".".join(map(str, parts)) or "(top level)"


def describe_error(error) -> str:
    """A schema violation in our own words: key, value, what is allowed."""
    key, value, limit = dotted(*error.absolute_path), error.instance, error.validator_value
    if "propertyNames" in error.absolute_schema_path and error.validator == "pattern":
        return f"{key}: {value!r} is no name; a name has lower-case letters, digits and _, and begins with a letter"
    if error.validator == "additionalProperties":
        allowed = error.schema.get("properties", {})
        unknown = sorted(set(value) - set(allowed))
        return f"{key}: unknown key {', '.join(map(repr, unknown))}; allowed are {', '.join(sorted(allowed))}"
    if error.validator == "enum":
        allowed = ", ".join("null" if choice is None else str(choice) for choice in limit)
        return f"{key}: {value!r} is not allowed; allowed are {allowed}"
    if error.validator == "type":
        kinds = [limit] if isinstance(limit, str) else limit
        return f"{key}: {value!r} is not of type {' or '.join(kinds)}"
    if error.validator == "oneOf":
        return f"{key}: {value!r} is neither a list of values nor {{from: ..., to: ..., points: ...}} with numbers > 0"
    return f"{key}: {error.message}"


def _with_defaults(value, schema, root):
    """`value` with the defaults of all keys that its schema knows; scenarios get theirs after `data` is merged in."""
    if "$ref" in schema:
        schema = schema | root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if not isinstance(value, dict):
        return value
    known = schema.get("properties", {})
    others = schema.get("additionalProperties") or {}
    for key, below in known.items():
        if key not in value and "default" in below:
            value[key] = copy.deepcopy(below["default"])
        if key not in ("data", "scenarios") and key in value:
            value[key] = _with_defaults(value[key], below, root)
    for key in value.keys() - known.keys():
        value[key] = _with_defaults(value[key], others, root)
    return value
