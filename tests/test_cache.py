"""Compiled kernels: stale ones are dropped, processes share them without harm, and no place to write is no error."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import shiftlr

# Two processes compile one kernel at once, for whole numbers and for fractions. They wait for each other in the steps
# of saving, in the order that is worst for numba's own way: both look at the cache before either has written; the index
# of "whole" and the data of "fraction" are written last.
SHARED = """
import sys, time
from pathlib import Path
import shiftlr.solvers
from numba.core.caching import IndexDataCacheFile as File

me, other = sys.argv[1:]

def done(step):
    Path(f"{me}.{step}").touch()

def wait_for(step):
    while not Path(f"{other}.{step}").exists():
        time.sleep(0.005)

load, save_index, save_data = File._load_index, File._save_index, File._save_data
loads = 0

def slow_load(self):
    global loads
    index, loads = load(self), loads + 1
    if loads == 2:  # the first looks for the kernel, the second saves it
        done("loaded")
        wait_for("loaded")
    return index

def slow_save_index(self, index):
    if me == "whole":
        wait_for("index")
    save_index(self, index)
    done("index")

def slow_save_data(self, name, data):
    if me == "fraction":
        wait_for("data")
    save_data(self, name, data)
    done("data")

File._load_index, File._save_index, File._save_data = slow_load, slow_save_index, slow_save_data
from kernel import double
print(double(2 if me == "whole" else 2.5))
"""
AFTERWARDS = """
import shiftlr.solvers
from kernel import double
print(double(2), double(2.5), sum(double.stats.cache_hits.values()))
"""
KERNEL = """
from numba import njit

@njit(cache=True)
def double(x):
    return x + x
"""


@pytest.fixture
def package(tmp_path):
    """The solvers alone, without compiled kernels."""
    solvers = tmp_path / "shiftlr" / "solvers"
    shutil.copytree(Path(shiftlr.__file__).parent / "solvers", solvers, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "shiftlr" / "__init__.py").touch()
    (tmp_path / "kernel.py").write_text(KERNEL)
    return tmp_path


def run(package, code, *words, **variables):
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        cwd=package,
        env=os.environ | {"PYTHONPATH": str(package)} | variables,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_stale_kernels_are_dropped(package, elsewhere):
    solvers = package / "shiftlr" / "solvers"
    variables = {"NUMBA_CACHE_DIR": str(package / "elsewhere")} if elsewhere else {}
    where = "import shiftlr.solvers._cache as c; print(c._places()[0])"
    place = Path(run(package, where, **variables))
    assert place.is_relative_to(package / "elsewhere") if elsewhere else place == solvers / "__pycache__"
    newest = max(path.stat().st_mtime for path in solvers.glob("*.py"))
    for name, age in (("old.nbi", -10.0), ("new.nbi", 10.0)):
        (place / name).touch()
        os.utime(place / name, (newest + age, newest + age))
    run(package, "import shiftlr.solvers", **variables)
    assert [path.name for path in place.glob("*.nbi")] == ["new.nbi"]


def test_two_processes_compile_at_once(package):
    """Nobody gets what the other compiled; one of the two may have to be compiled anew."""
    pairs = [("whole", "fraction"), ("fraction", "whole")]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", SHARED, *words],
            cwd=package,
            env=os.environ | {"PYTHONPATH": str(package)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for words in pairs
    ]
    assert [process.communicate(timeout=120)[0].strip() for process in processes] == ["4", "5.0"]
    whole, fraction, hits = run(package, AFTERWARDS).split()
    assert (whole, fraction) == ("4", "5.0")
    assert int(hits) >= 1
    assert run(package, AFTERWARDS).split()[2] == "2"


def test_no_place_to_write_is_no_error(package):
    """A file where the cache directories would be: even root cannot write there."""
    for path in (package / "__pycache__", package / "shiftlr" / "solvers" / "__pycache__", package / "home"):
        path.write_text("in the way")
    variables = {"HOME": str(package / "home"), "XDG_CACHE_HOME": str(package / "home"), "TMPDIR": str(package)}
    assert run(package, AFTERWARDS, **variables) == "4 5.0 0"
    assert run(package, AFTERWARDS, **variables) == "4 5.0 2"  # the next job on this node finds them
    (kept,) = package.glob("shiftlr-kernels-*")
    assert kept.stat().st_mode & 0o777 == 0o700


def test_temporary_place_of_others_is_not_taken(package):
    """What is in the cache is executed, so a directory that others can write to is left alone."""
    for path in (package / "__pycache__", package / "shiftlr" / "solvers" / "__pycache__", package / "home"):
        path.write_text("in the way")
    theirs = package / f"shiftlr-kernels-{os.getuid()}"
    theirs.mkdir()
    theirs.chmod(0o777)
    variables = {"HOME": str(package / "home"), "XDG_CACHE_HOME": str(package / "home"), "TMPDIR": str(package)}
    assert run(package, AFTERWARDS, **variables) == "4 5.0 0"
    assert not list(theirs.iterdir())


def test_full_disk_is_no_error(package):
    full = AFTERWARDS.replace(
        "from kernel",
        "from numba.core.caching import IndexDataCacheFile as File\n"
        "def full(*_): raise OSError(28, 'No space left on device')\n"
        "File._save_data = full\nfrom kernel",
    )
    assert run(package, full) == "4 5.0 0"
