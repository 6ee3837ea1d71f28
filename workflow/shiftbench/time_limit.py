"""An end to fits that have none: an alarm that interrupts Python, and a process beside it that ends what ignores it.

An alarm is heeded between two lines of Python. Compiled code runs on, whether it holds Python's lock or not, and a
method may catch what the alarm raises. So another process watches, and kills this one some time after the limit
(`allowance`). It imports nothing of ours: it is this file, started as a program.
"""

import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_MOST = 60.0  # seconds after the limit
STOPPED = "Stopped: "  # in a log, before the reason why a job was ended


class TimeLimit(BaseException):
    """A fit took too long. Methods that go on after any Exception do not catch it."""


def allowance(seconds: float) -> float:
    """How long after its time limit a fit is killed: as long again, but a minute at most."""
    return min(seconds, _MOST)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeLimit` in what takes longer, or at its end if it could not be interrupted.

    Alarms are for the main thread; elsewhere only the end is seen. An alarm that was caught is repeated.
    """
    message = f"it took longer than {seconds:g} s (seconds_per_fit)"
    started = time.monotonic()

    def ring(signum, frame):
        raise TimeLimit(message)

    alarmed = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGALRM, ring) if alarmed else None
    try:
        if alarmed:
            signal.setitimer(signal.ITIMER_REAL, seconds, allowance(seconds) / 4.0)
        yield
    except Exception as error:
        if time.monotonic() - started > seconds:  # what the interrupted method made of it
            raise TimeLimit(message) from error
        raise
    finally:
        if alarmed:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before or signal.SIG_DFL)
    if time.monotonic() - started > seconds:
        raise TimeLimit(message)


class Watchdog:
    """A process that kills this one where something takes too long, and says so in `log`."""

    def __init__(self, log):
        command = [sys.executable, "-I", "-S", os.path.abspath(__file__), str(os.getpid())]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=log, start_new_session=True
        )

    @contextmanager
    def over(self, seconds: float, what: str) -> Iterator[None]:
        """Watch while something is done."""
        self.expect(seconds, what)
        try:
            yield
        finally:
            self._tell(None)

    def expect(self, seconds: float, what: str) -> None:
        """Watch until the next word, or the end of this process."""
        self._tell([seconds + allowance(seconds), f"{what} did not end within {seconds:g} s"])

    def _tell(self, message):
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def watch(parent: int) -> None:
    """Read what is to be expected from standard input, until it ends; kill the parent if that comes too late."""
    deadline, what, waiting = None, "", b""
    while True:
        left = None if deadline is None else max(deadline - time.monotonic(), 0.0)
        if not select.select([0], [], [], left)[0]:
            break
        read = os.read(0, 65536)
        if not read:
            return  # the parent has ended
        *lines, waiting = (waiting + read).split(b"\n")
        if lines:
            message = json.loads(lines[-1])
            deadline, what = (None, "") if message is None else (time.monotonic() + message[0], message[1])
    if os.getppid() == parent:
        print(f"{STOPPED}{what}, and heeded no alarm; its process was killed", file=sys.stderr, flush=True)
        os.kill(parent, signal.SIGKILL)


if __name__ == "__main__":
    watch(int(sys.argv[1]))
