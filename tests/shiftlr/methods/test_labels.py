"""Any two labels: every kind gives the fit of 0 and 1; a label that is missing or has no order is refused."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from estimators import ALL
from problems import random_problem
from shiftlr import RobustLogisticRegression, model_selection
from sklearn.base import clone
from sklearn.metrics import accuracy_score

X, Y, W = random_problem(14, 30, 2)
Y = Y.astype(int)


def objects(first, second):
    labels = np.empty(len(Y), dtype=object)
    for i, code in enumerate(Y):
        labels[i] = (first, second)[code]
    return labels


WORDS = np.array(["no", "yes"])[Y]
KINDS = {
    "bytes": np.array([b"a", b"b"])[Y],
    "bytes as objects": objects(b"a", b"b"),
    "list of bytes": list(objects(b"a", b"a\0")),
    "flags": Y.astype(bool),
    "flags as objects": objects(False, True),
    "NumPy's flags as objects": objects(np.False_, np.True_),
    "list of flags": objects(False, True).tolist(),
    "whole numbers as objects": objects(3, 4),
    "huge numbers": objects(10**40, 10**40 + 1),
    "fractions as objects": objects(Fraction(1, 3), Fraction(2, 3)),
    "decimals": objects(Decimal("0.5"), Decimal("1.5")),
    "words as objects": objects("no", "yes"),
    "list of words": WORDS.tolist(),
    "words of any length": WORDS.astype(np.dtypes.StringDType()),
    "dates": np.array(["2020-01-01", "2021-01-01"], "datetime64[D]")[Y],
    "times": np.array([1, 2], "timedelta64[s]")[Y],
    "Python's dates": objects(date(2020, 1, 1), date(2021, 1, 1)),
    "pairs": objects((0, "a"), (0, "b")),
    "series of flags": pd.Series(Y.astype(bool)),
    "nullable flags": pd.Series(Y.astype(bool), dtype="boolean"),
    "series of objects": pd.Series(objects(False, True), dtype=object),
    "nullable whole numbers": pd.Series(Y, dtype="Int64"),
    "nullable numbers": pd.Series(Y.astype(float), dtype="Float64"),
    "categories": pd.Series(WORDS, dtype="category"),
    "categories of flags": pd.Series(Y.astype(bool), dtype="category"),
    "categories without a series": pd.Categorical(WORDS),
    "series of words": pd.Series(WORDS, dtype="string"),
    "series of bytes": pd.Series(objects(b"a", b"b")),
    "index": pd.Index(WORDS),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("estimator", ALL, ids=repr)
def test_any_two_labels(estimator, kind):
    y = KINDS[kind]
    expected = clone(estimator).fit(X, Y, W)
    model = clone(estimator).fit(X, y, W)
    assert model.coef_.tobytes() == expected.coef_.tobytes()
    first, second = list(y)[list(Y).index(0)], list(y)[list(Y).index(1)]
    assert model.classes_.shape == (2,) and model.classes_[0] == first and model.classes_[1] == second
    predicted = model.predict(X)
    assert [label == second for label in predicted] == (expected.predict(X) == 1).tolist()
    assert model.score(X, y) == expected.score(X, Y) == accuracy_score(Y, expected.predict(X))
    assert model.score(X, y, W) == pytest.approx(accuracy_score(Y, expected.predict(X), sample_weight=W))
    np.testing.assert_array_equal(model.suspicion(X, y), expected.suspicion(X, Y))
    np.testing.assert_array_equal(model.suspected(X, y), expected.suspected(X, Y))


@pytest.mark.parametrize("kind", KINDS)
def test_tuning_with_any_two_labels(kind):
    estimator, grid = RobustLogisticRegression(penalty="l2", alpha=1.0), [{"lam": 0.2}, {"lam": 0.8}]
    y = KINDS[kind]
    by_folds = model_selection.tune_by_folds(estimator, grid, X, y, n_splits=2)
    assert by_folds.score == model_selection.tune_by_folds(estimator, grid, X, Y, n_splits=2).score
    on_dev = model_selection.tune_on_dev(estimator, grid, X, y, X, y)
    assert on_dev.score == model_selection.tune_on_dev(estimator, grid, X, Y, X, Y).score


def test_flags_stay_flags():
    for kind in ("flags as objects", "nullable flags", "categories of flags"):
        assert RobustLogisticRegression().fit(X, KINDS[kind]).predict(X).dtype == bool


@pytest.mark.parametrize("estimator", ALL, ids=repr)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (objects(None, 1), r"y contains None, in row \d+: a label is missing"),
        (objects(None, "a"), "y contains None"),
        (objects(np.nan, "a"), "y contains NaN"),
        (objects(np.nan, "a").tolist(), "y contains NaN"),
        (objects(Decimal("nan"), Decimal(1)), "y contains NaN"),
        (objects(Decimal("snan"), Decimal(1)), "y contains sNaN"),
        (np.array(["NaT", "2020"], "datetime64[D]")[Y], "y contains NaT"),
        (pd.Series(objects(pd.NA, True), dtype="boolean"), "y contains <NA>"),
        (pd.Series(objects(pd.NA, "a"), dtype="string"), "y contains <NA>"),
        (pd.Series(objects(np.nan, "a"), dtype="category"), "y contains NaN"),
        (objects(1, "1"), "cannot be sorted: .*'int'.*; use labels of one type"),
        (objects(1, "1").tolist(), "cannot be sorted"),
        (objects(b"a", "a").tolist(), "cannot be sorted"),
        (objects([1], [2]), "cannot be sorted: unhashable"),
        (objects(frozenset([1]), frozenset([2])), "labels without an order"),
        (objects(1j, 2j), "cannot be sorted"),
        (objects(0.5, 1.5), "Unknown label type: continuous"),
        (np.array([(0,), (1,)], [("field", int)])[Y], r"labels of several fields"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_labels_are_refused(estimator, y, message):
    with pytest.raises(ValueError, match=message):
        estimator.fit(X, y)


def test_labels_of_another_kind_are_not_those_of_the_training_set():
    model = RobustLogisticRegression(penalty="l2", alpha=1.0).fit(X, KINDS["bytes"])
    assert model.score(X, WORDS) == 0.0
    with pytest.raises(ValueError, match="labels other than"):
        RobustLogisticRegression._signed_scores(model, X, WORDS)
