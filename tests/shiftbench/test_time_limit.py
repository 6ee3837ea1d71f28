"""Fits that do not end: interrupted where that can be done, else killed by name."""

import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rivals import make_job, make_replicate
from shiftbench import fit, time_limit
from shiftbench.time_limit import TimeLimit

ENDLESS = '''
import time

from shiftlr.methods.standard import StandardLogisticRegression


class Endless(StandardLogisticRegression):
    """Does not end by itself."""

    def __init__(self, how="loop", penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        super().__init__(penalty, alpha, fit_intercept, tol, max_iter)
        self.how = how

    def fit(self, X, y):
        while self.how == "loop":
            pass
        while self.how == "sleep":
            time.sleep(1000.0)
        while self.how == "catch":
            try:
                time.sleep(1000.0)
            except Exception:
                continue
        try:
            time.sleep(1000.0)
        except BaseException as error:
            if self.how == "turn":
                raise ValueError("no luck") from None
        return super().fit(X, y)  # as if nothing had happened
'''
REPLICATE = make_replicate()


@pytest.mark.parametrize("how", ["loop", "sleep", "catch", "turn", "go on"])
def test_a_fit_that_takes_too_long_is_a_row_that_says_so(tmp_path, how):
    (tmp_path / "methods").mkdir()
    (tmp_path / "methods" / "endless.py").write_text(ENDLESS)
    job = make_job(str(tmp_path), "endless", {"params": {"how": how}}, redrawn=False) | {"seconds_per_fit": 0.2}
    chosen = {}
    rows, arrays = fit.run(job, REPLICATE, chosen)
    assert {row["status"] for row in rows} == {"failed"} and arrays == {} and chosen == {}
    assert rows[0]["reason"] == "time limit: it took longer than 0.2 s (seconds_per_fit)"
    assert fit.run(make_job(None, "standard"), REPLICATE, {})[0][0]["status"] == "ok"  # and the others go on


def test_no_alarm_is_left_behind():
    before = signal.getsignal(signal.SIGALRM)
    with time_limit.time_limit(1000.0):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 900.0
    with pytest.raises(KeyError), time_limit.time_limit(1000.0):
        raise KeyError
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0.0 and signal.getsignal(signal.SIGALRM) is before


def test_outside_the_main_thread_the_end_is_seen():
    found = []

    def work():
        try:
            with time_limit.time_limit(0.01):
                time.sleep(0.05)
        except TimeLimit as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(found) == 1


def test_a_fit_is_killed_at_most_a_minute_after_its_limit():
    assert [time_limit.allowance(seconds) for seconds in (1, 60, 3600)] == [1, 60, 60]


# Deaf to alarms, and with Python's lock, so that no other thread can run.
STUCK = """
import ctypes, signal, sys
from shiftbench.time_limit import Watchdog
watchdog = Watchdog(sys.stderr)
with watchdog.over(1000, "the first"):
    pass
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM})
with watchdog.over(0.2, "the second"):
    ctypes.PyDLL(None).sleep(1000)
"""
# A thread that is left behind keeps a process from ending.
LEFT_BEHIND = """
import sys, threading, time
from shiftbench.time_limit import Watchdog
threading.Thread(target=time.sleep, args=(1000,)).start()
Watchdog(sys.stderr).expect(0.2, "the end")
"""
# What ends in time is left alone, though another process keeps the pipe open.
IN_TIME = """
import os, sys, time
from shiftbench.time_limit import Watchdog
watchdog = Watchdog(sys.stderr)
with watchdog.over(0.1, "the first"):
    pass
time.sleep(1.0)
watchdog.expect(0.2, "the end")
if os.fork() == 0:
    os.closerange(1, 3)
    time.sleep(1.0)
    os._exit(0)
"""


def ran(code):
    folder = str(Path(time_limit.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONPATH": folder},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(("code", "what"), [(STUCK, "the second"), (LEFT_BEHIND, "the end")])
def test_what_cannot_be_interrupted_is_killed_by_name(code, what):
    said = f"Stopped: {what} did not end within 0.2 s, and heeded no alarm; its process was killed\n"
    assert ran(code) == (-signal.SIGKILL, said)


def test_what_ends_in_time_is_left_alone():
    assert ran(IN_TIME) == (0, "")
