"""The label-flipping model of more than two classes: EM with a flip probability for every pair of classes.

E-step: the probability of each true class of an example, given its label. M-step: the flip probabilities in closed
form, and a logistic regression on these probabilities as soft labels.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax, logsumexp

from shiftlr.methods._many_classes import make_softmax, margins_of, scores_of
from shiftlr.solvers.newton import SEPARATED
from shiftlr.solvers.path import Start

_SOLVER_STEPS = 1000  # at most, of an M-step
_LEFT_TO_GAIN = 3e-7  # of the log-likelihood, that EM may stop short of its maximum


class ClassesPoint(NamedTuple):
    """Weights (C, m), intercepts and flips T[z, y], with what follows from them."""

    start: Start
    flips: np.ndarray
    responsibilities: np.ndarray  # (n, C): of each true class
    log_likelihood: float  # penalised


class ClassesRun(NamedTuple):
    """The end of a run of EM."""

    point: ClassesPoint
    log_likelihoods: list[float]
    converged: bool
    optimality: float  # of the last M-step
    separated: bool = False  # by the classes that it takes for the true ones, so that there is no maximum


class ClassesEM:
    """The two steps on one prepared problem."""

    def __init__(self, X, codes, weights, n_classes, penalty, alpha, fit_intercept):
        self.X, self.codes, self.weights, self.n_classes, self.alpha = X, codes, weights, n_classes, alpha
        self.problem = make_softmax(X, codes, weights, n_classes, penalty, fit_intercept)
        self.optimality = 0.0

    def at(self, start, flips):
        """The E-step."""
        logs = log_softmax(scores_of(self.X, start.coef, start.intercept), axis=1)
        with np.errstate(divide="ignore"):
            joint = logs + np.log(flips.T)[self.codes]
        of_label = logsumexp(joint, axis=1)
        penalty = 0.5 * self.alpha * float(np.sum(start.coef**2))
        value = float(self.weights @ of_label) - penalty
        return ClassesPoint(start, flips, np.exp(joint - of_label[:, None]), value)

    def fit_weights(self, start, targets, tol):
        """Logistic regression on soft labels; on the labels themselves without any."""
        path = self.problem.path(np.array([self.alpha]), np.array([1.0]), tol, _SOLVER_STEPS, start, targets)
        self.optimality = float(path.optimalities[0])
        return Start(path.coefs[0], path.intercepts[0])

    def next_flips(self, point):
        """The M-step of the flips: of the examples of each true class, the share of each label."""
        counts = np.zeros((self.n_classes, self.n_classes))
        np.add.at(counts.T, self.codes, self.weights[:, None] * point.responsibilities)
        totals = counts.sum(axis=1, keepdims=True)
        return np.where(totals > 0.0, counts / np.where(totals > 0.0, totals, 1.0), np.eye(self.n_classes))

    def run(self, start, flips, tol, max_iter, left_to_gain):
        """Iterate until the log-likelihood stands still. An iteration that lowers it, by rounding, is not taken."""
        point, gain, optimality = self.at(start, flips), np.inf, 0.0
        values, converged = [point.log_likelihood], False
        total = float(self.weights.sum())
        while len(values) <= max_iter and not converged:
            start = self.fit_weights(point.start, point.responsibilities, tol)
            after = self.at(start, self.next_flips(point))
            before, gain = gain, after.log_likelihood - point.log_likelihood
            optimality = self.optimality
            if gain < 0.0:
                lost = -gain > _LEFT_TO_GAIN * abs(after.log_likelihood)  # no rounding: the M-step missed its minimum
                return ClassesRun(point, values, True, np.inf if lost else optimality)
            point = after
            values.append(point.log_likelihood)
            if self.alpha == 0.0 and self._are_all_sure(start):
                return ClassesRun(point, values, True, 0.0, separated=True)
            converged = gain <= tol * total and left_to_gain(gain, before) <= _LEFT_TO_GAIN * abs(values[-1])
        return ClassesRun(point, values, converged, optimality)

    def _are_all_sure(self, start):
        """Whether all examples are far from every boundary, whatever their labels."""
        scores = scores_of(self.X, start.coef, start.intercept)[self.weights > 0.0]
        return bool(np.all(margins_of(scores, scores.argmax(axis=1)) > SEPARATED))

    def are_separated_by(self, start):
        """Whether all labels that count are those of the highest scores."""
        used = self.weights > 0.0
        scores = scores_of(self.X, start.coef, start.intercept)
        return bool(np.all(margins_of(scores, self.codes)[used] > 0.0))


def flip_matrix(flips):
    """T[z, y]: a true class z keeps its label with 1 - flips[z], and all others are as likely as each other."""
    n_classes = len(flips)
    matrix = np.repeat(flips[:, None] / (n_classes - 1), n_classes, axis=1)
    np.fill_diagonal(matrix, 1.0 - flips)
    return matrix
