"""Which words of CoNLL-2003 are persons: trained on noisy labels, tried on the shared task's testa.

`labels` says whose labels the training set has: see `shiftbench.datasets.ner.labels`; `feature_set` what is known
of a word: see `shiftbench.datasets.ner.features`.
"""

import hashlib
import logging

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit

from shiftbench.datasets.base import Part
from shiftbench.datasets.ner import annotate, crowd
from shiftbench.datasets.ner.conll import Corpus
from shiftbench.datasets.ner.features import FEATURE_SETS, Vocabulary
from shiftbench.datasets.ner.labels import KINDS, label, read_test, subsample, text_of
from shiftbench.fetch.record import is_standin

log = logging.getLogger(__name__)

SOURCES = ("conll2003", "annie", "names", "crowd2014")
DEFAULTS = {
    "labels": "auto",
    "negatives": None,  # how many words that are labelled as no person are kept, drawn at random
    "negatives_per_positive": 10,  # the same as a multiple of those labelled as persons
    "rules": ["full", "title", "first", "initials", "alone"],  # of the annotator
    "train": None,  # share of the articles to train on, for a development set
    "dev": None,  # share of the articles, none of those, to tune on
    "feature_set": "disjunctive",  # or real_words
    "features_kept": 1.0,  # share of the features, drawn at random
    "train_articles": None,  # at most so many, for a quick look
    "test_articles": None,
}
NAMES = np.array(["other", "person"])


def load(settings, rng):
    """Train and test set and, where a share is given, a development set of other articles."""
    folders, seed = settings["folders"], rng.bit_generator.seed_seq
    given = label(settings["labels"], folders, settings["rules"], seed)
    test = _first_articles(read_test(folders["conll2003"]), settings["test_articles"])
    if not is_standin(folders["conll2003"]):
        crowd.check_disjoint(given.corpus, test)
    kept = subsample(given.labels, settings["negatives"], settings["negatives_per_positive"], seed)
    if settings["train_articles"]:
        articles = given.corpus.articles[given.places]
        kept &= articles < np.unique(articles)[: settings["train_articles"]][-1] + 1
    X, X_test, n_test_features = _features(given.corpus, given.places[kept], test, settings["feature_set"])
    train = _train_part(given, kept, X, settings["labels"] == "gold")
    truth = test.is_person.astype(int)
    parts = {"train": train, "test": Part(X_test, truth, truth, test.articles)}
    if settings["features_kept"] < 1.0:
        parts = _thinned(parts, settings["features_kept"], rng)
    if settings["train"] is not None:
        parts = _with_dev(parts, settings["train"], settings["dev"], rng)
    return parts | {"about": _about(given, test, n_test_features, parts["train"], settings)}


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    if settings["labels"] not in KINDS:
        yield f"labels: {settings['labels']!r} is not allowed; allowed are {', '.join(KINDS)}"
    if settings["feature_set"] not in tuple(FEATURE_SETS):  # it may be a list
        yield f"feature_set: {settings['feature_set']!r} is not allowed; allowed are {', '.join(FEATURE_SETS)}"
    rules = settings["rules"] if isinstance(settings["rules"], list) else []
    if not rules or any(rule not in annotate.RULES for rule in rules):
        yield f"rules: {settings['rules']} must be some of {', '.join(annotate.RULES)}"
    for name in ("negatives", "train_articles", "test_articles"):
        value = settings[name]
        if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            yield f"{name}: {value!r} must be a whole number, at least 1, or null"
    for name in ("negatives_per_positive", "features_kept"):
        value = settings[name]
        if not _is_number(value) or not 0 < value <= (1 if name == "features_kept" else np.inf):
            yield f"{name}: {value!r} must be a number above 0" + (" and at most 1" if name == "features_kept" else "")
    shares = settings["train"], settings["dev"]
    if shares != (None, None) and not all(_is_number(share) and 0 < share < 1 for share in shares):
        yield f"train, dev: {shares[0]}, {shares[1]} must be two shares of the articles, or neither"
    elif shares[0] is not None and sum(shares) > 1:
        yield f"train, dev: are {sum(shares):g} of the articles together; they must be at most 1"


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _first_articles(corpus, n):
    if n is None or n > corpus.articles[-1]:
        return corpus
    size = int(np.searchsorted(corpus.articles, n))
    starts = corpus.sentence_starts[corpus.sentence_starts < size]
    return Corpus(corpus.words[:size], corpus.tags[:size], np.array([*starts, size]), corpus.articles[:size])


