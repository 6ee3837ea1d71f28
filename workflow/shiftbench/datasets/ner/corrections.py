"""People's corrections of CoNLL's tags (Reiss et al. 2020), put on CoNLL's words.

A row of the file names a part of CoNLL (`fold`) and an article by its number, and gives two spans of the
article's text with their kinds of name: the one that is tagged and the one that should be. Either may be missing. A
span is written "[first, last): 'its text'", in characters; a mark around the text may be missing. The article's text
has its sentences, -DOCSTART- too, in lines of their own, and spaces between words, but none before most punctuation
and none after what opens brackets. Rows about where sentences and words end are left out: CoNLL's stay as they are.
"""

import csv
import logging
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.ner.conll import Corpus
from shiftbench.datasets.ner.made_up import train_corpus
from shiftbench.datasets.ner.types import CLASSES

log = logging.getLogger(__name__)

FILE = "all_conll_corrections_combined.csv"
COLUMNS = ("fold", "doc_offset", "corpus_span", "corpus_ent_type", "error_type", "correct_span", "correct_ent_type")
FOLDS = ("train", "dev", "test")
OF_ENDS = ("Sentence", "Token")  # error types that are left out
MOST_MISQUOTED = 0.01  # share of the spans that may have another text than they say
_SPAN = re.compile(r"\[(\d+), ?(\d+)\): '?(.*?)'?\s*", re.DOTALL)
_NO_SPACE_BEFORE = re.compile(r"[!#%)*+,-./:;=>?@\]^_`|}~]|'[a-zA-Z]{1,2}")
_NO_SPACE_AFTER = re.compile(r"[(<\[{$]+")


class Span(NamedTuple):
    """A part of an article's text."""

    first: int
    last: int
    text: str


class Correction(NamedTuple):
    """What is tagged, what should be, and as what; None where there is no such span, or no kind is given."""

    fold: str
    article: int
    tagged: Span | None
    correct: Span | None
    kind: str | None


class Corrected(NamedTuple):
    """The text with corrected tags, and what was met on the way."""

    corpus: Corpus
    notes: Counter[str]


def apply_corrections(folder: str | Path, fold: str, corpus: Corpus) -> Corrected:
    """The corpus with its tags corrected: all that is tagged wrongly goes first, then what is right is put in place.

    Spans whose text is not what they quote are left out; a ValueError if there are more than a few of them.
    """
    path = Path(folder, FILE)
    notes: Counter[str] = Counter(spans=0, misquoted=0)
    tags, texts = list(corpus.tags), _texts(corpus)
    found = [
        (row.kind, *(_words_of(span, texts.get(row.article, NOWHERE), notes) for span in (row.tagged, row.correct)))
        for row in read(path)
        if row.fold == fold
    ]
    for _, tagged, _ in found:
        for place in tagged:
            tags[place] = "O"
    for kind, tagged, correct in found:
        kinds = [kind] if kind else [corpus.tags[place][2:] for place in tagged]
        for k, place in enumerate(correct if kinds and kinds[0] else ()):
            tags[place] = f"{'I' if k else 'B'}-{kinds[0]}"
    if notes["misquoted"] > MOST_MISQUOTED * notes["spans"]:
        raise ValueError(
            f"{path}: {notes['misquoted']} of {notes['spans']} spans of {fold} have another text than they quote; is "
            "it the file that workflow/sources.yaml names, and CoNLL's own text?"
        )
    for note, count in sorted(notes.items()):
        log.info("%s: %s: %s: %d", path, fold, note, count)
    return Corrected(corpus._replace(tags=tags), notes)


def read(path: str | Path) -> list[Correction]:
    """The corrections of kinds of names, or a ValueError that names the row that is not as it should be."""
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: is no CSV file in UTF-8: {error}") from None
    lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if lacking or not rows:
        what = f"lacks the columns {', '.join(lacking)}" if lacking else "has no rows"
        raise ValueError(f"{path}: {what}")
    every = [(row, _correction(f"{path}: row {number}", row)) for number, row in enumerate(rows, 1)]
    return [correction for row, correction in every if row["error_type"] not in OF_ENDS]


