"""Words of CoNLL-2003's training set with its own labels, and people's corrections of them as the truth.

So the errors of a set that is thought to be clean can be looked for. Corrections by Reiss et al. (2020): see
`shiftbench.datasets.ner.corrections`. Tested on CoNLL's other parts with corrected labels (CleanCoNLL). `classes` are
all kinds of names, or persons alone. Features as in `conll_person`.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, origin_of, seen_columns
from shiftbench.datasets.common.settings import check_choice, check_share
from shiftbench.datasets.ner import clean, conll, corrections
from shiftbench.datasets.ner.features import FEATURE_SETS
from shiftbench.datasets.ner.masked import drop_marks
from shiftbench.datasets.ner.types import CLASSES, encode_tags
from shiftbench.datasets.ner.words import encode, fitting, make_part

SOURCES = ("codait", *clean.SOURCES)
DEFAULTS = {
    "classes": "all",  # or person
    "test": "both",  # or dev, test: parts of CleanCoNLL
    "feature_set": "disjunctive",  # or real_words
    "dev": 0.2,  # the share of the articles to tune on
}


def load(settings, rng):
    """The words of most articles to train on, those of the others to tune on, and the test set."""
    classes = settings["classes"]
    with fitting(settings["folders"]) as folders:
        known = tuple((name, folders[name]) for name in SOURCES)
        text, tags, test, X, X_test, notes = _read(known, settings["test"], settings["feature_set"])
    train = make_part(text, X, tags, classes, np.arange(len(tags)))
    truth = encode_tags(test.tags, classes)
    parts = build(train, Part(X_test, truth, truth, test.articles), settings["dev"], rng, seen_columns)
    origin = origin_of(*settings["folders"].values())
    about = {
        "classes": CLASSES[classes],
        "origin": origin,
        "test_origin": origin,
        "corrected": int((train.labels != train.truth).sum()),
        "spans": notes["spans"],
        "spans_misquoted": notes["misquoted"],
    }
    return parts | {"about": about}


@lru_cache(maxsize=2)
def _read(folders, test_parts, feature_set):
    """The corrected text, CoNLL's own tags, the test set, the features of both, and what the corrections left out."""
    folders = dict(folders)
    official = conll.read(Path(folders["conll2003"], conll.FILES["train"]))
    corrected, notes = corrections.apply_corrections(folders["codait"], "train", official)
    text, test = drop_marks(corrected), clean.read(folders, test_parts)
    return text, drop_marks(official).tags, test, *encode(text, test, feature_set), notes


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "classes", CLASSES)
    yield from check_choice(settings, "test", clean.PARTS)
    yield from check_choice(settings, "feature_set", FEATURE_SETS)
    yield from check_share(settings, "dev")
