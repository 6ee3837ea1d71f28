"""Compiled kernels, and nothing else.

A cached kernel contains the kernels it calls, those of other files too, but numba looks only at the date of the file
the kernel itself stands in. So what was compiled before the newest of these files is dropped here, before numba finds
it.
"""

from contextlib import suppress
from pathlib import Path

_here = Path(__file__).parent
_newest = max(source.stat().st_mtime for source in _here.glob("*.py"))
for _index in _here.glob("__pycache__/*.nbi"):
    with suppress(OSError):  # another process was quicker, or the folder is read-only and numba caches elsewhere
        if _index.stat().st_mtime < _newest:
            _index.unlink()
