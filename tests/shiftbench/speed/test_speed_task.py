"""Objectives against independent ones: scikit-learn's losses, a search over the shifts, a sum over the hidden label."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import expit, softmax
from shiftbench.speed.task import Fit, FlippingTask, HingeTask, LogisticTask, SoftmaxTask
from sklearn.metrics import hinge_loss, log_loss

RNG = np.random.default_rng(5)
X = RNG.normal(size=(40, 3))
SIGNS = np.where(RNG.random(40) < 0.5, 1.0, -1.0)
COEFS, INTERCEPTS = RNG.normal(size=(2, 3)), RNG.normal(size=2)
SCORES = X @ COEFS[0] + INTERCEPTS[0]


@pytest.mark.parametrize("matrix", [np.asarray, sparse.csr_array])
def test_logistic_objectives_at_each_point(matrix):
    task = LogisticTask(matrix(X), SIGNS, "l1", np.array([0.5, 2.0]), np.ones(2))
    values = task.objectives(Fit(COEFS, INTERCEPTS))
    for k in range(2):
        loss = 40 * log_loss(SIGNS > 0, expit(X @ COEFS[k] + INTERCEPTS[k]))
        assert values[k] == pytest.approx(loss + task.alphas[k] * np.abs(COEFS[k]).sum())


def test_l2_penalty_is_half_the_square():
    plain, ridge = (LogisticTask(X, SIGNS, kind, np.full(1, 3.0), np.ones(1)) for kind in (None, "l2"))
    fit = Fit(COEFS[:1], INTERCEPTS[:1])
    assert ridge.objectives(fit) - plain.objectives(fit) == pytest.approx(1.5 * COEFS[0] @ COEFS[0])


def test_shifts_are_the_best_ones():
    lam = 0.2
    task = LogisticTask(X, SIGNS, None, np.zeros(1), np.full(1, lam))
    total = 0.0
    for margin in SIGNS * SCORES:
        found = minimize_scalar(lambda g, m=margin: np.logaddexp(0.0, -m - g) + lam * g, bounds=(0.0, 50.0))
        total += min(found.fun, np.logaddexp(0.0, -margin))
    assert task.objectives(Fit(COEFS[:1], INTERCEPTS[:1]))[0] == pytest.approx(total, rel=1e-6)


def test_hinge():
    task = HingeTask(X, SIGNS, C=0.7)
    expected = 0.5 * COEFS[0] @ COEFS[0] + 0.7 * 40 * hinge_loss(SIGNS, SCORES)
    assert task.objectives(Fit(COEFS[:1], INTERCEPTS[:1]))[0] == pytest.approx(expected)


def test_flipping_sums_over_the_hidden_label():
    flips = np.array([0.1, 0.3])
    p = expit(SCORES)
    positive = (1.0 - flips[1]) * p + flips[0] * (1.0 - p)
    expected = -np.log(np.where(SIGNS > 0, positive, 1.0 - positive)).sum()
    found = FlippingTask(X, SIGNS).objectives(Fit(COEFS[:1], INTERCEPTS[:1], flips=flips))
    assert found[0] == pytest.approx(expected)


@pytest.mark.parametrize("matrix", [np.asarray, sparse.csr_array])
def test_softmax_objectives(matrix):
    labels = np.arange(40) % 3
    fit = Fit(np.arange(9.0).reshape(3, 3) / 5.0, np.array([0.3, -0.2, 0.1]))
    scores = X @ fit.coefs.T + fit.intercepts
    ridge = 0.5 * 2.0 * np.sum(fit.coefs**2)
    plain = SoftmaxTask(matrix(X), labels, 2.0).objectives(fit)[0]
    assert plain == pytest.approx(40 * log_loss(labels, softmax(scores, axis=1)) + ridge)
    lam, total = 0.2, ridge
    for row, label in zip(scores, labels, strict=True):
        unit = np.eye(3)[label]

        def cost(g, row=row, unit=unit):
            return -np.log(softmax(row + g * unit) @ unit) + lam * g

        total += min(minimize_scalar(cost, bounds=(0.0, 50.0)).fun, cost(0.0))
    assert SoftmaxTask(matrix(X), labels, 2.0, lam).objectives(fit)[0] == pytest.approx(total, rel=1e-6)
