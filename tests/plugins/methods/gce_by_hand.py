"""Generalised cross-entropy (Zhang and Sabuncu 2018): a loss between the logistic and the absolute one."""

import numpy as np
from scipy.special import expit
from shiftlr.methods.standard import StandardLogisticRegression


class GeneralizedCrossEntropy(StandardLogisticRegression):
    """Logistic regression with the loss (1 - p^q) / q, where p is the probability of the label given.

    It is not convex. From the standard fit on, weighted fits with weights p^q lower it step by step.

    Parameters
    ----------
    q : float
        Near 0 it is the logistic loss, at 1 the absolute one.
    steps : int
        Most weighted fits.
    Others : as in `StandardLogisticRegression`
    """

    grid = {"q": [0.1, 0.5, 0.9]}  # noqa: RUF012  what it is tuned over where config.yaml does not say

    def __init__(self, q=0.5, steps=50, penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        super().__init__(penalty, alpha, fit_intercept, tol, max_iter)
        self.q = q
        self.steps = steps

    def fit(self, X, y, sample_weight=None):
        """Fit to features X and two-valued labels y."""
        super().fit(X, y, sample_weight)
        signs = np.where(y == self.classes_[1], 1.0, -1.0)
        base = np.ones(len(signs)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        for _ in range(self.steps):
            before = self.decision_function(X)
            super().fit(X, y, base * np.maximum(expit(signs * before) ** self.q, 1e-6))
            if np.abs(self.decision_function(X) - before).max() < 1e-3:
                break
        return self
