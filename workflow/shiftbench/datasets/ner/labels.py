"""Labels of words: made by rules, by one crowd worker, by one worker per article, or CoNLL's own.

auto         CoNLL's training text, labelled by rules (section 4.4)
gold         the same words with CoNLL's own labels
turker       articles labelled by one crowd worker (section 4.3)
per_article  articles labelled by one worker each, drawn for every article
"""

import logging
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from shiftbench.datasets.ner import census, crowd
from shiftbench.datasets.ner.annotate import annotate
from shiftbench.datasets.ner.conll import FILES, Corpus, check_test_set
from shiftbench.datasets.ner.conll import read as read_corpus
from shiftbench.datasets.ner.gazetteers import Gazetteer, read_annie
from shiftbench.fetch.record import is_standin

log = logging.getLogger(__name__)
KINDS = ("turker", "per_article", "auto", "gold")


class Labelled(NamedTuple):
    """A text, some of its words, and the labels they got."""

    corpus: Corpus
    places: np.ndarray
    labels: np.ndarray
    about: dict[str, Any]  # what the table of data says, and the log


@lru_cache(maxsize=2)
def read_train(folder: str) -> Corpus:
    """The training text."""
    return read_corpus(Path(folder, FILES["train"]))


@lru_cache(maxsize=2)
def read_test(folder: str) -> Corpus:
    """The test set; the real one must have the report's counts."""
    path = Path(folder, FILES["test"])
    test = read_corpus(path)
    if not is_standin(folder):
        check_test_set(test, path)
    return test


@lru_cache(maxsize=2)
def _read_crowd(archive: str, conll: str) -> crowd.Crowd:
    return crowd.read(archive, read_train(conll))


@lru_cache(maxsize=4)
def _annotated(annie: str, names: str, conll: str, rules: tuple[str, ...]):
    lists, origin = gazetteer(annie, names)
    marked, by_rule = annotate(read_train(conll), lists, rules)
    log.info("%s: %d words marked: %s", lists.origin, marked.sum(), dict(by_rule))
    return lists.origin, origin, marked


def gazetteer(annie: str, names: str) -> tuple[Gazetteer, str]:
    """(lists of names, whether they are ANNIE's or what takes their place)."""
    if not is_standin(annie):
        return read_annie(annie), "other"
    if not is_standin(names):
        return census.read(names), "standin"
    return read_annie(annie), "standin"


def label(kind: str, folders: Mapping[str, str], rules, seed) -> Labelled:
    """All words of a training text with their labels, before negatives are subsampled."""
    given = _by_rules(folders, tuple(rules)) if kind in ("auto", "gold") else _by_crowd(kind, folders, seed)
    if is_standin(folders["conll2003"]):
        given.about["origin"] = "standin"
    return given


def _by_rules(folders, rules):
    train = read_train(folders["conll2003"])
    lists, origin, marked = _annotated(folders["annie"], folders["names"], folders["conll2003"], rules)
    wrong, missed = crowd.noise(marked, train.is_person)
    about = {"source": f"CoNLL + {lists}", "p0": missed, "p1": wrong, "origin": origin}
    return Labelled(train, np.arange(len(marked)), marked, about)


def _by_crowd(kind, folders, seed):
    path, train = Path(folders["crowd2014"], crowd.ARCHIVE), read_train(folders["conll2003"])
    if is_standin(folders["crowd2014"]):
        labels = crowd.standin_labels(train, path)
        few = train.articles < (train.articles[-1] + 1) // 4  # one worker saw a part of the articles
        places = np.flatnonzero(few) if kind == "turker" else np.arange(len(labels))
        p0, p1 = crowd.noise(labels, train.is_person)
        about = {"source": "CoNLL, flipped at the report's rates", "p0": p0, "p1": p1, "origin": "standin"}
        return Labelled(train, places, labels[places], about)
    votes = _read_crowd(str(path), folders["conll2003"])
    if kind == "turker":
        worker = crowd.average_turker(votes)
        places, labels = crowd.labels_of_turker(votes, worker)
        about = {"source": "CoNLL, one Turker", "worker": worker}
    else:
        places, labels, drawn = crowd.labels_per_article(votes, seed)
        about = {"source": "CoNLL, one Turker per article", "workers": len(set(drawn))}
    p0, p1 = crowd.noise(labels, crowd.majority(votes)[places])
    p0_gold, p1_gold = crowd.noise(labels, votes.corpus.is_person[places])
    about |= {"p0": p0, "p1": p1, "p0_gold": p0_gold, "p1_gold": p1_gold, "origin": "other"}
    return Labelled(votes.corpus, places, labels, about)


def text_of(kind: str, folders: Mapping[str, str]) -> Corpus:
    """The text that a training set's places count in."""
    if kind in ("auto", "gold") or is_standin(folders["crowd2014"]):
        return read_train(folders["conll2003"])
    return _read_crowd(str(Path(folders["crowd2014"], crowd.ARCHIVE)), folders["conll2003"]).corpus


def subsample(labels: np.ndarray, negatives: int | None, per_positive: float, seed) -> np.ndarray:
    """All positives and as many negatives as asked for, drawn without replacement: a mask."""
    kept = labels.astype(bool).copy()
    others = np.flatnonzero(~kept)
    wanted = negatives or round(per_positive * kept.sum())
    if wanted >= len(others):
        log.info("negatives: all %d are kept, %d were asked for", len(others), wanted)
        kept[:] = True
        return kept
    kept[np.random.default_rng(seed).choice(others, wanted, replace=False)] = True
    return kept
