"""Fits ask for one BLAS thread together: when the last one ends, all is as it was."""

import os
import subprocess
import sys
import threading
from contextlib import ExitStack

import pytest
from problems import random_problem
from shiftlr import RobustLogisticRegression
from shiftlr.blas_threads import CountedLimit
from shiftlr.methods.base import on_one_blas_thread
from threadpoolctl import threadpool_info, threadpool_limits


class Library:
    def __init__(self, n_threads):
        self.n_threads = n_threads

    def get_num_threads(self):
        return self.n_threads

    def set_num_threads(self, n_threads):
        self.n_threads = n_threads


@pytest.fixture
def libraries():
    return [Library(4), Library(1), Library(2)]


@pytest.fixture
def limit(libraries):
    return CountedLimit(libraries)


def numbers(libraries):
    return [library.n_threads for library in libraries]


def of_blas():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)], ids=["first in, first out", "nested"])
def test_the_last_one_restores(limit, libraries, order):
    stacks = [ExitStack(), ExitStack()]
    for stack in stacks:
        stack.enter_context(limit.hold())
        assert numbers(libraries) == [1, 1, 1]
    stacks[order[0]].close()
    assert numbers(libraries) == [1, 1, 1]
    stacks[order[1]].close()
    assert numbers(libraries) == [4, 1, 2]


def test_a_fit_that_fails_counts_as_ended(limit, libraries):
    with pytest.raises(KeyboardInterrupt), limit.hold():
        raise KeyboardInterrupt
    assert numbers(libraries) == [4, 1, 2]
    libraries[0].set_num_threads(3)
    with limit.hold():
        pass
    assert numbers(libraries) == [3, 1, 2]


def test_what_is_set_meanwhile_stays(limit, libraries):
    with limit.hold():
        libraries[0].set_num_threads(3)
        libraries[1].set_num_threads(3)
        with limit.hold():
            assert numbers(libraries) == [1, 1, 1]
        libraries[2].set_num_threads(5)
    assert numbers(libraries) == [3, 3, 5]


@pytest.mark.parametrize("n_threads", [2, 3])
def test_fits_that_overlap_leave_blas_as_it_was(n_threads):
    """Each begins before any ends, and they end in the order in which they began."""
    began = [threading.Event() for _ in range(n_threads)]
    ended = [threading.Event() for _ in range(n_threads)]

    @on_one_blas_thread
    def fit(k):
        seen.append(of_blas())
        began[k].set()
        assert began[-1].wait(30)
        assert k == 0 or ended[k - 1].wait(30)

    def run(k):
        assert k == 0 or began[k - 1].wait(30)
        fit(k)
        ended[k].set()

    seen = []
    with threadpool_limits(2, user_api="blas"):
        before = of_blas()
        fits = [threading.Thread(target=run, args=(k,)) for k in range(n_threads)]
        for one in fits:
            one.start()
        for one in fits:
            one.join()
        assert of_blas() == before == [2] * len(before)
    assert len(seen) == n_threads and {n for numbers in seen for n in numbers} == {1}


def test_estimators_in_threads_leave_blas_as_it_was():
    X, y, _ = random_problem(3, 3000, 5)
    with threadpool_limits(2, user_api="blas"):
        before = of_blas()
        fits = [threading.Thread(target=lambda: RobustLogisticRegression().fit(X, y)) for _ in range(8)]
        for fit in fits:
            fit.start()
        for fit in fits:
            fit.join()
        assert of_blas() == before


FORK = """
import os, sys, threading
from threadpoolctl import threadpool_info, threadpool_limits
from shiftlr.blas_threads import _of_the_process, one_blas_thread

def of_blas():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

def fork(expected, then=lambda: None):
    child = os.fork()
    if child == 0:
        then()
        with one_blas_thread():
            good = of_blas() == one
        os._exit(0 if good and of_blas() == expected else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

threadpool_limits(2, user_api="blas")
two, one = of_blas(), [1] * len(of_blas())
inside, go_on = threading.Event(), threading.Event()

def fit():
    with one_blas_thread():
        inside.set()
        go_on.wait()

other = threading.Thread(target=fit)
other.start()
inside.wait()
print(fork(two))  # the fit of the other thread is not in the child
with _of_the_process._lock:
    print(fork(two))  # the lock is held, by whom does not matter
mine = one_blas_thread()
mine.__enter__()
print(fork(one))  # a fit of this thread is in the child
print(fork(two, lambda: mine.__exit__(None, None, None)))
go_on.set()
other.join()
print(of_blas() == one)
mine.__exit__(None, None, None)
print(of_blas() == two)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_child_has_only_the_fits_of_its_own_thread():
    done = subprocess.run([sys.executable, "-c", FORK], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["0", "0", "0", "0", "True", "True"], done.stderr
