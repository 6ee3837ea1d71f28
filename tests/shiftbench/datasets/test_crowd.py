"""Labels by crowd workers: reading the archive, carrying labels over, majorities, draws, and the stand-in."""

import logging
import zipfile

import numpy as np
import pytest
from shiftbench.datasets.ner import conll, crowd

GOLD = {
    "first": [["Anna O'Neill met Bob .", "B-PER I-PER O B-PER O"], ['" Hi " ,', "O O O O"], ["Rome", "B-LOC"]],
    "second": [["Carl won .", "B-PER O O"], ["Ann/Eve lost", "B-PER O"]],
    "third": [["Nothing here", "O O"]],
}
FIRST = "Anna B-PER\nO'Neill I-PER\nmet O\nBob B-PER\n. O\n\nHi O\n, O\n\nRome B-LOC\n"  # quotation marks are lost
SECOND = "\nCarl B-PER\nwon O\n. O\n\nAnn/Eve B-PER\nlost O\n"
TRUTHS = {"val/ground_truth/a": FIRST, "test/ground_truth/b": SECOND}
PERSONS = [1, 1, 0, 1, 0, -1, 0, -1, 0, 0]  # of the first article; workers did not see quotation marks


def corpus_of(path, articles):
    rows = []
    for sentences in articles:
        rows += ["-DOCSTART- -X- O O", ""]
        for words, tags in sentences:
            rows += [f"{word} x x {tag}" for word, tag in zip(words.split(), tags.split(), strict=True)] + [""]
    path.write_text("\n".join(rows))
    return conll.read(path)


@pytest.fixture
def train(tmp_path):
    return corpus_of(tmp_path / "train.txt", GOLD.values())


@pytest.fixture
def archive(tmp_path):
    def write(files):
        with zipfile.ZipFile(tmp_path / "task1.zip", "w") as made:
            made.writestr("task1/val/", "")
            for name, text in files.items():
                made.writestr(f"task1/{name}.txt", text)
        return tmp_path / "task1.zip"

    return write


@pytest.fixture
def read(archive, train):
    """Reads votes, written WORKER/ARTICLE, of both articles."""

    def reading(votes, truths=TRUTHS):
        part = {"a": "val", "b": "test", "c": "test"}
        files = {f"{part[name[-1]]}/mturk_train_data/{name}": text for name, text in votes.items()}
        return crowd.read(archive(truths | files), train)

    return reading


def made_up(articles, tags=None):
    """A crowd whose articles are given by the votes of their workers."""
    lengths = [len(next(iter(votes.values()))) for votes in articles]
    n = sum(lengths)
    numbers = np.repeat(np.arange(len(articles)), lengths)
    corpus = conll.Corpus(["w"] * n, tags or ["O"] * n, np.array([0, n]), numbers)
    votes = [{worker: np.array(labels, dtype=np.int8) for worker, labels in one.items()} for one in articles]
    return crowd.Crowd(corpus, np.arange(n), [str(i) for i in range(len(articles))], votes, crowd.Counter())


def test_words_and_sentences_are_conlls_and_docstart_is_left_out(read, train):
    found = read({"w/b": SECOND, "w/a": FIRST})
    assert found.names == ["a", "b"]
    assert " ".join(found.corpus.words) == 'Anna O\'Neill met Bob . " Hi " , Rome Carl won . Ann/Eve lost'
    assert [train.words[place] for place in found.places] == found.corpus.words
    assert found.corpus.sentence_starts.tolist() == [0, 5, 9, 10, 13, 15]
    assert found.corpus.articles.tolist() == [0] * 10 + [1] * 5
    assert found.votes[0]["w"].tolist() == PERSONS
    assert found.votes[0]["w"].dtype == np.int8
    assert found.votes[1]["w"].tolist() == [1, 0, 0, 1, 0]
    assert found.notes["words whose true label is not CoNLL's"] == 0
    assert found.notes["votes lacking on quotation marks"] == 2


def test_files_are_told_apart_by_what_it_took_to_compare_them(read):
    found = read(
        {
            "same/b": SECOND,
            "recut/b": SECOND.replace("Ann/Eve B-PER", "Ann B-PER\n/ O\nEve B-PER"),
            "quotes/a": FIRST,
            "markup/a": FIRST.replace("Rome B-LOC", "Rome/B-/B-MIS O\nCLOC O").replace("Hi", "Hi/LOC"),
            "diff/b": SECOND.replace("Ann/Eve", "AnnEve").replace("won", "win"),
        }
    )
    kinds = ("identical", "recut", "equal but for quotation marks and markup", "compared by a diff")
    assert [found.notes[f"files {kind}"] for kind in kinds] == [1, 1, 2, 1]
    assert found.notes["characters of markup removed"] == len("/B-/B-MISCLOC/LOC")
    assert found.notes["votes lacking on other words"] == 2
    assert found.notes["votes on parts of a word, decided by its characters"] == 2
    assert found.votes[1]["recut"].tolist() == [1, 0, 0, 1, 0]
    assert found.votes[0]["markup"].tolist() == PERSONS
    assert found.votes[1]["diff"].tolist() == [1, -1, 0, -1, 0]


