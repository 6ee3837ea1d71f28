"""Genres of songs, ten of them, as 44 crowd workers heard them (Rodrigues, Pereira and Ribeiro 2013).

`music_genre_gold.csv` holds 124 features and the true genre of each training song, `music_genre_test.csv` those of the
test set, `mturk_answers.csv` an answer in each row. `answers` says whether a song gets one worker's answer, drawn at
random, or the commonest.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from shiftbench.datasets.base import Part
from shiftbench.datasets.common import crowd
from shiftbench.datasets.common.parts import scale
from shiftbench.datasets.common.votes import NONE

SOURCES = ("music_genre_crowd",)
DEFAULTS, check = crowd.DEFAULTS, crowd.check
CLASSES = ["blues", "classical", "country", "disco", "hiphop", "jazz", "metal", "pop", "reggae", "rock"]
ANSWERS = ["WorkerID", "Input.song", "Input.true_label", "Answer.pred_label"]


class Songs(NamedTuple):
    """What the files hold."""

    names: np.ndarray
    X: np.ndarray
    truth: np.ndarray
    answers: np.ndarray  # (songs, workers)
    X_test: np.ndarray
    test_truth: np.ndarray


def load(settings, rng):
    """Training songs, some of which are kept to tune on, and the test set; features are scaled by the former."""
    data = read(settings["folders"]["music_genre_crowd"])
    train = Part(data.X, data.truth, data.truth, ids=data.names)
    test = Part(data.X_test, data.test_truth, data.test_truth)
    return crowd.load_parts(train, data.answers, test, CLASSES, settings, rng, scale)


@lru_cache(maxsize=1)
def read(folder: str | Path) -> Songs:
    """The songs of a folder, or a ValueError that says what is wrong with which file."""
    folder = Path(folder)
    names, X, truth = _read_songs(folder / "music_genre_gold.csv")
    test_names, X_test, test_truth = _read_songs(folder / "music_genre_test.csv")
    both = sorted(set(names) & set(test_names))
    if both:
        raise ValueError(f"{folder}: {len(both)} songs to train on are in the test set, too, such as {both[0]}")
    if X.shape[1] != X_test.shape[1]:
        raise ValueError(f"{folder}: {X.shape[1]} features of training songs, {X_test.shape[1]} of test songs")
    return Songs(names, X, truth, _read_answers(folder / "mturk_answers.csv", names, truth), X_test, test_truth)


def _read_songs(path):
    """(name, features, genre) of the songs of a file."""
    frame = _table(path)
    if len(frame.columns) < 3 or frame.columns[0] != "id" or frame.columns[-1] != "class":
        raise ValueError(f"{path}: its columns must be id, features and class; they are {', '.join(frame.columns[:3])}")
    if frame["id"].duplicated().any():
        raise ValueError(f"{path}: has song {frame['id'][frame['id'].duplicated()].iloc[0]} twice")
    X = frame.iloc[:, 1:-1].apply(pd.to_numeric, errors="coerce").to_numpy(dtype=float)
    if not np.isfinite(X).all():
        raise ValueError(f"{path}: has features that are no numbers, first of song {_first(~np.isfinite(X), frame)}")
    return frame["id"].to_numpy(dtype=str), X, _codes(path, frame["class"])


def _read_answers(path, names, truth):
    """A row for each song and a column for each worker."""
    frame = _table(path)
    if list(frame.columns) != ANSWERS:
        raise ValueError(f"{path}: its columns must be {', '.join(ANSWERS)}; they are {', '.join(frame.columns[:4])}")
    songs = pd.Index(names).get_indexer(frame["Input.song"])
    if (songs < 0).any():
        raise ValueError(f"{path}: has answers on songs that are not there, such as {_first(songs < 0, frame, 1)}")
    claimed = _codes(path, frame["Input.true_label"])
    if (claimed != truth[songs]).any():
        raise ValueError(f"{path}: says another true genre of song {_first(claimed != truth[songs], frame, 1)}")
    workers, columns = np.unique(frame["WorkerID"], return_inverse=True)
    answers = np.full((len(names), len(workers)), NONE)
    answers[songs, columns] = _codes(path, frame["Answer.pred_label"])
    silent = (answers == NONE).all(axis=1)
    if silent.any():
        raise ValueError(f"{path}: has no answer on {silent.sum()} songs, such as {names[silent][0]}")
    return answers


def _table(path):
    try:
        frame = pd.read_csv(path, dtype=str, encoding="utf-8")
    except (ValueError, pd.errors.ParserError) as error:
        raise ValueError(f"{path}: is no CSV file in UTF-8: {error}") from None
    if frame.isna().any(axis=None):
        raise ValueError(f"{path}: has rows with missing values, first that of {_first(frame.isna(), frame)}")
    return frame


def _codes(path, genres):
    codes = pd.Index(CLASSES).get_indexer(genres)
    if (codes < 0).any():
        raise ValueError(f"{path}: has genre {genres[codes < 0].iloc[0]!r}; known are {', '.join(CLASSES)}")
    return codes


def _first(wrong, frame, column=0):
    """What the first of the wrong rows calls itself."""
    rows = np.asarray(wrong).reshape(len(frame), -1).any(axis=1)
    return frame.iloc[int(np.argmax(rows)), column]


def write_standin(folder: str | Path, seed: int = 2013) -> None:
    """The files with made-up songs: a cloud of points for each genre, and four answers in ten drawn at random."""
    rng = np.random.default_rng(seed)
    folder, n, n_features, n_workers = Path(folder), 200, 24, 9
    centres = rng.normal(size=(len(CLASSES), n_features))
    names = [f"feature{k}" for k in range(n_features)]
    for file, shift in (("music_genre_gold.csv", 0), ("music_genre_test.csv", n)):
        codes = rng.permutation(np.arange(n) % len(CLASSES))
        genres = np.array(CLASSES)[codes]
        songs = [f"{genre}.{shift + k:05d}.mp3" for k, genre in enumerate(genres)]
        X = centres[codes] + rng.normal(size=(n, n_features))
        frame = pd.DataFrame(np.round(X, 6), columns=names)
        frame.insert(0, "id", songs)
        frame.assign(**{"class": genres}).to_csv(folder / file, index=False)
        if shift == 0:
            rows = [
                (f"W{w}", song, genre)
                for song, genre in zip(songs, genres, strict=True)
                for w in rng.choice(n_workers, 4, False)
            ]
            said = np.where(rng.random(len(rows)) < 0.4, rng.choice(CLASSES, len(rows)), [row[2] for row in rows])
            answers = pd.DataFrame([(*row, one) for row, one in zip(rows, said, strict=True)], columns=ANSWERS)
            answers.to_csv(folder / "mturk_answers.csv", index=False, lineterminator="\r")
