"""One label for each example out of several votes: a random one, or the commonest."""

from pathlib import Path

import numpy as np

NONE = -1  # a worker who was not asked, or a rule that abstains
WAYS = ("one", "majority")


def draw_labels(votes: np.ndarray, how: str, n_classes: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """(label, voter) of each example: one of its votes drawn at random, or the commonest and no voter (-1).

    `votes` has a row for each example and a column for each voter. Ties are broken at random. Without votes, both are
    -1.
    """
    if how == "one":
        order = np.where(votes == NONE, -1.0, rng.random(votes.shape))
        voters = order.argmax(axis=1)
        labels = votes[np.arange(len(votes)), voters]
        return labels, np.where(labels == NONE, NONE, voters)
    counts = (votes[:, :, None] == np.arange(n_classes)).sum(axis=1)
    labels = (counts + rng.random(counts.shape)).argmax(axis=1)  # less than a vote: it decides ties alone
    return np.where(counts.sum(axis=1) > 0, labels, NONE), np.full(len(votes), NONE)


def read_votes(path: str | Path, n_classes: int) -> np.ndarray:
    """The votes of a file with a line for each example and a number for each voter, or a ValueError."""
    votes = read_numbers(path)
    check_codes(path, votes[votes != NONE], n_classes)
    silent = np.flatnonzero((votes == NONE).all(axis=1))
    if len(silent):
        raise ValueError(f"{path}: {len(silent)} examples without an answer, the first in line {silent[0] + 1}")
    return votes


def read_codes(path: str | Path, n_classes: int) -> np.ndarray:
    """The classes of a file with a number in each line."""
    codes = read_numbers(path)
    if codes.shape[1] != 1:
        raise ValueError(f"{path}: has {codes.shape[1]} numbers in a line, not one")
    check_codes(path, codes, n_classes)
    return codes[:, 0]


def read_numbers(path: str | Path) -> np.ndarray:
    """Whole numbers in lines of the same length."""
    try:
        return np.loadtxt(path, dtype=int, ndmin=2, encoding="utf-8")
    except ValueError as error:
        raise ValueError(f"{path}: is not a file of whole numbers, as many in each line: {error}") from None


def check_codes(path: str | Path, codes: np.ndarray, n_classes: int) -> None:
    """A ValueError unless all are numbers of classes."""
    wrong = np.unique(codes[(codes < 0) | (codes >= n_classes)])
    if len(wrong):
        raise ValueError(f"{path}: has classes {wrong[:5].tolist()}; they must be 0 to {n_classes - 1}")


def check_lengths(path: str | Path, **counts: int) -> None:
    """A ValueError that lists how many there are of each, unless they are as many."""
    if len(set(counts.values())) > 1:
        said = ", ".join(f"{count} {name}" for name, count in counts.items())
        raise ValueError(f"{path}: does not fit together: {said}; are they the files that workflow/sources.yaml names?")
