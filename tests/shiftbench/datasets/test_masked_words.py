"""Tags without words: patches, lines that must fit, NoiseBench, and the real files."""

import json
from pathlib import Path

import numpy as np
import pytest
from noisy_sets import change, copy, load, real, standins
from scipy import sparse
from shiftbench.datasets.ner import clean, conll, made_up, masked, noisy
from shiftbench.datasets.ner.types import CLASSES, encode_tags

__all__ = ["real", "standins"]  # fixtures
LINES = ["-DOCSTART-", "", "Paris-based", "firm", "", ".", "", "Ann", "won", ""]
PATCH = "3c3,5\n< Paris-based\n---\n> Paris\n> -\n> based\n5d6\n< \n8a10,11\n> Bell\n> Jr.\n"
MENDED = ["-DOCSTART-", "", "Paris", "-", "based", "firm", ".", "", "Ann", "Bell", "Jr.", "won", ""]
TAGS = ["O", "", "B-LOC", "O", "O", "O", "O", "", "B-PER", "I-PER", "I-PER", "O", ""]


@pytest.fixture
def patch(tmp_path):
    def applied(text, lines=LINES):
        (tmp_path / "words.patch").write_text(text)
        return masked.apply_patch(lines, tmp_path / "words.patch")

    return applied


def test_a_patch_changes_takes_and_adds_lines(patch):
    assert patch(PATCH) == MENDED
    assert patch("0a1\n> -DOCSTART-\n", ["a"]) == ["-DOCSTART-", "a"]
    assert patch("2,3d1\n< b\n< c\n", ["a", "b", "c"]) == ["a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            PATCH.replace("< Paris-based", "< Rome-based"),
            "line 1: does not fit the text, which has other words in line 3",
        ),
        (PATCH.replace("5d6\n< \n", "6d6\n< \n"), "line 7: does not fit the text, which has other words in line 6"),
        (PATCH.replace("5d6", "2d6"), "line 7: does not fit"),  # before what was changed
        (PATCH.replace("3c3,5", "3,4c3,5"), "line 1: does not fit"),
        ("99d98\n< x\n", "line 1: does not fit"),
        (PATCH + "@@ -1 +1 @@\n", "line 12: '@@ -1 .*' is none of a patch"),
        ("> word\n", "line 1: '> word' is none of a patch"),
        ("", "is no patch: nothing is changed"),
    ],
)
def test_a_patch_that_does_not_fit_is_refused(patch, text, said):
    with pytest.raises(ValueError, match=rf"words\.patch: {said}"):
        patch(text)


@pytest.fixture
def annotated(tmp_path):
    def reading(tags, words=MENDED):
        text = masked.mask(["w" if tag else "" for tag in tags], "[TOKEN]\tNNP\tO\tO\t{tag}", tags)
        (tmp_path / "annotations.dev").write_text(text)
        return masked.read_annotations(tmp_path / "annotations.dev", words)

    return reading


def test_tags_are_put_beside_their_words(annotated):
    corpus = annotated(TAGS)
    assert corpus.sentences() == [
        ["-DOCSTART-"],
        ["Paris", "-", "based", "firm", "."],
        ["Ann", "Bell", "Jr.", "won"],
    ]
    assert corpus.tags == [tag for tag in TAGS if tag]
    plain = masked.drop_marks(corpus)
    assert plain.sentences() == corpus.sentences()[1:] and plain.tags == corpus.tags[1:]
    assert plain.articles.tolist() == [0] * 9
    assert annotated(TAGS[:-1]).tags == annotated([*TAGS, ""]).tags == corpus.tags  # blank lines at the end


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ([*TAGS[:5], "", *TAGS[6:]], "line 6: a word stands beside no tag, or a tag beside no word"),
        ([*TAGS[:7], "O", *TAGS[8:]], "line 8: a word stands beside no tag"),
        (TAGS[:5], r"has 5 lines, CoNLL's text 13; are they the right files\?"),
        ([*TAGS, "O"], r"has 14 lines, CoNLL's text 13"),
        (["O", "", "B-CITY", *TAGS[3:]], "has tags 'B-CITY'; known are B-LOC, "),
    ],
)
def test_tags_that_do_not_fit_are_refused(annotated, tags, said):
    with pytest.raises(ValueError, match=rf"annotations\.dev: {said}"):
        annotated(tags)


def test_classes_of_tags():
    tags = ["O", "B-PER", "I-PER", "B-LOC", "I-MISC", "B-ORG"]
    assert encode_tags(tags, "all").tolist() == [0, 4, 4, 1, 2, 3] and CLASSES["all"][0] == "O"
    assert encode_tags(tags, "person").tolist() == [0, 1, 1, 0, 0, 0]


