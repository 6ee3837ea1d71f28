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

PACKAGES = Path(__file__).parents[2]
KERNELS = "SHIFTLR_KERNELS"  # the variable that names another folder for compiled kernels
_MOST_LINES = 60  # of a log that are shown
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
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    if os.access(home if home.exists() else home.parent, os.W_OK):
        return home / "shiftlr" / "kernels"
    return Path(tempfile.gettempdir(), f"shiftlr-kernels-{os.getuid()}")


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
    file = Path(folder, "shiftlr.alive").open("a+")  # noqa: SIM115  it is held open
    file.seek(0)
    return file


def record_start(path: str | Path, cores: int | None) -> None:
    """Remember when this run began and with how many cores, for the manifest."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps({"started": time.time(), "cores": cores}) + "\n")


def print_failures(logs: str | Path, started: str | Path) -> None:
    """The end of each log in which a job of this run died, since Snakemake is told to be quiet about jobs."""
    began = _began(started)
    for log in sorted(Path(logs).rglob("*.log")):
        text = log.read_text(errors="replace") if log.stat().st_mtime >= began else ""
        if "Traceback (most recent call last)" in text:
            end = "\n".join(text.splitlines()[-_MOST_LINES:])
            print(f"\n--- {log}\n{end}", file=sys.stderr, flush=True)


def print_summary(summary: str | Path, started: str | Path) -> None:
    """The verdicts on the terminal, if this run has made them."""
    path = Path(summary)
    if path.exists() and path.stat().st_mtime >= _began(started):
        print(path.read_text(), end="", flush=True)


def _began(started):
    return Path(started).stat().st_mtime if Path(started).exists() else 0.0


def main() -> int:
    """`python -m shiftbench.run.launch`: remove stale locks of the working directory, and say so."""
    for line in remove_stale_locks(".snakemake"):
        print(line, file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
