"""Words of CoNLL-2003 with six kinds of real label noise, the truth known (Merdjanovska et al. 2024).

`noise` says who labelled the 79,720 words: an expert (CoNLL's own labels), the crowd's best or average workers, distant
supervision by lists, weak supervision by rules, or a large language model. Tested on CoNLL's other parts with corrected
labels (CleanCoNLL). `classes` are all kinds of names, or persons alone. Features as in `conll_person`.
"""

from functools import lru_cache

from shiftbench.datasets.common.settings import check_choice
from shiftbench.datasets.ner import clean, noisy, words

SOURCES = ("noisebench", *clean.SOURCES)
DEFAULTS = {"noise": "llm"} | words.DEFAULTS


def load(settings, rng):
    """The words of most articles to train on, those of the others to tune on, and the test set."""
    folders = words.fitting(settings["folders"])
    text, *others = _read(tuple(folders.items()), settings["test"], settings["feature_set"])
    given = noisy.read_tags(folders["noisebench"], settings["noise"], text)
    return words.load_parts(words.Text(text.corpus, given, text.places, *others), settings, rng)


@lru_cache(maxsize=2)
def _read(folders, test_parts, feature_set):
    """The training text, its features, the test set, and its features."""
    folders = dict(folders)
    text = noisy.read(folders["noisebench"], clean.read_train_words(folders))
    test = clean.read(folders, test_parts)
    X, X_test = words.encode(text.corpus, test, feature_set)
    return text, X, test, X_test


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "noise", noisy.KINDS)
    yield from words.check(settings)
