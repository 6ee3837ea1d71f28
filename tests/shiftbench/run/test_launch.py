"""Around a run: locks left by a kill, where jobs find packages and kernels, what is printed, whole files."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from shiftbench.files import atomic_write, sha256_of, write_text
from shiftbench.run import launch
from shiftlr import kernels

HOLD = """
import sys
from shiftbench.run.launch import hold_alive
hold_alive(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()
"""
WORKFLOW = Path(__file__).parents[3] / "workflow"


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
    """Starts processes that hold the folder and live on; their locks are those of a run at work."""
    started = []

    def start():
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(snakemake)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(WORKFLOW)},
        )
        started.append(process)
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_locks_are_removed_when_nobody_is_alive(snakemake):
    said = launch.remove_stale_locks(snakemake)
    assert said == [f"{snakemake / 'locks'}: removed the locks of a run that was killed"]
    assert locks(snakemake) == []
    assert (snakemake / "locks" / "readme").exists() and (snakemake / "other.lock").exists()


def test_without_locks_nothing_is_said_or_made(tmp_path):
    assert launch.remove_stale_locks(tmp_path / "new" / ".snakemake") == []
    assert not (tmp_path / "new").exists()


def test_locks_of_another_machine_stay(snakemake, monkeypatch):
    """Its process may be alive, on a shared file system that does not share the operating system's locks."""
    monkeypatch.setattr(launch.platform, "node", lambda: "login1")
    launch.hold_alive(snakemake)
    launch._held.pop().close()
    monkeypatch.setattr(launch.platform, "node", lambda: "login2")
    said = launch.remove_stale_locks(snakemake)
    assert said == [f"{snakemake / 'locks'}: locked by a run on login1; if it is dead, use snakemake --unlock"]
    assert len(locks(snakemake)) == 2
    launch.hold_alive(snakemake)
    launch._held.pop().close()
    launch.remove_stale_locks(snakemake)  # by now the locks are those of the run on this machine
    assert locks(snakemake) == []


def test_locks_stay_while_another_run_is_alive_and_go_after_it_was_killed(snakemake, start_run):
    first, second = start_run(), start_run()
    for process in (first, second):  # whoever came later counts as well
        assert launch.remove_stale_locks(snakemake) == [f"{snakemake / 'locks'}: another run is at work here"]
        assert len(locks(snakemake)) == 2
        process.kill()
        assert process.wait() == -9
    launch.remove_stale_locks(snakemake)
    assert locks(snakemake) == []


def test_a_run_that_ended_leaves_no_lock_behind(snakemake, start_run):
    process = start_run()
    process.communicate("")
    assert process.returncode == 0
    launch.remove_stale_locks(snakemake)
    assert locks(snakemake) == []


def test_looking_for_stale_locks_holds_none(snakemake, start_run):
    launch.remove_stale_locks(snakemake)
    start_run()  # would wait for ever


def test_the_folder_is_made_where_there_is_none(tmp_path, snakemake):
    launch.hold_alive(tmp_path / "new" / ".snakemake")
    assert (tmp_path / "new" / ".snakemake").is_dir()


def test_a_folder_that_cannot_be_locked_is_reported(snakemake, monkeypatch, capsys):
    def refuse(*_):
        raise OSError("no locks available")

    monkeypatch.setattr(launch.fcntl, "flock", refuse)
    (said,) = launch.remove_stale_locks(snakemake)
    assert len(locks(snakemake)) == 2
    launch.hold_alive(snakemake)
    for message in (said, capsys.readouterr().err):
        assert str(snakemake) in message and "no locks available" in message and "snakemake --unlock" in message


def test_locks_can_be_removed_from_the_command_line(tmp_path):
    for name, printed in ((".snakemake", "removed the locks"), ("other", "")):
        folder = tmp_path / name / ".snakemake" / "locks"
        if name == ".snakemake":
            folder.mkdir(parents=True)
            (folder / "0.input.lock").touch()
        done = subprocess.run(
            [sys.executable, "-m", "shiftbench.run.launch"],
            cwd=folder.parents[1] if folder.exists() else tmp_path,
            env=os.environ | {"PYTHONPATH": str(WORKFLOW)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert printed in done.stderr and (printed or done.stderr == "")
        assert not list(folder.glob("*.lock"))


@pytest.mark.parametrize("before", [None, "", "/a:/b", "/a::/b", "/a:{package}:/b"])
def test_the_packages_come_first_on_the_path_once(before, monkeypatch):
    package = str(WORKFLOW)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    if before is not None:
        monkeypatch.setenv("PYTHONPATH", before.format(package=package))
    for _ in range(2):
        launch.share_packages()
        expected = [package, "/a", "/b"] if before else [package]
        assert os.environ["PYTHONPATH"].split(":") == expected


def test_kernels_are_shared_in_a_folder_of_one_s_own(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setenv("SHIFTLR_KERNELS", str(tmp_path / "mine"))
    assert launch.kernel_folder() == tmp_path / "mine"
    monkeypatch.delenv("NUMBA_NUM_THREADS", raising=False)
    before = dict(os.environ)
    launch.share_kernels()
    wanted = kernels.settings(tmp_path / "mine") | {"NUMBA_NUM_THREADS": "1"}  # a job has one core
    assert {name: os.environ[name] for name in wanted} == wanted
    assert {name for name in os.environ if os.environ[name] != before.get(name)} <= set(wanted)


def test_kernels_lie_beside_the_snakefile_or_where_the_user_may_write(tmp_path, monkeypatch):
    monkeypatch.delenv("SHIFTLR_KERNELS", raising=False)
    monkeypatch.setattr(launch, "PACKAGES", tmp_path / "clone" / "workflow")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "clone").mkdir()
    assert launch.kernel_folder() == tmp_path / "clone" / ".kernels"
    closed = {tmp_path / "clone"}
    access = os.access
    monkeypatch.setattr(launch.os, "access", lambda path, mode: Path(path) not in closed and access(path, mode))
    assert launch.kernel_folder() == tmp_path / "cache" / "shiftlr" / "kernels"
    closed |= {tmp_path, tmp_path / "cache"}
    assert str(os.getuid()) in launch.kernel_folder().name


def test_the_start_is_recorded(tmp_path):
    before = time.time()
    launch.record_start(tmp_path / "logs" / "started.json", 2)
    record = json.loads((tmp_path / "logs" / "started.json").read_text())
    assert before <= record["started"] <= time.time() and record["cores"] == 2


def test_the_summary_is_printed_if_this_run_has_made_it(tmp_path, capsys):
    summary, started = tmp_path / "summary.txt", tmp_path / "started.json"
    launch.record_start(started, 2)
    launch.print_summary(summary, started)
    assert capsys.readouterr().out == ""
    summary.write_text("3 reproduced\n")
    launch.print_summary(summary, started)
    assert capsys.readouterr().out == "3 reproduced\n"
    os.utime(summary, times=(started.stat().st_mtime - 5.0,) * 2)  # an earlier run's
    launch.print_summary(summary, started)
    assert capsys.readouterr().out == ""


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
    with pytest.raises(RuntimeError, match="midway"), atomic_write(target) as partial:
        partial.write_text("half")
        assert partial.parent == tmp_path and partial != target  # the same file system: it is renamed
        raise RuntimeError("midway")
    assert list(tmp_path.iterdir()) == ([target] if old else [])
    assert not old or target.read_text() == old
    write_text(target, "né")
    assert target.read_text(encoding="utf-8") == "né" and list(tmp_path.iterdir()) == [target]


def test_checksums_are_sha256(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    # a test vector of FIPS 180
    assert sha256_of(tmp_path / "a") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


@pytest.mark.parametrize("is_local", [True, False])
def test_jobs_on_this_machine_have_no_limit_to_their_rate(is_local):
    scheduler = SimpleNamespace(job_rate_limiter="a limit")
    launch.calm_scheduler(SimpleNamespace(local_exec=is_local, scheduler=scheduler))
    assert scheduler.job_rate_limiter == (None if is_local else "a limit")
    launch.calm_scheduler(SimpleNamespace(local_exec=is_local, scheduler=SimpleNamespace()))
