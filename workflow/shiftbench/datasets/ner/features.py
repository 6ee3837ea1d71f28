"""Features of words for named-entity recognition, as Stanford's recogniser has them, all of them binary.

Of a word w with shape s, its neighbours w- and w+ with shapes s- and s+ in the same sentence (empty outside it), every
set has

    a constant; w; w-; w+; the prefixes and suffixes of <w> of two to six characters; s; s-; s+; (w-, s); (s, w+);
    (s-, s); (s, s+); (s-, s, s+)

and, by its name,

    disjunctive  each word among the next four; each word among the previous four.
                 Shapes keep every sign that is no letter or digit as it is.
    real_words   where w- has at most three characters, (w--, s) with the word w-- before it; where w+ has, (s, w++)
                 with the word w++ after it.
                 Shapes replace signs by their kind: brackets, dashes, currencies, other punctuation, ...

The report does not say which of Stanford's features it has. Both sets come near its number of features on the test set;
the second also comes near its ratio of training to test features. To add a set: a function, and a line in
`FEATURE_SETS`.

Features are a set: what is named twice counts once. `Vocabulary` numbers those that are seen in training.
"""

import re
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import sparse

# Those of Stanford's pipeline: the short ones (mu, pi, chi, ...) would be found inside too many words.
_GREEK = re.compile("alpha|beta|gamma|delta|epsilon|zeta|theta|iota|kappa|lambda|omicron|rho|sigma|tau|upsilon|omega")
_SHORT = 4  # words up to this length keep the class of every character
_LENGTHS = range(2, 7)  # of prefixes and suffixes
_WINDOW = 4
_LOOKED_PAST = 3  # words up to this length
# Unicode's categories of signs, and the class that stands for each; others are q.
_KINDS = {"Nd": "d", "Nl": "d", "No": "d", "Ll": "x", "Lu": "X", "Lt": "X", "Lo": "c", "Sc": "$", "Sm": "+", "So": "|"}
_KINDS |= {"Ps": "(", "Pe": ")", "Pi": "`", "Pf": "'", "Po": ".", "Pc": "_", "Pd": "-"}
_KINDS |= {"Zs": "s", "Zl": "s", "Zp": "s"}
_OF_THEIR_OWN = "'%"  # punctuation that is a class of its own


def sign_itself(sign: str) -> str:
    """The class of a character: d, x or X; signs stay as they are."""
    if sign.isdigit():
        return "d"
    if sign.islower():
        return "x"
    return "X" if sign.isupper() else sign


def kind_of_sign(sign: str) -> str:
    """The class of a character by its kind: d, x or X; `(` for all that open, `.` for most punctuation, and so on."""
    return sign if sign in _OF_THEIR_OWN else _KINDS.get(unicodedata.category(sign), "q")


class Shapes:
    """Shapes of words in reading order: a word that begins in lower case is known from there on.

    Digits become d, lower-case letters x, upper-case letters X, a Greek letter spelled in lower case inside the word g,
    and other signs what `class_of` makes of them. Longer words keep their first two and last two classes and, sorted,
    the set of those between. Words of letters end in k if they are known in lower case.
    """

    def __init__(self, class_of: Callable[[str], str] = sign_itself):
        self.class_of = class_of
        self.known: set[str] = set()
        self._plain: dict[str, tuple[str, bool]] = {}

    def read(self, word: str) -> str:
        """The shape of the next word of the text."""
        if word[0].islower():
            self.known.add(word)
        if word not in self._plain:
            self._plain[word] = plain_shape(word, self.class_of)
        shape, letters_only = self._plain[word]
        return shape + "k" if letters_only and word.lower() in self.known else shape


def plain_shape(word: str, class_of: Callable[[str], str] = sign_itself) -> tuple[str, bool]:
    """(shape without what is known, whether the word consists of letters)."""
    classes = ["g" if sign == "\0" else class_of(sign) for sign in _GREEK.sub("\0", word)]
    letters_only = all(one in "xX" for one in classes)
    if len(classes) <= _SHORT:
        return "".join(classes), letters_only
    return "".join([*classes[:2], *sorted(set(classes[2:-2])), *classes[-2:]]), letters_only


def pieces(word: str) -> list[str]:
    """Prefixes and suffixes of <word>, each once."""
    marked = f"<{word}>"
    lengths = [length for length in _LENGTHS if length <= len(marked)]
    both = [marked[:length] for length in lengths] + [marked[-length:] for length in lengths]
    return list(dict.fromkeys(both))  # in an order of its own: that of a set changes from run to run


def disjunctive(words: Sequence[str], shapes: Sequence[str], place: int) -> list[str]:
    """The features of one word of a sentence, with the words around it in any order."""
    found = _shared(words, shapes, place)
    found += [f"among next {other}" for other in _window(words[place + 1 : place + 1 + _WINDOW])]
    found += [f"among previous {other}" for other in _window(words[max(0, place - _WINDOW) : place])]
    return found


def _window(words):
    """The distinct words of a window; the empty one where it reaches beyond the sentence."""
    return dict.fromkeys([*words, ""] if len(words) < _WINDOW else words)


def real_words(words: Sequence[str], shapes: Sequence[str], place: int) -> list[str]:
    """The features of one word of a sentence, with the words beyond short neighbours."""
    found, shape, last = _shared(words, shapes, place), shapes[place], len(words) - 1
    if place == 0 or len(words[place - 1]) <= _LOOKED_PAST:
        found.append(f"before previous, shape {words[place - 2] if place > 1 else ''} {shape}")
    if place == last or len(words[place + 1]) <= _LOOKED_PAST:
        found.append(f"shape, after next {shape} {words[place + 2] if place < last - 1 else ''}")
    return found


def _shared(words, shapes, place):
    """What all sets have; names begin with what they are about."""
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
    ]


class FeatureSet(NamedTuple):
    """Features of a word in its sentence, and the class of a character in its shape."""

    of_word: Callable[[Sequence[str], Sequence[str], int], list[str]]
    class_of: Callable[[str], str]


FEATURE_SETS = {
    "disjunctive": FeatureSet(disjunctive, sign_itself),
    "real_words": FeatureSet(real_words, kind_of_sign),
}


class Vocabulary:
    """Columns of the features that were seen in training, and the words known since."""

    def __init__(self, feature_set: str = "disjunctive"):
        self.columns: dict[str, int] = {}
        self.of_word, class_of = FEATURE_SETS[feature_set]
        self.shapes = Shapes(class_of)

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
                found = [column_of(name) for name in self.of_word(words, shapes, row)]
                indices.extend(sorted(column for column in found if column is not None))
                ends.append(len(indices))
            place += len(words)
        shape = len(ends) - 1, len(self.columns)
        return sparse.csr_array((np.ones(len(indices)), np.array(indices), np.array(ends)), shape=shape)
