"""How far a point is from the optimum, term by term, where sums over all examples would hide it.

A sum of w_i |x_ij| says what a gradient is small beside, unless one example outweighs all others: beside it, every
gradient of the others looks small. Here each part of the gradient is held against the terms that it is a sum of.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.frame import OFFSET, largest_offset, middle_sizes
from shiftlr.solvers.loss import REORDER, loss_at_threshold, terms_at, threshold, weighted_terms
from shiftlr.solvers.storage import plain

OUTWEIGHING = 1e4  # times the median: such a weight hides the other examples
_ROWS = 100  # that tell how large the terms of a score are
EPS = float(np.finfo(float).eps)
_WEIGHED = 100.0  # times the median: what a weight counts for at most in the usual total


def caution(X, weights, outlying, fit_intercept):
    """By which factor a tolerance must be smaller than usual, so that nothing is hidden; 1 where nothing is.

    Examples hide behind one of enormous size or weight, columns behind an offset that no intercept takes up.
    """
    factor = 1.0
    if outlying or weights.max() > OUTWEIGHING * weights.min():  # else neither is the median far from the largest
        positive = weights[weights > 0.0]
        middle = np.median(positive)
        outlying = outlying or positive.max() > OUTWEIGHING * middle
    if outlying:
        usual = np.minimum(positive, _WEIGHED * middle).sum() * middle_sizes(X)
        reach = np.asarray(weights @ abs(X))
        filled = reach > 0.0
        factor = float(np.min(usual[filled] / reach[filled], initial=1.0))
    if not fit_intercept:
        factor /= max(1.0, largest_offset(X) / OFFSET)
    return factor


def largest_violation(X, signs, weights, tilt, tilt_b, penalty, alpha, lam, coef, intercept, fit_intercept):
    """The largest violation of an optimality condition, as a share of the sizes of the terms that should cancel."""
    margins = signs * (X @ coef + intercept)
    slopes, curvatures = np.empty(len(margins)), np.empty(len(margins))
    weighted_terms(margins, weights, lam, slopes, curvatures)
    residuals = signs * slopes
    gradient = X.T @ residuals + tilt
    sizes = abs(X).T @ np.abs(residuals) + np.abs(tilt)
    if penalty == "l2":
        gradient, sizes = gradient + alpha * coef, sizes + alpha * np.abs(coef)
        violations = np.abs(gradient)
    else:
        at_zero = np.maximum(np.abs(gradient) - alpha, 0.0)
        violations = np.where(coef == 0.0, at_zero, np.abs(gradient + alpha * np.sign(coef)))
    filled = sizes > 0.0
    worst = np.max(violations[filled] / sizes[filled], initial=0.0)
    if not fit_intercept:  # the sizes count offsets, which say nothing
        worst *= max(1.0, largest_offset(X) / OFFSET)
    if fit_intercept:
        worst = max(worst, abs(residuals.sum() + tilt_b) / max(np.abs(residuals).sum() + abs(tilt_b), 1e-300))
    return float(worst)


def objective_at(margins, weights, lam, penalty, alpha, coef):
    """(objective, sum of the sizes of the slopes, sum of |coef|) at given margins and weights of the features."""
    value, slopes, sizes, squares = _sums_at(plain(margins), weights, lam, plain(coef))
    if penalty == "l1":
        value += alpha * sizes
    elif penalty == "l2":
        value += 0.5 * alpha * squares
    return value, slopes, sizes


@kernel(fastmath=REORDER, error_model="numpy")
def _sums_at(margins, weights, lam, coef):
    """Sums over the examples of losses and sizes of slopes, over the features of |coef| and coef^2."""
    t, value_at_t = threshold(lam), loss_at_threshold(lam)
    losses, slopes = 0.0, 0.0
    for i in range(margins.size):
        value, slope, _ = terms_at(margins[i], lam, t, value_at_t)
        losses += weights[i] * value
        slopes -= weights[i] * slope
    sizes, squares = 0.0, 0.0
    for j in range(coef.size):
        sizes += abs(coef[j])
        squares += coef[j] * coef[j]
    return losses, slopes, sizes, squares


def rounding_of_scores(X, coef, intercept):
    """The usual size of the rounding error of x.coef + intercept, from the sizes of the terms in some rows."""
    sizes = abs(X[: min(_ROWS, X.shape[0])]) @ np.abs(coef)
    sizes.partition(len(sizes) // 2)  # np.median takes as long as a small fit
    return EPS * (float(sizes[len(sizes) // 2]) + abs(intercept))
