"""What a config says that its schema cannot see to be wrong: one line for each thing, for `shiftbench.config.load`.

What there is to be named (methods, datasets, noise, metrics, layouts) is asked of a `shiftbench.catalog.Catalog`.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shiftbench.config.plan import BEYOND, REPORT, methods_of, shows_beyond, target_of, tuning_of

RESERVED = "data"  # the method of rows that speak of the data
# Experiments, tables and figures are targets of the workflow beside these, and have folders beside the last two.
RULES = (
    *("all", "bench", "beyond", "combine", "compile", "data", "fetch", "fit", "judge", "list_suspects", "manifest"),
    *("peers", "plot", "prepare", "provenance", "tabulate", "verify", "sources", "verified"),
)

# Below results/, folders and files of the workflow itself.
FOLDERS = ("bench", "benchmarks", "data", "figures", "logs", "runs", "tables")
FILES = ("comparisons", "report", "verdicts", "verify")


def checks(config: dict[str, Any], catalog) -> Iterator[str]:
    """Names that must exist elsewhere, settings that do not go together, and sizes that must agree."""
    if config["plugins"] and not Path(config["plugins"]).is_dir():
        yield f"plugins: {config['plugins']!r} is not a directory"
        return
    for name, method in config["methods"].items():
        yield from _bad_method(f"methods.{name}", method, catalog)
    for unknown in sorted(set(config["extra_methods"]) - set(config["methods"])):
        yield _not_a_method("extra_methods", unknown, config)
    for name, experiment in config["experiments"].items():
        yield from _bad_experiment(name, experiment, config, catalog)
    for kind in ("tables", "figures"):
        for name, view in config[kind].items():
            yield from _bad_view(f"{kind}.{name}", view, kind, config, catalog)
    for name in sorted(config["tables"].keys() & config["experiments"].keys()):
        yield f"tables.{name}: an experiment has this name, and so a table of it; use another"
    for name, wanted in config["suspects"].items():
        yield from _bad_suspects(f"suspects.{name}", wanted, config)
    for kind in ("experiments", "tables", "figures"):
        for name in sorted(config[kind].keys() & set(RULES)):
            yield f"{kind}.{name}: is a name that the workflow itself uses; use another"
    known = {*config["experiments"], *config["tables"], *config["figures"]}
    for unknown in sorted(set(config["only"]) - known):
        yield f"only: there is no {unknown!r}; there are {', '.join(sorted(known))}"
    for name in config["only"]:
        if name in known and target_of(config, name) == BEYOND:
            yield f"only: {name!r} is beyond the report, and no part of `all`; run `snakemake --cores N {name}`"


def _not_a_method(key, name, config):
    return f"{key}: {name!r} is not under `methods`; there are {', '.join(config['methods'])}"


def _said(error):
    """An error in words: ours say all, those of a user's file need their kind."""
    return str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"


def _bad_method(key, method, catalog):
    name = method["method"]
    try:
        parameters = catalog.parameters(name)
    except Exception as error:  # whatever a user's file raises when it is imported
        yield f"{key}: {_said(error)}"
        return
    for part in ("params", "grid"):
        for unknown in sorted(set(method[part] or {}) - set(parameters)):
            yield f"{key}.{part}: {name} has no parameter {unknown!r}; it has {', '.join(parameters)}"


def _bad_experiment(name, experiment, config, catalog):
    key = f"experiments.{name}"
    if RESERVED in experiment["methods"]:
        yield f"{key}.methods: {RESERVED!r} is the name of what is said of the data; use another"
    readings = {name for scenario in experiment["scenarios"].values() for name in scenario["readings"]}
    for one, method in experiment["methods"].items():
        shared = config["methods"].get(one)
        if shared is None and method["method"] == one:
            if one not in readings | set(config["extra_methods"]):  # those have lines of their own
                yield _not_a_method(f"{key}.methods", one, config)
        elif shared is None or any(method[part] != shared[part] for part in ("method", "params", "grid")):
            yield from _bad_method(f"{key}.methods.{one}", method, catalog)
        if method["reading_of"] not in {method["method"], *config["methods"], *experiment["methods"]}:
            yield _not_a_method(f"{key}.methods.{one}.reading_of", method["reading_of"], config)
    yield from _bad_tuning(key, name, config, catalog)
    for one, scenario in experiment["scenarios"].items():
        for unknown in sorted(set(scenario["readings"]) - set(config["methods"])):
            yield _not_a_method(f"{key}.scenarios.{one}.readings", unknown, config)
        yield from _bad_scenario(f"{key}.scenarios.{one}", name, one, scenario, config, catalog)
    yield from _bad_dataset(key, experiment, catalog)
    for metric in experiment["metrics"]:
        try:
            catalog.metric(metric)
        except Exception as error:
            yield f"{key}.metrics: {_said(error)}"
    yield from _bad_layout(f"{key}.table", experiment["table"], "tables", catalog)
    yield from _bad_gain(f"{key}.table.gain_beside", name, config)


