"""Training sets of words: which are kept, where they stand, and the four kinds of labels on stand-in sources."""

import gzip
import json
import logging
import zipfile
from pathlib import Path

import numpy as np
import pytest
import yaml
from shiftlr.config import complete
from shiftlr.datasets import census, conll, crowd, gazetteers, sources, words
from shiftlr.datasets.features import Vocabulary

ROOT = Path(__file__).parents[1]
NER = complete(yaml.safe_load((ROOT / "config.yaml").read_text()))["ner"]
STANDINS = {"conll": conll, "annie": gazetteers, "names": census, "crowd": crowd}
NAMES = {"conll": "conll2003", "annie": "annie", "names": "names", "crowd": "crowd2014"}  # in sources.yaml
KINDS = ("auto", "gold", "turker", "per_article")


def settings(kind, **labels):
    return NER | {"labels": NER["labels"][kind] | {"negatives": None, "negatives_per_positive": 2} | labels}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Stand-ins of all sources, as the workflow writes them when nothing can be had."""
    top = tmp_path_factory.mktemp("sources")
    described = sources.load(ROOT / "sources.yaml")
    for field, module in STANDINS.items():
        source = described[NAMES[field]]
        for about in source["files"].values():
            about["places"] = [place for place in about["places"] if "mirror" in place]  # there is none
        sources.fetch(NAMES[field], source, top / field, unreachable=top / "no.json", standin=module.write_standin)
    return words.Folders(*(str(top / field) for field in words.Folders._fields))


@pytest.fixture(scope="module")
def made(folders):
    return {kind: words.make(kind, folders, settings(kind)) for kind in KINDS}


@pytest.fixture
def real(folders, tmp_path, monkeypatch):
    """Copies of some sources, passed off as real, with the report's counts set to those of the test set."""

    def passed_off(*fields):
        for field in fields:
            copy = tmp_path / field
            copy.mkdir()
            for path in Path(getattr(folders, field)).iterdir():
                (copy / path.name).write_bytes(path.read_bytes())
            (copy / "provenance.json").write_text(json.dumps({"kind": "real"}))
        test = conll.read(Path(folders.conll, "valid.txt"))
        positives = int(test.is_person.sum())
        monkeypatch.setattr(conll, "TEST_POSITIVES", positives)
        monkeypatch.setattr(conll, "TEST_NEGATIVES", len(test.words) - positives)
        return folders._replace(**{field: str(tmp_path / field) for field in fields})

    return passed_off


def test_all_positives_and_as_many_negatives_as_asked_for():
    labels = np.arange(100) % 10 == 3
    for asked, count in (({"negatives": 25}, 25), ({"negatives": None, "negatives_per_positive": 2.5}, 25)):
        kept = words.subsample(labels, asked, 0)
        assert kept.dtype == bool
        assert kept[labels].all() and kept[~labels].sum() == count
        np.testing.assert_array_equal(kept, words.subsample(labels, asked, 0))
        assert (kept != words.subsample(labels, asked, 1)).any()
    assert labels.sum() == 10  # they are not written to


@pytest.mark.parametrize("asked", [90, 91, 80000])
def test_all_negatives_are_kept_if_there_are_too_few(caplog, asked):
    with caplog.at_level(logging.INFO):
        assert words.subsample(np.arange(100) < 10, {"negatives": asked}, 0).all()
    assert f"negatives: all 90 are kept, {asked} were asked for" in caplog.text


TEXT = ["a", "Anna", "b", "Bob", "c", "Carl", "d", "Dora"]


def labelled(places, labels):
    """Four articles of a sentence of two words each; the second words are persons."""
    corpus = conll.Corpus(TEXT, ["O", "B-PER"] * 4, np.arange(0, 9, 2), np.repeat(np.arange(4), 2))
    return words.Labelled(corpus, np.array(places), np.array(labels, dtype=bool), {})


TEST = conll.Corpus(["b", "Bert"], ["O", "B-PER"], np.array([0, 2]), np.array([0, 0]))


