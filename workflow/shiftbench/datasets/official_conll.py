"""Words of CoNLL-2003's training set with its own labels, and people's corrections of them as the truth.

So the errors of a set that is thought to be clean can be looked for. Corrections by Reiss et al. (2020): see
`shiftbench.datasets.ner.corrections`. Tested on CoNLL's other parts with corrected labels (CleanCoNLL). `classes` are
all kinds of names, or persons alone. Features as in `conll_person`.
"""

from functools import lru_cache
from pathlib import Path

import numpy as np

from shiftbench.datasets.ner import clean, conll, corrections, words
from shiftbench.datasets.ner.masked import drop_marks

SOURCES = ("codait", *clean.SOURCES)
DEFAULTS, check = words.DEFAULTS, words.check


def load(settings, rng):
    """The words of most articles to train on, those of the others to tune on, and the test set."""
    folders = words.fitting(settings["folders"])
    text, notes = _read(tuple(folders.items()), settings["test"], settings["feature_set"])
    parts = words.load_parts(text, settings, rng)
    corrected = sum(int((parts[name].labels != parts[name].truth).sum()) for name in ("train", "dev"))
    parts["about"] |= {"corrected": corrected, "spans": notes["spans"], "spans_misquoted": notes["misquoted"]}
    return parts


@lru_cache(maxsize=2)
def _read(folders, test_parts, feature_set):
    """The text with CoNLL's tags and the corrected ones, the test set, and what was met when they were corrected."""
    folders = dict(folders)
    official = conll.read(Path(folders["conll2003"], conll.FILES["train"]))
    corrected, notes = corrections.apply_corrections(folders["codait"], "train", official)
    corpus, test = drop_marks(corrected), clean.read(folders, test_parts)
    X, X_test = words.encode(corpus, test, feature_set)
    given = drop_marks(official).tags
    return words.Text(corpus, given, np.arange(len(given)), X, test, X_test), notes
