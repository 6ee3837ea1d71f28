"""What happens around a run: where its jobs find the packages and kernels, locks left by a kill, start and end."""

import fcntl
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

from shiftlr import kernels

from shiftbench.files import write_text
from shiftbench.time_limit import STOPPED

PACKAGES = Path(__file__).parents[2]
KERNELS = "SHIFTLR_KERNELS"  # the variable that names another folder for compiled kernels
_MOST_LINES = 60  # of a log that are shown
_PROBE = 1 << 16  # bytes that there must be room for before a run starts
_held: list = []  # keeps the lock's file open, and so the lock, as long as the process lives


def share_packages() -> None:
    """Let every job of this run import the packages that stand beside the Snakefile, installed or not."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([str(PACKAGES), *filter(None, paths)]))


def share_kernels() -> None:
    """Let every job of this run find compiled kernels in one folder, named after a hash of their sources.

    A job has one core, so its kernels get one thread; with more, jobs that run side by side wait for each other.
    """
    os.environ.update(kernels.settings(kernel_folder()))
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")


def kernel_folder() -> Path:
    """What SHIFTLR_KERNELS says; else .kernels beside the Snakefile or, where nobody may write there, the user's."""
    if os.environ.get(KERNELS):
        return Path(os.environ[KERNELS])
    beside = PACKAGES.parent / ".kernels"
    if os.access(beside if beside.exists() else beside.parent, os.W_OK):
        return beside
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path(os.path.expanduser("~"), ".cache"))
    if home.is_absolute() and os.access(home if home.exists() else home.parent, os.W_OK):  # not where nobody has a home
        return home / "shiftlr" / "kernels"
    return Path(tempfile.gettempdir(), f"shiftlr-kernels-{os.getuid()}")


def calm_scheduler(workflow) -> None:
    """Let Snakemake start jobs on this machine as soon as there is a core, without a limit to their rate.

    With one, each job that ends wakes the scheduler again every second until the end of the run: after a hundred jobs
    that takes half a core. On a cluster the limit stays.
    """
    scheduler = getattr(workflow, "scheduler", None)
    if workflow.local_exec and scheduler is not None and hasattr(scheduler, "job_rate_limiter"):
        scheduler.job_rate_limiter = None


def check_folder(folder: str | Path) -> None:
    """An OSError that says what stands in the way, if something else has the folder's name."""
    if os.path.lexists(folder) and not Path(folder).is_dir():
        raise OSError(f"{folder}: is no folder, so no results can be written there; move it away")


def prepare_folder(folder: str | Path) -> None:
    """Make a folder and try to write to it, or an OSError in words: a read-only folder, a full disk, no permission."""
    try:
        check_folder(folder)
        Path(folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE))
            probe.flush()
    except OSError as error:
        reason = error.strerror or str(error)
        raise OSError(
            f"{folder}: results cannot be written there ({reason}); make it writable, make room on its disk, or start "
            "with --directory in another folder"
        ) from None


def remove_stale_locks(folder: str | Path) -> list[str]:
    """Remove Snakemake's locks in `folder` if no run is alive that could have set them; returns what it has to say.

    Snakemake cannot tell the lock of a killed run from that of a live one, and refuses to start. Here every run holds a
    shared lock of the operating system (`hold_alive`), which ends with its process however it dies; whoever gets the
    exclusive one is alone. On file systems without such locks nothing is removed. Some shared ones keep them to one
    machine, so after a run on another machine nothing is removed either.
    """
    locks = Path(folder) / "locks"
    stale = sorted(locks.glob("*.lock"))
    if not stale:
        return []
    try:
        with _alive_file(folder) as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            host = file.read()
            if host not in ("", platform.node()):
                return [f"{locks}: locked by a run on {host}; if it is dead, use snakemake --unlock"]
            for path in stale:
                path.unlink(missing_ok=True)
    except BlockingIOError:
        return [f"{locks}: another run is at work here"]
    except OSError as error:
        return [f"{locks}: cannot be locked ({error}); if no run is alive, use snakemake --unlock"]
    return [f"{locks}: removed the locks of a run that was killed"]


def hold_alive(folder: str | Path) -> None:
    """Show other processes that a run is alive, until this one ends."""
    try:
        file = _alive_file(folder)
        fcntl.flock(file, fcntl.LOCK_SH)
        file.truncate(0)
        file.write(platform.node())
        file.flush()
        _held.append(file)
    except OSError as error:
        print(f"{folder}: cannot be locked ({error}); after a kill use snakemake --unlock", file=sys.stderr)


def _alive_file(folder):
    Path(folder).mkdir(parents=True, exist_ok=True)
    file = Path(folder, "shiftlr.alive").open("a+", encoding="utf-8")  # noqa: SIM115  it is held open
    file.seek(0)
    return file


def record_start(path: str | Path, cores: int | None) -> None:
    """Remember when this run began and with how many cores, for the manifest."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps({"started": time.time(), "cores": cores}) + "\n")


def print_failures(logs: str | Path, started: str | Path) -> None:
    """The end of each log in which a job of this run died, since Snakemake is told to be quiet about jobs.

    Of a job that was stopped, the line that says why.
    """
    began = _began(started)
    for log in sorted(Path(logs).rglob("*.log")):
        text = log.read_text(encoding="utf-8", errors="replace") if log.stat().st_mtime >= began else ""
        if "Traceback (most recent call last)" in text:
            end = "\n".join(text.splitlines()[-_MOST_LINES:])
            _print(f"\n--- {log}\n{end}\n", sys.stderr)
        for line in text.splitlines():
            if line.startswith(STOPPED):
                _print(f"{line.removeprefix(STOPPED)} ({log} says more.)\n", sys.stderr)


def print_summary(summary: str | Path, started: str | Path) -> None:
    """The verdicts on the terminal, if this run has made them."""
    path = Path(summary)
    if path.exists() and path.stat().st_mtime >= _began(started):
        _print(path.read_text(encoding="utf-8"), sys.stdout)


def _print(text, file):
    """On a terminal that does not know a sign, a question mark takes its place."""
    encoding = getattr(file, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=file, end="", flush=True)


def _began(started):
    return Path(started).stat().st_mtime if Path(started).exists() else 0.0


def main() -> int:
    """`python -m shiftbench.run.launch`: remove stale locks of the working directory, and say so."""
    for line in remove_stale_locks(".snakemake"):
        print(line, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
