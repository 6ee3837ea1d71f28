"""CleanCoNLL (Ruecker and Akbik 2023): CoNLL's development and test set with corrected tags, on mended words."""

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

import numpy as np

from shiftbench.datasets.ner import conll, testb
from shiftbench.datasets.ner.conll import ARTICLE, Corpus
from shiftbench.datasets.ner.made_up import news
from shiftbench.datasets.ner.masked import apply_patch, drop_marks, mask, read_annotations, read_words

SOURCES = ("cleanconll", "conll2003", "conll2003_testb")
TRAIN_PATCH = "train_tokens.patch"
_WORDS = {"dev": ("conll2003", conll.FILES["test"]), "test": ("conll2003_testb", testb.FILE)}
PARTS = {"dev": ("dev",), "test": ("test",), "both": ("dev", "test")}


def read(folders: Mapping[str, str], parts: str) -> Corpus:
    """The development set, the test set, or one after the other, without -DOCSTART-."""
    read_all = [_read(folders["cleanconll"], str(Path(folders[_WORDS[name][0]])), name) for name in PARTS[parts]]
    return read_all[0] if len(read_all) == 1 else _chain(*read_all)


@lru_cache(maxsize=2)
def _read(folder, words_folder, name):
    words = read_words(Path(words_folder, _WORDS[name][1]))
    mended = apply_patch(words, Path(folder, f"{name}_tokens.patch"))
    return drop_marks(read_annotations(Path(folder, f"cleanconll_annotations.{name}"), mended))


def read_train_words(folders: Mapping[str, str]) -> list[str]:
    """The words of CoNLL's training set in lines, mended; empty lines end sentences."""
    words = read_words(Path(folders["conll2003"], conll.FILES["train"]))
    return apply_patch(words, Path(folders["cleanconll"], TRAIN_PATCH))


def _chain(first: Corpus, second: Corpus) -> Corpus:
    """Two texts, one after the other."""
    starts = np.concatenate([first.sentence_starts, len(first.words) + second.sentence_starts[1:]])
    articles = np.concatenate([first.articles, first.articles[-1] + 1 + second.articles])
    return Corpus(first.words + second.words, first.tags + second.tags, starts, articles)


def write_standin(folder: str | Path) -> None:
    """The files for the stand-ins of CoNLL's parts: their own tags, and patches that change nothing."""
    for name, text in (("dev", news()[conll.FILES["test"]]), ("test", testb.standin())):
        rows = [line.split() for line in text.decode().splitlines()]
        words, tags = ([row[column] if row else "" for row in rows] for column in (0, 3))
        masked = mask(words, "[TOKEN]\t{tag}", tags)
        Path(folder, f"cleanconll_annotations.{name}").write_text(masked, encoding="utf-8")
    for name in ("train", "dev", "test"):
        Path(folder, f"{name}_tokens.patch").write_text(f"1c1\n< {ARTICLE}\n---\n> {ARTICLE}\n", encoding="utf-8")
