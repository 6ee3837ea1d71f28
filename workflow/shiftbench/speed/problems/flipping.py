"""The label-flipping model."""

from shiftbench.speed.data import simulated
from shiftbench.speed.peers import marginal_likelihood, ours
from shiftbench.speed.problem import LADDER, OURS, Contender, Problem, Target, problem
from shiftbench.speed.problems.dense import size
from shiftbench.speed.task import FlippingTask

LBFGS = "scipy L-BFGS"


@problem("flipping")
def flipping_weak(quick):
    """300,000 rows, 5 columns, a weak signal: EM is slow, and quasi-Newton on the marginal likelihood is not.

    A gap of 1e-8 is 0.002 nats.
    """
    n = 3000 if quick else 300_000
    X, signs = simulated.tall(n, 5, strength=1.0, flips=(0.1, 0.2))
    task = FlippingTask(X, signs)
    return Problem(
        f"flipping model, {size(X)}, weak signal",
        [
            Contender(OURS, ours.flipping, task, [1e-8, 1e-10]),
            Contender(LBFGS, marginal_likelihood.lbfgs, task, LADDER[2:12]),
        ],
        [Target(OURS, None, at_most=0.6), Target(LBFGS, OURS, at_least=0.87)],
        goal=1e-8,
        reference=((LBFGS, 1e-9),),
        has_curve=True,
    )
