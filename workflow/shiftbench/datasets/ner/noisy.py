"""NoiseBench (Merdjanovska et al. 2024): sentences of CoNLL's training set with true tags and six kinds of wrong ones.

`clean.traindev` and `noise_KIND.traindev` hold a mask and a tag in each line, and a blank line after each sentence.
`index.txt` says which sentence each is: by its number in the training text, mended and counted with -DOCSTART-, or
"docstart" where an article begins.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.ner.conll import ARTICLE, Corpus
from shiftbench.datasets.ner.made_up import train_corpus
from shiftbench.datasets.ner.masked import drop_marks, join, mask, read_lines
from shiftbench.datasets.ner.types import CLASSES, check_tags

# Shares of wrong types, as the stand-in has them.
KINDS = {"expert": 0.009, "crowdbest": 0.031, "distant": 0.069, "crowd": 0.074, "weak": 0.078, "llm": 0.124}
INDEX, CLEAN = "index.txt", "clean.traindev"
MARK = "docstart"
_MASK = "[TOK]\t{tag}"


class Text(NamedTuple):
    """The sentences with their true tags, and where they come from; -DOCSTART- is left out."""

    corpus: Corpus
    is_word: np.ndarray  # of each line with a tag, whether it is a word; others are -DOCSTART-
    places: np.ndarray  # of each word, its place in the mended training text


def read(folder: str | Path, train_lines: list[str]) -> Text:
    """The sentences of a folder, or a ValueError that says what is wrong with which file."""
    train = join(train_lines, train_lines)
    numbers = _read_index(Path(folder, INDEX), len(train.sentence_starts) - 1)
    path = Path(folder, CLEAN)
    tags = _read_sentences(path)
    if len(tags) != len(numbers):
        raise ValueError(f"{path}: has {len(tags)} sentences, {INDEX} names {len(numbers)}")
    words: list[str] = []
    places: list[int] = []
    lines: list[str] = []
    line_tags: list[str] = []
    for row, (number, sentence) in enumerate(zip(numbers, tags, strict=True), 1):
        first, last = train.sentence_starts[number : number + 2].tolist() if number >= 0 else (0, 1)
        found = train.words[first:last] if number >= 0 else [ARTICLE]
        if len(found) != len(sentence):
            raise ValueError(
                f"{path}: sentence {row} has {len(sentence)} tags, but sentence {number} of CoNLL's training set "
                f"{len(found)} words ({' '.join(found)[:60]})"
            )
        words += found
        places += range(first, last)
        lines += [*found, ""]
        line_tags += [*sentence, ""]
    is_word = np.array([word != ARTICLE for word in words])
    return Text(drop_marks(join(lines, line_tags)), is_word, np.array(places)[is_word])


def read_tags(folder: str | Path, kind: str, text: Text) -> list[str]:
    """The tags of one kind of noise on the words, or a ValueError if they do not fit."""
    path = Path(folder, f"noise_{kind}.traindev")
    sentences = _read_sentences(path)
    tags = [tag for sentence in sentences for tag in sentence]
    if len(tags) != len(text.is_word):
        raise ValueError(f"{path}: has {len(tags)} tags, {CLEAN} {len(text.is_word)}; are they the right files?")
    lengths = np.array([len(sentence) for sentence in sentences])
    before = np.concatenate([[0], np.cumsum(text.is_word)])
    starts = np.unique(before[np.concatenate([[0], np.cumsum(lengths)])])
    if not np.array_equal(starts, text.corpus.sentence_starts):
        raise ValueError(f"{path}: its sentences are not as long as those of {CLEAN}")
    return [tag for tag, is_word in zip(tags, text.is_word, strict=True) if is_word]


def _read_index(path, n_sentences):
    """The number of each sentence, -1 for the beginning of an article."""
    numbers = []
    lines = read_lines(path)
    while lines and not lines[-1].strip():
        lines.pop()
    for row, line in enumerate(lines, 1):
        number = -1 if line == MARK else int(line) if line.isdigit() else n_sentences
        if number >= n_sentences:
            raise ValueError(
                f"{path}: line {row}: {line[:60]!r} is neither {MARK!r} nor one of {n_sentences} sentences"
            )
        numbers.append(number)
    if not numbers or numbers[0] != -1:
        raise ValueError(f"{path}: does not begin with an article ({MARK!r})")
    return numbers


def _read_sentences(path):
    """The tags of each sentence."""
    sentences: list[list[str]] = [[]]
    for number, line in enumerate(read_lines(path), 1):
        if not line.strip():
            sentences.append([])
            continue
        fields = line.split("\t")
        if len(fields) != 2:
            raise ValueError(f"{path}: line {number}: {line[:60]!r} is not a mask and a tag")
        sentences[-1].append(fields[1].strip())
    check_tags(path, [tag for sentence in sentences for tag in sentence])
    return [sentence for sentence in sentences if sentence]


def write_standin(folder: str | Path, seed: int = 2024) -> None:
    """The files for half of the stand-in of CoNLL's training set, with tags made wrong at each kind's rate."""
    rng = np.random.default_rng(seed)
    corpus = train_corpus()
    sentences = corpus.sentences()
    half = int(np.searchsorted(corpus.articles[corpus.sentence_starts[:-1]], (corpus.articles[-1] + 1) // 2))
    index = [MARK if words == [ARTICLE] else str(number) for number, words in enumerate(sentences[:half])]
    Path(folder, INDEX).write_text("".join(f"{line}\n" for line in index), encoding="utf-8")
    ends = set(corpus.sentence_starts.tolist())
    n_words = int(corpus.sentence_starts[half])
    for kind, rate in (("", 0.0), *KINDS.items()):
        wrong = rng.random(n_words) < rate * len(CLASSES["all"]) / (len(CLASSES["all"]) - 1)
        drawn = rng.choice(["O", *(f"B-{name}" for name in CLASSES["all"][1:])], n_words)
        lines: list[str] = []
        tags: list[str] = []
        for place in range(n_words):
            is_word = corpus.words[place] != ARTICLE
            lines.append("word")
            tags.append(str(drawn[place]) if wrong[place] and is_word else corpus.tags[place])
            if place + 1 in ends:
                lines.append("")
                tags.append("")
        name = f"noise_{kind}.traindev" if kind else CLEAN
        Path(folder, name).write_text(mask(lines, _MASK, tags), encoding="utf-8")
