"""R as a process that is started once and then answers requests: starting it and loading a package takes a second.

A message is a list of vectors of doubles, in binary through a pipe, so that no bit is lost: the number of vectors, then
of each its length and its values. An R script that answers with the number -1 reports an error, whose text follows.
"""

import atexit
import os
import shutil
import struct
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

PROGRAM = "Rscript"
_QUIET = "--no-init-file"  # a user's profile may print
_MOST_SHOWN = 2000  # characters of what R said before it died
_running: dict[tuple[int, Path], "RProcess"] = {}  # by the Python process that started it, and its script


class RError(RuntimeError):
    """What R said went wrong."""


class RDied(RError, ChildProcessError):
    """R ended before it had answered: that says nothing about the data."""


def missing(package: str) -> str:
    """Why R with a package cannot be used here; empty where it can."""
    program = shutil.which(PROGRAM)
    if program and _has_package(program, package):
        return ""
    return f"R with the package {package} is not installed: on Debian `apt-get install r-cran-{package}`"


@cache
def _has_package(program, package):
    command = [program, _QUIET, "-e", f'cat(nzchar(system.file(package = "{package}")))']
    asked = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    return asked.returncode == 0 and asked.stdout.strip() == "TRUE"


def ask(script: Path, vectors: list[np.ndarray]) -> list[np.ndarray]:
    """What the script answers; it is started at the first request of this Python process."""
    key = (os.getpid(), script)
    if key not in _running:
        _running[key] = RProcess(script)
    try:
        return _running[key].ask(vectors)
    except RError:
        raise
    except EOFError as error:  # the next request starts it anew
        _running.pop(key).stop()
        raise RDied(str(error)) from None
    except BaseException:  # an answer that nobody waited for would be taken for the next one
        _running.pop(key).kill()
        raise


class RProcess:
    """An R script that is alive and waits for requests."""

    def __init__(self, script: Path):
        self.script = script
        self.said = tempfile.TemporaryFile()  # noqa: SIM115  it lives as long as the process
        self.process = subprocess.Popen(
            [PROGRAM, _QUIET, str(script)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            env=os.environ | {"LANGUAGE": "en"},
        )
        atexit.register(self.stop)

    def ask(self, vectors: list[np.ndarray]) -> list[np.ndarray]:
        """The answer to a request; an EOFError if R has died, an RError if it says that something is wrong."""
        assert self.process.stdin is not None
        parts = [struct.pack("=i", len(vectors))]
        for vector in vectors:
            parts += [struct.pack("=i", len(vector)), np.asarray(vector, dtype=np.float64).tobytes()]
        try:
            self.process.stdin.write(b"".join(parts))
            self.process.stdin.flush()
        except BrokenPipeError:
            raise EOFError(self._last_words()) from None
        count = self._read_int()
        if count < 0:
            raise RError(f"{self.script.name}: {self._read(self._read_int()).decode(errors='replace')}")
        return [np.frombuffer(self._read(8 * self._read_int())) for _ in range(count)]

    def stop(self) -> None:
        """End R: it stops by itself when there are no more requests, and is killed if it does not."""
        atexit.unregister(self.stop)
        if self.process.stdin is not None and self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=2.0)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.said.close()

    def kill(self) -> None:
        """End R at once, whatever it is doing."""
        self.process.kill()
        self.process.wait()
        self.stop()

    def _read_int(self):
        return struct.unpack("=i", self._read(4))[0]

    def _read(self, size):
        assert self.process.stdout is not None
        data = self.process.stdout.read(size)
        if len(data) < size:
            raise EOFError(self._last_words())
        return data

    def _last_words(self):
        code = self.process.wait()
        self.said.seek(0)
        text = self.said.read().decode(errors="replace").strip()[-_MOST_SHOWN:]
        return f"{self.script.name}: R ended with code {code}: {text or 'it said nothing'}"
