"""What happens before the first job: nothing from outside, no deletion; and locks that a killed run has left."""

import hashlib
import signal
import sys

import pandas as pd
import pytest

# Imported by every Python that finds it: says no to the internet and to pip, and writes down who asked.
GUARD = """
import os
import sys


def hook(event, words):
    asked = event in ("socket.getaddrinfo", "socket.gethostbyname")
    asked |= event == "socket.connect" and isinstance(words[1], tuple)
    asked |= event == "subprocess.Popen" and any("pip" in os.path.basename(str(word)).split(".") for word in words[1])
    if asked:
        with open(os.environ["GUARD_LOG"], "a") as log:
            log.write(f"{event} {words}\\n")
        raise OSError(f"{event}: not while the jobs are planned")


sys.addaudithook(hook)
"""


@pytest.fixture
def guarded(tmp_path):
    """Variables of a process that is guarded, and the file in which it writes down what it was asked."""
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    return {"PYTHONPATH": str(tmp_path / "guard"), "GUARD_LOG": str(tmp_path / "asked.txt")}, tmp_path / "asked.txt"


def snapshot(clone):
    """Every file of a clone with its time and contents, but for the logs of Snakemake itself."""
    files = [path for path in clone.folder.rglob("*") if path.is_file() and ".snakemake/log" not in str(path)]
    return {path: (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).digest()) for path in files}


def test_guard_works(clone, guarded):
    variables, asked = guarded
    for code in ("import socket; socket.create_connection(('127.0.0.1', 9))", "import subprocess as s; s.run(['pip'])"):
        assert "not while" in clone.call(sys.executable, "-c", code, ok=False, **variables)
    assert len(asked.read_text().splitlines()) == 2


def test_planning_asks_nobody_and_deletes_nothing(clone, guarded):
    """With data to fetch, places that are not there, and a lock that a killed run has left."""
    variables, asked = guarded
    clone.add("colon.yaml", "words.yaml")
    lock = clone.path(".snakemake/locks/0.input.lock")
    lock.parent.mkdir(parents=True)
    lock.write_text("results/runs.parquet\n")
    before = snapshot(clone)
    said = {"--dry-run": "This was a dry-run", "--lint": "in a good condition", "--rulegraph": "digraph"}
    for word, text in said.items():
        assert text in clone.run(word, **variables)
        after = {path: about for path, about in snapshot(clone).items() if path in before}
        assert after == before, word
        assert not clone.path("results").exists() and not asked.exists(), word


def test_killed_run_goes_on_and_ends_the_same_whatever_the_cores_and_blocks(finished, clone):
    clone.edit("config.yaml", "replicates_per_job: 4", "replicates_per_job: 3")
    process = clone.start("--cores", "2")
    clone.wait_for(1, "results/runs/**/*.csv", process)
    launch = (sys.executable, "-m", "shiftbench.run.launch")
    packages = {"PYTHONPATH": str(clone.path("workflow"))}
    assert "another run is at work here" in clone.call(*launch, ok=None, **packages)
    assert clone.locks()
    process.send_signal(signal.SIGKILL)
    assert process.wait(120) != 0
    assert not clone.path("results/runs.parquet").exists() and clone.locks()
    printed = clone.run("--cores", "2", ok=False)
    assert "Directory cannot be locked" in printed and "--unlock" in printed
    assert clone.locks()
    assert "removed the locks of a run that was killed" in clone.call(*launch, **packages)
    assert not clone.locks()
    clone.run("--cores", "1")
    assert len(list(clone.folder.glob("results/data/table1/?.npz"))) == 3
    pd.testing.assert_frame_equal(clone.runs(), finished.runs())
    assert clone.texts() == finished.texts()
    assert clone.planned() == {}


def test_locks_can_be_removed_by_snakemake_too(copy_of_finished):
    clone = copy_of_finished
    lock = clone.path(".snakemake/locks/0.input.lock")
    lock.parent.mkdir(exist_ok=True)
    lock.write_text("results/runs.parquet\n")
    clone.run("--unlock")
    assert not clone.locks()
