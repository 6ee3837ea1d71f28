"""Whether a regeneration gave what it should: the mean of every metric of every scenario and method, and every verdict.

The data are the same on every machine, and so is every fit but for rounding, which can move a choice among near ties.
So a mean may differ from the expected one by a fraction of its standard error; a changed method or tuning moves it
further. Facts of the data must be equal. What was found on stand-in data or in a quick look is left out. Made anew by
`make expected`; look at the change before you commit it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from shiftbench.files import DamagedFile, write_text
from shiftbench.runs import DATA, read_table

SHARE_OF_SE = 0.5  # of one standard error: rounding stays far below, another procedure does not
# Where the standard error says how data would vary and not machines. Per cent, for rounding may turn a few of a test
# set's 50,000 words; learned flip probabilities.
TOLERANCES = {"precision": 0.1, "recall": 0.1, "f1": 0.1, "flip_p0": 0.01, "flip_p1": 0.01, "flips": 0.01}
RELATIVE = 0.02  # of what is counted among thousands of suspects
LEAST = 0.01
EQUAL = 1e-6  # relative; of what does not vary
LEFT_OUT = ("seconds", "score")  # metrics that depend on the machine, or on the tolerance while tuning
NOT_REAL = ("standin", "quick")
_MOST_NAMED = 30
_PLACE = ["experiment", "scenario", "method"]


def summarise(runs: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """ "means": [mean, standard error] by experiment.scenario:method:metric, "replicates": [succeeded, failed] by
    experiment.scenario:method. `runs` is the long table; stand-ins, quick looks and skipped fits are left out.
    """
    real = runs[~runs["data"].isin(NOT_REAL) & (runs["status"] != "skipped")]
    measured = real[(real["status"] == "ok") & ~real["metric"].isin(LEFT_OUT) & real["value"].notna()]
    means = {}
    for (experiment, scenario, method, metric), values in measured.groupby([*_PLACE, "metric"])["value"]:
        se = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else 0.0
        means[f"{experiment}.{scenario}:{method}:{metric}"] = [_rounded(values.mean()), _rounded(se)]
    replicates = {}
    fits = real[[*_PLACE, "replicate", "status"]].drop_duplicates()
    for (experiment, scenario, method), status in fits.groupby(_PLACE)["status"]:
        succeeded = int((status == "ok").sum())
        replicates[f"{experiment}.{scenario}:{method}"] = [succeeded, len(status) - succeeded]
    return {"means": means, "replicates": replicates}


def judgements(verdicts: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Verdict on each published number or claim, with ours and its distance in standard errors."""
    kept = verdicts[~verdicts["data"].isin(NOT_REAL)].fillna({"on_other_data": ""})
    return {
        row.id: {
            "verdict": row.verdict,
            "on_other_data": row.on_other_data,
            "z": None if np.isnan(row.z) else round(float(row.z), 2),
            "ours": None if np.isnan(row.ours) else _rounded(row.ours),
            "ours_se": None if np.isnan(row.ours_se) else _rounded(row.ours_se),
        }
        for row in kept.itertuples()
    }


def tolerance(key: str, mean: float, se: float) -> float:
    """How far a mean may lie from the expected one."""
    _, method, metric = key.split(":")
    if method == DATA:
        return EQUAL * abs(mean)
    if metric in TOLERANCES:
        return TOLERANCES[metric]
    if metric.startswith(("precision_at_", "suspected_")):
        return max(RELATIVE * abs(mean), LEAST)
    if metric == "share_suspected":
        return max(RELATIVE * abs(mean), SHARE_OF_SE * se)
    return max(SHARE_OF_SE * se, EQUAL * abs(mean))


