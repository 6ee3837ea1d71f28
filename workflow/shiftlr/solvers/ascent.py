"""From where EM has come to, up to the maximum of the likelihood: Newton's steps, damped in EM's own metric.

EM's step is about (information that it believes to have)^-1 gradient. In a direction in which hidden labels take away
all but a share s of that information, it goes a share s of the way, and needs 1/s steps. Newton's steps do not. But the
log-likelihood is not concave, and its hills are many: a long step may end on another one than EM is climbing. So a step
is made only where the information is positive, or lacks so little that EM would need thousands of steps to turn away,
where margins change little, and where the gain is about what second derivatives say.
"""

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

NEARBY = (0.0, 1e-4, 4e-4)  # of EM's information, added to a matrix that is not positive
ANYWHERE = (
    *NEARBY,
    1.6e-3,
    6e-3,
    0.02,
    0.1,
    0.5,
    2.0,
)  # where EM has stopped: it would do nothing instead
_LARGEST_MARGIN_CHANGE = 0.3  # of one step
_NOT_LOCAL = 0.2  # the share of the first step that must be within that, or it is too early for second derivatives
_SHORTEST = 1e-4  # share of a step
_AGREEMENT = 0.8  # between the gain and what was expected, either way
_LAST_GAIN = 1e-9  # of the log-likelihood: a step that is expected to gain less is the last
_SMALL = 0.05  # a probability that may be on its way to 0
_LEFT_OF_SMALL = 0.01  # the share that one step leaves of it: 0 itself would be forever, and all doubts with it be 0
_ROUNDING = 1e-13  # added to the diagonal, as a share of it: columns may depend on each other


class Step(NamedTuple):
    """Where to go, what that is expected to gain, and how much damping it needed."""

    change: np.ndarray
    gain: float
    damping: float


def newton_step(expansion, flips, fixed, dampings):
    """The `Step` with the least of the dampings that serves, or None.

    A probability that the step would take below 0, or that sinks where the matrix is not positive, goes by a step of
    its own towards 0, and the others by the best that goes with it; one after the other.
    """
    gradient = expansion.gradient
    size = len(gradient) - 2
    for damping in dampings:
        matrix = expansion.information + damping * expansion.known if damping > 0.0 else expansion.information
        free = np.append(np.ones(size, dtype=bool), ~fixed)
        change = np.zeros(size + 2)
        for _ in range(3):
            solution = _solve(matrix, gradient - matrix @ np.where(free, 0.0, change), free)
            if solution is None:
                sinks = (gradient[size:] < 0.0) & (flips < _SMALL)
            else:
                change[free] = solution
                sinks = flips + change[size:] < _LEFT_OF_SMALL * flips
            sinks &= free[size:]
            if not sinks.any():
                break
            lowest = int(np.argmin(np.where(sinks, flips, np.inf)))
            free[size + lowest] = False
            change[size + lowest] = -(1.0 - _LEFT_OF_SMALL) * flips[lowest]
        if solution is None:
            continue
        gain = float(gradient @ change - 0.5 * change @ matrix @ change)
        if gain >= 0.0:
            return Step(change, gain, damping)
    return None


def _solve(matrix, right_side, free):
    """The part of the solution of matrix x = right_side in the free coordinates, or None if it is not positive."""
    part = matrix[np.ix_(free, free)]
    part[np.diag_indices_from(part)] *= 1.0 + _ROUNDING
    if not np.isfinite(part).all():
        return None
    factor, failed = lapack.dpotrf(part, lower=1)
    if failed:
        return None
    return lapack.dpotrs(factor, right_side[free], lower=1)[0]


def climb(marginal, point, expansion, fixed, dampings, max_iter):
    """Steps from a point on, each with a gain: (list of points, whether the last one is a maximum)."""
    points: list = []
    while True:
        step = newton_step(expansion, point.flips, fixed, dampings)
        if step is None:
            return points, False
        is_last = step.damping == 0.0 and step.gain <= _LAST_GAIN * abs(point.log_likelihood)
        if len(points) >= max_iter:
            return points, is_last
        if is_last:
            after = marginal.move(point, step.change, 1.0, fixed)
            points += [after] if after.log_likelihood >= point.log_likelihood else []
            return points, True
        share = _trusted_share(marginal, point, step.change)
        if not points and share < _NOT_LOCAL:
            return points, False
        after = _search(marginal, point, expansion, step.change, share, fixed)
        if after is None:
            return points, False
        points.append(after)
        point, expansion = after, marginal.expand(after)


def _trusted_share(marginal, point, change):
    """How much of a step changes no margin by much, and no more than doubles a probability."""
    share = _LARGEST_MARGIN_CHANGE / max(marginal.margin_change(change), _LARGEST_MARGIN_CHANGE)
    for flip, rise in zip(point.flips, change[-2:], strict=True):
        if rise > 0.0:
            share = min(share, flip / rise, 0.5 * (1.0 - flip) / rise)
    return share


def _search(marginal, point, expansion, change, share, fixed):
    """The first point on the way back from a share of the change that gains about what is expected, or None."""
    slope, bend = expansion.gradient @ change, change @ expansion.information @ change
    while share > _SHORTEST:
        after = marginal.move(point, change, share, fixed)
        gain, expected = after.log_likelihood - point.log_likelihood, share * (slope - 0.5 * share * bend)
        if gain >= 0.0 and _AGREEMENT * expected <= gain <= expected / _AGREEMENT:
            return after
        share *= 0.3
    return None
