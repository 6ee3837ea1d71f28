"""Features of words: pieces, windows and words beyond short ones, and the columns that training gives them."""

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from shiftbench.datasets.ner.features import FEATURE_SETS, Shapes, Vocabulary, pieces

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


# What both sets have of "rejects"; its word, neighbours and shapes have no sign that the sets take differently.
SHARED = [name for name in REJECTS if not name.startswith("among ")]


def features(words, place, feature_set="disjunctive"):
    of_word, class_of = FEATURE_SETS[feature_set]
    shapes = Shapes(class_of)
    return of_word(words, [shapes.read(word) for word in words], place)


def starting(prefix, names):
    return [name.removeprefix(prefix) for name in names if name.startswith(prefix)]


def test_the_example_of_the_specification():
    found = features(SENTENCE, 1)
    assert len(found) == len(set(found)) == 28
    assert set(found) == set(REJECTS)


def test_signs_of_a_kind_have_one_shape_in_one_set_only():
    assert features(["Rome", "(", "x", "]"], 1)[4] == "shape ("
    assert features(["Rome", "[", "x", "]"], 1)[4] == "shape ["
    assert features(["Rome", "[", "x", "]"], 1, "real_words")[4] == "shape ("


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


REAL = ("before previous, shape ", "shape, after next ")


@pytest.mark.parametrize(
    ("place", "before", "after"),
    [
        (0, [" XX"], []),  # beyond the end of a sentence is an empty word, which is short
        (1, [" xxxxxk"], []),  # EU is short, German is not
        (2, [], []),
        (3, [], ["xxxxk boycott"]),  # to
        (5, ["call xxxxxk"], []),
        (7, [], ["xxxxk "]),  # the full stop
        (8, [], [". "]),
    ],
)
def test_words_beyond_short_neighbours(place, before, after):
    found = features(SENTENCE, place, "real_words")
    assert [starting(name, found) for name in REAL] == [before, after]
    assert not starting("among ", found)


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        (["Ann", "Lee", "met", "Mr.", "Bob"], ["Ann xxxk"], ["xxxk Bob"]),  # three characters are short
        (["Anna", "Lees", "met", "Miss", "Bobs"], [], []),  # four are not
        (["Ann", "of", "met"], ["Ann xxxk"], ["xxxk "]),
        (["(", "-", "U.S.", ",", "%"], ["( X.X."], ["X.X. %"]),
    ],
)
def test_short_is_up_to_three_characters(words, before, after):
    assert [starting(name, features(words, 2, "real_words")) for name in REAL] == [before, after]


def test_the_example_of_the_specification_with_real_words():
    found = features(SENTENCE, 1, "real_words")
    assert len(found) == len(set(found)) == 23
    assert set(found) == {*SHARED, "before previous, shape  xxxxxk"}


def test_a_word_alone_has_empty_words_beyond_it():
    found = features(["Rome"], 0, "real_words")
    assert [starting(name, found) for name in REAL] == [[" Xxxx"], ["Xxxx "]]


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


@pytest.mark.parametrize("feature_set", FEATURE_SETS)
def test_a_vocabulary_has_the_features_of_its_set(feature_set):
    vocabulary = Vocabulary(feature_set)
    X = vocabulary.learn([SENTENCE])
    for place, row in enumerate(rows_of(X, vocabulary.names)):
        assert row == set(features(SENTENCE, place, feature_set))
    assert (vocabulary.encode([SENTENCE]) != X).nnz == 0


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
