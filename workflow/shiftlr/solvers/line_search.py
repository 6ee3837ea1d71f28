"""Searches along one line, with all margins known: no product with the features is needed."""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.loss import REORDER, exp_of_negative, loss_at_threshold, terms_at, threshold


@kernel(error_model="numpy", fastmath=REORDER)
def along(margins, direction, step, weights, lam):
    """(value, derivative, second derivative) in the step of the weighted loss at margins + step * direction."""
    t = threshold(lam)
    value_at_t = loss_at_threshold(lam)
    total, first, second = 0.0, 0.0, 0.0
    for i in range(margins.size):
        value, slope, curvature = terms_at(margins[i] + step * direction[i], lam, t, value_at_t)
        total += weights[i] * value
        first += weights[i] * slope * direction[i]
        second += weights[i] * curvature * direction[i] * direction[i]
    return total, first, second


@kernel(error_model="numpy")
def minimise_along(margins, direction, weights, lam, linear, quadratic, first_step, closeness):
    """The step that minimises loss(margins + step direction) + linear step + quadratic step^2 / 2.

    Newton's method on the derivative inside a bracket, from `first_step` (0: Newton's own) until the derivative has
    fallen to `closeness` of its first value. Returns (step, change of the objective), (0, 0) if nothing is gained.
    """
    value_0, first, second = along(margins, direction, 0.0, weights, lam)
    slope_0 = first + linear
    if slope_0 == 0.0 or not np.isfinite(slope_0):
        return 0.0, 0.0
    side = 1.0 if slope_0 < 0.0 else -1.0
    low, high = 0.0, np.inf  # distances along `side` with a falling and with a rising objective
    at, best, best_change = first_step, 0.0, 0.0
    if first_step == 0.0:
        at = min(abs(slope_0) / (second + quadratic), 4.0) if second + quadratic > 0.0 else 1.0
    for _ in range(60):
        step = side * at
        value, first, second = along(margins, direction, step, weights, lam)
        slope = side * (first + linear + quadratic * step)
        change = value - value_0 + linear * step + 0.5 * quadratic * step * step
        if change < best_change:
            best, best_change = step, change
        if abs(slope) <= closeness * abs(slope_0) and change <= 1e-14 * abs(value_0):
            return step, change  # near the end rounding hides the change, and the slope decides
        if slope < 0.0 and np.isfinite(change):
            low = at
        else:
            high = at
        newton = at - slope / (second + quadratic) if second + quadratic > 0.0 else np.inf
        if high < np.inf:
            at = newton if newton > low and newton < high else 0.5 * (low + high)
            if high - low <= 1e-15 * high:
                break
        else:
            at = newton if newton > at and newton < 10.0 * at else 4.0 * at
            if at > 1e12:
                break
    return best, best_change


@kernel(error_model="numpy", fastmath=REORDER)
def slopes_along(margins, direction, step, weights, lam):
    """The derivatives that `along` returns, without the value."""
    t = threshold(lam)
    first, second = 0.0, 0.0
    for i in range(margins.size):
        margin = margins[i] + step * direction[i]
        e = exp_of_negative(-abs(margin))
        q = 1.0 / (1.0 + e)
        shifted = margin < t
        first -= weights[i] * direction[i] * (lam if shifted else (e * q if margin > 0.0 else q))
        second += weights[i] * direction[i] * direction[i] * (0.0 if shifted else e * q * q)
    return first, second


@kernel(error_model="numpy")
def newton_intercept(margins, signs, weights, lam, tilt_b, close):
    """How far the intercept is from its minimiser, by Newton's method as long as it halves the slope; (step, found)."""
    moved, last = 0.0, np.inf
    while True:
        first, second = slopes_along(margins, signs, moved, weights, lam)
        slope = first + tilt_b
        if not abs(slope) > close:
            return moved, True
        if not (abs(slope) < 0.5 * last and second > 0.0 and abs(moved - slope / second) < 10.0):
            return 0.0, False
        moved -= slope / second
        last = abs(slope)


@kernel(error_model="numpy")
def centre_intercept(margins, signs, weights, lam, tilt_b, total_weight):
    """Move the intercept to its minimiser, and the margins with it; returns how far it moved."""
    close = 1e-12 * min(1.0, lam) * total_weight
    moved, found = newton_intercept(margins, signs, weights, lam, tilt_b, close)
    if moved != 0.0:
        for i in range(margins.size):
            margins[i] += moved * signs[i]
    for _ in range(0 if found else 3):
        _, first, _ = along(margins, signs, 0.0, weights, lam)
        slope = abs(first + tilt_b)
        if not slope > close:
            break
        step, _ = minimise_along(margins, signs, weights, lam, tilt_b, 0.0, 0.0, close / slope)
        if step == 0.0 or abs(moved + step) > 200.0:
            break
        moved += step
        for i in range(margins.size):
            margins[i] += step * signs[i]
    return moved
