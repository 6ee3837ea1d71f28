"""Tiny problems with solvers that are made up."""

import numpy as np
from shiftbench.speed import results
from shiftbench.speed.problem import OURS, Contender, Problem
from shiftbench.speed.task import Fit, LogisticTask


def plain_task(n=60, m=3, seed=0):
    """Plain logistic regression with an L2 penalty."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, m))
    signs = np.where(X[:, 0] + rng.normal(size=n) > 0.0, 1.0, -1.0)
    return LogisticTask(X, signs, "l2", np.ones(1), np.ones(1))


def solver(name, task, offset, tolerances=(1e-1, 1e-2, 1e-3, 1e-4), seconds=1.0, threads=1):
    """Weights that miss the minimum by `offset(tolerance)`, in as many seconds as it says."""
    minimum = minimiser(task)

    def prepare(task):
        def solve(tolerance):
            return Fit(minimum[None, :-1] + offset(tolerance), minimum[-1:], seconds)

        return solve

    return Contender(name, prepare, task, tolerances, threads)


def exact(task, name=OURS, **settings):
    """A solver that is right at once."""
    return solver(name, task, lambda tolerance: 0.0, **settings)


def minimiser(task):
    """theta and b, by scipy."""
    from scipy.optimize import minimize

    def objective(point):
        return task.objectives(Fit(point[None, :-1], point[-1:]))[0]

    return minimize(objective, np.zeros(task.X.shape[1] + 1), method="BFGS", options={"gtol": 1e-9}).x


def row(solver, value, gap=1e-9, status="ok", unit="s"):
    """A result of the runner."""
    found = {"solver": solver, "goal": 1e-6, "gap": gap, "value": value, "unit": unit, "status": status}
    return {key: item for key, item in found.items() if item is not None}


def compared(targets, *rows, name="one", title="a title"):
    """The comparisons of one problem with given results."""
    contenders = [Contender(one["solver"], lambda task: None, None) for one in rows]
    return results.compare(name, Problem(title, contenders, targets), rows)
