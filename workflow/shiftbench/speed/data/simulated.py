"""Simulated dense data; every function draws from a generator of its own seed."""

import numpy as np
from scipy.special import expit

BLOCK = 50_000  # rows that are made at a time, so that making them needs no second copy


def noisy(n, m, relevant, seed=0):
    """U(-5, 5) features, the relevant ones of weight 2, and 30 % of the negatives labelled as positives."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-5.0, 5.0, (n, m))
    positive = rng.random(n) < 1.0 / (1.0 + np.exp(-2.0 * X[:, :relevant].sum(axis=1)))
    flipped = rng.random(n) < 0.3
    return X, np.where(positive | flipped, 1.0, -1.0)


def gene_like(n, m, seed=1):
    """Standardised expression levels with a few common factors, a tenth of the labels wrong."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(n, 8))
    X = 0.5 * factors @ rng.normal(size=(8, m)) + 0.7 * rng.normal(size=(n, m))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    signs = np.where(factors[:, 0] + 0.5 * factors[:, 1] + 0.5 * rng.normal(size=n) > 0.3, 1.0, -1.0)
    return X, np.where(rng.random(n) < 0.1, -signs, signs)


def tall(n, m, strength=1.0, relevant=None, flips=(0.05, 0.05), seed=0):
    """Normal features, weights of length `strength`, and given shares of negatives and positives mislabelled."""
    rng = np.random.default_rng(seed)
    relevant = relevant or m
    theta = np.zeros(m)
    theta[:relevant] = rng.normal(size=relevant)
    theta *= strength / np.linalg.norm(theta)
    X, signs = np.empty((n, m)), np.empty(n)
    for first in range(0, n, BLOCK):
        rows = slice(first, min(first + BLOCK, n))
        rng.standard_normal(out=X[rows])
        positive = rng.random(len(X[rows])) < expit(X[rows] @ theta - 0.3)
        wrong = rng.random(len(positive)) < np.where(positive, flips[1], flips[0])
        signs[rows] = np.where(positive ^ wrong, 1.0, -1.0)
    return X, signs


def classes(n, m, n_classes, strength=1.5, noise=0.1, seed=0):
    """Normal features, weights of length `strength` for each class, and a share of the labels drawn anew."""
    rng = np.random.default_rng(seed)
    theta = rng.standard_normal((m, n_classes))
    theta *= strength / np.linalg.norm(theta, axis=0)
    X = rng.standard_normal((n, m))
    labels = (X @ theta + rng.gumbel(size=(n, n_classes))).argmax(axis=1)
    return X, np.where(rng.random(n) < noise, rng.integers(0, n_classes, n), labels)


def hard(n, m, correlation=0.9, seed=0):
    """Each column correlated with the one before it, and scales from 0.01 to 100 in no order."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, m))
    for j in range(1, m):
        X[:, j] *= np.sqrt(1.0 - correlation**2)
        X[:, j] += correlation * X[:, j - 1]
    positive = rng.random(n) < expit(X @ rng.normal(size=m) * (1.0 / np.sqrt(m)))
    X *= rng.permutation(np.geomspace(1e-2, 1e2, m))
    wrong = rng.random(n) < 0.05
    return X, np.where(positive ^ wrong, 1.0, -1.0)


def largest_kappa(X, signs):
    """The kappa from which on plain logistic regression has no weights: the largest gradient at the best intercept."""
    positive = (signs > 0.0).astype(float)
    return np.abs(X.T @ (positive - positive.mean())).max()
