"""A copy of the workflow with the smallest config, and a way to run real Snakemake in it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]


class Clone:
    """The workflow in a folder of its own. Its package is the one that stands there, not the installed one."""

    def __init__(self, folder):
        self.folder = folder

    def path(self, name):
        return self.folder / name

    def command(self, *words):
        return [sys.executable, "-m", "snakemake", *words]

    def run(self, *words, ok=True):
        """Run Snakemake to its end and return all it printed."""
        done = subprocess.run(
            self.command(*words),
            cwd=self.folder,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert (done.returncode == 0) == ok, done.stdout
        return done.stdout

    def planned(self, *words):
        """The jobs that a run would do: rule -> number."""
        lines = self.run("--dry-run", "--quiet", "rules", "host", "--cores", "1", *words).splitlines()
        if any(line.startswith("Nothing to be done") for line in lines):
            return {}
        first = next(k for k, line in enumerate(lines) if line.startswith("--------"))
        rows = [line.split() for line in lines[first + 1 :]]
        last = next(k for k, row in enumerate(rows) if row[:1] == ["total"])
        return {rule: int(count) for rule, count in rows[:last]}

    def runs(self):
        """The rows of all runs but for what the clock says."""
        return pd.read_parquet(self.path("results/runs.parquet")).drop(columns="seconds")

    def texts(self):
        """Everything that must not depend on how it was run."""
        wanted = [*self.folder.glob("results/tables/*.*"), *self.folder.glob("results/*.csv")]
        return {path.name: path.read_text() for path in wanted}

    def edit(self, name, old, new):
        text = self.path(name).read_text()
        assert old in text
        self.path(name).write_text(text.replace(old, new))


def environment():
    """Ours without what would lead jobs to another package, or to real data."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SHIFTLR_MIRROR")}


def make_clone(folder):
    """Compiled kernels come along, so that nothing is compiled anew."""
    for name in ("workflow", "envs", "tests/expected"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "profiles").symlink_to("workflow/profiles")
    shutil.copy(ROOT / "Snakefile", folder)
    shutil.copy(ROOT / "sources.yaml", folder)
    shutil.copy(Path(__file__).with_name("config.yaml"), folder)
    return Clone(folder)


@pytest.fixture
def clone(tmp_path):
    return make_clone(tmp_path)


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """A finished run that no test changes."""
    done = make_clone(tmp_path_factory.mktemp("finished"))
    done.printed = done.run("--cores", "2")
    return done


@pytest.fixture
def copy_of_finished(finished, tmp_path):
    """A finished run that a test may change."""
    folder = tmp_path / "copy"
    shutil.copytree(finished.folder, folder, symlinks=True)
    return Clone(folder)
