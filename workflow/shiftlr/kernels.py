"""Compiled kernels, shared between processes, clones of the project and the nodes of a cluster.

Without any of this kernels are kept beside their source files or, where nobody may write there, in the user's cache
directory (`solvers/_kernel_cache.py`). To share them in a folder, compile them once, and export numba's variable to all
processes that are to use them:

    python -m shiftlr.kernels --compile FOLDER  # compiles, and prints:
    export NUMBA_CACHE_DIR=FOLDER

In Python, `ensure(FOLDER)` does the first and `settings(FOLDER)` gives the variable. A process needs it before it
imports numba. `python -m shiftlr.kernels` prints the fingerprint of the kernels; those of another fingerprint are never
used.
"""

import argparse
import gc
import hashlib
import importlib
import os
import platform
import shlex
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from importlib.metadata import version
from pathlib import Path

SOLVERS = Path(os.path.abspath(__file__)).parent / "solvers"

_PROCESSOR_LINES = ("model name", "flags", "Features", "CPU implementer", "CPU architecture", "CPU variant", "CPU part")


def fingerprint() -> str:
    """A hash of all that compiled kernels depend on: the contents of the solvers' files, numba's and Python's version.

    Where the files are and when they were written does not count.
    """
    parts = [version("numba"), "{}.{}".format(*sys.version_info)]
    for path in sorted(SOLVERS.glob("*.py")):
        parts += [path.name, hashlib.sha256(path.read_bytes()).hexdigest()]
    return _hash(parts)


def cpu_id() -> str:
    """A hash of the kind of processor that numba compiles for."""
    parts = [platform.machine(), os.environ.get("NUMBA_CPU_NAME", ""), os.environ.get("NUMBA_CPU_FEATURES", "")]
    with suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            if not line.strip():  # the end of the first processor; the others are of the same kind
                break
            if line.partition(":")[0].strip() in _PROCESSOR_LINES:
                parts.append(line)
    return _hash(parts)[:8]


def settings(folder: str | os.PathLike[str]) -> dict[str, str]:
    """The environment variables of a process that is to share kernels in `folder`."""
    return {"NUMBA_CACHE_DIR": os.path.abspath(folder)}


def is_complete(folder: str | os.PathLike[str]) -> bool:
    """Whether `folder` holds all kernels of this fingerprint for this kind of processor."""
    return _stamp(folder).exists()


def ensure(folder: str | os.PathLike[str]) -> bool:
    """Compile all kernels into `folder`, unless that was done for this fingerprint and kind of processor.

    Processes that call this at the same time wait for the one that compiles. Returns whether this call compiled; a
    folder that cannot be written to is left alone.
    """
    stamp = _stamp(folder)
    if stamp.exists():
        return False
    with ExitStack() as stack:
        try:
            stamp.parent.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context(open(stamp.parent / "lock", "a", encoding="utf-8"))
        except OSError:
            return False
        with suppress(ImportError, OSError):  # a system or a disk without locks: the worst is to compile twice
            import fcntl

            fcntl.flock(lock, fcntl.LOCK_EX)  # until the file is closed, or the process ends
        if stamp.exists():
            return False
        _compile_into(folder)
        stamp.touch()
        return True


def _stamp(folder: str | os.PathLike[str]) -> Path:
    """The file that says that all kernels are there."""
    return Path(os.path.abspath(folder), fingerprint(), f"complete-{cpu_id()}")


def _compile_into(folder: str | os.PathLike[str]) -> None:
    """`compile_all` in a process of its own: this one may have imported numba with other settings."""
    code = "import sys; sys.path.insert(0, sys.argv[1]); from shiftlr.kernels import compile_all; compile_all()"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, str(SOLVERS.parents[1])],
        env={**os.environ, **settings(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"compiling kernels into {folder} failed with status {done.returncode}:\n{done.stderr}")


def compile_all() -> float:
    """Compile every kernel for every type of argument that the estimators use, by small fits; returns the seconds."""
    # By name: who only shares kernels does not depend on every estimator.
    warm_up = importlib.import_module("shiftlr._warm_up")
    started = time.perf_counter()
    collects = gc.isenabled()
    gc.disable()  # the compiler makes millions of objects, and looking through them takes a tenth of the time
    try:
        warm_up.fit_everything()
    finally:
        if collects:
            gc.enable()
    return time.perf_counter() - started


def _hash(parts: list[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def main(words: list[str] | None = None) -> None:
    """The command `python -m shiftlr.kernels`."""
    parser = argparse.ArgumentParser(prog="python -m shiftlr.kernels", description="Share compiled kernels.")
    parser.add_argument("--compile", action="store_true", help="compile all kernels into FOLDER first")
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="print the variables to export; else a fingerprint")
    given = parser.parse_args(words)
    if given.folder is None:
        if given.compile:
            parser.error("--compile needs a FOLDER")
        print(fingerprint())
        return
    if given.compile:
        ensure(given.folder)
        if not is_complete(given.folder):
            parser.error(f"{given.folder}: cannot be written to")
    for name, value in settings(given.folder).items():
        print(f"export {name}={shlex.quote(value)}")


if __name__ == "__main__":
    main()
