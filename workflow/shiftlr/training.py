"""One method on one replicate: tune, fit, measure, and put it all into a row."""

import csv
import io
import json
import time
import warnings
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from shiftlr import methods
from shiftlr.files import whole, write_text
from shiftlr.tuning import alpha_grid, first_procedure, tune_on_dev

COLUMNS = (
    "experiment",
    "scenario",
    "replicate",
    "method",
    "params",  # as JSON; the report's own also have a column each
    "lam",
    "alpha",
    "k",
    "C",
    "dev_accuracy",
    "test_accuracy",
    "share_shifted",
    "flip_p0",
    "flip_p1",
    "seconds",
    "status",  # ok or failed
    "reason",
)


def values(setting: Any) -> list:
    """The values of a grid: a list as it is, or {from, to, points} in equal ratios, in the order of preference."""
    if not isinstance(setting, dict):
        return list(setting)
    return np.geomspace(setting["from"], setting["to"], setting["points"]).tolist()


def settings(grid: dict[str, Any]) -> list[dict]:
    """All combinations of a grid's values, the first name varying slowest."""
    expanded = [values(setting) for setting in grid.values()]
    return [dict(zip(grid, combination, strict=True)) for combination in product(*expanded)]


def grid_of(method: dict[str, Any]) -> dict[str, Any]:
    """What a method is tuned over: the config's grid, else that of its class."""
    return getattr(methods.load(method["method"]), "grid", {}) if method["grid"] is None else method["grid"]


def tune(method: dict[str, Any], scenario: dict[str, Any], train, dev):
    """The method with hyper-parameters chosen on the development set, fitted to the training set.

    `method` is a value of `methods` in the config. Where the scenario penalises theta, methods with a `penalty` get it
    and its strength is tuned too: jointly with their own grid, or by section 3.3's first procedure.
    """
    estimator = methods.load(method["method"])(**method["params"])
    grid = grid_of(method)
    data = (train.X, train.labels, dev.X, dev.labels)
    if scenario["penalty"] is None or "penalty" not in estimator.get_params():
        return tune_on_dev(estimator, settings(grid), *data)
    estimator.set_params(penalty=scenario["penalty"])
    alphas = values(scenario["alphas"])
    if method["penalised"] == "first_procedure":
        return first_procedure(
            estimator, alphas, values(grid["lam"]), *data, by=method["train_accuracy"], prefer=scenario["prefer"]
        )
    own = settings(grid)
    return tune_on_dev(estimator, [a | o for a in alpha_grid(alphas, scenario["prefer"]) for o in own], *data)


def _row(method, scenario, replicate):
    """What was chosen and how well it does."""
    tuned = tune(method, scenario, replicate.train, replicate.dev)
    fitted, params = tuned.estimator, method["params"] | tuned.params
    row = {
        "params": json.dumps(tuned.params, default=lambda number: number.item()),  # a grid may hold NumPy's numbers
        "dev_accuracy": tuned.score,
        "test_accuracy": float(np.mean(fitted.predict(replicate.test.X) == replicate.test.truth)),
        **{name: params[name] for name in ("lam", "alpha", "k", "C") if name in params},
    }
    if hasattr(fitted, "shifts_"):
        row["share_shifted"] = float(np.mean(fitted.shifts_ != 0.0))
    if hasattr(fitted, "flip_probabilities_"):
        row["flip_p0"] = float(fitted.flip_probabilities_[0, 1])
        row["flip_p1"] = float(fitted.flip_probabilities_[1, 0])
    return row


def train_replicate(method: dict[str, Any], scenario: dict[str, Any], replicate) -> dict[str, Any]:
    """A row; a fit that fails is a row too, with its reason, and what a fit warned of is the reason of one that did."""
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            row = _row(method, scenario, replicate) | {"status": "ok"}
        except Exception as error:  # whatever a rival's code raises, the other fits go on
            row = {"status": "failed", "reason": f"{type(error).__name__}: {error}"}
    row["seconds"] = time.perf_counter() - start
    if caught and "reason" not in row:
        row["reason"] = f"{len(caught)} warnings, the first: {caught[0].message}"
    return {"replicate": replicate.number} | row


def write_rows(path: str | Path, rows: list[dict[str, Any]]) -> None:
    """Rows as CSV with all of `COLUMNS`; numbers keep every bit."""
    text = io.StringIO()
    # Text is quoted: a reason may hold anything, even a lone carriage return, which pandas takes for the end of a row.
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, text.getvalue())


def read_rows(paths: Iterable[str | Path]) -> pd.DataFrame:
    """The rows of many files in one table, sorted so that it does not matter how they were cut into files."""
    text = ["experiment", "scenario", "method", "params", "status", "reason"]
    kinds = {name: str if name in text else float for name in COLUMNS} | {"replicate": int}
    tables = [
        pd.read_csv(path, dtype=kinds, keep_default_na=False, na_values={n: [""] for n in kinds}) for path in paths
    ]
    runs = pd.concat(tables, ignore_index=True)
    return runs.sort_values(["experiment", "scenario", "method", "replicate"], kind="stable", ignore_index=True)


def write_runs(path: str | Path, runs: pd.DataFrame) -> None:
    """All rows as Parquet."""
    with whole(path) as partial:
        runs.to_parquet(partial, index=False)