def compare(expected: dict[str, Any], runs: pd.DataFrame, verdicts: pd.DataFrame) -> pd.DataFrame:
    """One row per expected mean, count of replicates and verdict: expected, found, tolerance, whether it agrees."""
    found = summarise(runs)
    not_real = runs.loc[runs["data"].isin(NOT_REAL), [*_PLACE, "metric"]].drop_duplicates()
    methods = {f"{row.experiment}.{row.scenario}:{row.method}" for row in not_real.itertuples()}
    skipped = methods | {f"{row.experiment}.{row.scenario}:{row.method}:{row.metric}" for row in not_real.itertuples()}
    skipped |= _keys_not_run(runs, expected)
    rows: list[tuple] = []
    for key in _all_keys(expected["replicates"], found["replicates"], skipped):
        wanted, ours = (one["replicates"].get(key, [None, None]) for one in (expected, found))
        for k, status in enumerate(("succeeded", "failed")):
            rows.append((f"{key} {status}", wanted[k], ours[k], 0, wanted[k] == ours[k]))
    for key in _all_keys(expected["means"], found["means"], skipped):
        (wanted, se), (ours, _) = (one["means"].get(key, [np.nan, 0.0]) for one in (expected, found))
        allowed = tolerance(key, wanted, se) if key in expected["means"] else np.nan
        # not where one of them is missing; what is equal to the last digit that is kept is equal
        agrees = abs(wanted - ours) <= allowed + 1e-12 * abs(wanted)
        rows.append((key, wanted, ours, _rounded(allowed), agrees))
    judged = judgements(verdicts)
    skipped = set(verdicts.loc[verdicts["data"].isin(NOT_REAL), "id"])
    for key in _all_keys(expected["verdicts"], judged, skipped):
        nothing = {"verdict": None, "on_other_data": None, "z": None}
        wanted, ours = expected["verdicts"].get(key, nothing), judged.get(key, nothing)
        agrees = wanted["verdict"] == ours["verdict"]
        if None not in (wanted["z"], ours["z"]):  # as far as the means may move, a verdict at the limit may turn
            agrees |= abs(wanted["z"] - ours["z"]) <= SHARE_OF_SE
        rows.append((key, wanted["verdict"], ours["verdict"], None, agrees))
        if wanted["on_other_data"] or ours["on_other_data"]:
            pair = wanted["on_other_data"], ours["on_other_data"]
            rows.append((f"{key} on other data", *pair, None, pair[0] == pair[1]))
    return pd.DataFrame(rows, columns=["what", "expected", "found", "tolerance", "agrees"], dtype=object).astype(
        {"agrees": bool}
    )


def _keys_not_run(runs, expected):
    """Everything that is expected of methods that this machine could not run."""
    not_run = runs.loc[runs["status"] == "skipped", _PLACE].drop_duplicates()
    methods = {f"{row.experiment}.{row.scenario}:{row.method}" for row in not_run.itertuples()}
    return methods | {key for key in expected["means"] if key.rpartition(":")[0] in methods}


def _all_keys(expected, found, skipped):
    return [key for key in sorted(expected.keys() | found.keys()) if key not in skipped]


def _rounded(value):
    """Nine significant digits."""
    return float(f"{value:.9g}")


class Mismatch(Exception):
    """The results are not the expected ones."""


def check(differences: pd.DataFrame) -> None:
    """Raise a Mismatch that names everything that does not agree, if anything does not."""
    wrong = differences[~differences["agrees"]]
    if wrong.empty:
        return
    lines = [
        f"{row.what}: expected {row.expected}, found {row.found}"
        + (f" (tolerance {row.tolerance})" if row.tolerance is not None and row.tolerance == row.tolerance else "")
        for row in wrong.head(_MOST_NAMED).itertuples()
    ]
    if len(wrong) > _MOST_NAMED:
        lines.append(f"... and {len(wrong) - _MOST_NAMED} more")
    head = f"{len(wrong)} of {len(differences)} results differ from the expected ones:"
    raise Mismatch("\n".join([head, *lines]))


def read_expected(path: str | Path) -> dict[str, Any]:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def write_expected(path: str | Path, runs: pd.DataFrame, verdicts: pd.DataFrame) -> None:
    """Expected values as JSON, one line each, so that a change can be read."""
    kept = summarise(runs) | {"verdicts": judgements(verdicts)}
    parts = []
    for name, values in sorted(kept.items()):
        lines = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in sorted(values.items()))
        parts.append(f" {json.dumps(name)}: {{\n{lines}\n }}")
    write_text(path, "{\n" + ",\n".join(parts) + "\n}\n")


def main(results: str, expected: str) -> None:
    """Take the results as they are for the expected ones."""
    try:
        runs, verdicts = read_table(Path(results, "runs.parquet")), pd.read_csv(Path(results, "verdicts.csv"))
    except DamagedFile as error:
        sys.exit(str(error))
    origins = set(runs["data"])
    if "standin" in origins:
        sys.exit(f"{results}: has results on stand-in data, which nothing can be expected of; set SHIFTLR_MIRROR first")
    if "quick" in origins:
        sys.exit(f"{results}: has results of a quick look; run without `quick` and with all replicates first")
    not_run = sorted(set(runs.loc[runs["status"] == "skipped", "reason"]))
    if not_run:
        sys.exit(f"{results}: some methods were not run, and nothing would be expected of them: {'; '.join(not_run)}")
    write_expected(expected, runs, verdicts)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m shiftbench.verdicts.verify RESULTS EXPECTED.json")
    main(*sys.argv[1:])
