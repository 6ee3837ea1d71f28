"""Features of words: shapes, pieces and windows, and the columns that training gives them."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from shiftbench.datasets.ner.features import Shapes, Vocabulary, of_word, pieces, plain_shape

WORKFLOW = Path(__file__).parents[3] / "workflow"

SENTENCE = ["EU", "rejects", "German", "call", "to", "boycott", "British", "lamb", "."]
REJECTS = [
    "constant",
    "word rejects",
    "previous EU",
    "next German",
    *("piece <r", "piece <re", "piece <rej", "piece <reje", "piece <rejec"),
    *("piece s>", "piece ts>", "piece cts>", "piece ects>", "piece jects>"),
    "shape xxxxxk",
    "previous shape XX",
    "next shape Xxxxx",
    "previous, shape EU xxxxxk",
    "shape, next xxxxxk German",
    "previous shape, shape XX xxxxxk",
    "shape, next shape xxxxxk Xxxxx",
    "three shapes XX xxxxxk Xxxxx",
    "among next German",
    "among next call",
    "among next to",
    "among next boycott",
    "among previous EU",
    "among previous ",
]


def features(words, place):
    shapes = Shapes()
    return of_word(words, [shapes.read(word) for word in words], place)


def starting(prefix, names):
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def test_the_example_of_the_specification():
    found = features(SENTENCE, 1)
    assert len(found) == len(set(found)) == 28
    assert set(found) == set(REJECTS)


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("a", "x"),
        ("EU", "XX"),
        ("Bill", "Xxxx"),
        ("1996", "dddd"),
        ("U.S.", "X.X."),
        (".", "."),
        ("Émile", "Xxxxx"),
        ("German", "Xxxxx"),  # from here on longer than four characters
        ("1996-08-22", "dd-ddd"),
        ("McDonald's", "XxXx'x"),
        ("BRUSSELS", "XXXXX"),
        ("-DOCSTART-", "-XXX-"),
        ("x9-Z.a", "xd-X.x"),
        ("ab(]-Z(cd", "xx(-X]xx"),  # between the ends each once, and sorted
        ("alpha", "g"),
        ("alpha-1", "g-d"),
        ("Alpha", "Xxxxx"),  # only in lower case
        ("Tgfbeta", "Xxxg"),
        ("betagamma12", "ggdd"),
        ("alphabetically", "gxxxx"),
        ("mu", "xx"),  # the short ones are not taken for Greek
        ("epithelial", "xxxxx"),
    ],
)
def test_shapes(word, shape):
    assert plain_shape(word)[0] == shape


@pytest.mark.parametrize(
    "letter",
    [
        *("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "theta", "iota"),
        *("kappa", "lambda", "omicron", "rho", "sigma", "tau", "upsilon", "omega"),
    ],
)
def test_greek_letters_that_are_spelled_out(letter):
    assert plain_shape(letter) == ("g", False)
    assert plain_shape(f"A{letter}1") == ("Xgd", False)


def test_a_word_is_known_as_soon_as_it_was_met_in_lower_case():
    shapes = Shapes()
    words = ["Call", "the", "call", "Call", "CALL", "The", "1st", "1st", "e-mail", "E-MAIL"]
    expected = ["Xxxx", "xxxk", "xxxxk", "Xxxxk", "XXXXk", "Xxxk", "dxx", "dxx", "x-xxx", "X-XXX"]
    assert [shapes.read(word) for word in words] == expected
    assert shapes.known == {"the", "call", "e-mail"}


def test_a_word_that_only_begins_in_lower_case_is_known_as_it_is_written():
    shapes = Shapes()
    assert [shapes.read(word) for word in ("eBay", "EBay", "ebay", "EBay")] == ["xXxx", "XXxx", "xxxxk", "XXxxk"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (".", "<. .> <.>"),
        ("to", "<t <to <to> o> to>"),
        ("lamb", "<l <la <lam <lamb <lamb> b> mb> amb> lamb>"),
        ("rejects", "<r <re <rej <reje <rejec s> ts> cts> ects> jects>"),
    ],
)
def test_pieces(word, expected):
    found = pieces(word)
    assert len(found) == len(set(found))
    assert set(found) == set(expected.split())


@pytest.mark.parametrize(
    ("place", "before", "after"),
    [
        (0, [""], ["rejects", "German", "call", "to"]),
        (3, ["EU", "rejects", "German", ""], ["to", "boycott", "British", "lamb"]),
        (4, ["EU", "rejects", "German", "call"], ["boycott", "British", "lamb", "."]),
        (5, ["rejects", "German", "call", "to"], ["British", "lamb", ".", ""]),
        (8, ["to", "boycott", "British", "lamb"], [""]),
    ],
)
def test_windows(place, before, after):
    found = features(SENTENCE, place)
    assert starting("among previous ", found) == before
    assert starting("among next ", found) == after


def test_a_word_twice_in_a_window_counts_once():
    found = features(["he", "said", "he", "said", "he"], 4)
    assert starting("among previous ", found) == ["he", "said"]
    assert starting("among next ", found) == [""]


def test_outside_the_sentence_everything_is_empty():
    found = features(["Rome"], 0)
    for name in (
        "previous ",
        "next ",
        "previous shape ",
        "next shape ",
        "previous, shape  Xxxx",
        "three shapes  Xxxx ",
    ):
        assert name in found


def rows_of(X, names):
    """The names of each row's features."""
    return [{names[column] for column in X.indices[first:last]} for first, last in pairwise(X.indptr)]


