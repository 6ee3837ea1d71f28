"""Confident learning: what cleanlab calls an error, by probabilities that are held out."""

import numpy as np
import pytest
from cleanlab.filter import find_label_issues
from made_up_words import make_parts
from shiftbench import fit, metrics, plugins
from shiftlr import methods
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict

PARTS = make_parts()
TRAIN = PARTS["train"]
WRONG = TRAIN.labels != TRAIN.truth
KIND = methods.load("confident_learning", plugins.folders("methods", None))


def outcome(**params):
    estimator = KIND(penalty="l2", alpha=0.1, **params).fit(TRAIN.X, TRAIN.labels, groups=TRAIN.groups)
    return fit.Outcome(estimator, params, np.nan, PARTS)


def test_it_predicts_as_standard_logistic_regression_does():
    standard = methods.load("standard")(penalty="l2", alpha=0.1).fit(TRAIN.X, TRAIN.labels)
    np.testing.assert_array_equal(outcome().estimator.coef_, standard.coef_)


@pytest.mark.parametrize("groups", [None, TRAIN.groups], ids=["alone", "articles"])
@pytest.mark.parametrize("n_splits", [3, 5])
def test_errors_are_those_that_cleanlab_calls_from_held_out_probabilities(groups, n_splits):
    found = KIND(penalty="l2", alpha=0.1, n_splits=n_splits, random_state=4).fit(TRAIN.X, TRAIN.labels, groups=groups)
    kind = StratifiedKFold if groups is None else StratifiedGroupKFold
    folds = kind(n_splits, shuffle=True, random_state=4)
    model = methods.load("standard")(penalty="l2", alpha=0.1)
    chances = cross_val_predict(model, TRAIN.X, TRAIN.labels, groups=groups, cv=folds, method="predict_proba")
    wanted = find_label_issues(TRAIN.labels, chances, filter_by="confident_learning")
    np.testing.assert_array_equal(found.suspected(TRAIN.X, TRAIN.labels), wanted)


def test_labels_may_be_any_two_values():
    names = np.array(["other", "person"])[TRAIN.labels]
    found = KIND(penalty="l2", alpha=0.1).fit(TRAIN.X, names, groups=TRAIN.groups)
    np.testing.assert_array_equal(found.suspected(TRAIN.X, names), outcome().suspected)
    assert set(found.predict(TRAIN.X)) == {"other", "person"}


def test_what_cleanlab_calls_an_error_is_more_suspicious_than_all_else():
    suspicion, called = outcome().suspicion, outcome().suspected
    assert suspicion.shape == called.shape == WRONG.shape and 0 < called.sum() < len(called)
    assert suspicion[called].min() >= suspicion[~called].max()
    assert np.array_equal(suspicion, outcome().suspicion)


def test_it_finds_wrong_labels():
    found = outcome()
    assert 0 < metrics.suspected_right(found) <= metrics.suspected_count(found)
    assert metrics.precision_at(found, 10) > 0.5 > 2.0 * WRONG.mean()
