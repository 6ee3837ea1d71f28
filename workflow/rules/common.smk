# What all rules share: the checked config, the lists of targets, and which source files a step depends on.

import sys
from functools import cache
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir, "workflow")))

from shiftlr import launch
from shiftlr.config import (
    LAM_RULES,
    ConfigError,
    blocks,
    colon_row,
    complete,
    data_settings,
    fingerprint,
    methods_of,
    ner_method,
    ner_methods,
    tuning_settings,
    untitled,
)

from shiftlr.datasets import MODULES as external_modules
from shiftlr.datasets import sources as external
from shiftlr.resources import growing, training_minutes

UNREACHABLE = "results/logs/unreachable.json"

launch.share_package()
if workflow.is_main_process:  # not a job on a node, which may not see this process's lock
    launch.drop_stale_locks(".snakemake")
    Path(UNREACHABLE).unlink(missing_ok=True)  # a new run asks every host again, once

try:
    # In place, so that scripts and captions see the completed config too.
    files = " + ".join(Path(file).name for file in workflow.configfiles)
    config.update(complete(config, files, checked=not workflow.is_main_process))
except ConfigError as error:
    raise WorkflowError(str(error)) from None

EXPERIMENTS = list(config["experiments"])
TABLES = [*EXPERIMENTS, "readings"]  # of the simulations
TABLE_KINDS = ["tex", "csv", "md", "html"]
FIGURES = list(config["figures"])
STARTED = "results/logs/started.json"

COLON_ROWS = [*config["colon"]["rows"], *config["colon"]["sensitivity"]] if config["colon"]["rows"] else []
COLON_TABLES = ["table2", "preprocessing"]
COLON_SETTINGS = ["folds", "repeats", "seed", "strengths", "weakest", "lams", "restarts", "resamples"]
COLON_FILES = [f"results/colon/{name}.csv" for name in ("suspects", "map", "stability")] if COLON_ROWS else []

NER_LABELS = list(config["ner"]["labels"])
NER_TUNING = ["seed", "folds", "scoring", "sigma2s", "lams", "share_within", "tol"]
NER_WHOSE = {who: labels for who, labels in {"auto": "auto", "crowd": "per_article"}.items() if labels in NER_LABELS}
NER_SUSPECTS = list(NER_WHOSE.values())
NER_CURVE = "results/ner/noise_curve.csv" if "gold" in NER_LABELS else None
NER_TABLES = ["table3", "table4", "table5", "table8", "thinning"] * bool(NER_LABELS)
NER_TABLES += ["label_errors"] * bool(NER_WHOSE)
NER_FIGURES = ["figure3", "label_errors"] * bool(NER_WHOSE) + ["noise_curve"] * bool(NER_CURVE)
NER_FILES = [f"results/ner/suspects_{who}.csv" for who in NER_WHOSE] + [NER_CURVE] * bool(NER_CURVE)

SOURCES = ["alon1999"] * bool(COLON_ROWS) + ["conll2003", "annie", "names", "crowd2014"] * bool(NER_LABELS)
FACTS = ["results/colon/facts.csv"] * bool(COLON_ROWS) + ["results/ner/facts.csv"] * bool(NER_LABELS)
EVERY_TABLE = [*TABLES, *(COLON_TABLES if COLON_ROWS else []), *NER_TABLES]
EVERY_FIGURE = [*FIGURES, *(["colon_map", "colon_stability"] if COLON_ROWS else []), *NER_FIGURES]

# What a fit depends on beside the method's own file. The other methods' files are left out, though grids.py imports
# two: an edited method reruns itself only.
TRAINING_MODULES = [
    "training.py",
    "tuning.py",
    "grids.py",
    "problem.py",
    "separability.py",
    "validation.py",
    "methods/__init__.py",
    "methods/base.py",
    "solvers/*.py",
]

# What the training sets of named-entity recognition depend on.
NER_DATA_MODULES = [
    f"datasets/{name}.py" for name in ("words", "conll", "features", "annotate", "gazetteers", "census", "crowd")
]