@pytest.mark.parametrize(("cut", "vote"), [("An B-PER\nna O", 0), ("Ann B-PER\na O", 1), ("A I-PER\nnna O", 0)])
def test_a_word_is_a_person_if_more_than_half_of_it_is(read, cut, vote):
    assert read({"w/a": FIRST.replace("Anna B-PER", cut)}).votes[0]["w"][0] == vote


def test_tags_without_a_word_are_ignored_and_unknown_tags_are_named(read, caplog):
    found = read({"w/b": SECOND.replace("won O", " I-PER\nwon X-PER").replace("lost O", "lost ?")})
    assert found.votes[0]["w"].tolist() == [1, 1, 0, 1, 0]
    assert found.notes["lines with a tag but no word, ignored"] == 1
    assert found.notes["words with the unknown tag 'X-PER'"] == 1
    assert "1 words with the unknown tag '?'" in caplog.text


def test_what_cannot_be_used_is_named_and_counted(read, caplog):
    truths = TRUTHS | {"test/ground_truth/d": "Unheard O\nof O\n"}
    found = read({"w/b": SECOND, "w/c": "Nothing O\nhere O\n"}, truths)
    assert found.names == ["b"]
    assert "1 files refused, their article is not known: w/c" in caplog.text
    assert "1 articles left out, no worker labelled them: a" in caplog.text
    assert "1 articles left out, CoNLL's training set does not hold them: d" in caplog.text
    assert sum(count for note, count in found.notes.items() if "refused" in note or "left out" in note) == 3


def test_other_members_are_passed_over_aloud(archive, train, caplog):
    path = archive(TRUTHS | {"val/mturk_train_data/w/a": FIRST, "val/readme": "Hello"})
    assert crowd.read(path, train).notes["members passed over, neither truth nor a worker's"] == 1
    assert "task1/val/readme.txt" in caplog.text


def test_truth_that_differs_from_conll_is_counted(read):
    truths = TRUTHS | {"test/ground_truth/b": SECOND.replace("won O", "won B-PER")}
    assert read({"w/b": SECOND}, truths).notes["words whose true label is not CoNLL's"] == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Carl\nwon\n", r"w/b\.txt: 2 malformed lines \(line 1: 'Carl', line 2: 'won'\); a line is a word and a tag"),
        ("Carl x O\n", r"w/b\.txt: 1 malformed lines \(line 1: 'Carl x O'\)"),
        ("\n\n", r"w/b\.txt: no words"),
        (b"\xff O\n", r"w/b\.txt: is not text in UTF-8"),
    ],
)
def test_files_that_cannot_be_parsed(read, text, said):
    with pytest.raises(ValueError, match=said):
        read({"w/b": text})


def test_archives_that_cannot_be_read(archive, train, tmp_path):
    path = archive(TRUTHS)
    said = r"task1\.zip: lacks ground_truth or mturk_train_data; is it the file that workflow/sources\.yaml names"
    with pytest.raises(ValueError, match=said):
        crowd.read(path, train)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"task1\.zip: is no zip, or a damaged one .* fetch it again"):
        crowd.read(path, train)
    path.write_bytes(content.replace(b"Carl B-PER", b"Carl I-PER", 1))
    with pytest.raises(ValueError, match=r"damaged one \(Bad CRC-32"):
        crowd.read(path, train)
    crowd.write_standin(tmp_path)
    with pytest.raises(ValueError, match="is a stand-in"):
        crowd.read(path, train)


def test_an_article_must_be_there_once(read, archive, tmp_path):
    with pytest.raises(ValueError, match=r"more than once: b as \[1\], c as \[1\]"):
        read({"w/b": SECOND}, TRUTHS | {"test/ground_truth/c": SECOND})
    twice = corpus_of(tmp_path / "twice.txt", [GOLD["second"], GOLD["first"], GOLD["second"]])
    path = archive(TRUTHS | {"test/mturk_train_data/w/b": SECOND})
    with pytest.raises(ValueError, match=r"more than once: b as \[0, 2\]"):
        crowd.read(path, twice)
    path = archive(TRUTHS | {"test/mturk_train_data/w/b": SECOND, "val/mturk_train_data/w/b": SECOND})
    with pytest.raises(ValueError, match="another part of the archive has this file"):
        crowd.read(path, twice)


