"""Features of short texts: words and pairs of words, weighted by how rare they are."""

import re
from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from shiftbench.datasets.common.parts import Encoder

_SIGNS = re.compile(r"[\W_]+")
_LEAST = 2  # texts with a word or pair of words, else it gets no feature


def tf_idf(texts: Sequence[str] | np.ndarray) -> Encoder:
    """Logarithms of counts times inverse document frequencies, each text of length 1; all learned from these texts."""
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), min_df=_LEAST, sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
    try:
        vectorizer.fit(texts)
    except ValueError as error:
        raise ValueError(f"{len(texts)} training texts: no word is in two of them: {error}") from None
    return lambda raw: sparse.csr_array(vectorizer.transform(raw))


def plain(text: str) -> str:
    """A text without case and punctuation, by which it is recognised elsewhere."""
    return _SIGNS.sub(" ", text.lower()).strip()


def number_texts(texts: Iterable[str]) -> np.ndarray:
    """A number for each text, the same for those that differ in case and punctuation alone."""
    return np.unique([plain(text) for text in texts], return_inverse=True)[1]


def found_in(texts: Iterable[str], others: Iterable[str]) -> np.ndarray:
    """Which texts are among the others, case and punctuation aside."""
    known = {plain(text) for text in others}
    return np.array([plain(text) in known for text in texts], dtype=bool)


def mark(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """The text with the words entity1, entity2, ... on both sides of some spans, which must not overlap."""
    pieces, end = [], len(text)
    for (first, last), number in sorted(zip(spans, range(1, len(spans) + 1), strict=True), reverse=True):
        pieces += [text[last:end], f" entity{number} {text[first:last]} entity{number} "]
        end = first
    return text[:end] + "".join(reversed(pieces))
