"""Breast tumours of Wisconsin (569 x 30), as scikit-learn ships them."""

from shiftbench.datasets.base import split
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

DEFAULTS = {"dev": 0.25, "test": 0.25}


def load(settings, rng):
    """The tumours cut at random into parts, features scaled."""
    X, y = load_breast_cancer(return_X_y=True)
    parts = split(StandardScaler().fit_transform(X), y, rng, dev=settings["dev"], test=settings["test"])
    return parts | {"about": {"origin": "other"}}
