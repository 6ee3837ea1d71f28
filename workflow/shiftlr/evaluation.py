"""From the models of named-entity recognition to what is said of them: scores, differences with intervals, facts.

Intervals come from a bootstrap over the articles of the test set: words of an article are not independent. All models
of a training set are compared on the same resamples.
"""

import json
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftlr.datasets.words import Words
from shiftlr.metrics import count_by_group, draws_of_groups, interval, resampled
from shiftlr.recognition import load

BASELINE = "standard"
SCORES = (
    *("labels", "model", "status", "precision", "recall", "f1", "precision_se", "recall_se", "f1_se"),
    *("params", "share_shifted", "share_filtered", "flip_to_person", "flip_to_other", "reason"),
)
DIFFERENCES = ("labels", "model", "against", "difference", "se", "low", "high")


class Models(NamedTuple):
    """All models that were trained on one set of labels, in the tables' order."""

    about: dict[str, dict[str, Any]]
    arrays: dict[str, np.ndarray]  # `MODEL.test` and `MODEL.suspicion`


def gather(paths: Iterable[str | Path]) -> Models:
    """The models of several methods: for each a JSON file, with an .npz of the same name beside it."""
    about: dict[str, dict[str, Any]] = {}
    arrays: dict[str, np.ndarray] = {}
    for path in map(Path, paths):
        about |= load(path)
        with np.load(path.with_suffix(".npz")) as stored:
            arrays |= dict(stored)
    return Models(about, arrays)


def evaluate(kind: str, words: Words, models: Models, ner: dict[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """(scores of each model, differences in F1 between any two of them)."""
    truth = words.truth_test == 1
    draws = draws_of_groups(len(np.unique(words.articles_test)), ner["resamples"], ner["seed"])
    rows: list[dict[str, Any]] = []
    f1s: dict[str, float] = {}
    drawn: dict[str, np.ndarray] = {}
    for name, about in models.about.items():
        if about["status"] != "ok":
            rows.append({"labels": kind, "model": name} | about)
            continue
        counts = count_by_group(models.arrays[f"{name}.test"] > 0.0, truth, words.articles_test)
        moved = resampled(counts, draws)
        errors = {f"{score}_se": float(values.std(ddof=1)) for score, values in moved.items()}
        rows.append({"labels": kind, "model": name} | about | errors | _flips(about))
        rows[-1]["params"] = json.dumps(about["params"])
        f1s[name], drawn[name] = about["f1"], moved["f1"]
    differences = [
        (kind, one, other, f1s[one] - f1s[other], float(moved.std(ddof=1)), *interval(moved))
        for one, other in permutations(f1s, 2)
        for moved in [drawn[one] - drawn[other]]
    ]
    return pd.DataFrame(rows).reindex(columns=SCORES), pd.DataFrame(differences, columns=DIFFERENCES)


def _flips(about):
    """The learned probabilities that a label of each kind is seen as the other."""
    flips = about.get("flips")
    return {"flip_to_person": flips[0][1], "flip_to_other": flips[1][0]} if flips else {}


def facts(
    about: dict[str, dict[str, Any]],
    test: dict[str, Any],
    models: dict[str, Models],
    scores: pd.DataFrame,
    differences: pd.DataFrame,
) -> pd.DataFrame:
    """What the verdicts compare. `about` and `models` are by set of labels; what is a stand-in is marked."""
    data = {kind: one["data"] for kind, one in about.items()} | {"test": test["data"]}
    rows: list[tuple[str, float, float | None, str]] = []
    for kind, one in (about | {"test": test}).items():
        for name, key in {
            "pos": "positives",
            "neg": "negatives",
            "features": "features",
            "p0": "p0",
            "p1": "p1",
        }.items():
            if key in one:
                rows.append((f"ner:{kind}_{name}", one[key], None, data[kind]))
    for row in scores[scores["status"] == "ok"].itertuples():
        for score in ("precision", "recall", "f1"):
            key = f"ner:{row.labels}_{row.model}_{score}"
            rows.append((key, getattr(row, score), getattr(row, f"{score}_se"), data[row.labels]))
    for row in differences[differences["against"] == BASELINE].itertuples():
        rows.append((f"ner:{row.labels}_{row.model}_gain", row.difference, row.se, data[row.labels]))
    for kind, trained in models.items():
        rows += [(f"ner:{kind}_{name}", *value, data[kind]) for name, value in _learned(trained, about[kind]).items()]
    return pd.DataFrame(rows, columns=["key", "value", "se", "data"])


def _learned(models, about):
    """Hyper-parameters and what else was learned: (value, standard error)."""
    found: dict[str, tuple[float, float | None]] = {}
    robust, flipping = (models.about.get(name, {"status": "failed"}) for name in ("robust", "flipping"))
    if robust["status"] == "ok":
        share, n = robust["share_shifted"], about["positives"] + about["negatives"]
        found["sigma2"] = (round(1.0 / robust["params"]["alpha"], 9), None)
        found["lam"] = (round(robust["params"]["lam"], 9), None)
        found["share"] = (share, float(np.sqrt(share * (1.0 - share) / n)))
    if flipping["status"] == "ok":
        found["flips"] = (max(flipping["flips"][0][1], flipping["flips"][1][0]), None)
    return found
