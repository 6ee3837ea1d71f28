"""Around a run: locks left by a kill, where jobs find the package, what is printed, whole files, the manifest."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from shiftlr import launch, manifest
from shiftlr.files import whole, write_text

HOLD = """
import sys
from shiftlr.launch import drop_stale_locks
drop_stale_locks(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def snakemake(tmp_path, monkeypatch):
    """Snakemake's folder with two locks and something else in it."""
    monkeypatch.setattr(launch, "_held", held := [])
    (tmp_path / "locks").mkdir()
    for name in ("locks/0.input.lock", "locks/0.output.lock", "locks/readme", "other.lock"):
        (tmp_path / name).write_text("x")
    yield tmp_path
    for file in held:
        file.close()


def locks(folder):
    return sorted(path.name for path in (folder / "locks").glob("*.lock"))


@pytest.fixture
def start_run(snakemake):
    """Starts processes that call drop_stale_locks and live on; their locks are those of a run at work."""
    started = []

    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(snakemake)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_locks_are_removed_when_nobody_is_alive(snakemake):
    launch.drop_stale_locks(snakemake)
    assert locks(snakemake) == []
    assert (snakemake / "locks" / "readme").exists() and (snakemake / "other.lock").exists()


def test_locks_of_another_machine_stay(snakemake, monkeypatch, capsys):
    """Its process may be alive, on a shared file system that does not share the operating system's locks."""
    monkeypatch.setattr(launch.platform, "node", lambda: "login1")
    launch.drop_stale_locks(snakemake)
    launch._held.pop().close()
    (snakemake / "locks" / "1.input.lock").write_text("x")
    monkeypatch.setattr(launch.platform, "node", lambda: "login2")
    launch.drop_stale_locks(snakemake)
    launch._held.pop().close()
    assert locks(snakemake) == ["1.input.lock"]
    assert "1.input.lock: left by a run on login1; if it is dead, use snakemake --unlock" in capsys.readouterr().err
    launch.drop_stale_locks(snakemake)  # by now the locks are those of the run on this machine
    assert locks(snakemake) == []


def test_locks_stay_while_another_run_is_alive_and_go_after_it_was_killed(snakemake, start_run):
    first = start_run()
    (snakemake / "locks" / "1.input.lock").write_text("x")  # what Snakemake itself does next
    second = start_run()
    launch.drop_stale_locks(snakemake)
    assert locks(snakemake) == ["1.input.lock"]
    launch._held.pop().close()
    for process in (first, second):  # whoever came later counts as well
        launch.drop_stale_locks(snakemake)
        assert locks(snakemake) == ["1.input.lock"]
        launch._held.pop().close()
        process.kill()
        assert process.wait() == -9
    launch.drop_stale_locks(snakemake)
    assert locks(snakemake) == []


def test_a_run_that_ended_leaves_no_lock_behind(snakemake, start_run):
    process = start_run()
    (snakemake / "locks" / "1.input.lock").write_text("x")
    process.communicate("")
    assert process.returncode == 0
    launch.drop_stale_locks(snakemake)
    assert locks(snakemake) == []


def test_the_folder_is_made_where_there_is_none(tmp_path, snakemake):
    launch.drop_stale_locks(tmp_path / "new" / ".snakemake")
    assert (tmp_path / "new" / ".snakemake").is_dir()


def test_a_folder_that_cannot_be_locked_is_reported(snakemake, monkeypatch, capsys):
    def refuse(*_):
        raise OSError("no locks available")

    monkeypatch.setattr(launch.fcntl, "flock", refuse)
    launch.drop_stale_locks(snakemake)
    assert len(locks(snakemake)) == 2
    message = capsys.readouterr().err
    assert str(snakemake) in message and "no locks available" in message and "snakemake --unlock" in message


@pytest.mark.parametrize("patterns", [["training.py"], ["methods/*.py", "solvers/*.py"], ["datasets/simulate.py"]])
def test_package_files_are_relative_and_exist(patterns, monkeypatch):
    monkeypatch.chdir(Path(__file__).parents[1])
    found = launch.package_files(*patterns)
    assert found and all(not os.path.isabs(path) and Path(path).is_file() for path in found)
    assert all(path.startswith("workflow/shiftlr/") for path in found)
    assert launch.package_files("nothing/*.py") == []


@pytest.mark.parametrize("before", [None, "", "/a:/b", "/a::/b", "/a:{package}:/b"])
def test_the_package_comes_first_on_the_path_once(before, monkeypatch):
    package = str(launch.PACKAGE.parent)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONPATH", before.format(package=package))
    for _ in range(2):
        launch.share_package()
        expected = [package, "/a", "/b"] if before else [package]
        assert os.environ["PYTHONPATH"].split(":") == expected


def test_the_start_is_recorded(tmp_path):
    before = time.time()
    launch.record_start(tmp_path / "logs" / "started.json", 2)
    record = json.loads((tmp_path / "logs" / "started.json").read_text())
    assert before <= record["started"] <= time.time() and record["cores"] == 2


def test_the_summary_is_printed_once_there_is_one(tmp_path, capsys):
    launch.print_summary(tmp_path / "summary.txt")
    assert capsys.readouterr().out == ""
    (tmp_path / "summary.txt").write_text("3 reproduced\n")
    launch.print_summary(tmp_path / "summary.txt")
    assert capsys.readouterr().out == "3 reproduced\n"


TRACE = "Traceback (most recent call last):\n"


def test_failures_of_this_run_are_printed(tmp_path, capsys):
    logs = {
        "train/old.log": TRACE + "Old",
        "train/new.log": TRACE + "ValueError: new",
        "train/fine.log": "replicate 3: failed: no Traceback here",
        "long.log": "first line\n" + TRACE + "line\n" * 500 + "KeyError: long",
        "notes.txt": TRACE + "not a log",
    }
    started = tmp_path / "started.json"
    launch.record_start(started, 1)
    began = started.stat().st_mtime
    for name, text in logs.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        os.utime(tmp_path / name, times=(began + (-5.0 if "old" in name else 5.0),) * 2)
    launch.print_failures(tmp_path, started)
    printed = capsys.readouterr().err
    assert [line for line in printed.splitlines() if line.startswith("---")] == [
        f"--- {tmp_path / 'long.log'}",
        f"--- {tmp_path / 'train' / 'new.log'}",
    ]
    assert "ValueError: new" in printed and "KeyError: long" in printed
    assert "first line" not in printed and len(printed.splitlines()) < 80
    launch.print_failures(tmp_path, tmp_path / "no such file")
    assert "Old" in capsys.readouterr().err


@pytest.mark.parametrize("old", [None, "old"])
def test_a_file_is_written_whole_or_not_at_all(tmp_path, old):
    target = tmp_path / "a.txt"
    if old:
        target.write_text(old)
    with pytest.raises(RuntimeError, match="midway"), whole(target) as partial:
        partial.write_text("half")
        assert partial.parent == tmp_path and partial != target  # the same file system: it is renamed
        raise RuntimeError("midway")
    assert list(tmp_path.iterdir()) == ([target] if old else [])
    assert not old or target.read_text() == old
    write_text(target, "né")
    assert target.read_text(encoding="utf-8") == "né" and list(tmp_path.iterdir()) == [target]


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A results folder: two training jobs of this run, 10 and 20 s with fits of 3 and 5 s, and one of a run before."""
    began = time.time() - 100.0
    monkeypatch.chdir(tmp_path)
    write_started({"started": began, "cores": 2})
    for name, age, job, fits in [("a", 50, 10.0, [1.0, 2.0]), ("b", 10, 20.0, [5.0]), ("old", 200, 40.0, [30.0])]:
        for folder in ("benchmarks/train/e/s/m", "runs/e/s/m"):
            Path(folder).mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"s": [job], "h:m:s": ["0:00:10"]}).to_csv(f"benchmarks/train/e/s/m/{name}.tsv", sep="\t")
        pd.DataFrame({"seconds": fits}).to_csv(f"runs/e/s/m/{name}.csv")
        os.utime(f"benchmarks/train/e/s/m/{name}.tsv", times=(time.time() - age,) * 2)
    Path("benchmarks/judge.tsv").write_text("s\n1000\n")
    Path("0-1.npz").write_bytes(b"abc")
    Path("provenance.json").write_text('{"colon": {"kind": "standin"}}')
    return tmp_path


def write_started(record):
    write_text("started.json", json.dumps(record))


def describe():
    return manifest.describe("c0ffee", "started.json", "benchmarks", "runs.parquet", ["0-1.npz"], "provenance.json")


def test_the_manifest_says_what_made_the_results(results):
    found = describe()
    assert list(found) == ["code", "config_sha256", "packages", "machine", "time", "data"]
    assert found["config_sha256"] == "c0ffee" and set(found["code"]) == {"commit", "dirty"}
    assert set(found["packages"]) == {"python", *manifest.PACKAGES}
    assert found["packages"]["python"] == sys.version.split()[0] and all(found["packages"].values())
    assert found["machine"]["cores"] == os.cpu_count() and found["machine"]["cpu"] is not None
    # the SHA-256 of "abc" is a test vector of FIPS 180
    checksum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert found["data"] == {"simulated": {"0-1.npz": checksum}, "external": {"colon": {"kind": "standin"}}}
    manifest.write("manifest.json", found)
    assert json.loads(Path("manifest.json").read_text()) == found


@pytest.mark.parametrize(("cores", "counted"), [(2, 2), (None, 1)])
def test_the_time_outside_fits_is_overhead(results, cores, counted):
    write_started(json.loads(Path("started.json").read_text()) | {"cores": cores})
    found = describe()["time"]
    wall = found["wall_seconds"]
    assert wall == pytest.approx(100.0, abs=5.0) and found["cores"] == counted
    assert found["fitting_job_seconds"] == 30.0 and found["fit_seconds"] == 8.0
    assert found["overhead_seconds"] == pytest.approx(wall * counted - 8.0, abs=0.2)
    assert found["overhead_beside_fitting_jobs_seconds"] == pytest.approx(wall * counted - 30.0, abs=0.2)


@pytest.mark.parametrize("text", [None, "", "{"])
def test_without_a_start_there_is_no_time(results, text):
    Path("started.json").unlink() if text is None else Path("started.json").write_text(text)
    assert describe()["time"] == {"wall_seconds": None}


def test_without_a_repository_there_is_no_commit(results, monkeypatch, capsys):
    monkeypatch.setattr(manifest, "ROOT", results)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(results.parent))
    assert describe()["code"] == {"commit": None, "dirty": None}
    assert "no commit in the manifest" in capsys.readouterr().err
