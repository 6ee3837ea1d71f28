"""People's corrections of CoNLL's tags: spans in articles, what they change, and what is refused."""

from pathlib import Path

import pytest
from noisy_sets import real
from shiftbench.datasets.ner import conll, corrections
from shiftbench.datasets.ner.types import encode_tags

__all__ = ["real"]  # a fixture

ARTICLE = """-DOCSTART- -X- -X- O

U.S. NNP I-NP I-LOC
champions NNS I-NP O
( ( O O
1996 CD I-NP O
) ) O O
, , O O

Phil NNP I-NP I-PER
Mickelson NNP I-NP I-ORG
's POS I-NP O
Open NNP I-NP I-MISC
Cup NNP I-NP I-MISC
"""


@pytest.fixture
def corrected(tmp_path):
    """The words of ARTICLE with their tags after corrections, and what was met."""
    (tmp_path / "train.txt").write_text(ARTICLE)
    corpus = conll.read(tmp_path / "train.txt")

    def applying(*rows, fold="train"):
        head = ",".join(corrections.COLUMNS)
        (tmp_path / corrections.FILE).write_text("\n".join([head, *rows]) + "\n")
        found, notes = corrections.apply_corrections(tmp_path, fold, corpus)
        before = dict(zip(corpus.words, corpus.tags, strict=True))
        after = dict(zip(found.words, found.tags, strict=True))
        return {word: tag for word, tag in after.items() if tag != before[word]}, notes

    return applying


def row(tagged, old, correct, new, kind="Tag", fold="train", article=0):
    return ",".join([fold, str(article), f'"{tagged}"', old, kind, f'"{correct}"', new])


# The text is "-DOCSTART-\nU.S. champions (1996),\nPhil Mickelson's Open Cup".
NAME, PHIL, OPEN, CUP = "[39, 48): 'Mickelson'", "[34, 48): 'Phil Mickelson'", "[51, 55): 'Open'", "[56, 59): 'Cup'"


def test_the_text_of_an_article(corrected, tmp_path):
    assert corrected(row("", "", NAME, "PER", "Missing"))[0] == {"Mickelson": "B-PER"}
    (_, text), *_ = corrections._texts(conll.read(tmp_path / "train.txt")).values()
    assert text == "-DOCSTART-\nU.S. champions (1996),\nPhil Mickelson's Open Cup"


@pytest.mark.parametrize(
    ("rows", "changed"),
    [
        ([row(NAME, "ORG", NAME, "PER")], {"Mickelson": "B-PER"}),
        ([row(NAME, "ORG", PHIL, "PER", "Both")], {"Mickelson": "I-PER", "Phil": "B-PER"}),
        ([row(NAME, "ORG", "", "", "Wrong")], {"Mickelson": "O"}),
        ([row("[51, 59): 'Open Cup'", "MISC", OPEN, "", "Span")], {"Open": "B-MISC", "Cup": "O"}),  # the kind stays
        ([row("[51, 59): 'Open Cup'", "", OPEN, "", "Span")], {"Open": "B-MISC", "Cup": "O"}),  # as it is tagged
        ([row("[16, 25): 'champions'", "", "", "MISC", "Missing")], {"champions": "B-MISC"}),  # in the other column
        (
            [row(OPEN, "MISC", "[51, 59): 'Open Cup'", "ORG"), row(CUP, "MISC", "", "", "Wrong")],
            {"Open": "B-ORG", "Cup": "I-ORG"},
        ),
        ([row("[39, 48): Mickelson'\t", "Org ", "[39,48): 'Mickelson", "PER")], {"Mickelson": "B-PER"}),  # as some are
        ([row("[34, 48): 'Phil Mickelson'", "ORG", NAME, "LOC", "Sentence")], {}),
        ([row(NAME, "ORG", NAME, "LOC", fold="dev")], {}),
    ],
)
def test_corrections(corrected, rows, changed):
    assert corrected(*rows)[0] == changed


def test_a_span_with_another_text_is_left_out_if_there_are_few(corrected):
    right, wrong = row(CUP, "MISC", CUP, "ORG"), row("[1, 4): 'Rome'", "LOC", "", "", "Wrong")
    assert corrected(*[right] * 60, wrong) == ({"Cup": "B-ORG"}, {"spans": 121, "misquoted": 1})
    with pytest.raises(
        ValueError, match="1 of 3 spans of train have another text than they quote; is it the file that"
    ):
        corrected(right, wrong)
    with pytest.raises(ValueError, match="1 of 1 spans of train have another text"):
        corrected(row(NAME, "ORG", "", "", "Wrong", article=7))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (row("39 to 48", "ORG", "", ""), r"row 1: '39 to 48' is no span \"\[FIRST, LAST\): 'TEXT'\""),
        (row(NAME, "CITY", "", ""), "row 1: 'CITY' is no kind of name; known are LOC, "),
        (row("", "", "", "PER"), "row 1: must name one of train, dev, test, an article and a span"),
        (row(NAME, "ORG", "", "", fold="all"), "row 1: must name one of train"),
        (row(NAME, "ORG", "", "", article="x"), "row 1: must name one of train"),
    ],
)
def test_broken_corrections_are_named(corrected, line, said):
    with pytest.raises(ValueError, match=said):
        corrected(line)
    with pytest.raises(ValueError, match="has no rows"):
        corrected()


def test_real_corrections(real):
    folders = real("codait", "conll2003", "conll2003_testb")
    counts = {}
    for fold, path in (
        ("train", "conll2003/train.txt"),
        ("dev", "conll2003/valid.txt"),
        ("test", "conll2003_testb/test.txt"),
    ):
        source, name = path.split("/")
        official = conll.read(Path(folders[source], name))
        fixed, notes = corrections.apply_corrections(folders["codait"], fold, official)
        before, after = (encode_tags(one.tags, "all") for one in (official, fixed))
        counts[fold] = int((before != after).sum()), notes["spans"], notes["misquoted"]
    assert counts == {"train": (579, 791, 0), "dev": (362, 558, 0), "test": (474, 688, 3)}
