"""Which labels look wrong: the suspects in context, and how many of the first k are really wrong.

Beside the models' own suspicion stands confident learning (Northcutt, Jiang and Chuang 2021) as cleanlab has it, on
probabilities from standard logistic regression under cross-validation.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict

from shiftlr import methods
from shiftlr.datasets.conll import Corpus
from shiftlr.datasets.words import Words
from shiftlr.evaluation import Models
from shiftlr.recognition import chosen_alpha

CONTEXT = ("rank", "article", "word", "sentence", "label_given", "label_suspected", "label_true", "shift")
LABELS = np.array(["other", "person"])
CLEANLAB = "cleanlab"


def in_context(corpus: Corpus, words: Words, shifts: np.ndarray) -> pd.DataFrame:
    """The shifted examples, the largest shift first, each with its sentence, in which it is marked.

    A shift moves an example towards the label it was given, so it is positive on what is called a person.
    """
    suspects = np.flatnonzero(shifts)
    suspects = suspects[np.argsort(-np.abs(shifts[suspects]), kind="stable")]
    rows = []
    for rank, example in enumerate(suspects.tolist(), 1):
        place = int(words.places[example])
        sentence = int(np.searchsorted(corpus.sentence_starts, place, side="right")) - 1
        first, last = corpus.sentence_starts[sentence : sentence + 2]
        text = " ".join(f"[{word}]" if k == place else word for k, word in enumerate(corpus.words[first:last], first))
        given = int(words.labels[example])
        named = LABELS[[given, 1 - given, int(words.truth[example])]]
        sign = 1.0 if given == 1 else -1.0
        shift = sign * abs(float(shifts[example]))
        rows.append((rank, int(words.articles[example]), corpus.words[place], text, *named, round(shift, 4)))
    return pd.DataFrame(rows, columns=list(CONTEXT))


def confident_learning(words: Words, alpha: float, ner: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """(suspicion of each label, whether it is called an error) by cleanlab."""
    from cleanlab.filter import find_label_issues
    from cleanlab.rank import get_label_quality_scores

    model = methods.load("standard")(penalty="l2", alpha=alpha, tol=ner["tol"])
    folds = StratifiedGroupKFold(ner["folds"], shuffle=True, random_state=ner["seed"])
    chances = cross_val_predict(
        model, words.X, words.labels, groups=words.articles, cv=folds, method="predict_proba", n_jobs=1
    )
    called = find_label_issues(words.labels, chances, filter_by="confident_learning", n_jobs=1)
    quality = get_label_quality_scores(words.labels, chances, method="normalized_margin")
    return called - quality, called  # those called errors come first


def precision_at(ks: list[int], suspicion: np.ndarray, wrong: np.ndarray) -> list[float]:
    """Share of wrong labels among the k most suspicious; examples that are equally suspicious count in part."""
    values, inverse, sizes = np.unique(-suspicion, return_inverse=True, return_counts=True)
    hits = np.bincount(inverse, wrong, len(values))
    # within a group of equals every example has the group's share of wrong labels
    found = np.interp(ks, np.concatenate([[0.0], np.cumsum(sizes)]), np.concatenate([[0.0], np.cumsum(hits)]))
    return (found / np.array(ks)).tolist()


def compare_rankings(kind: str, words: Words, models: Models, ner: dict[str, Any]) -> pd.DataFrame:
    """For each way to suspect labels: how many it names, how many of those are wrong, and precision at each k."""
    wrong = words.labels != words.truth
    rankings = {
        name: (suspicion, _named(about, suspicion))
        for name, about in models.about.items()
        if about["status"] == "ok"
        for suspicion in [models.arrays[f"{name}.suspicion"]]
    }
    rankings[CLEANLAB] = confident_learning(words, chosen_alpha(models.about), ner)
    ks = [k for k in ner["ks"] if k <= len(wrong)]
    rows = []
    for name, (suspicion, named) in rankings.items():
        hits = int((named & wrong).sum())
        row = {
            "labels": kind,
            "ranking": name,
            "named": int(named.sum()),
            "named_wrong": hits,
            "wrong": int(wrong.sum()),
        }
        row["n"] = len(wrong)
        rows.append(row | {f"at_{k}": value for k, value in zip(ks, precision_at(ks, suspicion, wrong), strict=True)})
    return pd.DataFrame(rows)


def _named(about, suspicion):
    """The examples that a model calls mislabelled: shifted, more likely wrong than not, filtered, on the wrong side."""
    limit = 0.5 if "flips" in about else 0.0
    return suspicion > limit