def _bad_dataset(key, experiment, catalog):
    """What a dataset says of its settings."""
    for name, scenario in experiment["scenarios"].items():
        try:
            problems = list(catalog.data_problems(experiment["dataset"], scenario["data"]))
        except Exception as error:
            yield f"{key}.dataset: {_said(error)}"
            return
        for problem in problems:
            yield f"{key}.scenarios.{name}.data.{problem}"


def _bad_scenario(key, experiment, name, scenario, config, catalog):
    columns = config["experiments"][experiment]["table"]["columns"]
    if len(scenario["row"]) != len(columns):
        yield f"{key}.row: {scenario['row']} has {len(scenario['row'])} entries, the table's columns are {columns}"
    methods = config["experiments"][experiment]["methods"]
    for unknown in sorted(set(scenario["methods"] or []) - set(methods)):
        yield f"{key}.methods: {unknown!r} is no method of {experiment}; there are {', '.join(methods)}"
    if scenario["reading_of"] is not None:
        yield from _bad_place(f"{key}.reading_of", scenario["reading_of"], config)
        if "." not in scenario["reading_of"]:
            yield f"{key}.reading_of: {scenario['reading_of']!r} is no scenario; write EXPERIMENT.SCENARIO"
    yield from _bad_noise(f"{key}.noise", scenario["noise"], catalog)
    if scenario["params_from"] is not None:
        yield from _bad_source(f"{key}.params_from", experiment, name, scenario["params_from"], config)


def _bad_source(key, experiment, name, source, config):
    """Parameters are taken over from what stands before, so that jobs never wait for each other."""
    other, _, scene = source.partition(".")
    about = config["experiments"].get(other, {"scenarios": {}})["scenarios"].get(scene)
    if about is None or about["params_from"]:
        yield f"{key}: {source!r} is no scenario that chooses parameters of its own"
        return
    order = [(one, scenario) for one, about in config["experiments"].items() for scenario in about["scenarios"]]
    if order.index((other, scene)) >= order.index((experiment, name)):
        yield f"{key}: {source!r} must stand before {experiment}.{name}"
        return
    lacking = set(methods_of(config, experiment, name)) - set(methods_of(config, other, scene))
    if lacking:
        yield f"{key}: {source!r} does not have the methods {', '.join(sorted(lacking))}"


def _bad_tuning(key, experiment, config, catalog):
    """What only the other methods of an experiment, or scikit-learn, can tell to be wrong."""
    about = config["experiments"][experiment]
    places = [(f"{key}.scenarios.{one}", scenario["tuning"]) for one, scenario in about["scenarios"].items()]
    places += [(f"{key}.methods.{one}", method["tuning"]) for one, method in about["methods"].items()]
    for place, tuning in places:
        chooser, scoring = tuning.get("alpha_from"), tuning.get("scoring")
        if chooser is not None and chooser not in about["methods"]:
            yield f"{place}.tuning.alpha_from: {chooser!r} is no method here; there are {', '.join(about['methods'])}"
        if scoring is not None and scoring not in catalog.scorers():
            yield f"{place}.tuning.scoring: {scoring!r} is no scorer; f1, accuracy and noise_likelihood are"
        for metric in tuning.get("at_every_setting", []):
            if metric not in about["metrics"]:
                listed = ", ".join(about["metrics"])
                yield f"{place}.tuning.at_every_setting: {metric!r} is not measured here; {listed} are"
    for one in about["scenarios"]:
        yield from _bad_choosers(f"{key}.scenarios.{one}.tuning.alpha_from", experiment, one, config)


