"""More arguments for `fit` while settings are compared: every fit gets those of its own examples."""

from typing import ClassVar

import numpy as np
import pytest
from problems import random_problem
from shiftlr import RobustLogisticRegression, StandardLogisticRegression
from shiftlr.model_selection import fit_grid, fold_scores, lam_grid, tune_by_folds, tune_on_dev

X, Y, _ = random_problem(1, 90, 2, noise=0.1)
ROWS = np.arange(90)
GRID = [{"alpha": 1.0}, {"alpha": 2.0}]


class Noted(StandardLogisticRegression):
    """Notes which rows it was fitted to, by their first feature, and what it was told of them."""

    path_parameters = ("alpha",)  # and yet not fitted as a path, which could not be told anything
    notes: ClassVar[list] = []

    def fit(self, X, y, sample_weight=None, rows=None):
        self.rows_ = rows
        Noted.notes.append((X[:, 0], rows))
        return super().fit(X, y, sample_weight)


@pytest.fixture(autouse=True)
def nothing_noted():
    Noted.notes.clear()


def test_every_setting_of_a_grid_is_told():
    fits = fit_grid(Noted(penalty="l2"), GRID, X, Y, fit_params={"rows": ROWS})
    assert len(Noted.notes) == 2
    for place, params in enumerate(GRID):
        np.testing.assert_array_equal(fits.estimator(place).rows_, ROWS)
        alone = StandardLogisticRegression(penalty="l2", **params).fit(X, Y)
        np.testing.assert_array_equal(fits.estimator(place).coef_, alone.coef_)


def test_folds_are_told_of_their_own_rows():
    scores = fold_scores(Noted(penalty="l2"), GRID, X, Y, n_splits=3, fit_params={"rows": ROWS})
    assert len(Noted.notes) == 6
    for first, rows in Noted.notes:
        assert len(rows) == 60
        np.testing.assert_array_equal(first, X[rows, 0])
    plain = fold_scores(StandardLogisticRegression(penalty="l2"), GRID, X, Y, n_splits=3)
    np.testing.assert_allclose(scores, plain)


def test_what_is_chosen_was_told():
    on_dev = tune_on_dev(Noted(penalty="l2"), GRID, X, Y, X, Y, fit_params={"rows": ROWS})
    by_folds = tune_by_folds(Noted(penalty="l2"), GRID, X, Y, n_splits=3, fit_params={"rows": ROWS})
    for tuned in (on_dev, by_folds):
        np.testing.assert_array_equal(tuned.estimator.rows_, ROWS)


def test_all_fits_can_be_had():
    grid = lam_grid([0.1, 0.5, 1.0])
    tuned = tune_on_dev(RobustLogisticRegression(), grid, X, Y, X, Y)
    assert [tuned.fits.estimator(k).lam for k in range(3)] == [1.0, 0.5, 0.1]
    for k, row in enumerate(tuned.rows):
        assert tuned.fits.estimator(k).score(X, Y) == pytest.approx(row["score"])
