"""F1 against the share of flipped labels: how labels are flipped, articles split, and failures kept."""

import json

import numpy as np
import pytest
from made_up_words import N_TYPES, NAMES, make_ner, make_words, method_of
from shiftlr import methods
from shiftlr.noise_curve import COLUMNS, as_frame, flip, points, split, word_types

WORDS = make_words(n=400, wrong=0.0)
TYPES = word_types(WORDS, NAMES)
NER = make_ner()


def test_the_word_of_an_example_is_told_by_its_feature():
    assert TYPES.shape == WORDS.labels.shape and len(np.unique(TYPES)) == N_TYPES
    columns = WORDS.X[:, 1 : 1 + N_TYPES].toarray().argmax(axis=1)
    assert np.array_equal(TYPES, np.unique(columns, return_inverse=True)[1])


@pytest.mark.parametrize("kind", ["uniform", "systematic"])
def test_flips_depend_on_kind_share_and_seed_alone(kind):
    flipped = flip(WORDS.truth, TYPES, kind, 0.3, 1)
    assert set(flipped) <= {0, 1}
    assert np.array_equal(flipped, flip(WORDS.truth, TYPES, kind, 0.3, 1))
    assert not np.array_equal(flipped, flip(WORDS.truth, TYPES, kind, 0.3, 2))
    assert np.array_equal(flip(WORDS.truth, TYPES, kind, 0.0, 1), WORDS.truth)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_uniform_flips_hit_every_word_alike(share):
    types, truth = np.tile(TYPES, 50), np.tile(WORDS.truth, 50)
    wrong = flip(truth, types, "uniform", share, 0) != truth
    assert wrong.mean() == pytest.approx(share, abs=0.01)
    assert np.array([wrong[types == word].mean() for word in np.unique(types)]) == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_systematic_flips_take_all_examples_of_a_word_and_no_more_than_asked(share, seed):
    wrong = flip(WORDS.truth, TYPES, "systematic", share, seed) != WORDS.truth
    assert {wrong[word == TYPES].mean() for word in np.unique(TYPES)} == {0.0, 1.0}
    assert share - np.bincount(TYPES).min() / len(TYPES) - 0.01 < wrong.mean() <= share


def test_a_word_too_frequent_for_the_share_is_passed_over():
    types = np.array([0] * 90 + [1] * 10)
    wrong = flip(np.zeros(100, dtype=int), types, "systematic", 0.1, 0) == 1
    assert np.array_equal(wrong, types == 1)


def test_no_article_is_both_trained_and_tuned_on():
    train, dev = split(WORDS, NER)
    assert set(WORDS.articles[train]).isdisjoint(WORDS.articles[dev])
    assert len(set(WORDS.articles[train])) == 7 and len(set(WORDS.articles[dev])) == 5  # of 15: halves, and 0.3
    assert all(np.array_equal(*pair) for pair in zip(split(WORDS, NER), (train, dev), strict=True))


def curve(name, chosen=(), kind="uniform", **method):
    return points(method_of(name, **method), kind, WORDS, TYPES, NER, list(chosen))


def test_every_share_has_a_row_of_each_model():
    standard = curve("standard")
    assert [(row["kind"], row["share"], row["model"]) for row in standard] == [
        ("uniform", 0.0, "standard"),
        ("uniform", 0.2, "standard"),
    ]
    assert all(set(row["params"]) == {"alpha"} for row in standard) and standard[0]["f1"] > 90.0
    robust = curve("robust", standard)
    assert [(row["share"], row["model"]) for row in robust] == [
        (share, model) for share in (0.0, 0.2) for model in ("robust_share", "robust_held_out")
    ]
    alphas = {row["share"]: row["params"]["alpha"] for row in standard}
    assert all(row["params"]["alpha"] == alphas[row["share"]] for row in robust)  # the penalty is standard's
    svm = curve("svm", standard, grid={"C": [1.0, 0.1]})
    assert all(set(row["params"]) == {"C"} for row in svm)  # without a penalty to take over
    assert {row["model"] for row in curve("tight", standard, file="robust")} == {"tight_share", "tight_held_out"}
    json.dumps([*standard, *robust, *svm])


def test_a_point_that_fails_is_a_row_with_the_reason_and_the_others_go_on(monkeypatch):
    robust = methods.load("robust")
    standard = curve("standard")
    monkeypatch.setattr(
        robust, "_check_stopping", lambda self: (_ for _ in ()).throw(ArithmeticError("no luck")), raising=True
    )
    failed = curve("robust", standard)
    assert failed == [
        {"kind": "uniform", "share": share, "model": "robust", "reason": "ArithmeticError: no luck"}
        for share in (0.0, 0.2)
    ]
    frame = as_frame([*standard, *failed], resamples=20, seed=0)
    assert list(frame.columns) == list(COLUMNS)
    assert frame["gain"].tolist()[:2] == [0.0, 0.0] and frame["gain"][2:].isna().all()
    assert frame["f1"].isna().tolist() == [False, False, True, True]
    assert frame["reason"].isna().tolist() == [True, True, False, False]
