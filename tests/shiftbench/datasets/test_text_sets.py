"""Sets of short texts: heuristics that abstain, sentences that stand on both sides, marked words, what is refused."""

import csv
import json

import numpy as np
import pytest
from noisy_sets import load, passed_off, real
from scipy import sparse
from shiftbench.datasets import crowdtruth_medical, wrench
from shiftbench.datasets.base import Part
from shiftbench.datasets.common.parts import build, draw_groups, seen_columns
from shiftbench.datasets.common.text import found_in, mark, number_texts, plain, tf_idf

__all__ = ["passed_off", "real"]  # fixtures


def test_texts_are_recognised_without_case_and_punctuation():
    assert plain("It's , GOOD_er -- really!") == "it s good er really"
    assert number_texts(["a b", "A, b.", "b a"]).tolist() == [0, 0, 1]
    assert found_in(["A b!", "c"], ["a  b", "d"]).tolist() == [True, False]


def test_words_are_marked_on_both_sides():
    text = "Cash in a suitcase"
    marked = mark(text, [(0, 4), (10, 18)])
    assert marked.split() == ["entity1", "Cash", "entity1", "in", "a", "entity2", "suitcase", "entity2"]
    assert mark(text, [(10, 18), (0, 4)]).split() == [
        "entity2",
        "Cash",
        "entity2",
        "in",
        "a",
        "entity1",
        "suitcase",
        "entity1",
    ]


def test_weights_of_words_by_hand():
    encode = tf_idf(["a a b", "a c", "b c"])
    X = encode(["a a b", "nothing known", "c"]).toarray()
    # Of three texts each word is in two; no pair is.
    assert X.shape == (3, 3) and (X[1] == 0.0).all() and X[2].tolist() == [0.0, 0.0, 1.0]
    first = np.array([1.0 + np.log(2.0), 1.0, 0.0])
    np.testing.assert_allclose(X[0], first / np.linalg.norm(first))
    with pytest.raises(ValueError, match="2 training texts: no word is in two of them"):
        tf_idf(["a", "b"])


def test_groups_are_drawn_whole():
    groups = np.repeat(np.arange(50), 3)
    apart = draw_groups(groups, 150, 0.2, np.random.default_rng(1))
    assert apart.sum() == 30 and (apart.reshape(50, 3).sum(axis=1) % 3 == 0).all()
    assert draw_groups(None, 10, 0.3, np.random.default_rng(0)).sum() == 3
    for n, share in ((3, 0.5), (10, 0.04), (2, 0.9)):
        with pytest.raises(ValueError, match=rf"dev={share}: takes \d of {n} groups"):
            draw_groups(None, n, share, np.random.default_rng(0))


def write_set(folder, name, train, test, classes=("no", "yes")):
    """Files of WRENCH: (text, truth, votes) of each text."""
    (folder / f"{name}_label.json").write_text(json.dumps({str(k): one for k, one in enumerate(classes)}))
    for part, rows in (("train", train), ("test", test)):
        said = {
            str(k): {"data": text if isinstance(text, dict) else {"text": text}, "label": truth, "weak_labels": votes}
            for k, (text, truth, votes) in enumerate(rows)
        }
        (folder / f"{name}_{part}.json").write_text(json.dumps(said))


TRAIN = [
    *(("good good film", 1, [1, 1, 0]), ("bad film", 0, [-1, 0, -1]), ("nobody speaks film", 0, [-1, -1, -1])),
    *(("Good, good FILM", 1, [1, -1, -1]), ("in the test film", 1, [1, 1, 1]), ("so bad film", 0, [0, 1, 0])),
    *((f"film number{k} good", 1, [1, -1, -1]) for k in range(10)),
]
TEST = [("In the TEST, film!", 1, [-1, -1, -1]), ("another good film", 1, [0, 0, 0])]


@pytest.fixture
def heuristics(passed_off):
    return passed_off("wrench")


def test_votes_of_heuristics_and_what_is_left_out(heuristics):
    write_set(heuristics, "youtube", TRAIN, TEST)
    parts, about = load("wrench", {"wrench": str(heuristics)})
    assert about["left_out_abstained"] == 1 and about["left_out_in_test"] == 1 and about["classes"] == ["no", "yes"]
    ids = np.concatenate([parts["train"].ids, parts["dev"].ids])
    labels = np.concatenate([parts["train"].labels, parts["dev"].labels])
    assert sorted(ids) == [0, 1, 3, 5, *range(6, 16)]
    assert {int(k): int(label) for k, label in zip(ids, labels, strict=True) if k < 6} == {0: 1, 1: 0, 3: 1, 5: 0}
    assert parts["test"].truth.tolist() == [1, 1] and len(parts["test"].labels) == 2  # whole, votes or not
    groups = np.concatenate([parts["train"].groups, parts["dev"].groups])
    twins = groups[np.isin(ids, (0, 3))]
    assert twins[0] == twins[1]  # the same text in other spelling


