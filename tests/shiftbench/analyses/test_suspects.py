"""The examples that a method suspects, the most suspicious first, and words among them in their sentences."""

import numpy as np
import pandas as pd
import pytest
from shiftbench.analyses.suspects import suspected
from shiftbench.datasets import conll_person
from shiftbench.datasets.ner.conll import Corpus
from shiftbench.runs import COLUMNS, Runs, rows_of

TEXT = Corpus(
    ["Anna", "met", "Bob", ".", "Rome", "Carl", "won"],
    ["B-PER", "O", "B-PER", "O", "B-LOC", "B-PER", "O"],
    np.array([0, 4, 5, 7]),
    np.array([0, 0, 0, 0, 0, 1, 1]),
)
CONTEXT = ["rank", "article", "word", "sentence", "label_given", "label_suspected", "label_true", "shift", "data"]


@pytest.fixture(autouse=True)
def text(monkeypatch):
    monkeypatch.setattr(conll_person, "text_of", lambda labels, folders: TEXT)


def in_context(places, labels, sizes):
    """The list of the words at some places; a word of size 0 is not suspected."""
    places, sizes = np.array(places), np.array(sizes)
    table = pd.DataFrame(rows_of({"experiment": "e", "scenario": "s", "replicate": 0, "method": "m"}, {"f1": 1.0}, {}))
    arrays = {"data/0/labels": np.array(labels), "data/0/truth": TEXT.is_person[places].astype(int)}
    arrays |= {"data/0/ids": places, "m/0/suspicion": sizes, "m/0/suspected": sizes > 0.0}
    runs = Runs(table.assign(data="other")[list(COLUMNS)], {f"e/s/{key}": value for key, value in arrays.items()})
    return conll_person.list_suspects(suspected(runs, "e", "s", "m"), {"labels": "auto", "folders": {}})


def test_suspects_stand_in_their_sentences_the_largest_shift_first():
    found = in_context([0, 2, 3, 4, 6], [1, 0, 0, 1, 0], [0.0, 2.5, 0.0, 3.25, 0.12345])
    assert list(found.columns) == CONTEXT
    assert found.to_numpy().tolist() == [
        [1, 0, "Rome", "[Rome]", "person", "other", "other", 3.25, "other"],
        [2, 0, "Bob", "Anna met [Bob] .", "other", "person", "person", -2.5, "other"],
        [3, 1, "won", "Carl [won]", "other", "person", "other", -0.1235, "other"],
    ]


def test_a_shift_has_the_sign_of_the_label_given():
    assert in_context([0, 1], [1, 0], [1.0, 2.0])["shift"].tolist() == [-2.0, 1.0]


def test_equal_shifts_stay_in_reading_order_and_no_shift_is_no_suspect():
    assert in_context([0, 2, 5], [1, 1, 1], [1.0, 1.0, 1.0])["word"].tolist() == ["Anna", "Bob", "Carl"]
    assert in_context([0, 2, 5], [1, 1, 1], [0.0, 0.0, 0.0]).empty


def test_a_failed_method_suspects_nothing():
    runs = Runs(pd.DataFrame(columns=list(COLUMNS)), {})
    assert suspected(runs, "e", "s", "m").empty


def test_suspects_have_their_ids_labels_truth_and_tags():
    table = pd.DataFrame(rows_of({"experiment": "e", "scenario": "s", "replicate": 0, "method": "m"}, {"f1": 1.0}, {}))
    arrays = {
        "data/0/labels": np.array([True, False, True]),
        "data/0/ids": np.array(["a", "b", "c"]),
        "data/0/tag.odd": np.array([True, False, False]),
        "m/0/suspicion": np.array([1.0, -1.0, 2.0]),
        "m/0/suspected": np.array([True, False, True]),
    }
    runs = Runs(table.assign(data="other"), {f"e/s/{key}": value for key, value in arrays.items()})
    found = suspected(runs, "e", "s", "m")
    assert list(found.columns) == ["id", "label", "truth", "suspicion", "origin", "odd"]
    assert found.to_numpy().tolist() == [["c", 1, -1, 2.0, "other", False], ["a", 1, -1, 1.0, "other", True]]
    del runs.arrays["e/s/data/0/ids"]
    runs.arrays["e/s/data/0/truth"] = np.array([True, True, False])
    assert suspected(runs, "e", "s", "m")[["id", "truth"]].to_numpy().tolist() == [[2, 0], [0, 1]]
