# What all rules share: the checked config and the steps that follow from it.

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(workflow.basedir, "workflow")))

from shiftbench.catalog import Catalog
from shiftbench.config.files import check_files
from shiftbench.config.load import complete
from shiftbench.config.plan import BEYOND
from shiftbench.config.schema import ConfigError
from shiftbench.present.context import quick_experiments
from shiftbench.run import launch
from shiftbench.run.dependencies import code_of
from shiftbench.run.steps import SCRIPTS, Steps

STARTED = "results/logs/started.json"
FIRST = 10**9  # the priority of what all fits wait for; those have less, and tables and figures none
UNREACHABLE = "results/logs/unreachable.json"  # hosts that did not answer, noted by the fetch jobs of one run


def beside(path):
    """A file of the project, relative to the working directory: then a clone can be moved."""
    return os.path.relpath(Path(workflow.basedir, path))


launch.share_packages()
launch.share_kernels()

try:
    if workflow.is_main_process:
        launch.check_folder("results")
        # Before Snakemake reads them: some would make it fail without a word about the file.
        check_files([*workflow.overwrite_configfiles, Path(workflow.basedir, "config.yaml")])
except (ConfigError, OSError) as error:
    raise WorkflowError(str(error)) from None


configfile: Path(workflow.basedir, "config.yaml")


try:
    # In place, so that scripts see the completed config too. Jobs on nodes need not check it again.
    files = " + ".join(Path(file).name for file in workflow.configfiles)
    config.update(complete(config, files, beside("."), Catalog if workflow.is_main_process else None))
    steps = Steps(config)
    if workflow.is_main_process:
        steps.check_mirror()
except ConfigError as error:
    raise WorkflowError(str(error)) from None


wildcard_constraints:
    experiment="[a-z][a-z0-9_]*",
    method="[a-z][a-z0-9_]*",
    block="[0-9]+",
    source="[a-z][a-z0-9_]*",
    table="[a-z][a-z0-9_]*",
    figure="[a-z][a-z0-9_]*",


# A target for each experiment, table and figure.
for _name in dict.fromkeys([*steps.tables, *steps.figures]):

    rule:
        name:
            _name
        input:
            steps.files_of(_name),
        localrule: True


onstart:
    try:
        launch.prepare_folder("results")
    except OSError as error:
        raise WorkflowError(str(error)) from None
    launch.calm_scheduler(workflow)
    launch.hold_alive(".snakemake")
    Path(UNREACHABLE).unlink(missing_ok=True)  # a new run asks every host again, once
    launch.record_start(STARTED, workflow.cores)


onerror:
    launch.print_failures("results/logs", STARTED)


onsuccess:
    launch.print_summary("results/summary.txt", STARTED)
