"""Suspects in their sentences, and how many of the most suspicious labels are wrong."""

import numpy as np
import pytest
from made_up_words import make_ner, make_words
from shiftlr.datasets.conll import Corpus
from shiftlr.datasets.words import Words
from shiftlr.evaluation import Models
from shiftlr.label_errors import CONTEXT, _named, compare_rankings, confident_learning, in_context, precision_at
from shiftlr.thinning import COLUMNS, thin

TEXT = Corpus(
    ["Anna", "met", "Bob", ".", "Rome", "Carl", "won"],
    ["B-PER", "O", "B-PER", "O", "B-LOC", "B-PER", "O"],
    np.array([0, 4, 5, 7]),
    np.array([0, 0, 0, 0, 0, 1, 1]),
)
WORDS = make_words()
WRONG = WORDS.labels != WORDS.truth
NER = make_ner()


def examples(places, labels):
    """Some words of the text."""
    truth = TEXT.is_person[places].astype(int)
    return Words(None, np.array(labels), truth, TEXT.articles[places], np.array(places), None, None, None)


def test_suspects_stand_in_their_sentences_the_largest_shift_first():
    given = examples([0, 2, 3, 4, 6], [1, 0, 0, 1, 0])
    found = in_context(TEXT, given, np.array([0.0, -2.5, 0.0, 3.25, -0.12345]))
    assert list(found.columns) == list(CONTEXT)
    assert found.to_numpy().tolist() == [
        [1, 0, "Rome", "[Rome]", "person", "other", "other", 3.25],
        [2, 0, "Bob", "Anna met [Bob] .", "other", "person", "person", -2.5],
        [3, 1, "won", "Carl [won]", "other", "person", "other", -0.1235],
    ]


def test_a_shift_has_the_sign_of_the_label_given_whatever_its_sign_was():
    given = examples([0, 1], [1, 0])
    assert in_context(TEXT, given, np.array([1.0, 2.0]))["shift"].tolist() == [-2.0, 1.0]
    assert in_context(TEXT, given, np.array([-1.0, -2.0]))["shift"].tolist() == [-2.0, 1.0]


def test_equal_shifts_stay_in_reading_order_and_no_shift_is_no_suspect():
    given = examples([0, 2, 5], [1, 1, 1])
    assert in_context(TEXT, given, np.ones(3))["word"].tolist() == ["Anna", "Bob", "Carl"]
    assert in_context(TEXT, given, np.zeros(3)).empty


@pytest.mark.parametrize("seed", range(5))
def test_precision_among_equals_is_what_a_random_order_would_give(seed):
    rng = np.random.default_rng(seed)
    suspicion, wrong, ks = rng.integers(4, size=15).astype(float), rng.random(15) < 0.4, [1, 4, 9, 15]
    orders = [np.lexsort((rng.random(15), -suspicion)) for _ in range(4000)]
    wanted = [np.mean([wrong[order[:k]].mean() for order in orders]) for k in ks]
    assert precision_at(ks, suspicion, wrong) == pytest.approx(wanted, abs=0.02)


def test_precision_without_equals_is_a_count():
    wrong = np.array([True, False, True, True])
    found = precision_at([1, 2, 3, 4], np.array([0.1, 0.9, 0.5, -2.0]), wrong)
    assert found == pytest.approx([0.0, 1 / 2, 2 / 3, 3 / 4])


def test_what_a_model_calls_wrong_depends_on_what_its_suspicion_means():
    suspicion = np.array([-1.0, 0.0, 0.4, 0.6])
    assert _named({}, suspicion).tolist() == [False, False, True, True]
    assert _named({"flips": [[1, 0], [0, 1]]}, suspicion).tolist() == [False, False, False, True]


def make_models():
    """One model that knows, one that does not, one that failed."""
    about = {
        "standard": {"status": "ok", "params": {"alpha": 0.1}},
        "knows": {"status": "ok"},
        "rival": {"status": "failed", "reason": "no luck"},
    }
    return Models(about, {"standard.suspicion": -np.ones(len(WRONG)), "knows.suspicion": WRONG * 1.0})


def test_rankings_are_compared_with_cleanlab_s():
    found = compare_rankings("auto", WORDS, make_models(), make_ner(ks=[5, 10, 1000])).set_index("ranking")
    assert list(found.index) == ["standard", "knows", "cleanlab"]
    assert [name for name in found.columns if name.startswith("at_")] == ["at_5", "at_10"]  # there are 300 labels
    assert set(found["labels"]) == {"auto"} and set(found["n"]) == {300} and set(found["wrong"]) == {WRONG.sum()}
    knows, standard, cleanlab = (found.loc[name] for name in ("knows", "standard", "cleanlab"))
    assert knows["named"] == knows["named_wrong"] == WRONG.sum() and knows["at_10"] == 1.0
    assert standard["named"] == 0 and standard["at_5"] == pytest.approx(WRONG.mean())
    assert 0 < cleanlab["named_wrong"] <= cleanlab["named"] and cleanlab["at_10"] > 0.5


def test_what_cleanlab_calls_an_error_is_more_suspicious_than_all_else():
    suspicion, called = confident_learning(WORDS, 0.1, NER)
    assert suspicion.shape == called.shape == WRONG.shape and 0 < called.sum() < len(called)
    assert suspicion[called].min() >= suspicion[~called].max()
    assert np.array_equal(suspicion, confident_learning(WORDS, 0.1, NER)[0])


def test_thinning_keeps_random_parts_of_the_features():
    found = thin(WORDS, 0.1, NER)
    assert list(found.columns) == list(COLUMNS)
    n_features = WORDS.X.shape[1]
    assert found[["share", "features", "draw"]].drop_duplicates().to_numpy().tolist() == [
        [1.0, n_features, 0],
        [0.2, round(0.2 * n_features), 0],
        [0.2, round(0.2 * n_features), 1],
    ]
    standard, flipping = (found[found["model"] == name] for name in ("standard", "flipping"))
    assert len(standard) == len(flipping) == 3
    assert standard["flip_to_person"].isna().all() and flipping["flip_to_person"].between(0.0, 1.0).all()
    assert standard["f1"].iloc[0] > standard["f1"].iloc[1:].mean()
    assert found.equals(thin(WORDS, 0.1, NER))
