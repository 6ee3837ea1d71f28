"""The memory of this process, in bytes."""

import resource
import sys
from pathlib import Path


def peak() -> int:
    """The most so far, of this program alone.

    What the system calls `ru_maxrss` begins with the size of the process that started this one, so Linux is asked
    elsewhere.
    """
    known = _status("VmHWM")
    return known or resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def current() -> int:
    """What is held now; the peak where the system does not tell."""
    return _status("VmRSS") or peak()


def _status(key: str) -> int:
    """A line of Linux's about this process; 0 where there is none."""
    about = Path("/proc/self/status")
    lines = about.read_text(encoding="ascii", errors="replace").splitlines() if about.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{key}:")), 0)
