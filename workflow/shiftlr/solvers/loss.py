"""The one loss every logistic solver stands on: the log loss with its shift profiled out.

For a margin m = s (x.theta + b) with s = +1 or -1, minimising log(1 + exp(-(m + s shift))) + lam |shift| over
the shift gives, with the threshold t = log((1 - lam) / lam),

    m >= t:  shift = 0,         value = log(1 + exp(-m)),             slope = -sigma(-m), curvature = sigma(m) sigma(-m)
    m <  t:  shift = s (t - m), value = -log(1 - lam) + lam (t - m),  slope = -lam,       curvature = 0

and plain logistic regression for lam >= 1, where t = -inf. Convex, once differentiable, no extra column.

`exp_of_negative` and `log_of_one_plus` are written out as polynomials because the compiler turns a loop over them
into vector instructions, which it does not do with calls into the C library.
"""

import math

import numpy as np

from shiftlr.solvers._kernel import kernel

# Sums may be reordered into vector lanes (in one fixed way per machine); infinities and NaN keep their meaning.
REORDER = {"reassoc", "contract", "nsz"}

_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.6931471803691238
_LN2_LOW = 1.9082149292705877e-10
_SMALLEST_EXPONENT = -700.0


@kernel(fastmath={"contract"}, error_model="numpy", inline="always")
def exp_of_negative(x):
    """exp(x) for x <= 0, within 1e-15 relative; below -700 it stays at exp(-700), about 1e-304."""
    x = max(x, _SMALLEST_EXPONENT)
    k = np.int32(x * _LOG2_E - 0.5)  # rounds to nearest, since x <= 0 and the conversion truncates
    r = x - k * _LN2_HIGH - k * _LN2_LOW
    p = 1.6059043836821613e-10  # 1 / 13!, and so on down to 1 / 2!
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.755731922398589e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 1.984126984126984e-04
    p = p * r + 1.388888888888889e-03
    p = p * r + 8.333333333333333e-03
    p = p * r + 4.1666666666666664e-02
    p = p * r + 1.6666666666666666e-01
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    return p * np.int64((np.int64(k) + 1023) << 52).view(np.float64)  # 2^k, from its bits


@kernel(fastmath={"contract"}, error_model="numpy", inline="always")
def log_of_one_plus(e):
    """log(1 + e) for 0 <= e <= 1, by 2 atanh(z) with z = e / (2 + e) <= 1/3."""
    z = e / (2.0 + e)
    q = z * z
    p = 1.0 / 31.0
    p = p * q + 1.0 / 29.0
    p = p * q + 1.0 / 27.0
    p = p * q + 1.0 / 25.0
    p = p * q + 1.0 / 23.0
    p = p * q + 1.0 / 21.0
    p = p * q + 1.0 / 19.0
    p = p * q + 1.0 / 17.0
    p = p * q + 1.0 / 15.0
    p = p * q + 1.0 / 13.0
    p = p * q + 1.0 / 11.0
    p = p * q + 1.0 / 9.0
    p = p * q + 1.0 / 7.0
    p = p * q + 1.0 / 5.0
    p = p * q + 1.0 / 3.0
    p = p * q + 1.0
    return 2.0 * z * p


@kernel()
def threshold(lam):
    """The margin below which an example is shifted: log((1 - lam) / lam), or -inf for lam >= 1."""
    if lam >= 1.0:
        return -np.inf
    return math.log1p(-lam) - math.log(lam)


@kernel()
def loss_at_threshold(lam):
    """log(1 + exp(-t)) at the threshold t, which is -log(1 - lam); 0 where there is no threshold."""
    if lam >= 1.0:
        return 0.0
    return -math.log1p(-lam)


@kernel(fastmath={"contract"}, error_model="numpy", inline="always")
def value_at(margin, lam, t, value_at_t):
    """The profiled loss alone, given `t = threshold(lam)` and `value_at_t = loss_at_threshold(lam)`."""
    value = log_of_one_plus(exp_of_negative(-abs(margin))) + max(-margin, 0.0)
    return value_at_t + lam * (t - margin) if margin < t else value


@kernel(fastmath={"contract"}, error_model="numpy", inline="always")
def terms_at(margin, lam, t, value_at_t):
    """(value, slope, curvature) of the profiled loss, given `threshold(lam)` and `loss_at_threshold(lam)`."""
    e = exp_of_negative(-abs(margin))
    q = 1.0 / (1.0 + e)
    value = log_of_one_plus(e) + max(-margin, 0.0)
    slope = -(e * q if margin > 0.0 else q)
    curvature = e * q * q
    shifted = margin < t
    value = value_at_t + lam * (t - margin) if shifted else value
    slope = -lam if shifted else slope
    curvature = 0.0 if shifted else curvature
    return value, slope, curvature


@kernel()
def profiled(margin, lam):
    """Value, slope and curvature of the profiled loss at one margin."""
    return terms_at(margin, lam, threshold(lam), loss_at_threshold(lam))


@kernel(fastmath=REORDER, error_model="numpy")
def weighted_terms(margins, weights, lam, slopes, curvatures):
    """Fill `slopes` and `curvatures` with the weighted derivatives; return the weighted sum of the losses."""
    t = threshold(lam)
    value_at_t = loss_at_threshold(lam)
    total = 0.0
    for i in range(margins.size):
        value, slope, curvature = terms_at(margins[i], lam, t, value_at_t)
        total += weights[i] * value
        slopes[i] = weights[i] * slope
        curvatures[i] = weights[i] * curvature
    return total


@kernel(fastmath=REORDER, error_model="numpy")
def weighted_loss_along(margins, direction, step, weights, lam):
    """The weighted sum of the losses at `margins + step * direction`."""
    t = threshold(lam)
    value_at_t = loss_at_threshold(lam)
    total = 0.0
    for i in range(margins.size):
        total += weights[i] * value_at(margins[i] + step * direction[i], lam, t, value_at_t)
    return total


@kernel(fastmath=REORDER, error_model="numpy")
def weighted_hinge_terms(margins, weights, width, slopes, curvatures):
    """As `weighted_terms`, for the hinge loss max(0, 1 - m) rounded off by a parabola over 1 - width < m < 1."""
    total = 0.0
    for i in range(margins.size):
        slack = 1.0 - margins[i]
        inside = min(max(slack, 0.0), width)
        total += weights[i] * (inside * inside / (2.0 * width) + max(slack - width, 0.0))
        slopes[i] = -weights[i] * (inside / width)
        curvatures[i] = weights[i] / width if 0.0 < slack < width else 0.0
    return total


@kernel()
def slope_scale(total_slope, total_weight, lam):
    """The mean slope of the losses, which a gradient must be small beside to count as zero.

    Not less than 1e-290 of the steepest, min(1, lam), so that nothing is divided by 0. Slopes far below 1 are as exact
    as others: beside a tiny penalty, separable data have a minimum where all losses are that small.
    """
    steepest = min(1.0, lam)
    if total_weight <= 0.0:
        return steepest
    return max(abs(total_slope) / total_weight, 1e-290 * steepest)


@kernel()
def shifts_from_margins(margins, signs, lam):
    """The shifts that go with the margins: s (t - m) below the threshold, 0 elsewhere."""
    t = threshold(lam)
    shifts = np.zeros(margins.size)
    for i in range(margins.size):
        if margins[i] < t:
            shifts[i] = signs[i] * (t - margins[i])
    return shifts
