"""The CoNLL-2003 corpus (Tjong Kim Sang and De Meulder 2003): news text, one word per line, with names tagged.

A line holds a word, two columns that are not used here, and a tag: O, or B- or I- and the kind of name. A blank line
ends a sentence, and a word -DOCSTART-, a sentence of its own, begins an article. A word is a person if its tag ends in
PER.
"""

import logging
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

ARTICLE = "-DOCSTART-"
TEST_POSITIVES, TEST_NEGATIVES = 3149, 48429  # of the report's Table 3
FILES = {"train": "train.txt", "test": "valid.txt"}  # the shared task's testa is the report's test set
_MOST_NAMED = 5

log = logging.getLogger(__name__)


class Corpus(NamedTuple):
    """Words in reading order."""

    words: list[str]
    tags: list[str]
    sentence_starts: np.ndarray  # the first word of each sentence, and the number of words
    articles: np.ndarray  # of each word, the number of its article

    @property
    def is_person(self) -> np.ndarray:
        """Which words are part of a person's name."""
        return np.array([tag.endswith("PER") for tag in self.tags])

    def sentences(self) -> list[list[str]]:
        """The words of each sentence."""
        return [self.words[first:last] for first, last in pairwise(self.sentence_starts.tolist())]


def read(path: str | Path) -> Corpus:
    """The corpus of a file, or a ValueError that names and counts the lines that are not as they should be."""
    words: list[str] = []
    tags: list[str] = []
    starts: list[int] = []
    articles: list[int] = []
    article, wrong, within = -1, [], False
    for number, line in enumerate(_lines(path), 1):
        fields = line.split()
        if not fields:
            within = False
            continue
        if len(fields) != 4 or not _is_tag(fields[3]):
            wrong.append((number, line))
            continue
        article += fields[0] == ARTICLE
        if not within or fields[0] == ARTICLE:
            starts.append(len(words))
        within = fields[0] != ARTICLE  # a sentence of its own, blank lines around it or not
        words.append(fields[0])
        tags.append(fields[3])
        articles.append(article)
    _refuse(path, wrong)
    if not words or articles[0] < 0:
        raise ValueError(f"{path}: does not begin with an article ({ARTICLE})")
    corpus = Corpus(words, tags, np.array([*starts, len(words)]), np.array(articles))
    scheme = tag_scheme(corpus)
    if scheme is None:
        raise ValueError(f"{path}: its tags follow neither IOB1 nor IOB2, but a mixture of both")
    log.info("%s: %d words, %d sentences, %d articles; %s", path, len(words), len(starts), article + 1, scheme)
    return corpus


def _lines(path):
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not text in UTF-8: {error}") from None


def _is_tag(tag):
    return tag == "O" or (tag[:2] in ("B-", "I-") and len(tag) > 2)


def _refuse(path, wrong):
    if wrong:
        named = "; ".join(f"line {number}: {line[:60]!r}" for number, line in wrong[:_MOST_NAMED])
        more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        raise ValueError(
            f"{path}: {len(wrong)} malformed lines ({named}{more}); a line is a word, two columns and a tag "
            "(O, B-KIND or I-KIND), separated by spaces"
        )


def tag_scheme(corpus: Corpus) -> str | None:
    """How names are tagged: IOB2 begins every name with B-, IOB1 only one that touches another; None if neither."""
    seen: Counter[str] = Counter()
    starts = set(corpus.sentence_starts.tolist())
    before = "O"
    for place, tag in enumerate(corpus.tags):
        before = "O" if place in starts else before
        touches = before[2:] == tag[2:] and before != "O"
        if tag != "O" and not touches:
            seen[tag[0]] += 1  # the first word of a name, and what a name begins with when it touches no other
        before = tag
    if seen["B"] and seen["I"]:
        return None
    return "IOB1" if seen["I"] else "IOB2"


def check_test_set(corpus: Corpus, path: str | Path) -> None:
    """A ValueError unless the test set has exactly the report's numbers of persons and other words."""
    positives = int(corpus.is_person.sum())
    counts = positives, len(corpus.words) - positives
    if counts != (TEST_POSITIVES, TEST_NEGATIVES):
        raise ValueError(
            f"{path}: {counts[0]} persons and {counts[1]} other words, not the report's {TEST_POSITIVES} and "
            f"{TEST_NEGATIVES}; is it the file that workflow/sources.yaml names?"
        )


_FIRST = ("John", "Peter", "David", "Mary", "Anna", "Susan", "Wasim", "Goran", "Ijaz", "Arantxa")
_PLACES = ("London", "Paris", "Rome", "Berlin", "Sittard", "Lagos")
_SYLLABLES = ("ba", "ko", "ri", "sen", "tal", "mi", "dor", "na", "vel", "ju", "pe", "ston")
_SENTENCES = (
    "{name} said on {day} that the {thing} was {other} .",
    "In {place} the {thing} of {name} met {name} .",
    "The {thing} in {place} was {other} , said Mr. {surname} .",
    "{surname} won the {thing} in {place} .",
    "A {other} {thing} was seen near {place} on {day} .",
)


def write_standin(folder: str | Path, seed: int = 2003) -> None:
    """Both files with made-up news: a few patterns of sentences, made-up surnames, nouns and adjectives."""
    rng = np.random.default_rng(seed)

    def word():
        return "".join(rng.choice(_SYLLABLES, rng.integers(2, 4)))

    surnames = [word().capitalize() for _ in range(80)]
    things, others = [word() for _ in range(120)], [word() for _ in range(120)]
    days = ("Monday", "Tuesday", "Friday")
    for file, n_articles in ((FILES["train"], 120), (FILES["test"], 40)):
        lines = []
        for _ in range(n_articles):
            lines += [f"{ARTICLE} -X- O O", ""]
            for pattern in rng.choice(_SENTENCES, rng.integers(4, 12)):
                for part in pattern.split():
                    names = {
                        "{name}": [(rng.choice(_FIRST), "B-PER"), (rng.choice(surnames), "I-PER")],
                        "{surname}": [(rng.choice(surnames), "B-PER")],
                        "{place}": [(rng.choice(_PLACES), "B-LOC")],
                        "{day}": [(rng.choice(days), "O")],
                        "{thing}": [(rng.choice(things), "O")],
                        "{other}": [(rng.choice(others), "O")],
                    }
                    lines += [f"{one} NN O {tag}" for one, tag in names.get(part, [(part, "O")])]
                lines.append("")
        Path(folder, file).write_text("\n".join(lines) + "\n", encoding="utf-8")