_KNOWN: dict[tuple, tuple] = {}  # features of the last sets: labels differ more often than words


def _features(corpus, places, test, feature_set):
    """Features of some words and of the test set. Only articles with such words are read."""
    digest = hashlib.sha256(np.ascontiguousarray(places).tobytes()).digest()
    key = (digest, len(corpus.words), len(test.words), feature_set)
    if key not in _KNOWN:
        wanted = np.zeros(len(corpus.words), dtype=bool)
        wanted[places] = True
        used = np.isin(corpus.articles, np.unique(corpus.articles[places]))
        first_words = corpus.sentence_starts[:-1]
        sentences = [one for one, first in zip(corpus.sentences(), first_words, strict=True) if used[first]]
        vocabulary = Vocabulary(feature_set)
        X = vocabulary.learn(sentences, wanted[used])
        while len(_KNOWN) > 5:
            _KNOWN.pop(next(iter(_KNOWN)))
        _KNOWN[key] = X, vocabulary.encode(test.sentences()), _n_features(test, feature_set)
    return _KNOWN[key]


_COUNTED: dict[tuple[int, str], int] = {}


def _n_features(test, feature_set):
    """How many features the test set has, read alone."""
    key = len(test.words), feature_set
    if key not in _COUNTED:
        _COUNTED[key] = Vocabulary(feature_set).learn(test.sentences()).shape[1]
    return _COUNTED[key]


def _train_part(given, kept, X, use_truth):
    places = given.places[kept]
    truth = given.corpus.is_person[places].astype(int)
    labels = truth if use_truth else given.labels[kept].astype(int)
    words = np.unique([given.corpus.words[place] for place in places], return_inverse=True)[1]
    return Part(X, labels, truth, given.corpus.articles[places], places, {"word": words})


def _thinned(parts, share, rng):
    """The parts with some of the features."""
    m = parts["train"].X.shape[1]
    columns = np.sort(rng.choice(m, max(1, round(share * m)), replace=False))
    return {name: part._replace(X=part.X[:, columns]) for name, part in parts.items()}


def _with_dev(parts, train, dev, rng):
    """The training set cut into one to train on and one to tune on, no article in both."""
    whole, seed = parts["train"], int(rng.integers(2**31))
    splitter = GroupShuffleSplit(1, train_size=train, test_size=dev, random_state=seed)
    rows = next(splitter.split(whole.X, groups=whole.groups))
    return {"train": whole.take(rows[0]), "dev": whole.take(rows[1]), "test": parts["test"]}


def _about(given, test, n_test_features, train, settings):
    positives = int(test.is_person.sum())
    about = given.about | {
        "articles": len(np.unique(train.groups)),
        "test_positives": positives,
        "test_negatives": len(test.words) - positives,
        "test_features": n_test_features,
        "test_origin": "standin" if is_standin(settings["folders"]["conll2003"]) else "report",
    }
    if settings["train_articles"] or settings["test_articles"]:
        about["origin"] = "standin" if about["origin"] == "standin" else "quick"
        about["test_origin"] = about["origin"] if settings["test_articles"] else about["test_origin"]
    log.info("%s: %s", settings["labels"], about)
    return about


def list_suspects(found: pd.DataFrame, settings) -> pd.DataFrame:
    """The suspected words, the most suspicious first, each with its sentence, in which it is marked.

    A shift moves an example towards the label it was given, so it is positive on what is called a person.
    """
    corpus = text_of(settings["labels"], settings["folders"])
    rows = []
    for rank, row in enumerate(found.itertuples(), 1):
        place = int(row.id)
        sentence = int(np.searchsorted(corpus.sentence_starts, place, side="right")) - 1
        first, last = corpus.sentence_starts[sentence : sentence + 2]
        text = " ".join(f"[{word}]" if k == place else word for k, word in enumerate(corpus.words[first:last], first))
        named = NAMES[[row.label, 1 - row.label, row.truth]]
        shift = row.suspicion if row.label == 1 else -row.suspicion
        article = int(corpus.articles[place])
        rows.append((rank, article, corpus.words[place], text, *named, round(shift, 4), row.origin))
    names = ["rank", "article", "word", "sentence", "label_given", "label_suspected", "label_true", "shift", "data"]
    return pd.DataFrame(rows, columns=names)
