"""Random problems, and independent answers to them: nothing here uses shiftlr."""

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit


def random_problem(seed, n, m, noise=0.25, scale=1.0):
    """Features, noisy labels (0, 1) with both classes present, and uneven weights."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, m)) * scale
    y = (X @ random.normal(size=m) / scale + random.normal() > 0.0).astype(int)
    flipped = random.random(n) < noise
    y[flipped] = 1 - y[flipped]
    y[:2] = 0, 1
    return X, y, random.uniform(0.2, 3.0, size=n)


def signs_of(y):
    return np.where(np.asarray(y) == np.max(y), 1.0, -1.0)


def penalty_of(theta, penalty, alpha):
    if penalty == "l1":
        return alpha * np.abs(theta).sum()
    return 0.5 * alpha * theta @ theta if penalty == "l2" else 0.0


def explicit_objective(X, y, w, theta, b, shifts, lam, penalty=None, alpha=0.0):
    """The report's objective with the shifts written out."""
    margins = signs_of(y) * (X @ theta + b + shifts)
    return w @ np.logaddexp(0.0, -margins) + lam * w @ np.abs(shifts) + penalty_of(theta, penalty, alpha)


def explicit_answer(X, y, w, lam, penalty=None, alpha=0.0):
    """The least objective that L-BFGS-B finds over (theta, b, shifts) on [X | I]; absolute values are split in two."""
    n, m = X.shape
    signs = signs_of(y)

    def unpack(z):
        shifts = z[:n] - z[n : 2 * n]
        theta = z[2 * n : 2 * n + m] - (z[2 * n + m : 2 * n + 2 * m] if penalty == "l1" else 0.0)
        return shifts, theta, z[-1]

    def value_and_gradient(z):
        shifts, theta, b = unpack(z)
        margins = signs * (X @ theta + b + shifts)
        pull = -w * signs * expit(-margins)
        value = w @ np.logaddexp(0.0, -margins) + lam * w @ (z[:n] + z[n : 2 * n])
        gradient = [pull + lam * w, -pull + lam * w]
        by_theta = X.T @ pull
        if penalty == "l1":
            value += alpha * (z[2 * n : 2 * n + 2 * m].sum())
            gradient += [by_theta + alpha, -by_theta + alpha]
        else:
            strength = alpha if penalty == "l2" else 0.0
            value += 0.5 * strength * theta @ theta
            gradient += [by_theta + strength * theta]
        return value, np.concatenate([*gradient, [pull.sum()]])

    n_theta = 2 * m if penalty == "l1" else m
    free = (None, None)
    bounds = [(0.0, None)] * (2 * n) + [(0.0, None) if penalty == "l1" else free] * n_theta + [free]
    options = {"maxiter": 20000, "maxfun": 40000, "ftol": 1e-16, "gtol": 1e-11, "maxcor": 30}
    start = np.zeros(2 * n + n_theta + 1)
    answer = minimize(value_and_gradient, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    shifts, theta, b = unpack(answer.x)
    return explicit_objective(X, y, w, theta, b, shifts, lam, penalty, alpha)


def violation(X, y, w, theta, b, lam, penalty=None, alpha=0.0, fit_intercept=True):
    """Largest violation of the profiled problem's optimality conditions, relative to the gradient's scale.

    That is the sum of the losses' slopes times the mean size of the feature; without a penalty, the most it can be.
    """
    signs = signs_of(y)
    slopes = -np.minimum(expit(-signs * (X @ theta + b)), lam)
    by_theta = X.T @ (w * signs * slopes)
    if penalty == "l1":
        at_zero = np.maximum(np.abs(by_theta) - alpha, 0.0)
        off_zero = np.abs(by_theta + alpha * np.sign(theta))
        worst = np.where(theta == 0.0, at_zero, off_zero)
    else:
        worst = np.abs(by_theta + (alpha * theta if penalty == "l2" else 0.0))
    reach = w @ np.abs(X)
    largest = np.max(worst[reach > 0.0] / reach[reach > 0.0], initial=0.0)
    largest = max(largest, abs(w @ (signs * slopes)) / w.sum()) if fit_intercept else largest
    steepest = min(1.0, lam)
    return largest / (steepest if penalty is None else max(w @ np.abs(slopes) / w.sum(), 1e-6 * steepest))
