"""Newton's method for more than two classes, dense or sparse: a model, a step along its minimiser, until it is done."""

import math

import numpy as np

from shiftlr.solvers.newton import DAMPING, LEAST_GAIN, PATIENCE, ROUNDING, SEPARATED
from shiftlr.solvers.points import gap_counts
from shiftlr.solvers.softmax_model import SoftmaxModel
from shiftlr.solvers.softmax_rows import inner

_FORCING = 0.1  # of the residual is left by conjugate gradients, at most
_SHORTEST = 1e-12  # step


def is_on_its_way_to_infinity(objective, scores):
    """Whether nothing holds the weights, and every row's class is far above all others.

    That is the row's label or, of soft labels, whichever class is above the others.
    """
    if objective.ridge.any():
        return False
    rows, others = np.arange(len(scores)), scores.copy()
    classes = objective.codes if objective.tilt is None else scores.argmax(axis=1)
    others[rows, classes] = -np.inf
    return bool(np.all(scores[rows, classes] - others.max(axis=1) > SEPARATED))


def least_gain(tol):
    """The share of the objective that is not worth another step."""
    return max(tol * tol, LEAST_GAIN)


def minimise(objective, theta, tol, max_iter, gap=np.inf):
    """(point, steps, optimality): down from theta, until every condition holds to within `tol`.

    `gap` is what is left to gain at theta at most, where that is known.

    As for two classes, a small gradient is not enough: what a step would gain has to be small beside the objective too.
    """
    point = objective.at(theta)
    enough = least_gain(tol)
    steps, stalled, coarse, gain = 0, 0, True, np.inf
    if gap_counts(tol) and gap <= enough * point.value:
        return point, 0, min(point.optimality, math.sqrt(max(gap, 0.0) / point.value))
    while steps < max_iter:
        if is_good(objective, point, tol) and min(gain, objective.left_to_gain(point)) <= enough * abs(point.value):
            break
        if is_on_its_way_to_infinity(objective, point.scores):
            break
        damping = DAMPING * math.sqrt(inner(point.gradient, point.gradient))
        model = SoftmaxModel(objective, point, damping, steps, coarse)
        good = is_good(objective, point, tol)  # then it is only asked what a step would gain
        direction = model.minimiser(_FORCING if good else min(_FORCING, math.sqrt(point.optimality)))
        gain = -0.5 * inner(point.gradient, direction)
        if good and gain <= enough * abs(point.value):
            break
        steps += 1
        found = _search(objective, point, direction)
        if found is None or (model.sampled and found.value >= point.value):
            if not model.sampled:
                break
            coarse = False  # once more with all rows, then it is rounding that stops us
            continue
        fell = point.value - found.value > ROUNDING * abs(point.value)
        stalled = 0 if fell or found.optimality <= 0.5 * point.optimality else stalled + 1
        point = found
        if stalled == PATIENCE:
            break
    point = objective.at(point.theta, states=point.states)  # sums of steps drift
    optimality = point.optimality
    if gap_counts(tol) and point.value > 0.0:
        optimality = min(optimality, math.sqrt(objective.left_to_gain(point) / point.value))
    if enough * abs(point.value) < gain < np.inf and optimality > tol:
        optimality = max(optimality, math.sqrt(gain / abs(point.value)))
    return point, steps, optimality


def is_good(objective, point, tol):
    """Whether the optimality, or a bound on what is left to gain, is small enough."""
    if point.optimality <= tol:
        return True
    return gap_counts(tol) and objective.left_to_gain(point) <= tol * tol * point.value


def _search(objective, point, direction):
    """A point along the direction that is low enough, or None."""
    change = objective.rows.scores(direction)
    slope = inner(point.gradient, direction)
    if not slope < 0.0:
        return None
    noise = ROUNDING * max(abs(point.value), 1e-300)
    most = max(float(np.abs(change).max(initial=0.0)), 1e-300)

    def at(step):
        return objective.at(point.theta + step * direction, point.scores + step * change, point.states)

    step = 1.0
    found = at(step)
    while not found.value <= point.value + 1e-4 * step * slope + noise:
        step *= 0.5 if step > 0.1 else 0.1
        if step < _SHORTEST * min(1.0, 1.0 / most):
            return None
        found = at(step)
    while step >= 1.0 and inner(found.gradient, direction) < 0.5 * slope:  # the model was too steep: go on
        further = at(2.0 * step)
        if not further.value < found.value:
            break
        step, found = 2.0 * step, further
    return found
