"""What is solved: the data and the one function that measures every answer to them.

A task knows its objective at given weights. Nobody else computes one, so that all solvers are measured alike.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import log_expit, logsumexp


class Fit(NamedTuple):
    """A row or entry for each point of a task; `seconds` where a solver has to hold the clock itself."""

    coefs: np.ndarray
    intercepts: np.ndarray
    seconds: float | None = None
    flips: np.ndarray | None = None  # of the first class and the second, for the flipping model


class Task(Protocol):
    """Data with an objective, or several that are solved together."""

    X: Any  # dense, or sparse by rows
    fit_intercept: bool
    best: np.ndarray | None  # the least objectives known

    def objectives(self, fit: Fit) -> np.ndarray:
        """The objective at each of the task's points."""


@dataclass(eq=False)
class LogisticTask:
    """sum_i profiled(s_i (x_i.theta + b), lam) + penalty(theta), at each pair of `alphas` and `lams`.

    profiled(m, lam) = min over shifts g >= 0 of log(1 + exp(-m - g)) + lam g; with lam = 1 there are no shifts.
    """

    X: Any
    signs: np.ndarray
    penalty: str | None
    alphas: np.ndarray
    lams: np.ndarray
    fit_intercept: bool = True
    best: np.ndarray | None = None

    @property
    def is_plain(self) -> bool:
        """Whether no shift is ever worth its price."""
        return bool(np.all(self.lams >= 1.0))

    def objectives(self, fit):
        margins = self.signs[:, None] * (self.X @ fit.coefs.T + fit.intercepts)
        values = []
        for margin, alpha, lam, coef in zip(margins.T, self.alphas, self.lams, fit.coefs, strict=True):
            shifts = np.maximum(np.log((1.0 - lam) / lam) - margin, 0.0) if lam < 1.0 else np.zeros(len(margin))
            size = {None: 0.0, "l1": np.abs(coef).sum(), "l2": 0.5 * (coef @ coef)}[self.penalty]
            values.append(-log_expit(margin + shifts).sum() + lam * shifts.sum() + alpha * size)
        return np.array(values)


@dataclass(eq=False)
class SoftmaxTask:
    """sum_i log(sum_c exp(z_ic + g_i [c = y_i])) - z_iy - g_i + lam g_i, z = X theta' + b, and alpha / 2 ||theta||^2.

    The shift g_i >= 0 of the label's score is the best one; with lam = 1 there are none. `labels` are 0 .. C - 1.
    """

    X: Any
    labels: np.ndarray
    alpha: float
    lam: float = 1.0
    fit_intercept: bool = True
    best: np.ndarray | None = None

    def objectives(self, fit):
        """`coefs` (C, m) and `intercepts` (C,) of the only point."""
        scores = np.asarray(self.X @ fit.coefs.T) + fit.intercepts
        rows = np.arange(len(scores))
        own = scores[rows, self.labels].copy()
        scores[rows, self.labels] = -np.inf
        margins = own - logsumexp(scores, axis=1)
        lam = self.lam
        shifts = np.maximum(np.log((1.0 - lam) / lam) - margins, 0.0) if lam < 1.0 else np.zeros(len(margins))
        loss = -log_expit(margins + shifts).sum() + lam * shifts.sum()
        return np.array([loss + 0.5 * self.alpha * np.sum(fit.coefs**2)])


@dataclass(eq=False)
class HingeTask:
    """1/2 ||theta||^2 + C sum_i max(0, 1 - s_i (x_i.theta + b)), b not penalised."""

    X: Any
    signs: np.ndarray
    C: float
    fit_intercept: bool = True
    best: np.ndarray | None = None

    def objectives(self, fit):
        margins = self.signs * (self.X @ fit.coefs[0] + fit.intercepts[0])
        return np.array([0.5 * (fit.coefs[0] @ fit.coefs[0]) + self.C * np.maximum(1.0 - margins, 0.0).sum()])


@dataclass(eq=False)
class FlippingTask:
    """-sum_i log(P(y_i | z_i = y_i) P(z_i = y_i | x_i) + P(y_i | z_i != y_i) P(z_i != y_i | x_i)), z the true label."""

    X: Any
    signs: np.ndarray
    fit_intercept: bool = True
    best: np.ndarray | None = None

    def objectives(self, fit):
        margins = self.signs * (self.X @ fit.coefs[0] + fit.intercepts[0])
        seen = (self.signs > 0).astype(int)
        with np.errstate(divide="ignore"):  # a flip probability may be 0
            right = log_expit(margins) + np.log(1.0 - fit.flips)[seen]
            wrong = log_expit(-margins) + np.log(fit.flips)[1 - seen]
        return np.array([-np.logaddexp(right, wrong).sum()])