def test_words_that_are_kept_have_their_places_truth_and_articles():
    given = labelled([1, 2, 3, 6, 7], [1, 1, 0, 0, 1])
    got, vocabulary = words.assemble(given, np.array([True, True, False, True, True]), False, TEST)
    assert got.places.tolist() == [1, 2, 6, 7]
    assert got.labels.tolist() == [1, 1, 0, 1]
    assert got.truth.tolist() == [1, 0, 0, 1]
    assert got.articles.tolist() == [0, 1, 3, 3]
    assert got.truth_test.tolist() == [0, 1] and got.articles_test.tolist() == [0, 0]
    for row, place in enumerate(got.places):
        found = {vocabulary.names[column] for column in got.X[[row]].indices}
        assert f"word {TEXT[place]}" in found
    assert got.X_test.shape == (2, got.X.shape[1])
    assert words.assemble(given, np.ones(5, dtype=bool), True, TEST)[0].labels.tolist() == [1, 0, 1, 0, 1]


def test_only_articles_with_words_that_are_kept_are_read():
    given = labelled([0, 5, 6], [0, 1, 0])
    got, vocabulary = words.assemble(given, np.array([True, True, False]), False, TEST)
    # of the test set b is known since it is met there, d nowhere
    assert vocabulary.shapes.known == {"a", "c", "b"}
    assert {name for name in vocabulary.names if name.startswith("word ")} == {"word a", "word Carl"}
    expected = Vocabulary()
    X = expected.learn([["a", "Anna"], ["c", "Carl"]], np.array([True, False, False, True]))
    assert expected.names == vocabulary.names
    np.testing.assert_array_equal(X.toarray(), got.X.toarray())


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_labels_on_standins(made, folders, kind):
    got, vocabulary, about = made[kind]
    n = len(got.labels)
    text = words.text_of(kind, folders)
    assert got.X.shape == (n, len(vocabulary.names)) and set(got.X.data) == {1.0}
    np.testing.assert_array_equal(got.truth, text.is_person[got.places])
    np.testing.assert_array_equal(got.articles, text.articles[got.places])
    assert (np.diff(got.places) > 0).all()
    assert set(got.labels) == set(got.truth) == set(got.truth_test) == {0, 1}
    assert len(got.truth_test) == len(got.articles_test) == got.X_test.shape[0]
    assert about["data"] == "standin"
    assert (about["positives"], about["negatives"]) == (got.labels.sum(), n - got.labels.sum())
    assert about["features"] == got.X.shape[1]
    assert about["articles"] == len(set(got.articles))
    assert about["mislabelled"] == pytest.approx(np.mean(got.labels != got.truth))
    assert (about["mislabelled"] == 0.0) == (kind == "gold")
    assert 0.0 <= about["p0"] < 0.9 and 0.0 <= about["p1"] < 0.2


def test_negatives_are_drawn_among_the_labels_that_were_given(made):
    for kind in ("auto", "turker", "per_article"):
        got, _, about = made[kind]
        assert about["negatives"] == 2 * about["positives"] == 2 * got.labels.sum()


def test_one_turker_saw_a_part_of_the_articles(made):
    assert made["turker"][2]["articles"] == 30
    assert made["per_article"][2]["articles"] == 120


def test_true_labels_are_put_on_the_words_of_automatic_ones(made):
    auto, gold = made["auto"], made["gold"]
    np.testing.assert_array_equal(gold[0].places, auto[0].places)
    np.testing.assert_array_equal(gold[0].X.indices, auto[0].X.indices)
    assert gold[1].names == auto[1].names
    np.testing.assert_array_equal(gold[0].labels, auto[0].truth)
    assert (gold[0].labels != auto[0].labels).any()


def test_sets_are_the_same_every_time(made, folders):
    again = words.make("auto", folders, settings("auto"))
    for one, other in zip(again[0], made["auto"][0], strict=True):
        np.testing.assert_array_equal(getattr(one, "indices", one), getattr(other, "indices", other))
    assert again[1].names == made["auto"][1].names and again[2] == made["auto"][2]


