"""The runner on made-up solvers: tolerances, gaps, who is missing, who misses. Nothing is timed here."""

import numpy as np
import pytest
from shiftbench.speed import runner
from shiftbench.speed.problem import OURS, Contender, Meter, Problem, Skipped
from shiftbench.speed.task import Fit
from small_speed_problems import exact, minimiser, plain_task, solver


@pytest.fixture
def task():
    return plain_task()


def rows_of(*contenders, **settings):
    rows, _ = runner.solve(Problem("a title", contenders, **settings), rounds=1)
    return {row["solver"]: row for row in rows}


def test_the_loosest_sufficient_tolerance_is_taken(task):
    found = rows_of(exact(task), solver("peer", task, lambda tolerance: tolerance), goal=1e-4)
    assert found["peer"]["status"] == "ok" and found["peer"]["gap"] <= 1e-4
    looser = 10.0 * found["peer"]["tolerance"]
    at_looser = task.objectives(Fit(minimiser(task)[None, :-1] + looser, minimiser(task)[-1:]))
    assert np.max(at_looser / task.best - 1.0) > 1e-4  # the next looser one would not have been enough
    assert found["peer"]["value"] == 1.0 and found["peer"]["rounds"] == 1


def test_a_solver_that_misses_the_gap_is_reported_with_its_least_gap(task):
    found = rows_of(exact(task), solver("peer", task, lambda tolerance: 0.5 + tolerance), goal=1e-6)
    assert found["peer"]["status"] == "gap missed"
    assert found["peer"]["tolerance"] == 1e-4 and found["peer"]["gap"] > 1e-6
    assert found[OURS]["status"] == "ok"


def test_whoever_finds_a_lower_objective_sets_the_gap_of_all(task):
    """Ours is the reference, and wrong."""
    found = rows_of(solver(OURS, task, lambda tolerance: 0.1), exact(task, "peer"), goal=1e-6)
    assert found["peer"]["status"] == "ok" and found["peer"]["gap"] == 0.0
    assert found[OURS]["status"] == "gap missed" and found[OURS]["gap"] > 1e-6


def test_patience_ends_a_ladder(task):
    slow = solver("peer", task, lambda tolerance: 0.5 + tolerance, seconds=50.0)
    rows, curve = runner.solve(Problem("", [exact(task), slow], patience=60.0), rounds=1)
    assert [point["tolerance"] for point in curve if point["solver"] == "peer"] == [1e-1, 1e-2]
    assert rows[1]["status"] == "gap missed"


def raising(error):
    def prepare(task):
        raise error

    return prepare


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Skipped("there is no R"), "skipped: there is no R"),
        (ModuleNotFoundError("No module", name="adelie"), "skipped: adelie is not installed"),
        (ValueError("bad numbers"), "failed: ValueError: bad numbers"),
    ],
)
def test_who_does_not_run_says_why_and_the_others_go_on(task, error, status):
    found = rows_of(exact(task), Contender("peer", raising(error), task), Meter("meter", lambda: 1.0))
    assert found["peer"]["status"] == status and "value" not in found["peer"]
    assert found[OURS]["status"] == found["meter"]["status"] == "ok"


def test_a_peer_stands_in_for_a_reference_that_is_missing(task):
    found = rows_of(Contender(OURS, raising(Skipped("gone")), task), exact(task, "peer"))
    assert found["peer"]["status"] == "ok" and found[OURS]["status"] == "skipped: gone"


def test_weights_that_are_not_finite_are_a_failure(task):
    found = rows_of(exact(task), solver("peer", task, lambda tolerance: np.nan))
    assert found["peer"]["status"].startswith("failed")


def test_curves_go_beyond_the_goal(task):
    peer = solver("peer", task, lambda tolerance: tolerance, tolerances=[10.0**-k for k in range(1, 9)])
    _, curve = runner.solve(Problem("", [exact(task), peer], goal=1e-4, has_curve=True), rounds=1)
    gaps = [point["gap"] for point in curve if point["solver"] == "peer"]
    assert gaps == sorted(gaps, reverse=True) and gaps[0] > 1e-4 and gaps[-1] <= 1e-7


def test_other_bits_are_a_failure(task):
    rounded = solver("shiftlr 2 threads", task, lambda tolerance: 1e-12, threads=2)
    same = exact(task, "shiftlr again", threads=2)
    found = rows_of(exact(task), rounded, same, same_bits=True)
    assert found["shiftlr 2 threads"]["status"] == "failed: not the same bits as shiftlr"
    assert found["shiftlr again"]["status"] == found[OURS]["status"] == "ok"


def test_the_least_of_several_measurements_counts():
    values = iter([3.0, 2.0, 4.0])
    rows, _ = runner.solve(Problem("", [Meter(OURS, lambda: next(values), "x data")]))
    assert rows[0]["value"] == 2.0 and rows[0]["rounds"] == 3 and rows[0]["unit"] == "x data"


def test_a_measurement_that_fails_says_why():
    def measure():
        raise RuntimeError("no memory")

    rows, _ = runner.solve(Problem("", [Meter(OURS, measure)]))
    assert rows[0]["status"] == "failed: RuntimeError: no memory" and "value" not in rows[0]


def test_threads_are_set_and_put_back():
    import numba

    before = numba.get_num_threads()
    with runner.threads(1):
        assert numba.get_num_threads() == 1
    assert numba.get_num_threads() == before
