"""Tags without words: files that follow CoNLL's line by line once patches have mended CoNLL's words.

CoNLL's text may not be passed on, so corrected tags come with masks in the words' places. A patch, as `diff` writes it,
tells how the first column of CoNLL's lines changes: words are taken apart, and needless ends of sentences go.
"""

import re
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.ner.conll import ARTICLE, Corpus
from shiftbench.datasets.ner.types import check_tags

_COMMAND = re.compile(r"(\d+)(?:,(\d+))?([acd])\d+(?:,\d+)?")


def read_lines(path: str | Path) -> list[str]:
    """The lines of a file."""
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not text in UTF-8: {error}") from None


def read_words(path: str | Path) -> list[str]:
    """The first column of each line of a file of CoNLL's; empty for the end of a sentence."""
    return [(line.split() or [""])[0] for line in read_lines(path)]


class _Change(NamedTuple):
    """A change of some lines, or, where there are no old ones, new lines after the first."""

    line: int  # of the patch
    first: int
    n_lines: int
    old: list[str]
    new: list[str]


def apply_patch(words: list[str], path: str | Path) -> list[str]:
    """The lines as the patch changes them, or a ValueError if it is not about them."""
    mended: list[str] = []
    done = 0
    for change in _changes(path):
        start, end = change.first - 1, change.first - 1 + change.n_lines
        if change.n_lines == 0:
            start = end = change.first
        if start < done or len(change.old) != change.n_lines or words[start:end] != change.old:
            raise ValueError(
                f"{path}: line {change.line}: does not fit the text, which has other words in line {start + 1}"
            )
        mended += words[done:start] + change.new
        done = end
    return mended + words[done:]


def _changes(path) -> list[_Change]:
    found: list[_Change] = []
    for number, line in enumerate(read_lines(path), 1):
        if match := _COMMAND.fullmatch(line):
            first = int(match[1])
            n_lines = 0 if match[3] == "a" else int(match[2] or first) + 1 - first
            found.append(_Change(number, first, n_lines, [], []))
        elif found and line[:2] in ("< ", "<"):
            found[-1].old.append(line[2:])
        elif found and line[:2] in ("> ", ">"):
            found[-1].new.append(line[2:])
        elif line != "---" or not found:
            raise ValueError(f"{path}: line {number}: {line[:60]!r} is none of a patch")
    if not found:
        raise ValueError(f"{path}: is no patch: nothing is changed")
    return found


def join(words: list[str], tags: list[str]) -> Corpus:
    """The text of lines and their tags; both are empty at the end of a sentence."""
    places = [place for place, word in enumerate(words) if word]
    kept = [words[place] for place in places]
    starts = [k for k, place in enumerate(places) if place == 0 or not words[place - 1] or words[place - 1] == ARTICLE]
    articles = np.cumsum([word == ARTICLE for word in kept]) - 1
    return Corpus(kept, [tags[place] for place in places], np.array([*starts, len(kept)]), articles)


def read_annotations(path: str | Path, words: list[str]) -> Corpus:
    """The text with the tags in the last column of a file that has a line for each of the words' lines."""
    tags = [line.split("\t")[-1].strip() for line in read_lines(path)]
    ends = max((place for place, word in enumerate(words) if word), default=-1) + 1
    if any(tags[ends:]) or len(tags) < ends:
        raise ValueError(f"{path}: has {len(tags)} lines, CoNLL's text {len(words)}; are they the right files?")
    other = next((place for place in range(ends) if bool(words[place]) != bool(tags[place])), None)
    if other is not None:
        raise ValueError(f"{path}: line {other + 1}: a word stands beside no tag, or a tag beside no word")
    check_tags(path, [tag for tag in tags if tag])
    return join(words[:ends], tags[:ends])


def drop_marks(corpus: Corpus) -> Corpus:
    """The text without -DOCSTART-, which is no word."""
    is_word = np.array([word != ARTICLE for word in corpus.words])
    places = np.flatnonzero(is_word)
    before = np.concatenate([[0], np.cumsum(is_word)])
    starts = np.unique(before[corpus.sentence_starts])
    return Corpus(
        [corpus.words[place] for place in places],
        [corpus.tags[place] for place in places],
        starts,
        corpus.articles[places],
    )


def mask(lines: list[str], columns: str, tags: list[str]) -> str:
    """A file of tags without words, for stand-ins: a mask and the tag in each line, `columns` between them."""
    pairs = zip(lines, tags, strict=True)
    return "".join(f"{columns.format(tag=tag)}\n" if line else "\n" for line, tag in pairs)
