"""Chunks are shared out among threads: all are done once, in forked children and in many threads at a time too."""

import os
import subprocess
import sys
import threading

import numba
import pytest
from shiftlr.solvers import threads
from shiftlr.solvers.threads import share_out

SCRIPT = """
import hashlib, multiprocessing, sys, threading, warnings
import joblib, numpy as np
from scipy import sparse
from sklearn.model_selection import GridSearchCV
from shiftlr import PrefilteredLogisticRegression, RobustLogisticRegression
from shiftlr.solvers import rows

rows.WORTH_SHARING = 0
random = np.random.default_rng(0)
X = sparse.random_array((800, 1200), density=0.01, rng=random, format="csr")
y = (X @ random.normal(size=1200) + random.normal(size=800) > 0.0).astype(int)
fork = multiprocessing.get_context("fork")

def bits():
    found = hashlib.sha256()
    for model in (RobustLogisticRegression(0.3, "l2", 1.0), PrefilteredLogisticRegression(3, penalty="l2", alpha=1.0)):
        model.fit(X, y)
        found.update(model.coef_.tobytes() + model.intercept_.tobytes())
    return found.hexdigest()

def of_a_child():
    receives, sends = fork.Pipe(duplex=False)
    child = fork.Process(target=lambda: sends.send(bits()))
    child.start()
    child.join(60)
    if child.exitcode != 0:
        child.kill()
        sys.exit(f"the child's exit status is {child.exitcode}")
    return receives.recv()

def of_many_threads(action):
    found = []
    others = [threading.Thread(target=lambda: found.extend(bits() for _ in range(3))) for _ in range(4)]
    for other in others:
        other.start()
    found += [action() for _ in range(3)]
    for other in others:
        other.join()
    assert len(found) == 15
    return set(found)

def scores(backend, n_jobs):
    with joblib.parallel_config(backend, n_jobs=n_jobs):
        search = GridSearchCV(RobustLogisticRegression(0.3, "l2", 1.0), {"lam": [0.2, 0.4]}, cv=2).fit(X, y)
    return search.cv_results_["mean_test_score"].tobytes() + search.best_estimator_.coef_.tobytes()

alone = bits()
assert of_a_child() == alone
assert of_many_threads(bits) == {alone}
assert of_many_threads(of_a_child) == {alone}
expected = scores("sequential", 1)
for backend in ("threading", "multiprocessing", "loky"):
    assert scores(backend, 2) == expected, backend
print(alone)
"""


def run(n_threads, layer):
    environment = {**os.environ, "NUMBA_NUM_THREADS": str(n_threads), "NUMBA_THREADING_LAYER": layer}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_forks_threads_and_grid_searches_get_the_same_bits():
    """With numba's parallel loops children died under the default layer, and threads under the other one."""
    assert run(3, "default") == run(3, "workqueue") == run(1, "default")


@pytest.fixture
def three_threads(monkeypatch):
    monkeypatch.setattr(threads, "allowed_threads", lambda: 3)
    monkeypatch.setattr(threads, "_pools", {})


@pytest.mark.parametrize("n_chunks", [1, 2, 3, 7, 8, 100])
def test_every_chunk_is_done_once(three_threads, n_chunks):
    done = []
    share_out(lambda first, last, given: done.extend((given, c) for c in range(first, last)), n_chunks, "given")
    assert sorted(done) == [("given", c) for c in range(n_chunks)]


def test_other_threads_take_part(three_threads):
    """The first chunk to be begun ends only when another thread has begun one."""
    workers, two = set(), threading.Event()

    def work(first, last):
        workers.add(threading.get_ident())
        if len(workers) > 1:
            two.set()
        assert two.wait(30)

    share_out(work, 8)
    assert threading.get_ident() in workers


def test_what_is_not_worthwhile_is_not_shared(three_threads):
    parts = []
    share_out(lambda *part: parts.append(part), 8, worthwhile=False)
    assert parts == [(0, 8)] and threads._pools == {}


@pytest.mark.parametrize("where", ["here", "elsewhere"])
def test_errors_are_raised(three_threads, where):
    """An IndexError too, which says inside that there is nothing left to do."""
    caller, failed = threading.get_ident(), threading.Event()

    def work(first, last):
        if (threading.get_ident() == caller) == (where == "here"):
            failed.set()
            raise IndexError("of the work")
        assert failed.wait(30)

    with pytest.raises(IndexError, match="of the work"):
        share_out(work, 8)


def test_no_thread_can_be_started(three_threads, monkeypatch):
    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    done = []
    share_out(lambda first, last: done.extend(range(first, last)), 8)
    assert sorted(done) == list(range(8))


def test_threads_that_died_in_a_fork_are_not_waited_for(three_threads):
    """The pool of another process: no thread of it would ever take anything."""
    share_out(lambda first, last: None, 8)
    (pool,) = threads._pools.values()
    threads._pools.clear()
    threads._pools[os.getpid() + 1] = pool
    share_out(lambda first, last: None, 8)
    assert len(threads._pools) == 2 and threads._pools[os.getpid()] is not pool


def test_numbas_settings_count_and_numba_starts_no_threads():
    code = """
import numba
from shiftlr.solvers.threads import allowed_threads, share_out
share_out(lambda first, last: None, 8)
print(allowed_threads(), numba.np.ufunc.parallel._is_initialized)
numba.set_num_threads(2)
print(allowed_threads())
"""
    environment = {**os.environ, "NUMBA_NUM_THREADS": "3"}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["3", "False", "2"]
    assert 1 <= threads.allowed_threads() <= numba.config.NUMBA_NUM_THREADS


def test_threads_in_the_way_rest_and_come_back(three_threads):
    """Work that other threads made slower is done without them for a while, twice as long each time."""
    share_out(lambda first, last: None, 8)
    (pool,) = threads._pools.values()
    pool.rest, pool.last_rest = 0, 0
    pool.judge(own_parts=4, all_parts=8, worked=1.0, waited=2.0)
    assert pool.rest == 2
    parts = []
    share_out(lambda *part: parts.append(part), 8)
    assert sorted(parts) == [(0, 7), (7, 8)] and pool.rest == 1
    pool.judge(own_parts=4, all_parts=8, worked=1.0, waited=2.0)
    assert pool.rest == 4
    pool.judge(own_parts=4, all_parts=8, worked=1.0, waited=0.5)
    assert pool.last_rest == 2


def test_long_work_is_shared_even_in_a_rest(three_threads):
    share_out(lambda first, last: None, 8)
    (pool,) = threads._pools.values()
    pool.rest = 5
    done, caller, others = [], threading.get_ident(), threading.Event()

    def work(first, last):
        done.append((first, last))
        if threading.get_ident() != caller:
            others.set()
        elif len(done) == 1:
            threading.Event().wait(2.0 * threads._LONG)
        else:
            assert others.wait(30)

    share_out(work, 8)
    assert sorted(done) == [(c, c + 1) for c in range(8)]
