"""Least trimmed log losses: the worst examples of each class are left out."""

import numpy as np
from scipy.special import log_expit

from shiftlr.methods._majorised import MajorisedClassifier
from shiftlr.validation import check_number, check_signs

_NEXT_TO_NOTHING = 1e-9  # of an example: what rounding leaves of one that is left out


class LeastTrimmedLogisticRegression(MajorisedClassifier):
    """Logistic regression on all but the worst examples of each class.

    Minimises  sum_i v_i w_i log(1 + exp(-s_i (x_i.theta + b))) + penalty(theta)  over theta, b and shares v_i from 0
    to 1 that leave out, by weight, `trimmed` of each class: sum_i v_i w_i = (1 - trimmed) sum_i w_i over the examples
    of a class, so that the smallest losses of each class count (for a part of an example, where the number is not
    whole). Concentration steps lower it until the examples that count stay the same: a fit to these, then a look at
    which losses are smallest. The first descent begins at the convex fit with shifts, `RobustLogisticRegression`, at
    lam = 0.1; with trimmed = 0, at the standard fit, which it is.

    Parameters
    ----------
    trimmed : float from 0 to 0.5
        Share of each class that is left out.
    penalty, alpha, fit_intercept, n_init, tol, max_iter, random_state : as in `HardShiftLogisticRegression`
        Without a penalty, what is left is often separable; then a warning says so.

    Attributes
    ----------
    shares_ : (n_examples,)
        v: 0 for the examples that are left out, 1 for the others, except for one of each class.
    cutoffs_ : (2,)
        The largest log loss of each class that counts.
    objectives_, objective_ : as in `HardShiftLogisticRegression`
    coef_, intercept_, classes_, n_features_in_, n_iter_, optimality_ : as in `RobustLogisticRegression`

    Examples
    --------
    >>> import numpy as np
    >>> from shiftlr import LeastTrimmedLogisticRegression
    >>> X = np.array([[-3.0], [-2.5], [-2.0], [-1.0], [1.0], [2.0], [2.5], [-4.0]])
    >>> y = np.array(["no"] * 4 + ["yes"] * 4)  # the last one looks like a "no"
    >>> LeastTrimmedLogisticRegression(trimmed=0.25, penalty="l2", alpha=0.1).fit(X, y).shares_
    array([1., 1., 1., 0., 1., 1., 1., 0.])
    """

    grid = {"trimmed": [0.0, 0.05, 0.1, 0.2, 0.3, 0.4]}  # noqa: RUF012
    _is_smooth = False

    def __init__(
        self,
        trimmed=0.25,
        penalty=None,
        alpha=0.0,
        fit_intercept=True,
        n_init=1,
        tol=1e-8,
        max_iter=1000,
        random_state=None,
    ):
        self.trimmed = trimmed
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def check_params(self):
        return super().check_params() | {"trimmed": check_number("trimmed", self.trimmed, at_least=0.0, at_most=0.5)}

    def _first_start(self, data):
        return data.convex_fit(lam=0.1 if data.params["trimmed"] > 0.0 else 1.0)[0]

    def _losses(self, data, log_probabilities):
        return -log_probabilities * self._shares(data, log_probabilities)

    def _shares(self, data, log_probabilities):
        return shares_of_smallest(-log_probabilities, data.signs, data.weights, 1.0 - data.params["trimmed"])

    def _keep_run(self, data, run):
        super()._keep_run(data, run)
        log_probabilities = data.log_probabilities(run.start)
        self.shares_ = self._shares(data, log_probabilities)
        counts = self.shares_ * data.weights > 0.0
        self.cutoffs_ = np.array([(-log_probabilities)[counts & (data.signs == sign)].max() for sign in (-1.0, 1.0)])

    def suspicion(self, X, y):
        """By how much each label's log loss is above the largest one of its class that counts."""
        losses = -log_expit(self._signed_scores(X, y))
        is_second = check_signs(y, self.classes_, len(losses)) > 0.0
        return losses - self.cutoffs_[is_second.astype(int)]

    def suspected(self, X, y):
        """Which labels have a larger log loss than any of their class that counts."""
        return self.suspicion(X, y) > 0.0


def shares_of_smallest(losses, classes, weights, kept):
    """Shares from 0 to 1 with which the smallest losses of each class make up the share `kept` of its weight."""
    order = np.lexsort((losses, classes))
    sorted_classes, sorted_weights = classes[order], weights[order]
    starts = np.flatnonzero(np.r_[True, np.diff(sorted_classes) != 0.0])
    sizes = np.diff(np.r_[starts, len(order)])
    shares = np.empty(len(order))
    for start, size in zip(starts, sizes, strict=True):
        part = slice(start, start + size)
        ends = np.cumsum(sorted_weights[part])
        room = kept * ends[-1] - (ends - sorted_weights[part])
        inside = np.clip(room / np.where(sorted_weights[part] > 0.0, sorted_weights[part], 1.0), 0.0, 1.0)
        shares[order[part]] = np.where(inside < _NEXT_TO_NOTHING, 0.0, inside)
    return shares
