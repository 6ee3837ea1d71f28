"""All ways in which kernels are used: run by test_kernels.py in a process that may not have to compile anything."""

import itertools
import warnings

import numpy as np
import pandas as pd
from problems import random_problem
from scipy import sparse
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
    model_selection,
    robust_path,
)

PENALTIES = [{"penalty": None}, {"penalty": "l1", "alpha": 0.5}, {"penalty": "l2", "alpha": 0.5}]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def with_indices(kind, frozen=False):
    """A sparse matrix with indices of a given type, in memory that may be read-only, as that of joblib's workers."""

    def convert(X):
        X = sparse.csr_array(X)
        X.indices, X.indptr = X.indices.astype(kind), X.indptr.astype(kind)
        for array in (X.data, X.indices, X.indptr):
            array.flags.writeable = not frozen
        return X

    return convert


STORAGES = {
    "dense": np.asarray,
    "columns first": np.asfortranarray,
    "every other column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "single precision": np.float32,
    "frame": pd.DataFrame,
    "list": np.ndarray.tolist,
    "read-only": lambda X: read_only(np.asfortranarray(X)),
    "csr": sparse.csr_array,
    "csc matrix": sparse.csc_matrix,
    "coo": sparse.coo_array,
    "csr of singles": lambda X: sparse.csr_array(X, dtype=np.float32),
    "csr, 64 bits": with_indices(np.int64),
    "csr, read-only": with_indices(np.int32, frozen=True),
    "csr, 64 bits, read-only": with_indices(np.int64, frozen=True),
}
LABELS = {"numbers": np.asarray, "words": lambda y: np.array(["no", "yes"])[y], "flags": lambda y: y.astype(bool)}
WEIGHTS = {
    "none": lambda w: None,
    "one": lambda w: 2.0,
    "whole": lambda w: np.ceil(w).astype(int),
    "strided": lambda w: np.repeat(w, 2)[::2],
    "read-only": read_only,
}


def models():
    """Every method with every penalty, with and without an intercept."""
    kinds = (
        StandardLogisticRegression,
        RobustLogisticRegression,
        FlippingLogisticRegression,
        PrefilteredLogisticRegression,
    )
    for kind, penalty, intercept in itertools.product(kinds, PENALTIES, (True, False)):
        yield kind(**penalty, fit_intercept=intercept, max_iter=20)
    yield RobustLogisticRegression(lam=1.5, penalty="l2", alpha=1.0, tol=1e-3)
    yield LinearSVM(max_iter=20)
    yield LinearSVM(C=0.1, fit_intercept=False, max_iter=20)


def problems():
    """Few columns, more columns than examples, many columns, ones only: short rows and long ones."""
    random = np.random.default_rng(7)
    for n, m in ((90, 4), (40, 260), (60, 1200)):
        X, y, w = random_problem(n, n, m)
        yield np.where(random.random(X.shape) < (1.0 if m < 10 else 0.1), X, 0.0), y, w
    for m in (150, 3000):
        yield (
            (random.random((80, m)) < 0.3).astype(float),
            random.integers(0, 2, size=80),
            random.uniform(1, 2, size=80),
        )


def use_everything():
    for X, y, w in problems():
        for model in models():
            for store, label, weigh in ways(X.shape[1]):
                model.fit(store(X), label(y), weigh(w))
            model.fit(X, y)
            model.suspected(X, y)
            model.predict(X)
        for store in (np.asarray, sparse.csr_array):
            tune(store(X), y, w)
    long_rows = sparse.csr_array(np.ones((4, 70_000)))
    PrefilteredLogisticRegression(k=2, penalty="l2", alpha=1.0).fit(long_rows, [0, 1, 0, 1])
    use_tall_features()


def use_tall_features():
    """Dense features of many rows, in every storage, and labels that need searches along a line."""
    X, y, w = random_problem(3, 17_000, 2)
    for name, store in STORAGES.items():
        if not name.startswith(("cs", "coo")):
            RobustLogisticRegression(0.3, max_iter=20).fit(store(X), y, w)
    StandardLogisticRegression(max_iter=20).fit(X, X[:, 0] > 0.0)


def ways(n_columns):
    """How features, labels and weights are given: every way for few columns, where dense fits are quick."""
    storages = [store for name, store in STORAGES.items() if n_columns == 4 or (n_columns == 1200 and "cs" in name)]
    few = [sparse.csr_array] if n_columns == 1200 else [np.asarray, sparse.csr_array] if n_columns == 4 else []
    yield from ((store, np.asarray, WEIGHTS["none"]) for store in (*storages, sparse.csr_array))
    yield from ((store, np.asarray, weigh) for store in few for weigh in WEIGHTS.values())
    yield from ((store, label, WEIGHTS["none"]) for store in few for label in LABELS.values())


def tune(X, y, w):
    """All of model_selection."""
    grid = [{"lam": lam, "alpha": alpha} for lam in (0.1, 0.5, 1) for alpha in (1, 3)]
    for penalty in ("l1", "l2"):
        robust = RobustLogisticRegression(penalty=penalty, max_iter=20)
        model_selection.tune_on_dev(robust, grid, X, y, X, y, sample_weight=w)
        model_selection.tune_by_folds(robust, grid, X, y, n_splits=2, limit=model_selection.ShareLimit(about=0.1))
        model_selection.first_procedure(robust, [1, 3], [0.2, 1], X, y, n_splits=2, by="shifts")
        model_selection.second_procedure(robust, [1, 3], [0.2, 1], X, y, n_splits=2)
        robust_path(X, y, [1, 0.5, 0.1], penalty=penalty, alpha=1, max_iter=20)
    model_selection.tune_on_dev(RobustLogisticRegression(max_iter=9), [{"lam": lam} for lam in (1, 0.3)], X, y, X, y)
    filtered = PrefilteredLogisticRegression(penalty="l2", alpha=1.0)
    model_selection.tune_on_dev(filtered, [{"k": 1}, {"k": 4, "rule": "majority"}], X, y, X, y)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    use_everything()
