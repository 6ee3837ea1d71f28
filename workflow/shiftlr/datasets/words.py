"""Training sets for named-entity recognition: words with noisy labels and true ones, beside the test set.

auto         CoNLL's training text, labelled by rules (section 4.4)
gold         the same words with CoNLL's own labels
turker       articles labelled by one crowd worker (section 4.3)
per_article  articles labelled by one worker each, drawn for every article
"""

import gzip
import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from shiftlr.datasets import census, crowd
from shiftlr.datasets.annotate import annotate
from shiftlr.datasets.conll import FILES, Corpus, check_test_set, read
from shiftlr.datasets.features import Vocabulary
from shiftlr.datasets.gazetteers import Gazetteer, read_annie
from shiftlr.datasets.sources import is_standin
from shiftlr.files import whole, write_text

log = logging.getLogger(__name__)

_FEATURES = ("X", "X_test")


class Words(NamedTuple):
    """Examples in reading order."""

    X: sparse.csr_array
    labels: np.ndarray  # as they were given: 1 for a person
    truth: np.ndarray
    articles: np.ndarray
    places: np.ndarray  # of each example in its text
    X_test: sparse.csr_array
    truth_test: np.ndarray
    articles_test: np.ndarray


class Labelled(NamedTuple):
    """A text, some of its words, and the labels they got."""

    corpus: Corpus
    places: np.ndarray
    labels: np.ndarray
    about: dict[str, Any]  # what the table of data says, and the log


class Folders(NamedTuple):
    """Where the fetched sources are."""

    conll: str
    annie: str
    names: str
    crowd: str


def read_test(folders: Folders) -> Corpus:
    """The test set; the real one must have the report's counts."""
    path = Path(folders.conll, FILES["test"])
    test = read(path)
    if not is_standin(folders.conll):
        check_test_set(test, path)
    return test


def gazetteer(folders: Folders) -> tuple[Gazetteer, str]:
    """(lists of names, whether they are ANNIE's or what takes their place)."""
    if not is_standin(folders.annie):
        return read_annie(folders.annie), "other"
    if not is_standin(folders.names):
        return census.read(folders.names), "standin"
    return read_annie(folders.annie), "standin"


def label(kind: str, folders: Folders, settings: dict[str, Any]) -> Labelled:
    """All words of a training text with their labels, before negatives are subsampled; `settings` is `ner`."""
    train = read(Path(folders.conll, FILES["train"]))
    if kind in ("auto", "gold"):
        return _by_rules(train, folders, settings)
    return _by_crowd(kind, train, folders, settings)


def _by_rules(train, folders, settings):
    lists, data = gazetteer(folders)
    marked, by_rule = annotate(train, lists, settings["rules"])
    wrong, missed = crowd.noise(marked, train.is_person)
    log.info("%s: %d words marked: %s", lists.origin, marked.sum(), dict(by_rule))
    about = {"source": f"CoNLL + {lists.origin}", "p0": missed, "p1": wrong, "by_rule": dict(by_rule), "data": data}
    if is_standin(folders.conll):
        about["data"] = "standin"
    return Labelled(train, np.arange(len(marked)), marked, about)


def _by_crowd(kind, train, folders, settings):
    path = Path(folders.crowd, crowd.ARCHIVE)
    if is_standin(folders.crowd):
        labels = crowd.standin_labels(train, path)
        few = train.articles < (train.articles[-1] + 1) // 4  # one worker saw a part of the articles
        places = np.flatnonzero(few) if kind == "turker" else np.arange(len(labels))
        p0, p1 = crowd.noise(labels, train.is_person)
        about = {"source": "CoNLL, flipped at the report's rates", "p0": p0, "p1": p1, "data": "standin"}
        return Labelled(train, places, labels[places], about)
    votes = crowd.read(path, train)
    if kind == "turker":
        worker = crowd.average_turker(votes)
        places, labels = crowd.labels_of_turker(votes, worker)
        about = {"source": "CoNLL, one Turker", "worker": worker}
    else:
        places, labels, drawn = crowd.labels_per_article(votes, settings["seed"])
        about = {"source": "CoNLL, a Turker per article", "workers": len(set(drawn))}
    p0, p1 = crowd.noise(labels, crowd.majority(votes)[places])
    p0_gold, p1_gold = crowd.noise(labels, votes.corpus.is_person[places])
    about |= {"p0": p0, "p1": p1, "p0_gold": p0_gold, "p1_gold": p1_gold, "data": "other"}
    if is_standin(folders.conll):
        about["data"] = "standin"
    return Labelled(votes.corpus, places, labels, about)


