"""What a dataset is: parts, how they are drawn and split, which labels are made wrong, and what is said of them."""

import hashlib
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from shiftbench.datasets import base
from shiftbench.datasets.base import Part, Replicate, checksum, draw, facts, flip, restart, seed_of
from shiftbench.datasets.facts import data_arrays, data_rows

SEED = np.random.SeedSequence(5)


def dataset(load, name="made_up"):
    return SimpleNamespace(__name__=name, load=load)


def part_of(rng, n=30):
    X = rng.normal(size=(n, 2))
    truth = X[:, 0] > 0.0
    return Part(X, truth, truth)


def noise(part, rng):
    return rng.random(len(part.labels)) < 0.3


def yielding(settings, rng):
    for name in ("train", "dev", "test"):
        yield name, part_of(rng, settings["n"])


def test_noise_is_drawn_as_soon_as_a_part_is_there():
    found = draw(dataset(yielding), {"n": 30}, noise, SEED, "s", 3)
    rng = np.random.default_rng(SEED)
    for name in ("train", "dev", "test"):  # by hand
        wanted = part_of(rng)
        flipped = noise(wanted, rng) if name != "test" else np.zeros(30, dtype=bool)
        np.testing.assert_array_equal(found.parts[name].X, wanted.X)
        np.testing.assert_array_equal(found.parts[name].truth, wanted.truth)
        np.testing.assert_array_equal(found.parts[name].labels, wanted.truth ^ flipped)
    assert (found.scenario, found.number, list(found.parts)) == ("s", 3, ["train", "dev", "test"])


def test_noise_comes_last_where_all_parts_are_returned_at_once():
    found = draw(dataset(lambda settings, rng: dict(yielding(settings, rng))), {"n": 30}, noise, SEED, "s", 0)
    rng = np.random.default_rng(SEED)
    wanted = dict(yielding({"n": 30}, rng))
    for name in ("train", "dev"):
        np.testing.assert_array_equal(found.parts[name].labels, wanted[name].truth ^ noise(wanted[name], rng))
    np.testing.assert_array_equal(found.parts["test"].labels, wanted["test"].truth)


def test_without_noise_labels_are_what_was_given():
    rng = np.random.default_rng(0)
    given_part = part_of(rng)._replace(labels=np.arange(30) % 2, truth=np.zeros(30, dtype=int))
    found = draw(dataset(lambda settings, rng: {"train": given_part}), {}, None, SEED, "s", 0)
    assert found.parts == {"train": given_part}


def test_labels_of_a_test_set_are_its_truth_where_nothing_else_is_known():
    both = {name: Part(np.zeros((2, 1)), np.array([0, 1])) for name in ("train", "test")}
    found = draw(dataset(lambda settings, rng: both), {}, None, SEED, "s", 0).parts
    assert found["test"].truth.tolist() == [0, 1] and found["train"].truth is None
    known = both | {"test": both["test"]._replace(truth=np.array([1, 1]))}
    assert draw(dataset(lambda settings, rng: known), {}, None, SEED, "s", 0).parts["test"].truth.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({}, r"made_up: load gave no part 'train'; it gave none"),
        ({"test": Part(np.zeros((1, 1)), np.zeros(1))}, r"made_up: load gave no part 'train'; it gave test"),
        ({"valid": None}, r"made_up: 'valid' is no part; parts are train, dev, test"),
        (
            {"train": Part(np.zeros((2, 1)), np.array([-1, 1]))},
            r"made_up: train: labels must be 0 or 1; there are \[-1, 1\]",
        ),
        (
            {"train": Part(np.zeros((2, 1)), np.array(["no", "yes"]))},
            r"labels must be 0 or 1; there are \['no', 'yes'\]",
        ),
        ({"train": Part(np.zeros((2, 1)), np.array([0, np.nan]))}, r"labels must be 0 or 1"),
        ({"train": Part(np.zeros((2, 1)), np.zeros(3))}, r"made_up: train: has 2 examples, but 3 labels"),
        ({"train": Part(np.zeros((2, 1)), np.zeros(2), np.ones(1))}, r"train: has 2 examples, but 1 truth"),
    ],
)
def test_a_dataset_that_gives_something_else_is_refused(parts, message):
    with pytest.raises(ValueError, match=message):
        draw(dataset(lambda settings, rng: parts), {}, None, SEED, "s", 0)


def of_classes(labels, classes, **more):
    part = Part(np.zeros((len(labels), 1)), np.asarray(labels))
    return {"train": part, **more, "about": {"classes": classes}}