def _correction(place, row):
    """A row's correction. A span without a kind keeps the one it is tagged as."""
    tagged, correct = (_span(place, row[name]) for name in ("corpus_span", "correct_span"))
    old, new = (_kind(place, row[name]) for name in ("corpus_ent_type", "correct_ent_type"))
    if row["fold"] not in FOLDS or not row["doc_offset"].isdigit() or (tagged is None and correct is None):
        raise ValueError(f"{place}: must name one of {', '.join(FOLDS)}, an article and a span; it is {row}")
    if correct is None and new and not old:  # a missing name, written in the other column
        tagged, correct = None, tagged
    return Correction(row["fold"], int(row["doc_offset"]), tagged, correct, new or old)


def _span(place, text):
    if not text:
        return None
    match = _SPAN.fullmatch(text)
    if match is None:
        raise ValueError(f"{place}: {text!r} is no span \"[FIRST, LAST): 'TEXT'\"")
    return Span(int(match[1]), int(match[2]), match[3])


def _kind(place, text):
    kind = (text or "").strip().upper()
    if kind and kind not in CLASSES["all"][1:]:
        raise ValueError(f"{place}: {text!r} is no kind of name; known are {', '.join(CLASSES['all'][1:])}")
    return kind or None


NOWHERE: tuple[list[tuple[int, int, int]], str] = [], ""  # of an article that is not there


def _texts(corpus):
    """Of each article ((place, first character, one past the last) of its words, its text)."""
    found: dict[int, tuple[list[tuple[int, int, int]], str]] = {}
    for article in range(int(corpus.articles[-1]) + 1):
        words: list[tuple[int, int, int]] = []
        text = ""
        for place, word, new_line in _words(corpus, article):
            if words:
                glued = _NO_SPACE_BEFORE.fullmatch(word) or _NO_SPACE_AFTER.fullmatch(corpus.words[place - 1])
                text += "\n" if new_line else "" if glued else " "
            words.append((place, len(text), len(text) + len(word)))
            text += word
        found[article] = words, text
    return found


def _words(corpus, article) -> Iterator[tuple[int, str, bool]]:
    """(place, word, whether it begins a sentence) of an article."""
    first, last = np.searchsorted(corpus.articles, [article, article + 1])
    starts = set(corpus.sentence_starts.tolist())
    for place in range(first, last):
        yield place, corpus.words[place], place in starts


def _words_of(span, article, notes):
    """The places of the words that a span touches; none if its text is another than it quotes."""
    if span is None:
        return []
    words, text = article
    notes["spans"] += 1
    if text[span.first : span.last] != span.text:
        notes["misquoted"] += 1
        log.info("misquoted: %r, the text has %r", span, text[span.first : span.last])
        return []
    return [place for place, first, last in words if first < span.last and last > span.first]


def write_standin(folder: str | Path, seed: int = 2020) -> None:
    """The file for the stand-in of CoNLL's training set: one word in fifty is said to be another kind of name."""
    rng = np.random.default_rng(seed)
    corpus = train_corpus()
    with Path(folder, FILE).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        for article, (words, text) in _texts(corpus).items():
            for place, first, last in words[1:]:
                if rng.random() < 0.02:
                    old = corpus.tags[place][2:]
                    new = str(rng.choice([name for name in CLASSES["all"][1:] if name != old]))
                    span = f"[{first}, {last}): '{text[first:last]}'"
                    row = {"fold": "train", "doc_offset": article, "corpus_ent_type": old, "correct_ent_type": new}
                    kind = "Tag" if old else "Missing"
                    row |= {"corpus_span": span if old else "", "correct_span": span, "error_type": kind}
                    writer.writerow(row)
