"""The bi-tempered logistic loss (Amid, Warmuth, Anil and Koren 2019) and t-logistic regression, for two classes."""

import numpy as np
from scipy.special import log_expit

from shiftlr.methods._smooth import SmoothClassifier
from shiftlr.solvers.smooth import Terms
from shiftlr.validation import check_number

_MOST_STEPS = 60  # of Newton's method for a probability; about 5 are needed
_PRECISION = 4e-16


class BiTemperedLogisticRegression(SmoothClassifier):
    """Logistic regression with a bounded loss (t1 < 1) and probabilities with heavy tails (t2 > 1).

    With  log_t(x) = (x^(1-t) - 1) / (1 - t), which is log(x) at t = 1, the probability p of the label given solves

        log_t2(p) - log_t2(1 - p) = s (x.theta + b),

    and the objective is the sum of the losses, weighted by w_i, and the penalty (alpha / 2) ||theta||^2, where

        loss = -log_t1(p) - (1 - p^(2-t1) - (1 - p)^(2-t1)) / (2 - t1).

    t1 = t2 = 1 is standard logistic regression; t1 = 1 with t2 = t > 1, where the loss is -log(p), is the t-logistic
    regression of Ding and Vishwanathan (2010). The first descent begins at the standard fit.

    Parameters
    ----------
    t1 : float from 0 to 1
        The smaller, the less an example on the wrong side can cost: at most 1 / (1 - t1).
    t2 : float from 1 to 10
        The larger, the slower probabilities go to 0 and 1.
    penalty : None or "l2"
    alpha, fit_intercept, n_init, random_state : as in `HardShiftLogisticRegression`
    tol : float > 0
        Stop when the gradient is below `tol` of its scale: the sum of the losses' slopes times the mean size of the
        feature.
    max_iter : int
        Most Newton steps of a descent.

    Attributes
    ----------
    objectives_, objective_ : as in `HardShiftLogisticRegression`
    coef_, intercept_, classes_, n_features_in_, n_iter_, optimality_ : as in `RobustLogisticRegression`

    Examples
    --------
    >>> import numpy as np
    >>> from shiftlr import BiTemperedLogisticRegression
    >>> X = np.array([[-3.0], [-2.5], [-2.0], [-1.0], [1.0], [2.0], [2.5], [3.0], [-4.0]])
    >>> y = np.array(["no"] * 4 + ["yes"] * 5)  # the last one looks like a "no"
    >>> model = BiTemperedLogisticRegression(t1=0.5, t2=1.5, penalty="l2", alpha=0.1).fit(X, y)
    >>> bool(model.coef_[0, 0] > 0.0)
    True
    """

    grid = {"t1": [1.0, 0.7, 0.4, 0.1], "t2": [1.0, 1.5, 2.0]}  # noqa: RUF012

    def __init__(
        self,
        t1=0.5,
        t2=1.5,
        penalty=None,
        alpha=0.0,
        fit_intercept=True,
        n_init=1,
        tol=1e-8,
        max_iter=1000,
        random_state=None,
    ):
        self.t1 = t1
        self.t2 = t2
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def check_params(self):
        return super().check_params() | {
            "t1": check_number("t1", self.t1, at_least=0.0, at_most=1.0),
            "t2": check_number("t2", self.t2, at_least=1.0, at_most=10.0),
        }

    def _terms(self, margins):
        return bi_tempered_terms(margins, float(self.t1), float(self.t2))

    def predict_proba(self, X):
        """Tempered probability of each class, columns in the order of `classes_`."""
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X):
        """Logarithm of `predict_proba`."""
        return np.column_stack(tempered_log_probabilities(-self.decision_function(X), float(self.t2)))


def bi_tempered_terms(margins, t1, t2):
    """Loss, slope and curvature at each margin.

    With P = p and Q = 1 - p, A = P^-t1 + Q^-t1 and B = P^-t2 + Q^-t2 the slope is -Q A / B, since the loss falls by
    Q A per unit of p, and p grows by 1 / B per unit of the margin.
    """
    log_p, log_q = tempered_log_probabilities(margins, t2)
    p, q = np.exp(log_p), np.exp(log_q)
    rest = (_power_rest(log_p, log_q, 2.0 - t1)) / (2.0 - t1)
    values = _minus_log_t(log_p, t1) - rest
    sum_1, sum_2 = p**t1 + q**t1, p**t2 + q**t2
    growth = np.exp(t2 * (log_p + log_q)) / sum_2  # of p with the margin: 1 / B
    ratio = sum_1 / sum_2 * np.exp((t2 - t1) * (log_p + log_q))  # A / B
    # the derivative of log(A / B) in p, times 1 / B: every product of powers is finite
    small = np.exp((t2 - 1.0) * log_p + t2 * log_q) / sum_2, np.exp(t2 * log_p + (t2 - 1.0) * log_q) / sum_2
    change = t1 * (small[0] * p**t1 - small[1] * q**t1) / sum_1 - t2 * (small[0] * p**t2 - small[1] * q**t2) / sum_2
    change += (t2 - t1) * (small[0] - small[1])
    return Terms(values, -q * ratio, ratio * (growth - q * change))


def _minus_log_t(log_p, t):
    """-log_t(p)."""
    return -log_p if t == 1.0 else -np.expm1((1.0 - t) * log_p) / (1.0 - t)


def _power_rest(log_p, log_q, power):
    """1 - p^power - q^power with q = 1 - p, exact for small p and small q: of each the smaller is taken from q or p."""
    small, large = np.minimum(log_p, log_q), np.maximum(log_p, log_q)
    return -np.expm1(power * large) - np.exp(power * small)


def tempered_log_probabilities(margins, t):
    """(log p, log(1 - p)) with log_t(p) - log_t(1 - p) = margin, by Newton's method in log of the smaller one."""
    if t == 1.0:
        return log_expit(margins), log_expit(-margins)
    tau, sizes = t - 1.0, np.abs(margins)
    # the smaller one, v = p^-tau, solves v = tau |margin| + (1 - p)^-tau, where the last term is from 1 to 2^tau
    least = np.minimum(-np.log(tau * sizes + 2.0**tau) / tau, -np.log(2.0))
    most = np.minimum(-np.log1p(tau * sizes) / tau, -np.log(2.0))
    log_p = np.clip(np.maximum(most, log_expit(-sizes)), least, most)
    for _ in range(_MOST_STEPS):
        log_q = np.log1p(-np.exp(log_p))
        missing = (np.expm1(-tau * log_p) - np.expm1(-tau * log_q)) / tau - sizes
        slope = -np.exp(-tau * log_p) - np.exp(log_p - t * log_q)
        after = np.clip(log_p - missing / slope, least, most)
        moved = np.max(np.abs(after - log_p) / np.abs(after), initial=0.0)
        log_p = after
        if moved <= _PRECISION:
            break
    log_q = np.log1p(-np.exp(log_p))
    return np.where(margins < 0.0, log_p, log_q), np.where(margins < 0.0, log_q, log_p)
