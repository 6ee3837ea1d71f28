"""Words as examples: features, classes, and folders that fit together."""

import tempfile
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, origin_of, seen_columns
from shiftbench.datasets.common.settings import check_choice, check_share
from shiftbench.datasets.ner import clean, conll, corrections, noisy, testb
from shiftbench.datasets.ner.conll import Corpus
from shiftbench.datasets.ner.features import FEATURE_SETS, Vocabulary
from shiftbench.datasets.ner.types import CLASSES, encode_tags
from shiftbench.fetch.record import is_standin

DEFAULTS = {
    "classes": "all",  # kinds of names; or person
    "test": "both",  # or dev, test: parts of CleanCoNLL
    "feature_set": "disjunctive",  # or real_words
    "dev": 0.2,  # the share of the articles to tune on
}
# What writes the stand-in of each source whose files speak of the same words.
_STANDINS = {
    "conll2003": conll.write_standin,
    "conll2003_testb": testb.write_standin,
    "cleanconll": clean.write_standin,
    "noisebench": noisy.write_standin,
    "codait": corrections.write_standin,
}


class Text(NamedTuple):
    """Words to train on, with the tags that were given and, in the corpus, the true ones, and words to test on."""

    corpus: Corpus
    given: Sequence[str]
    places: np.ndarray  # of each word in the text that it was taken from
    X: sparse.csr_array
    test: Corpus
    X_test: sparse.csr_array


def fitting(folders: Mapping[str, str]) -> dict[str, str]:
    """The folders; where only some hold stand-ins, stand-ins of all, since real tags do not fit made-up words."""
    if len({is_standin(folder) for folder in folders.values()}) < 2:
        return dict(folders)
    top = _make_standins(tuple(folders)).name
    return {name: str(Path(top, name)) for name in folders}


@lru_cache(maxsize=2)
def _make_standins(names):
    """A folder with stand-ins, which goes when the process ends."""
    made = tempfile.TemporaryDirectory(prefix="standins.")
    for name in names:
        Path(made.name, name).mkdir()
        _STANDINS[name](Path(made.name, name))
    return made


def encode(train: Corpus, test: Corpus, feature_set: str) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Features of all words of both texts: those that the first has."""
    vocabulary = Vocabulary(feature_set)
    return vocabulary.learn(train.sentences()), vocabulary.encode(test.sentences())


def load_parts(text: Text, settings: Mapping[str, Any], rng) -> dict[str, Any]:
    """Most of the words to train on, those of other articles to tune on, and the test set."""
    classes = settings["classes"]
    words = np.unique(text.corpus.words, return_inverse=True)[1]
    truth, labels = encode_tags(text.corpus.tags, classes), encode_tags(text.given, classes)
    train = Part(text.X, labels, truth, text.corpus.articles, text.places, {"word": words})
    test_truth = encode_tags(text.test.tags, classes)
    test = Part(text.X_test, test_truth, test_truth, text.test.articles)
    origin = origin_of(*settings["folders"].values())
    about = {"classes": CLASSES[classes], "origin": origin, "test_origin": origin, "words": len(labels)}
    return build(train, test, settings["dev"], rng, seen_columns) | {"about": about}


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "classes", CLASSES)
    yield from check_choice(settings, "test", clean.PARTS)
    yield from check_choice(settings, "feature_set", FEATURE_SETS)
    yield from check_share(settings, "dev")
