"""Independent answers for more than two classes: objectives in plain NumPy, and proofs by duality."""

import numpy as np
from scipy import sparse
from scipy.special import logsumexp, softmax


def random_classes(seed, n=None, m=None, n_classes=None, noise=0.2):
    """(X, labels, weights) of a softmax model with some labels drawn anew."""
    random = np.random.default_rng(seed)
    n = n or int(random.integers(30, 150))
    m = m or int(random.integers(1, 8))
    n_classes = n_classes or int(random.integers(3, 7))
    X = random.normal(size=(n, m)) * random.choice([0.3, 1.0, 3.0], m) + random.normal(size=m)
    scores = X @ random.normal(size=(m, n_classes)) + random.gumbel(size=(n, n_classes))
    y = scores.argmax(axis=1)
    wrong = random.random(n) < noise
    y[wrong] = random.integers(0, n_classes, np.count_nonzero(wrong))
    y[:n_classes] = np.arange(n_classes)
    return X, y, random.choice([0.5, 1.0, 2.0], n)


def norm_of(shifts, kind):
    """What `lam` is the price of: the shift of the label, or the Euclidean norm of all."""
    return np.abs(shifts).sum(axis=1) if kind == "label" else np.sqrt((shifts**2).sum(axis=1))


def objective(X, y, weights, alpha, lam, coef, intercept, shifts, kind):
    """The objective as its definition has it, shifts (n, C) included."""
    scores = np.asarray(X @ coef.T) + intercept + shifts
    losses = logsumexp(scores, axis=1) - scores[np.arange(len(y)), y]
    return weights @ (losses + lam * norm_of(shifts, kind)) + 0.5 * alpha * np.sum(coef**2)


def lower_bound(X, y, weights, alpha, lam, coef, intercept, shifts, kind):
    """A bound of the minimum from below, by duality, from the probabilities of the shifted scores.

    It needs probabilities q with q - e_y no longer than lam (in the norm dual to the price), and residuals that sum to
    0 over the examples; by how much they do not is counted against the bound.
    """
    rows = np.arange(len(y))
    q = softmax(np.asarray(X @ coef.T) + intercept + shifts, axis=1)
    residuals = q.copy()
    residuals[rows, y] -= 1.0
    if kind == "label":
        assert np.all(-residuals[rows, y] <= lam * (1 + 1e-9)) or lam >= 1
    else:
        assert np.all(np.sqrt((residuals**2).sum(axis=1)) <= lam * (1 + 1e-9)) or lam >= np.sqrt(2.0)
    entropies = -np.sum(np.where(q > 0.0, q * np.log(np.where(q > 0.0, q, 1.0)), 0.0), axis=1)
    pulled = np.asarray((weights[:, None] * residuals).T @ X)
    unbalanced = np.abs(weights @ residuals).sum() * 100.0
    return weights @ entropies - np.sum(pulled**2) / (2.0 * alpha) - unbalanced


def at_label(shifts, y, n_classes):
    """Shifts (n, C) from those of the labels."""
    full = np.zeros((len(y), n_classes))
    full[np.arange(len(y)), y] = shifts
    return full


def stored(X, storage):
    """Dense, sparse, or sparse with so many columns (of zeros) that no Hessian is formed."""
    if storage == "dense":
        return X
    wide = [sparse.csr_array((len(X), 200))] if storage == "wide" else []
    return sparse.hstack([sparse.csr_array(X), *wide], format="csr")
