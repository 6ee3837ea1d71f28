"""Work in chunks, shared out among threads of our own.

Numba's parallel loops are not used. Under GNU's OpenMP, which a plain installation on Linux gets, a forked child may
not run one after its parent did: it is ended. Under `workqueue`, which numba uses where there is no OpenMP, two threads
that run one at a time end the process. Threads of Python's that call kernels without the interpreter's lock have
neither problem, and wait without load for other processes.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import perf_counter

import numba
from numba import config

_MOST_REST = 64  # calls without other threads, after they have been in the way again and again
_LONG = 0.02  # seconds; work of longer parts is shared in any case


class _Pool(ThreadPoolExecutor):
    """Threads, and how many calls are to be done without them, because they came to less than nothing lately.

    On a busy machine a thread may be stopped in the middle of what it took, and is then waited for. That is known for
    speed alone: results do not depend on it, so that nothing is locked.
    """

    rest, last_rest = 0, 0

    def should_rest(self):
        """Whether this call should do without; counts it."""
        due = self.rest > 0
        self.rest -= due
        return due

    def judge(self, own_parts, all_parts, worked, waited):
        """Rest twice as long as before if this thread, at its pace, would have been done clearly sooner alone."""
        if worked + waited > 1.1 * worked / max(own_parts, 1) * all_parts and own_parts > 0:
            self.rest = self.last_rest = min(max(2 * self.last_rest, 2), _MOST_REST)
        else:
            self.last_rest //= 2


_pools: dict[int, _Pool] = {}  # of this process, and after a fork those of its parents, which are dead


def share_out(work, n_chunks, *given, worthwhile=True):
    """Call work(first, last, *given) until all chunks are done; `work` is a kernel with `nogil`.

    The calling thread takes chunks too and waits only for those that another one has taken, so that it comes to an end
    even if no other thread gets to run. Which thread does a chunk must make no difference to the result.
    """
    n_threads = min(allowed_threads(), n_chunks) if worthwhile else 1
    if n_threads == 1:
        work(0, n_chunks, *given)
        return
    size = max(1, n_chunks // (2 * n_threads))  # more parts than threads, since some threads come late
    parts = [(first, min(first + size, n_chunks)) for first in range(0, n_chunks, size)]
    pool = _pool()
    if pool.should_rest() and _done_alone(work, parts, given):
        return
    n_parts = len(parts)

    def take_parts():
        done = 0
        while parts:
            try:
                first, last = parts.pop()
            except IndexError:  # another thread was quicker
                break
            work(first, last, *given)
            done += 1
        return done

    helpers = []
    with suppress(RuntimeError):  # a limit on threads, or Python is about to end: this thread does it alone
        for _ in range(n_threads - 1):
            helpers.append(pool.submit(take_parts))
    begun = perf_counter()
    try:
        own_parts = take_parts()
    finally:
        ended = perf_counter()
        parts.clear()
        for helper in helpers:
            if not helper.cancel():
                helper.result()
    pool.judge(own_parts, n_parts, ended - begun, perf_counter() - ended)


def _done_alone(work, parts, given):
    """Do the last part; and the others too, unless it shows that they take long."""
    begun = perf_counter()
    first, last = parts.pop()
    work(first, last, *given)
    if perf_counter() - begun > _LONG or not parts:
        return not parts
    work(0, first, *given)
    return True


def allowed_threads():
    """NUMBA_NUM_THREADS, or what `numba.set_num_threads` was told."""
    try:
        numba.threading_layer()
    except ValueError:  # numba has started no threads yet; its `get_num_threads` would
        return config.NUMBA_NUM_THREADS
    return numba.get_num_threads()


def _pool():
    """The threads of this process. They do not survive a fork, and their locks may have been held then."""
    process = os.getpid()
    if process not in _pools:
        most = max(1, config.NUMBA_NUM_THREADS - 1)
        _pools.setdefault(process, _Pool(most, thread_name_prefix="shiftlr"))
    return _pools[process]
