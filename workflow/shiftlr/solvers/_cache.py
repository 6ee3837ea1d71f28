"""Where compiled kernels are kept, so that jobs on many nodes can share them.

Numba keeps them beside the source or, where it may not write there, in the user's cache directory. That leaves three
gaps, closed here before the first kernel is decorated:

- A cached kernel contains the kernels it calls, those of other files too, but numba looks only at the file the kernel
  itself stands in. What was compiled before the newest of these files is dropped.
- Numba numbers its files. Two processes that compile the same kernel at once, for other argument types or on another
  kind of processor, may choose the same number, and then one loads what the other compiled. Names made from what is in
  the file cannot collide; the worst left is that a kernel is compiled twice.
- Where there is no place to write, numba raises. A temporary directory serves then, and a full disk is no error.
"""

import hashlib
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from numba import config
from numba.core import caching

# Private names of numba's: a version that lacks one keeps its own ways.
_LOCATORS = [
    getattr(caching, name)
    for name in ("UserProvidedCacheLocator", "InTreeCacheLocator", "UserWideCacheLocator")
    if hasattr(caching, name)
]
_PARTS = ("save", "_dump", "_index_name", "_load_index", "_save_index", "_save_data")


def prepare() -> None:
    """Close the three gaps for this process."""
    if _LOCATORS and not _places():
        config.CACHE_DIR = _temporary()
    _drop_stale()
    file = caching.IndexDataCacheFile("", "", None)
    if all(hasattr(file, part) for part in _PARTS):
        caching.IndexDataCacheFile.save = _save


def _places() -> list[Path]:
    """The directories in which numba could keep these kernels, the one it takes first."""
    found = [locator.from_function(prepare, __file__) for locator in _LOCATORS]
    return [Path(one.get_cache_path()) for one in found if one is not None]


def _temporary() -> str:
    """A directory of this user's alone that other jobs on this node find too: what is in it will be executed."""
    place = Path(tempfile.gettempdir(), f"shiftlr-kernels-{os.getuid()}")
    with suppress(OSError):
        place.mkdir(mode=0o700, exist_ok=True)
        about = place.lstat()
        if place.is_dir() and not place.is_symlink() and about.st_uid == os.getuid() and not about.st_mode & 0o022:
            return str(place)
    return tempfile.mkdtemp(prefix="shiftlr-kernels-")


def _drop_stale() -> None:
    """Forget what was compiled before the newest source was written."""
    here = Path(__file__).parent
    newest = max(source.stat().st_mtime for source in here.glob("*.py"))
    for place in {here / "__pycache__", *_places()}:
        for index in place.glob("*.nbi"):
            with suppress(OSError):  # another process was quicker, or the directory is read-only
                if index.stat().st_mtime < newest:
                    index.unlink()


def _save(self, key, data):
    """Instead of numba's own: the data first, under a name of their own, so that an index never leads astray."""
    name = f"{self._index_name.removesuffix('.nbi')}.{hashlib.sha256(self._dump(key)).hexdigest()[:16]}.nbc"
    with suppress(OSError):  # a full disk, a directory that went away: the kernel is compiled, it just isn't kept
        self._save_data(name, data)
        overloads = self._load_index()
        if overloads.get(key) != name:
            self._save_index(overloads | {key: name})