@pytest.fixture
def bench(tmp_path):
    """A folder of NoiseBench's files about MENDED, read."""
    files = {"index.txt": "docstart\n2\n1\n\n", "clean.traindev": TAGS[:2] + TAGS[8:] + TAGS[2:8]}
    files["noise_llm.traindev"] = [tag and "O" for tag in files["clean.traindev"]]
    for name, text in files.items():
        lines = text if isinstance(text, str) else masked.mask(text, "[TOK]\t{tag}", text)
        (tmp_path / name).write_text(lines)

    def reading(*changes):
        for file, old, new in changes:
            change(tmp_path / file, (old, new))
        text = noisy.read(tmp_path, MENDED)
        return text, noisy.read_tags(tmp_path, "llm", text)

    return reading


def test_sentences_are_found_by_their_numbers(bench):
    text, tags = bench()
    assert text.corpus.sentences() == [["Ann", "Bell", "Jr.", "won"], ["Paris", "-", "based", "firm", "."]]
    assert text.corpus.tags == [*("B-PER", "I-PER", "I-PER", "O"), *("B-LOC", "O", "O", "O", "O")]
    assert tags == ["O"] * 9 and text.corpus.articles.tolist() == [0] * 9
    words = [word for word in MENDED if word]
    assert [words[place] for place in text.places] == text.corpus.words


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (
            "index.txt",
            "2\n1\n",
            "1\n2\n",
            r"clean\.traindev: sentence 2 has 4 tags, but sentence 1 of CoNLL's .* 5 words",
        ),
        ("index.txt", "2\n1\n", "2\n3\n", r"index\.txt: line 3: '3' is neither 'docstart' nor one of 3 sentences"),
        ("index.txt", "2\n1\n", "2\nx\n", r"index\.txt: line 3: 'x' is neither"),
        ("index.txt", "docstart\n", "", r"index\.txt: does not begin with an article"),
        ("index.txt", "1\n", "", r"clean\.traindev: has 3 sentences, index\.txt names 2"),
        ("clean.traindev", "\tB-PER", "\tB-CITY", r"clean\.traindev: has tags 'B-CITY'"),
        ("clean.traindev", "[TOK]\tB-PER", "[TOK] B-PER", r"clean\.traindev: line 3: .* is not a mask and a tag"),
        ("noise_llm.traindev", "[TOK]\tO\n", "", r"noise_llm\.traindev: has 9 tags, clean\.traindev 10"),
        ("noise_llm.traindev", "\tO\n\n[TOK]\tO\n[TOK]", "\tO\n[TOK]\tO\n\n[TOK]", r"its sentences are not as long"),
    ],
)
def test_files_of_noise_that_do_not_fit_are_refused(bench, file, old, new, said):
    with pytest.raises(ValueError, match=said):
        bench((file, old, new))


def test_made_up_news_is_that_of_conll_s_stand_in(tmp_path):
    conll.write_standin(tmp_path)
    assert made_up.news() == {name: (tmp_path / name).read_bytes() for name in conll.FILES.values()}
    assert made_up.news(2004) != made_up.news()


def test_a_changed_word_of_conll_is_found(standins, tmp_path):
    folders = dict(standins("noisebench"))
    folders["conll2003_testb"] = str(copy(folders["conll2003_testb"], tmp_path))
    path = Path(folders["conll2003_testb"], "test.txt")
    path.write_text(path.read_text().replace("-DOCSTART-", "DOCSTART", 1))
    with pytest.raises(ValueError, match=r"test_tokens\.patch: line 1: does not fit the text"):
        clean.read(folders, "test")
    assert json.loads(Path(folders["conll2003_testb"], "provenance.json").read_text()) == {"kind": "standin"}


def test_real_noise_on_words(real):
    folders = real("noisebench", *clean.SOURCES)
    text = noisy.read(folders["noisebench"], clean.read_train_words(folders))  # all 6,285 lengths agree, or it raises
    assert len(text.corpus.words) == 79720 and len(text.is_word) - text.is_word.sum() == 400
    assert len(text.corpus.sentence_starts) - 1 + 400 == 6285
    truth = encode_tags(text.corpus.tags, "all")
    for kind, share in noisy.KINDS.items():
        given = encode_tags(noisy.read_tags(folders["noisebench"], kind, text), "all")
        assert np.mean(given != truth) == pytest.approx(share, abs=0.0006)
    test = clean.read(folders, "both")
    assert len(test.words) == 51383 + 46504 and len(np.unique(test.articles)) == 216 + 231
    official = conll.read(Path(folders["conll2003"], "valid.txt"))
    kept = masked.drop_marks(official)
    assert 3000 < encode_tags(clean.read(folders, "dev").tags, "person").sum() != kept.is_person.sum()


def test_real_features_of_words(real):
    folders = real("noisebench", *clean.SOURCES)
    parts, about = load("noisebench", folders, test="dev")
    assert about["words"] == 79720 == len(parts["train"].labels) + len(parts["dev"].labels)
    assert isinstance(parts["train"].X, sparse.csr_array) and parts["train"].X.shape[1] < 166146
    assert len(set(parts["train"].groups)) == 320 and len(set(parts["dev"].groups)) == 80
