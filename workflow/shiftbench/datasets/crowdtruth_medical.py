"""Medical sentences that may say that one term causes or treats another (Dumitrache, Aroyo and Welty 2018).

`ground_truth_cause.csv` and `ground_truth_treat.csv` hold the same 3,984 sentences, each with two terms. All have a
label by distant supervision ("baseline": a database knows the relation of the terms), some a truth on which experts and
a crowd agreed in the end ("test_partition"); where that is 0 the sentence was found unclear, and it is left out.
`sentences` says what is trained on:

others       the sentences without a truth; all that have one are the test set
adjudicated  only sentences with a truth, a share of which is drawn as the test set: so wrong labels can be counted

Sentences to train on that stand in the test set too, with other terms, are left out.
"""

import csv
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, draw_groups, origin_of
from shiftbench.datasets.common.settings import check_choice, check_share
from shiftbench.datasets.common.text import mark, number_texts, tf_idf

SOURCES = ("crowdtruth_medical",)
RELATIONS = ("cause", "treat")
FILE = "ground_truth_{relation}.csv"
SENTENCES = ("others", "adjudicated")
DEFAULTS = {
    "relation": "cause",
    "sentences": "others",
    "test": 0.3,  # share of the adjudicated sentences to test on, if those are trained on
    "dev": 0.2,  # share of the sentences to train on that is kept to tune on
}
COLUMNS = ("SID", "baseline", "test_partition", "term1", "b1", "term2", "b2", "sentence")
_LABELS = {"1": 1, "-1": 0}
_TRUTHS = {"1": 1, "-1": 0, "0": -2, "NA": -1, "": -1}
_UNCLEAR, _UNKNOWN = -2, -1


class Sentences(NamedTuple):
    """What a file holds, without unclear sentences."""

    ids: np.ndarray
    texts: np.ndarray  # with both terms marked
    groups: np.ndarray  # the same for the same sentence, whatever its terms
    labels: np.ndarray
    truth: np.ndarray  # -1 where it is not known
    n_unclear: int


def load(settings, rng):
    """Words and pairs of words of the training sentences, some of which are kept to tune on, and of the test set."""
    folder = settings["folders"]["crowdtruth_medical"]
    data = read(folder, settings["relation"])
    judged = data.truth != _UNKNOWN
    tested, trained = judged, ~judged
    if settings["sentences"] == "adjudicated":
        tested = judged.copy()
        tested[judged] = draw_groups(data.groups[judged], int(judged.sum()), settings["test"], rng)
        trained = judged & ~tested
    repeated = trained & np.isin(data.groups, data.groups[tested])
    trained &= ~repeated
    truth = data.truth if settings["sentences"] == "adjudicated" else None
    every = Part(data.texts, data.labels, truth, data.groups, data.ids)
    test = Part(data.texts[tested], data.truth[tested], data.truth[tested], data.groups[tested], data.ids[tested])
    parts = build(every.take(np.flatnonzero(trained)), test, settings["dev"], rng, tf_idf)
    origin = origin_of(folder)
    about = {
        "classes": [f"no {settings['relation']}", settings["relation"]],
        "origin": origin,
        "test_origin": origin,
        "adjudicated": int(judged.sum()),
        "adjudicated_mislabelled": float((data.labels != data.truth)[judged].mean()),
        "left_out_unclear": data.n_unclear,
        "left_out_in_test": int(repeated.sum()),
    }
    return parts | {"about": about}


def check(settings):
    """What is wrong with the settings, one text for each thing."""
    yield from check_choice(settings, "relation", RELATIONS)
    yield from check_choice(settings, "sentences", SENTENCES)
    yield from check_share(settings, "test")
    yield from check_share(settings, "dev")


@lru_cache(maxsize=2)
def read(folder: str | Path, relation: str) -> Sentences:
    """The sentences of one relation, or a ValueError that says what is wrong with the file."""
    path = Path(folder, FILE.format(relation=relation))
    rows = _rows(path)
    labels = np.array([_code(path, row, "baseline", _LABELS) for row in rows])
    truth = np.array([_code(path, row, "test_partition", _TRUTHS) for row in rows])
    for what, codes in (("labels", labels), ("truths", truth)):
        if not {0, 1} <= set(codes.tolist()):
            raise ValueError(f"{path}: its {what} are not of both kinds, 1 and -1")
    texts = np.array([_marked(row) for row in rows], dtype=object)
    groups = number_texts([row["sentence"] for row in rows])
    ids, clear = np.array([row["SID"] for row in rows]), truth != _UNCLEAR
    return Sentences(ids[clear], texts[clear], groups[clear], labels[clear], truth[clear], int((~clear).sum()))


def _rows(path):
    try:
        with path.open(encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{path}: is no CSV file in UTF-8: {error}") from None
    lacking = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if lacking:
        raise ValueError(f"{path}: lacks the columns {', '.join(lacking)}; needed are {', '.join(COLUMNS)}")
    short = [number for number, row in enumerate(rows, 1) if any(row[name] is None for name in COLUMNS)]
    if short or not rows:
        raise ValueError(f"{path}: {f'row {short[0]} has too few values' if short else 'has no rows'}")
    return rows


def _code(path, row, column, codes):
    if row[column] not in codes:
        allowed = ", ".join(repr(value) for value in codes)
        raise ValueError(f"{path}: sentence {row['SID']}: {column} is {row[column]!r}; it must be one of {allowed}")
    return codes[row[column]]


def _marked(row):
    """The sentence with its terms marked where they are found and do not overlap; places in the file are not exact."""
    spans = [_find(row["sentence"], row[f"term{k}"], row[f"b{k}"]) for k in (1, 2)]
    if None in spans or max(first for first, _ in spans) < min(last for _, last in spans):
        return row["sentence"]
    return mark(row["sentence"], spans)


def _find(sentence, term, place):
    """(first, one past the last character) of the term where it stands nearest to a place; None if nowhere."""
    near = int(place) if place.isdigit() else 0
    starts, start = [], sentence.find(term)
    while start >= 0 and term:
        starts.append(start)
        start = sentence.find(term, start + 1)
    if not starts:
        return None
    first = min(starts, key=lambda one: abs(one - near))
    return first, first + len(term)


def write_standin(folder: str | Path, seed: int = 2018) -> None:
    """The files with made-up sentences, a third of them with a truth, from which a sixth of the labels differs."""
    rng = np.random.default_rng(seed)
    for relation in RELATIONS:
        with Path(folder, FILE.format(relation=relation)).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            writer.writeheader()
            for k in range(400):
                truth = int(rng.random() < 0.4)
                words = [f"word{one}" for one in rng.integers(60, size=8)]
                words[3:3] = [f"{relation}s" if truth and rng.random() < 0.7 else f"verb{rng.integers(6)}"]
                words[2:2], words[6:6] = ["TERM ONE"], ["TERM TWO"]
                sentence = " ".join([*words, "."])
                known = ("1" if truth else "-1") if k % 3 == 0 else "NA"
                row = {"SID": k, "test_partition": known, "sentence": sentence}
                row |= {"term1": "TERM ONE", "b1": sentence.find("TERM ONE")}
                row |= {"term2": "TERM TWO", "b2": sentence.find("TERM TWO")}
                writer.writerow(row | {"baseline": "1" if truth ^ (rng.random() < 1 / 6) else "-1"})
