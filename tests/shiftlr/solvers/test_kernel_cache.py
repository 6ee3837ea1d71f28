"""Compiled kernels: never stale, processes share them without harm, and no place to write is no error."""

import os

import numba
import pytest
from kernel_package import AFTERWARDS, TIMES, finish, make_package, run, start
from shiftlr import kernels
from shiftlr.solvers import _kernel_cache

# Two processes compile one kernel at once, for whole numbers and for fractions. They wait for each other in the steps
# of saving, in the order that is worst for numba's own way: both look at the cache before either has written; the index
# of "whole" and the data of "fraction" are written last.
SHARED = """
import sys, time
from pathlib import Path
from shiftlr.solvers._kernel_cache import _Files as File

me, other = sys.argv[1:]

def done(step):
    Path(f"{me}.{step}").touch()

def wait_for(step):
    while not Path(f"{other}.{step}").exists():
        time.sleep(0.005)

load, write = File._load_index, File._write
loads = 0

def slow_load(self):
    global loads
    index, loads = load(self), loads + 1
    if loads == 2:  # the first looks for the kernel, the second saves it
        done("loaded")
        wait_for("loaded")
    return index

def slow_write(self, name, content):
    step = "data" if name.endswith(".nbc") else "index"
    if (me, step) in (("whole", "index"), ("fraction", "data")):
        wait_for(step)
    write(self, name, content)
    done(step)

File._load_index, File._write = slow_load, slow_write
from shiftlr.solvers.double import double
print(double(2 if me == "whole" else 2.5))
"""


@pytest.fixture
def package(tmp_path):
    return make_package(tmp_path)


@pytest.fixture
def nowhere(package):
    """Files where the cache directories would be: even root cannot write there."""
    for path in (package / "shiftlr" / "solvers" / "__pycache__", package / "home"):
        path.write_text("in the way")
    return {"HOME": str(package / "home"), "XDG_CACHE_HOME": str(package / "home"), "TMPDIR": str(package)}


def test_two_processes_compile_at_once(package):
    """Nobody gets what the other compiled; one of the two may have to be compiled anew."""
    (package / "shiftlr" / "solvers" / "double.py").write_text(TIMES.replace("times", "double"))
    processes = [start(package, SHARED, *words) for words in (("whole", "fraction"), ("fraction", "whole"))]
    assert [finish(process) for process in processes] == ["4", "5.0"]
    whole, fraction, hits = run(package, AFTERWARDS).split()
    assert (whole, fraction) == ("4", "5.0") and int(hits) >= 1
    assert run(package, AFTERWARDS) == "4 5.0 2"


@pytest.mark.parametrize("asked_for", [False, True])
def test_an_edit_of_a_called_file_is_seen(package, asked_for):
    variables = {"NUMBA_CACHE_DIR": str(package / "folder")} if asked_for else {}
    solvers = package / "shiftlr" / "solvers"
    assert run(package, AFTERWARDS, **variables) == "4 5.0 0"
    assert run(package, AFTERWARDS, **variables) == "4 5.0 2"
    places = {path.parent for path in package.rglob("*.nbc")}
    assert {place.parent for place in places} == {package / "folder" if asked_for else solvers}
    about = (solvers / "times.py").stat()
    (solvers / "times.py").write_text(TIMES.replace("x + x", "x * 4"))
    os.utime(solvers / "times.py", (about.st_atime, about.st_mtime))  # as an upgrade may leave it
    assert run(package, AFTERWARDS, **variables) == "8 10.0 0"
    assert run(package, AFTERWARDS, **variables) == "8 10.0 2"


def test_no_place_to_write_is_no_error(package, nowhere):
    assert run(package, AFTERWARDS, **nowhere) == "4 5.0 0"
    assert run(package, AFTERWARDS, **nowhere) == "4 5.0 2"  # the next process on this machine finds them
    (kept,) = package.glob("shiftlr-kernels-*")
    assert kept.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("asked_for", ["", "file", "file/below"])
def test_no_home_and_no_place_to_write_is_no_error(package, nowhere, asked_for):
    """As in a container, for a user without a name: nothing stands for "~", and no such folder is made."""
    (package / "file").touch()
    code = f"""
import os, pwd
def unknown(user): raise KeyError(user)
pwd.getpwuid = unknown
for name in ("HOME", "XDG_CACHE_HOME"): del os.environ[name]
{AFTERWARDS}"""
    variables = nowhere | ({"NUMBA_CACHE_DIR": str(package / asked_for)} if asked_for else {})
    assert run(package, code, **variables) == "4 5.0 0"
    assert run(package, code, **variables) == "4 5.0 2"
    assert not (package / "~").exists() and (package / "file").read_text() == ""


def test_a_temporary_place_of_others_is_not_taken(package, nowhere):
    """What is in the cache is executed, so a directory that others can write to is left alone."""
    theirs = package / f"shiftlr-kernels-{os.getuid()}"
    theirs.mkdir()
    theirs.chmod(0o777)
    assert run(package, AFTERWARDS, **nowhere) == "4 5.0 0"
    assert not list(theirs.iterdir())


