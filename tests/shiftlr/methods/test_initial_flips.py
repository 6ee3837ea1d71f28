"""Where EM of the label-flipping model starts, and that its iterations do not limit the solver of its M-step."""

import warnings

import numpy as np
import pytest
from problems import random_problem
from scipy.optimize import minimize
from scipy.special import expit
from shiftlr import FlippingLogisticRegression

X, Y, W = random_problem(3, 200, 3)


def fit(X=X, y=Y, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return FlippingLogisticRegression(**params).fit(X, y)


def least(doubts):
    """(weights, intercept) of logistic regression with an L2 penalty of 1, on labels wrong with these probabilities."""

    def loss(z):
        margins = np.where(Y == 1, 1.0, -1.0) * (X @ z[:-1] + z[-1])
        losses = (1.0 - doubts) * np.logaddexp(0.0, -margins) + doubts * np.logaddexp(0.0, margins)
        return losses.sum() + 0.5 * z[:-1] @ z[:-1]

    return minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-9}).x


@pytest.mark.parametrize("flip", [0.05, 0.2, 0.45])
@pytest.mark.parametrize("pair", [list, tuple, np.array])
def test_a_pair_of_equal_numbers_is_the_one_number(flip, pair):
    one, two = fit(initial_flip=flip), fit(initial_flip=pair([flip, flip]))
    np.testing.assert_array_equal(one.coef_, two.coef_)
    np.testing.assert_array_equal(one.flip_probabilities_, two.flip_probabilities_)
    assert one.log_likelihoods_ == two.log_likelihoods_


@pytest.mark.parametrize("flips", [(0.3, 0.0), (0.0, 0.1)])
@pytest.mark.parametrize("max_iter", [1, 2, 500])
def test_a_probability_of_0_stays_0(flips, max_iter):
    model = fit(initial_flip=flips, max_iter=max_iter)
    learned = model.flip_probabilities_[[0, 1], [1, 0]]
    assert learned[flips.index(0.0)] == 0.0 and learned[1 - flips.index(0.0)] > 0.0
    # a label that is only seen where the truth is the same is never doubted
    assert np.all(model.doubts_[flips.index(0.0) != Y] == 0.0)


def test_the_first_number_is_of_the_first_class():
    """The first E-step by hand, from the standard fit."""
    flips = np.array([0.3, 0.1])
    model = fit(penalty="l2", alpha=1.0, initial_flip=flips)
    standard = least(np.zeros(len(Y)))
    probability = expit(X @ standard[:-1] + standard[-1])
    seen = np.where(
        Y == 1,
        (1.0 - flips[1]) * probability + flips[0] * (1.0 - probability),
        (1.0 - flips[0]) * (1.0 - probability) + flips[1] * probability,
    )
    expected = np.log(seen).sum() - 0.5 * standard[:-1] @ standard[:-1]
    assert model.log_likelihoods_[0] == pytest.approx(expected, rel=1e-6)
    assert fit(penalty="l2", alpha=1.0, initial_flip=flips[::-1]).log_likelihoods_[0] != pytest.approx(
        expected, rel=1e-4
    )


@pytest.mark.parametrize(
    ("flips", "message"),
    [
        ([0.1, 0.5], r"initial_flip=\[0\.1, 0\.5\]: must be less than 0\.5, or the classes change places"),
        ([0.0, 0.0], r"initial_flip=\[0\.0, 0\.0\]: one must be above 0, or no label is ever flipped"),
        ([0.1], r"initial_flip=\[0\.1\]: must be one number, or one for each class"),
        ([0.1, 0.2, 0.3], r"initial_flip=\[0\.1, 0\.2, 0\.3\]: must be one number, or one for each class"),
        ([[0.1, 0.2]], r"initial_flip=\[\[0\.1, 0\.2\]\]: must be one number, or one for each class"),
        ([-0.1, 0.2], "initial_flip=-0.1"),
        ([0.1, float("nan")], "initial_flip=nan"),
        (0.0, "initial_flip=0.0"),
        (0.5, r"initial_flip=0\.5: must be less than 0\.5"),
    ],
)
def test_bad_starts_are_named(flips, message):
    with pytest.raises(ValueError, match=message):
        FlippingLogisticRegression(initial_flip=flips).fit(X, Y)


def test_the_m_step_is_solved_whatever_the_iterations_of_em():
    """One step of EM ends at the minimum of its M-step: the objective on doubled, weighted data."""
    model = fit(penalty="l2", alpha=1.0, max_iter=1, tol=1e-10)
    assert len(model.log_likelihoods_) == 2
    standard = least(np.zeros(len(Y)))
    probability = expit(X @ standard[:-1] + standard[-1])
    right = np.where(Y == 1, probability, 1.0 - probability)
    doubts = 0.2 * (1.0 - right) / (0.2 * (1.0 - right) + 0.8 * right)
    np.testing.assert_allclose(np.append(model.coef_, model.intercept_), least(doubts), rtol=1e-4, atol=1e-5)