def test_the_words_of_a_relation_are_marked(heuristics):
    data = {"text": "cash in a case", "span1": [0, 4], "span2": [10, 14]}
    write_set(heuristics, "semeval", [(data, 0, [0]), (data | {"span1": [10, 14], "span2": [0, 4]}, 1, [1])], TEST[:1])
    _, train, test = wrench.read(str(heuristics), "semeval")
    assert train.texts[0].split() == ["entity1", "cash", "entity1", "in", "a", "entity2", "case", "entity2"]
    assert train.texts[1].split() == ["entity2", "cash", "entity2", "in", "a", "entity1", "case", "entity1"]
    assert test.texts[0] == TEST[0][0]


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("youtube_label.json", '{"1": "a", "2": "b"}', "must name the classes 0, 1, ...; it names 1, 2"),
        ("youtube_train.json", "{", r"youtube_train\.json: is no JSON in UTF-8"),
        ("youtube_train.json", "[]", "must hold texts or classes by their numbers, not a list"),
        ("youtube_train.json", "{}", r"youtube_train\.json: has no texts"),
        (
            "youtube_test.json",
            '{"0": {"data": {"text": "a"}, "label": 0}}',
            "each text must have data, label and as many",
        ),
        ("youtube_test.json", '{"0": {"data": {"text": "a"}, "label": 2, "weak_labels": [0]}}', r"has classes \[2\]"),
        ("youtube_test.json", '{"0": {"data": {"text": "a"}, "label": 0, "weak_labels": [-2]}}', r"has classes \[-2\]"),
        (
            "youtube_test.json",
            '{"0": {"data": {"text": "a"}, "label": 0.5, "weak_labels": [0]}}',
            "must be whole numbers",
        ),
    ],
)
def test_broken_files_of_texts_are_named(heuristics, file, text, said):
    (heuristics / file).write_text(text)
    with pytest.raises(ValueError, match=said):
        wrench.read(str(heuristics), "youtube")


@pytest.fixture
def medical(passed_off):
    """The folder, and a function that writes the sentences of `cause`: (label, truth, sentence, two terms)."""
    folder = passed_off("crowdtruth_medical")

    def write(rows):
        with (folder / "ground_truth_cause.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, [*crowdtruth_medical.COLUMNS, "expert"])
            writer.writeheader()
            for number, (label, truth, sentence, one, two) in enumerate(rows):
                row = {"SID": number, "baseline": label, "test_partition": truth, "sentence": sentence, "expert": "NA"}
                writer.writerow(row | {"term1": one, "b1": 0, "term2": two, "b2": len(sentence)})
        return {"crowdtruth_medical": str(folder)}

    return write


ROWS = [
    *(("1", "NA", f"the A causes word{k} of B", "A", "B") for k in range(8)),
    *(("-1", "", f"the A likes word{k} of B", "A", "B") for k in range(8)),
    *(("1", "-1", f"the A meets other{k} of B", "A", "B") for k in range(6)),
    *(("-1", "1", f"the A hurts other{k} of B", "A", "B") for k in range(6)),
    *(("1", "0", "unclear A of B", "A", "B"), ("1", "NA", "The A meets other1 of B.", "other1", "B")),
]


def test_sentences_with_a_truth_are_the_test_set(medical):
    parts, about = load("crowdtruth_medical", medical(ROWS))
    trained = {*parts["train"].ids, *parts["dev"].ids}
    assert trained == {str(k) for k in range(16)} and parts["train"].truth is None
    assert set(parts["test"].ids) == {str(k) for k in range(16, 28)} and parts["test"].truth.sum() == 6
    assert about["left_out_unclear"] == 1 and about["left_out_in_test"] == 1
    assert about["adjudicated"] == 12 and about["adjudicated_mislabelled"] == 1.0


def test_where_the_truth_is_wanted_only_sentences_with_one_are_used(medical):
    parts, about = load("crowdtruth_medical", medical(ROWS), sentences="adjudicated")
    assert len(parts["test"].ids) == 4 and about["left_out_in_test"] == 0
    for part in ("train", "dev"):
        np.testing.assert_array_equal(parts[part].labels, 1 - parts[part].truth)  # all wrong
    ids = [*parts["train"].ids, *parts["dev"].ids, *parts["test"].ids]
    assert sorted(map(int, ids)) == list(range(16, 28))


def test_terms_are_marked_where_they_are_found(medical):
    sentence = "B or A or B"
    rows = [
        *ROWS,
        ("1", "NA", sentence, "A", "B"),
        ("1", "NA", sentence, "X", "B"),
        ("1", "NA", sentence, "A or B", "B"),
    ]
    texts = crowdtruth_medical.read(medical(rows)["crowdtruth_medical"], "cause").texts
    assert texts[-3].split() == [
        "B",
        "or",
        "entity1",
        "A",
        "entity1",
        "or",
        "entity2",
        "B",
        "entity2",
    ]  # the one nearer its place
    assert texts[-2] == texts[-1] == sentence  # one is not there, or within the other


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (("2", "NA", "x", "x", "x"), "sentence 28: baseline is '2'; it must be one of '1', '-1'"),
        (("1", "yes", "x", "x", "x"), "sentence 28: test_partition is 'yes'"),
    ],
)
def test_broken_sentences_are_named(medical, row, said):
    folders = medical([*ROWS[:28], row])
    with pytest.raises(ValueError, match=said):
        load("crowdtruth_medical", folders)