def test_more_than_two_classes_are_named_and_counted():
    loaded = of_classes([0, 2, 2, 1, 0], ["O", "PER", "LOC"], test=Part(np.zeros((2, 1)), np.array([0, 1])))
    found = draw(dataset(lambda settings, rng: loaded), {}, None, SEED, "s", 0)
    assert {part.n_classes for part in found.parts.values()} == {3}
    assert found.parts["train"].take([0, 1]).n_classes == 3
    sizes = {"examples_O": 2, "examples_PER": 1, "examples_LOC": 2}
    assert found.about == {"origin": "report", "positives": 3, "negatives": 2, "features": 1} | sizes | loaded["about"]
    two = draw(dataset(lambda settings, rng: of_classes([0, 1], ["no", "yes"])), {}, None, SEED, "s", 0)
    assert two.parts["train"].n_classes == 2 and "examples_no" not in two.about


def test_labels_of_more_than_two_classes_move_on_by_as_many_as_the_noise_says():
    def shifted(part, rng):
        return np.arange(len(part.labels)) % part.n_classes

    loaded = of_classes([0, 0, 0, 2, 2, 2], ["a", "b", "c"])
    for kind in (np.int8, np.uint8, int):
        given = loaded | {"train": loaded["train"]._replace(labels=loaded["train"].labels.astype(kind))}
        train = draw(dataset(lambda settings, rng, given=given: given), {}, shifted, SEED, "s", 0).parts["train"]
        assert train.labels.tolist() == [0, 1, 2, 2, 0, 1] and train.labels.dtype == kind
        assert train.truth.tolist() == [0, 0, 0, 2, 2, 2]
    marked = draw(dataset(lambda settings, rng: loaded), {}, lambda part, rng: part.labels == 2, SEED, "s", 0)
    assert marked.parts["train"].labels.tolist() == [0, 0, 0, 0, 0, 0]  # the first follows the last


@pytest.mark.parametrize(
    ("loaded", "message"),
    [
        (of_classes([0, 3], ["a", "b", "c"]), r"train: labels must be whole numbers from 0 to 2; there are \[0, 3\]"),
        (of_classes([0.0, 2.0], ["a", "b", "c"]), r"labels must be whole numbers from 0 to 2; there are \[0.0, 2.0\]"),
        (of_classes([False, True], ["a", "b", "c"]), r"labels must be whole numbers from 0 to 2"),
        ({"train": Part(np.zeros((2, 1)), np.array([0, 2]))}, r"must be 0 or 1; .*; name more classes in about\['cla"),
        (of_classes([0, 1], ["a"]), r"classes: \['a'\] must be a list of two or more names, each another one"),
        (of_classes([0, 1], ["a", "b", "a"]), r"classes: \['a', 'b', 'a'\] must be a list"),
        (of_classes([0, 1], "ab"), r"classes: 'ab' must be a list"),
    ],
)
@pytest.mark.parametrize("how", [None, noise])
def test_labels_that_are_no_classes_are_refused(loaded, message, how):
    with pytest.raises(ValueError, match=message):
        draw(dataset(lambda settings, rng: loaded), {}, how, SEED, "s", 0)


def test_classes_are_named_before_the_parts_that_get_noise():
    loaded = of_classes([0, 1, 0], ["a", "b", "c"])
    late = dataset(lambda settings, rng: iter(loaded.items()))
    assert draw(late, {}, None, SEED, "s", 0).parts["train"].n_classes == 3
    with pytest.raises(ValueError, match="made_up: yield 'about' with the classes before the parts that get noise"):
        draw(late, {}, noise, SEED, "s", 0)
    early = dataset(lambda settings, rng: iter(dict(reversed(loaded.items())).items()))
    assert draw(early, {}, noise, SEED, "s", 0).parts["train"].n_classes == 3


@pytest.mark.parametrize("kind", [bool, int, float])
def test_what_was_given_is_the_truth_of_a_flipped_part(kind):
    labels, flipped = np.array([0, 1, 0, 1], dtype=kind), np.array([1, 1, 0, 0], dtype=bool)
    part = flip(Part(np.zeros((4, 1)), labels), flipped)
    assert part.labels.tolist() == [1, 0, 0, 1] and part.truth.tolist() == [0, 1, 0, 1] and part.labels.dtype == kind
    known = flip(Part(np.zeros((4, 1)), labels, np.ones(4, dtype=kind)), flipped)
    assert known.labels.tolist() == [0, 0, 1, 1] and known.truth.all()
    assert labels.tolist() == [0, 1, 0, 1]  # not written to


def test_part_of_a_part():
    part = Part(
        np.arange(6).reshape(3, 2), np.array([0, 1, 1]), None, np.array(["a", "b", "c"]), None, {"t": np.arange(3)}
    )
    for rows in ([2, 0], np.array([2, 0])):
        some = part.take(rows)
        assert some.X.tolist() == [[4, 5], [0, 1]] and some.labels.tolist() == [1, 0]
        assert some.truth is None and some.ids is None
        assert some.groups.tolist() == ["c", "a"] and some.tags["t"].tolist() == [2, 0]
    assert part.take(np.array([False, True, False])).groups.tolist() == ["b"]


