"""The likelihood of the labels that are seen, where some of them were flipped: values, doubts and derivatives.

With flip probabilities p_0 and p_1 of the two true classes, an example with the margin m whose label says c has

    P = a sigma(m) + b sigma(-m),   a = 1 - p_c: the label is right,   b = p_(1-c): the label is wrong,

and the doubt q = b sigma(-m) / P. The derivatives of log P are

    in m:                sigma(-m) - q,               -sigma(m) sigma(-m) + q (1 - q)
    in a and in b:       (1 - q) / a,  q / b,         minus the products of these two
    in m and a, m and b:                              q (1 - q) / a,  -q (1 - q) / b

The first term of the second derivative in m is what EM takes for the whole: what is known if the true labels are. The
other one is what the hidden labels take away from it, so that the log-likelihood is not concave.
"""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy import sparse

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.loss import REORDER, exp_of_negative, log_of_one_plus
from shiftlr.solvers.path import Start
from shiftlr.solvers.storage import plain

_BLOCK = 100_000  # entries of the rows that are centred at a time
_SAMPLE = 1000  # rows that tell where the middle of a column is
_MOST_COLUMNS = 1000  # whose second derivatives are worth a matrix


@kernel(fastmath=REORDER, error_model="numpy")
def seen_terms(margins, signs, weights, log_kept, log_flipped, doubts):
    """Fill `doubts`; return the weighted log-likelihood and, of the labels of each class, the weight right and wrong.

    `log_kept` and `log_flipped` are log(1 - p) and log(p) of both true classes.
    """
    total, right_0, right_1, wrong_0, wrong_1 = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(margins.size):
        margin = margins[i]
        positive = signs[i] > 0.0
        log_wrong = log_flipped[0] if positive else log_flipped[1]
        right = (log_kept[1] if positive else log_kept[0]) + min(margin, 0.0)
        wrong = log_wrong - max(margin, 0.0)
        ratio = exp_of_negative(-abs(right - wrong))
        larger = 1.0 / (1.0 + ratio)
        doubt = larger if wrong > right else ratio * larger
        doubt = 0.0 if log_wrong == -np.inf else doubt
        doubts[i] = doubt
        log_seen = max(right, wrong) + log_of_one_plus(ratio) - log_of_one_plus(exp_of_negative(-abs(margin)))
        total += weights[i] * log_seen
        right_1 += weights[i] * (1.0 - doubt) if positive else 0.0
        right_0 += 0.0 if positive else weights[i] * (1.0 - doubt)
        wrong_1 += weights[i] * doubt if positive else 0.0
        wrong_0 += 0.0 if positive else weights[i] * doubt
    return total, right_0, right_1, wrong_0, wrong_1


@kernel(fastmath=REORDER, error_model="numpy")
def seen_derivatives(margins, signs, weights, doubts, flips, linear, curvatures):
    """Fill what the derivatives in theta are sums of; return those in the flip probabilities, (2,) and (2, 2).

    `linear` has a row for the gradient and one for each flip probability, whose mixed derivatives it gives;
    `curvatures` has one of minus the second derivatives, and one of the part that EM takes for them.
    """
    kept_0, kept_1 = 1.0 / (1.0 - flips[0]), 1.0 / (1.0 - flips[1])
    flipped_0 = 1.0 / flips[0] if flips[0] > 0.0 else 0.0
    flipped_1 = 1.0 / flips[1] if flips[1] > 0.0 else 0.0
    gradient_0, gradient_1, hessian_00, hessian_01, hessian_11 = 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(margins.size):
        positive = signs[i] > 0.0
        weight, doubt = weights[i], doubts[i]
        ratio = exp_of_negative(-abs(margins[i]))
        larger = 1.0 / (1.0 + ratio)
        against = ratio * larger if margins[i] > 0.0 else larger  # the model's probability of the other class
        hidden = doubt * (1.0 - doubt)
        known = ratio * larger * larger
        # the derivatives in p_0 and p_1: minus that in a for the class that is seen, that in b for the other one
        by_0 = doubt * flipped_0 if positive else (doubt - 1.0) * kept_0
        by_1 = (doubt - 1.0) * kept_1 if positive else doubt * flipped_1
        linear[0, i] = signs[i] * weight * (against - doubt)
        linear[1, i] = -signs[i] * weight * (hidden * (flipped_0 if positive else kept_0))
        linear[2, i] = -signs[i] * weight * (hidden * (kept_1 if positive else flipped_1))
        curvatures[0, i] = weight * (known - hidden)
        curvatures[1, i] = weight * known
        gradient_0 += weight * by_0
        gradient_1 += weight * by_1
        hessian_00 -= weight * by_0 * by_0
        hessian_01 -= weight * by_0 * by_1
        hessian_11 -= weight * by_1 * by_1
    return np.array([gradient_0, gradient_1]), np.array([[hessian_00, hessian_01], [hessian_01, hessian_11]])


class Point(NamedTuple):
    """Weights and flip probabilities, with what the E-step says there."""

    start: Start
    flips: np.ndarray  # of the first class, of the second
    margins: np.ndarray
    log_likelihood: float  # penalised
    doubts: np.ndarray
    next_flips: np.ndarray  # the expected share of each true class that was flipped: the M-step's closed form
    class_weights: np.ndarray  # the expected weight of each true class


