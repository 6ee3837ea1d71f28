"""Eight kinds of scenes in LabelMe's images, labelled by 59 crowd workers (Rodrigues and Pereira 2018).

`train.npy` and `test.npy` hold 512 features of each image, averages of a neural network's last layer;
`truth_train.txt`, `truth_test.txt` the true class of each; `answers.txt` a line for each training image and a column
for each worker, -1 where the worker was not asked. `answers` says whether an image gets one worker's answer, drawn at
random, or the commonest.
"""

from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, origin_of, scale
from shiftbench.datasets.common.settings import check_choice, check_share
from shiftbench.datasets.common.votes import WAYS, check_lengths, draw_labels, read_codes, read_votes

SOURCES = ("labelme_crowd",)
DEFAULTS = {"answers": "one", "dev": 0.2}  # or majority; the share of the training images to tune on
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
    folder = settings["folders"]["labelme_crowd"]
    data = read(folder)
    labels, workers = draw_labels(data.answers, settings["answers"], len(CLASSES), rng)
    train = Part(data.X, labels, data.truth, ids=np.arange(len(labels)), tags={"worker": workers})
    test = Part(data.X_test, data.test_truth, data.test_truth)
    origin = origin_of(folder)
    about = {"classes": CLASSES, "origin": origin, "test_origin": origin}
    return build(train, test, settings["dev"], rng, scale) | {"about": about}


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "answers", WAYS)
    yield from check_share(settings, "dev")


@lru_cache(maxsize=1)
def read(folder: str | Path) -> Images:
    """The images of a folder, or a ValueError that says what is wrong with which file."""
    folder = Path(folder)
    X, X_test = _features(folder / "train.npy"), _features(folder / "test.npy")
    truth, test_truth = (read_codes(folder / f"truth_{part}.txt", len(CLASSES)) for part in ("train", "test"))
    answers = read_votes(folder / "answers.txt", len(CLASSES))
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
        np.save(folder / f"{part}.npy", X.astype(np.float32))
        np.savetxt(folder / f"truth_{part}.txt", truth, fmt="%d")
        if part == "train":
            answers = np.where(
                rng.random((n, n_workers)) < 0.25, rng.integers(n_classes, size=(n, n_workers)), truth[:, None]
            )
            asked = rng.permuted(np.tile(np.arange(n_workers) < 3, (n, 1)), axis=1)
            np.savetxt(folder / "answers.txt", np.where(asked, answers, -1), fmt="%d")
