"""Kinds of names as classes: all four of CoNLL's and other words, or persons alone."""

from collections.abc import Sequence

import numpy as np

CLASSES = {"all": ["O", "LOC", "MISC", "ORG", "PER"], "person": ["O", "PER"]}


def encode_tags(tags: Sequence[str], classes: str) -> np.ndarray:
    """The class of each tag, whether it begins with B- or I-; kinds that are no class of their own are the first."""
    names = CLASSES[classes]
    codes = {tag: names.index(tag[2:]) if tag[2:] in names else 0 for tag in set(tags)}
    return np.array([codes[tag] for tag in tags], dtype=int)


def check_tags(path, tags: Sequence[str]) -> None:
    """A ValueError that names a tag of another kind than CoNLL's."""
    known = {"O", *(f"{first}-{name}" for name in CLASSES["all"][1:] for first in "BI")}
    unknown = sorted(set(tags) - known)
    if unknown:
        raise ValueError(f"{path}: has tags {', '.join(map(repr, unknown[:5]))}; known are {', '.join(sorted(known))}")