class Expansion:
    """The log-likelihood near a point to second order, in (theta of centred columns, b, the flip probabilities).

    `information` is minus the second derivatives.
    """

    def __init__(self, gradient, information, known):
        self.gradient, self.information = gradient, information
        self._known = known

    @cached_property
    def known(self):
        """What EM takes for the information: never indefinite, and seldom needed."""
        return self._known()


class Marginal:
    """The log-likelihood of one data set, penalised."""

    def __init__(self, X, signs, weights, penalty, alpha, fit_intercept):
        self.X, self.signs, self.weights = X, signs, plain(weights)
        self.penalty, self.alpha, self.fit_intercept = penalty, alpha, fit_intercept
        self.total = weights.sum()
        # L1 has no second derivatives; more columns than examples leave directions without any
        self.is_smooth = penalty != "l1" and X.shape[1] <= min(X.shape[0], _MOST_COLUMNS)

    @cached_property
    def centre(self):
        """A point amid the examples: b belongs to columns that are counted from there, beside whatever offset."""
        if not self.fit_intercept or sparse.issparse(self.X):
            return np.zeros(self.X.shape[1])
        return np.median(self.X[:: max(1, self.X.shape[0] // _SAMPLE)], axis=0)

    def at(self, start, flips):
        """The `Point`: one E-step."""
        margins = plain(self.signs * (self.X @ start.coef + start.intercept))
        doubts = np.empty(len(margins))
        value, right_0, right_1, wrong_0, wrong_1 = seen_terms(
            margins, self.signs, self.weights, _log(1.0 - flips), _log(flips), doubts
        )
        flipped, kept = np.array([wrong_1, wrong_0]), np.array([right_0, right_1])
        both = flipped + kept
        next_flips = np.divide(flipped, both, out=np.zeros(2), where=both > 0.0)
        return Point(start, flips, margins, value - self.penalty_of(start.coef), doubts, next_flips, both)

    def penalty_of(self, coef):
        if self.penalty is None:
            return 0.0
        return self.alpha * (np.abs(coef).sum() if self.penalty == "l1" else 0.5 * (coef @ coef))

    def expand(self, point):
        """The `Expansion` at a point."""
        n, m = self.X.shape
        size = m + self.fit_intercept
        linear, curvatures = np.empty((3, n)), np.empty((2, n))
        flip_gradient, flip_hessian = seen_derivatives(
            point.margins, self.signs, self.weights, point.doubts, point.flips, linear, curvatures
        )
        gram, products = self._sums(curvatures[0], linear)
        ridge = np.append(np.full(m, self.alpha), 0.0)[:size]  # 0 without a penalty
        gradient = np.concatenate([products[0] - ridge * np.append(point.start.coef, 0.0)[:size], flip_gradient])
        information = np.empty((size + 2, size + 2))
        information[:size, :size] = gram + np.diag(ridge)
        information[:size, size:] = -products[1:].T
        information[size:, :size] = -products[1:]
        information[size:, size:] = -flip_hessian

        def known():
            matrix = np.zeros((size + 2, size + 2))
            matrix[:size, :size] = self._sums(curvatures[1], linear[:0])[0] + np.diag(ridge)
            spread = np.maximum(point.flips * (1.0 - point.flips), 1e-300)
            matrix[[size, size + 1], [size, size + 1]] = point.class_weights / spread
            return matrix

        return Expansion(gradient, information, known)

    def move(self, point, change, share, fixed):
        """The `Point` that lies a share of the change away; probabilities that are `fixed` stay 0."""
        m = self.X.shape[1]
        coef = point.start.coef + share * change[:m]
        shift = change[m] - self.centre @ change[:m] if self.fit_intercept else 0.0
        flips = np.where(fixed, 0.0, point.flips + share * change[-2:])
        return self.at(Start(coef, point.start.intercept + share * shift), flips)

    def margin_change(self, change):
        """The largest change of a margin that a step makes."""
        m = self.X.shape[1]
        shift = change[m] - self.centre @ change[:m] if self.fit_intercept else 0.0
        return float(np.max(np.abs(self.X @ change[:m] + shift)[self.weights > 0.0]))

    def _sums(self, curvatures, linear):
        """(sum_i h_i z_i z_i', each of the rows l: sum_i l_i z_i) over the centred rows z_i, a 1 for b at the end."""
        n, m = self.X.shape
        if sparse.issparse(self.X):
            X = sparse.csr_array(self.X)
            if self.fit_intercept:
                X = sparse.csr_array(sparse.hstack([X, np.ones((n, 1))]))
            return (X.T @ (sparse.diags_array(curvatures) @ X)).toarray(), np.asarray(X.T @ linear.T).T
        size = m + self.fit_intercept
        gram, products = np.zeros((size, size)), np.zeros((len(linear), size))
        width = min(n, max(1024, _BLOCK // max(size, 1)))
        columns, scaled = np.ones((size, width)), np.empty((size, width))
        for first in range(0, n, width):
            part = slice(first, min(first + width, n))
            some, some_scaled = columns[:, : part.stop - first], scaled[:, : part.stop - first]
            np.subtract(self.X[part].T, self.centre[:, None], out=some[:m])
            np.multiply(some, curvatures[part], out=some_scaled)
            gram += some_scaled @ some.T
            products += linear[:, part] @ some.T
        return gram, products


def _log(probabilities):
    """Logarithms with log(0) = -inf and no warning: a flip probability may become 0 exactly."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
