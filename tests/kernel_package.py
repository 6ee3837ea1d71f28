"""A package of two kernels, one of which calls the other, and processes that use them."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import shiftlr

AFTERWARDS = """
from shiftlr.solvers.double import double
print(double(2), double(2.5), sum(double.stats.cache_hits.values()))
"""
TIMES = """
from shiftlr.solvers._kernel import kernel

@kernel(inline="never")
def times(x):
    return x + x
"""
DOUBLE = """
from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.times import times

@kernel(error_model="numpy")
def double(x):
    return times(x)
"""


def make_package(tmp_path):
    """The decorator alone, with two kernels, one of which calls the other."""
    solvers = tmp_path / "shiftlr" / "solvers"
    solvers.mkdir(parents=True)
    for name in ("kernels.py", "solvers/_kernel.py", "solvers/_inner_kernel.py", "solvers/_kernel_cache.py"):
        shutil.copy(Path(shiftlr.__file__).parent / name, tmp_path / "shiftlr" / name)
    for folder in (solvers, solvers.parent):
        (folder / "__init__.py").touch()
    (solvers / "times.py").write_text(TIMES)
    (solvers / "double.py").write_text(DOUBLE)
    return tmp_path


def start(package, code, *words, **variables):
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_")}
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code, *words],
        cwd=package,
        env=inherited | {"PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, error = process.communicate(timeout=300)
    assert process.returncode == 0, error
    return out.strip()


def run(package, code, *words, **variables):
    return finish(start(package, code, *words, **variables))
