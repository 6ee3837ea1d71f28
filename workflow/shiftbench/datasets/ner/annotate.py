"""Automatic labels (section 4.4): a rule-based annotator of persons, in the manner of GATE's MUSE and ANNIE.

It sees words and sentences, never tags. At each word of a sentence, from left to right, the first rule that matches
marks the words of a name, and reading goes on after it:

    full      a name in a list of famous people
    title     a name after a title or an office ("Mr.", "Prime Minister"), which is not marked itself
    first     a first name and a surname
    initials  initials and a surname: "J. B. Smith"; not "J.B. Smith", which looks like "U.S. Open"
    alone     a first name by itself that is no ambiguous word and no other thing's name

A *name* is a run of first names, initials and surnames' prefixes ("van", "de") that ends in a capitalised word, at most
five words long; an ending such as "Jr." belongs to it. Words in capitals are looked up among first names and other
things as if only their first letter were one. A surname is a capitalised word that is not itself listed among other
things: places, organisations, dates, stop words. At the end of an article one more rule may go over all of it:

    again     a surname that an earlier rule found in this article, standing by itself
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from shiftbench.datasets.ner.conll import Corpus
from shiftbench.datasets.ner.gazetteers import Gazetteer

RULES = ("full", "title", "first", "initials", "alone", "again")
_LONGEST = 5  # words of a name


class Annotator:
    """Some of the rules, on the lists of one gazetteer."""

    def __init__(self, gazetteer: Gazetteer, rules: Sequence[str] = RULES):
        unknown = [rule for rule in rules if rule not in RULES]
        if unknown:
            raise ValueError(f"rules: {', '.join(unknown)} not known; there are {', '.join(RULES)}")
        self.lists, self.rules = gazetteer, frozenset(rules)
        self.first = {name[0] for kind in ("first", "ambiguous_first") for name in gazetteer.of(kind)}
        self.clear_first = {name[0] for name in gazetteer.of("first")} - {n[0] for n in gazetteer.of("ambiguous_first")}
        self.other = {name[0] for name in gazetteer.of("other") if len(name) == 1}
        self.prefixes = {name[0] for name in gazetteer.of("prefix")}
        self.endings = {name[0] for name in gazetteer.of("ending")}
        self.titles = gazetteer.of("title") | {name for name in gazetteer.of("job") if name[0][0].isupper()}
        self.longest = {"full": gazetteer.longest("full"), "title": max(map(len, self.titles), default=0)}

    def article(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """For each word of an article the rule that marked it, or the empty string."""
        surnames: set[str] = set()
        marks = [self._sentence(words, surnames) for words in sentences]
        if "again" not in self.rules:
            return marks
        for words, rules in zip(sentences, marks, strict=True):
            for place, word in enumerate(words):
                if not rules[place] and word in surnames:
                    rules[place] = "again"
        return marks

    def _sentence(self, words, surnames):
        rules = [""] * len(words)
        place = 0
        while place < len(words):
            rule, first, last = next(self._matches(words, place), ("", place, place))
            for k in range(first, last):
                rules[k] = rule
            name = [word for word in words[first:last] if word not in self.endings]
            if rule in ("title", "first", "initials") and name and self._is_surname(name[-1]):
                surnames.add(name[-1])
            place = max(place + 1, last)
        return rules

    def _matches(self, words, place):
        """(rule, first word, one past the last) of the names that the rules find at a place, in the rules' order."""
        length = _longest_match(words, place, self.lists.of("full"), self.longest["full"])
        if length and "full" in self.rules:
            yield "full", place, place + length
        length = _longest_match(words, place, self.titles, self.longest["title"])
        last = self._name(words, place + length) if length else 0
        if last and "title" in self.rules:
            yield "title", place + length, last
        word = normal(words[place])
        rule = "first" if word in self.first else "initials" if _is_initials(word) else ""
        if rule in self.rules and self._name(words, place) > place + 1:
            yield rule, place, self._name(words, place)
        is_name = word in self.clear_first and word not in self.other and _is_capitalised(words[place])
        if is_name and "alone" in self.rules:
            yield "alone", place, place + 1

    def _name(self, words, place):
        """One past the last word of the name that begins at a place; 0 if none does."""
        k, last = place, 0
        while k < min(len(words), place + _LONGEST):
            word = normal(words[k])
            if self._is_surname(words[k]):
                last = k + 1
                if word not in self.first:  # a surname ends the name
                    break
            elif not (_is_initials(word) or word in self.first or word in self.prefixes):
                break
            k += 1
        if last and last < len(words) and words[last] in self.endings:
            last += 1
        return last

    def _is_surname(self, word):
        return _is_capitalised(word) and normal(word) not in self.other


def normal(word: str) -> str:
    """A word in capitals as it would stand in running text."""
    return word.capitalize() if word.isupper() and len(word) > 2 else word


def _is_capitalised(word):
    return len(word) > 1 and word[0].isupper() and all(sign.isalpha() or sign in "-'" for sign in word)


def _is_initials(word):
    """A capital letter and a full stop."""
    return len(word) == 2 and word[0].isupper() and word[1] == "."


def _longest_match(words, place, names, longest):
    """Words of the longest name in a list that begins at a place."""
    for length in range(min(longest, len(words) - place), 0, -1):
        if tuple(words[place : place + length]) in names:
            return length
    return 0


def annotate(corpus: Corpus, gazetteer: Gazetteer, rules: Sequence[str] = RULES) -> tuple[np.ndarray, Counter]:
    """(which words are marked as persons, how many by each rule)."""
    annotator = Annotator(gazetteer, rules)
    sentences, first_words = corpus.sentences(), corpus.sentence_starts[:-1]
    of_article: dict[int, list[list[str]]] = {}
    for sentence, article in zip(sentences, corpus.articles[first_words].tolist(), strict=True):
        of_article.setdefault(article, []).append(sentence)
    marks = [mark for article in of_article.values() for sentence in annotator.article(article) for mark in sentence]
    return np.array([mark != "" for mark in marks]), Counter(mark for mark in marks if mark)