def test_a_replicate_s_seed_follows_from_the_scenario_s_name_its_number_and_the_root():
    key = int.from_bytes(hashlib.sha256(b"e.s").digest()[:8], "big")
    assert seed_of("e.s", 4, 7).entropy == [7, key, 4]
    states = [
        seed_of(*about).generate_state(4).tolist()
        for about in [("e.s", 4, 7), ("e.t", 4, 7), ("e.s", 5, 7), ("e.s", 4, 8)]
    ]
    assert len({tuple(state) for state in states}) == 4


def test_a_shared_seed_gives_all_scenarios_the_same_random_numbers():
    assert seed_of("e.s", 4, None, 10).entropy == seed_of("f.t", 4, 99, 10).entropy == 14
    assert seed_of("e.s", 0, 7, 0).entropy == 0  # a seed of zero is a seed


def test_random_numbers_can_be_had_from_the_beginning():
    rng = np.random.default_rng(SEED)
    first = rng.random(5)
    np.testing.assert_array_equal(restart(rng).random(5), first)
    np.testing.assert_array_equal(restart(restart(rng)).random(5), first)
    assert not np.array_equal(rng.random(5), first)  # it has gone on


def test_facts_count_what_there_is():
    train = Part(np.zeros((5, 3)), np.array([1, 0, 1, 1, 0]), np.array([1, 1, 1, 0, 0]))
    assert facts({"train": train}, {}) == {
        "origin": "report",
        "positives": 3,
        "negatives": 2,
        "features": 3,
        "mislabelled": 0.4,
    }
    found = facts({"train": train._replace(truth=None)}, {"origin": "standin", "more": 1, "features": 9})
    assert found == {"origin": "standin", "positives": 3, "negatives": 2, "features": 9, "more": 1}


def replicate(X, **fields):
    return Replicate("s", 0, {"train": Part(X, np.array([0, 1]), **fields)}, {"origin": "report"})


def test_a_checksum_changes_with_features_labels_and_truth_only():
    X = np.array([[0.0, 1.0], [2.0, 0.0]])
    plain = checksum(replicate(X))
    assert plain == checksum(replicate(np.asfortranarray(X))) == checksum(replicate(X, ids=np.arange(2)))
    others = [replicate(X + 1e-16), replicate(X, truth=np.array([0, 1])), replicate(X, truth=np.array([1, 1]))]
    assert len({plain, *(checksum(one) for one in others)}) == 4


def test_a_checksum_does_not_depend_on_how_a_sparse_matrix_is_stored():
    X = sparse.csr_array(np.array([[0.0, 1.0], [2.0, 0.0]]))
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    same = [X, wide, sparse.csc_array(X), sparse.coo_array(X), X.astype(int)]
    assert len({checksum(replicate(one)) for one in same}) == 1
    assert checksum(replicate(2.0 * X)) != checksum(replicate(X))


def test_settings_that_a_dataset_does_not_know():
    known = SimpleNamespace(DEFAULTS={"a": 1, "b": 2})
    assert base.check_settings(known, {"b": 1, "d": 2, "c": 3}) == ["c", "d"]
    assert base.check_settings(SimpleNamespace(), {"any": 1}) == []


def test_what_is_said_of_the_data_is_rows():
    about = {
        "origin": "quick",
        "test_origin": "report",
        "positives": 3,
        "test_positives": 4,
        "source": "CoNLL",
        "odd": True,
    }
    rows = data_rows("e", Replicate("s", 2, {}, about | {"classes": ["a"]}))
    assert [(row["metric"], row["value"], row["data"]) for row in rows] == [
        ("positives", 3, "quick"),
        ("test_positives", 4, "report"),
    ]
    for row in rows:
        place = [row[name] for name in ("experiment", "scenario", "replicate", "method", "status", "reason")]
        assert place == ["e", "s", 2, "data", "ok", ""]
        assert row["params"] == '{"origin": "quick", "test_origin": "report", "source": "CoNLL"}'


def test_arrays_of_the_first_replicate_are_kept_for_figures_and_lists():
    tags = {"word": np.arange(3), "suspected": np.array([True, False, True])}
    train = Part(np.zeros((3, 1)), np.array([0, 1, 1]), None, None, np.array(["a", "b", "c"]), tags)
    test = Part(np.zeros((2, 1)), np.array([0, 1]), np.array([1, 1]))
    found = data_arrays(Replicate("s", 0, {"train": train, "test": test}, {}))
    assert {key: values.tolist() for key, values in found.items()} == {
        "s/data/0/labels": [0, 1, 1],
        "s/data/0/ids": ["a", "b", "c"],
        "s/data/0/tag.suspected": [True, False, True],
        "s/data/0/test_truth": [1, 1],
    }
    assert data_arrays(Replicate("s", 1, {"train": train}, {})) == {}
