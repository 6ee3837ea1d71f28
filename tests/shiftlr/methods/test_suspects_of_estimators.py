"""`suspects` and `explain`: one form for all estimators."""

import pickle

import numpy as np
import pandas as pd
import pytest
from estimators import ALL
from scipy import sparse
from shiftlr import RobustLogisticRegression, StandardLogisticRegression
from shiftlr.methods import _suspects
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
N = 300


def noisy(seed=0, share=0.1, n=N):
    """(data frame with names for its rows, labels given, true labels), both as series."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(random.normal(size=(n, 4)), columns=list("abcd"), index=[f"row{i}" for i in range(n)])
    truth = np.where(X.to_numpy() @ [3.0, -2.0, 1.0, 0.0] + random.logistic(scale=0.5, size=n) > 0.0, "yes", "no")
    wrong = random.random(n) < share
    given = np.where(wrong, np.where(truth == "yes", "no", "yes"), truth)
    return X, pd.Series(given, X.index), pd.Series(truth, X.index)


X, GIVEN, TRUTH = noisy()
WRONG = X.index[GIVEN != TRUTH]


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_one_table_for_all(model):
    model = clone(model).fit(X, GIVEN)
    table = model.suspects()
    columns = ["given_label", "suggested_label", "suspicion"] + ["shift"] * hasattr(model, "shifts_")
    assert list(table.columns) == columns and isinstance(table, pd.DataFrame)
    assert np.all(np.diff(table["suspicion"]) <= 0.0) and table["suspicion"].between(0.0, 1.0).all()
    predicted = pd.Series(model.predict(X), X.index)
    assert (table["given_label"] == GIVEN[table.index]).all()
    assert (table["suggested_label"] == predicted[table.index]).all()
    assert (table["suggested_label"] != table["given_label"]).all()
    found = table.index.isin(WRONG)
    assert found.mean() > 0.55 and found.sum() > 0.6 * len(WRONG)
    if hasattr(model, "shifts_"):
        assert np.array_equal(table["shift"], pd.Series(model.shifts_, X.index)[table.index])
    assert table.attrs["view"].startswith("in sample") and len(table.attrs["noise_matrix"]) == 2
    assert pickle.loads(pickle.dumps(model)).suspects().equals(table)


@pytest.mark.parametrize("model", ALL, ids=repr)
def test_arrays_and_sparse_matrices_have_row_numbers(model):
    dense = clone(model).fit(X.to_numpy(), GIVEN.to_numpy()).suspects()
    stored = clone(model).fit(sparse.csr_array(X.to_numpy()), GIVEN.to_numpy()).suspects()
    named = clone(model).fit(X, GIVEN).suspects()
    assert list(X.index[dense.index]) == list(named.index)
    assert set(stored.index) == set(dense.index)


def test_the_suspicion_is_comparable_between_methods():
    found = [clone(model).fit(X, GIVEN).suspects(threshold=0.0)["suspicion"] for model in ALL]
    for one in found[1:]:
        both = found[0].index.intersection(one.index)
        assert np.corrcoef(found[0][both], one[both])[0, 1] > 0.7
        assert np.abs(found[0][both] - one[both]).mean() < 0.2


def test_ways_to_cut_off():
    model = RobustLogisticRegression().fit(X, GIVEN)
    everything = model.suspects(threshold=0.0)
    assert set(everything.index) == set(X.index[model.predict(X) != GIVEN])
    assert model.suspects(n=5).equals(everything.iloc[:5])
    assert len(model.suspects(n=0)) == 0 and len(model.suspects(n=10**6)) == len(everything)
    assert model.suspects(share=0.05).equals(everything.iloc[: int(0.05 * N)])
    half = model.suspects(threshold=0.5)
    assert half.equals(everything[everything["suspicion"] >= 0.5])


def test_other_labelled_rows():
    more, given, _ = noisy(1)
    model = RobustLogisticRegression().fit(X, GIVEN)
    table = model.suspects(more, given)
    assert set(table.index) <= set(more.index) and list(table.columns) == [
        "given_label",
        "suggested_label",
        "suspicion",
    ]
    assert (table["suggested_label"] == pd.Series(model.predict(more), more.index)[table.index]).all()
    assert table.attrs["view"].startswith("of the rows")


@pytest.mark.parametrize("form", [dict, pd.Series])
def test_false_discoveries_with_trusted_labels(form):
    shares, found = [], 0
    for seed in range(30):
        features, given, truth = noisy(seed, 0.25, 800)
        trusted = features.index[np.random.default_rng(seed).permutation(800)[:150]]
        model = StandardLogisticRegression().fit(features, given)
        table = model.suspects(fdr=0.2, trusted=form(truth[trusted]))
        assert not set(table.index) & set(trusted)
        assert list(table.columns)[-1] == "p_value" and table["p_value"].between(0.0, 0.2).all()
        shares.append(np.mean(given[table.index] == truth[table.index]) if len(table) else 0.0)
        found += len(table)
    assert np.mean(shares) < 0.2 + 2.0 * np.std(shares) / np.sqrt(30)
    assert found > 30 * 50


def test_p_values_count_trusted_labels_that_look_as_suspicious():
    suspicion = np.array([0.1, 0.5, 0.9, 0.2, 0.6, 0.95])
    known = np.array([True, True, True, False, False, False])
    right = np.array([True, True, False, False, False, False])
    p = _suspects.conformal_p_values(suspicion, known, right)
    assert np.isnan(p[:3]).all()
    np.testing.assert_allclose(p[3:], [2 / 3, 1 / 3, 1 / 3])


def test_forms_of_trusted_labels_agree():
    model = StandardLogisticRegression().fit(X, GIVEN)
    right = X.index[GIVEN == TRUTH][:100]
    ways = (list(right), dict(TRUTH[right]), TRUTH[right], X.index.isin(right))
    tables = [model.suspects(threshold=0.2, trusted=way) for way in ways]
    for table in tables[1:]:
        assert table.equals(tables[0])


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"n": -1}, "n=-1: must be a whole number at least 0"),
        ({"n": 2.5}, "n=2.5"),
        ({"share": 1.5}, "share=1.5: must be a finite number at least 0.0 at most 1.0"),
        ({"threshold": "high"}, "threshold='high'"),
        ({"n": 3, "share": 0.1}, "n and share: give one of"),
        ({"fdr": 0.1}, "fdr=0.1: needs trusted labels, or no share of false discoveries can be promised"),
        ({"fdr": 0.0, "trusted": ["row1"]}, "fdr=0.0"),
        (
            {"trusted": ["row1", "row999"]},
            "trusted has 'row999', which is no row of X: its 300 rows are 'row0' to 'row299'",
        ),
        ({"trusted": []}, "trusted has no rows"),
        ({"trusted": [True, False]}, "trusted has 2 flags: must have one for each of the 300 rows"),
        ({"trusted": {WRONG[0]: TRUTH[WRONG[0]]}}, "trusted has 1 rows, and in none of them the given label is right"),
        ({"trusted": {"row1": "maybe"}}, "y has labels other than"),
    ],
)
def test_bad_limits(limits, message):
    model = RobustLogisticRegression().fit(X, GIVEN)
    with pytest.raises(ValueError, match=message):
        model.suspects(**limits)


def test_bad_data():
    model = RobustLogisticRegression()
    with pytest.raises(NotFittedError):
        model.suspects()
    model.fit(X, GIVEN)
    with pytest.raises(ValueError, match="X, y: give both"):
        model.suspects(X)
    twice = X.rename(index={"row1": "row0"})
    with pytest.raises(ValueError, match="the index of X has 'row0' twice"):
        model.fit(twice, GIVEN.to_numpy()).suspects(trusted=["row5"])


def test_too_few_trusted_labels_are_told():
    model = RobustLogisticRegression().fit(X, GIVEN)
    with pytest.warns(
        UserWarning, match=r"no label can be named at fdr=0.01: the smallest p-value is 0.\d+ and 290 labels"
    ):
        assert not len(model.suspects(fdr=0.01, trusted=list(X.index[GIVEN == TRUTH][:10])))


def test_a_model_that_fits_all_its_labels_says_so():
    random = np.random.default_rng(0)
    wide = random.normal(size=(40, 200))
    model = RobustLogisticRegression(penalty="l2", alpha=1e-3).fit(wide, random.integers(0, 2, 40))
    with pytest.warns(UserWarning, match=r"none looks wrong from inside; shiftlr.find_label_errors\(X, y\) looks from"):
        assert not len(model.suspects())


def test_without_pandas_there_are_arrays(monkeypatch):
    table = RobustLogisticRegression().fit(X, GIVEN).suspects()
    monkeypatch.setattr(_suspects, "has_pandas", lambda: False)
    model = RobustLogisticRegression().fit(X, GIVEN)
    arrays = model.suspects()
    assert list(arrays.indices) == list(table.index) and len(arrays) == len(table)
    np.testing.assert_array_equal(arrays.suggested_label, table["suggested_label"])
    np.testing.assert_array_equal(arrays.shift, table["shift"])
    assert arrays.p_value is None
    assert set(model.explain("row3", X, GIVEN)) == {"feature", "value", "weight", "contribution"}


@pytest.mark.parametrize("n_classes", [2, 4])
def test_explanations_are_products_of_value_and_weight(n_classes):
    random = np.random.default_rng(n_classes)
    y = (X.to_numpy() @ random.normal(size=(4, n_classes)) + random.gumbel(size=(N, n_classes))).argmax(axis=1)
    model = RobustLogisticRegression(penalty="l2", alpha=0.1).fit(X, y)
    for i in (0, 7, 123):
        said = model.explain(f"row{i}", X, y, n=3)
        scores = np.atleast_2d(model.decision_function(X.iloc[[i]]))
        scores = np.column_stack([0.0 * scores[0], scores[0]])[0] if n_classes == 2 else scores[0]
        coef = np.vstack([0.0 * model.coef_, model.coef_]) if n_classes == 2 else model.coef_
        others = [c for c in range(n_classes) if c != y[i]]
        other = max(others, key=lambda c: scores[c])
        products = pd.Series(X.iloc[i] * (coef[other] - coef[y[i]]), X.columns).sort_values(ascending=False)
        products = products[products > 0.0][:3]
        assert list(said["feature"]) == list(products.index)
        np.testing.assert_allclose(said["contribution"], products)
        np.testing.assert_allclose(said["contribution"], said["value"] * said["weight"])
    with pytest.raises(ValueError, match="i has 'row300', which is no row of X"):
        model.explain("row300", X, y)
    with pytest.raises(ValueError, match="i=300"):
        model.explain(300, X.to_numpy(), y)
