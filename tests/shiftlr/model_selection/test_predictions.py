"""Answers of classifiers: those that fit the examples pass as they are, all others are named."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from shiftlr.model_selection import fit_grid, fold_scores, tune_by_folds, tune_on_dev
from shiftlr.model_selection.predictions import (
    check_classes,
    check_flags,
    check_numbers,
    check_probabilities,
    check_scores,
)
from sklearn.base import BaseEstimator, ClassifierMixin

RIGHT = np.array([0, 1, 1, 0])
X, Y = np.arange(40.0).reshape(20, 2), np.arange(20) % 2 == 0


@pytest.mark.parametrize(
    "given", [RIGHT, RIGHT == 1, RIGHT.astype(float), RIGHT.tolist(), RIGHT.astype(object), pd.Series(RIGHT)]
)
def test_classes_pass_whatever_they_are_kept_in(given):
    np.testing.assert_array_equal(check_classes(given, (0, 1), 4), RIGHT)
    np.testing.assert_array_equal(check_classes(given, np.array([False, True]), 4), RIGHT)


def test_classes_may_be_words():
    words = np.array(["no", "yes", "yes", "no"])
    np.testing.assert_array_equal(check_classes(words, np.array(["no", "yes"]), 4), words)
    with pytest.raises(ValueError, match=r"other values than the classes 'no', 'yes' for 2 of 4 examples: 'maybe'"):
        check_classes(["no", "maybe", "maybe", "no"], np.array(["no", "yes"]), 4)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (RIGHT[:, None], r"predict gave an array of shape \(4, 1\): must be of shape \(4,\) for 4 examples"),
        (RIGHT[None, :], r"an array of shape \(1, 4\)"),
        (RIGHT[:3], r"an array of shape \(3,\)"),
        (np.repeat(RIGHT, 2), r"an array of shape \(8,\)"),
        (1, "predict gave 1: must be of shape"),
        (None, "predict gave None: must be"),
        ("1010", "predict gave '1010': must be"),
        (sparse.csr_array(RIGHT[None, :]), "must be of shape"),
        ([0.0, 1.0, np.nan, np.nan], "for 2 of 4 examples: nan"),
        ([0, None, 1, 0], "for 1 of 4 examples: None"),
        (["0", "1", "1", "0"], "other values than the classes 0, 1 for 4 of 4 examples: '0', '1'"),
        (["False", "True", "True", "False"], "for 4 of 4 examples: 'False', 'True'"),
        ([-1, 1, 1, -1], "for 2 of 4 examples: -1"),
        ([0, 2, 1, 0], "for 1 of 4 examples: 2"),
        ([0.2, 0.9, 0.8, 0.1], "for 4 of 4 examples: 0.2, 0.9, 0.8"),
    ],
)
def test_other_classes_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        check_classes(given, (0, 1), 4)


def test_numbers_may_be_infinite():
    given = np.array([1.5, -np.inf, np.inf, 0.0])
    assert check_numbers(given, 4) is given
    assert check_numbers([1, 2], 2).tolist() == [1, 2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.zeros((4, 1)), r"suspicion gave an array of shape \(4, 1\): must be of shape \(4,\) for 4 examples"),
        (np.zeros((4, 2)), r"shape \(4, 2\)"),
        ([1.0, np.nan, 2.0, np.nan], "suspicion gave NaN for 2 of 4 examples"),
        (["1", "2", "3", "4"], "suspicion gave values of type <U1: must be numbers"),
        ([1.0, None, 2.0, 3.0], "values of type object"),
        (np.zeros(4, complex), "values of type complex128"),
        (None, "suspicion gave None"),
    ],
)
def test_other_numbers_are_refused(given, said):
    with pytest.raises(ValueError, match=said):
        check_numbers(given, 4, "suspicion")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (np.full(4, 0.5), r"shape \(4,\): must be of shape \(4, 2\)"),
        (np.full((4, 3), 0.5), r"shape \(4, 3\)"),
        (np.log(np.full((4, 2), 0.5)), "no probabilities for 4 of 4 examples"),
        ([[0.5, 0.5], [np.nan, 1.0], [0.0, 1.0], [0.0, 1.0]], "NaN for 1 of 4 examples"),
    ],
)
def test_other_probabilities_are_refused(given, said):
    with pytest.raises(ValueError, match=f"predict_proba gave .*{said}"):
        check_probabilities(given, 4)
    assert check_probabilities([[0.0, 1.0 + 1e-9]], 1).shape == (1, 2)


def test_of_more_classes_there_is_a_number_for_each():
    given = np.full((4, 3), 1.0 / 3.0)
    np.testing.assert_array_equal(check_probabilities(given, 4, n_classes=3), given)
    np.testing.assert_array_equal(check_numbers(given, 4, n_columns=3), given)
    for check, more in ((check_probabilities, {"n_classes": 3}), (check_numbers, {"n_columns": 3})):
        with pytest.raises(ValueError, match=r"shape \(4, 2\): must be of shape \(4, 3\) for 4 examples"):
            check(given[:, :2], 4, **more)


@pytest.mark.parametrize("given", [RIGHT, RIGHT.astype(float), np.array([0, 3]), (RIGHT == 1)[:, None], None])
def test_flags_are_true_or_false(given):
    with pytest.raises(ValueError, match="suspected gave "):
        check_flags(given, 4)
    assert check_flags([True, False], 2).tolist() == [True, False]


@pytest.mark.parametrize("given", [[1.0], [1.0, np.nan], [1.0, "2"], [[1.0, 2.0]], None])
def test_scores_can_be_compared(given):
    with pytest.raises(ValueError, match="score"):
        check_scores(given, [{"k": 1}, {"k": 2}])
    assert check_scores([1.0, -np.inf], [{}, {}]).tolist() == [1.0, -np.inf]


class Says(ClassifierMixin, BaseEstimator):
    """Says whatever it is told to, of so many examples."""

    def __init__(self, what=None):
        self.what = what

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        right = np.arange(len(X)) % 2 == 0
        return {"column": right[:, None], "words": right.astype(str), "nan": np.full(len(X), np.nan)}.get(
            self.what, right
        )

    def predict_proba(self, X):
        return np.full((len(X), 2), np.nan if self.what == "nan" else 0.5)


@pytest.mark.parametrize("what", ["column", "words", "nan"])
def test_no_setting_is_compared_by_wrong_answers(what):
    grid = [{"what": what}, {"what": None}]
    with pytest.raises(ValueError, match="predict gave"):
        tune_on_dev(Says(), grid, X, Y, X, Y)
    with pytest.raises(ValueError, match="predict gave"):
        tune_by_folds(Says(), grid, X, Y)
    assert tune_on_dev(Says(), [{"what": None}], X, Y, X, Y).score == 1.0


def test_a_score_that_is_not_a_number_is_not_the_best():
    scoring = "roc_auc"  # undefined where all examples are of one class
    fits = fit_grid(Says(), [{"what": None}], X, Y)
    with pytest.warns(UserWarning, match="Only one class"):
        assert np.isnan(fits.scores(X, np.ones(20, bool), scoring)).all()
    with (
        pytest.warns(UserWarning, match="Only one class"),
        pytest.raises(ValueError, match=r"the score of 1 of 1 settings is not a number: \{'what': None\}"),
    ):
        tune_on_dev(Says(), [{"what": None}], X, Y, X, np.ones(20, bool), scoring=scoring)
    assert fold_scores(Says(), [{"what": None}], X, Y, scoring=scoring).tolist() == [0.5]
