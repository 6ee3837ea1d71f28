"""What happens around a run of the workflow: where its jobs find the package, locks left by a kill, start and end."""

import fcntl
import json
import os
import platform
import sys
import time
from pathlib import Path

from shiftlr.files import write_text

PACKAGE = Path(__file__).parent
_MOST_LINES = 60  # of a log that are shown
_held: list = []  # keeps the lock's file open, and so the lock, as long as the process lives


def share_package() -> None:
    """Let every job of this run import the package that stands beside the Snakefile, installed or not."""
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([str(PACKAGE.parent), *filter(None, paths)]))


def package_files(*patterns: str) -> list[str]:
    """Files of the package that match the patterns, relative to the working directory: then a clone can be moved."""
    found = [path for pattern in patterns for path in sorted(PACKAGE.glob(pattern))]
    return [os.path.relpath(path) for path in found]


def drop_stale_locks(folder: str | Path) -> None:
    """Remove Snakemake's locks in `folder` if no run is alive that could have set them.

    Snakemake cannot tell the lock of a killed run from that of a live one, and refuses to start. Here every run holds a
    shared lock of the operating system, which ends with its process however it dies; whoever gets the exclusive one is
    alone. On file systems without such locks nothing is removed. Some shared ones keep them to one machine, so after a
    run on another machine nothing is removed either.
    """
    locks = Path(folder) / "locks"
    try:
        locks.parent.mkdir(parents=True, exist_ok=True)
        file = (locks.parent / "shiftlr.alive").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            file.seek(0)
            host, here = file.read(), platform.node()
            for stale in locks.glob("*.lock"):
                if host not in ("", here):
                    print(f"{stale}: left by a run on {host}; if it is dead, use snakemake --unlock", file=sys.stderr)
                    break
                stale.unlink(missing_ok=True)
            file.truncate(0)
            file.write(here)
            file.flush()
        except BlockingIOError:
            pass  # somebody else is at work here: Snakemake's own lock decides
        fcntl.flock(file, fcntl.LOCK_SH)
        _held.append(file)
    except OSError as error:
        print(f"{locks.parent}: cannot be locked ({error}); after a kill use snakemake --unlock", file=sys.stderr)


def record_start(path: str | Path, cores: int | None) -> None:
    """Remember when this run began and with how many cores, for the manifest."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps({"started": time.time(), "cores": cores}) + "\n")


def print_failures(logs: str | Path, started: str | Path) -> None:
    """The end of each log in which a job of this run died, since Snakemake is told to be quiet about jobs."""
    began = Path(started).stat().st_mtime if Path(started).exists() else 0.0
    for log in sorted(Path(logs).rglob("*.log")):
        text = log.read_text(errors="replace") if log.stat().st_mtime >= began else ""
        if "Traceback (most recent call last)" in text:
            end = "\n".join(text.splitlines()[-_MOST_LINES:])
            print(f"\n--- {log}\n{end}", file=sys.stderr, flush=True)


def print_summary(summary: str | Path) -> None:
    """The verdicts on the terminal, once there are any."""
    if Path(summary).exists():
        print(Path(summary).read_text(), end="", flush=True)
