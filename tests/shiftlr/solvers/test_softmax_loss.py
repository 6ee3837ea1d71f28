"""The losses of more than two classes: against a minimisation over the shifts that uses none of their formulas."""

import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp, softmax
from shiftlr.solvers.loss import profiled, shifts_from_margins
from shiftlr.solvers.softmax_loss import (
    GROUP,
    LABEL,
    bend_rows,
    group_shifts,
    hessian_diagonals,
    hessian_entries,
    label_shifts,
    softmax_terms,
)

KINDS = (LABEL, GROUP)
SEEDS = range(50)


def problem(seed):
    """(scores, labels, weights, lam) of a few rows, some far on the wrong side."""
    random = np.random.default_rng(seed)
    n, n_classes = 6, int(random.integers(3, 8))
    scores = random.normal(size=(n, n_classes)) * random.choice([0.5, 2.0, 6.0])
    codes = random.integers(0, n_classes, n)
    scores[0, codes[0]] -= 8.0
    return scores, codes, random.uniform(0.2, 3.0, n), float(random.choice([0.02, 0.1, 0.3, 0.7, 0.95, 1.2]))


def terms_of(kind, scores, codes, weights, lam):
    """(sum of the losses, residuals, states)."""
    residuals, states = np.empty_like(scores), np.zeros(len(codes))
    total, _ = softmax_terms(kind, scores, codes, weights, lam, residuals, states)
    return total, residuals, states


def loss_of(scores, label):
    return logsumexp(scores) - scores[label]


