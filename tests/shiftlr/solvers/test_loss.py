"""The profiled loss against the definition it profiles."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit
from shiftlr.solvers.loss import profiled, shifts_from_margins, threshold, weighted_hinge_terms, weighted_terms

MARGINS = np.concatenate([np.linspace(-30.0, 30.0, 61), [-800.0, 800.0, -1e-9, 0.0]])
LAMS = (1e-4, 0.01, 0.1, 0.5, 0.9, 0.999)


@pytest.mark.parametrize("lam", LAMS)
def test_value_is_the_minimum_over_the_shift(lam):
    for margin in MARGINS[:61]:
        best = minimize_scalar(
            lambda shift, margin=margin: np.logaddexp(0.0, -(margin + shift)) + lam * abs(shift),
            bounds=(-60.0, 60.0),
            method="bounded",
            options={"xatol": 1e-11},
        )
        assert profiled(margin, lam)[0] <= best.fun + 1e-12
        assert profiled(margin, lam)[0] == pytest.approx(best.fun, abs=1e-6)


@pytest.mark.parametrize("lam", [*LAMS, 1.0, 5.0])
def test_slope_and_curvature_are_derivatives(lam):
    step = 1e-5
    for margin in MARGINS[:61]:
        if abs(margin - threshold(lam)) < 2 * step:
            continue
        below, above = profiled(margin - step, lam), profiled(margin + step, lam)
        _, slope, curvature = profiled(margin, lam)
        assert slope == pytest.approx((above[0] - below[0]) / (2 * step), abs=1e-8)
        assert curvature == pytest.approx((above[1] - below[1]) / (2 * step), abs=1e-8)


def test_plain_logistic_loss_from_lam_one_on():
    for lam in (1.0, 2.0):
        for margin in MARGINS:
            value, slope, _ = profiled(margin, lam)
            assert value == pytest.approx(np.logaddexp(0.0, -margin), rel=1e-14, abs=1e-300)
            assert slope == pytest.approx(-expit(-margin), rel=1e-14, abs=1e-300)


def test_value_and_slope_do_not_jump_at_the_threshold():
    for lam in LAMS:
        t = threshold(lam)
        below, above = profiled(t - 1e-9, lam), profiled(t + 1e-9, lam)
        assert below[0] == pytest.approx(above[0], abs=1e-8)
        assert below[1] == pytest.approx(above[1], abs=1e-8)


def test_sums_are_weighted_and_never_nan():
    weights = np.linspace(0.0, 2.0, len(MARGINS))
    slopes, curvatures = np.empty(len(MARGINS)), np.empty(len(MARGINS))
    for lam in (*LAMS, 1.0):
        total = weighted_terms(MARGINS, weights, lam, slopes, curvatures)
        terms = np.array([profiled(margin, lam) for margin in MARGINS])
        assert total == pytest.approx(weights @ terms[:, 0], rel=1e-13)
        np.testing.assert_allclose(slopes, weights * terms[:, 1], rtol=1e-14, atol=1e-300)
        np.testing.assert_allclose(curvatures, weights * terms[:, 2], rtol=1e-13, atol=1e-300)
        assert np.isfinite(slopes).all() and np.isfinite(curvatures).all()


@pytest.mark.parametrize("lam", [*LAMS, 1.0, 3.0])
def test_shifts_meet_their_optimality_conditions(lam):
    signs = np.where(np.arange(len(MARGINS)) % 2, 1.0, -1.0)
    shifts = shifts_from_margins(MARGINS, signs, lam)
    slopes = expit(-(MARGINS + signs * shifts))
    shifted = shifts != 0.0
    np.testing.assert_allclose(slopes[shifted], lam, rtol=1e-12)
    assert np.all(slopes[~shifted] <= lam * (1.0 + 1e-12))
    assert np.all(np.sign(shifts[shifted]) == signs[shifted])


def test_rounded_hinge_is_within_half_its_width_of_the_hinge():
    width = 0.01
    margins, ones = np.linspace(-2.0, 3.0, 1001), np.ones(1)
    slopes, curvatures = np.empty(1), np.empty(1)
    for margin in margins:
        value = weighted_hinge_terms(np.array([margin]), ones, width, slopes, curvatures)
        hinge = max(0.0, 1.0 - margin)
        assert hinge - width / 2 - 1e-15 <= value <= hinge + 1e-15
