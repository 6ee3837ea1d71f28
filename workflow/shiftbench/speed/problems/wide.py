"""Dense features, 500 columns, L2: well conditioned, and badly scaled with correlations."""

import numpy as np

from shiftbench.speed.data import simulated
from shiftbench.speed.peers import ours, scikit
from shiftbench.speed.problem import OURS, Contender, Problem, problem, ratio_to
from shiftbench.speed.problems.dense import CHOLESKY, LBFGS, our_tolerances, size
from shiftbench.speed.task import LogisticTask

NEWTON_CG = "sklearn newton-cg"


@problem("wide")
def wide_easy(quick):
    """100,000 rows, 500 independent columns of one scale."""
    X, signs = simulated.tall(*((3000, 60) if quick else (100_000, 500)))
    task = LogisticTask(X, signs, "l2", np.ones(1), np.ones(1))
    return Problem(
        f"L2, {size(X)}, well conditioned",
        [
            Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
            Contender(LBFGS, scikit.logistic("lbfgs"), task),
            Contender(NEWTON_CG, scikit.logistic("newton-cg"), task),
            Contender(CHOLESKY, scikit.logistic("newton-cholesky"), task),
        ],
        ratio_to(LBFGS, NEWTON_CG, CHOLESKY, at_least=1.0),
        reference=((LBFGS, 1e-9),),
        has_curve=True,
    )


@problem("wide")
def wide_hard(quick):
    """50,000 rows, 500 correlated columns of scales from 0.01 to 100; lbfgs would need thousands of steps."""
    X, signs = simulated.hard(*((2000, 50) if quick else (50_000, 500)))
    task = LogisticTask(X, signs, "l2", np.ones(1), np.ones(1))
    return Problem(
        f"L2, {size(X)}, badly scaled",
        [
            Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
            Contender(CHOLESKY, scikit.logistic("newton-cholesky"), task),
        ],
        ratio_to(CHOLESKY, at_least=1.5),
        reference=((CHOLESKY, 1e-9),),
        has_curve=True,
    )
