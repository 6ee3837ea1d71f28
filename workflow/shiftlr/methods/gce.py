"""Generalised cross-entropy (Zhang and Sabuncu 2018), of which the gamma-logistic regression is another form."""

import numpy as np
from scipy.special import log_expit

from shiftlr.methods._majorised import MajorisedClassifier
from shiftlr.validation import check_number


class GeneralizedCrossEntropyRegression(MajorisedClassifier):
    """Logistic regression with the loss (1 - p^q) / q, which no example can make larger than 1 / q.

    Minimises  sum_i w_i (1 - p_i^q) / q + penalty(theta), where p_i = 1 / (1 + exp(-s_i (x_i.theta + b))) is the
    probability of the label given. For q near 0 the loss is the log loss, for q = 1 the mean absolute error. Logistic
    fits with the weights  w_i p_i^q  lower the objective step by step. The first descent begins at the convex fit with
    shifts, `RobustLogisticRegression`, at lam = max(1 - q, 0.05). Without a penalty, above all for q near 1, there
    may be no minimum: then the objective settles as theta grows, and the boundary with it.

    Parameters
    ----------
    q : float from 0 to 1
        0 is standard logistic regression. See `from_gamma` too.
    penalty, alpha, fit_intercept, n_init, random_state : as in `HardShiftLogisticRegression`
    tol : float > 0
        Stop when an iteration lowers the objective by less than `tol` per example and, at the rate of the last two
        iterations, all later ones would lower it by less than 1e-9 of it; tolerance of each logistic fit too.
    max_iter : int
        Most logistic fits of a descent.

    Attributes
    ----------
    objectives_, objective_ : as in `HardShiftLogisticRegression`
    coef_, intercept_, classes_, n_features_in_, n_iter_, optimality_ : as in `RobustLogisticRegression`

    Examples
    --------
    >>> import numpy as np
    >>> from shiftlr import GeneralizedCrossEntropyRegression
    >>> X = np.array([[-3.0], [-2.5], [-2.0], [-1.0], [1.0], [2.0], [2.5], [3.0], [-4.0]])
    >>> y = np.array(["no"] * 4 + ["yes"] * 5)  # the last one looks like a "no"
    >>> model = GeneralizedCrossEntropyRegression(q=0.5, penalty="l2", alpha=0.1).fit(X, y)
    >>> int(model.suspicion(X, y).argmax())
    8
    """

    grid = {"q": [0.0, 0.1, 0.3, 0.5, 0.7, 0.9]}  # noqa: RUF012

    def __init__(
        self,
        q=0.5,
        penalty=None,
        alpha=0.0,
        fit_intercept=True,
        n_init=1,
        tol=1e-8,
        max_iter=1000,
        random_state=None,
    ):
        self.q = q
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def from_gamma(cls, gamma, **params):
        """The gamma-logistic regression of Hung, Jou and Huang (2018): q = gamma / (1 + gamma).

        It has the same boundary. Its coefficients are these divided by 1 + gamma, since it maximises the sum of
        sigma((1 + gamma) s_i (x_i.theta + b))^q.
        """
        gamma = check_number("gamma", gamma, at_least=0.0)
        return cls(q=gamma / (1.0 + gamma), **params)

    def check_params(self):
        return super().check_params() | {"q": check_number("q", self.q, at_least=0.0, at_most=1.0)}

    def _first_start(self, data):
        return data.convex_fit(lam=max(1.0 - data.params["q"], 0.05))[0]

    def _losses(self, data, log_probabilities):
        q = data.params["q"]
        return -log_probabilities if q == 0.0 else -np.expm1(q * log_probabilities) / q

    def _shares(self, data, log_probabilities):
        return np.exp(data.params["q"] * log_probabilities)

    def suspicion(self, X, y):
        """By how much each label's example has lost its weight: 1 - p^q."""
        return -np.expm1(self.q * log_expit(self._signed_scores(X, y)))

    def suspected(self, X, y):
        """Which labels' examples have lost more than half of their weight."""
        return self.suspicion(X, y) > 0.5
