"""The loss of an example whose C scores have a shift each, at lam times the Euclidean norm of the shifts.

A shift is needed where the residual p - e_y of the plain loss is longer than lam. Then the probabilities q of the
shifted scores satisfy ||q - e_y|| = lam, and the shifts are -kappa (q - e_y) with a kappa > 0. For a given kappa

    q_c = omega(log(kappa) + z_c + kappa [c = y] - nu - 1) / kappa,   omega(x) + log(omega(x)) = x,

where nu makes the q sum to 1: the sum is convex and falling in nu, so that Newton's method is safe. The length of
q - e_y falls with kappa; with D = diag(q / (1 + kappa q)) and r = q - e_y its slopes are dq/dkappa = -D (r - mean), the
mean by the weights D. With A = [1, r] the Hessian of the loss is D - D A (A' D A)^-1 A' D.
"""

import math

import numpy as np

from shiftlr.solvers._kernel import kernel

_ROUNDS = 60  # of either search, at most; they need a few
_CLOSE = 1e-15  # relative


@kernel(error_model="numpy")
def omega(x):
    """The solution w of w + log(w) = x."""
    if x < -40.0:
        return math.exp(max(x, -740.0))
    if x < 1.0:
        w = math.exp(x if x < -2.0 else 2.0 * (x - 1.0) / 3.0)
    else:
        w = x - math.log(x) + math.log(x) / x
    for _ in range(3):
        rest = x - w - math.log(w)
        if abs(rest) <= _CLOSE * max(abs(x), 1.0):
            break
        one = 1.0 + w
        twice = 2.0 * one * (one + 2.0 * rest / 3.0)
        w *= 1.0 + rest / one * (twice - rest) / (twice - 2.0 * rest)
    return w


@kernel(error_model="numpy")
def _fill(scores, label, kappa, nu, q):
    """Put q into its place; returns the sums of q and of q / (1 + kappa q)."""
    log_kappa = math.log(kappa)
    total, bent = 0.0, 0.0
    for c in range(scores.size):
        own = omega(log_kappa + scores[c] + (kappa if c == label else 0.0) - nu - 1.0)
        q[c] = own / kappa
        total += q[c]
        bent += q[c] / (1.0 + own)
    return total, bent


@kernel(error_model="numpy")
def _balance(scores, label, kappa, nu, q):
    """Find nu from a guess, and fill q, so that it sums to 1; returns nu."""
    least = -np.inf  # here the sum is at least 1, so that nu is at least this
    for c in range(scores.size):
        least = max(least, scores[c] - 1.0 - (0.0 if c == label else kappa))
    nu = max(nu, least)
    for _ in range(_ROUNDS):
        total, bent = _fill(scores, label, kappa, nu, q)
        step = (total - 1.0) / bent
        if abs(total - 1.0) <= 4.0 * _CLOSE or abs(step) <= _CLOSE * abs(nu):
            break
        nu = max(nu + step, least)
    return nu


@kernel(error_model="numpy")
def first_kappa(margin, spread, lam):
    """About what kappa will be; the residual is `spread` times as long as its entry at the label."""
    slope = min(lam / spread, 0.5)
    lack = math.log1p(-slope) - math.log(slope) - margin
    return max(lack, 1e-8) / (slope * spread * spread)


@kernel(error_model="numpy")
def group_terms(scores, label, lam, kappa, row):
    """(value, kappa) of a shifted example, whose residual goes into `row`; `kappa` > 0 is where the search begins."""
    n_classes = scores.size
    low, high, nu = 0.0, np.inf, -np.inf
    for _ in range(_ROUNDS):
        nu = _balance(scores, label, kappa, nu, row)
        square, ones, first, second = 0.0, 0.0, 0.0, 0.0
        for c in range(n_classes):
            q = row[c]
            d = q / (1.0 + kappa * q)
            r = q - (1.0 if c == label else 0.0)
            square += r * r
            ones += d
            first += d * r
            second += d * r * r
        length = math.sqrt(square)
        if abs(length - lam) <= 4.0 * _CLOSE * lam:
            break
        if length > lam:
            low = kappa
        else:
            high = kappa
        slope = (second - first * first / ones) / length  # the length falls by so much per unit of kappa
        # 1 / length is closer to a straight line than the length itself
        trial = kappa + (length - lam) * length / (lam * slope) if slope > 0.0 else np.inf
        if not low < trial < high:
            trial = 2.0 * max(kappa, 1.0) if high == np.inf else 0.5 * (low + high)
        if abs(trial - kappa) <= _CLOSE * kappa:
            break
        nu -= first / ones * (trial - kappa)
        kappa = trial
    most = -np.inf
    for c in range(n_classes):
        row[c] -= 1.0 if c == label else 0.0
        most = max(most, scores[c] - kappa * row[c])
    total = 0.0
    for c in range(n_classes):
        total += math.exp(scores[c] - kappa * row[c] - most)
    return most + math.log(total) - scores[label] + kappa * row[label] + lam * kappa * lam, kappa
