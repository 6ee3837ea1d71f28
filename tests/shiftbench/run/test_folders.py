"""Where results go, and odd surroundings: a folder that cannot be written to, no home, a terminal without signs."""

import io
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from shiftbench.run import launch

WORKFLOW = Path(__file__).parents[3] / "workflow"
WITHOUT_ROOM = """
import sys
from shiftbench.run import launch
try:
    launch.prepare_folder(sys.argv[1])
except OSError as error:
    print(error)
"""


def read_only(path):
    """A folder that not even root may write to: the kernel's own; for others one without the right to do so."""
    if os.geteuid() == 0:
        path.symlink_to("/proc/sys" if Path("/proc/sys").is_dir() else "/dev/fd")
    else:
        path.mkdir(mode=0o555)
    return path


def test_a_folder_is_made_and_left_empty(tmp_path):
    launch.check_folder(tmp_path / "results")
    launch.prepare_folder(tmp_path / "results")
    launch.prepare_folder(tmp_path / "results")
    assert list((tmp_path / "results").iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_is_no_folder_is_refused(kind, tmp_path):
    path = tmp_path / "results"
    if kind == "file":
        path.write_text("x", encoding="utf-8")
    else:
        path.symlink_to(tmp_path / "nowhere")
    for ask in (launch.check_folder, launch.prepare_folder):
        with pytest.raises(OSError, match=r"results: .*is no folder.*move it away"):
            ask(path)


def test_a_read_only_folder_is_refused_with_the_way_out(tmp_path):
    path = read_only(tmp_path / "results")
    launch.check_folder(path)
    with pytest.raises(
        OSError, match=r"results: results cannot be written there \(.+\); make it writable.*--directory"
    ):
        launch.prepare_folder(path)


def test_a_full_disk_is_refused_with_the_way_out(tmp_path):
    """A process that may write no file of more than a kilobyte: to it the disk is full."""

    def no_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    said = subprocess.run(
        [sys.executable, "-B", "-c", WITHOUT_ROOM, str(tmp_path / "results")],
        env=os.environ | {"PYTHONPATH": str(WORKFLOW)},
        preexec_fn=no_room,
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout
    assert "results cannot be written there (File too large)" in said and "make room on its disk" in said
    assert list((tmp_path / "results").iterdir()) == []


@pytest.mark.parametrize("home", [None, "", "/nonexistent/home"])
def test_kernels_have_a_folder_where_nobody_has_a_home(home, tmp_path, monkeypatch):
    for name in (launch.KERNELS, "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    monkeypatch.setattr("os.access", lambda path, mode: False)
    monkeypatch.setattr("pwd.getpwuid", _nobody)
    assert launch.kernel_folder().is_absolute()
    monkeypatch.setattr("os.access", lambda path, mode: path != launch.PACKAGES.parent / ".kernels")
    monkeypatch.setattr(launch, "PACKAGES", tmp_path / "nowhere" / "workflow")
    assert launch.kernel_folder().is_absolute()


def _nobody(_):
    raise KeyError("a user without an entry, as in a container")


def test_a_terminal_without_signs_gets_question_marks(tmp_path, monkeypatch):
    summary = tmp_path / "summary.txt"
    summary.write_text("80.83 ± 3.88, Größe\n", encoding="utf-8")
    (tmp_path / "a.log").write_text("Traceback (most recent call last)\nValueError: naïve\n", encoding="utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict") for _ in range(2))
    monkeypatch.setattr("sys.stdout", out)
    monkeypatch.setattr("sys.stderr", err)
    launch.print_summary(summary, tmp_path / "started.json")
    launch.print_failures(tmp_path, tmp_path / "started.json")
    assert out.buffer.getvalue() == b"80.83 ? 3.88, Gr??e\n"
    assert err.buffer.getvalue().endswith(b"ValueError: na?ve\n")
