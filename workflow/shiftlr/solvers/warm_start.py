"""Where to begin at the next (alpha, lam) of a path: solutions move smoothly along log(alpha) and log(lam)."""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers.dense import dot
from shiftlr.solvers.line_search import minimise_along
from shiftlr.solvers.points import Point, evaluate, moved_margins


class Solved(NamedTuple):
    """A solution, and where it stands on the path: (log alpha, log lam), all lam >= 1 the same."""

    place: np.ndarray
    point: Point


def place_of(alpha, lam):
    return np.log([alpha, min(lam, 1.0)])


def predicted(problem, last, before, tol):
    """The best `Point` on the line from the solution `before` through the `last` one, for a search to `tol`.

    More than a line was measured and is no better: where rows begin to be shifted the path has kinks.
    """
    p, here = problem, last.point
    passed = 0.0 if before is None else np.abs(last.place - before.place).sum()
    if passed == 0.0:  # twice the same place: between its two solutions there is nothing but rounding
        return evaluate(p, here.theta, here.intercept, here.margins.copy(), here.drift)
    there = before.point
    d, d_b, d_margins = here.theta - there.theta, here.intercept - there.intercept, here.margins - there.margins
    first_step = min(np.abs(place_of(p.alpha, p.lam) - last.place).sum() / passed, 3.0) or 1.0
    linear = p.alpha * dot(here.theta, d) + dot(p.tilt, d) + p.tilt_b * d_b
    quadratic = p.alpha * dot(d, d)
    step, _ = minimise_along(here.margins, d_margins, p.weights, p.lam, linear, quadratic, first_step, 0.1)
    error = here.drift + there.drift + np.finfo(float).eps * np.abs(there.margins).max(initial=0.0)
    margins, drift = moved_margins(here, step, d_margins, error, tol)
    return evaluate(p, here.theta + step * d, here.intercept + step * d_b, margins, drift)
