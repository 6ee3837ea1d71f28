"""Automatic labels: each rule of the annotator, and the lists of names that it reads."""

from collections import Counter

import numpy as np
import pytest
from shiftbench.datasets.ner import census, conll, gazetteers
from shiftbench.datasets.ner.annotate import RULES, Annotator, annotate, normal
from shiftbench.datasets.ner.gazetteers import Gazetteer, read_annie

KINDS = {
    "first": ["John", "Anna", "Chad", "Paris"],
    "ambiguous_first": ["Will", "Chad"],
    "full": ["Boris Yeltsin", "Madonna", "Boris Yeltsin Junior"],
    "title": ["Mr.", "Prime Minister", "President"],
    "job": ["Coach", "pilot"],
    "ending": ["Jr.", "Jr", "III"],
    "prefix": ["van", "de"],
    "other": ["London", "Paris", "Monday", "The", "New York"],
}
LISTS = Gazetteer("made up", {kind: frozenset(tuple(n.split()) for n in names) for kind, names in KINDS.items()})


def marked(text, rules=RULES, lists=LISTS):
    """The marked words of an article and the rule of each; sentences are separated by strokes."""
    sentences = [part.split() for part in text.split("/")]
    marks = Annotator(lists, rules).article(sentences)
    pairs = [pair for words, rules in zip(sentences, marks, strict=True) for pair in zip(words, rules, strict=True)]
    return " ".join(f"{word}:{rule}" for word, rule in pairs if rule)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("so Boris Yeltsin said", "Boris:full Yeltsin:full"),
        ("so Boris Yeltsin Junior said", "Boris:full Yeltsin:full Junior:full"),  # the longest
        ("so Boris said", ""),
        ("Mr. Smith said", "Smith:title"),
        ("Prime Minister Howard said", "Howard:title"),
        ("Prime Howard said", ""),
        ("the Mr. said", ""),
        ("all praised Mr.", ""),
        ("Coach Smith met pilot Jones", "Smith:title"),  # offices in lower case are too common
        ("Mr. London", ""),
        ("so John Smith said", "John:first Smith:first"),
        ("Will Smith said", "Will:first Smith:first"),
        ("John Anna Smith Jones", "John:first Anna:first Smith:first"),  # a surname ends the name
        ("J. B. Smith said", "J.:initials B.:initials Smith:initials"),
        ("J. said", ""),
        ("the U.S. Open", ""),  # the letters of a country are no initials
        ("John said", "John:alone"),
        ("Will he", ""),  # ambiguous
        ("Chad is", ""),
        ("Paris is", ""),  # another thing's name
        ("john smith", ""),
        ("Mr. John Smith", "John:title Smith:title"),  # the first rule that matches
        ("John Smith Anna said", "John:first Smith:first Anna:alone"),  # reading goes on behind a name
    ],
)
def test_each_rule(text, expected):
    assert marked(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John Smith Jr. won", "John:first Smith:first Jr.:first"),
        ("Mr. Smith III won", "Smith:title III:title"),
        ("Jr. won", ""),
        ("Mr. Jr won", "Jr:title"),
        ("John van Dyk won", "John:first van:first Dyk:first"),
        ("Mr. de Klerk won", "de:title Klerk:title"),
        ("John van won", "John:alone"),
        ("J. van Dyk won", "J.:initials van:initials Dyk:initials"),
        ("van Dyk won", ""),
        ("John Q. van de Klerk won", "John:first Q.:first van:first de:first Klerk:first"),
        ("Mr. van de van de van Klerk won", ""),  # at most five words
        ("John O'Neill-Smith won", "John:first O'Neill-Smith:first"),
        ("John B2B won", "John:alone"),
        ("John X won", "John:alone"),
    ],
)
def test_endings_prefixes_and_surnames(text, expected):
    assert marked(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("JOHN SMITH WON", "JOHN:first SMITH:first"),
        ("JOHN LONDON", "JOHN:alone"),
        ("JOHN", "JOHN:alone"),
        ("PARIS", ""),
        ("WILL", ""),
    ],
)
def test_words_in_capitals_are_looked_up_as_in_running_text(text, expected):
    assert marked(text) == expected


def test_words_in_capitals():
    assert [normal(word) for word in ("JOHN", "EU", "J.", "John", "O'NEILL")] == ["John", "EU", "J.", "John", "O'neill"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("John London", "John:alone"),
        ("John Monday said", "John:alone"),
        ("John York said", "John:first York:first"),  # part of a longer entry only
        ("J. London", ""),
        ("Chad Smith", "Chad:first Smith:first"),  # a country, but here a first name
        ("Paris Smith", "Paris:first Smith:first"),
    ],
)
def test_surnames_are_in_no_list_of_other_things(text, expected):
    assert marked(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Smith won / John Smith said / then Smith lost", "Smith:again John:first Smith:first Smith:again"),
        ("Mr. Smith Jr. / Smith", "Smith:title Jr.:title Smith:again"),
        ("J. Smith / Smith", "J.:initials Smith:initials Smith:again"),
        ("Boris Yeltsin / Yeltsin", "Boris:full Yeltsin:full"),  # famous people have no surname of their own
        ("John / Smith", "John:alone"),
        ("smith / John Smith", "John:first Smith:first"),
    ],
)
def test_surnames_are_found_again(text, expected):
    assert marked(text) == expected


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([], ""),
        (["full"], "Boris:full Yeltsin:full"),
        (["title"], "Smith:title"),
        (["first"], "John:first Jones:first"),
        (["initials"], "B.:initials Brown:initials"),
        (["alone"], "John:alone Anna:alone"),
        (["title", "again"], "Smith:title Smith:again"),
    ],
)
def test_rules_can_be_switched_off(rules, expected):
    text = "Boris Yeltsin met Mr. Smith / John Jones met B. Brown / Anna met Smith"
    assert marked(text, rules) == expected


