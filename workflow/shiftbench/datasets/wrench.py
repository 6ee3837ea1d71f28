"""Four text sets of WRENCH (Zhang et al. 2021), labelled by heuristics: comments, messages, questions, relations.

`SET_train.json` and `SET_test.json` hold texts by number, each with its true class and the votes of all heuristics, -1
where one abstains; `SET_label.json` names the classes. A training text gets the class that most heuristics vote for,
ties broken at random. Of the training texts those on which all abstain are left out, and those that stand in the test
set too, case and punctuation aside; the test set is whole. In `semeval` the relation is that of two words of a
sentence, which are marked.
"""

import json
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, origin_of
from shiftbench.datasets.common.settings import check_choice, check_share
from shiftbench.datasets.common.text import found_in, mark, number_texts, tf_idf
from shiftbench.datasets.common.votes import NONE, check_codes, draw_labels

SOURCES = ("wrench",)
SETS = ("youtube", "sms", "trec", "semeval")
DEFAULTS = {"set": "youtube", "dev": 0.2}  # the share of the training texts to tune on


class Texts(NamedTuple):
    """What a file holds."""

    texts: np.ndarray
    truth: np.ndarray
    votes: np.ndarray  # (texts, heuristics)


def load(settings, rng):
    """Words and pairs of words of the training texts, some of which are kept to tune on, and of the test set."""
    folder, name = settings["folders"]["wrench"], settings["set"]
    classes, data, test = read(folder, name)
    labels, _ = draw_labels(data.votes, "majority", len(classes), rng)
    silent = labels == NONE
    repeated = ~silent & found_in(data.texts, test.texts)
    kept = np.flatnonzero(~silent & ~repeated)
    train = Part(data.texts, labels, data.truth, number_texts(data.texts), np.arange(len(labels))).take(kept)
    parts = build(train, Part(test.texts, test.truth, test.truth), settings["dev"], rng, tf_idf)
    origin = origin_of(folder)
    about = {
        "classes": classes,
        "origin": origin,
        "test_origin": origin,
        "left_out_abstained": int(silent.sum()),
        "left_out_in_test": int(repeated.sum()),
    }
    return parts | {"about": about}


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "set", SETS)
    yield from check_share(settings, "dev")


@lru_cache(maxsize=4)
def read(folder: str | Path, name: str) -> tuple[list[str], Texts, Texts]:
    """(classes, training texts, test texts) of a set, or a ValueError that says what is wrong with which file."""
    path = Path(folder, f"{name}_label.json")
    named = _read_object(path)
    if list(named) != [str(k) for k in range(len(named))] or len(named) < 2:
        raise ValueError(f"{path}: must name the classes 0, 1, ...; it names {', '.join(named) or 'none'}")
    classes = [str(one) for one in named.values()]
    train, test = (_read_texts(Path(folder, f"{name}_{part}.json"), len(classes)) for part in ("train", "test"))
    return classes, train, test


def _read_texts(path, n_classes):
    rows = _read_object(path)
    if not rows:
        raise ValueError(f"{path}: has no texts")
    try:
        texts = [_text(row["data"]) for row in rows.values()]
        truth = np.array([row["label"] for row in rows.values()])
        votes = np.array([row["weak_labels"] for row in rows.values()])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: each text must have data, label and as many weak_labels: {error!r}") from None
    if truth.dtype.kind != "i" or votes.dtype.kind != "i" or votes.ndim != 2:
        raise ValueError(f"{path}: label and weak_labels must be whole numbers")
    check_codes(path, truth, n_classes)
    check_codes(path, votes[votes != NONE], n_classes)
    return Texts(np.array(texts, dtype=object), truth, votes)


def _text(data):
    """The text, its two entities marked where it has them."""
    if "span1" not in data:
        return data["text"]
    return mark(data["text"], [tuple(data["span1"]), tuple(data["span2"])])


def _read_object(path):
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of the encoding too
        raise ValueError(f"{path}: is no JSON in UTF-8: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"{path}: must hold texts or classes by their numbers, not a {type(found).__name__}")
    return found


_STANDIN_CLASSES = {"youtube": 2, "sms": 2, "trec": 6, "semeval": 9}


def write_standin(folder: str | Path, seed: int = 2021) -> None:
    """The files with made-up texts: each class has words of its own, and three heuristics vote for it, not always."""
    rng = np.random.default_rng(seed)
    for name, n_classes in _STANDIN_CLASSES.items():
        named = {str(k): f"class {k}" for k in range(n_classes)}
        Path(folder, f"{name}_label.json").write_text(json.dumps(named), encoding="utf-8")
        for part in ("train", "test"):
            rows = {str(k): _standin_text(name, n_classes, k, rng) for k in range(40 * n_classes)}
            Path(folder, f"{name}_{part}.json").write_text(json.dumps(rows), encoding="utf-8")


def _standin_text(name, n_classes, k, rng):
    truth, number = k % n_classes, 3 * n_classes
    own = [f"own{truth}x{one}" for one in rng.integers(8, size=3)]
    words = [*own[:2], *(f"word{one}" for one in rng.integers(80, size=6)), own[2]]
    votes = np.full(number, NONE)
    for heuristic in rng.choice(number, 3, replace=False):
        if rng.random() < 0.7:
            votes[heuristic] = truth if rng.random() < 0.75 else rng.integers(n_classes)
    data: dict[str, str | list[int]] = {"text": " ".join(words)}
    if name == "semeval":
        last = len(" ".join(words))
        data |= {"span1": [0, len(words[0])], "span2": [last - len(words[-1]), last]}
    return {"label": truth, "weak_labels": votes.tolist(), "data": data}