def test_not_even_a_temporary_place_is_no_error(package, nowhere):
    code = f"import tempfile; tempfile.tempdir = {str(package / 'home')!r}\n{AFTERWARDS}"
    assert run(package, code, **nowhere) == "4 5.0 0"
    assert not list(package.rglob("*.nb?"))


@pytest.mark.parametrize("step", ["IndexDataCacheFile._open_for_write", "_CacheLocator.ensure_cache_path"])
def test_a_full_disk_is_no_error(package, step):
    full = f"""
from numba.core import caching
def full(*_): raise OSError(28, "No space left on device")
caching.{step} = full
"""
    assert run(package, full + AFTERWARDS) == "4 5.0 0"
    assert not list(package.rglob("*.nb?"))


@pytest.mark.parametrize(
    "change",
    [
        "del caching.UserWideCacheLocator",
        "del caching.IndexDataCacheFile._data_path",
        "caching.FunctionCache = type('FunctionCache', (), {'__init__': lambda self, function: None})",
        "import shiftlr.kernels; shiftlr.kernels.SOLVERS = shiftlr.kernels.SOLVERS / 'in an archive'",
    ],
)
def test_numbas_own_cache_serves_where_ours_cannot(package, change):
    """Names that are gone, a cache without the parts it has now, and no source files."""
    code = f"""
from numba.core import caching, dispatcher
{change}
from shiftlr.solvers.double import double
print(type(double._cache) is dispatcher.FunctionCache, double.targetoptions["error_model"])
"""
    assert run(package, code) == "True numpy"
    if "_data_path" not in change:  # numba itself needs that
        assert run(package, code + AFTERWARDS).endswith("4 5.0 0")
        assert run(package, code + AFTERWARDS).endswith("4 5.0 2")


def test_kernels_call_a_version_that_python_cannot(package):
    """It is compiled in less time. What Python calls is compiled when Python calls it, and gives the same."""
    code = """
from shiftlr.solvers.double import double
from shiftlr.solvers.times import times
print(double(2), len(times.overloads), len(times.inner.overloads), times(3), len(times.overloads))
"""
    assert run(package, code) == "4 0 1 6 1"


def test_an_inner_kernel_finds_what_it_needs_from_python(package):
    """A message that is put together when it is raised, or printed: numba keeps the parts outside of the code."""
    times = TIMES.replace(
        "return x + x", "print('at', x)\n    if x < 0:\n        raise ValueError('below', x)\n    return x + x"
    )
    (package / "shiftlr" / "solvers" / "times.py").write_text(times)
    code = """
from shiftlr.solvers.double import double
print(double(2), sum(double.stats.cache_hits.values()))
try:
    double(-3)
except ValueError as error:
    print(error.args)
"""
    for hits in (0, 1):
        assert run(package, code).splitlines() == ["at 2", f"4 {hits}", "at -3", "('below', -3)"]


def test_without_compiling(package):
    code = "from shiftlr.solvers.double import double; print(double(2), type(double).__name__)"
    assert run(package, code, NUMBA_DISABLE_JIT="1") == "4 function"


def test_the_place_that_was_asked_for_comes_first(tmp_path, monkeypatch):
    file = str(tmp_path / "code" / "loss.py")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    locator = _kernel_cache._Locator.from_function(run, file)
    assert locator.get_cache_path() == str(tmp_path / kernels.fingerprint())
    assert locator.get_source_stamp() == kernels.fingerprint()
    assert locator.get_disambiguator() == f"{run.__code__.co_firstlineno}-{kernels.cpu_id()}"
    (tmp_path / "file").touch()
    for unusable in ("", str(tmp_path / "file")):
        monkeypatch.setattr(numba.config, "CACHE_DIR", unusable)
        place = _kernel_cache._Locator.from_function(run, file).get_cache_path()
        assert place == str(tmp_path / "code" / "__pycache__")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """The files of one kernel, as sources of a given fingerprint see them."""

    def seen_by(fingerprint):
        monkeypatch.setattr(kernels, "fingerprint", lambda: fingerprint)
        return _kernel_cache._Files(str(tmp_path), "kernel", fingerprint)

    return seen_by


def test_an_index_leads_to_nothing_but_its_own(files):
    old, new = files("old"), files("new")
    assert new.load("key") is None
    old.save("key", "compiled")  # by a process whose sources were edited since
    assert old.load("key") is None
    old = files("old")
    old.save("key", "compiled")
    assert old.load("key") == "compiled" and files("new").load("key") is None
    (name,) = old._load_index().values()
    files("new")._write(name, "compiled anew")  # and the index follows later
    assert old.load("key") is None


@pytest.mark.parametrize("contents", [b"", b"\x80"])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_replaced(files, tmp_path, kind, contents):
    ours = files("ours")
    ours.save("key", "compiled")
    (path,) = tmp_path.glob(f"*.{kind}")
    path.write_bytes(contents)
    assert ours.load("key") is None
    ours.save("key", "compiled")
    assert ours.load("key") == "compiled"


def test_every_kernel_has_such_a_cache():
    from shiftlr.solvers import coordinate, hinge, neighbours, newton

    found = [value for module in (coordinate, hinge, neighbours, newton) for value in vars(module).values()]
    found = [value for value in found if numba.extending.is_jitted(value)]
    assert len(found) > 50
    assert {type(one._cache) for one in found} == {_kernel_cache.KernelCache}
