"""Words as a dataset: every kind of labels, fewer words, features and articles, a development set, and suspects."""

import numpy as np
import pandas as pd
import pytest
from shiftbench.datasets import conll_person
from shiftbench.datasets.ner import conll
from shiftbench.datasets.ner.labels import text_of
from shiftbench.noise import group, uniform
from standin_sources import KINDS, assert_same, folders, load, real

__all__ = ["folders", "real"]  # fixtures


@pytest.fixture(scope="module")
def made(folders):
    return {kind: load(folders, labels=kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_labels_on_standins(made, folders, kind):
    train, test, about = made[kind].parts["train"], made[kind].parts["test"], made[kind].about
    n, text = len(train.labels), text_of(kind, folders)
    assert train.X.shape[0] == n and set(train.X.data) == {1.0}
    np.testing.assert_array_equal(train.truth, text.is_person[train.ids])
    np.testing.assert_array_equal(train.groups, text.articles[train.ids])
    assert (np.diff(train.ids) > 0).all()
    assert set(train.labels) == set(train.truth) == set(test.truth) == {0, 1}
    np.testing.assert_array_equal(test.labels, test.truth)
    assert len(test.truth) == len(test.groups) == test.X.shape[0] and test.X.shape[1] == train.X.shape[1]
    words = [text.words[place] for place in train.ids]
    assert train.tags["word"].tolist() == [sorted(set(words)).index(word) for word in words]
    assert about["origin"] == about["test_origin"] == "standin"
    assert (about["positives"], about["negatives"]) == (train.labels.sum(), n - train.labels.sum())
    assert about["features"] == train.X.shape[1]
    assert about["articles"] == len(set(train.groups))
    assert about["mislabelled"] == pytest.approx(np.mean(train.labels != train.truth))
    assert (about["mislabelled"] == 0.0) == (kind == "gold")
    assert 0.0 <= about["p0"] < 0.9 and 0.0 <= about["p1"] < 0.2
    assert (about["test_positives"], about["test_negatives"]) == (test.truth.sum(), len(test.truth) - test.truth.sum())
    assert about["test_features"] > 0 and about["source"].startswith("CoNLL")


def test_negatives_are_drawn_among_the_labels_that_were_given(made):
    for kind in ("auto", "turker", "per_article"):
        labels, about = made[kind].parts["train"].labels, made[kind].about
        assert about["negatives"] == 2 * about["positives"] == 2 * labels.sum()


def test_a_number_of_negatives_wins_over_a_multiple(folders):
    assert load(folders, negatives=77, negatives_per_positive=5).about["negatives"] == 77


def test_one_turker_saw_a_part_of_the_articles(made):
    assert made["turker"].about["articles"] == 30
    assert made["per_article"].about["articles"] == 120


def test_true_labels_are_put_on_the_words_of_automatic_ones(made):
    auto, gold = made["auto"].parts["train"], made["gold"].parts["train"]
    np.testing.assert_array_equal(gold.ids, auto.ids)
    assert (gold.X != auto.X).nnz == 0 and gold.X.shape == auto.X.shape
    np.testing.assert_array_equal(gold.labels, auto.truth)
    assert (gold.labels != auto.labels).any()


@pytest.mark.parametrize("kind", KINDS)
def test_sets_are_the_same_every_time_and_others_in_the_next_replicate(made, folders, kind):
    assert_same(load(folders, labels=kind), made[kind])
    other = load(folders, 1, labels=kind).parts["train"]
    assert set(other.ids) != set(made[kind].parts["train"].ids)  # other negatives
    if kind != "gold":
        ours = made[kind].parts["train"]
        np.testing.assert_array_equal(other.ids[other.labels == 1], ours.ids[ours.labels == 1])


@pytest.mark.parametrize("share", [0.1, 0.01])
def test_some_of_the_features_are_kept_at_random(made, folders, share):
    whole, thinned = made["auto"].parts, load(folders, labels="auto", features_kept=share).parts
    m = whole["train"].X.shape[1]
    wanted = np.random.default_rng(np.random.SeedSequence(0)).choice(m, round(share * m), replace=False)
    assert thinned["train"].X.shape[1] == thinned["test"].X.shape[1] == len(wanted)
    for name in ("train", "test"):
        kept = whole[name].X[:, np.sort(wanted)]
        assert (kept != thinned[name].X).nnz == 0
    np.testing.assert_array_equal(thinned["train"].ids, whole["train"].ids)  # the same words


def test_other_features_leave_words_and_labels_as_they_are(made, folders):
    ours, other = made["auto"], load(folders, labels="auto", feature_set="real_words")
    for name in ("train", "test"):
        np.testing.assert_array_equal(other.parts[name].labels, ours.parts[name].labels)
        np.testing.assert_array_equal(other.parts[name].groups, ours.parts[name].groups)
        assert other.parts[name].X.shape[1] == other.about["features"] != ours.about["features"]
    np.testing.assert_array_equal(other.parts["train"].ids, ours.parts["train"].ids)
    assert other.about["test_features"] != ours.about["test_features"]
    assert_same(load(folders, labels="auto"), ours)  # what is remembered of one set is not taken for another's
    assert_same(load(folders, labels="auto", feature_set="real_words"), other)


def test_one_feature_is_always_kept(folders):
    assert load(folders, labels="auto", features_kept=1e-9).parts["train"].X.shape[1] == 1


def test_no_article_is_both_trained_and_tuned_on(made, folders):
    parts = load(folders, labels="gold", train=0.5, dev=0.3).parts
    train, dev = parts["train"], parts["dev"]
    assert set(train.groups).isdisjoint(dev.groups)
    n_articles = len(set(made["gold"].parts["train"].groups))
    assert len(set(train.groups)) == int(0.5 * n_articles) and len(set(dev.groups)) == int(np.ceil(0.3 * n_articles))
    whole = made["gold"].parts["train"]
    for part in (train, dev):  # all words of an article
        kept = np.isin(whole.groups, part.groups)
        np.testing.assert_array_equal(part.ids, whole.ids[kept])
        np.testing.assert_array_equal(part.tags["word"], whole.tags["word"][kept])
    assert_same(load(folders, labels="gold", train=0.5, dev=0.3), load(folders, labels="gold", train=0.5, dev=0.3))
    other = load(folders, 1, labels="gold", train=0.5, dev=0.3).parts["train"]
    assert set(other.groups) != set(train.groups)


def test_labels_of_some_words_are_flipped_in_both_sets(folders):
    parts = load(folders, 0, group(by="word", share=0.2), labels="gold", train=0.5, dev=0.3).parts
    train, dev = parts["train"], parts["dev"]
    flipped = set(train.tags["word"][train.labels != train.truth])
    assert 0.15 < np.mean(train.labels != train.truth) <= 0.2
    for part in (train, dev):
        np.testing.assert_array_equal(part.labels != part.truth, np.isin(part.tags["word"], list(flipped)))
    np.testing.assert_array_equal(parts["test"].labels, parts["test"].truth)


def test_flips_come_after_the_split_so_that_other_flips_leave_the_words_alone(folders):
    one = load(folders, 0, uniform(p0=0.1, p1=0.1), labels="gold", train=0.5, dev=0.3).parts
    other = load(folders, 0, uniform(p0=0.4, p1=0.4), labels="gold", train=0.5, dev=0.3).parts
    for name in ("train", "dev"):
        np.testing.assert_array_equal(one[name].ids, other[name].ids)
        wrong, wronger = (parts[name].labels != parts[name].truth for parts in (one, other))
        assert wrong.mean() == pytest.approx(0.1, abs=0.04) and wronger.mean() == pytest.approx(0.4, abs=0.06)
        assert wronger[wrong].all()  # the same random numbers


@pytest.mark.parametrize("kind", KINDS)
def test_a_quick_look_has_the_first_articles_and_is_marked(made, folders, kind):
    quick, whole = load(folders, labels=kind, train_articles=7, test_articles=5), made[kind]
    train, test = quick.parts["train"], quick.parts["test"]
    first = np.unique(whole.parts["train"].groups)[:7]
    wanted = np.isin(whole.parts["train"].groups, first)
    np.testing.assert_array_equal(train.ids, whole.parts["train"].ids[wanted])
    np.testing.assert_array_equal(train.labels, whole.parts["train"].labels[wanted])
    n_test = int(np.sum(whole.parts["test"].groups < 5))
    np.testing.assert_array_equal(test.truth, whole.parts["test"].truth[:n_test])
    np.testing.assert_array_equal(test.groups, whole.parts["test"].groups[:n_test])
    assert quick.about["articles"] == 7 and quick.about["test_positives"] == test.truth.sum()
    assert quick.about["origin"] == quick.about["test_origin"] == "standin"  # which says more


@pytest.mark.parametrize(
    ("settings", "origins"),
    [
        ({}, ("other", "report")),
        ({"train_articles": 7}, ("quick", "report")),
        ({"test_articles": 5}, ("quick", "quick")),
        ({"train_articles": 7, "test_articles": 5}, ("quick", "quick")),
    ],
)
def test_a_quick_look_at_real_data_is_marked(real, settings, origins):
    about = load(real("conll2003", "annie"), labels="auto", **settings).about
    assert (about["origin"], about["test_origin"]) == origins


def test_more_articles_than_there_are_are_all(made, folders):
    assert_same(load(folders, labels="auto", train_articles=999)._replace(about={}), made["auto"]._replace(about={}))
    same = load(folders, labels="auto", test_articles=40)
    np.testing.assert_array_equal(same.parts["test"].truth, made["auto"].parts["test"].truth)


def test_the_first_articles_are_a_text_of_their_own():
    corpus = conll.Corpus(list("abcdef"), ["O"] * 6, np.array([0, 2, 3, 5, 6]), np.array([0, 0, 0, 1, 1, 2]))
    some = conll_person._first_articles(corpus, 2)
    assert some.words == list("abcde") and some.sentence_starts.tolist() == [0, 2, 3, 5]
    assert some.sentences() == [["a", "b"], ["c"], ["d", "e"]] and some.articles.tolist() == [0, 0, 0, 1, 1]
    assert conll_person._first_articles(corpus, None) is corpus is conll_person._first_articles(corpus, 3)


TEXT = conll.Corpus(
    ["Anna", "met", "Bob", ".", "Rome", "Carl", "won"],
    ["B-PER", "O", "B-PER", "O", "B-LOC", "B-PER", "O"],
    np.array([0, 4, 5, 7]),
    np.array([0, 0, 0, 0, 0, 1, 1]),
)


@pytest.fixture
def in_context(monkeypatch):
    """Suspects of the small text, given as (place, label, suspicion) in their order."""
    monkeypatch.setattr(conll_person, "text_of", lambda kind, folders: TEXT)

    def shown(*suspects):
        found = pd.DataFrame(suspects, columns=["id", "label", "suspicion"])
        found["truth"] = TEXT.is_person[found["id"].astype(int)].astype(int) if len(found) else []
        return conll_person.list_suspects(found.assign(origin="other"), {"labels": "auto", "folders": {}})

    return shown


def test_suspects_stand_in_their_sentences_in_the_order_given(in_context):
    found = in_context((4, 1, 3.25), (2, 0, 2.5), (6, 0, 0.12345))
    assert list(found.columns) == [
        *("rank", "article", "word", "sentence", "label_given", "label_suspected", "label_true", "shift", "data")
    ]
    assert found.to_numpy().tolist() == [
        [1, 0, "Rome", "[Rome]", "person", "other", "other", 3.25, "other"],
        [2, 0, "Bob", "Anna met [Bob] .", "other", "person", "person", -2.5, "other"],
        [3, 1, "won", "Carl [won]", "other", "person", "other", -0.1235, "other"],
    ]


def test_a_shift_has_the_sign_of_the_label_given(in_context):
    assert in_context((1, 0, 2.0), (0, 1, 1.0))["shift"].tolist() == [-2.0, 1.0]


def test_a_list_without_suspects_has_its_columns(in_context):
    assert in_context().empty and "sentence" in in_context().columns
