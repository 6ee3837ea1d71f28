"""Compiled kernels, and nothing else but where they are kept."""

from shiftlr.solvers import _cache

_cache.prepare()