def least_over_shifts(kind, scores, label, lam):
    """The loss with its best shifts: a search along a line, or by steps that shorten and shrink the gradient."""
    if kind == LABEL:
        unit = np.eye(len(scores))[label]
        found = minimize_scalar(
            lambda g: loss_of(scores + g * unit, label) + lam * g, bounds=(0.0, 60.0), method="bounded",
            options={"xatol": 1e-12},
        )  # fmt: skip
        return min(found.fun, loss_of(scores, label))
    shifts, ahead, momentum = np.zeros(len(scores)), np.zeros(len(scores)), 1.0
    for _ in range(20_000):  # accelerated proximal gradients; the loss is 1/2-smooth
        gradient = softmax(scores + ahead)
        gradient[label] -= 1.0
        step = ahead - 2.0 * gradient
        size = np.linalg.norm(step)
        after = step * max(1.0 - 2.0 * lam / size, 0.0) if size > 0.0 else step
        grown = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        if (after - shifts) @ (ahead - after) > 0.0:  # begin anew
            grown, momentum = 1.0, 1.0
        ahead = after + (momentum - 1.0) / grown * (after - shifts)
        if np.abs(after - shifts).max() <= 1e-15:
            break
        shifts, momentum = after, grown
    return loss_of(scores + shifts, label) + lam * np.linalg.norm(shifts)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_values_are_the_least_over_the_shifts(seed, kind):
    scores, codes, weights, lam = problem(seed)
    least = [least_over_shifts(kind, *pair, lam) for pair in zip(scores, codes, strict=True)]
    assert terms_of(kind, scores, codes, weights, lam)[0] == pytest.approx(weights @ least, rel=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_and_hessians_are_those_of_finite_differences(seed, kind):
    scores, codes, weights, lam = problem(seed)
    _, residuals, states = terms_of(kind, scores, codes, weights, lam)
    n, n_classes = scores.shape
    gradient, hessian = np.empty_like(scores), np.empty((n, n_classes, n_classes))
    for i, c in np.ndindex(n, n_classes):
        row = scores[i : i + 1], codes[i : i + 1], weights[i : i + 1], lam
        values, pulls = [], []
        for step in (1e-5, -1e-5):
            moved = row[0].copy()
            moved[0, c] += step
            value, pull, _ = terms_of(kind, moved, *row[1:])
            values.append(value)
            pulls.append(pull[0])
        gradient[i, c] = (values[0] - values[1]) / 2e-5
        hessian[i, :, c] = (pulls[0] - pulls[1]) / 2e-5
    np.testing.assert_allclose(residuals, gradient, atol=1e-6 * weights.max())
    entries, diagonals = np.empty(n), np.empty_like(scores)
    for first, second in np.ndindex(n_classes, n_classes):
        hessian_entries(residuals, states, weights, codes, first, second, entries)
        np.testing.assert_allclose(entries, hessian[:, first, second], atol=1e-6 * weights.max())
    hessian_diagonals(residuals, states, weights, codes, diagonals)
    np.testing.assert_allclose(diagonals, np.einsum("icc->ic", hessian), atol=1e-6 * weights.max())
    given = np.random.default_rng(seed).normal(size=scores.shape)
    block = given.copy()
    bend_rows(residuals, states, weights, codes, block)
    np.testing.assert_allclose(block, np.einsum("icd,id->ic", hessian, given), atol=1e-5 * weights.max())


@pytest.mark.parametrize("seed", SEEDS)
def test_shifts_satisfy_their_conditions(seed):
    """A residual is no longer than lam, and exactly as long, against the shift, where there is one."""
    scores, codes, _, lam = problem(seed)
    rows = np.arange(len(codes))
    own = np.zeros_like(scores)
    own[rows, codes] = label_shifts(scores, codes, lam)
    residuals = softmax(scores + own, axis=1)
    residuals[rows, codes] -= 1.0
    lengths, sizes = -residuals[rows, codes], own[rows, codes]
    assert np.all(sizes >= 0.0) and np.all(lengths <= lam * (1.0 + 1e-12))
    np.testing.assert_allclose(lengths[sizes > 0.0], lam, rtol=1e-10)

    shifts = group_shifts(scores, codes, lam)
    residuals = softmax(scores + shifts, axis=1)
    residuals[rows, codes] -= 1.0
    lengths, sizes = np.linalg.norm(residuals, axis=1), np.linalg.norm(shifts, axis=1)
    assert np.all(lengths <= lam * (1.0 + 1e-10)) and (lam < np.sqrt(2.0) or not sizes.any())
    shifted = sizes > 0.0
    np.testing.assert_allclose(lengths[shifted], lam, rtol=1e-10)
    along = residuals[shifted] + lam * shifts[shifted] / sizes[shifted, None]
    np.testing.assert_allclose(along, 0.0, atol=1e-10)
    np.testing.assert_allclose(shifts.sum(axis=1), 0.0, atol=1e-9 * max(1.0, sizes.max()))


@pytest.mark.parametrize("seed", SEEDS)
def test_two_classes_have_the_loss_of_the_margin(seed):
    random = np.random.default_rng(seed)
    scores, lam = 5.0 * random.normal(size=(8, 2)), float(random.choice([0.02, 0.1, 0.3, 0.7, 1.0]))
    codes, weights = random.integers(0, 2, 8), random.uniform(0.2, 3.0, 8)
    margins = (2.0 * codes - 1.0) * (scores[:, 1] - scores[:, 0])
    expected = np.array([profiled(margin, lam) for margin in margins])
    for kind, price in ((LABEL, lam), (GROUP, np.sqrt(2.0) * lam)):
        total, residuals, states = terms_of(kind, scores, codes, weights, price)
        assert total == pytest.approx(weights @ expected[:, 0], rel=1e-12)
        np.testing.assert_allclose(residuals[np.arange(8), codes], weights * expected[:, 1], rtol=1e-9, atol=1e-12)
        bends = np.empty(8)
        hessian_entries(residuals, states, weights, codes, 0, 0, bends)
        np.testing.assert_allclose(bends, weights * expected[:, 2], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(label_shifts(scores, codes, lam), shifts_from_margins(margins, np.ones(8), lam))


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_any_size_have_a_finite_loss(kind):
    for size in (1e-300, 1e-8, 50.0, 1e4, 1e100):
        scores = size * np.array([[1.0, -1.0, 0.5, 0.0], [-1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
        codes = np.zeros(3, np.int64)
        for lam in (1e-6, 0.1, 0.99):
            total, residuals, states = terms_of(kind, scores, codes, np.ones(3), lam)
            assert np.isfinite(total) and np.isfinite(residuals).all() and np.isfinite(states).all()
            np.testing.assert_allclose(residuals.sum(axis=1), 0.0, atol=1e-9)


FIT = """
import hashlib, sys
import numpy as np
from scipy import sparse
from shiftlr import RobustLogisticRegression, StandardLogisticRegression
random = np.random.default_rng(0)
X = random.normal(size=(400, 30))
y = (X[:, :4] + random.gumbel(size=(400, 4))).argmax(axis=1)
wide = sparse.random_array((3000, 1100), density=0.1, rng=random, format="csr")
found = hashlib.sha256()
for features, labels in ((X, y), (wide, np.arange(3000) % 4)):
    for shift in ("label", "group"):
        model = RobustLogisticRegression(0.3, "l2", 1.0, shift=shift, tol=1e-4).fit(features, labels)
        found.update(model.coef_.tobytes() + model.intercept_.tobytes() + model.shifts_.tobytes())
found.update(StandardLogisticRegression("l2", 1.0).fit(X, y).coef_.tobytes())
print(found.hexdigest())
"""


def test_fits_have_the_same_bits_on_one_thread_and_on_two():
    def bits(n_threads):
        names = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")
        environment = {**os.environ, **dict.fromkeys(names, str(n_threads))}
        done = subprocess.run([sys.executable, "-c", FIT], env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert bits(1) == bits(2)
