"""Eight kinds of scenes in LabelMe's images, labelled by 59 crowd workers (Rodrigues and Pereira 2018).

`LabelMe_VGG_avg_train.npy` and `LabelMe_VGG_avg_test.npy` hold 512 features of each image, averages of a neural
network's last layer; `LabelMe_Z_train.txt` and `LabelMe_Z_test.txt` the true class of each; `answers.txt` a line for
each training image and a column for each worker, -1 where the worker was not asked. `answers` says whether an image
gets one worker's answer, drawn at random, or the commonest.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common import crowd
from shiftbench.datasets.common.parts import scale
from shiftbench.datasets.common.votes import check_lengths, read_codes, read_votes

SOURCES = ("labelme_crowd",)
DEFAULTS, check = crowd.DEFAULTS, crowd.check
FEATURES, TRUTH, ANSWERS = "LabelMe_VGG_avg_{part}.npy", "LabelMe_Z_{part}.txt", "answers.txt"
# In the order of LabelMe's folders, by which the classes are numbered.
CLASSES = ["highway", "insidecity", "tallbuilding", "street", "forest", "coast", "mountain", "opencountry"]


class Images(NamedTuple):
    """What the files hold."""

    X: np.ndarray
    truth: np.ndarray
    answers: np.ndarray  # (images, workers)
    X_test: np.ndarray
    test_truth: np.ndarray


def load(settings, rng):
    """Training images, some of which are kept to tune on, and the test set; features are scaled by the former."""
    data = read(settings["folders"]["labelme_crowd"])
    train = Part(data.X, data.truth, data.truth, ids=np.arange(len(data.truth)))
    test = Part(data.X_test, data.test_truth, data.test_truth)
    return crowd.load_parts(train, data.answers, test, CLASSES, settings, rng, scale)


@lru_cache(maxsize=1)
def read(folder: str | Path) -> Images:
    """The images of a folder, or a ValueError that says what is wrong with which file."""
    folder = Path(folder)
    X, X_test = (_features(folder / FEATURES.format(part=part)) for part in ("train", "test"))
    truth, test_truth = (read_codes(folder / TRUTH.format(part=part), len(CLASSES)) for part in ("train", "test"))
    answers = read_votes(folder / ANSWERS, len(CLASSES))
    check_lengths(folder, images=len(X), labels=len(truth), answers=len(answers))
    check_lengths(folder, test_images=len(X_test), labels=len(test_truth))
    if X.shape[1] != X_test.shape[1]:
        raise ValueError(f"{folder}: {X.shape[1]} features of training images, {X_test.shape[1]} of test images")
    return Images(X, truth, answers, X_test, test_truth)


def _features(path):
    try:
        X = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ValueError(f"{path}: is no array of numpy's, or a broken one: {error}") from None
    if X.ndim != 2 or X.dtype.kind != "f" or not np.isfinite(X).all():
        raise ValueError(f"{path}: must be a table of finite numbers; it has shape {X.shape} and type {X.dtype}")
    return X.astype(float)


def write_standin(folder: str | Path, seed: int = 2018) -> None:
    """The files with made-up images: a cloud of points for each class, and a quarter of the answers wrong."""
    rng = np.random.default_rng(seed)
    folder, n, n_workers, n_classes = Path(folder), 240, 10, len(CLASSES)
    centres = rng.normal(size=(n_classes, 32))
    for part in ("train", "test"):
        truth = rng.permutation(np.arange(n) % n_classes)
        X = np.maximum(centres[truth] + rng.normal(size=(n, 32)), 0.0)
        np.save(folder / FEATURES.format(part=part), X.astype(np.float32))
        np.savetxt(folder / TRUTH.format(part=part), truth, fmt="%d")
        if part == "train":
            answers = np.where(
                rng.random((n, n_workers)) < 0.25, rng.integers(n_classes, size=(n, n_workers)), truth[:, None]
            )
            asked = rng.permuted(np.tile(np.arange(n_workers) < 3, (n, 1)), axis=1)
            np.savetxt(folder / ANSWERS, np.where(asked, answers, -1), fmt="%d")
