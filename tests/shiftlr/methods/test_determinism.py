"""The same bits from one thread and from two, and from a second run."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import hashlib, warnings
import numpy as np
from scipy import sparse
from shiftlr import *

warnings.simplefilter("ignore")
random = np.random.default_rng(0)


def data(n, m, density):
    X = random.normal(size=(n, m)) * (random.random((n, m)) < density)
    return X, (X @ random.normal(size=m) + random.normal(size=n) > 0.0).astype(int)


tall, wide, text = data(20000, 40, 1.0), data(60, 900, 1.0), data(4000, 300, 0.05)
binary = sparse.random_array((30000, 5000), density=0.004, rng=1, format="csr")
binary.data[:] = 1.0
marked = (np.asarray(binary[:, :40].sum(axis=1)).ravel() > 0).astype(int) ^ (random.random(30000) < 0.1)
jobs = [
    (RobustLogisticRegression(), *tall),
    (RobustLogisticRegression(penalty="l2", alpha=1.0), *tall),
    (RobustLogisticRegression(penalty="l2", alpha=1.0), *wide),
    (RobustLogisticRegression(), *wide),
    (RobustLogisticRegression(penalty="l1", alpha=2.0), *wide),
    (RobustLogisticRegression(penalty="l1", alpha=2.0), sparse.csr_array(text[0]), text[1]),
    (RobustLogisticRegression(penalty="l2", alpha=1.0), binary, marked),
    (StandardLogisticRegression(penalty="l2", alpha=1.0), binary, marked),
    (FlippingLogisticRegression(max_iter=20), *tall),
    (PrefilteredLogisticRegression(penalty="l2", alpha=1.0), *text),
    (LinearSVM(C=0.01), *wide),
    (LinearSVM(C=0.01, max_iter=50), sparse.csr_array(text[0]), text[1]),
]
for model, X, y in jobs:
    model.fit(X, y)
    content = model.coef_.tobytes() + model.intercept_.tobytes() + getattr(model, "shifts_", y).tobytes()
    print(model, X.shape, hashlib.sha256(content).hexdigest())
"""


def run(threads):
    names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(threads))}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, check=True, capture_output=True, text=True
    ).stdout.splitlines()


@pytest.fixture(scope="module")
def with_one_thread():
    return run(1)


@pytest.mark.parametrize("threads", [1, 2], ids=["second run", "two threads"])
def test_bits_do_not_change(with_one_thread, threads):
    assert len(with_one_thread) == 12
    assert run(threads) == with_one_thread
