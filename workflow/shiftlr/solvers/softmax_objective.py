"""The objective of more than two classes, and all that is known of it at one point.

Minimised is  sum_i loss_i(scores) + <tilt, theta> + 1/2 sum_jc ridge_j theta_jc^2  over theta (columns, C); the losses
are those of `softmax_loss.py`, times the weights.
"""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers.loss import slope_scale
from shiftlr.solvers.softmax_loss import LABEL, softmax_terms
from shiftlr.solvers.softmax_rows import inner

FAR = 100.0  # how far the intercepts may be from their best, for a bound on what is left to gain


class Point(NamedTuple):
    """Where a search stands."""

    theta: np.ndarray
    scores: np.ndarray
    value: float
    residuals: np.ndarray  # times the weights
    states: np.ndarray
    gradient: np.ndarray
    optimality: float


class SoftmaxObjective:
    """Features, labels and penalty, at one lam. `kind` is the kind of shifts."""

    def __init__(self, rows, codes, weights, kind, lam, ridge, tilt):
        self.rows, self.codes, self.weights = rows, codes, weights
        self.kind, self.lam, self.ridge, self.tilt = kind, lam, ridge, tilt
        self.total_weight = float(weights.sum())
        self.is_bare = tilt is None and not ridge.any()
        sizes = np.append(rows.sizes, 1.0) if rows.fit_intercept else rows.sizes
        self.sizes = np.where(sizes > 0.0, sizes, np.inf)  # the gradient of a column of zeros is its penalty's, and 0

    def smooth_part(self, theta):
        """The penalty and the linear term."""
        value = 0.5 * inner(theta * self.ridge[:, None], theta)
        return value if self.tilt is None else value + inner(self.tilt, theta)

    def at(self, theta, scores=None, states=None):
        """The point theta; its scores are computed anew unless they are given."""
        scores = self.rows.scores(theta) if scores is None else scores
        residuals = np.empty_like(scores)
        states = np.zeros(len(scores)) if states is None else states.copy()
        loss, slopes = softmax_terms(self.kind, scores, self.codes, self.weights, self.lam, residuals, states)
        gradient = self.rows.pull(residuals) + self.ridge[:, None] * theta
        if self.tilt is not None:
            gradient += self.tilt
        violation = np.max(np.abs(gradient) / self.sizes[:, None], initial=0.0)
        optimality = violation / (self.total_weight * self._scale(slopes))
        return Point(theta, scores, loss + self.smooth_part(theta), residuals, states, gradient, float(optimality))

    def _scale(self, slopes):
        """What a gradient is small beside: the mean slope of the losses, or the most it can be without a penalty."""
        steepest = min(1.0, self.lam) if self.kind == LABEL else min(1.0, self.lam / np.sqrt(2.0))
        return steepest if self.is_bare else slope_scale(slopes, self.total_weight, steepest)

    def left_to_gain(self, point):
        """A bound of how far the objective is above its minimum, where all weights are penalised; else infinite."""
        n_columns = self.rows.n_columns
        ridge = self.ridge[:n_columns]
        if np.any(ridge <= 0.0):
            return np.inf
        bound = 0.5 * float(np.sum(point.gradient[:n_columns] ** 2 / ridge[:, None]))
        return bound + FAR * float(np.abs(point.gradient[n_columns:]).sum())
