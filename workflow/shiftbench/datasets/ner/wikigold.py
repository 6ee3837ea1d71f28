"""Wikigold (Balasuriya et al. 2009): articles of Wikipedia whose names were tagged by people.

A line holds a word and a tag, with a space between; a blank line ends a sentence, and a word -DOCSTART- an article.
"""

from pathlib import Path

import numpy as np

from shiftbench.datasets.ner.conll import ARTICLE, Corpus
from shiftbench.datasets.ner.masked import drop_marks, join, read_lines
from shiftbench.datasets.ner.types import check_tags
from shiftbench.datasets.ner.wiki_silver import made_up_sentences

FILE = "wikigold.conll.txt"


def read(folder: str | Path) -> Corpus:
    """The articles, without -DOCSTART-."""
    path = Path(folder, FILE)
    words: list[str] = []
    tags: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        fields = line.split() or ["", ""]
        if len(fields) != 2:
            raise ValueError(f"{path}: line {number}: {line[:60]!r} is not a word and a tag")
        words.append(fields[0])
        tags.append(fields[1])
    check_tags(path, [tag for tag in tags if tag])
    text = drop_marks(join(words, tags))
    if not text.words:
        raise ValueError(f"{path}: has no words")
    return text._replace(articles=text.articles + 1)  # counted from the marks, which stand at the end of each


def write_standin(folder: str | Path, seed: int = 2009) -> None:
    """The file with made-up sentences, twenty to an article."""
    rng = np.random.default_rng(seed)
    lines = []
    for number, (words, tags) in enumerate(made_up_sentences(rng, 200), 1):
        lines += [f"{word} {tag.replace('B-', 'I-')}" for word, tag in zip(words, tags, strict=True)]
        lines += ["", f"{ARTICLE} O", ""] if number % 20 == 0 else [""]
    Path(folder, FILE).write_text("\n".join(lines) + "\n", encoding="utf-8")
