"""Features of words for named-entity recognition: Stanford's basic set, all of them binary.

Of a word w with shape s, its neighbours w- and w+ with shapes s- and s+ in the same sentence (empty outside it):

    a constant; w; w-; w+; the prefixes and suffixes of <w> of two to six characters; s; s-; s+; (w-, s); (s, w+);
    (s-, s); (s, s+); (s-, s, s+); each word among the next four; each word among the previous four

Features are a set: what is named twice counts once. `Vocabulary` numbers those that are seen in training.
"""

import re
from array import array
from collections.abc import Iterable, Sequence

import numpy as np
from scipy import sparse

# Those of Stanford's pipeline: the short ones (mu, pi, chi, ...) would be found inside too many words.
_GREEK = re.compile("alpha|beta|gamma|delta|epsilon|zeta|theta|iota|kappa|lambda|omicron|rho|sigma|tau|upsilon|omega")
_SHORT = 4  # words up to this length keep the class of every character
_LENGTHS = range(2, 7)  # of prefixes and suffixes
_WINDOW = 4


class Shapes:
    """Shapes of words in reading order: a word that begins in lower case is known from there on.

    Digits become d, lower-case letters x, upper-case letters X, a Greek letter spelled in lower case inside the word g;
    longer words keep their first two and last two classes and, sorted, the set of those between. Words of letters end
    in k if they are known in lower case.
    """

    def __init__(self):
        self.known: set[str] = set()
        self._plain: dict[str, tuple[str, bool]] = {}

    def read(self, word: str) -> str:
        """The shape of the next word of the text."""
        if word[0].islower():
            self.known.add(word)
        if word not in self._plain:
            self._plain[word] = plain_shape(word)
        shape, letters_only = self._plain[word]
        return shape + "k" if letters_only and word.lower() in self.known else shape


def plain_shape(word: str) -> tuple[str, bool]:
    """(shape without what is known, whether the word consists of letters)."""
    classes = [_class_of(sign) for sign in _GREEK.sub("\0", word)]
    letters_only = all(one in "xX" for one in classes)
    if len(classes) <= _SHORT:
        return "".join(classes), letters_only
    return "".join([*classes[:2], *sorted(set(classes[2:-2])), *classes[-2:]]), letters_only


def _class_of(sign):
    if sign == "\0":
        return "g"
    if sign.isdigit():
        return "d"
    if sign.islower():
        return "x"
    return "X" if sign.isupper() else sign


def pieces(word: str) -> list[str]:
    """Prefixes and suffixes of <word>, each once."""
    marked = f"<{word}>"
    lengths = [length for length in _LENGTHS if length <= len(marked)]
    both = [marked[:length] for length in lengths] + [marked[-length:] for length in lengths]
    return list(dict.fromkeys(both))  # in an order of its own: that of a set changes from run to run


def of_word(words: Sequence[str], shapes: Sequence[str], place: int) -> list[str]:
    """The features of one word of a sentence; names begin with what they are about."""
    last = len(words) - 1
    word, shape = words[place], shapes[place]
    before, s_before = (words[place - 1], shapes[place - 1]) if place > 0 else ("", "")
    after, s_after = (words[place + 1], shapes[place + 1]) if place < last else ("", "")
    return [
        "constant",
        f"word {word}",
        f"previous {before}",
        f"next {after}",
        f"shape {shape}",
        f"previous shape {s_before}",
        f"next shape {s_after}",
        f"previous, shape {before} {shape}",
        f"shape, next {shape} {after}",
        f"previous shape, shape {s_before} {shape}",
        f"shape, next shape {shape} {s_after}",
        f"three shapes {s_before} {shape} {s_after}",
        *(f"piece {piece}" for piece in pieces(word)),
        *(f"among next {other}" for other in _window(words[place + 1 : place + 1 + _WINDOW])),
        *(f"among previous {other}" for other in _window(words[max(0, place - _WINDOW) : place])),
    ]


def _window(words):
    """The distinct words of a window; the empty one where it reaches beyond the sentence."""
    return dict.fromkeys([*words, ""] if len(words) < _WINDOW else words)


class Vocabulary:
    """Columns of the features that were seen in training, and the words known since."""

    def __init__(self):
        self.columns: dict[str, int] = {}
        self.shapes = Shapes()

    @property
    def names(self) -> list[str]:
        """The features in the order of their columns."""
        return list(self.columns)

    def learn(self, sentences: Iterable[Sequence[str]], wanted: np.ndarray | None = None) -> sparse.csr_array:
        """Rows of the words of a training text, or of the `wanted` ones among them; their features become columns.

        All of the text is read for the shapes of words, in its order.
        """
        return self._encode(sentences, wanted, lambda name: self.columns.setdefault(name, len(self.columns)))

    def encode(self, sentences: Iterable[Sequence[str]]) -> sparse.csr_array:
        """Rows of the words of another text; features that were not seen in training are left out."""
        return self._encode(sentences, None, self.columns.get)

    def _encode(self, sentences, wanted, column_of):
        indices, ends, place = array("i"), array("q", [0]), 0
        for words in sentences:
            shapes = [self.shapes.read(word) for word in words]
            rows = range(len(words)) if wanted is None else np.flatnonzero(wanted[place : place + len(words)]).tolist()
            for row in rows:
                found = [column_of(name) for name in of_word(words, shapes, row)]
                indices.extend(sorted(column for column in found if column is not None))
                ends.append(len(indices))
            place += len(words)
        shape = len(ends) - 1, len(self.columns)
        return sparse.csr_array((np.ones(len(indices)), np.array(indices), np.array(ends)), shape=shape)
