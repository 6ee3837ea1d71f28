"""Compiled kernels are shared between processes and clones, compiled once, and never stale."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import shiftlr
from shiftlr import kernels

PACKAGES = Path(shiftlr.__file__).parents[1]
TESTS = Path(__file__).parents[1]


def start(code, *words, packages=PACKAGES, **variables):
    """A process with its own Python path, and without what this one knows of kernels."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NUMBA_CACHE")}
    return subprocess.Popen(
        [sys.executable, "-P", *(("-c", code) if isinstance(code, str) else (code,)), *map(str, words)],
        env=inherited | {"PYTHONPATH": os.pathsep.join([str(packages), str(TESTS)])} | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process):
    out, error = process.communicate(timeout=900)
    assert process.returncode == 0, error
    return out.strip()


def compiled(folder):
    """The compiled kernels in a folder, and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.rglob("*.nbc")}


def is_kernel(node):
    return isinstance(node, ast.FunctionDef) and any("kernel(" in ast.unparse(by) for by in node.decorator_list)


def called_by_python():
    """The kernels, as file and function, that are named outside of kernels: the others are compiled into these."""
    trees = {path.stem: ast.parse(path.read_text()) for path in PACKAGES.glob("shiftlr/**/*.py")}
    made = {(file, node.name) for file, tree in trees.items() for node in tree.body if is_kernel(node)}
    called = set()
    for file, tree in trees.items():
        known = {node.name: (file, node.name) for node in tree.body if is_kernel(node)}
        for node in tree.body:
            if isinstance(node, ast.ImportFrom):
                known |= {alias.name: (node.module.split(".")[-1], alias.name) for alias in node.names}
        for node in tree.body:
            if not is_kernel(node):
                names = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
                called |= {known[name] for name in names & set(known)} & made
    return {f"{file}.{name}" for file, name in called}


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """A folder with all kernels, and what two processes said that wanted it at the same time."""
    folder = tmp_path_factory.mktemp("kernels")
    code = "import sys; from shiftlr.kernels import ensure; print(ensure(sys.argv[1]), 'numba' in sys.modules)"
    processes = [start(code, folder) for _ in range(2)]
    return folder, sorted(finish(process) for process in processes)


@pytest.fixture
def solvers(tmp_path, monkeypatch):
    """A copy of the solvers in the place of the solvers."""
    copy = tmp_path / "solvers"
    shutil.copytree(kernels.SOLVERS, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kernels, "SOLVERS", copy)
    return copy


@pytest.fixture
def compiles(monkeypatch):
    """The folders that `ensure` compiles into, instead of compiling."""
    folders = []
    monkeypatch.setattr(kernels, "_compile_into", folders.append)
    return folders


def test_the_fingerprint_is_of_contents(solvers):
    of_copy = kernels.fingerprint()
    assert len(of_copy) == 16 and int(of_copy, 16) >= 0
    for path in solvers.iterdir():
        os.utime(path, (1.0, 1.0))
    (solvers / "notes.txt").write_text("no kernel")
    assert kernels.fingerprint() == of_copy
    (solvers / "loss.py").write_text((solvers / "loss.py").read_text() + "\n")
    edited = kernels.fingerprint()
    (solvers / "loss.py").rename(solvers / "losses.py")
    renamed = kernels.fingerprint()
    (solvers / "more.py").touch()
    assert len({of_copy, edited, renamed, kernels.fingerprint()}) == 4


def test_the_fingerprint_is_the_same_at_another_path(solvers, monkeypatch):
    of_copy = kernels.fingerprint()
    monkeypatch.undo()
    assert kernels.fingerprint() == of_copy


@pytest.mark.parametrize("change", ["numba", "python"])
def test_the_fingerprint_is_of_versions(change, monkeypatch):
    before = kernels.fingerprint()
    if change == "numba":
        monkeypatch.setattr(kernels, "version", lambda name: "99.0")
    else:
        monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    assert kernels.fingerprint() != before


def test_the_fingerprint_needs_no_slow_import():
    code = (
        "import sys; from shiftlr.kernels import fingerprint; print(fingerprint(), {'numba', 'numpy'} & {*sys.modules})"
    )
    assert finish(start(code)) == f"{kernels.fingerprint()} set()"


def test_kinds_of_processors(monkeypatch):
    here = kernels.cpu_id()
    assert here == kernels.cpu_id() and len(here) == 8
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert kernels.cpu_id() != here


def test_settings(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert kernels.settings("kernels") == {"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}


def test_ensure_compiles_once_for_each_fingerprint_and_processor(tmp_path, compiles, solvers, monkeypatch):
    assert not kernels.is_complete(tmp_path / "here")
    assert [kernels.ensure(tmp_path / "here") for _ in range(3)] == [True, False, False]
    assert kernels.is_complete(tmp_path / "here")
    assert kernels.ensure(tmp_path / "there")
    os.utime(solvers / "loss.py", (1.0, 1.0))
    assert not kernels.ensure(tmp_path / "here")
    (solvers / "loss.py").write_text("")
    assert kernels.ensure(tmp_path / "here")
    monkeypatch.setattr(kernels, "cpu_id", lambda: "another")
    assert kernels.ensure(tmp_path / "here")
    assert compiles == [tmp_path / "here", tmp_path / "there", tmp_path / "here", tmp_path / "here"]


def test_ensure_goes_on_without_locks(tmp_path, compiles, monkeypatch):
    def no_locks(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", no_locks)
    assert [kernels.ensure(tmp_path) for _ in range(2)] == [True, False]


def test_ensure_leaves_a_folder_alone_that_cannot_be_written_to(tmp_path, compiles):
    """A file in the place of the folder: even root cannot write there."""
    (tmp_path / "file").touch()
    assert not kernels.ensure(tmp_path / "file" / "kernels")
    assert not kernels.ensure(tmp_path / "file")
    assert compiles == []


def test_a_compilation_that_fails_is_said_and_tried_again(tmp_path, monkeypatch):
    monkeypatch.setattr(kernels.sys, "executable", shutil.which("false"))
    for _ in range(2):
        with pytest.raises(RuntimeError, match=f"compiling kernels into {tmp_path} failed with status 1"):
            kernels.ensure(tmp_path)


def test_the_command(tmp_path, compiles, capsys):
    kernels.main([])
    assert capsys.readouterr().out.strip() == kernels.fingerprint()
    folder = tmp_path / "a folder"
    kernels.main([str(folder)])
    assert capsys.readouterr().out == f"export NUMBA_CACHE_DIR='{folder}'\n"
    assert compiles == []
    kernels.main(["--compile", str(folder)])
    assert compiles == [str(folder)]
    (tmp_path / "file").touch()
    for words, message in ((["--compile"], "needs a FOLDER"), (["--compile", str(tmp_path / "file")], "cannot be")):
        with pytest.raises(SystemExit):
            kernels.main(words)
        assert message in capsys.readouterr().err


def test_of_two_processes_one_compiles(shared):
    folder, said = shared
    assert said == ["False False", "True False"]
    assert {name.split("-")[0] for name in compiled(folder)} >= called_by_python()
    assert len(called_by_python()) > 40
    assert {path.parent for path in folder.rglob("*.nbc")} == {folder / kernels.fingerprint()}


def test_everything_is_compiled(shared):
    folder, _ = shared
    before = compiled(folder)
    finish(start(TESTS / "shiftlr" / "uses_of_kernels.py", **kernels.settings(folder)))
    assert compiled(folder) == before


HITS = """
import numpy as np, shiftlr
from shiftlr.solvers.newton import newton_path
shiftlr.RobustLogisticRegression().fit(np.arange(12.0).reshape(6, 2) ** 2 % 7, [0, 1, 0, 1, 1, 0])
print(shiftlr.__file__, sum(newton_path.stats.cache_hits.values()), sum(newton_path.stats.cache_misses.values()))
"""


def test_a_clone_elsewhere_compiles_nothing(shared, tmp_path):
    folder, _ = shared
    copy = tmp_path / "clone"
    shutil.copytree(PACKAGES / "shiftlr", copy / "shiftlr", ignore=shutil.ignore_patterns("__pycache__"))
    for path in copy.rglob("*.py"):
        os.utime(path)
    before = compiled(folder)
    assert finish(start(HITS, packages=copy, **kernels.settings(folder))) == f"{copy}/shiftlr/__init__.py 1 0"
    assert compiled(folder) == before and compiled(copy) == {}


def test_no_folder_to_write_to_is_no_error(shared, tmp_path):
    """The place beside the source files serves then."""
    copy = tmp_path / "clone"
    shutil.copytree(PACKAGES / "shiftlr", copy / "shiftlr", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "file").touch()
    code = "from shiftlr.solvers.loss import threshold; print(threshold(0.5), threshold._cache.cache_path)"
    said = finish(start(code, packages=copy, **kernels.settings(tmp_path / "file")))
    assert said == f"0.0 {copy}/shiftlr/solvers/__pycache__"


UNCHANGED = """
import os, sys, warnings
import numba, numpy as np, scipy.optimize, sklearn.metrics, sklearn.model_selection, sklearn.neighbors
from numba.core import caching
from threadpoolctl import threadpool_info

