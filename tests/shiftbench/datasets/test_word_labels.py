"""Labels of words: which words are kept, where they stand, and the four kinds of labels."""

import logging
import zipfile
from pathlib import Path

import numpy as np
import pytest
from shiftbench.datasets import conll_person
from shiftbench.datasets.ner import conll, crowd
from shiftbench.datasets.ner.features import Vocabulary
from shiftbench.datasets.ner.labels import Labelled, gazetteer, label, read_test, subsample, text_of
from standin_sources import KINDS, folders, load, real

RULES = conll_person.DEFAULTS["rules"]
__all__ = ["folders", "real"]  # fixtures


def test_all_positives_and_as_many_negatives_as_asked_for():
    labels = np.arange(100) % 10 == 3
    for asked, count in (((25, 10), 25), ((None, 2.5), 25)):
        kept = subsample(labels, *asked, 0)
        assert kept.dtype == bool
        assert kept[labels].all() and kept[~labels].sum() == count
        np.testing.assert_array_equal(kept, subsample(labels, *asked, 0))
        assert (kept != subsample(labels, *asked, 1)).any()
    assert labels.sum() == 10  # they are not written to


@pytest.mark.parametrize("asked", [90, 91, 80000])
def test_all_negatives_are_kept_if_there_are_too_few(caplog, asked):
    with caplog.at_level(logging.INFO):
        assert subsample(np.arange(100) < 10, asked, 10, 0).all()
    assert f"negatives: all 90 are kept, {asked} were asked for" in caplog.text


TEXT = ["a", "Anna", "b", "Bob", "c", "Carl", "d", "Dora"]


def labelled(places, labels):
    """Four articles of a sentence of two words each; the second words are persons."""
    corpus = conll.Corpus(TEXT, ["O", "B-PER"] * 4, np.arange(0, 9, 2), np.repeat(np.arange(4), 2))
    return Labelled(corpus, np.array(places), np.array(labels, dtype=bool), {})


TEST = conll.Corpus(["b", "Bert"], ["O", "B-PER"], np.array([0, 2]), np.array([0, 0]))


@pytest.fixture
def vocabularies(monkeypatch):
    """All vocabularies that are made, the one of the training set first."""
    made = []

    class Noted(Vocabulary):
        def __init__(self, feature_set):
            super().__init__(feature_set)
            made.append(self)

    monkeypatch.setattr(conll_person, "Vocabulary", Noted)
    monkeypatch.setattr(conll_person, "_KNOWN", {})
    monkeypatch.setattr(conll_person, "_COUNTED", {})
    return made


def assembled(given, kept, use_truth=False, feature_set="disjunctive"):
    """The training set and the test set's features."""
    kept = np.array(kept, dtype=bool)
    X, X_test, _ = conll_person._features(given.corpus, given.places[kept], TEST, feature_set)
    return conll_person._train_part(given, kept, X, use_truth), X_test


def test_words_that_are_kept_have_their_places_truth_and_articles(vocabularies):
    given = labelled([1, 2, 3, 6, 7], [1, 1, 0, 0, 1])
    got, X_test = assembled(given, [1, 1, 0, 1, 1])
    assert got.ids.tolist() == [1, 2, 6, 7]
    assert got.labels.tolist() == [1, 1, 0, 1]
    assert got.truth.tolist() == [1, 0, 0, 1]
    assert got.groups.tolist() == [0, 1, 3, 3]
    names = vocabularies[0].names
    for row, place in enumerate(got.ids):
        assert f"word {TEXT[place]}" in {names[column] for column in got.X[[row]].indices}
    assert X_test.shape == (2, got.X.shape[1])
    assert assembled(given, np.ones(5), use_truth=True)[0].labels.tolist() == [1, 0, 1, 0, 1]


def test_the_word_of_an_example_is_a_tag():
    corpus = conll.Corpus(["b", "a", "b", "A"], ["O"] * 4, np.array([0, 4]), np.zeros(4, dtype=int))
    given = Labelled(corpus, np.arange(4), np.zeros(4, dtype=bool), {})
    assert assembled(given, np.ones(4))[0].tags["word"].tolist() == [2, 1, 2, 0]


def test_only_articles_with_words_that_are_kept_are_read(vocabularies):
    got, _ = assembled(labelled([0, 5, 6], [0, 1, 0]), [1, 1, 0])
    # of the test set b is known since it is met there, d nowhere
    assert vocabularies[0].shapes.known == {"a", "c", "b"}
    assert {name for name in vocabularies[0].names if name.startswith("word ")} == {"word a", "word Carl"}
    expected = Vocabulary()
    X = expected.learn([["a", "Anna"], ["c", "Carl"]], np.array([True, False, False, True]))
    assert expected.names == vocabularies[0].names
    np.testing.assert_array_equal(X.toarray(), got.X.toarray())


