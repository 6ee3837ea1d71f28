"""Sets labelled by crowd workers: how one label is made of many answers, traps of the files, and what is refused."""

import csv
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from noisy_sets import change, load, passed_off, real
from shiftbench.datasets import labelme_crowd, music_genre_crowd, sentiment_crowd
from shiftbench.datasets.common.votes import draw_labels

__all__ = ["passed_off", "real"]  # fixtures
VOTES = np.array([[0, -1, 0, 1, 2], [1, 2, -1, -1, -1], [-1, -1, -1, -1, -1], [-1, 2, -1, -1, -1]])


def test_the_commonest_answer_and_ties_at_random():
    drawn = np.array([draw_labels(VOTES, "majority", 3, np.random.default_rng(seed))[0] for seed in range(300)])
    assert set(drawn[:, 0]) == {0} and set(drawn[:, 1]) == {1, 2} and set(drawn[:, 2]) == {-1}
    assert set(drawn[:, 3]) == {2} and 0.35 < np.mean(drawn[:, 1] == 1) < 0.65


def test_one_answer_at_random_and_who_gave_it():
    drawn = np.array([draw_labels(VOTES, "one", 3, np.random.default_rng(seed)) for seed in range(600)])
    labels, voters = drawn[:, 0], drawn[:, 1]
    for row, votes in enumerate(VOTES):
        asked = np.flatnonzero(votes >= 0)
        assert set(voters[:, row]) == set(asked if len(asked) else [-1])
        said = np.where(voters[:, row] < 0, -1, votes[voters[:, row]])
        np.testing.assert_array_equal(labels[:, row], said)
    share = np.mean(labels[:, 0] == 0)
    assert 0.4 < share < 0.6  # two of the four


@pytest.fixture
def sentiment(passed_off):
    return passed_off("sentiment_crowd")


def test_training_sentences_in_other_spelling_are_no_test_sentences(sentiment):
    texts = sentiment_crowd.read(sentiment).texts
    twin = f"{texts[5].upper().replace(' ', ' , ')} !"
    with (sentiment / "test_answer.csv").open("a", newline="") as file:
        csv.writer(file).writerows([(twin, 1), ("quite another one", 0), (texts[7], 0)])
    sentiment_crowd.read.cache_clear()
    data = sentiment_crowd.read(sentiment)
    assert data.n_known == 2 and twin not in data.test_texts and data.test_texts[-1] == "quite another one"
    assert len(data.test_texts) == len(data.test_truth) == 301
    assert load("sentiment_crowd", {"sentiment_crowd": str(sentiment)})[1]["test_left_out"] == 2


def test_features_of_sentences_come_from_the_training_part(sentiment):
    parts, _ = load("sentiment_crowd", {"sentiment_crowd": str(sentiment)})
    lengths = np.sqrt(parts["train"].X.multiply(parts["train"].X).sum(axis=1))
    np.testing.assert_allclose(lengths, 1.0)
    data = sentiment_crowd.read(str(sentiment))
    kept = [text.split() for text in data.texts[parts["train"].ids]]
    counts = pd.Series([word for text in kept for word in set(text) - {"."}]).value_counts()
    pairs = pd.Series(
        [f"{a} {b}" for text in kept for a, b in {(a, b) for a, b in pairwise(text) if b != "."}]
    ).value_counts()
    assert parts["train"].X.shape[1] == (counts >= 2).sum() + (pairs >= 2).sum()


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("Sentiment_text_train.txt", "one\ntwo\n", r"2 texts, 300 labels, 300 answers; are they the files"),
        ("Sentiment_Z_train.txt", "0\n2\n", r"Sentiment_Z_train\.txt: has classes \[2\]; they must be 0 to 1"),
        ("Sentiment_Z_train.txt", "0 1\n", r"Sentiment_Z_train\.txt: has 2 numbers in a line, not one"),
        ("answers.txt", "0 -1\n-1 -1\n", r"answers\.txt: 1 examples without an answer, the first in line 2"),
        ("answers.txt", "0 -2\n", r"answers\.txt: has classes \[-2\]"),
        ("answers.txt", "0 1\n0\n", r"answers\.txt: is not a file of whole numbers, as many in each line"),
        ("answers.txt", "yes no\n", r"answers\.txt: is not a file of whole numbers"),
        ("test_answer.csv", "text,label\na,1\n", r"test_answer\.csv: must have the columns Input.original_sentence, "),
        (
            "test_answer.csv",
            "Input.original_sentence,Input.true_sent\na,2\n",
            r"the second 0 or 1; row 2 is \['a', '2'\]",
        ),
        ("test_answer.csv", "", r"test_answer\.csv: is no CSV file"),
    ],
)
def test_broken_files_of_sentences_are_named(sentiment, file, text, said):
    (sentiment / file).write_text(text)
    with pytest.raises(ValueError, match=said) as caught:
        sentiment_crowd.read(sentiment)
    assert str(sentiment) in str(caught.value)