def test_rows_are_binary_and_sorted():
    vocabulary = Vocabulary()
    X = vocabulary.learn([SENTENCE, ["The", "EU", "rejects", "it"]])
    assert X.shape == (13, len(vocabulary.names))
    assert set(X.data) == {1.0}
    assert X.has_canonical_format and X.has_sorted_indices
    for first, last in pairwise(X.indptr):
        assert (np.diff(X.indices[first:last]) > 0).all()
    np.testing.assert_array_equal(np.unique(X.indices), np.arange(X.shape[1]))
    assert rows_of(X, vocabulary.names)[1] == set(REJECTS)


def test_names_are_in_the_order_of_columns():
    vocabulary = Vocabulary()
    vocabulary.learn([SENTENCE])
    assert [vocabulary.columns[name] for name in vocabulary.names] == list(range(len(vocabulary.names)))
    assert vocabulary.names[0] == "constant"


def test_only_wanted_rows_get_columns_but_all_words_are_read():
    vocabulary = Vocabulary()
    sentences = [["call", "it"], SENTENCE, ["Call", "me"]]
    wanted = np.zeros(13, dtype=bool)
    wanted[[3, 11]] = True
    X = vocabulary.learn(sentences, wanted)
    assert X.shape[0] == 2
    assert rows_of(X, vocabulary.names)[0] == set(REJECTS)
    assert "shape Xxxxk" in rows_of(X, vocabulary.names)[1]  # known from a word that was not wanted
    assert not [name for name in vocabulary.names if name in ("word it", "word EU", "word me")]
    assert len(vocabulary.names) == len(set().union(*rows_of(X, vocabulary.names)))


def test_unseen_features_are_left_out():
    vocabulary = Vocabulary()
    n_features = vocabulary.learn([SENTENCE]).shape[1]
    X = vocabulary.encode([SENTENCE, ["Zz9"]])
    assert X.shape == (10, n_features) and len(vocabulary.names) == n_features
    rows = rows_of(X, vocabulary.names)
    assert rows[1] == set(REJECTS)
    empty = {"previous ", "next ", "previous shape ", "next shape ", "among next ", "among previous "}
    assert rows[9] == {"constant"} | empty


def test_words_known_from_training_are_known_in_the_test_set():
    vocabulary = Vocabulary()
    vocabulary.learn([["call"], ["Call"], ["Rome"]])
    found = rows_of(vocabulary.encode([["Call"], ["Rome"], ["rome"], ["Rome"]]), vocabulary.names)
    assert "shape Xxxxk" in found[0]
    assert "shape Xxxx" in found[1]
    assert "shape Xxxxk" in found[3]  # and those that the test set itself has, from there on


def test_columns_are_the_same_in_every_run():
    program = (
        "from shiftbench.datasets.ner.features import Vocabulary; v = Vocabulary(); "
        f"X = v.learn([{SENTENCE!r}, ['a', 'b', 'a', 'b', 'a']]); print(v.names, X.indices.tolist(), X.indptr.tolist())"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(WORKFLOW)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1] != ""
