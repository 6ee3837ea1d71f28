"""Made-up words: which of them are persons, with some labels wrong. They stand in articles of equal length."""

import numpy as np
from scipy import sparse
from shiftbench.datasets.base import Part, Replicate

N_TYPES, N_PERSONS, N_SIGNS, N_OTHERS = 40, 10, 4, 20  # the first types of words are persons'


def make_parts(n=300, n_test=200, n_articles=15, wrong=0.1, seed=0):
    """Train and test set, whose features tell persons from others."""
    rng = np.random.default_rng(seed)

    def draw(size):
        types = rng.integers(N_TYPES, size=size)
        truth = (types < N_PERSONS).astype(int)
        signs = rng.random((size, N_SIGNS)) < np.where(truth, 0.8, 0.2)[:, None]
        others = rng.random((size, N_OTHERS)) < 0.2
        X = np.hstack([np.ones((size, 1)), np.eye(N_TYPES)[types], signs, others])
        return sparse.csr_array(X), truth, np.arange(size) * n_articles // size, {"word": types}

    X, truth, articles, tags = draw(n)
    X_test, truth_test, articles_test, _ = draw(n_test)
    labels = np.where(rng.random(n) < wrong, 1 - truth, truth)
    train = Part(X, labels, truth, articles, np.arange(n), tags)
    return {"train": train, "test": Part(X_test, truth_test, truth_test, articles_test)}


def make_replicate(parts, scenario="s", number=0):
    return Replicate(scenario, number, parts, {"origin": "other"})
