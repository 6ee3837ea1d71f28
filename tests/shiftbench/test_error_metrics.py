"""Metrics of the labels that a method calls wrong, against counts by hand and scikit-learn's."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from shiftbench import metrics
from shiftbench.datasets.base import Part
from sklearn.metrics import f1_score, precision_score, recall_score


class Oracle:
    """Names the rows it was made with, and remembers what it was asked."""

    def __init__(self, rows):
        self.rows, self.asked = rows, []

    def suspects(self, **limits):
        self.asked.append(limits)
        return pd.DataFrame({"suspicion": 1.0}, index=self.rows)


def outcome(labels, truth, suspected=None, suspicion=None, estimator=None):
    train = Part(np.zeros((len(labels), 1)), np.array(labels), None if truth is None else np.array(truth))
    flags = np.zeros(len(labels), bool) if suspected is None else np.array(suspected, bool)
    return SimpleNamespace(train=train, suspected=flags, suspicion=np.array(suspicion), estimator=estimator)


@pytest.mark.parametrize("seed", range(4))
def test_scores_of_errors_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    labels, truth = rng.integers(3, size=(2, 60))
    suspected = rng.random(60) < 0.4
    found, wrong = outcome(labels, truth, suspected), labels != truth
    for name, wanted in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        assert getattr(metrics, f"error_{name}")(found) == pytest.approx(100.0 * wanted(wrong, suspected))
    assert metrics.clean_named(found) == pytest.approx(100.0 * suspected[~wrong].mean())


def test_by_hand():
    found = outcome([0, 1, 1, 0, 0], [0, 0, 1, 1, 0], [True, True, False, False, False])
    assert metrics.error_precision(found) == metrics.error_recall(found) == metrics.error_f1(found) == 50.0
    assert metrics.clean_named(found) == pytest.approx(100.0 / 3.0)


def test_nothing_named_scores_zero():
    found = outcome([0, 1], [0, 0])
    assert [metrics.error_f1(found), metrics.error_recall(found), metrics.clean_named(found)] == [0.0, 0.0, 0.0]


def test_average_precision_by_hand_and_equals_are_one_step():
    in_order = outcome([1, 0, 1, 0], [0, 0, 0, 0], suspicion=[4.0, 3.0, 2.0, 1.0])
    assert metrics.error_average_precision(in_order) == pytest.approx(100.0 * (1.0 + 2.0 / 3.0) / 2.0)
    for labels in ([1, 0, 0, 0], [0, 0, 0, 1]):  # the order of the rows tells nothing
        equal = outcome(labels, [0, 0, 0, 0], suspicion=[1.0] * 4)
        assert metrics.error_average_precision(equal) == 25.0


def test_without_wrong_labels_or_without_the_truth_they_do_not_apply():
    names = ("error_precision", "error_recall", "error_f1", "error_average_precision")
    clean = outcome([0, 1], [0, 1], [True, False], [1.0, 0.0])
    assert [getattr(metrics, name)(clean) for name in names] == [None] * 4
    assert metrics.clean_named(clean) == 50.0
    unknown = outcome([0, 1], None, [True, False], [1.0, 0.0], Oracle([0]))
    assert [getattr(metrics, name)(unknown) for name in (*names, "clean_named")] == [None] * 5
    assert metrics.fdp(unknown, 10) is metrics.named_at(unknown, 10) is None
    assert metrics.clean_named(outcome([0, 1], [1, 0], [True, True])) is None


def test_the_share_of_right_labels_among_those_named_at_a_rate():
    labels, truth = [0] * 20, [0] * 15 + [1] * 5
    oracle = Oracle([0, 15, 16, 17])
    found = outcome(labels, truth, estimator=oracle)
    assert metrics.fdp(found, 10) == 25.0 and metrics.named_at(found, 20) == 4
    assert [asked["fdr"] for asked in oracle.asked] == [0.1, 0.2]
    told = [asked["trusted"] for asked in oracle.asked]
    assert told[0] == told[1] and len(told[0]) == 2 and all(truth[row] == given for row, given in told[0].items())


def test_nobody_named_is_nobody_named_wrongly():
    found = outcome([0] * 10, [0] * 10, estimator=Oracle([]))
    assert metrics.fdp(found, 10) == 0.0 and metrics.named_at(found, 10) == 0


def test_methods_that_promise_no_rate_have_none():
    found = outcome([0, 1], [0, 0], estimator=object())
    assert metrics.fdp(found, 10) is metrics.named_at(found, 10) is None
