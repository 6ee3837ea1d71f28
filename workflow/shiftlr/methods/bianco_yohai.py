"""The estimator of Bianco and Yohai (1996) with the loss of Croux and Haesbroeck (2003)."""

import numpy as np
from scipy.special import log_expit, ndtr

from shiftlr.methods._smooth import SmoothClassifier
from shiftlr.solvers.smooth import Terms
from shiftlr.validation import check_number

_FACTOR = np.exp(0.25) * np.sqrt(np.pi)


class BiancoYohaiRegression(SmoothClassifier):
    """Logistic regression with a bounded function of the deviance, corrected so that it estimates the same theta.

    Minimises  sum_i w_i (rho(l_i) + G(p_i) + G(1 - p_i) - G(1)) + (alpha / 2) ||theta||^2  with the probability p_i of
    the label given, l_i = -log(p_i) and

        rho'(l) = exp(-sqrt(max(l, c))),   rho(0) = 0,   G(p) = integral from 0 to p of rho'(-log(u)) du.

    The terms in G take back the bias that a bounded rho alone brings; G(1) only makes the loss of p = 1 zero. It is the
    objective of R's robustbase::BYlogreg, there divided by n and without G(1). The first descent begins at the standard
    fit, as there with initwml = FALSE.

    Parameters
    ----------
    c : float > 0
        Losses up to `c` count as in the log loss, times exp(-sqrt(c)); for large `c` it is the standard fit.
    penalty, alpha, fit_intercept, n_init, tol, max_iter, random_state : as in `BiTemperedLogisticRegression`

    Attributes
    ----------
    objectives_, objective_ : as in `HardShiftLogisticRegression`
    coef_, intercept_, classes_, n_features_in_, n_iter_, optimality_ : as in `RobustLogisticRegression`

    Examples
    --------
    >>> import numpy as np
    >>> from shiftlr import BiancoYohaiRegression
    >>> X = np.array([[-3.0], [-2.5], [-2.0], [-1.0], [1.0], [2.0], [2.5], [3.0], [-4.0]])
    >>> y = np.array(["no"] * 4 + ["yes"] * 5)  # the last one looks like a "no"
    >>> bool(BiancoYohaiRegression(penalty="l2", alpha=0.01).fit(X, y).coef_[0, 0] > 0.0)
    True
    """

    grid = {"c": [2.0, 1.0, 0.5, 0.2]}  # noqa: RUF012

    def __init__(
        self,
        c=0.5,
        penalty=None,
        alpha=0.0,
        fit_intercept=True,
        n_init=1,
        tol=1e-8,
        max_iter=1000,
        random_state=None,
    ):
        self.c = c
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def check_params(self):
        return super().check_params() | {"c": check_number("c", self.c, above=0.0, at_most=100.0)}

    def _terms(self, margins):
        return bianco_yohai_terms(margins, float(self.c))


def bianco_yohai_terms(margins, c):
    """Loss, slope and curvature at each margin: the slope is -(1 - p) ((1 - p) rho'(-log p) + p rho'(-log(1 - p)))."""
    loss, other = -log_expit(margins), -log_expit(-margins)  # of the label given, and of the other one
    p, q = np.exp(-loss), np.exp(-other)
    values = rho(loss, c) + _correction(loss, other, c)
    weight, other_weight = _weight(loss, c), _weight(other, c)
    mixed = q * weight + p * other_weight
    # d mixed / d p, times p (1 - p)
    change = p * q * (other_weight - weight) + q * q * _fall(loss, weight, c) - p * p * _fall(other, other_weight, c)
    return Terms(values, -q * mixed, p * q * mixed - q * change)


def rho(loss, c):
    """The bounded function of the log loss."""
    root = np.sqrt(np.maximum(loss, c))
    beyond = np.exp(-np.sqrt(c)) * (2.0 + 2.0 * np.sqrt(c) + c) - 2.0 * np.exp(-root) * (1.0 + root)
    return np.where(loss <= c, np.exp(-np.sqrt(c)) * loss, beyond)


def _weight(loss, c):
    """rho'."""
    return np.exp(-np.sqrt(np.maximum(loss, c)))


def _fall(loss, weight, c):
    """-rho''."""
    return np.where(loss > c, 0.5 * weight / np.sqrt(np.maximum(loss, c)), 0.0)


def bias_term(loss, c):
    """G(p) for p = exp(-loss): p exp(-r) - exp(1/4) sqrt(pi) Phi(-sqrt(2) (1/2 + r)), r = sqrt(max(loss, c))."""
    root = np.sqrt(np.maximum(loss, c))
    return np.exp(-loss - root) - _FACTOR * ndtr(-np.sqrt(2.0) * (0.5 + root))


def _correction(loss, other, c):
    """G(p) + G(1 - p) - G(1)."""
    near = np.exp(-np.sqrt(c)) * np.expm1(-np.minimum(loss, c))  # G(p) - G(1), without a difference
    to_one = np.where(loss <= c, near, bias_term(loss, c) - bias_term(0.0, c))
    return to_one + bias_term(other, c)
