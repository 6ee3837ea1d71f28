"""Automatic labels of Wikipedia: the words that are drawn, the files of both sets, and the real ones."""

import numpy as np
import pytest
from noisy_sets import change, load, passed_off, real, standins
from scipy import sparse
from shiftbench.datasets import wikipedia
from shiftbench.datasets.ner import conll, wiki_silver, wikigold

__all__ = ["passed_off", "real", "standins"]  # fixtures


def test_negatives_of_wikipedia_are_drawn_at_random(standins):
    folders = standins("wikipedia")
    text = wiki_silver.read(folders["wiki_silver"])
    places = set(np.flatnonzero(text.is_person))
    for seed in (0, 1):
        parts, about = load("wikipedia", folders, seed, negatives=500)
        ids = np.concatenate([parts["train"].ids, parts["dev"].ids])
        labels = np.concatenate([parts["train"].labels, parts["dev"].labels])
        assert about["words"] == len(ids) == len(set(ids)) == len(places) + 500
        assert set(ids[labels == 1]) == places and parts["train"].truth is None
    whole = load("wikipedia", folders, negatives=10**6)[0]
    assert len(whole["train"].ids) + len(whole["dev"].ids) == len(text.words)


@pytest.mark.parametrize(
    ("source", "file", "old", "new", "said"),
    [
        (
            "wiki_silver",
            "wikineural_en_test.conllu",
            "\tO\n",
            " O\n",
            r"wikineural_en_test\.conllu: line \d+: .* is not a number",
        ),
        ("wiki_silver", "wikineural_en_val.conllu", "\tB-PER", "\tB-CITY", "has tags 'B-CITY'"),
        (
            "wikigold",
            "wikigold.conll.txt",
            " O\n",
            " x O\n",
            r"wikigold\.conll\.txt: line \d+: .* is not a word and a tag",
        ),
        ("wikigold", "wikigold.conll.txt", " I-PER", " PER", "has tags 'PER'"),
    ],
)
def test_broken_files_of_wikipedia_are_named(passed_off, source, file, old, new, said):
    folder = passed_off(source)
    change(folder / file, (old, new))
    with pytest.raises(ValueError, match=said):
        {"wiki_silver": wiki_silver, "wikigold": wikigold}[source].read(folder)


def test_files_without_words_are_refused(passed_off):
    for source, module in (("wiki_silver", wiki_silver), ("wikigold", wikigold)):
        folder = passed_off(source)
        for path in folder.glob("*.c*"):
            path.write_text("\n\n")
        with pytest.raises(ValueError, match="has no words"):
            module.read(folder)


def test_articles_of_wikigold_end_with_their_mark(passed_off):
    text = wikigold.read(passed_off("wikigold"))
    assert conll.ARTICLE not in text.words and text.articles[0] == 0 and text.articles[-1] == 9
    assert len(text.sentences()) == 200


def test_real_wikipedia(real, monkeypatch):
    folders = real(*wikipedia.SOURCES)
    no_features = lambda train, test, _: tuple(sparse.csr_array(np.ones((len(one.words), 1))) for one in (train, test))  # noqa: E731
    monkeypatch.setattr(wikipedia, "encode", no_features)
    wikipedia._read.cache_clear()
    for test, counts in (("conll", (3149, 48429)), ("wikigold", (1634, 37373))):
        parts, about = load("wikipedia", folders, test=test)
        labels = np.concatenate([parts["train"].labels, parts["dev"].labels])
        assert (labels.sum(), (labels == 0).sum()) == (18866, 200000)
        assert (about["test_positives"], about["test_negatives"]) == counts
        assert about["test_origin"] == ("report" if test == "conll" else "other") and about["origin"] == "other"
    wikipedia._read.cache_clear()