def test_features_of_the_same_words_are_made_once(vocabularies):
    given = labelled([0, 1, 2, 3], [0, 1, 0, 1])
    one, other = assembled(given, [1, 1, 0, 1])[0], assembled(given, [1, 1, 0, 1], use_truth=True)[0]
    assert one.X is other.X and len(vocabularies) == 2  # of the training set, and of the test set read alone
    assert assembled(given, [1, 1, 1, 1])[0].X.shape[0] == 4 and len(vocabularies) == 3
    third = assembled(given, [1, 1, 0, 1], feature_set="real_words")[0]  # another set, here and of the test set
    assert third.X is not one.X and len(vocabularies) == 5
    assert assembled(given, [1, 1, 0, 1])[0].X is one.X and len(vocabularies) == 5


def test_lists_of_names_are_annies_or_what_takes_their_place(folders, real):
    lists, data = gazetteer(folders["annie"], folders["names"])
    assert (lists.origin, data) == ("ANNIE", "standin")
    with_census = real("names")
    lists, data = gazetteer(with_census["annie"], with_census["names"])
    assert (lists.origin, data) == ("US census", "standin")
    with_annie = real("annie")
    lists, data = gazetteer(with_annie["annie"], with_census["names"])
    assert (lists.origin, data) == ("ANNIE", "other")


def test_the_real_test_set_must_have_the_reports_counts(folders, real, monkeypatch):
    found = real("conll2003", "annie")
    about = load(found, labels="auto").about
    assert (about["origin"], about["test_origin"]) == ("other", "report")
    read_test.cache_clear()
    monkeypatch.setattr(conll, "TEST_POSITIVES", conll.TEST_POSITIVES + 1)
    with pytest.raises(ValueError, match=r"valid\.txt: \d+ persons and \d+ other words, not the report's"):
        load(found, labels="auto")
    read_test.cache_clear()
    assert load(folders, labels="auto").about["test_origin"] == "standin"  # a stand-in need not have them


@pytest.mark.parametrize("kind", KINDS)
def test_an_article_in_both_sets_is_refused(real, kind):
    found = real("conll2003", "annie")
    train, test = (Path(found["conll2003"], conll.FILES[part]) for part in ("train", "test"))
    train.write_text(train.read_text() + "\n-DOCSTART-" + test.read_text().split("-DOCSTART-")[1])
    with pytest.raises(ValueError, match=r"1 articles of the training set are in the test set, too: 120 \("):
        load(found, labels=kind)


@pytest.fixture
def labelled_by_workers(real):
    """Two workers' labels of the first six articles; the second worker misses every other person."""
    found = real("conll2003", "crowd2014")
    train = conll.read(Path(found["conll2003"], "train.txt"))
    with zipfile.ZipFile(Path(found["crowd2014"], crowd.ARCHIVE), "w") as archive:
        for number in range(6):
            places = np.flatnonzero(train.articles == number)[1:]
            rows = [(train.words[place], train.tags[place]) for place in places]
            missed = [(word, "O" if k % 2 and tag.endswith("PER") else tag) for k, (word, tag) in enumerate(rows)]
            for name, lines in (
                ("ground_truth", rows),
                ("mturk_train_data/good", rows),
                ("mturk_train_data/hasty", missed),
            ):
                text = "".join(f"{word} {tag}\n" for word, tag in lines)
                archive.writestr(f"task1/val/{name}/{number}.txt", text)
    return found


@pytest.mark.parametrize("kind", ["turker", "per_article"])
def test_labels_of_workers(labelled_by_workers, kind, vocabularies):
    replicate = load(labelled_by_workers, labels=kind)
    got, about = replicate.parts["train"], replicate.about
    text = text_of(kind, labelled_by_workers)
    assert about["origin"] == "other" and about["articles"] == 6
    np.testing.assert_array_equal(got.truth, text.is_person[got.ids])
    names = vocabularies[0].names
    named = [{names[column] for column in got.X[[row]].indices} for row in range(5)]
    assert all(f"word {text.words[place]}" in found for place, found in zip(got.ids[:5], named, strict=True))
    assert about["p0_gold"] == 0.0  # nobody marks too much
    if kind == "turker":
        assert (about["worker"], about["p1_gold"], about["mislabelled"]) == ("good", 0.0, 0.0)  # as near, first by name
    else:
        assert about["workers"] == 2 and about["p1_gold"] > 0.0 and about["mislabelled"] > 0.0


def test_workers_are_drawn_anew_for_each_replicate(labelled_by_workers):
    seeds = [np.random.SeedSequence(k) for k in range(8)]
    drawn = [label("per_article", labelled_by_workers, RULES, seed).labels.tolist() for seed in seeds]
    assert len({tuple(labels) for labels in drawn}) > 1
    assert drawn[0] == label("per_article", labelled_by_workers, RULES, np.random.SeedSequence(0)).labels.tolist()
    one = [label("turker", labelled_by_workers, RULES, seed).labels.tolist() for seed in seeds[:2]]
    assert one[0] == one[1]