def test_sentences_need_both_kinds_of_truth(medical):
    with pytest.raises(ValueError, match="its truths are not of both kinds"):
        load("crowdtruth_medical", medical(ROWS[:22]))


def test_a_column_that_lacks_is_named(passed_off):
    folder = passed_off("crowdtruth_medical")
    (folder / "ground_truth_cause.csv").write_text("SID,baseline\n1,1\n")
    with pytest.raises(ValueError, match=r"ground_truth_cause\.csv: lacks the columns test_partition, term1"):
        crowdtruth_medical.read(folder, "cause")


def test_real_sentences_of_medicine(real):
    folders = real("crowdtruth_medical")
    for relation, adjudicated, wrong, repeated in (("cause", 929, 0.216, 24), ("treat", 606, 0.120, 26)):
        parts, about = load("crowdtruth_medical", folders, relation=relation)
        assert about["adjudicated"] == adjudicated == len(parts["test"].labels)
        assert about["adjudicated_mislabelled"] == pytest.approx(wrong, abs=0.0006)
        assert about["left_out_in_test"] == repeated
        n_trained = len(parts["train"].labels) + len(parts["dev"].labels)
        assert n_trained + adjudicated + repeated + about["left_out_unclear"] == 3984
        texts = crowdtruth_medical.read(folders["crowdtruth_medical"], relation).texts
        assert np.mean(["entity1" in text for text in texts]) > 0.97  # in the others one term lies within the other


@pytest.mark.parametrize(
    ("name", "n_classes", "sizes", "silent", "wrong"),
    [
        ("youtube", 2, (1586, 250), 195, 0.16),
        ("sms", 2, (4571, 500), 2719, 0.03),
        ("trec", 6, (5033, 500), 242, 0.46),
        ("semeval", 9, (1749, 600), 0, 0.20),
    ],
)
def test_real_heuristics(real, name, n_classes, sizes, silent, wrong):
    parts, about = load("wrench", real("wrench"), set=name)
    _, train, test = wrench.read(real("wrench")["wrench"], name)
    assert (len(train.texts), len(test.texts)) == sizes and len(about["classes"]) == n_classes
    assert about["left_out_abstained"] == silent
    labels, truth = (np.concatenate([getattr(parts[k], f) for k in ("train", "dev")]) for f in ("labels", "truth"))
    assert np.mean(labels != truth) == pytest.approx(wrong, abs=0.015)
    if name == "semeval":
        assert all("entity1" in text and "entity2" in text for text in train.texts)


def test_columns_that_are_not_seen_in_training_go():
    X = sparse.csr_array(np.eye(10))
    part = Part(X, np.arange(10) % 2, ids=np.arange(10))
    parts = build(part, part, 0.3, np.random.default_rng(0), seen_columns)
    assert parts["train"].X.shape == (7, 7) and (parts["train"].X.toarray() == np.eye(7)).all()
    assert parts["test"].X.sum() == 7 and parts["dev"].X.nnz == 0
