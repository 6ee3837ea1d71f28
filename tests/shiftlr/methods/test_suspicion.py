"""How wrong each training label looks: one contract for all methods."""

import numpy as np
import pytest
from estimators import ALL
from problems import random_problem
from scipy import sparse
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
)
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # prefiltered data separate

X, Y, _ = random_problem(4, 120, 3, noise=0.15)
NAMES = np.array(["no", "yes"])[Y]
SIGNS = np.where(Y == 1, 1.0, -1.0)
OF_THE_TRAINING_SET = [RobustLogisticRegression(), FlippingLogisticRegression(), PrefilteredLogisticRegression()]
OF_ANY_DATA = [StandardLogisticRegression(), LinearSVM()]


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("labels", [Y, NAMES], ids=["numbers", "words"])
@pytest.mark.parametrize("model", ALL, ids=repr)
def test_numbers_and_flags_for_each_label(model, labels, storage):
    model = clone(model).fit(storage(X), labels)
    suspicion, suspected = model.suspicion(storage(X), labels), model.suspected(storage(X), labels)
    assert suspicion.shape == suspected.shape == (120,)
    assert suspicion.dtype == float and suspected.dtype == bool
    assert 0 < suspected.sum() < 120
    assert suspicion[suspected].min() >= suspicion[~suspected].max()
    # what is most suspicious lies on the wrong side, or among neighbours with the other label
    if not isinstance(model, PrefilteredLogisticRegression):
        assert (SIGNS * model.decision_function(storage(X)))[np.argmax(suspicion)] < 0.0


def test_each_method_s_own_view():
    standard = StandardLogisticRegression().fit(X, NAMES)
    np.testing.assert_array_equal(standard.suspicion(X, NAMES), -SIGNS * standard.decision_function(X))
    np.testing.assert_array_equal(standard.suspected(X, NAMES), standard.predict(X) != NAMES)
    svm = LinearSVM().fit(X, NAMES)
    np.testing.assert_array_equal(svm.suspicion(X, NAMES), 1.0 - SIGNS * svm.decision_function(X))
    np.testing.assert_array_equal(svm.suspected(X, NAMES), svm.suspicion(X, NAMES) > 1e-6)
    assert svm.multipliers_[svm.suspected(X, NAMES)].min() > 0.0
    robust = RobustLogisticRegression().fit(X, NAMES)
    np.testing.assert_array_equal(robust.suspicion(X, NAMES), np.abs(robust.shifts_))
    np.testing.assert_array_equal(robust.suspected(X, NAMES), robust.shifts_ != 0.0)
    flipping = FlippingLogisticRegression().fit(X, NAMES)
    np.testing.assert_array_equal(flipping.suspicion(X, NAMES), flipping.doubts_)
    np.testing.assert_array_equal(flipping.suspected(X, NAMES), flipping.doubts_ > 0.5)
    prefilter = PrefilteredLogisticRegression().fit(X, NAMES)
    np.testing.assert_array_equal(prefilter.suspicion(X, NAMES), np.where(prefilter.kept_, 0.0, 1.0))
    np.testing.assert_array_equal(prefilter.suspected(X, NAMES), ~prefilter.kept_)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_the_model_does_not_change_with_what_is_done_to_the_answer(model):
    model = clone(model).fit(X, Y)
    before = model.suspicion(X, Y).copy()
    model.suspicion(X, Y)[:] = -1.0
    model.suspected(X, Y)[:] = True
    np.testing.assert_array_equal(model.suspicion(X, Y), before)


@pytest.mark.parametrize("question", ["suspicion", "suspected"])
@pytest.mark.parametrize("model", OF_THE_TRAINING_SET, ids=repr)
@pytest.mark.parametrize(("rows", "labels"), [(50, 50), (120, 50), (50, 120)])
def test_other_data_than_the_training_set_are_refused(model, question, rows, labels):
    model = clone(model).fit(X, Y)
    message = rf"X has {rows} rows and y has {labels} labels: \w+ knows of the 120 examples .*; pass the training set"
    with pytest.raises(ValueError, match=message):
        getattr(model, question)(X[:rows], Y[:labels])


@pytest.mark.parametrize("question", ["suspicion", "suspected"])
@pytest.mark.parametrize("model", OF_ANY_DATA, ids=repr)
def test_scores_are_taken_on_any_data(model, question):
    model = clone(model).fit(X, NAMES)
    assert getattr(model, question)(X[:50], NAMES[:50]).shape == (50,)
    with pytest.raises(ValueError, match="X has 120 rows and y has 50 labels"):
        getattr(model, question)(X, NAMES[:50])
    with pytest.raises(ValueError, match=r"y has labels other than the \['no', 'yes'\]"):
        getattr(model, question)(X, Y)


@pytest.mark.parametrize("question", ["suspicion", "suspected"])
@pytest.mark.parametrize("model", ALL, ids=repr)
def test_a_model_without_a_fit(model, question):
    with pytest.raises(NotFittedError):
        getattr(clone(model), question)(X, Y)
