"""The real data sets, where the workflow has fetched them; never a stand-in."""

from functools import cache
from pathlib import Path

import numpy as np

from shiftbench.datasets import colon as colon_files
from shiftbench.datasets.ner import conll
from shiftbench.datasets.ner.features import Vocabulary
from shiftbench.fetch.record import is_standin, read_record
from shiftbench.speed.problem import Skipped

SOURCES = Path("results/data/sources")
FEW = 300  # sentences, for small sizes


def folder_of(source):
    """The folder of a fetched source; `Skipped` where there is none, or only a stand-in."""
    folder = SOURCES / source
    if not read_record(folder).get("kind"):
        raise Skipped(f"{source} is not fetched; run `make data` first")
    if is_standin(folder):
        raise Skipped(f"{source} is a stand-in here; run `make data` where the real data can be had")
    return folder


@cache
def colon():
    """62 tissues x 2000 genes, every gene at mean 0 and standard deviation 1, tumours positive."""
    data = colon_files.read(folder_of("alon1999"))
    X = colon_files.preprocess(data.intensities, log=False, per_array=False, per_gene=True)
    return X, np.where(data.labels == 1, 1.0, -1.0)


def corpus():
    """The training words of CoNLL-2003."""
    return conll.read(folder_of("conll2003") / conll.FILES["train"])


@cache
def some_named_entities(quick=False):
    """The 204,567 training words, or those of the first sentences, with their binary features; persons are positive."""
    words = corpus()
    sentences = words.sentences()[: FEW if quick else None]
    X = Vocabulary().learn(sentences)
    return X, np.where(words.is_person[: X.shape[0]], 1.0, -1.0)
