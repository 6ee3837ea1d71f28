"""The two clocks."""

import time

import pytest
from shiftbench.speed import clock
from shiftbench.speed.problem import Skipped
from shiftbench.speed.problems.words import ner_threads


@pytest.fixture
def processor_time():
    clock.use(clock.PROCESSOR)
    yield
    clock.use(clock.WALL)


def test_who_sleeps_uses_no_processor(processor_time):
    start = clock.now(), time.perf_counter()
    time.sleep(0.2)
    assert clock.now() - start[0] < time.perf_counter() - start[1]


def test_wall_time_is_the_default_and_others_are_refused():
    assert clock.kind() == clock.WALL
    with pytest.raises(ValueError, match="the clock is"):
        clock.use("sundial")


def test_threads_are_not_judged_by_processor_time(processor_time, monkeypatch):
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    with pytest.raises(Skipped, match="two threads"):
        ner_threads(True)
