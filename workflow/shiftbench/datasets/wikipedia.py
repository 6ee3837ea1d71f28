"""Which words are persons, learned from automatic labels of Wikipedia (WikiNEuRal), as the report's section 4.3 did.

The report's set of 24,002 positives and 200,000 negatives was never published; this one is of the same kind. Nobody
knows the true labels of what is trained on. `test` is CoNLL's testa, the report's test set, or Wikigold, Wikipedia
tagged by people. Features as in `conll_person`.
"""

from functools import lru_cache

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, origin_of, seen_columns
from shiftbench.datasets.common.settings import check_choice, check_count, check_share
from shiftbench.datasets.ner import wiki_silver, wikigold
from shiftbench.datasets.ner.features import FEATURE_SETS
from shiftbench.datasets.ner.labels import read_test
from shiftbench.datasets.ner.types import CLASSES
from shiftbench.datasets.ner.words import encode
from shiftbench.fetch.record import is_standin

SOURCES = ("wiki_silver", "wikigold", "conll2003")
DEFAULTS = {
    "test": "conll",  # or wikigold
    "negatives": 200_000,  # words that are labelled as no person, drawn at random; all of them if null
    "feature_set": "disjunctive",  # or real_words
    "dev": 0.2,  # the share of the sentences to tune on
}
TESTS = ("conll", "wikigold")


def load(settings, rng):
    """All persons and some other words of most sentences to train on, of the others to tune on, and the test set."""
    folders = settings["folders"]
    test_folder = folders["conll2003" if settings["test"] == "conll" else "wikigold"]
    text, test, X, X_test = _read(folders["wiki_silver"], test_folder, settings["test"], settings["feature_set"])
    labels = text.is_person.astype(int)
    kept = np.flatnonzero(_draw(labels, settings["negatives"], rng))
    words = np.unique([text.words[place] for place in kept], return_inverse=True)[1]
    train = Part(X[kept], labels[kept], None, text.articles[kept], kept, {"word": words})
    truth = test.is_person.astype(int)
    parts = build(train, Part(X_test, truth, truth, test.articles), settings["dev"], rng, seen_columns)
    about = {
        "classes": CLASSES["person"],
        "origin": origin_of(folders["wiki_silver"]),
        "test_origin": _test_origin(settings["test"], test_folder),
        "words": len(kept),
        "test_positives": int(truth.sum()),
        "test_negatives": int((truth == 0).sum()),
    }
    return parts | {"about": about}


def _test_origin(test, folder):
    if is_standin(folder):
        return "standin"
    return "report" if test == "conll" else "other"


def _draw(labels, negatives, rng):
    """All positives and so many of the other words."""
    others = np.flatnonzero(labels == 0)
    if negatives is None or negatives >= len(others):
        return np.ones(len(labels), dtype=bool)
    kept = labels == 1
    kept[rng.choice(others, negatives, replace=False)] = True
    return kept


@lru_cache(maxsize=2)
def _read(silver, test_folder, test, feature_set):
    """The training text, the test set, and the features of both."""
    text = wiki_silver.read(silver)
    tested = read_test(test_folder) if test == "conll" else wikigold.read(test_folder)
    X, X_test = encode(text, tested, feature_set)
    return text, tested, X, X_test


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "test", TESTS)
    yield from check_choice(settings, "feature_set", FEATURE_SETS)
    yield from check_count(settings, "negatives")
    yield from check_share(settings, "dev")