def test_unknown_rules_are_named():
    said = "rules: twice, thrice not known; there are full, title, first, initials, alone, again"
    with pytest.raises(ValueError, match=said):
        Annotator(LISTS, ["full", "twice", "thrice"])


def test_without_lists_only_initials_and_what_they_find_again():
    assert marked("J. Smith met John Jones / Smith", lists=Gazetteer("empty", {})) == (
        "J.:initials Smith:initials Smith:again"
    )


def corpus_of(articles, tags=None):
    sentences = [(number, part.split()) for number, text in enumerate(articles) for part in text.split("/")]
    words = [word for _, sentence in sentences for word in sentence]
    lengths = [len(sentence) for _, sentence in sentences]
    numbers = np.repeat([number for number, _ in sentences], lengths)
    return conll.Corpus(words, tags or ["O"] * len(words), np.cumsum([0, *lengths]), numbers)


def test_a_corpus_is_marked_article_by_article():
    corpus = corpus_of(["Mr. Smith said / Smith left", "Smith stayed / John Jones left"])
    marks, counts = annotate(corpus, LISTS)
    assert [word for word, mark in zip(corpus.words, marks, strict=True) if mark] == ["Smith", "Smith", "John", "Jones"]
    assert marks.dtype == bool and marks.tolist().index(True) == 1
    assert counts == Counter(title=1, again=1, first=2)
    assert annotate(corpus, LISTS, ["title"])[1] == Counter(title=1)


def test_tags_are_never_looked_at():
    text = ["John Smith of London met Mr. Jones / Jones left"]
    marks, counts = annotate(corpus_of(text), LISTS)
    tags = ["O"] * 5 + ["B-PER"] * 5
    for seed in range(3):
        shuffled = np.random.default_rng(seed).permutation(tags[: len(marks)]).tolist()
        again, counts_again = annotate(corpus_of(text, shuffled), LISTS)
        np.testing.assert_array_equal(again, marks)
        assert counts_again == counts


@pytest.fixture
def annie(tmp_path):
    gazetteers.write_standin(tmp_path)
    return tmp_path


def test_features_of_entries_are_dropped(annie):
    (annie / "person_male.lst").write_text("Abbot:kind=ambig\n\n  Lin Lin :a=b:c=d\n:lost\nJos\xe9\n", encoding="utf-8")
    (annie / "person_female.lst").write_text("Anna\n")
    assert read_annie(annie).of("first") == {("Abbot",), ("Lin", "Lin"), ("Jos\xe9",), ("Anna",)}


def test_a_list_in_another_encoding_is_named(annie):
    (annie / "person_female.lst").write_bytes(b"Zo\xeb\n")
    with pytest.raises(ValueError, match=r"person_female\.lst: is not text in UTF-8"):
        read_annie(annie)


def test_lists_that_are_not_known_are_named(annie):
    with pytest.raises(ValueError, match=r"lists\.def: 2 unknown lists: robots, elves; it knows \d+, among them cab"):
        read_annie(annie, gazetteers.ANNIE | {"more": ("robots", "elves")})


def test_lists_that_are_not_there_are_named(annie):
    (annie / "city.lst").unlink()
    (annie / "day.lst").unlink()
    with pytest.raises(ValueError, match=r"2 lists are not there: city, day; fetch them again") as caught:
        read_annie(annie)
    assert str(caught.value).startswith(f"{annie}: ")


def test_annies_standin(annie):
    lists = read_annie(annie)
    assert lists.origin == "ANNIE"
    assert lists.longest("first") == 1 and lists.longest("full") == lists.longest("robots") == 0
    assert marked("In London John Smith met Mr. van Dyk", lists=lists) == ("John:first Smith:first van:title Dyk:title")


def test_census(tmp_path):
    lines = {"dist.male.first": ("JOHN", "KELLY"), "dist.female.first": ("MARY",), "dist.all.last": ("SMITH", "KELLY")}
    for name, entries in lines.items():
        (tmp_path / name).write_text("".join(f"{entry:<14} 3.318  3.318      1\n" for entry in entries))
    lists = census.read(tmp_path)
    assert lists.origin == "US census"
    assert lists.of("first") == {("John",), ("Mary",)}
    assert lists.of("ambiguous_first") == {("Kelly",)}  # a surname, too
    assert marked("On Monday Kelly met Kelly Brown , Mary , and Dr. Jones", lists=lists) == (
        "Kelly:first Brown:first Mary:alone Jones:title"
    )


def test_census_standin(tmp_path):
    census.write_standin(tmp_path)
    assert marked("In May John Smith met Anna", lists=census.read(tmp_path)) == "John:first Smith:first Anna:alone"
