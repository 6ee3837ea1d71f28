# What all rules share: the checked config, the lists of targets, and which source files a step depends on.

import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir, "workflow")))

from shiftlr import launch
from shiftlr.config import (
    ConfigError,
    blocks,
    complete,
    data_settings,
    fingerprint,
    methods_of,
    tuning_settings,
)

launch.share_package()
launch.drop_stale_locks(".snakemake")

try:
    # In place, so that scripts and captions see the completed config too.
    config.update(complete(config, " + ".join(Path(file).name for file in workflow.configfiles)))
except ConfigError as error:
    raise WorkflowError(str(error)) from None

EXPERIMENTS = list(config["experiments"])
TABLES = [*EXPERIMENTS, "readings"]
TABLE_KINDS = ["tex", "csv", "md", "html"]
FIGURES = list(config["figures"])
STARTED = "results/logs/started.json"


wildcard_constraints:
    experiment="[a-z][a-z0-9_]*",
    scenario="[a-z][a-z0-9_]*",
    method="[a-z][a-z0-9_]*",
    first="[0-9]+",
    last="[0-9]+",


# Snakemake looks at a rule's script, not at the modules that it imports; so those are inputs of the rule.
def sources(*patterns):
    """Files of the package that match, relative to where the workflow runs."""
    return launch.package_files(*patterns)


def scenario_of(wildcards):
    return config["experiments"][wildcards.experiment]["scenarios"][wildcards.scenario]


def method_source(wildcards):
    return sources(f"methods/{config['methods'][wildcards.method]['method']}.py")


def figure_sources(wildcards):
    """Figure 2 shows fits; the others need no method."""
    fits = ["tuning.py", "problem.py", "methods/robust.py", "methods/standard.py"]
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
    places = {"4.1": 1, "5": 2, "6": 3, "appendix B": 4}
    experiment = config["experiments"].get(wildcards.table, {"section": ""})
    section = experiment["section"]
    if section not in places:
        return "5. Other readings"
    return f"{places[section]}. {'Appendix B' if section == 'appendix B' else f'Section {section}'}"


onstart:
    launch.record_start(STARTED, workflow.cores)


onerror:
    launch.print_failures("results/logs", STARTED)


onsuccess:
    launch.print_summary("results/summary.txt")
