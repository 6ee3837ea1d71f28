"""What a config says that its schema cannot see to be wrong: a line for each thing, for `shiftlr.config`."""

from collections.abc import Iterator
from typing import Any

from shiftlr import methods

# Tables that are no experiment's.
RESERVED = ("readings", "table2", "preprocessing", "table3", "table4", "table5", "table8", "label_errors", "thinning")


def contradictions(config: dict[str, Any]) -> Iterator[str]:
    """What the schema cannot see: names that must exist elsewhere, and sizes that must agree."""
    files = methods.known()
    for name, method in config["methods"].items():
        if method["method"] not in files:
            yield (
                f"methods.{name}: there is no method {method['method']!r}; known are {', '.join(files)} "
                "(one file each in workflow/shiftlr/methods)"
            )
            continue
        yield from _bad_method(f"methods.{name}", method)
    colon = config["colon"]
    if colon["rows"] and colon["rows"].get(colon["default"], {}).get("method") != "robust":
        robust = [name for name, row in colon["rows"].items() if row["method"] == "robust"]
        yield f"colon.default: {colon['default']!r} is not a row of method robust; these are: {', '.join(robust)}"
    for name, row in colon["rows"].items():
        yield from _bad_row(f"colon.rows.{name}", row)
    for both in sorted(colon["rows"].keys() & colon["sensitivity"].keys()):
        yield f"colon.sensitivity: {both!r} is a name under colon.rows already; use another"
    yield from _bad_ner(config)
    listed = [("also", config["also"]), ("ner.methods", config["ner"]["methods"])]
    for experiment, settings in config["experiments"].items():
        key = f"experiments.{experiment}"
        if experiment in RESERVED:
            yield f"{key}: the name is that of another table; use another than {', '.join(RESERVED)}"
        if not settings["scenarios"]:
            yield f"{key}.scenarios: there is none; at least one is needed"
        listed.append((f"{key}.methods", settings["methods"]))
        for name, scenario in settings["scenarios"].items():
            listed.append((f"{key}.scenarios.{name}.readings", scenario["readings"]))
            yield from _bad_scenario(f"{key}.scenarios.{name}", scenario, settings["columns"])
        yield from _bad_gain(f"{key}.gain_beside", settings, config["experiments"])
    for key, names in listed:
        for unknown in sorted(set(names) - set(config["methods"])):
            yield f"{key}: {unknown!r} is not under `methods`; there are {', '.join(config['methods'])}"


def _bad_method(key, method):
    parameters = sorted(methods.load(method["method"])._get_param_names())
    for part in ("params", "grid"):
        for unknown in sorted(set(method[part] or {}) - set(parameters)):
            yield f"{key}.{part}: {method['method']} has no parameter {unknown!r}; it has {', '.join(parameters)}"
    if method["penalised"] == "first_procedure" and (
        method["method"] != "robust" or set(method["grid"] or {}) != {"lam"}
    ):
        yield f"{key}.penalised: 'first_procedure' needs method robust and a grid of lam alone"


def _bad_row(key, row):
    """What a row of the colon-cancer table cannot have."""
    parameter = {"svm": "C", "prefilter": "k"}.get(row["method"])
    if set(row["grid"]) != ({parameter} if parameter else set()):
        wanted = f"values of {parameter} alone" if parameter else "none"
        yield f"{key}.grid: {row['grid']} does not go with method {row['method']}; its grid is {wanted}"
    if row["choose"] == "first_procedure" and row["method"] != "robust":
        yield f"{key}.choose: 'first_procedure' needs method robust"


def _bad_ner(config):
    """What the named-entity experiments cannot have."""
    ner = config["ner"]
    if not ner["labels"]:
        return
    if "standard" not in config["methods"]:
        yield "ner: needs the method 'standard' under `methods`, which chooses the penalty for all others"
    for name, labels in ner["labels"].items():
        like = labels["like"]
        if like is not None and (like not in ner["labels"] or like == name or ner["labels"][like]["like"]):
            possible = [other for other, one in ner["labels"].items() if other != name and not one["like"]]
            yield f"ner.labels.{name}.like: {like!r} chooses no parameters of its own; these do: {', '.join(possible)}"
    for name, method in ner["methods"].items():
        if config["methods"].get(name, {}).get("method") in methods.known():
            yield from _bad_method(f"ner.methods.{name}", config["methods"][name] | method | {"penalised": "jointly"})
    from sklearn.metrics import get_scorer_names

    if ner["scoring"] not in get_scorer_names():
        yield f"ner.scoring: {ner['scoring']!r} is no scorer of scikit-learn's; f1, precision and accuracy are"
    used = ner["curve"]["train"] + ner["curve"]["held_out"]
    if used > 1.0:
        yield f"ner.curve: train and held_out are {used:g} of the articles together; they must be at most 1"
    if ner["thinning"]["labels"] not in ner["labels"]:
        yield f"ner.thinning.labels: {ner['thinning']['labels']!r} is not under ner.labels: {', '.join(ner['labels'])}"


def _bad_scenario(key, scenario, columns):
    if len(scenario["row"]) != len(columns):
        yield f"{key}.row: {scenario['row']} has {len(scenario['row'])} entries, the experiment's columns are {columns}"
    if scenario["relevant"] is not None and scenario["relevant"] > scenario["features"]:
        yield f"{key}.relevant: {scenario['relevant']} is more than the {scenario['features']} features"
    between = scenario["flip_between"]
    if between is not None and between[0] > between[1]:
        yield f"{key}.flip_between: {between}: the smaller number comes first"


def _bad_gain(key, settings, experiments):
    beside = settings["gain_beside"]
    if beside is None:
        return
    if beside not in experiments:
        yield f"{key}: there is no experiment {beside!r}; there are {', '.join(experiments)}"
        return
    missing = sorted(set(settings["scenarios"]) - set(experiments[beside]["scenarios"]))
    if missing:
        yield f"{key}: {beside!r} has no scenario {', '.join(missing)}"
    if not {"standard", "robust"} <= set(settings["methods"]) & set(experiments[beside]["methods"]):
        yield f"{key}: a gain needs the methods standard and robust in both experiments"
