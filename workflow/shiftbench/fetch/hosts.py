"""Hosts that data come from: connecting to them, and a note of those that cannot be reached, so nobody waits twice."""

import errno
import fcntl
import json
import os
import re
import socket
import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from shiftbench.fetch.record import read_object
from shiftbench.files import write_text

PIP = "pip"  # the host's name for whatever package index pip is set up to use
CONNECT_SECONDS = 4.0
PIP_SECONDS = 6.0  # for a question to the index: pip's own start takes one or two of them
_NO_CONNECTION = re.compile(r".*(connection error|timed out|ssl certificate|No module named pip).*", re.IGNORECASE)
_TOO_LARGE = os.strerror(errno.EFBIG)
_DEFAULT_PORTS = {"http": 80, "https": 443}
# Runs pip in a process that cannot write a file of more bytes; what it says to that is in _TOO_LARGE.
_LIMITED_PIP = """
import resource, runpy
resource.setrlimit(resource.RLIMIT_FSIZE, ({most}, {most}))
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


class FetchError(Exception):
    """A place did not give the file; the text says why."""


class Unreachable(FetchError):
    """Nothing answered where a place should be: asking there again would only cost time."""


class Notes:
    """Hosts that could not be reached, in a small JSON file that all processes of a run share."""

    def __init__(self, path: str | Path | None):
        self._path = Path(path) if path else None

    def reasons(self) -> dict[str, str]:
        """Why each of the hosts could not be reached; read anew, since other processes write it too."""
        return read_object(self._path) if self._path else {}

    def add(self, host: str, reason: str) -> None:
        if self._path is None:
            return
        # Without its note a host is asked again, which takes time but does no harm.
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with _locked(self._path.parent):
                write_text(self._path, json.dumps(self.reasons() | {host: reason}, indent=2) + "\n")

    @contextmanager
    def asking(self, host: str) -> Iterator[None]:
        """Within it `host` is asked: Unreachable if it has a note already; it gets one if it cannot be reached."""
        if known := self.reasons().get(host):
            raise Unreachable(f"{known} (once in this run, so not asked again)")
        try:
            yield
        except Unreachable as error:
            self.add(host, str(error))
            raise


def host_of(place: dict[str, str]) -> str | None:
    """The host that a place needs, with the port if the URL has one; a mirror needs none."""
    if "wheel" in place or "sdist" in place:
        return PIP
    return urlsplit(place["url"]).netloc if "url" in place else None


def reach(place: dict[str, str], seconds: float) -> None:
    """Connect to the host of a URL within `seconds`, or let pip ask its index in PIP_SECONDS; else Unreachable."""
    if "url" in place:
        host, port = _first_hop(place["url"])
        _connect(host, port, seconds)
        return
    try:
        package = (place.get("wheel") or place["sdist"]).split("==")[0]
        run_pip("index", "versions", "--pre", package, seconds=PIP_SECONDS)
    except Unreachable:
        raise
    except FetchError:
        pass  # pip was answered; what is wrong with the package is better said by the attempt to download it


def run_pip(*words: str, seconds: float, scratch: Path | None = None, most: int | None = None) -> None:
    """Run pip for at most `seconds`; its temporary files go to `scratch`, since a pip that is stopped leaves them.

    No file that it writes may have more than `most` bytes.
    """
    fail_fast = ("--retries", "0", "--timeout", f"{CONNECT_SECONDS:g}")
    # Without -vv pip does not tell an index that cannot be reached from one that does not have the package.
    quiet = ("-vv", "--no-cache-dir", "--no-input", "--disable-pip-version-check")
    start = ["-m", "pip"] if most is None else ["-c", _LIMITED_PIP.format(most=most)]
    command = [sys.executable, *start, *words, *fail_fast, *quiet]
    options: dict[str, Any] = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True, "errors": "replace"}
    if scratch:
        # Python would also keep the cut-off half of compiled modules that are larger than `most`.
        options["env"] = os.environ | {"TMPDIR": str(scratch), "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        answer = subprocess.run(command, timeout=seconds, check=False, **options)
    except subprocess.TimeoutExpired as error:
        raise Unreachable(f"pip {words[0]} was not done within {seconds:g} s") from error
    if answer.returncode == 0:
        return
    if no_connection := _NO_CONNECTION.search(answer.stdout + answer.stderr):
        raise Unreachable(_shortened(f"pip {words[0]}: {no_connection[0]}"))
    if most is not None and _TOO_LARGE in answer.stderr:
        raise FetchError(f"pip {words[0]}: larger than the {most} bytes that are expected")
    complaints = [line for line in answer.stderr.splitlines() if line.startswith("ERROR: ")]
    said = " ".join(complaints) or answer.stderr or "failed without a message"
    raise FetchError(_shortened(f"pip {words[0]}: {said}"))


def _shortened(text):
    return textwrap.shorten(text, 400, placeholder=" ...")


def _first_hop(url):
    """Host and port that a download connects to first: those of the proxy, where the environment names one."""
    from requests.utils import get_environ_proxies, select_proxy

    proxy = select_proxy(url, get_environ_proxies(url))
    what = f"the proxy for {urlsplit(url).scheme} in the environment" if proxy else url  # it may have a password
    try:
        parts = urlsplit(proxy if "://" in proxy else f"http://{proxy}") if proxy else urlsplit(url)
        host, port = parts.hostname, parts.port or _DEFAULT_PORTS.get(parts.scheme, 1080)
    except ValueError as error:  # of a port such as 99999, or brackets that do not match
        raise Unreachable(f"{what} is no address: {error}") from error
    if not host:
        raise Unreachable(f"{what} is no address: it names no host")
    return host, port


def within(seconds: float, action: Callable[[], object]) -> None:
    """Do something that knows no limit for all its time, as looking up a name; TimeoutError if it takes longer.

    It runs in a thread, which is then left alone.
    """
    outcome: list[Exception | None] = []

    def attempt():
        try:
            action()
            outcome.append(None)
        except Exception as error:  # for the caller, whatever it is
            outcome.append(error)

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(seconds)
    if not outcome:
        raise TimeoutError
    if outcome[0]:
        raise outcome[0]


def _connect(host, port, seconds):
    """Open and close a connection."""
    try:
        within(seconds, lambda: socket.create_connection((host, port), timeout=seconds).close())
    except TimeoutError as error:
        raise Unreachable(f"no connection to {host}:{port} within {seconds:g} s") from error
    except (OSError, UnicodeError) as error:  # the latter for a name that no host can have
        raise Unreachable(f"no connection to {host}:{port}: {error}") from error


@contextmanager
def _locked(folder):
    """Hold a lock on a directory; on file systems without locks a note may get lost and a host be asked twice."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
