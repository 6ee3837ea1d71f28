"""CoNLL's files: words, sentences and articles, what is refused in them, and the stand-in."""

import logging

import numpy as np
import pytest
from shiftbench.datasets.ner import conll

TWO_ARTICLES = """-DOCSTART- -X- O O

EU NNP I-NP B-ORG
rejects VBZ I-VP O

Peter NNP I-NP B-PER
Blackburn NNP I-NP I-PER

-DOCSTART- -X- O O

BRUSSELS NNP I-NP B-LOC
"""


@pytest.fixture
def read(tmp_path):
    def reading(text):
        (tmp_path / "train.txt").write_text(text, encoding="utf-8")
        return conll.read(tmp_path / "train.txt")

    return reading


@pytest.fixture
def tagged(read):
    """Reads one article with the given tags, a sentence after each stroke."""

    def reading(tags):
        sentences = ["".join(f"w x x {tag}\n" for tag in part.split()) for part in tags.split("/")]
        return read("-DOCSTART- -X- O O\n\n" + "\n".join(sentences))

    return reading


def test_words_sentences_and_articles(read):
    corpus = read(TWO_ARTICLES)
    assert corpus.sentences() == [
        ["-DOCSTART-"],
        ["EU", "rejects"],
        ["Peter", "Blackburn"],
        ["-DOCSTART-"],
        ["BRUSSELS"],
    ]
    assert corpus.sentence_starts.tolist() == [0, 1, 3, 5, 6, 7]
    assert corpus.articles.tolist() == [0, 0, 0, 0, 0, 1, 1]
    assert corpus.tags == ["O", "B-ORG", "O", "B-PER", "I-PER", "O", "B-LOC"]
    assert corpus.is_person.tolist() == [False, False, False, True, True, False, False]


def test_more_or_fewer_blank_lines_change_nothing(read):
    expected = read(TWO_ARTICLES)
    for text in (
        "\n\n" + TWO_ARTICLES.replace("\n\n", "\n \n\n"),
        TWO_ARTICLES.rstrip("\n"),
        TWO_ARTICLES.replace("O O\n\n", "O O\n").replace("\n\n-DOCSTART-", "\n-DOCSTART-"),  # none around -DOCSTART-
        TWO_ARTICLES.replace(" ", "\t"),
        TWO_ARTICLES.replace("\n", "\r\n"),
    ):
        corpus = read(text)
        assert corpus.sentences() == expected.sentences()
        np.testing.assert_array_equal(corpus.articles, expected.articles)


def test_counts_are_logged(read, caplog):
    with caplog.at_level(logging.INFO):
        read(TWO_ARTICLES)
    assert "train.txt: 7 words, 5 sentences, 2 articles; IOB2" in caplog.text


@pytest.mark.parametrize(
    "line",
    ["rejects VBZ O", "rejects VBZ I-VP O O", "rejects", "rejects VBZ I-VP PER", "rejects VBZ I-VP B-", "a b c b-PER"],
)
def test_a_malformed_line_is_named(read, tmp_path, line):
    with pytest.raises(ValueError, match=r"1 malformed lines \(line 4: ") as caught:
        read(TWO_ARTICLES.replace("rejects VBZ I-VP O", line))
    said = str(caught.value)
    assert said.startswith(f"{tmp_path / 'train.txt'}: 1 malformed lines (line 4: {line!r}); ")
    assert said.endswith("a line is a word, two columns and a tag (O, B-KIND or I-KIND), separated by spaces")


def test_all_malformed_lines_are_counted_and_the_first_are_named(read):
    bad = "".join(f"bad{number}\n" for number in range(8))
    with pytest.raises(ValueError, match=r"8 malformed lines \(line 12: 'bad0'; .*line 16: 'bad4' and 3 more\); "):
        read(TWO_ARTICLES + bad)


@pytest.mark.parametrize("text", ["", "\n\n", TWO_ARTICLES.split("\n", 1)[1]])
def test_a_file_must_begin_with_an_article(read, text):
    with pytest.raises(ValueError, match=r"train\.txt: does not begin with an article \(-DOCSTART-\)"):
        read(text)


def test_files_in_another_encoding_are_named(tmp_path):
    (tmp_path / "train.txt").write_bytes(TWO_ARTICLES.replace("Peter", "Andr\xe9").encode("latin-1"))
    with pytest.raises(ValueError, match=r"train\.txt: is not text in UTF-8"):
        conll.read(tmp_path / "train.txt")


@pytest.mark.parametrize(
    ("tags", "scheme"),
    [
        ("B-PER I-PER O B-LOC", "IOB2"),
        ("B-PER B-PER B-LOC I-LOC", "IOB2"),
        ("B-PER I-PER / B-PER", "IOB2"),
        ("I-PER I-PER O I-LOC", "IOB1"),
        ("I-PER B-PER I-PER", "IOB1"),
        ("I-PER I-LOC / I-PER", "IOB1"),
    ],
)
def test_both_ways_to_tag_names_are_read(tagged, tags, scheme):
    corpus = tagged(tags)
    assert conll.tag_scheme(corpus) == scheme
    assert corpus.is_person.sum() == tags.count("PER")


@pytest.mark.parametrize(
    "tags",
    [
        "B-PER O I-PER",
        "B-PER I-LOC",  # in IOB2 another kind of name begins with B-
        "B-PER I-PER / I-PER",  # and so does the first of a sentence
        "I-PER B-LOC",
    ],
)
def test_a_mixture_of_both_is_refused(tagged, tags):
    with pytest.raises(ValueError, match=r"train\.txt: its tags follow neither IOB1 nor IOB2, but a mixture of both"):
        tagged(tags)


@pytest.mark.parametrize("tag", ["S-PER", "E-PER", "L-PER", "U-PER"])
def test_tags_of_single_words_and_ends_are_refused(tagged, tag):
    with pytest.raises(ValueError, match=rf"1 malformed lines \(line 4: 'w x x {tag}'\)"):
        tagged(f"B-PER {tag}")


def test_test_set_must_have_the_reports_counts():
    def corpus(positives, negatives):
        n = positives + negatives
        tags = ["I-PER"] * positives + ["O"] * negatives
        return conll.Corpus(["w"] * n, tags, np.array([0, n]), np.zeros(n, dtype=int))

    conll.check_test_set(corpus(3149, 48429), "valid.txt")
    for counts in ((3148, 48430), (3149, 48428)):
        said = rf"valid\.txt: {counts[0]} persons and {counts[1]} other words, not the report's 3149 and 48429; is it"
        with pytest.raises(ValueError, match=said):
            conll.check_test_set(corpus(*counts), "valid.txt")


@pytest.fixture(scope="module")
def standin(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conll2003")
    conll.write_standin(folder)
    return folder


def test_standin_can_be_read_and_has_persons(standin):
    assert sorted(path.name for path in standin.iterdir()) == ["train.txt", "valid.txt"]
    for part, articles in (("train", 120), ("test", 40)):
        corpus = conll.read(standin / conll.FILES[part])
        assert corpus.articles[-1] == articles - 1
        assert 0.1 < corpus.is_person.mean() < 0.3
        assert "B-LOC" in corpus.tags


def test_standin_is_the_same_every_time(standin, tmp_path):
    conll.write_standin(tmp_path)
    for file in conll.FILES.values():
        assert (tmp_path / file).read_bytes() == (standin / file).read_bytes()