def _bad_choosers(key, experiment, scenario, config):
    """Methods that wait for each other's alpha, or for that of one which is not run here."""
    if config["experiments"][experiment]["scenarios"][scenario]["params_from"]:
        return
    names = methods_of(config, experiment, scenario)
    choosers = {name: tuning_of(config, experiment, scenario, name)["alpha_from"] for name in names}
    for name in names:
        chain = [name]
        while choosers.get(chain[-1]) not in (None, *chain):
            chain.append(choosers[chain[-1]])
        if chain[-1] not in names and chain[-1] in config["experiments"][experiment]["methods"]:
            yield f"{key}: {chain[-1]!r}, which is to choose for {chain[-2]}, is not run in this scenario"
        elif len(chain) > 1 and choosers.get(chain[-1]) == name == min(chain):
            yield f"{key}: {', '.join(chain)} take alpha from each other; one must choose its own (alpha_from: null)"


def _bad_noise(key, noise, catalog):
    if noise is None:
        return
    if "kind" not in noise:
        yield f"{key}: has no `kind`; give one, such as {{kind: uniform, p0: 0.3}}"
        return
    settings = {name: value for name, value in noise.items() if name != "kind"}
    try:
        make = catalog.noise(str(noise["kind"]))
    except Exception as error:
        yield f"{key}.kind: {_said(error)}"
        return
    known = inspect.signature(make).parameters
    unknown = sorted(set(settings) - set(known))
    if unknown:
        yield f"{key}: {noise['kind']} has no setting {', '.join(map(repr, unknown))}; it has {', '.join(known)}"
        return
    lacking = [name for name, one in known.items() if one.default is one.empty and name not in settings]
    if lacking:
        yield f"{key}: {noise['kind']} needs {', '.join(lacking)}"
        return
    try:
        make(**settings)
    except Exception as error:
        yield f"{key}{'.' if isinstance(error, ValueError) else ': '}{_said(error)}"


def _bad_layout(key, settings, kind, catalog):
    if settings["layout"] is None:
        yield f"{key}.layout: is missing; it names the file that makes the table"
        return
    try:
        problems = catalog.layout_problems(kind, settings)
    except Exception as error:
        problems = [f"layout: {_said(error)}"]
    for problem in problems:
        yield f"{key}.{problem}"


def _bad_view(key, view, kind, config, catalog):
    yield from _bad_layout(key, view, kind, catalog)
    for place in view["of"]:
        yield from _bad_place(f"{key}.of", place, config)
    name = key.partition(".")[2]
    if name in config["experiments"] and target_of(config, name) == REPORT and shows_beyond(config, view):
        yield f"{key}.of: shows runs from beyond the report, but the experiment {name} is in it; use another name"


def _bad_place(key, place, config):
    """`experiment` or `experiment.scenario`."""
    name, _, scenario = place.partition(".")
    if name not in config["experiments"]:
        yield f"{key}: there is no experiment {name!r}; there are {', '.join(config['experiments'])}"
    elif scenario and scenario not in config["experiments"][name]["scenarios"]:
        known = ", ".join(config["experiments"][name]["scenarios"])
        yield f"{key}: {name!r} has no scenario {scenario!r}; it has {known}"


def _bad_suspects(key, wanted, config):
    path = key.partition(".")[2]
    if path in FILES or (path.partition("/")[0] in FOLDERS and "/" in path):
        yield f"{key}: results/{path}.csv is a place that the workflow itself uses; use another"
    problems = list(_bad_place(f"{key}.of", wanted["of"], config))
    yield from problems
    if problems:
        return
    name, _, scenario = wanted["of"].partition(".")
    if not scenario:
        yield f"{key}.of: {wanted['of']!r} is no scenario; write {name}.SCENARIO"
    elif wanted["method"] not in methods_of(config, name, scenario):
        known = ", ".join(methods_of(config, name, scenario))
        yield f"{key}.method: {wanted['method']!r} is not among the methods of {wanted['of']}; there are {known}"


def _bad_gain(key, name, config):
    about = config["experiments"][name]
    beside = about["table"]["gain_beside"]
    if beside is None:
        return
    if beside not in config["experiments"]:
        yield f"{key}: there is no experiment {beside!r}; there are {', '.join(config['experiments'])}"
        return
    other = config["experiments"][beside]
    if about["target"] == REPORT and other["target"] == BEYOND:
        yield f"{key}: {beside!r} is beyond the report, which must not need it; use an experiment of the report"
    missing = sorted(set(about["scenarios"]) - set(other["scenarios"]))
    if missing:
        yield f"{key}: {beside!r} has no scenario {', '.join(missing)}"
    if not {"standard", "robust"} <= set(about["methods"]) & set(other["methods"]):
        yield f"{key}: a gain needs the methods standard and robust in both experiments"
