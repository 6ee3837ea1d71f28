"""How large a run would be, computed before any job: what no machine could hold is refused here, not by the machine.

The limits are `most_jobs` and `most_memory_mb` of the config; raise them there if a run is meant to be that large.
"""

from collections.abc import Iterator
from typing import Any

from shiftbench.config.plan import methods_of, tuning_of

_BYTES_PER_ROW = 1000  # of a result, while a job holds it
_LARGEST_SEED = 2**32 - 1  # that scikit-learn takes


def size_problems(config: dict[str, Any], catalog) -> Iterator[str]:
    """What is too large: the number of jobs, the memory of one, the seeds of folds."""
    jobs = {name: _jobs(config, name) for name in config["experiments"]}
    if sum(jobs.values()) > config["most_jobs"]:
        name = max(jobs, key=lambda one: jobs[one])
        yield (
            f"experiments.{name}.replicates: {sum(jobs.values())} jobs in all, {jobs[name]} of them here; at most "
            f"{config['most_jobs']} (most_jobs). Fewer replicates, or a larger replicates_per_job, make fewer"
        )
    for name in config["experiments"]:
        yield from _bad_memory(name, config, catalog)
        yield from _bad_seeds(name, config)


def _jobs(config, experiment):
    """One to prepare each block, and one for each method on it."""
    about = config["experiments"][experiment]
    replicates = sum(scenario["replicates"] for scenario in about["scenarios"].values())
    return -(-replicates // _per_job(config, experiment)) * (1 + len(about["methods"]))


def _per_job(config, experiment):
    return config["experiments"][experiment]["replicates_per_job"] or config["replicates_per_job"]


def _bad_memory(experiment, config, catalog):
    about = config["experiments"][experiment]
    for name, scenario in about["scenarios"].items():
        key = f"experiments.{experiment}.scenarios.{name}.data"
        replicates = min(scenario["replicates"], _per_job(config, experiment))
        rows = replicates * len(about["metrics"]) * _BYTES_PER_ROW
        try:
            needed = (rows + catalog.data_memory(about["dataset"], scenario["data"], replicates)) / 1e6
        except Exception as error:  # whatever a user's file raises
            yield f"{key}: {type(error).__name__}: {error}"
            continue
        if needed > config["most_memory_mb"]:
            yield (
                f"{key}: {scenario['data']} with {replicates} replicates in a job needs about {needed:.3g} MB of "
                f"memory; at most {config['most_memory_mb']} (most_memory_mb)"
            )


def _bad_seeds(experiment, config):
    """Folds and starts are drawn with seed + replicate, times the repeats of the folds."""
    about = config["experiments"][experiment]
    for name, scenario in about["scenarios"].items():
        repeats = [tuning_of(config, experiment, name, one)["repeats"] for one in methods_of(config, experiment, name)]
        largest = ((about["seed"] or 0) + scenario["replicates"]) * max([1, *repeats])
        if largest > _LARGEST_SEED:
            yield (
                f"experiments.{experiment}.seed: {about['seed']} with {scenario['replicates']} replicates and "
                f"{max(repeats)} repeats in {name} leads to seeds up to {largest}; at most {_LARGEST_SEED}"
            )
            return