def state():
    return {
        "numba": {kind: dict(vars(kind)) for kind in vars(caching).values() if isinstance(kind, type)},
        "settings": {name: getattr(numba.config, name) for name in dir(numba.config) if name.isupper()},
        "warnings": list(warnings.filters),
        "path": list(sys.path),
        "hooks": [sys.excepthook, sys.meta_path[:], sys.path_hooks[:]],
        "threads": {pool["filepath"]: pool["num_threads"] for pool in threadpool_info()},
        "environment": dict(os.environ),
        "errors": np.geterr(),
        "random": np.random.get_state()[1].tolist(),
        "files": sorted(os.listdir(sys.argv[1])),
    }

before = state()
import shiftlr
shiftlr.RobustLogisticRegression
import shiftlr.model_selection
imported = state()
random = np.random.default_rng(0)
X = random.normal(size=(2000, 4))  # enough for BLAS to use threads
shiftlr.RobustLogisticRegression(penalty="l2", alpha=1.0).fit(X, X[:, 0] + random.normal(size=2000) > 0.0)
fitted = state()
for when in (imported, fitted):
    print([name for name in before if when[name] != before[name]])
"""


def test_the_library_changes_nothing_around_it(shared, tmp_path):
    folder, _ = shared
    copy = tmp_path / "clone"
    shutil.copytree(PACKAGES / "shiftlr", copy / "shiftlr", ignore=shutil.ignore_patterns("__pycache__"))
    beside = copy / "shiftlr" / "solvers" / "__pycache__"
    beside.mkdir()
    (beside / "old.nbi").touch()
    os.utime(beside / "old.nbi", (1.0, 1.0))
    said = finish(start(UNCHANGED, folder, packages=copy, **kernels.settings(folder)))
    assert said.splitlines() == ["[]", "[]"]
    assert (beside / "old.nbi").exists()
