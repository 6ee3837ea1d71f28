"""Where compiled kernels are kept, so that nobody gets one that does not fit.

Numba's own cache leaves four gaps. Here they are closed for our kernels, and numba is left as it is:

- A compiled kernel contains the kernels it calls, those of other files too, but numba looks only at the file the kernel
  itself stands in. Here all are as fresh as the fingerprint, a hash of all these files.
- Numba numbers its files. Two processes that compile the same kernel at once, for other argument types or on another
  kind of processor, may choose the same number, and then one loads what the other compiled. Names made from what is in
  the file cannot collide; the worst left is that a kernel is compiled twice.
- Where there is no place to write, numba raises, and so it does on a full disk. A temporary directory serves then, or
  kernels are not kept.
- A damaged file makes numba raise nearly any error, or run damaged code. Here every file has a checksum, also of its
  name and the fingerprint; what does not match is compiled anew and written over.

This module uses private names of numba's. It cannot be imported with a version that lacks one.
"""

import hashlib
import os
import pickle
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

from numba import config
from numba.core import caching, codegen, compiler, options
from numba.core.runtime import rtsys

from shiftlr import kernels

_USED = {
    caching._CacheLocator: ("ensure_cache_path",),
    caching.UserWideCacheLocator: ("get_cache_path",),
    caching.CompileResultCacheImpl: ("_locator_classes",),
    caching.IndexDataCacheFile: ("save", "load", "flush", "_data_path", "_dump", "_open_for_write"),
    options.DefaultOptions: ("no_cfunc_wrapper", "no_cpython_wrapper"),
    compiler.CompileResult: ("_find_referenced_environments",),
    codegen.JITCPUCodegen: ("set_env",),
    caching.FunctionCache: ("_impl_class", "load_overload", "_load_overload", "save_overload"),
    rtsys: ("initialize",),
    caching.IndexDataCacheFile("", "", None): ("_index_name", "_source_stamp", "_cache_path"),
}
if missing := [name for owner, names in _USED.items() for name in names if not hasattr(owner, name)]:
    raise ImportError(f"this version of numba has no {', '.join(missing)}")
if not (kernels.SOLVERS / "_kernel.py").exists():
    raise ImportError("no source files, as in an archive: nothing to take a fingerprint of")

_BEGINNING = pickle.dumps("shiftlr")  # what stands here is numba's version for those who know no checksums
_CHECKSUM_SIZE = 32

_fingerprint = cache(kernels.fingerprint)
_cpu_id = cache(kernels.cpu_id)


class _Locator(caching._CacheLocator):
    """The first place that can be written to: the folder that was asked for, beside the source, the user's, temporary.

    Numba's warnings ask it for `_py_file`.
    """

    def __init__(self, place, py_func, py_file):
        self._place, self._py_file, self._lineno = place, py_file, py_func.__code__.co_firstlineno

    def get_cache_path(self):
        return self._place

    def get_source_stamp(self):
        return _fingerprint()

    def get_disambiguator(self):
        return f"{self._lineno}-{_cpu_id()}"

    @classmethod
    def from_function(cls, py_func, py_file):
        users_own = caching.UserWideCacheLocator(py_func, py_file).get_cache_path()
        beside = os.path.join(os.path.dirname(os.path.abspath(py_file)), "__pycache__")
        return cls(_place(config.CACHE_DIR, beside, users_own), py_func, py_file)


@cache
def _place(asked_for, beside, users_own):
    """A directory that can be written to; where there is none at all, one that kernels are looked for in."""
    places = [os.path.join(asked_for, _fingerprint())] if asked_for else []
    if not os.path.isabs(users_own):  # no home directory: "~" stands for nothing
        users_own = beside
    for place in (*places, beside, users_own):
        with suppress(OSError):
            os.makedirs(place, exist_ok=True)
            tempfile.TemporaryFile(dir=place).close()
            return place
    with suppress(OSError):
        return _temporary()
    return users_own


def _temporary():
    """A directory of this user's alone that other processes find too: what is in it will be executed."""
    if hasattr(os, "getuid"):
        place = Path(tempfile.gettempdir(), f"shiftlr-kernels-{os.getuid()}")
        with suppress(OSError):
            place.mkdir(mode=0o700, exist_ok=True)
            about = place.lstat()
            if place.is_dir() and not place.is_symlink() and about.st_uid == os.getuid() and not about.st_mode & 0o022:
                return str(place)
    return tempfile.mkdtemp(prefix="shiftlr-kernels-")


class _Files(caching.IndexDataCacheFile):
    """The index and the data of one kernel, each with a checksum."""

    def save(self, key, data):
        if kernels.fingerprint() != self._source_stamp:
            return  # the sources have changed since they were imported, and nobody knows which were compiled
        name = f"{self._index_name.removesuffix('.nbi')}.{hashlib.sha256(self._dump(key)).hexdigest()[:16]}.nbc"
        self._write(name, data)
        overloads = self._load_index()
        if overloads.get(key) != name:
            self._save_index(overloads | {key: name})

    def load(self, key):
        name = self._load_index().get(key)
        return None if name is None else self._read(name)

    def _load_index(self):
        return self._read(self._index_name) or {}

    def _save_index(self, overloads):
        self._write(self._index_name, overloads)

    def _write(self, name, content):
        content = self._dump(content)
        with self._open_for_write(self._data_path(name)) as file:
            file.write(_BEGINNING + self._checksum(name, content) + content)

    def _read(self, name):
        """What was saved by this name, of these sources; None for anything else that may be there."""
        try:
            found = Path(self._data_path(name)).read_bytes()
        except OSError:
            return None
        start = len(_BEGINNING) + _CHECKSUM_SIZE
        content = found[start:]
        if found[:start] != _BEGINNING + self._checksum(name, content):
            return None
        try:
            return pickle.loads(content)
        except Exception:  # undamaged, but something that it is made of has changed
            return None

    def _checksum(self, name, content):
        about = f"{self._source_stamp} {name} ".encode()
        return hashlib.blake2b(about + content, digest_size=_CHECKSUM_SIZE).digest()


class _Implementation(caching.CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class KernelCache(caching.FunctionCache):
    """The cache of one kernel."""

    _impl_class = _Implementation
    _cache_file: caching.IndexDataCacheFile

    def __init__(self, py_func):
        super().__init__(py_func)
        plain = self._cache_file
        self._cache_file = _Files(plain._cache_path, self._impl.filename_base, _fingerprint())

    def load_overload(self, sig, target_context):
        # Numba would first load all that it needs to compile, which takes longer than all kernels of a fit. What was
        # compiled before needs only the functions that allocate memory; what was not, numba prepares for by itself.
        rtsys.initialize(target_context)
        try:
            return self._load_overload(sig, target_context)
        except Exception:  # undamaged, but of another version of LLVM, say: compiled anew, and written over
            return None

    def save_overload(self, sig, data):
        for environment in data._find_referenced_environments():  # of inner kernels too, which nobody else sets
            data.library.codegen.set_env(environment.env_name, environment)
        with suppress(OSError):  # a full disk, a directory that went away: the kernel is compiled, it just isn't kept
            super().save_overload(sig, data)


KernelCache(_temporary)  # an AttributeError here rather than with the first kernel
