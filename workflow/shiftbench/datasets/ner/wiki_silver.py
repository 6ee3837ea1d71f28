"""WikiNEuRal (Tedeschi et al. 2021): sentences of Wikipedia whose names were tagged automatically.

A line holds the word's number in its sentence, the word and a tag, with tabs between; a blank line ends a sentence.
"""

from pathlib import Path

import numpy as np

from shiftbench.datasets.ner.conll import Corpus
from shiftbench.datasets.ner.masked import join, read_lines
from shiftbench.datasets.ner.types import check_tags

FILES = ("wikineural_en_val.conllu", "wikineural_en_test.conllu")


def read(folder: str | Path) -> Corpus:
    """The sentences of both files, each an article of its own, since the files do not say where articles end."""
    words: list[str] = []
    tags: list[str] = []
    for name in FILES:
        path = Path(folder, name)
        before = len(tags)
        for number, line in enumerate(read_lines(path), 1):
            fields = line.split("\t") if line.strip() else ["", "", ""]
            if len(fields) != 3 or bool(fields[1].strip()) != bool(fields[2].strip()):
                raise ValueError(f"{path}: line {number}: {line[:60]!r} is not a number, a word and a tag")
            words.append(fields[1].strip())
            tags.append(fields[2].strip())
        check_tags(path, [tag for tag in tags[before:] if tag])
        if not any(tags[before:]):
            raise ValueError(f"{path}: has no words")
        words.append("")
        tags.append("")
    text = join(words, tags)
    lengths = np.diff(text.sentence_starts)
    return text._replace(articles=np.repeat(np.arange(len(lengths)), lengths))


def write_standin(folder: str | Path, seed: int = 2021) -> None:
    """Both files with made-up sentences, in which a tenth of the persons is missed."""
    rng = np.random.default_rng(seed)
    for name in FILES:
        lines: list[str] = []
        for words, tags in made_up_sentences(rng, 300):
            for number, (word, tag) in enumerate(zip(words, tags, strict=True)):
                missed = tag.endswith("PER") and rng.random() < 0.1
                lines.append(f"{number}\t{word}\t{'O' if missed else tag}")
            lines.append("")
        Path(folder, name).write_text("\n".join(lines) + "\n", encoding="utf-8")


_NAMES = ("Ada", "Blaise", "Carl", "Emmy", "Grace", "Kurt", "Maria", "Niels")
_PLACES = ("Lisbon", "Oslo", "Prague", "Turin")
_VERBS = ("wrote", "visited", "painted", "founded", "left", "studied")


def made_up_sentences(rng, n: int):
    """(words, tags) of n sentences: a person does something in a place."""
    for _ in range(n):
        surname = f"{rng.choice(['Ber', 'Kol', 'Mon', 'Tar'])}{rng.choice(['man', 'sen', 'dini', 'ova'])}"
        start = [(str(rng.choice(_NAMES)), "B-PER"), (surname, "I-PER")] if rng.random() < 0.5 else [("It", "O")]
        rest = [(str(rng.choice(_VERBS)), "O"), (f"thing{rng.integers(40)}", "O"), ("in", "O")]
        pairs = [*start, *rest, (str(rng.choice(_PLACES)), "B-LOC"), (".", "O")]
        yield [word for word, _ in pairs], [tag for _, tag in pairs]
