"""Tables in which wrong labels are planted: what they hold, and that the made-up ones are as they are said to be."""

import numpy as np
import pytest
from shiftbench import noise
from shiftbench.datasets import base, planted
from shiftlr.features import make_transformer
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

# examples, features, classes
SIZES = {
    "breast_cancer": (569, 30, 2),
    "digits": (1797, 64, 10),
    "digits_halves": (1797, 64, 2),
    "wine": (178, 13, 3),
    "iris": (150, 4, 3),
    "mixed_2": (1500, 34, 2),
    "mixed_3": (1500, 34, 3),
}


def draw(name, made=None, number=0):
    settings = planted.DEFAULTS | {"set": name}
    return base.draw(planted, settings, made, base.seed_of(f"e.{name}", number, 1), "s", number)


def test_every_set_is_described_here():
    assert set(SIZES) == {*planted.SETS, *planted.MIXED}


@pytest.mark.parametrize("name", SIZES)
def test_all_examples_are_trained_on_with_scaled_features(name):
    replicate = draw(name)
    assert list(replicate.parts) == ["train"] and replicate.about["origin"] == "other"
    train, (n, m, n_classes) = replicate.parts["train"], SIZES[name]
    assert train.X.shape == (n, m) and train.n_classes == n_classes == len(replicate.about["classes"])
    assert np.isfinite(train.X).all() and set(train.truth) == set(range(n_classes))
    assert replicate.about["mislabelled"] == 0.0 and sorted(train.ids) == list(range(n))
    if name not in planted.MIXED:
        np.testing.assert_allclose(train.X.mean(axis=0), 0.0, atol=1e-12)
        constant = train.X.std(axis=0) == 0.0
        np.testing.assert_allclose(train.X.std(axis=0)[~constant], 1.0)
        assert constant.any() == name.startswith("digits")  # pixels that are never set


def test_rows_are_in_an_order_of_their_own_in_each_replicate():
    first, same, other = (draw("iris", number=number).parts["train"] for number in (0, 0, 1))
    np.testing.assert_array_equal(first.ids, same.ids)
    assert not np.array_equal(first.ids, other.ids)
    back = np.argsort(first.ids), np.argsort(other.ids)
    np.testing.assert_array_equal(first.X[back[0]], other.X[back[1]])
    np.testing.assert_array_equal(first.labels[back[0]], other.labels[back[1]])


def test_halves_are_the_digits_below_five_and_the_others():
    train = draw("digits_halves").parts["train"]
    np.testing.assert_array_equal(train.truth, load_digits().target[train.ids] >= 5)


def test_labels_are_planted_wrong_and_the_truth_stays():
    for name, made in (("digits", noise.uniform(share=0.2)), ("mixed_2", noise.side(share=0.2, within=0.5))):
        train, clean = draw(name, made).parts["train"], draw(name).parts["train"]
        np.testing.assert_array_equal(train.truth, clean.truth)
        np.testing.assert_array_equal(train.X, clean.X)
        assert np.mean(train.labels != train.truth) == pytest.approx(0.2, abs=0.04)


def test_made_up_tables_have_categories_and_missing_values():
    table = planted.make_table(np.random.default_rng(0), n=2000)
    assert table.shape == (2000, planted.NUMBERS + len(planted.CATEGORIES))
    missing = table.isna().mean()
    assert (
        missing.iloc[::2].to_numpy() == pytest.approx(planted.MISSING, abs=0.02) and (missing.iloc[1::2] == 0.0).all()
    )
    counts = [table[f"one_of_{count}"].nunique() for count in planted.CATEGORIES]
    assert counts == list(planted.CATEGORIES)
    names = make_transformer(table).fit(table).get_feature_names_out()
    assert "missingindicator_number_0" in names and "one_of_2_value_1" in names


@pytest.mark.parametrize("name", planted.MIXED)
def test_made_up_labels_follow_a_linear_model_but_for_about_one_in_twenty(name):
    train = draw(name).parts["train"]
    accuracy = cross_val_score(LogisticRegression(max_iter=2000), train.X, train.truth).mean()
    assert 1.0 - 2.0 * planted.SPREAD < accuracy < 1.0 - 0.5 * planted.SPREAD
    other = draw(name, number=1).parts["train"]
    assert not np.array_equal(np.sort(train.X[:, 0]), np.sort(other.X[:, 0]))  # another table


def test_unknown_sets_are_named():
    assert list(planted.check({"set": "titanic"})) == [
        "set: 'titanic' is not allowed; allowed are breast_cancer, digits, wine, iris, digits_halves, mixed_2, mixed_3"
    ]
    assert not list(planted.check(planted.DEFAULTS))
