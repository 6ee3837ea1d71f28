"""The rivals' objectives, written out plainly from their papers, and scipy's descents on them: no code of ours."""

import numpy as np
from problems import penalty_of, signs_of
from scipy.optimize import brentq, minimize
from scipy.special import expit


def log_loss(margins):
    return np.logaddexp(0.0, -margins)


def hard(margins, y, w, c=3.0):
    return w @ np.minimum(log_loss(margins), c)


def cross_entropy(margins, y, w, q=0.5):
    return w @ (1.0 - expit(margins) ** q) / q


def trimmed(margins, y, w, trimmed=0.25):
    """The smallest losses of each class, taken up one by one until its room is full."""
    total, losses = 0.0, log_loss(margins)
    for label in np.unique(y):
        room = (1.0 - trimmed) * w[y == label].sum()
        for loss, weight in sorted(zip(losses[y == label], w[y == label], strict=True)):
            total += min(room, weight) * loss
            room -= min(room, weight)
    return total


def bi_tempered(margins, y, w, t1=0.5, t2=1.5):
    """As Amid et al. define it, with the sum over both classes; probabilities by bisection."""

    def log_t(x, t):
        return np.log(x) if t == 1.0 else (x ** (1.0 - t) - 1.0) / (1.0 - t)

    def probability(margin):
        if t2 == 1.0:
            return expit(margin)
        return brentq(lambda p: log_t(p, t2) - log_t(1.0 - p, t2) - margin, 1e-12, 1.0 - 1e-12, xtol=1e-14)

    given = np.array([probability(margin) for margin in margins])
    both = np.stack([given, 1.0 - given])
    return w @ (-log_t(given, t1) - (1.0 - both ** (2.0 - t1)).sum(axis=0) / (2.0 - t1) + 1.0 / (2.0 - t1))


def bianco_yohai(margins, y, w, c=0.5):
    """rho' = exp(-sqrt(max(l, c))) and, with u = exp(-l), the integral of rho'(-log(u)), both by quadrature in l."""

    def bent(first, last, weight):
        """The integral of exp(-sqrt(l)) weight(l) over l, which is smooth in v = sqrt(l)."""
        return integrated(lambda v: 2.0 * v * np.exp(-v) * weight(v * v), np.sqrt(first), np.sqrt(last))

    def correction(losses):
        turn = np.maximum(losses, c)
        flat = np.exp(-np.sqrt(c)) * integrated(lambda loss: np.exp(-loss), losses, turn)
        return flat + bent(turn, turn + 60.0, lambda loss: np.exp(-loss))

    losses = log_loss(margins)
    start = np.full(len(losses), float(c))
    rho = np.exp(-np.sqrt(c)) * np.minimum(losses, c) + bent(start, np.maximum(losses, c), np.ones_like)
    return w @ (rho + correction(losses) + correction(log_loss(-margins)) - correction(np.zeros(len(losses))))


def integrated(function, first, last):
    """Integrals over intervals, by Gauss and Legendre's rule."""
    places, weights = np.polynomial.legendre.leggauss(60)
    middle, half = 0.5 * (first + last)[:, None], 0.5 * (last - first)[:, None]
    return (half * weights * function(middle + half * places)).sum(axis=1)


OF = {
    "HardShiftLogisticRegression": hard,
    "GeneralizedCrossEntropyRegression": cross_entropy,
    "LeastTrimmedLogisticRegression": trimmed,
    "BiTemperedLogisticRegression": bi_tempered,
    "BiancoYohaiRegression": bianco_yohai,
}
OWN = ("c", "q", "trimmed", "t1", "t2")


def objective_of(model, X, y, w, theta, b):
    """The objective that a model with these parameters has at theta and b; y is 0 or 1."""
    own = {name: value for name, value in model.get_params().items() if name in OWN}
    loss = OF[type(model).__name__](signs_of(y) * (X @ theta + b), y, w, **own)
    return loss + penalty_of(theta, model.penalty, model.alpha)


def descended(value, point, gradient=None):
    """The least value that scipy finds from a point on."""
    options = {"ftol": 1e-15, "gtol": 1e-9, "maxiter": 5000, "maxfun": 100_000, "maxcor": 30}
    return minimize(value, point, jac=gradient, method="L-BFGS-B", options=options).fun
