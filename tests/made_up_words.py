"""Made-up words for tests of named-entity recognition: which words are persons, with some labels wrong."""

import numpy as np
from scipy import sparse
from shiftlr.config import complete
from shiftlr.datasets.words import Words

N_TYPES, N_PERSONS, N_SIGNS, N_OTHERS = 40, 10, 4, 20  # the first types of words are persons'
NAMES = [
    "constant",
    *(f"word w{k}" for k in range(N_TYPES)),
    *(f"shape s{k}" for k in range(N_SIGNS)),
    *(f"previous p{k}" for k in range(N_OTHERS)),
]


def make_words(n=300, n_test=200, n_articles=15, wrong=0.1, seed=0):
    """Words whose features tell persons from others, in articles of equal length."""
    rng = np.random.default_rng(seed)

    def draw(size):
        types = rng.integers(N_TYPES, size=size)
        truth = (types < N_PERSONS).astype(int)
        signs = rng.random((size, N_SIGNS)) < np.where(truth, 0.8, 0.2)[:, None]
        others = rng.random((size, N_OTHERS)) < 0.2
        X = np.hstack([np.ones((size, 1)), np.eye(N_TYPES)[types], signs, others])
        return sparse.csr_array(X), truth, np.arange(size) * n_articles // size

    X, truth, articles = draw(n)
    X_test, truth_test, articles_test = draw(n_test)
    labels = np.where(rng.random(n) < wrong, 1 - truth, truth)
    return Words(X, labels, truth, articles, np.arange(n), X_test, truth_test, articles_test)


def make_config(**ner):
    """A small config; `ner` replaces parts of it."""
    base = {
        "folds": 3,
        "sigma2s": [10.0, 0.1],
        "lams": [1.0, 0.3, 0.1, 0.03],
        "share_within": 0.02,
        "resamples": 50,
        "ks": [10, 50],
        "labels": {"turker": {}, "per_article": {}, "auto": {"lam": "share"}, "gold": {"like": "auto"}},
        "methods": {"standard": {}, "flipping": {}, "robust": {}, "prefilter": {"grid": {"k": [1, 2]}}, "svm": {}},
        "curve": {"shares": [0.0, 0.2], "train": 0.5, "held_out": 0.3, "sigma2s": [10.0, 0.1]},
        "thinning": {"shares": [1.0, 0.2], "draws": 2},
    }
    names = ("standard", "flipping", "robust", "prefilter", "svm")
    return {"methods": {name: {} for name in names}, "ner": base | ner}


def make_ner(**ner):
    return complete(make_config(**ner))["ner"]


def method_of(name, file=None, params=None, grid=None):
    """A method as the rules hand it to jobs."""
    return {"name": name, "method": file or name, "params": params or {}, "grid": grid}
