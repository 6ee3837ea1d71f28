"""Words of CoNLL-2003 with six kinds of real label noise, the truth known (Merdjanovska et al. 2024).

`noise` says who labelled the 79,720 words: an expert (CoNLL's own labels), the crowd's best or average workers, distant
supervision by lists, weak supervision by rules, or a large language model. Tested on CoNLL's other parts with corrected
labels (CleanCoNLL). `classes` are all kinds of names, or persons alone. Features as in `conll_person`.
"""

from functools import lru_cache

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, origin_of, seen_columns
from shiftbench.datasets.common.settings import check_choice, check_share
from shiftbench.datasets.ner import clean, noisy
from shiftbench.datasets.ner.features import FEATURE_SETS
from shiftbench.datasets.ner.types import CLASSES, encode_tags
from shiftbench.datasets.ner.words import encode, fitting, make_part

SOURCES = ("noisebench", *clean.SOURCES)
DEFAULTS = {
    "noise": "llm",
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
        text, test, X, X_test = _read(known, settings["test"], settings["feature_set"])
        tags = noisy.read_tags(folders["noisebench"], settings["noise"], text)
    train = make_part(text.corpus, X, tags, classes, text.places)
    truth = encode_tags(test.tags, classes)
    parts = build(train, Part(X_test, truth, truth, test.articles), settings["dev"], rng, seen_columns)
    origin = origin_of(*settings["folders"].values())
    about = {"classes": CLASSES[classes], "origin": origin, "test_origin": origin, "words": len(tags)}
    return parts | {"about": about}


@lru_cache(maxsize=2)
def _read(folders, test_parts, feature_set):
    """The training text, the test set, and the features of both."""
    folders = dict(folders)
    text = noisy.read(folders["noisebench"], clean.read_train_words(folders))
    test = clean.read(folders, test_parts)
    return text, test, *encode(text.corpus, test, feature_set)


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "noise", noisy.KINDS)
    yield from check_choice(settings, "classes", CLASSES)
    yield from check_choice(settings, "test", clean.PARTS)
    yield from check_choice(settings, "feature_set", FEATURE_SETS)
    yield from check_share(settings, "dev")
