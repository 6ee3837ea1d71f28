"""Run one problem: the loosest sufficient tolerance of each solver, then timed rounds in turn.

Gaps are (objective - least objective known) / least objective known, the largest over a task's points. Whatever
objective anybody finds counts as known, so that a solver that was within the gap may have to go on.
"""

import numpy as np

from shiftbench.speed.problem import OURS, SECONDS, Contender, Meter, Problem
from shiftbench.speed.run import SHORTEST_ROUND, Run, quiet, threads, why_not
from shiftbench.speed.task import Task
from shiftbench.speed.versions import version_of

ROUNDS = ((2.0, 5), (15.0, 3), (60.0, 2))  # up to so many seconds of one round of all solvers, so many rounds; else one
LONG = 15.0  # seconds; what takes longer is measured once
FURTHER = 1e-3  # of the goal: curves of time against gap end there


def find_references(problem: Problem) -> None:
    """The least objectives known before any clock runs. It also loads and compiles what is needed."""
    by_name = {one.name: one for one in problem.contenders if isinstance(one, Contender)}
    wanted = [(by_name[name], tolerance) for name, tolerance in problem.reference if name in by_name]
    for contender, tolerance in wanted:
        for other in (contender, *by_name.values()):  # the first that is there stands in for one that is not
            if other.task is not contender.task:
                continue
            run = Run(Contender(other.name, other.prepare, other.task, [tolerance], other.threads), np.inf)
            run.prepare()
            if run.prepared:
                run.step()
            if run.points:
                note_best(other.task, run.points[0].objectives)
                break


def note_best(task: Task, objectives: np.ndarray) -> None:
    """Keep the least of all objectives."""
    task.best = objectives if task.best is None else np.minimum(task.best, objectives)


def find_tolerances(runs: list[Run], goal: float) -> None:
    """Step until every solver is within the gap of the least objective anybody knows, or cannot go on."""

    def is_short(run):
        return not run.points or run.gap() > goal

    while short := [run for run in runs if run.can_step() and is_short(run)]:
        for run in short:
            run.step()
            if run.points:
                note_best(run.contender.task, run.points[-1].objectives)


def go_further(runs: list[Run], goal: float) -> None:
    """More points for a curve of time against gap, beyond the goal."""
    for run in runs:
        while run.can_step() and run.points and run.gap() > FURTHER * goal:
            before = run.gap()
            run.step()
            note_best(run.contender.task, run.points[-1].objectives)
            if run.gap() >= before:  # as far as rounding allows
                break


def number_of_rounds(runs: list[Run]) -> int:
    """More of them where they are short."""
    total = sum(max(run.chosen.seconds, SHORTEST_ROUND) for run in runs if run.chosen is not None)
    return next((rounds for limit, rounds in ROUNDS if total <= limit), 1)


def solve(problem: Problem, rounds: int | None = None) -> tuple[list[dict], list[dict]]:
    """(A row for each contender, a row for each point of the curves)."""
    find_references(problem)
    runs = [Run(one, problem.patience) for one in problem.contenders if isinstance(one, Contender)]
    for run in runs:
        run.prepare()
    find_tolerances(runs, problem.goal)
    if problem.has_curve:
        go_further(runs, problem.goal)
    for run in runs:
        if run.contender.task.best is not None:
            run.choose(run.contender.task.best, problem.goal)
    for _ in range(rounds or number_of_rounds(runs)):
        for run in runs:
            run.run_round()
    if problem.same_bits:
        compare_bits(runs)
    by_name = {run.contender.name: row_of(run, problem.goal) for run in runs}
    metered = run_meters([one for one in problem.contenders if isinstance(one, Meter)], rounds or 3)
    rows = [(by_name | metered)[one.name] for one in problem.contenders]
    return rows, [row for run in runs for row in curve_of(run)]


def compare_bits(runs: list[Run]) -> None:
    """Whoever has our task must have our weights."""
    first = next(run for run in runs if run.contender.name == OURS)
    for run in runs:
        if first.last is None or run.last is None or run.contender.task is not first.contender.task:
            continue
        if run.chosen is None or first.chosen is None or run.chosen.tolerance != first.chosen.tolerance:
            continue
        if not all(np.array_equal(a, b) for a, b in zip(run.last[:2], first.last[:2], strict=True)):
            run.status = f"failed: not the same bits as {OURS}"


def row_of(run: Run, goal: float) -> dict:
    """The result of a solver."""
    row = {"solver": run.contender.name, "version": version_of(run.contender.name), "threads": run.contender.threads}
    row |= {"goal": goal, "unit": SECONDS, "rounds": run.rounds}
    chosen, status = run.chosen, run.status
    if chosen is not None:
        reached = run.gap(chosen)
        row |= {"tolerance": chosen.tolerance, "gap": reached, "value": chosen.seconds}
        status = status or ("ok" if reached <= goal else "gap missed")
    return row | {"status": status or "failed: no result"}


def run_meters(meters: list[Meter], rounds: int) -> dict[str, dict]:
    """The results of measurements, taken in turn: the least of some counts. Long ones are taken once."""
    values: dict[str, list[float]] = {meter.name: [] for meter in meters}
    statuses: dict[str, str] = {}
    for _ in range(rounds):
        for meter in meters:
            mine = values[meter.name]
            if meter.name in statuses or (mine and mine[-1] > LONG and meter.unit != "x data"):
                continue
            try:
                with threads(meter.threads), quiet():
                    mine.append(meter.measure())
            except Exception as error:
                statuses[meter.name] = why_not(error)
    return {meter.name: row_of_meter(meter, values[meter.name], statuses.get(meter.name)) for meter in meters}


def row_of_meter(meter: Meter, values: list[float], status: str | None) -> dict:
    """The result of a measurement."""
    row = {"solver": meter.name, "version": version_of(meter.name), "threads": meter.threads, "unit": meter.unit}
    row["rounds"] = len(values)
    return row | ({"status": status} if status else {"value": min(values), "status": "ok"})


def curve_of(run: Run) -> list[dict]:
    """Time and gap at each tolerance that was tried."""
    return [
        {"solver": run.contender.name, "tolerance": p.tolerance, "gap": run.gap(p), "seconds": p.seconds}
        for p in run.points
    ]