def test_sets_can_be_saved(made, tmp_path):
    got, vocabulary, _ = made["turker"]
    words.save(tmp_path / "words.npz", got)
    loaded = words.load(tmp_path / "words.npz")
    assert type(loaded) is words.Words
    for name in words.Words._fields:
        one, other = getattr(loaded, name), getattr(got, name)
        assert one.shape == other.shape
        if name.startswith("X"):
            assert (one != other).nnz == 0 and one.dtype == other.dtype
        else:
            np.testing.assert_array_equal(one, other)
    content = (tmp_path / "words.npz").read_bytes()
    words.save(tmp_path / "words.npz", got)
    assert (tmp_path / "words.npz").read_bytes() == content
    words.save_names(tmp_path / "names.gz", vocabulary)
    with gzip.open(tmp_path / "names.gz", "rt", encoding="utf-8") as file:
        assert file.read().split("\n") == [*vocabulary.names, ""]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["names.gz", "words.npz"]


def test_lists_of_names_are_annies_or_what_takes_their_place(folders, real):
    assert (words.gazetteer(folders)[0].origin, words.gazetteer(folders)[1]) == ("ANNIE", "standin")
    with_census = real("names")
    lists, data = words.gazetteer(with_census)
    assert (lists.origin, data) == ("US census", "standin")
    with_annie = real("annie")._replace(names=with_census.names)
    lists, data = words.gazetteer(with_annie)
    assert (lists.origin, data) == ("ANNIE", "other")


def test_the_real_test_set_must_have_the_reports_counts(folders, real, monkeypatch):
    found = real("conll", "annie")
    assert words.make("auto", found, settings("auto"))[2]["data"] == "other"
    assert words.about_test(found)["data"] == "report"
    monkeypatch.setattr(conll, "TEST_POSITIVES", conll.TEST_POSITIVES + 1)
    with pytest.raises(ValueError, match=r"valid\.txt: \d+ persons and \d+ other words, not the report's"):
        words.make("auto", found, settings("auto"))
    with pytest.raises(ValueError, match="not the report's"):
        words.about_test(found)
    assert words.about_test(folders)["data"] == "standin"  # a stand-in need not have them


@pytest.mark.parametrize("kind", KINDS)
def test_an_article_in_both_sets_is_refused(real, kind):
    found = real("conll", "annie")
    train, test = (Path(found.conll, conll.FILES[part]) for part in ("train", "test"))
    train.write_text(train.read_text() + "\n-DOCSTART-" + test.read_text().split("-DOCSTART-")[1])
    with pytest.raises(ValueError, match=r"1 articles of the training set are in the test set, too: 120 \("):
        words.make(kind, found, settings(kind))


@pytest.fixture
def labelled_by_workers(real):
    """Two workers' labels of the first six articles; the second worker misses every other person."""
    found = real("conll", "crowd")
    train = conll.read(Path(found.conll, "train.txt"))
    with zipfile.ZipFile(Path(found.crowd, crowd.ARCHIVE), "w") as archive:
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
def test_labels_of_workers(labelled_by_workers, kind):
    got, vocabulary, about = words.make(kind, labelled_by_workers, settings(kind))
    text = words.text_of(kind, labelled_by_workers)
    assert about["data"] == "other" and about["articles"] == 6
    np.testing.assert_array_equal(got.truth, text.is_person[got.places])
    named = [{vocabulary.names[column] for column in got.X[[row]].indices} for row in range(5)]
    assert all(f"word {text.words[place]}" in names for place, names in zip(got.places[:5], named, strict=True))
    assert about["p0_gold"] == 0.0  # nobody marks too much
    if kind == "turker":
        assert (about["worker"], about["p1_gold"], about["mislabelled"]) == ("good", 0.0, 0.0)  # as near, first by name
    else:
        assert about["workers"] == 2 and about["p1_gold"] > 0.0 and about["mislabelled"] > 0.0
