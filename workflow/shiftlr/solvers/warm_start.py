"""Where to begin at the next (alpha, lam) of a path: solutions move smoothly along log(alpha) and log(lam)."""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers.dense import dot
from shiftlr.solvers.line_search import minimise_along
from shiftlr.solvers.points import evaluate


class Solved(NamedTuple):
    """A solution, its margins, and where it stands on the path: (log alpha, log lam), all lam >= 1 the same."""

    place: np.ndarray
    theta: np.ndarray
    intercept: float
    margins: np.ndarray


def place_of(alpha, lam):
    return np.log([alpha, min(lam, 1.0)])


def predicted(problem, last, before):
    """The best `Point` on the line from the solution `before` through the `last` one.

    More than a line was measured and is no better: where rows begin to be shifted the path has kinks.
    """
    p = problem
    if before is None:
        return evaluate(p, last.theta, last.intercept, last.margins.copy())
    d, d_b, d_margins = last.theta - before.theta, last.intercept - before.intercept, last.margins - before.margins
    passed, ahead = (np.abs(step).sum() for step in (last.place - before.place, place_of(p.alpha, p.lam) - last.place))
    first_step = min(ahead / passed, 3.0) if passed > 0.0 and ahead > 0.0 else 1.0
    linear = p.alpha * dot(last.theta, d) + dot(p.tilt, d) + p.tilt_b * d_b
    quadratic = p.alpha * dot(d, d)
    step, _ = minimise_along(last.margins, d_margins, p.weights, p.lam, linear, quadratic, first_step, 0.1)
    return evaluate(p, last.theta + step * d, last.intercept + step * d_b, last.margins + step * d_margins)
