"""Made-up runs for tests: the long table and the arrays of `shiftbench.runs`."""

import re

import numpy as np
import pandas as pd
from shiftbench.runs import COLUMNS, Runs, rows_of


def place_of(name, replicate=0):
    """From "experiment.scenario:method"."""
    experiment, scenario, method = re.split("[.:]", name)
    return {"experiment": experiment, "scenario": scenario, "replicate": replicate, "method": method}


def runs_of(values, metric="accuracy", failed=(), data="report", params=None, arrays=None, reason="no luck"):
    """Runs from {"experiment.scenario:method": values over replicates}; `failed` holds (name, replicate)."""
    rows = []
    for name, series in values.items():
        for number, value in enumerate(series):
            bad = (name, number) in failed
            # a number beside a failure must not count
            found = rows_of(
                place_of(name, number),
                {metric: 0.0 if bad else value},
                {} if bad else (params or {}),
                "failed" if bad else "ok",
                reason if bad else "",
                data,
            )
            rows += found
    return Runs(pd.DataFrame(rows, columns=list(COLUMNS)), arrays or {})


def both(*runs):
    """Several runs in one."""
    arrays = {key: value for one in runs for key, value in one.arrays.items()}
    return Runs(pd.concat([one.table for one in runs], ignore_index=True), arrays)


def facts(name, metrics, texts=None, data="report", replicates=1):
    """Rows of the method "data"; `name` is "experiment.scenario"."""
    rows = [
        row for r in range(replicates) for row in rows_of(place_of(f"{name}:data", r), metrics, texts or {}, data=data)
    ]
    return Runs(pd.DataFrame(rows, columns=list(COLUMNS)), {})


def draw_counts(seed, n_groups=30, truth_seed=0, recall=0.7):
    """(groups, 3) of a method that finds some of the positives; the positives depend on `truth_seed` alone."""
    positives = np.random.default_rng(truth_seed).integers(0, 12, n_groups)
    rng = np.random.default_rng([seed, 1])
    hits = rng.binomial(positives, recall)
    return np.column_stack([hits, hits + rng.poisson(0.6, n_groups), positives])
