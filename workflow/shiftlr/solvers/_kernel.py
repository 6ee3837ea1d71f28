"""The decorator of all kernels: numba's `njit`, and a cache of our own for each kernel (`_kernel_cache.py`).

How long kernels take to compile depends on what numba makes of each. Three things it does only where they are needed:
what Python calls a function by, which has to take apart all arguments; what C does; and for functions that only kernels
call, machine code of their own (`_inner_kernel.py`). `inline="always"` is only for a few lines in an inner loop.
"""

from collections.abc import Callable
from functools import cached_property, wraps

import numpy as np
from numba import jit, njit

_cache_of: Callable | None
try:
    from shiftlr.solvers._inner_kernel import InnerCompiler
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
            return _uncompiled(function)
        if _cache_of is None or not hasattr(made, "_cache"):
            return njit(cache=True, **options)(function)
        made.targetoptions["no_cfunc_wrapper"] = True
        made._cache = _cache_of(function)
        made.__class__ = _class_of_kernels(type(made))
        return made

    return compiled


def options_inside(**options):
    """For code that only kernels call: these options of numba's `jit`, and to compile as little as that takes."""
    if _cache_of is None:
        return options
    return {**options, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, "pipeline_class": InnerCompiler}


_classes: dict[type, type] = {}


def _class_of_kernels(kind: type) -> type:
    """Functions as numba has them, of which other kernels call `inner`.

    Numba asks what it finds in a kernel for its type, and the type of a function says what is called.
    """
    if kind not in _classes:
        members = {"inner": cached_property(_inner), "_numba_type_": property(lambda self: self.inner._type)}
        _classes[kind] = type("Kernel", (kind,), {"__module__": __name__, **members})
    return _classes[kind]


def _inner(made):
    """The same without what Python calls it by. It is not kept: whoever is compiled with it is."""
    return jit(**options_inside(**made.targetoptions))(made.py_func)


def _uncompiled(function):
    """The function in plain Python, for debugging, with the arithmetic of compiled code.

    A division by 0 is infinite, and whole numbers of a fixed size overflow, without an error or a warning.
    """

    @wraps(function)
    def call(*given):
        with np.errstate(all="ignore"):
            return function(*(np.float64(value) if type(value) is float else value for value in given))

    return call
