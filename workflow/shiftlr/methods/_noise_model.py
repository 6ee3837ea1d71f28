"""How often labels are wrong, told from scores alone: a calibration and a matrix of flips, by maximum likelihood.

With scores s_i of C classes, the true class z_i of an example is drawn from

    p_i = softmax(a s_i + b),   a > 0,   b_0 = 0,

and the label y_i is seen with probability T[z_i, y_i], which depends on the true class alone. The parameters a, b and T
maximise  sum_i w_i log sum_z p_i[z] T[z, y_i]  plus the logarithms of weak priors. They are few (C^2 of them), so the
flips do not vanish beside the weights of many features, as they do where both are fitted together.
"""

from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

from shiftlr.blas_threads import one_blas_thread

_PSEUDO_FLIPS = 4.0  # of each class, spread over the others: no flip is impossible because it was not seen
# Precision of log(a) above 0 and below: scores that tell held-out labels perfectly have no best a, and scores of
# separable training sets are far too large.
_SCALE_PRIORS = 5.0, 0.3
_OFFSET_PRIOR = 1.0  # precision of b
_FIRST_FLIP = 0.1  # where the search begins
_DIRECT = 0.1  # what the calibrated model alone has to say in a doubt
_FIRST_LOG_SCALES = 0.0, -2.0, -4.0, -6.0
_MOST_STEPS = 500


class NoiseModel(NamedTuple):
    """What scores and labels say about the labels."""

    probabilities: np.ndarray  # (n, C): of each true class, before the label is looked at
    noise_matrix: np.ndarray  # (C, C): row: true class, column: the class seen
    doubts: np.ndarray  # (n,): how likely each label is wrong
    log_likelihood: float  # with the logarithms of the priors


def fit_noise_model(scores, codes, weights=None):
    """The noise model of scores (n, C) and labels, given as numbers from 0 to C - 1.

    A doubt is .9 P(z != y | x, y) + .1 P(z != y | x). The second term sees wrong labels that depend on the features,
    which a matrix of flips alone takes for an odd class.
    """
    n = len(codes)
    weights = np.ones(n) if weights is None else weights / weights[weights > 0.0].mean()
    likelihood = _Likelihood(scores, codes, weights)
    options = {"maxiter": _MOST_STEPS, "ftol": 1e-11, "gtol": 1e-7 * n}
    with one_blas_thread():  # the last bits of sums would depend on the number of threads
        found = minimize(likelihood.negative, likelihood.start(), jac=True, method="L-BFGS-B", options=options)
    scale, offsets, log_flips = likelihood.unpack(found.x)
    probabilities, flips = softmax(scale * scores + offsets, axis=1), np.exp(log_flips)
    seen = probabilities * flips[:, codes].T
    rows = np.arange(n)
    right = seen[rows, codes] / seen.sum(axis=1)
    doubts = (1.0 - _DIRECT) * (1.0 - right) + _DIRECT * (1.0 - probabilities[rows, codes])
    return NoiseModel(probabilities, flips, np.clip(doubts, 0.0, 1.0), -float(found.fun))


def best_set(doubts, candidates):
    """The automatic set: a mask over the examples, of the candidates that are named.

    The first k by doubt, with the k that maximises the expected F1, 2 sum_{first k} doubt / (k + sum_all doubt); nobody
    where all doubts together are less than half an example.
    """
    total, named = float(doubts.sum()), np.zeros(len(doubts), dtype=bool)
    places = np.flatnonzero(candidates)
    if total < 0.5 or not len(places):
        return named
    order = places[np.argsort(-doubts[places], kind="stable")]
    expected = 2.0 * np.cumsum(doubts[order]) / (np.arange(1, len(order) + 1) + total)
    named[order[: int(np.argmax(expected)) + 1]] = True
    return named


class _Likelihood:
    """The penalised log-likelihood of log(a), b and the logarithms of T, up to a constant in each of its rows."""

    def __init__(self, scores, codes, weights):
        self.scores, self.codes, self.weights = scores, codes, weights
        n, self.n_classes = scores.shape
        self.of_class = np.zeros((n, self.n_classes))
        self.of_class[np.arange(n), codes] = weights
        self.pseudo_flips = np.full((self.n_classes, self.n_classes), _PSEUDO_FLIPS / (self.n_classes - 1))
        np.fill_diagonal(self.pseudo_flips, 0.0)

    def start(self):
        """Few flips, and scores as they are or, if the labels are likelier then, much smaller ones."""
        flips = np.full((self.n_classes, self.n_classes), _FIRST_FLIP / (self.n_classes - 1))
        np.fill_diagonal(flips, 1.0 - _FIRST_FLIP)
        starts = [np.r_[at, np.zeros(self.n_classes - 1), np.log(flips).ravel()] for at in _FIRST_LOG_SCALES]
        return min(starts, key=lambda start: self.negative(start)[0])

    def unpack(self, at):
        """(a, b, logarithms of T)."""
        offsets = np.concatenate([[0.0], at[1 : self.n_classes]])
        return np.exp(at[0]), offsets, log_softmax(at[self.n_classes :].reshape(self.n_classes, -1), axis=1)

    def negative(self, at):
        """Minus the value, and its gradient."""
        scale, offsets, log_flips = self.unpack(at)
        log_p = log_softmax(scale * self.scores + offsets, axis=1)
        joint = log_p + log_flips[:, self.codes].T
        most = joint.max(axis=1, keepdims=True)
        share = np.exp(joint - most)
        total = share.sum(axis=1, keepdims=True)
        share /= total  # P(z | x, y)
        value = self.weights @ (most + np.log(total)).ravel()
        by_score = (share - np.exp(log_p)) * self.weights[:, None]
        counts = share.T @ self.of_class + self.pseudo_flips
        log_scale = at[0]
        value += np.sum(self.pseudo_flips * log_flips)
        precision = _SCALE_PRIORS[0] if log_scale > 0.0 else _SCALE_PRIORS[1]
        value -= 0.5 * (precision * log_scale**2 + _OFFSET_PRIOR * offsets @ offsets)
        by_scale = scale * np.sum(by_score * self.scores) - precision * log_scale
        by_offset = by_score.sum(axis=0) - _OFFSET_PRIOR * offsets
        by_flips = counts - counts.sum(axis=1, keepdims=True) * np.exp(log_flips)
        return -value, -np.concatenate([[by_scale], by_offset[1:], by_flips.ravel()])
