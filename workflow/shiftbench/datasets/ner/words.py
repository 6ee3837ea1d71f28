"""Words as examples: features, classes, and folders that fit together."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from scipy import sparse

from shiftbench.datasets.base import Part
from shiftbench.datasets.ner import clean, conll, corrections, noisy, testb
from shiftbench.datasets.ner.conll import Corpus
from shiftbench.datasets.ner.features import Vocabulary
from shiftbench.datasets.ner.types import encode_tags
from shiftbench.fetch.record import is_standin

# What writes the stand-in of each source whose files speak of the same words.
_STANDINS = {
    "conll2003": conll.write_standin,
    "conll2003_testb": testb.write_standin,
    "cleanconll": clean.write_standin,
    "noisebench": noisy.write_standin,
    "codait": corrections.write_standin,
}


@contextmanager
def fitting(folders: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """The folders; where only some hold stand-ins, stand-ins of all, since real tags do not fit made-up words."""
    if len({is_standin(folder) for folder in folders.values()}) < 2:
        yield dict(folders)
        return
    with tempfile.TemporaryDirectory() as made:
        for name in folders:
            Path(made, name).mkdir()
            _STANDINS[name](Path(made, name))
        yield {name: str(Path(made, name)) for name in folders}


def encode(train: Corpus, test: Corpus, feature_set: str) -> tuple[sparse.csr_array, sparse.csr_array]:
    """Features of all words of both texts: those that the first has."""
    vocabulary = Vocabulary(feature_set)
    return vocabulary.learn(train.sentences()), vocabulary.encode(test.sentences())


def make_part(corpus: Corpus, X, tags: Sequence[str], classes: str, ids: np.ndarray | None = None) -> Part:
    """All words with the given tags; the corpus has the true ones. Groups are articles."""
    words = np.unique(corpus.words, return_inverse=True)[1]
    truth = encode_tags(corpus.tags, classes)
    return Part(X, encode_tags(tags, classes), truth, corpus.articles, ids, {"word": words})
