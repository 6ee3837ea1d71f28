"""`find_label_errors`: from tables as people have them to the labels that look wrong."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from shiftlr import RobustLogisticRegression, StandardLogisticRegression, find_label_errors
from shiftlr.methods import _suspects
from shiftlr.methods._noise_model import fit_noise_model
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler


def customers(seed=0, n=600, share=0.1):
    """(a table with numbers, a category, a date, a text and missing values, labels given, true labels)."""
    random = np.random.default_rng(seed)
    age, spent = random.normal(50, 12, n), random.lognormal(3, 1, n)
    plan = random.choice(["basic", "gold", "silver"], n)
    truth = np.where(
        (age - 50) / 6 - 1.5 * (plan == "gold") + 1.5 * (plan == "basic") + random.logistic(scale=0.6, size=n) > 0,
        "churn",
        "stay",
    )
    words = np.where(truth == "churn", "slow and too expensive", "quick and friendly help")
    X = pd.DataFrame(
        {
            "age": np.where(random.random(n) < 0.1, np.nan, age),
            "spent": spent,
            "plan": np.where(random.random(n) > 0.05, plan, None),
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(random.integers(0, 900, n), "D"),
            "said": np.where(random.random(n) < 0.3, words, "nothing much to say here"),
        },
        index=[f"c{i}" for i in range(n)],
    )
    wrong = random.random(n) < share
    given = np.where(wrong, np.where(truth == "churn", "stay", "churn"), truth)
    return X, pd.Series(given, X.index), pd.Series(truth, X.index)


X, GIVEN, TRUTH = customers()
WRONG = X.index[GIVEN != TRUTH]
FOUND = find_label_errors(X, GIVEN)


def test_from_a_table_to_wrong_labels():
    table = FOUND.table
    assert list(table.columns) == ["given_label", "suggested_label", "suspicion", "shift"]
    right = table.index.isin(WRONG)
    assert right.mean() > 0.6 and right.sum() > 0.6 * len(WRONG)
    predicted = pd.Series(FOUND.predicted_labels_, X.index)
    assert (table["suggested_label"] == predicted[table.index]).all() and (
        table["given_label"] == GIVEN[table.index]
    ).all()
    assert (table["given_label"] != table["suggested_label"]).all() and np.all(np.diff(table["suspicion"]) <= 0.0)
    assert FOUND.suspicion_.shape == (600,) and FOUND.probabilities_.sum(axis=1) == pytest.approx(1.0)
    np.testing.assert_allclose(FOUND.noise_matrix_, [[0.9, 0.1], [0.1, 0.9]], atol=0.08)
    assert set(FOUND.params_) == {"alpha"} and FOUND.estimator_.score(X, TRUTH) > 0.85


def test_it_is_the_same_for_a_seed_and_nearly_for_another():
    assert find_label_errors(X, GIVEN).table.equals(FOUND.table)
    other = find_label_errors(X, GIVEN, random_state=1)
    assert np.corrcoef(other.suspicion_, FOUND.suspicion_)[0, 1] > 0.95
    assert not np.array_equal(other.suspicion_, FOUND.suspicion_)


def test_cuts_and_trusted_labels():
    assert FOUND.suspects(n=7).equals(FOUND.suspects(threshold=0.0).iloc[:7])
    trusted = TRUTH.sample(120, random_state=0)
    table = FOUND.suspects(fdr=0.2, trusted=trusted)
    assert not set(table.index) & set(trusted.index) and len(table) > 10
    assert (GIVEN[table.index] == TRUTH[table.index]).mean() < 0.35
    with pytest.raises(ValueError, match="needs trusted labels"):
        FOUND.suspects(fdr=0.2)


def test_explanations_name_columns():
    said = FOUND.explain(FOUND.table.index[0])
    names = set(FOUND.estimator_[:-1].get_feature_names_out())
    assert set(said["feature"]) <= names and {"age", "plan_gold", "since"} <= names
    np.testing.assert_allclose(said["contribution"], said["value"] * said["weight"])
    assert len(FOUND.explain("c3", n=2)) <= 2
    with pytest.raises(ValueError, match="'c600', which is no row of X"):
        FOUND.explain("c600")


def test_the_summary_says_how_many_and_which_way():
    text = repr(FOUND)
    assert text.startswith(f"{len(FOUND.table)} of 600 labels look wrong") and "'churn' seen as 'stay'" in text
    few = find_label_errors(X.iloc[:100], GIVEN.iloc[:100])
    assert "fewer than 200 examples" in few.summary()
    assert "<table" in FOUND._repr_html_() and "&lt;" not in FOUND._repr_html_()


def test_scores_are_held_out():
    """Against folds drawn and fitted by hand."""
    features = StandardScaler().fit_transform(X[["spent"]].assign(age=X["age"].fillna(50)))
    codes = (GIVEN == "stay").to_numpy().astype(int)
    model = StandardLogisticRegression("l2", 1.0)
    found = find_label_errors(features, GIVEN.to_numpy(), transformer=None, estimator=model, n_splits=4, n_repeats=1)
    scores = np.zeros(600)
    for train, held_out in StratifiedKFold(4, shuffle=True, random_state=0).split(features, codes):
        scores[held_out] = model.fit(features[train], codes[train]).decision_function(features[held_out])
    np.testing.assert_allclose(found.scores_[:, 1] - found.scores_[:, 0], scores, atol=1e-6)


def test_groups_stay_together():
    groups = np.repeat(np.arange(100), 6)
    leaky = np.column_stack([X["spent"], np.eye(100)[groups]])  # a column for each group tells its label, in the fold
    given = np.random.default_rng(0).integers(0, 2, 100)[groups]
    apart = find_label_errors(leaky, given, groups=groups, n_repeats=1)
    mixed = find_label_errors(leaky, given, n_repeats=1)
    assert np.mean(apart.predicted_labels_ == given) < 0.65
    assert np.mean(mixed.predicted_labels_ == given) > 0.95


def test_sample_weights_count_copies():
    numbers = StandardScaler().fit_transform(X[["spent"]].assign(age=X["age"].fillna(50)))
    weights = np.ones(600)
    weights[:300] = 1e-9
    light = find_label_errors(numbers, GIVEN.to_numpy(), sample_weight=weights, n_repeats=1)
    assert np.isfinite(light.suspicion_).all() and light.table.index.max() >= 300


def test_texts_many_classes_sparse_and_other_classifiers():
    docs = [f"{said} plan {plan}" for said, plan in zip(X["said"], X["plan"], strict=True)]
    assert len(find_label_errors(docs, GIVEN.to_numpy()).explain(0)) > 0
    counts = CountVectorizer().fit_transform(docs)
    by_counts = find_label_errors(sparse.csr_matrix(counts), GIVEN.to_numpy())
    assert by_counts.explain(0)["feature"].str.fullmatch(r"x\d+").all()
    flowers, kinds = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[kinds]
    given = names.copy()
    given[:6] = "virginica"
    found = find_label_errors(flowers, given)
    assert {*range(6)} <= set(found.table.index) and len(found.table) <= 16
    assert (found.table["suggested_label"][[*range(6)]] == "setosa").all()
    assert found.noise_matrix_.shape == (3, 3) and found.noise_matrix_[0, 2] > 0.08
    forest = find_label_errors(flowers, given, estimator=RandomForestClassifier(30, random_state=0), n_repeats=1)
    assert {*range(6)} <= set(forest.table.index) and "shift" not in forest.table
    with pytest.raises(ValueError, match="RandomForestClassifier has no coef_: only linear models"):
        forest.explain(0)


def test_the_penalty_with_the_largest_likelihood_is_kept():
    random = np.random.default_rng(0)
    wide = random.normal(size=(150, 300))
    given = (wide[:, 0] + 0.5 * random.normal(size=150) > 0).astype(int)
    grid = [{"alpha": alpha} for alpha in (1e-4, 30.0)]
    robust = RobustLogisticRegression(lam=0.1, penalty="l2", tol=1e-5)
    both = find_label_errors(wide, given, estimator=robust, grid=grid)
    singles = [find_label_errors(wide, given, estimator=robust, grid=[one]) for one in grid]
    kept = next(one for one in singles if one.params_ == both.params_)
    np.testing.assert_allclose(both.suspicion_, kept.suspicion_, atol=1e-4)  # the path comes from elsewhere

    def likelihood(found):
        return fit_noise_model(found.scores_, given).log_likelihood

    assert likelihood(kept) == max(map(likelihood, singles)) > min(map(likelihood, singles))


def test_progress(capsys):
    find_label_errors(X.iloc[:60], GIVEN.iloc[:60], n_splits=2, n_repeats=1, verbose=True)
    assert capsys.readouterr().err.splitlines() == [f"find_label_errors: fold {k} of 2, 30 examples" for k in (1, 2)]


def test_without_pandas(monkeypatch):
    monkeypatch.setattr(_suspects, "has_pandas", lambda: False)
    found = find_label_errors(X[["spent"]].to_numpy(), GIVEN.to_numpy(), n_repeats=1)
    assert found.table.indices.shape == found.table.suspicion.shape


ONE = X[["age", "spent"]]


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        (ONE, ["stay"] * 600, "y has only one class, 'stay'"),
        (ONE, ["stay"] * 599 + ["left"], "y has one example of the class 'left'"),
        (ONE, GIVEN[:10], "X has 600 rows and y has 10 labels"),
        (ONE, np.random.default_rng(0).random(600), "Unknown label type: continuous"),
        (ONE, [None, *GIVEN[1:]], "Input y contains None, in row 0"),
        (ONE.assign(gone=np.nan), GIVEN, "X: all values are missing in column 'gone'; drop"),
        (ONE.assign(same=3.0, alike="x"), GIVEN, "X: all values are the same in columns 'same', 'alike'; drop"),
        (np.column_stack([ONE["spent"], np.full(600, np.nan)]), GIVEN, "X: all values are missing in column 1"),
        (ONE.rename(columns={"spent": "age"}), GIVEN, "X has the column 'age' twice"),
        (np.zeros(600), GIVEN, r"X has the shape \(600,\)"),
    ],
)
def test_bad_data(features, labels, message):
    with pytest.raises(ValueError, match=message):
        find_label_errors(features, labels)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_splits": 1}, "n_splits=1"),
        ({"n_repeats": 0}, "n_repeats=0"),
        ({"random_state": "x"}, "random_state='x'"),
        ({"transformer": "best"}, "transformer='best': must be 'auto', None or"),
        ({"grid": [{"alpha": -1.0}]}, "alpha=-1.0"),
        ({"groups": np.repeat([0, 1], 300)[::-1]}, None),
        ({"sample_weight": -np.ones(600)}, r"sample_weight\[0\]=-1.0|weights must not be negative"),
        ({"verbose": "yes"}, "verbose='yes': must be True or False"),
    ],
)
def test_bad_settings(settings, message):
    if message is None:
        labels = np.repeat(["a", "b"], 300)
        with pytest.raises(ValueError, match=r"all examples of the class '.' are held out at once"):
            find_label_errors(ONE, labels, n_splits=2, **settings)
        return
    with pytest.raises(ValueError, match=message):
        find_label_errors(ONE, GIVEN, **settings)
