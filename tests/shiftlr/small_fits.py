"""Small fits of every kind, printed: run by test_without_compiling.py with and without a compiler."""

import json
import sys
import warnings

import numpy as np
from estimators import ALL
from scipy import sparse
from shiftlr import RobustLogisticRegression, _warm_up
from shiftlr.methods._smooth import SmoothClassifier
from shiftlr.solvers.hinge import shuffle
from shiftlr.solvers.neighbours import nearest_rows
from shiftlr.solvers.trust_region import sample_rows
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

PENALTIES = ({"penalty": None}, {"penalty": "l1", "alpha": 0.5}, {"penalty": "l2", "alpha": 0.5})


def problems():
    """Dense, sparse with few columns, sparse with so many that other solvers are used, and ones."""
    random = np.random.default_rng(3)
    dense = random.normal(size=(24, 3))
    few = sparse.random_array((24, 4), density=0.6, rng=random, format="csr")
    many = sparse.random_array((24, 1100), density=0.004, rng=random, format="csr")
    for X in (dense, few, many, (many != 0).astype(float)):
        y = X @ random.normal(size=X.shape[1]) + 0.5 * random.normal(size=24) > 0.0
        yield X, y ^ (np.arange(24) % 7 == 0)


def models(X):
    """Every estimator with every penalty; without one, many columns take few steps, since there is no minimum."""
    for estimator in (*ALL, RobustLogisticRegression(0.2)):
        for penalty in PENALTIES if "penalty" in estimator.get_params() else ({},):
            if penalty.get("penalty") == "l1" and isinstance(estimator, SmoothClassifier):
                continue  # it refuses
            endless = X.shape[1] > 1000 and penalty == PENALTIES[0]
            yield clone(estimator).set_params(**penalty, **({"max_iter": 2} if endless else {}))


def answers():
    """What must not depend on compiling, up to rounding: fits that have one answer and found it."""
    for X, y in problems():
        for model in models(X):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always", ConvergenceWarning)
                model.fit(X, y)
            scores = model.decision_function(X)
            unbounded = (
                bool(said) or abs(scores).max() > 100.0
            )  # flipped labels may explain all errors of a large theta
            yield repr(model), None if unbounded else [*scores, *model.suspicion(X, y)]
    ones = (np.arange(60).reshape(12, 5) % 3 == 0).astype(float)
    yield "neighbours", nearest_rows(sparse.csr_array(ones), 3).ravel().tolist()


def bits():
    """What must not depend on compiling at all: numbers from our own generators."""
    order = np.arange(50)
    yield "state", int(shuffle(order, np.uint64(88172645463325252)))
    yield "order", order.tolist()
    kept, curvatures = np.empty(50, np.int64), np.empty(50)
    count = sample_rows(np.linspace(0.0, 0.1, 50), 0.1, 7, kept, curvatures)
    yield "kept", kept[:count].tolist()


if __name__ == "__main__":
    warnings.simplefilter("error", RuntimeWarning)
    _warm_up._ROWS, _warm_up._MANY = 12, 40  # more columns are in the problems above
    _warm_up.fit_everything()
    json.dump({"answers": [*answers()], "bits": [*bits()]}, sys.stdout)
