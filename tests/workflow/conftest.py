"""Copies of the workflow with small configs, and a way to run real Snakemake in them."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NOWHERE = "http://127.0.0.1:9"  # nobody listens there


class Clone:
    """The workflow in a folder of its own. Its packages are the ones that stand there, not the installed ones."""

    def __init__(self, folder):
        self.folder = Path(folder)

    def path(self, name):
        return self.folder / name

    def command(self, *words):
        return [sys.executable, "-m", "snakemake", *words]

    def run(self, *words, ok=True, cwd=None, **variables):
        """Run Snakemake to its end and return all it printed; None takes a variable out of the environment."""
        return self.call(*self.command(*words), ok=ok, cwd=cwd, **variables)

    def call(self, *command, ok=True, cwd=None, **variables):
        """The same of any command; with `ok=None` it may fail."""
        env = environment() | variables
        done = subprocess.run(
            command,
            cwd=cwd or self.folder,
            env={name: value for name, value in env.items() if value is not None},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=600,
            check=False,
        )
        assert ok is None or (done.returncode == 0) == ok, done.stdout
        return done.stdout

    def start(self, *words):
        """Snakemake in the background."""
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen(
            self.command(*words),
            cwd=self.folder,
            env=environment(),
            preexec_fn=heed_interrupts,  # noqa: PLW1509
            **quiet,
        )

    def wait_for(self, n, pattern, process):
        """Until there are so many files, while a process runs."""
        deadline = time.monotonic() + 300
        while len(list(self.folder.glob(pattern))) < n:
            assert process.poll() is None and time.monotonic() < deadline, f"no {pattern}"
            time.sleep(0.05)

    def locks(self):
        """Snakemake's locks."""
        return sorted(self.folder.glob(".snakemake/locks/*"))

    def planned(self, *words):
        """The jobs that a run would do: rule -> number."""
        lines = self.run("--dry-run", "--quiet", "rules", "host", "--cores", "1", *words).splitlines()
        if any(line.startswith("Nothing to be done") for line in lines):
            return {}
        first = next(k for k, line in enumerate(lines) if line.startswith("----"))
        rows = [line.split() for line in lines[first + 1 :]]
        last = next(k for k, row in enumerate(rows) if row[:1] == ["total"])
        return {rule: int(count) for rule, count in rows[:last]}

    def runs(self):
        """The rows of all runs but for what the clock says."""
        table = pd.read_parquet(self.path("results/runs.parquet"))
        return table[table["metric"] != "seconds"].reset_index(drop=True)

    def verdicts(self, table):
        """The verdicts on one table."""
        verdicts = pd.read_csv(self.path("results/verdicts.csv"))
        return verdicts[verdicts["table"] == table]

    def texts(self):
        """Everything that must not depend on how it was run."""
        results = self.path("results")
        patterns = ("tables/*.*", "figures/*.csv", "colon/*.*", "ner/*.*", "*.csv", "*.html")
        return {str(path.relative_to(results)): path.read_text() for each in patterns for path in results.glob(each)}

    def edit(self, name, old, new):
        """Replace what stands once in a file."""
        text = self.path(name).read_text()
        assert text.count(old) == 1, f"{name}: {text.count(old)} times {old!r}"
        self.path(name).write_text(text.replace(old, new))

    def add(self, *parts):
        """Merge settings into config.yaml: a mapping, or the name of a file beside this one."""
        config = yaml.safe_load(self.path("config.yaml").read_text())
        for part in parts:
            _merge(config, part if isinstance(part, dict) else yaml.safe_load((HERE / part).read_text()))
        self.path("config.yaml").write_text(yaml.safe_dump(config, sort_keys=False))

    def cut_off(self, *names):
        """Leave external files no place but a mirror and a host that is not there; all of them, or some."""
        sources = yaml.safe_load(self.path("workflow/sources.yaml").read_text())
        for name in names or sources:
            for file, about in sources[name]["files"].items():
                about["places"] = [{"mirror": f"{name}/{file}"}, {"url": f"{NOWHERE}/{file}"}]
        self.path("workflow/sources.yaml").write_text(yaml.safe_dump(sources))

    def copy(self, folder):
        """Another clone that a test may change, with all that was made."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Clone(folder)


def _merge(below, above):
    for key, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(key), dict):
            _merge(below[key], value)
        else:
            below[key] = value


def heed_interrupts():
    """A process inherits that Ctrl-C is ignored, as the shell has it for what runs in the background."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def environment():
    """Ours without what would lead jobs to other packages, or to real data; compiled kernels are shared."""
    env = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SHIFTLR_MIRROR")}
    return {"SHIFTLR_KERNELS": str(ROOT / ".kernels")} | env


def make_clone(folder):
    """The workflow as it is, with the smallest config."""
    for name in ("workflow", "envs", "tests/expected"):
        shutil.copytree(ROOT / name, Path(folder, name), ignore=shutil.ignore_patterns("__pycache__"))
    Path(folder, "profiles").symlink_to("workflow/profiles")
    shutil.copy(ROOT / "Snakefile", folder)
    shutil.copy(HERE / "config.yaml", folder)
    return Clone(folder)


@pytest.fixture(scope="session", autouse=True)
def kernels():
    """Compiled once, for all clones."""
    from shiftlr import kernels

    folder = Path(environment()["SHIFTLR_KERNELS"])
    kernels.ensure(folder)
    return folder


@pytest.fixture
def clone(tmp_path):
    return make_clone(tmp_path / "clone")


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    """A function that makes a finished run once for all workers of a session; no test changes it."""
    base = tmp_path_factory.getbasetemp()
    base = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def get(name, make):
        with (base / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (base / f"{name}.txt").exists():
                printed = make(base / name).run("--cores", "2")
                (base / f"{name}.txt").write_text(printed)
        done = Clone(base / name)
        done.printed = (base / f"{name}.txt").read_text()
        return done

    return get


@pytest.fixture(scope="session")
def finished(shared):
    """The smallest config, finished."""
    return shared("finished", make_clone)


@pytest.fixture(scope="session")
def everything(finished, shared):
    """With tissues and words, on stand-ins for all external data, finished."""

    def make(folder):
        done = finished.copy(folder)
        done.cut_off()
        done.add("colon.yaml", "words.yaml")
        return done

    return shared("everything", make)


@pytest.fixture
def copy_of_finished(finished, tmp_path):
    """A finished run that a test may change."""
    return finished.copy(tmp_path / "copy")