def test_archives_without_a_known_article(archive, train):
    path = archive({"val/ground_truth/a": FIRST, "val/mturk_train_data/w/b": SECOND})
    with pytest.raises(ValueError, match="none of its files by workers belongs to an article"):
        crowd.read(path, train)


def test_majority_knows_ties_and_words_without_votes():
    votes = {"u": [1, 1, 0, -1, 1], "v": [1, 0, 0, -1, -1], "w": [0, -1, 0, -1, -1]}
    assert crowd.majority(made_up([votes, {"u": [1]}])).tolist() == [1, -1, 0, -1, 1, 1]


def test_average_turker_is_nearest_the_mean_among_those_with_enough_words():
    n = 40
    differs = {"a": 0, "b": 0, "c": 0, "d": 4, "e": 12}  # of 40 words; the mean is 3.2
    votes = {w: [1] * count + [0] * (n - count) for w, count in differs.items()}
    found = made_up([votes])
    assert crowd.disagreement(found)["d"] == (0.1, n)
    assert crowd.average_turker(found) == "d"
    votes["d"] = [1] * 3 + [0] * 27 + [-1] * 10  # still nearest, but less than the median number of words
    assert crowd.average_turker(made_up([votes])) == "a"


def test_labels_of_a_turker_leave_out_what_he_did_not_label():
    found = made_up([{"u": [1, -1, 0]}, {"v": [1, 1]}, {"u": [0, 1], "v": [1, 0]}])
    places, labels = crowd.labels_of_turker(found, "u")
    assert places.tolist() == [0, 2, 5, 6]
    assert labels.tolist() == [True, False, False, True]
    with pytest.raises(ValueError, match="worker 'x': has no labels; workers are u, v"):
        crowd.labels_of_turker(found, "x")


def test_one_worker_is_drawn_for_each_article():
    votes = {worker: [i % 2, 1, -1] for i, worker in enumerate("abcdef")}
    found, shuffled = made_up([votes] * 30), made_up([dict(reversed(votes.items()))] * 30)
    places, labels, drawn = crowd.labels_per_article(found, 5)
    assert crowd.labels_per_article(found, 5)[2] == crowd.labels_per_article(shuffled, 5)[2] == drawn
    assert crowd.labels_per_article(found, 6)[2] != drawn
    assert set(drawn) == set(votes)
    assert places.tolist() == [place for place in range(90) if place % 3 != 2]
    assert labels[::2].tolist() == [worker in "bdf" for worker in drawn]
    assert labels[1::2].all()


def test_noise_is_counted_against_the_reference_where_it_is_known():
    labels = np.array([True, False, False, False, True, True])
    assert crowd.noise(labels, np.array([0, 0, 0, 0, 1, -1])) == (0.25, 0.0)
    assert crowd.noise(labels, labels) == (0.0, 0.0)
    assert np.isnan(crowd.noise(labels, np.zeros(6, dtype=int))[1])


def test_articles_in_both_sets_are_named(train, tmp_path):
    crowd.check_disjoint(train, corpus_of(tmp_path / "other.txt", [[["Other words", "O O"]]]))
    with pytest.raises(ValueError, match=r"1 articles of the training set .*: 2 \(Nothinghere\)"):
        crowd.check_disjoint(train, corpus_of(tmp_path / "other.txt", [[["Other", "O"]], GOLD["third"]]))


def test_standin_flips_conlls_labels_at_the_reports_rates(tmp_path):
    crowd.write_standin(tmp_path)
    path = tmp_path / "task1.zip"
    content = path.read_bytes()
    crowd.write_standin(tmp_path)
    assert path.read_bytes() == content
    n = 200_000
    tags = ["I-PER", "O"] * (n // 2)
    corpus = conll.Corpus(["w"] * n, tags, np.array([0, n]), np.zeros(n, dtype=int))
    labels = crowd.standin_labels(corpus, path)
    assert labels.dtype == bool
    np.testing.assert_allclose(crowd.noise(labels, corpus.is_person), (0.004, 0.075), rtol=0.1)
    np.testing.assert_array_equal(labels, crowd.standin_labels(corpus, path))


@pytest.mark.parametrize("recipe", ['{"p0": 0.1}', '{"p0": "x", "p1": 0, "seed": 1}', "[]", "no JSON"])
def test_standins_that_cannot_be_read(tmp_path, train, recipe):
    with zipfile.ZipFile(tmp_path / "task1.zip", "w") as made:
        made.writestr("recipe.json", recipe)
    with pytest.raises(ValueError, match=r"task1\.zip: is no stand-in, its recipe\.json"):
        crowd.standin_labels(train, tmp_path / "task1.zip")


def test_counts_are_logged(read, caplog):
    with caplog.at_level(logging.INFO):
        read({"w/a": FIRST, "w/b": SECOND})
    assert "2 articles, 15 words, 1 workers" in caplog.text
    assert "files identical: 1" in caplog.text
