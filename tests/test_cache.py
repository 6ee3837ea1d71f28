"""Compiled kernels that are older than the newest kernel source are dropped; newer ones are kept."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import shiftlr


def test_stale_kernels_are_dropped(tmp_path):
    solvers = tmp_path / "shiftlr" / "solvers"
    shutil.copytree(Path(shiftlr.__file__).parent / "solvers", solvers, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "shiftlr" / "__init__.py").touch()
    newest = max(path.stat().st_mtime for path in solvers.glob("*.py"))
    (solvers / "__pycache__").mkdir()
    for name, age in (("old.nbi", -10.0), ("new.nbi", 10.0)):
        index = solvers / "__pycache__" / name
        index.touch()
        os.utime(index, (newest + age, newest + age))
    subprocess.run([sys.executable, "-c", "import shiftlr.solvers"], cwd=tmp_path, check=True)
    assert [path.name for path in (solvers / "__pycache__").glob("*.nbi")] == ["new.nbi"]
