"""The decorator of all kernels: numba's `njit`, and a cache of our own for each kernel (`_kernel_cache.py`)."""

from collections.abc import Callable

from numba import njit

_cache_of: Callable | None
try:
    from shiftlr.solvers._kernel_cache import KernelCache
except (ImportError, AttributeError, TypeError):  # a numba that has changed inside, or no source files
    _cache_of = None
else:
    _cache_of = KernelCache


def kernel(**options):
    """Instead of `njit(cache=True, **options)`, for functions of the files in this folder alone.

    Numba's own cache serves where ours cannot.
    """

    def compiled(function):
        made = njit(**options)(function)
        if made is function:  # NUMBA_DISABLE_JIT
            return made
        if _cache_of is None or not hasattr(made, "_cache"):
            return njit(cache=True, **options)(function)
        made._cache = _cache_of(function)
        return made

    return compiled
