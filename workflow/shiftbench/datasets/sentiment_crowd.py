"""Sentences of film reviews, positive or negative, labelled by 203 crowd workers (Rodrigues et al. 2013).

`Sentiment_text_train.txt`, `Sentiment_Z_train.txt` (the truth) and `answers.txt` have a line for each of 4,999 training
sentences; answers are -1 where a worker was not asked. `test_answer.csv` has other sentences with their truth, but 128
of the training sentences too, in other spelling: those are left out. `answers` says whether a sentence gets one
worker's answer, drawn at random, or the commonest.
"""

import csv
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common import crowd
from shiftbench.datasets.common.text import found_in, number_texts, tf_idf
from shiftbench.datasets.common.votes import check_lengths, read_codes, read_votes

SOURCES = ("sentiment_crowd",)
DEFAULTS, check = crowd.DEFAULTS, crowd.check
TEXTS, TRUTH, ANSWERS, TEST = "Sentiment_text_train.txt", "Sentiment_Z_train.txt", "answers.txt", "test_answer.csv"
CLASSES = ["negative", "positive"]
_COLUMNS = ["Input.original_sentence", "Input.true_sent"]


class Sentences(NamedTuple):
    """What the files hold."""

    texts: np.ndarray
    groups: np.ndarray  # sentences that differ in spelling alone are one group
    truth: np.ndarray
    answers: np.ndarray  # (sentences, workers)
    test_texts: np.ndarray
    test_truth: np.ndarray
    n_known: int  # test sentences that were left out


def load(settings, rng):
    """Words and pairs of words of the training sentences, some of which are kept to tune on, and of the test set."""
    data = read(settings["folders"]["sentiment_crowd"])
    train = Part(data.texts, data.truth, data.truth, data.groups, np.arange(len(data.truth)))
    test = Part(data.test_texts, data.test_truth, data.test_truth)
    parts = crowd.load_parts(train, data.answers, test, CLASSES, settings, rng, tf_idf)
    parts["about"]["test_left_out"] = data.n_known
    return parts


@lru_cache(maxsize=1)
def read(folder: str | Path) -> Sentences:
    """The sentences of a folder, or a ValueError that says what is wrong with which file."""
    folder = Path(folder)
    texts = _lines(folder / TEXTS)
    truth = read_codes(folder / TRUTH, len(CLASSES))
    answers = read_votes(folder / ANSWERS, len(CLASSES))
    check_lengths(folder, texts=len(texts), labels=len(truth), answers=len(answers))
    others, test_truth = _read_test(folder / TEST)
    known = found_in(others, texts)
    groups = number_texts(texts)
    return Sentences(texts, groups, truth, answers, others[~known], test_truth[~known], int(known.sum()))


def _lines(path):
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: is not text in UTF-8: {error}") from None
    return np.array(text.removesuffix("\n").split("\n"), dtype=object)  # other ends of lines are within sentences


def _read_test(path):
    try:
        with path.open(encoding="utf-8", newline="") as file:
            head, *rows = csv.reader(file)
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise ValueError(f"{path}: is no CSV file in UTF-8: {error}") from None
    wrong = [number for number, row in enumerate(rows, 2) if len(row) != 2 or row[1] not in ("0", "1")]
    if head != _COLUMNS or wrong or not rows:
        where = f"row {wrong[0]} is {rows[wrong[0] - 2]}" if wrong else f"it has {len(rows)} rows under {head}"
        raise ValueError(f"{path}: must have the columns {', '.join(_COLUMNS)}, the second 0 or 1; {where}")
    return np.array([row[0] for row in rows], dtype=object), np.array([int(row[1]) for row in rows])


def write_standin(folder: str | Path, seed: int = 2013) -> None:
    """The files with made-up sentences: some words are used by one side more, and a fifth of the answers is wrong."""
    rng = np.random.default_rng(seed)
    folder, n, n_workers = Path(folder), 300, 12
    truth = rng.integers(2, size=2 * n)
    texts = [" ".join(f"word{k}" for k in _draw_words(side, rng)) for side in truth]
    answers = np.where(rng.random((n, n_workers)) < 0.2, 1 - truth[:n, None], truth[:n, None])
    asked = rng.permuted(np.tile(np.arange(n_workers) < 5, (n, 1)), axis=1)
    (folder / TEXTS).write_text("".join(f"{text} . \n" for text in texts[:n]), encoding="utf-8")
    np.savetxt(folder / TRUTH, truth[:n], fmt="%d")
    np.savetxt(folder / ANSWERS, np.where(asked, answers, -1), fmt="%d")
    with (folder / TEST).open("w", encoding="utf-8", newline="") as file:
        rows = zip(texts[n:], truth[n:].tolist(), strict=True)
        csv.writer(file).writerows([_COLUMNS, *rows])


def _draw_words(side, rng):
    """Twelve of 200 words, the first half of them likelier on one side."""
    weights = np.where(np.arange(200) < 100, 3.0, 1.0)
    weights = weights if side else weights[::-1]
    return rng.choice(200, 12, p=weights / weights.sum())