def text_of(kind: str, folders: Folders) -> Corpus:
    """The text that a training set's `places` count in."""
    train = read(Path(folders.conll, FILES["train"]))
    if kind in ("auto", "gold") or is_standin(folders.crowd):
        return train
    return crowd.read(Path(folders.crowd, crowd.ARCHIVE), train).corpus


def subsample(labels: np.ndarray, settings: dict[str, Any], seed: int) -> np.ndarray:
    """All positives and as many negatives as asked for, drawn without replacement: a mask."""
    kept = labels.astype(bool).copy()
    negatives = np.flatnonzero(~kept)
    wanted = settings["negatives"] or round(settings["negatives_per_positive"] * kept.sum())
    if wanted >= len(negatives):
        log.info("negatives: all %d are kept, %d were asked for", len(negatives), wanted)
        kept[:] = True
        return kept
    kept[np.random.default_rng(seed).choice(negatives, wanted, replace=False)] = True
    return kept


def assemble(given: Labelled, kept: np.ndarray, use_truth: bool, test: Corpus) -> tuple[Words, Vocabulary]:
    """Features of the words that are kept, and of the test set. Only articles with such words are read."""
    corpus = given.corpus
    places = given.places[kept]
    wanted = np.zeros(len(corpus.words), dtype=bool)
    wanted[places] = True
    used = np.isin(corpus.articles, np.unique(corpus.articles[places]))
    first_words = corpus.sentence_starts[:-1]
    sentences = [one for one, first in zip(corpus.sentences(), first_words, strict=True) if used[first]]
    vocabulary = Vocabulary()
    X = vocabulary.learn(sentences, wanted[used])
    truth = corpus.is_person[places].astype(int)
    words = Words(
        X,
        truth if use_truth else given.labels[kept].astype(int),
        truth,
        corpus.articles[places],
        places,
        vocabulary.encode(test.sentences()),
        test.is_person.astype(int),
        test.articles,
    )
    return words, vocabulary


def make(kind: str, folders: Folders, settings: dict[str, Any]) -> tuple[Words, Vocabulary, dict[str, Any]]:
    """(the training set, the names of its features, what the table of data says of it).

    `settings` is the config's `ner` with the settings of this set alone under `labels`.
    """
    given = label(kind, folders, settings)
    test = read_test(folders)
    if not is_standin(folders.conll):
        crowd.check_disjoint(given.corpus, test)
        log.info("no article of the training text is in the test set")
    words, vocabulary = assemble(
        given, subsample(given.labels, settings["labels"], settings["seed"]), kind == "gold", test
    )
    positives = int(words.labels.sum())
    about = given.about | {
        "positives": positives,
        "negatives": len(words.labels) - positives,
        "features": words.X.shape[1],
        "mislabelled": float(np.mean(words.labels != words.truth)),
        "articles": int(len(np.unique(words.articles))),
    }
    log.info("%s: %s", kind, about)
    return words, vocabulary, about


def about_test(folders: Folders) -> dict[str, Any]:
    """What the table of data says of the test set, read alone."""
    test = read_test(folders)
    positives = int(test.is_person.sum())
    features = Vocabulary().learn(test.sentences()).shape[1]
    data = "standin" if is_standin(folders.conll) else "report"
    return {"positives": positives, "negatives": len(test.words) - positives, "features": features, "data": data}


def save(path: str | Path, words: Words) -> None:
    """Write a training set; all features are ones, so their places are enough."""
    arrays = {name: array for name, array in words._asdict().items() if name not in _FEATURES}
    for name in _FEATURES:
        X = getattr(words, name)
        arrays |= {f"{name}_indices": X.indices.astype(np.int32), f"{name}_ends": X.indptr.astype(np.int32)}
    with whole(path) as partial, partial.open("wb") as file:
        np.savez(file, n_features=words.X.shape[1], **arrays)


def load(path: str | Path) -> Words:
    """Read what `save` wrote."""
    with np.load(path) as stored:
        arrays = {name: stored[name] for name in Words._fields if name not in _FEATURES}
        for name in _FEATURES:
            indices, ends = stored[f"{name}_indices"], stored[f"{name}_ends"]
            shape = len(ends) - 1, int(stored["n_features"])
            arrays[name] = sparse.csr_array((np.ones(len(indices)), indices, ends), shape=shape)
    return Words(**arrays)


def save_names(path: str | Path, vocabulary: Vocabulary) -> None:
    """The names of the features in the order of their columns, a line each, compressed."""
    with whole(path) as partial, partial.open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        packed.write("".join(f"{name}\n" for name in vocabulary.names).encode())


def save_about(path: str | Path, about: dict[str, Any]) -> None:
    write_text(path, json.dumps(about, indent=2) + "\n")
