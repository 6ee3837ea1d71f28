"""Losses that are concave functions of the log loss, lowered by weighted logistic fits.

With l_i = -log P(label given | x_i), an objective  sum_i w_i f(l_i) + penalty(theta)  with a concave and increasing f
lies below its tangent in the l_i everywhere. So the weighted logistic fit with the weights w_i f'(l_i), which lowers
the tangent, lowers the objective at least as much (majorise and minimise). The weights f'(l_i) lie between 0 and 1.
"""

from abc import abstractmethod

import numpy as np

from shiftlr.methods._nonconvex import NonConvexClassifier, Run
from shiftlr.solvers.path import Start

_LEFT_TO_FALL = 1e-9  # of the objective, that a descent may stop short of its minimum
_LONGEST_STEP = 1024.0  # times the way to the weighted fit


class MajorisedClassifier(NonConvexClassifier):
    """A classifier that says what its losses are (`_losses`) and their derivatives (`_shares`) in the log loss."""

    _is_smooth = True  # whether the shares change with every step; else they are few, and the descent ends by itself

    @abstractmethod
    def _losses(self, data, log_probabilities):
        """f(l_i) for each example, given log P(label given) = -l_i."""

    @abstractmethod
    def _shares(self, data, log_probabilities):
        """f'(l_i) for each example: the share of its weight that counts."""

    def _value(self, data, log_probabilities, start):
        return float(data.weights @ self._losses(data, log_probabilities)) + data.penalty_at(start)

    def _objective(self, data, start):
        return self._value(data, data.log_probabilities(start), start)

    def _descend(self, data, start):
        """Weighted fits until the objective stands still. One that raises it, by rounding, is not taken."""
        log_p = data.log_probabilities(start)
        objectives, used, gain, optimality = [self._value(data, log_p, start)], None, np.inf, 0.0
        for _ in range(data.params["max_iter"]):
            weights = data.weights * self._shares(data, log_p)
            if used is not None and np.array_equal(weights, used):
                return Run(start, objectives, optimality, True, used)
            lost = _lost_class(data, weights, self.classes_)
            if lost is not None:
                return Run(start, objectives, optimality, False, used, self._losing(lost))
            used = weights
            before, (after, optimality) = gain, data.convex_fit(weights, start=start)
            if self._is_smooth:
                after = self._further(data, start, after, objectives[-1])
            log_p_after = data.log_probabilities(after)
            value = self._value(data, log_p_after, after)
            gain = objectives[-1] - value
            if gain >= 0.0:
                start, log_p = after, log_p_after
                objectives.append(value)
            if gain <= 0.0 or (self._is_smooth and self._has_settled(data, gain, before, value)):
                return Run(start, objectives, optimality, True, used)
        return Run(start, objectives, optimality, False, used)

    def _has_settled(self, data, gain, before, value):
        """Whether the objective has next to nothing left to fall, if its falls go on shrinking as the last two did."""
        left = gain * gain / (before - gain) if gain < before < np.inf else np.inf
        return gain <= data.params["tol"] * data.weights.sum() and left <= _LEFT_TO_FALL * abs(value)

    def _further(self, data, start, after, value):
        """A point on the way from `start` to a weighted fit or beyond it: twice, four times ... as far while that pays.

        Near a minimum weighted fits go a fixed share of the way that is left, which may be small.
        """
        step, best = 1.0, self._objective(data, after)
        if value - best <= 10.0 * _LEFT_TO_FALL * abs(value):  # the last point is a fit, with the zeros of L1
            return after
        coef, intercept = after.coef - start.coef, after.intercept - start.intercept
        while step < _LONGEST_STEP:
            point = Start(start.coef + 2.0 * step * coef, start.intercept + 2.0 * step * intercept)
            there = self._objective(data, point)
            if not there < best:
                break
            step, best, after = 2.0 * step, there, point
        return after

    def _losing(self, lost):
        """The warning about a class of which no example counts any more."""
        return (
            f"all examples labelled {lost!r} would be left out, so the descent stopped before that; "
            f"{self._way_out_of_losing}"
        )

    _way_out_of_losing = "use a loss that is nearer to the logistic one."


def _lost_class(data, weights, classes):
    """A class of which no example has a positive weight, or None."""
    for sign, name in zip((-1.0, 1.0), classes, strict=True):
        if not np.any(weights[data.signs == sign] > 0.0):
            return name.item() if hasattr(name, "item") else name
    return None
