"""Whether a regeneration gave what it should: the means of every scenario and method, every fact, and every verdict.

The data are the same on every machine, and so is every fit but for rounding, which can move a choice among near ties.
So a mean may differ from the expected one by a fraction of its standard error; a changed method or tuning moves it
further. So may other facts with a standard error; counts must be equal. What was found on stand-in data is
left out. Made anew by `make expected`; look at the change before you commit it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from shiftlr.files import write_text
from shiftlr.verdicts import read_facts

SHARE_OF_SE = 0.5  # of one standard error: rounding stays far below, another procedure does not
# Of facts by the end of their name, where the standard error says how data would vary and not machines: per cent, for
# rounding may turn a few of the test set's 50,000 words; and learned flip probabilities.
TOLERANCES = {"precision": 0.1, "recall": 0.1, "f1": 0.1, "gain": 0.1, "flips": 0.01}
_MOST_NAMED = 30
_KEYS = ["experiment", "scenario", "method"]


def means(runs: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Mean accuracy in per cent, its standard error and the number of failed fits, by experiment.scenario:method."""
    found = {}
    for key, group in runs.groupby(_KEYS):
        accuracies = 100.0 * group.loc[group["status"] == "ok", "test_accuracy"]
        se = accuracies.std(ddof=1) / np.sqrt(len(accuracies))
        found[f"{key[0]}.{key[1]}:{key[2]}"] = {
            "mean": round(float(accuracies.mean()), 4) if len(accuracies) else None,
            "se": round(float(se), 4) if len(accuracies) > 1 else 0.0,
            "failed": int((group["status"] != "ok").sum()),
        }
    return found


def judgements(verdicts: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """Verdict and distance in standard errors of each published number or claim."""
    return {
        row.id: {"verdict": row.verdict, "z": None if np.isnan(row.z) else round(float(row.z), 2)}
        for row in verdicts.itertuples()
    }


def read_expected(path: str | Path) -> dict[str, Any]:
    return json.loads(Path(path).read_text())


def real_facts(facts: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Value and standard error (0 for what has none) of the facts that were found on real data."""
    real = facts[facts["data"] != "standin"].fillna({"se": 0.0})
    return {
        row.key: {"value": round(float(row.value), 9), "se": round(float(row.se), 9)}
        for row in real.infer_objects().itertuples()
    }


def compare(expected: dict[str, Any], runs: pd.DataFrame, verdicts: pd.DataFrame, facts: pd.DataFrame) -> pd.DataFrame:
    """One row for each expected mean, fact and verdict: expected, found, tolerance, whether it agrees."""
    found = means(runs)
    rows: list[tuple] = []
    for key, value in expected["means"].items():
        mean = found[key]["mean"] if key in found else None
        tolerance = SHARE_OF_SE * value["se"]
        both = mean is not None and value["mean"] is not None
        agrees = key in found and (abs(mean - value["mean"]) <= tolerance if both else mean == value["mean"])
        rows.append((key, value["mean"], mean, round(tolerance, 4), agrees))
        failed = found[key]["failed"] if key in found else None
        rows.append((f"{key} failed", value["failed"], failed, 0, failed == value["failed"]))
    rows += [(key, None, found[key]["mean"], None, False) for key in sorted(found.keys() - expected["means"].keys())]
    standins = set(facts.loc[facts["data"] == "standin", "key"])
    counted = real_facts(facts)
    for key in sorted((expected["facts"].keys() | counted.keys()) - standins):
        missing = {"value": np.nan, "se": 0.0}
        wanted, ours = expected["facts"].get(key, missing), counted.get(key, missing)
        suffix = key.rsplit("_", 1)[-1]
        tolerance = TOLERANCES[suffix] if suffix in TOLERANCES else SHARE_OF_SE * wanted["se"]
        agrees = abs(wanted["value"] - ours["value"]) <= tolerance  # not where one of them is missing
        rows.append((key, wanted["value"], ours["value"], round(tolerance, 6), agrees))
    judged = judgements(verdicts)
    on_standins = set(verdicts.loc[verdicts["data"] == "standin", "id"])
    for key in sorted((expected["verdicts"].keys() | judged.keys()) - on_standins):
        nothing = {"verdict": None, "z": None}
        wanted, ours = expected["verdicts"].get(key, nothing), judged.get(key, nothing)
        agrees = wanted["verdict"] == ours["verdict"]
        if None not in (wanted["z"], ours["z"]):  # as far as the means may move, a verdict at the limit may turn
            agrees |= abs(wanted["z"] - ours["z"]) <= SHARE_OF_SE
        rows.append((key, wanted["verdict"], ours["verdict"], None, agrees))
    return pd.DataFrame(rows, columns=["what", "expected", "found", "tolerance", "agrees"])


class Mismatch(Exception):
    """The results are not the expected ones."""


def check(differences: pd.DataFrame) -> None:
    """Raise a Mismatch that names everything that does not agree, if anything does not."""
    wrong = differences[~differences["agrees"]]
    if wrong.empty:
        return
    lines = [
        f"{row.what}: expected {row.expected}, found {row.found}"
        + (f" (tolerance {row.tolerance})" if row.tolerance == row.tolerance and row.tolerance is not None else "")
        for row in wrong.head(_MOST_NAMED).itertuples()
    ]
    if len(wrong) > _MOST_NAMED:
        lines.append(f"... and {len(wrong) - _MOST_NAMED} more")
    head = f"{len(wrong)} of {len(differences)} results differ from the expected ones:"
    raise Mismatch("\n".join([head, *lines]))


def main(results: str, expected: str) -> None:
    """Take the results as they are for the expected ones."""
    folder = Path(results)
    verdicts = pd.read_csv(folder / "verdicts.csv")
    facts = read_facts(folder.glob("*/facts.csv"))
    if (facts["data"] == "standin").any():
        sys.exit(f"{results}: has results on stand-in data, which nothing can be expected of; set SHIFTLR_MIRROR first")
    kept = {
        "means": means(pd.read_parquet(folder / "runs.parquet")),
        "facts": real_facts(facts),
        "verdicts": judgements(verdicts),
    }
    write_text(expected, json.dumps(kept, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m shiftlr.verify RESULTS EXPECTED.json")
    main(*sys.argv[1:])
