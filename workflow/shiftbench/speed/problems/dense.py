"""Dense features, few columns: the report's simulation, and a million rows."""

import numpy as np

from shiftbench.speed import meters
from shiftbench.speed.data import simulated
from shiftbench.speed.peers import adelie, glmnet, ours, scikit
from shiftbench.speed.problem import OURS, Contender, Meter, Problem, Target, problem, ratio_to
from shiftbench.speed.task import LogisticTask

GLMNET = tuple(10.0**-power for power in range(4, 15))
PLAIN, LBFGS, CHOLESKY = np.ones(1), "sklearn lbfgs", "sklearn newton-cholesky"


def our_tolerances(goal):
    """Near the minimum, objectives differ by the square of the gradient."""
    return tuple(100.0 * np.sqrt(goal) * 10.0**-power for power in range(7))


@problem("dense")
def dense_path(quick):
    """The simulation of the report's Table 1 along 100 lams, theta unpenalised.

    adelie and glmnet get [X | I]. Both stop above the gap at every tolerance, so they run at 1e-10.
    """
    X, signs = simulated.noisy(n=500, m=10, relevant=10)
    task = LogisticTask(X, signs, None, np.zeros(100), np.geomspace(0.99, 0.0099, 100))
    return Problem(
        "path of 100 lam, 500 x 10",
        [
            Contender(OURS, ours.logistic, task, our_tolerances(1e-9)),
            Contender("adelie", adelie.path, task, [1e-10]),
            Contender("glmnet", glmnet.path, task, [1e-10]),
        ],
        ratio_to("adelie", "glmnet", at_least=15),
        goal=1e-9,
    )


@problem("dense")
def tall_plain(quick):
    """A million rows, 30 columns, no penalty."""
    X, signs = simulated.tall(*((20_000, 30) if quick else (1_000_000, 30)))
    task = LogisticTask(X, signs, None, np.zeros(1), PLAIN)
    return Problem(
        f"plain, {size(X)}",
        [
            Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
            Contender(LBFGS, scikit.logistic("lbfgs"), task),
            Contender(CHOLESKY, scikit.logistic("newton-cholesky"), task),
            Contender("glmnet", glmnet.path, task, GLMNET),
        ],
        ratio_to(LBFGS, CHOLESKY, "glmnet", at_least=1.0),
        has_curve=True,
    )


@problem("dense")
def tall_robust(quick):
    """The same rows with shifts, against our own plain fit."""
    X, signs = simulated.tall(*((20_000, 30) if quick else (1_000_000, 30)))
    robust = LogisticTask(X, signs, None, np.zeros(1), np.full(1, 0.1))
    plain = LogisticTask(X, signs, None, np.zeros(1), PLAIN)
    return Problem(
        f"robust, {size(X)}",
        [
            Contender(OURS, ours.logistic, robust, our_tolerances(1e-6)),
            Contender("shiftlr plain", ours.logistic, plain, our_tolerances(1e-6)),
        ],
        [Target(OURS, "shiftlr plain", at_most=1.5)],
        reference=((OURS, 1e-9), ("shiftlr plain", 1e-9)),
    )


@problem("dense")
def tall_memory(quick):
    """What a plain fit to a million rows needs at most, with the data, as a multiple of them."""
    shape = (50_000, 30) if quick else (1_000_000, 30)
    return Problem(
        f"memory of plain, {shape[0]:,} x {shape[1]}",
        [
            Meter(OURS, lambda: meters.peak_memory("shiftlr", *shape), "x data"),
            Meter(LBFGS, lambda: meters.peak_memory("lbfgs", *shape), "x data"),
        ],
        [Target(OURS, None, at_most=1.6)],
    )


@problem("dense")
def tall_loose(quick):
    """400,000 rows, nearly separable, at tol=1e-3: the check for separability should cost next to nothing."""
    X, signs = simulated.tall(*((5_000, 30) if quick else (400_000, 30)), strength=6.0, flips=(0.0, 0.0))
    task = LogisticTask(X, signs, None, np.zeros(1), PLAIN)
    return Problem(
        f"plain at tol=1e-3, {size(X)}, nearly separable",
        [
            Contender(OURS, ours.logistic, task, [1e-3]),
            Contender(LBFGS, scikit.logistic("lbfgs"), task),
            Meter("separability check", lambda: meters.share_of_check(ours.logistic(task), 1e-3), "share"),
        ],
        [Target("separability check", None, at_most=0.1)],
        reference=((OURS, 1e-9),),
    )


def size(X):
    """Rows x columns."""
    return f"{X.shape[0]:,} x {X.shape[1]:,}"