wildcard_constraints:
    experiment="[a-z][a-z0-9_]*",
    scenario="[a-z][a-z0-9_]*",
    method="[a-z][a-z0-9_]*",
    row="[a-z][a-z0-9_]*",
    labels="[a-z][a-z0-9_]*",
    kind="[a-z][a-z0-9_]*",
    source="[a-z][a-z0-9_]*",
    first="[0-9]+",
    last="[0-9]+",


# Snakemake looks at a rule's script, not at the modules that it imports; so those are inputs of the rule.
sources = launch.package_files


@cache
def plan_of(source):
    """Where a dataset would come from now: changes, and so is a reason to fetch, while all there is is a stand-in.

    Asked once per run: Snakemake wants parameters before and after it has deleted what a plan depends on.
    """
    folder = f"results/data/sources/{source}"
    return external.plan(external.load("sources.yaml")[source], config, folder, UNREACHABLE)


def scenario_of(wildcards):
    return config["experiments"][wildcards.experiment]["scenarios"][wildcards.scenario]


def method_source(wildcards):
    return sources(f"methods/{config['methods'][wildcards.method]['method']}.py")


def colon_methods(wildcards):
    """A row's method; those without a penalty of their own choice take the one of standard logistic regression."""
    method = colon_row(config, wildcards.row)["method"]
    others = ["methods/standard.py"] if method in ("flipping", "prefilter") else []
    return sources(f"methods/{method}.py", *others)


def ner_parameters(wildcards):
    """Parameters that are chosen elsewhere: of the same method on other labels, or the penalty by standard."""
    like = config["ner"]["labels"][wildcards.labels]["like"]
    if like:
        return [f"results/ner/runs/{like}/{wildcards.method}.json"]
    return [] if wildcards.method == "standard" else [f"results/ner/runs/{wildcards.labels}/standard.json"]


def ner_curve_parameters(wildcards):
    return [] if wildcards.method == "standard" else [f"results/ner/curve/{wildcards.kind}/standard.json"]


def ner_runs(labels, kind="json"):
    return [f"results/ner/runs/{labels}/{method}.{kind}" for method in ner_methods(config)]


def ner_curve_rows(_):
    kinds = ("uniform", "systematic")
    return [f"results/ner/curve/{kind}/{method}.json" for kind in kinds for method in ner_methods(config)]


def ner_category(wildcards):
    in_appendix = wildcards.table in ("table8", "thinning")
    return "6. Appendix B" if in_appendix else "3. Sections 4.3 and 4.4"


def ner_titles():
    """Titles of methods and of sets of labels, which figures show."""
    titled = {**config["methods"], **config["ner"]["labels"]}
    return {name: one["title"] for name, one in titled.items()} | LAM_RULES


def figure_sources(wildcards):
    """Figure 2 shows fits; the others need no method."""
    fits = [*TRAINING_MODULES, "methods/robust.py", "methods/standard.py"]
    return sources("figures.py", *(fits if wildcards.figure == "figure2" else []))


def rows_of_all_runs(_):
    """One file of rows for each scenario, method and block."""
    return [
        f"results/runs/{block.experiment}/{block.scenario}/{method}/{block.first}-{block.last}.csv"
        for experiment in EXPERIMENTS
        for block in blocks(config, experiment)
        for method in methods_of(config, experiment, block.scenario)
    ]


def simulated_data(_):
    """The file of each block of simulated replicates."""
    return [
        f"results/data/simulated/{block.path}.npz" for experiment in EXPERIMENTS for block in blocks(config, experiment)
    ]


# The order of the report's own sections, since categories are sorted by name.
def category(wildcards):
    places = {"4.1": 1, "5": 4, "6": 5, "appendix B": 6}
    experiment = config["experiments"].get(wildcards.table, {"section": ""})
    section = experiment["section"]
    if section not in places:
        return "7. Other readings"
    return f"{places[section]}. {'Appendix B' if section == 'appendix B' else f'Section {section}'}"


onstart:
    launch.record_start(STARTED, workflow.cores)


onerror:
    launch.print_failures("results/logs", STARTED)


onsuccess:
    launch.print_summary("results/summary.txt")
