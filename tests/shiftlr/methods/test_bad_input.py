"""Bad input is refused with a message that names the argument and the value; warnings point at the caller."""

import numpy as np
import pytest
from estimators import ALL
from problems import random_problem
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
    robust_path,
)
from sklearn.exceptions import ConvergenceWarning

X_GOOD, Y_GOOD, _ = random_problem(14, 30, 2)


def with_value(value):
    X = X_GOOD.copy()
    X[3, 1] = value
    return X


@pytest.mark.parametrize("estimator", ALL, ids=repr)
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        (with_value(np.nan), Y_GOOD, "X contains NaN"),
        (with_value(np.inf), Y_GOOD, "X contains infinity"),
        (X_GOOD, np.zeros(30), r"y has only one class: 0\.0"),
        (X_GOOD[:0], Y_GOOD[:0], "0 sample"),
        (X_GOOD[:, :0], Y_GOOD, "0 feature"),
        (X_GOOD, Y_GOOD[:-1], r"\[30, 29\]"),
        (X_GOOD[:, 0], Y_GOOD, "Expected 2D array"),
        (X_GOOD, np.column_stack([Y_GOOD, Y_GOOD]), r"y should be a 1d array, got an array of shape \(30, 2\)"),
        (X_GOOD + 1j, Y_GOOD, "Complex data not supported"),
        (np.full((30, 2), "a", dtype=object), Y_GOOD, "could not convert string to float: 'a'"),
        (X_GOOD, np.where(Y_GOOD, np.nan, 0.0), "y contains NaN"),
        (X_GOOD, X_GOOD[:, 0], "Unknown label type: continuous"),
        (X_GOOD, np.array([None, *Y_GOOD[1:]], dtype=object), "y|label"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_data_are_refused(estimator, X, y, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)


@pytest.mark.parametrize("estimator", ALL, ids=repr)
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.r_[-1.0, np.ones(29)], r"sample_weight\[0\]=.*-1\.0"),
        (np.r_[np.nan, np.ones(29)], "sample_weight contains NaN"),
        (np.ones(29), r"sample_weight.shape == \(29,\)"),
        (np.zeros(30), "sample_weight: all weights are zero"),
        ("balanced", "sample_weight='balanced'"),
        (Y_GOOD.astype(float), "y has only one class with a positive sample_weight: 1"),
    ],
    ids=["negative", "NaN", "shape", "zeros", "a word", "one class left"],
)
def test_bad_weights_are_refused(estimator, weights, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X_GOOD, Y_GOOD, sample_weight=weights)


@pytest.mark.parametrize(
    ("estimator", "message"),
    [
        (RobustLogisticRegression(lam=0.0), r"lam=0\.0: must be a finite number greater than 0"),
        (RobustLogisticRegression(lam=-2), r"lam=-2"),
        (RobustLogisticRegression(lam=np.nan), r"lam=nan"),
        (RobustLogisticRegression(lam="0.1"), r"lam='0\.1'"),
        (RobustLogisticRegression(penalty="l2", alpha=-1.0), r"alpha=-1\.0: must be a finite number at least 0"),
        (RobustLogisticRegression(penalty="elastic"), r"penalty='elastic': must be one of None, 'l1', 'l2'"),
        (RobustLogisticRegression(alpha=2.0), r"alpha=2\.0: has no effect with penalty=None"),
        (RobustLogisticRegression(tol=0.0), r"tol=0\.0"),
        (RobustLogisticRegression(max_iter=0), r"max_iter=0: must be a whole number at least 1"),
        (RobustLogisticRegression(max_iter=2.5), r"max_iter=2\.5"),
        (RobustLogisticRegression(lam=10**400), r"lam=1000"),
        (RobustLogisticRegression(penalty=np.array(["l1"])), r"penalty=array"),
        (RobustLogisticRegression(fit_intercept="no"), r"fit_intercept='no': must be True or False"),
        (StandardLogisticRegression(penalty="l3"), r"penalty='l3'"),
        (FlippingLogisticRegression(initial_flip=0.5), r"initial_flip=0\.5: must be less than 0\.5"),
        (FlippingLogisticRegression(n_init=0), r"n_init=0"),
        (PrefilteredLogisticRegression(k=0), r"k=0: must be a whole number at least 1"),
        (PrefilteredLogisticRegression(k=31), r"k=31: .*30 examples"),
        (PrefilteredLogisticRegression(rule="most"), r"rule='most': must be one of 'any', 'majority'"),
        (LinearSVM(C=0.0), r"C=0\.0"),
    ],
    ids=lambda value: repr(value) if not isinstance(value, str) else "",
)
def test_bad_parameters_are_refused(estimator, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X_GOOD, Y_GOOD)


@pytest.mark.parametrize(
    ("lams", "message"),
    [
        ([], "non-empty"),
        ([[0.1]], "one-dimensional"),
        ([0.1, -0.5], r"lams=-0\.5"),
        ([np.nan], "nan"),
        ("a", "lams='a'"),
    ],
)
def test_bad_lams_are_refused(lams, message):
    with pytest.raises(ValueError, match=message):
        robust_path(X_GOOD, Y_GOOD, lams)


def test_max_iter_that_is_too_small_warns():
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1\) with optimality .* above tol=1.00e-08"):
        RobustLogisticRegression(max_iter=1).fit(X_GOOD, Y_GOOD)


def test_warnings_point_at_the_caller():
    with pytest.warns(ConvergenceWarning) as record:
        RobustLogisticRegression(max_iter=1).fit(X_GOOD, Y_GOOD)
    assert record[0].filename == __file__


class OfTwoClasses(StandardLogisticRegression):
    takes_many_classes = False


def test_more_than_two_classes_are_refused_by_methods_that_do_not_take_them():
    with pytest.raises(ValueError, match=r"y has 30 classes, 0, 1, 2, 3, 4, \.\.\."):
        OfTwoClasses().fit(X_GOOD, np.arange(30))