@pytest.fixture
def images(passed_off):
    return passed_off("labelme_crowd")


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:500]), r"LabelMe_VGG_avg_test\.npy: is no array of numpy's"),
        (lambda path: np.save(path, np.full((240, 32), np.nan)), r"must be a table of finite numbers"),
        (lambda path: np.save(path, np.array([["a"]], dtype=object)), r"is no array of numpy's, or a broken one"),
        (lambda path: np.save(path, np.ones(240)), r"it has shape \(240,\)"),
        (lambda path: np.save(path, np.ones((240, 31))), r"32 features of training images, 31 of test images"),
        (lambda path: np.save(path, np.ones((9, 32))), r"9 test_images, 240 labels"),
    ],
)
def test_broken_features_of_images_are_named(images, break_it, said):
    break_it(images / "LabelMe_VGG_avg_test.npy")
    with pytest.raises(ValueError, match=said):
        labelme_crowd.read(images)


def test_a_constant_feature_of_the_training_images_becomes_zero(images):
    X = np.load(images / "LabelMe_VGG_avg_train.npy")
    X[:, 3] = 7.0
    np.save(images / "LabelMe_VGG_avg_train.npy", X)
    parts, _ = load("labelme_crowd", {"labelme_crowd": str(images)})
    assert (parts["train"].X[:, 3] == 0.0).all() and np.isfinite(parts["test"].X).all()


@pytest.fixture
def songs(passed_off):
    return passed_off("music_genre_crowd")


def test_answers_stand_beside_their_songs_and_workers(songs):
    assert (
        b"\r" in (songs / "mturk_answers.csv").read_bytes() and b"\n" not in (songs / "mturk_answers.csv").read_bytes()
    )
    data, frame = music_genre_crowd.read(songs), pd.read_csv(songs / "mturk_answers.csv")
    workers, names = sorted(set(frame["WorkerID"])), data.names.tolist()
    assert (data.answers >= 0).sum() == len(frame) == 4 * len(names)
    for _, (worker, song, true, said) in frame.sample(50, random_state=0).iterrows():
        row = names.index(song)
        assert music_genre_crowd.CLASSES[data.answers[row, workers.index(worker)]] == said
        assert music_genre_crowd.CLASSES[data.truth[row]] == true


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("mturk_answers.csv", "WorkerID", "Worker", "its columns must be WorkerID, Input.song, "),
        (
            "mturk_answers.csv",
            ".00003.mp3",
            ".90003.mp3",
            r"has answers on songs that are not there, such as \w+\.90003",
        ),
        ("music_genre_gold.csv", "feature1,", "feature1,class,", "is no CSV file|missing values|no numbers"),
        ("music_genre_gold.csv", "id,", "song,", "its columns must be id, features and class; they are song, "),
        ("music_genre_gold.csv", ",rock\n", ",polka\n", r"has genre 'polka'; known are blues, "),
        ("music_genre_gold.csv", ",rock\n", ",jazz\n", r"says another true genre of song rock\."),
    ],
)
def test_broken_files_of_songs_are_named(songs, file, old, new, said):
    change(songs / file, (old, new))
    with pytest.raises(ValueError, match=said):
        music_genre_crowd.read(songs)


def test_songs_may_not_be_trained_and_tested_on(songs):
    lines = (songs / "music_genre_gold.csv").read_text().splitlines(keepends=True)
    with (songs / "music_genre_test.csv").open("a") as file:
        file.write(lines[4])
    with pytest.raises(ValueError, match=r"1 songs to train on are in the test set, too, such as "):
        music_genre_crowd.read(songs)


@pytest.mark.parametrize(
    ("name", "shape", "classes", "single", "majority"),
    [
        ("sentiment_crowd", (4999, 5661), 2, 0.211, 0.114),
        ("labelme_crowd", (1000, 1188), 8, 0.260, 0.23),
        ("music_genre_crowd", (700, 300), 10, 0.440, 0.31),
    ],
)
def test_real_crowds(real, name, shape, classes, single, majority):
    parts, about = load(name, real(name), answers="majority")
    labels, truth = (np.concatenate([getattr(parts[k], f) for k in ("train", "dev")]) for f in ("labels", "truth"))
    assert (len(labels), len(parts["test"].labels)) == shape and len(about["classes"]) == classes
    assert np.mean(labels != truth) == pytest.approx(majority, abs=0.012)
    module = {"sentiment_crowd": sentiment_crowd, "labelme_crowd": labelme_crowd}.get(name, music_genre_crowd)
    data = module.read(real(name)[name])
    rows, columns = np.nonzero(data.answers >= 0)
    assert np.mean(data.answers[rows, columns] != data.truth[rows]) == pytest.approx(single, abs=0.0006)
    if name == "sentiment_crowd":
        assert about["test_left_out"] == 128 and data.answers.shape[1] == 203 and len(rows) == 27746
    if name == "music_genre_crowd":
        assert len(rows) == 2945 and data.answers.shape[1] == 44 and data.X.shape[1] == 124
    if name == "labelme_crowd":
        assert data.X.shape[1] == 512 and len(rows) == 2547
