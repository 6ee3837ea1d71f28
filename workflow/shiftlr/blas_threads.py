"""One thread for BLAS while a fit runs, and as many as before when the last of the fits that overlap has ended.

The number of BLAS threads is one setting of the whole process. If every fit put back what it had found, those in other
threads would find, and leave behind, the 1 of the fits before them. So fits are counted. OpenBLAS with OpenMP has a
setting for each thread instead, which threadpoolctl itself can limit and put back.
"""

import os
import threading
from contextlib import contextmanager, nullcontext
from functools import cache, cached_property

import numpy as np  # noqa: F401  # they load the libraries that are looked for below
import scipy.linalg  # noqa: F401
from threadpoolctl import ThreadpoolController


class CountedLimit:
    """A limit of one thread, and how many are within it; `libraries` are controllers of threadpoolctl's.

    Who sets another number meanwhile keeps it, except that the next one to enter sets 1 again.
    """

    def __init__(self, libraries):
        self._libraries = libraries
        self._lock = threading.RLock()  # a fit in a signal handler may interrupt these very lines
        self._in_this_thread = threading.local()
        self._inside = 0
        self._before: dict[int, int] = {}  # by the place in `_settings`
        self._is_known_to_fork = False

    @cached_property
    def _settings(self):
        libraries = list(self._libraries)
        # the first is for any thread; in versions that have it, the other one is for the first thread that used it
        setters = [getattr(one, "_real_set_num_threads", one.set_num_threads) for one in libraries]
        return [(one.get_num_threads, setter) for one, setter in zip(libraries, setters, strict=True)]

    @contextmanager
    def hold(self):
        """One thread until the end of the `with` block."""
        self._enter()
        try:
            yield
        finally:
            self._leave()

    def _enter(self):
        with self._lock:
            if not self._is_known_to_fork and hasattr(os, "register_at_fork"):
                os.register_at_fork(after_in_child=self._stay_with_this_thread)
                self._is_known_to_fork = True
            if self._inside == 0:
                self._before = {}
            for place, (get_number, set_number) in enumerate(self._settings):
                number = get_number()
                if number != 1:
                    self._before[place] = number
                    set_number(1)
            self._inside += 1
            self._in_this_thread.inside = self._inside_here() + 1

    def _leave(self):
        with self._lock:
            self._inside -= 1
            self._in_this_thread.inside = self._inside_here() - 1
            if self._inside == 0:
                self._restore()

    def _inside_here(self):
        return getattr(self._in_this_thread, "inside", 0)

    def _restore(self):
        for place, number in self._before.items():
            get_number, set_number = self._settings[place]
            if get_number() == 1:
                set_number(number)

    def _stay_with_this_thread(self):
        """In a forked child: the other threads are gone, and will neither leave nor give back the lock."""
        self._lock = threading.RLock()
        self._inside = self._inside_here()
        if self._inside == 0:
            self._restore()


def _has_a_setting_for_each_thread(library):
    return library.internal_api == "openblas" and library.threading_layer == "openmp"


@cache
def _blas():
    """What BLAS there is. Looking for it takes as long as many a small fit, which needs no limit."""
    return ThreadpoolController().select(user_api="blas")


class _OfTheProcess:
    """The libraries with one setting of the whole process, looked for when they are first asked for."""

    def __iter__(self):
        return (one for one in _blas().lib_controllers if not _has_a_setting_for_each_thread(one))


_of_the_process = CountedLimit(_OfTheProcess())


@contextmanager
def one_blas_thread():
    """BLAS does not share out its work until the end of the `with` block, whatever other threads do."""
    of_each_thread = [one.filepath for one in _blas().lib_controllers if _has_a_setting_for_each_thread(one)]
    of_this_thread = _blas().limit(limits=dict.fromkeys(of_each_thread, 1)) if of_each_thread else nullcontext()
    with of_this_thread, _of_the_process.hold():
        yield
