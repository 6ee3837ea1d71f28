"""One small fit of every kind, so that every kernel is compiled for every type of argument it is ever called with.

What decides about the type is the solver (by the penalty and the number of columns), whether the features are sparse
and, in the search for neighbours, whether they are all ones and how many. Weights, doubts, an intercept, a path and the
type of indices make no difference (`solvers/storage.py`).
"""

import warnings

import numpy as np
from scipy import sparse

from shiftlr.methods.flipping import FlippingLogisticRegression
from shiftlr.methods.robust import RobustLogisticRegression
from shiftlr.methods.svm import LinearSVM
from shiftlr.solvers.dense_passes import measure
from shiftlr.solvers.loss import weighted_loss_along
from shiftlr.solvers.marginal import Marginal
from shiftlr.solvers.neighbours import nearest_rows
from shiftlr.solvers.newton import LOGISTIC, distant_step
from shiftlr.solvers.path import Start
from shiftlr.solvers.source import all_columns, as_stored

_ROWS, _FEW, _MANY = 60, 6, 1100  # sparse features of many columns go to other solvers than those of few
_TALL = 2**14  # rows; dense features of so many are read block by block, whatever their columns
_LENGTHS = (10, 200, 40_000)  # of rows of ones: distances between them need 8, 16 and 32 bits


def fit_everything() -> None:
    """Fit, and forget."""
    random = np.random.default_rng(0)
    sparse_features = [
        sparse.random_array((_ROWS, columns), density=density, rng=random, format="csr")
        for columns, density in ((_FEW, 0.5), (_MANY, 0.05))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not every one of these fits converges
        for X in (random.normal(size=(_ROWS, _FEW)), *sparse_features):
            _fit_all_penalties(X, random)
        _fit_ones(random)
        _fit_classes(random, sparse_features[1])
        _fit_many(random)
        _expand_marginal(sparse_features[0])
        _fit_tall(random)
        nearest_rows(sparse_features[0], 1)
        for length in _LENGTHS:
            nearest_rows(sparse.csr_array(np.ones((3, length))), 1)


def _fit_all_penalties(X, random):
    """The logistic solvers, with the doubts of the flipping model too, and the hinge."""
    y = X @ random.normal(size=X.shape[1]) + random.normal(size=_ROWS) > 0.0
    for penalty, alpha in ((None, 0.0), ("l1", 0.1), ("l2", 0.1)):
        RobustLogisticRegression(0.3, penalty, alpha).fit(X, y)
        FlippingLogisticRegression(penalty, alpha, max_iter=3).fit(X, y)
    LinearSVM().fit(X, y)


def _fit_classes(random, wide):
    """More than two classes, with either kind of shifts, of dense features and of sparse ones, few and many."""
    few, y = random.normal(size=(_ROWS, _FEW)), np.arange(_ROWS) % 3
    for shift in ("label", "group"):
        for X in (few, wide):
            RobustLogisticRegression(0.3, "l2", 0.1, shift=shift, max_iter=3).fit(X, y)
    many = sparse.random_array((3000, _MANY), density=0.1, rng=random, format="csr")
    RobustLogisticRegression(0.3, "l2", 0.1, tol=1e-12, max_iter=2).fit(many, np.arange(3000) % 3)


def _fit_ones(random):
    """Sparse features that are all 1, with a column that the intercept takes up."""
    ones = sparse.csr_array(np.c_[np.ones(_ROWS), random.random((_ROWS, _FEW)) < 0.3].astype(float))
    RobustLogisticRegression(0.3, "l2", 0.1).fit(ones, np.arange(_ROWS) % 2)


def _fit_many(random):
    """Matrices so large that solvers take samples, and so wide that the SVM does not try Newton's method."""
    wide = sparse.random_array((3000, _MANY), density=0.1, rng=random, format="csr")
    RobustLogisticRegression(0.3, "l2", 0.1, tol=1e-2).fit(wide, np.arange(3000) % 2)
    some, tall = wide[:_MANY], random.normal(size=(_TALL, 1))
    for X in (some, some.toarray(), sparse.csr_array(tall), tall):
        LinearSVM(tol=1e-3).fit(X, np.arange(X.shape[0]) % 2)


def _expand_marginal(X):
    """The second derivatives of the flipping model, which a short fit may not look at."""
    marginal = Marginal(X, np.where(np.arange(_ROWS) % 2, 1.0, -1.0), np.ones(_ROWS), None, 0.0, True)
    marginal.expand(marginal.at(Start(np.zeros(_FEW), 0.0), np.full(2, 0.2)))


def _fit_tall(random):
    """Dense features of many rows, and what only difficult ones of them need: searches along a line."""
    tall = random.normal(size=(_TALL, 1))
    RobustLogisticRegression(0.3).fit(tall, tall[:, 0] + random.normal(size=_TALL) > 0.0)
    margins, change, weights, *work = np.ones((6, _ROWS))
    distant_step(LOGISTIC, margins, change, weights, 0.3, 0.0, 0.0, 1.0, *work)
    weighted_loss_along(margins, change, 1.0, weights, 0.3)
    stored = as_stored(random.normal(size=(_ROWS, _FEW)))
    measure(*stored, weights, np.zeros(_FEW))
    all_columns(*stored, np.zeros(_FEW), _ROWS)
