"""Tables whose labels are right, to plant wrong ones in: five from scikit-learn, and two made-up ones with categories.

All examples are trained on, in an order that is drawn anew; there is no test set, as the training labels are what is to
be judged. Features are those that `shiftlr.features.make_transformer` makes, so they are scaled. `digits_halves` has
the digits 0 to 4 against 5 to 9, which no hyperplane tells apart.

The made-up tables `mixed_2` and `mixed_3` (2 and 3 classes) are made anew for each replicate: six numbers, two of them
skewed, four categories of 2 to 12 values, and values missing from half of the columns. The labels are drawn from a
softmax of sums of the transformed features with random weights. About one in twenty is not that of the largest sum.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.special import softmax
from shiftlr.features import make_transformer

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.settings import check_choice

REDRAWN = True  # drawing takes less time than reading
DEFAULTS = {"set": "breast_cancer"}
MIXED = {"mixed_2": 2, "mixed_3": 3}  # classes of the made-up tables
ROWS = 1500  # of these
NUMBERS, SKEWED = 6, 2
CATEGORIES = (2, 3, 6, 12)  # how many values each has
MISSING = 0.08  # of the values of every other column
SPREAD = 0.05  # of the labels of a made-up table are not the likeliest


def load(settings, rng):
    """All examples of a set, as what is trained on."""
    name = settings["set"]
    X, labels, classes = _mixed(MIXED[name], rng) if name in MIXED else SETS[name]()
    rows = rng.permutation(len(labels))
    yield "about", {"classes": classes, "origin": "other"}
    yield "train", Part(X[rows], labels[rows], labels[rows], ids=rows)


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "set", [*SETS, *MIXED])


def _from_scikit_learn(name):
    """A function that gives (features, codes, names of the classes) of a set that comes with scikit-learn."""

    def read():
        from sklearn import datasets

        found = getattr(datasets, f"load_{name}")()
        X = make_transformer(found.data).fit_transform(found.data)
        return X, found.target.astype(int), [str(one) for one in found.target_names]

    return read


def _digits_halves():
    X, digits, _ = _from_scikit_learn("digits")()
    return X, (digits >= 5).astype(int), ["0 to 4", "5 to 9"]


SETS = {name: _from_scikit_learn(name) for name in ("breast_cancer", "digits", "wine", "iris")}
SETS["digits_halves"] = _digits_halves


def _mixed(n_classes, rng):
    """A made-up table with categories and missing values."""
    table = make_table(rng)
    features = make_transformer(table).fit_transform(table)
    X = features.toarray() if hasattr(features, "toarray") else np.asarray(features)
    weights = rng.normal(size=(X.shape[1], n_classes))
    weights -= weights.mean(axis=1, keepdims=True)
    sums = (X - X.mean(axis=0)) @ weights
    sums *= _scale(sums)
    labels = np.argmax(sums + rng.gumbel(size=sums.shape), axis=1)
    return X, labels, [str(k + 1) for k in range(n_classes)]


def make_table(rng, n=ROWS):
    """A data frame of numbers and categories, some of them missing."""
    import pandas as pd

    columns = {}
    for k in range(NUMBERS):
        values = rng.normal(size=n)
        columns[f"number_{k}"] = np.exp(values) if k < SKEWED else values
    for count in CATEGORIES:
        frequencies = rng.dirichlet(np.full(count, 2.0))
        columns[f"one_of_{count}"] = np.array([f"value_{k}" for k in range(count)], dtype=object)[
            rng.choice(count, n, p=frequencies)
        ]
    table = pd.DataFrame(columns)
    for name in table.columns[::2]:
        table.loc[rng.random(n) < MISSING, name] = None
    return table


def _scale(sums):
    """The factor at which the likeliest class is missed with probability `SPREAD` on average."""

    def more_than_wanted(log_factor):
        return 1.0 - softmax(np.exp(log_factor) * sums, axis=1).max(axis=1).mean() - SPREAD

    return np.exp(brentq(more_than_wanted, -20.0, 20.0))
