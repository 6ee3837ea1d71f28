"""The process beside Python, with a program in R's place: what is left of it after it has died or was interrupted."""

import os
from pathlib import Path

import numpy as np
import pytest
from shiftbench.failures import is_answer
from shiftbench.methods import _r_process
from shiftbench.time_limit import TimeLimit, time_limit

SCRIPT = Path("some.R")
ANSWER = r"printf '\001\000\000\000\001\000\000\000\000\000\000\000\000\000\370\077'"  # one vector, of 1.5 alone


@pytest.fixture
def program(monkeypatch, tmp_path):
    """Puts a shell script into R's place."""

    def put(text):
        (tmp_path / "Rscript").write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / "Rscript").chmod(0o755)
        monkeypatch.setattr(_r_process, "PROGRAM", str(tmp_path / "Rscript"))
        monkeypatch.setattr(_r_process, "_running", {})

    return put


def ask():
    return _r_process.ask(SCRIPT, [np.zeros(1)])


def test_an_answer(program):
    program(f"{ANSWER}; cat > /dev/null")
    assert [one.tolist() for one in ask()] == [[1.5]]
    _r_process._running.popitem()[1].stop()


def test_that_it_died_is_no_answer_about_the_data(program):
    program("echo no such luck >&2; exit 3")
    with pytest.raises(_r_process.RDied, match=r"some\.R: R ended with code 3: no such luck") as caught:
        ask()
    assert not is_answer(caught.value) and not _r_process._running
    assert is_answer(_r_process.RError("some.R: one class has 1 or 0 observations"))


def test_after_an_interruption_it_is_not_asked_again(program):
    """It would give the answer to the first request as that to the second."""
    program("exec sleep 1000")
    with pytest.raises(TimeLimit), time_limit(0.5):
        ask()
    assert not _r_process._running
    program(f"{ANSWER}; cat > /dev/null")
    assert [one.tolist() for one in ask()] == [[1.5]]
    _r_process._running.popitem()[1].stop()


def test_an_interrupted_process_is_ended(program, tmp_path):
    program(f"echo $$ > {tmp_path}/pid; exec sleep 1000")
    with pytest.raises(TimeLimit), time_limit(1.0):
        ask()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
