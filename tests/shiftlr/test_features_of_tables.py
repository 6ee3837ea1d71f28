"""Features made of tables by scikit-learn's transformers."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from shiftlr.features import make_transformer

FRAME = pd.DataFrame(
    {
        "size": [1.0, 3.0, np.nan, 5.0, 3.0],
        "owned": [True, False, True, True, False],
        "kind": pd.Categorical(["a", "b", "a", None, "b"]),
        "mixed": [1, "one", 1, "one", 1],
        "day": pd.to_datetime(["2024-01-01", "2024-01-02", None, "2024-01-04", "2024-01-05"]).tz_localize("UTC"),
        "note": ["the fox ran off", "a dog sat down", "the fox sat down", None, "a fox ran off"],
    }
)


def test_each_kind_of_column_has_its_own_transformer():
    transformer = make_transformer(FRAME).fit(FRAME)
    names = transformer.get_feature_names_out().tolist()
    assert [name for name in names if name.startswith(("size", "missing", "owned", "kind", "mixed", "day"))] == [
        *("size", "owned", "missingindicator_size", "day", "missingindicator_day"),
        *("kind_a", "kind_b", "kind_infrequent_sklearn", "mixed_1", "mixed_one"),
    ]
    assert {"fox", "sat down"} <= set(names)
    features = pd.DataFrame.sparse.from_spmatrix(sparse.csr_matrix(transformer.transform(FRAME)), columns=names)
    filled = np.array([1.0, 3.0, 3.0, 5.0, 3.0])
    np.testing.assert_allclose(features["size"], (filled - filled.mean()) / filled.std())
    np.testing.assert_array_equal(features["kind_a"], [1, 0, 1, 0, 0])
    np.testing.assert_array_equal(features["mixed_one"], [0, 1, 0, 1, 0])
    days = np.array([0.0, 1.0, 2.0, 3.0, 4.0])  # the median where there is none
    np.testing.assert_allclose(features["day"], (days - 2.0) / days.std())


def test_new_rows_may_have_values_that_were_never_seen():
    transformer = make_transformer(FRAME).fit(FRAME)
    new = FRAME.assign(kind="z", mixed="never", note="unheard of words here", size=np.nan)
    assert np.isfinite(transformer.transform(new).sum())


def test_columns_of_text_may_be_named():
    names = make_transformer(FRAME, text=[]).fit(FRAME).get_feature_names_out()
    assert "fox" not in names and "note_infrequent_sklearn" in names
    names = make_transformer(FRAME.drop(columns="note"), text=["mixed"]).fit(FRAME).get_feature_names_out()
    assert "one" in names and "mixed_one" not in names
    with pytest.raises(ValueError, match="text: X has no column 'body'; it has 'size'"):
        make_transformer(FRAME, text=["body"])


def test_words_of_two_columns_of_text_have_names_of_their_own():
    frame = pd.DataFrame(
        {
            "title": ["an old red house", "a new red house"] * 2,
            "body": ["the red door of it"] * 3 + ["the blue door of it"],
        }
    )
    names = make_transformer(frame).fit(frame).get_feature_names_out()
    assert {"text of title__red", "text of body__red"} <= set(names)


def test_matrices():
    numbers = np.array([[1.0, np.nan], [3.0, 2.0], [5.0, 4.0]])
    made = make_transformer(numbers).fit_transform(numbers)
    assert made.shape == (3, 3) and np.isfinite(made).all()
    stored = sparse.csr_array(np.eye(3))
    assert make_transformer(stored).fit_transform(stored) is stored
    texts = ["one two three", "two three four", "one four"]
    assert "two three" in make_transformer(pd.Series(texts)).fit(texts).get_feature_names_out()
