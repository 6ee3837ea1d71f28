"""How labels are made wrong: each with the same chance, those of a region, or all of some groups."""

import numpy as np
import pytest
from made_up_words import make_parts
from scipy import sparse
from shiftbench.datasets.base import Part, flip
from shiftbench.noise import group, one_class, pairs, region, side, uniform

TRAIN = make_parts(n=400, wrong=0.0)["train"]
TYPES = TRAIN.tags["word"]
KINDS = {
    "uniform": lambda share: uniform(p0=share, p1=share),
    "group": lambda share: group(by="word", share=share),
}


def flipped(kind, share, seed, part=TRAIN):
    return flip(part, KINDS[kind](share)(part, np.random.default_rng(seed))).labels


@pytest.mark.parametrize("kind", KINDS)
def test_flips_depend_on_kind_share_and_seed_alone(kind):
    labels = flipped(kind, 0.3, 1)
    assert set(labels) <= {0, 1}
    assert np.array_equal(labels, flipped(kind, 0.3, 1))
    assert not np.array_equal(labels, flipped(kind, 0.3, 2))
    assert np.array_equal(flipped(kind, 0.0, 1), TRAIN.truth)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_uniform_flips_hit_every_word_alike(share):
    types, truth = np.tile(TYPES, 300), np.tile(TRAIN.truth, 300)
    wrong = flipped("uniform", share, 0, Part(None, truth, truth, tags={"word": types})) != truth
    assert wrong.mean() == pytest.approx(share, abs=0.01)
    assert np.array([wrong[types == word].mean() for word in np.unique(types)]) == pytest.approx(share, abs=0.1)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_flips_of_groups_take_all_examples_of_a_word_and_no_more_than_asked(share, seed):
    wrong = flipped("group", share, seed) != TRAIN.truth
    assert {wrong[word == TYPES].mean() for word in np.unique(TYPES)} == {0.0, 1.0}
    assert share - np.bincount(TYPES).min() / len(TYPES) - 0.01 < wrong.mean() <= share


def test_a_word_too_frequent_for_the_share_is_passed_over():
    types, truth = np.array([0] * 90 + [1] * 10), np.zeros(100, dtype=int)
    wrong = flipped("group", 0.1, 0, Part(None, truth, truth, tags={"word": types})) == 1
    assert np.array_equal(wrong, types == 1)


def test_words_that_are_wrong_in_the_train_set_are_wrong_in_the_development_set_too():
    flips, rng = group(by="word", share=0.3), np.random.default_rng(0)
    dev = make_parts(n=300, seed=5)["train"]
    train_wrong, dev_wrong = flips(TRAIN, rng), flips(dev, rng)
    assert np.array_equal(dev_wrong, np.isin(dev.tags["word"], TYPES[train_wrong])) and dev_wrong.any()


def test_a_tag_that_is_not_there_is_named():
    with pytest.raises(ValueError, match=r"by='article': the dataset has no such tag; it has word"):
        group(by="article", share=0.1)(TRAIN, np.random.default_rng(0))


@pytest.mark.parametrize(("p0", "p1"), [(0.3, 0.0), (0.1, 0.4), (0.0, 0.0), (1.0, 1.0)])
@pytest.mark.parametrize("kind", [bool, int])
def test_uniform_noise_flips_each_class_at_its_rate(p0, p1, kind):
    truth = (np.arange(40000) % 3 == 0).astype(kind)
    flips = uniform(p0=p0, p1=p1)(Part(None, truth, truth), np.random.default_rng(1))
    assert flips.dtype == bool
    for label, chance in ((0, p0), (1, p1)):
        of_class = flips[truth == label]
        assert abs(of_class.mean() - chance) <= 4.0 * np.sqrt(chance * (1.0 - chance) / len(of_class))


def test_what_was_given_counts_as_the_truth_where_nothing_else_is_known():
    labels = np.arange(100) % 2
    flips = uniform(p0=1.0, p1=0.0)
    rng = np.random.default_rng(0)
    assert flips(Part(None, labels), rng).tolist() == (labels == 0).tolist()
    assert flips(Part(None, labels, np.ones(100, dtype=int)), rng).tolist() == [False] * 100


@pytest.mark.parametrize("sparsely", [False, True])
def test_a_region_flips_examples_by_their_first_feature(sparsely):
    rng = np.random.default_rng(0)
    X, truth = rng.uniform(-5.0, 5.0, (20000, 2)), rng.random(20000) < 0.5
    part = Part(sparse.csr_array(X) if sparsely else X, truth, truth)
    inside = (X[:, 0] >= -4.0) & (X[:, 0] <= -1.0)
    all_negatives = region(low=-4.0, high=-1.0)(part, rng)
    np.testing.assert_array_equal(all_negatives, inside & ~truth)
    some = region(low=-4.0, high=-1.0, p0=0.3, p1=0.6)(part, rng)
    assert not some[~inside].any()
    assert some[inside & ~truth].mean() == pytest.approx(0.3, abs=0.04)
    assert some[inside & truth].mean() == pytest.approx(0.6, abs=0.04)


def test_a_region_draws_as_many_random_numbers_as_there_are_examples():
    """So that what is drawn after it does not depend on where the region is."""
    X = np.linspace(-1.0, 1.0, 50)[:, None]
    left = []
    for low in (-1.0, 0.5):
        rng = np.random.default_rng(0)
        region(low=low, high=1.0)(Part(X, np.zeros(50, dtype=int)), rng)
        left.append(rng.random())
    assert left[0] == left[1]


def of_five(n=50000, seed=3):
    truth = np.random.default_rng(seed).integers(5, size=n)
    return Part(np.zeros((n, 1)), truth, truth, n_classes=5)


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_uniform_noise_of_many_classes_takes_each_other_class_alike(share):
    part = of_five()
    labels = flip(part, uniform(share=share)(part, np.random.default_rng(1))).labels
    for true in range(5):
        found = np.bincount(labels[part.truth == true], minlength=5) / np.sum(part.truth == true)
        np.testing.assert_allclose(found, np.where(np.arange(5) == true, 1.0 - share, share / 4), atol=0.02)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_pairs_take_the_next_class_and_the_first_after_the_last(share):
    part = of_five()
    labels = flip(part, pairs(share=share)(part, np.random.default_rng(1))).labels
    wrong = labels != part.truth
    assert np.all(labels[wrong] == (part.truth[wrong] + 1) % 5)
    for true in range(5):
        assert wrong[part.truth == true].mean() == pytest.approx(share, abs=0.02)


def test_with_two_classes_a_share_is_both_rates_and_pairs_are_the_same():
    truth = np.arange(1000) % 2
    part = Part(None, truth, truth)
    drawn = [
        make(part, np.random.default_rng(5)) for make in (uniform(p0=0.3, p1=0.3), uniform(share=0.3), pairs(share=0.3))
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])
    np.testing.assert_array_equal(drawn[0], drawn[2])


def test_of_many_classes_groups_take_the_next_one():
    part = of_five(400)._replace(tags={"word": np.arange(400) % 20})
    wrong = group(by="word", share=0.3)(part, np.random.default_rng(0))
    labels = flip(part, wrong).labels
    np.testing.assert_array_equal(labels, np.where(wrong, (part.truth + 1) % 5, part.truth))
    assert wrong.any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (uniform(p0=0.3), r"uniform: flips two classes .* and there are 5; give share instead of p0 and p1"),
        (region(low=0.0, high=1.0), r"region: flips two classes .*, and there are 5; use uniform, pairs or group"),
    ],
)
def test_rates_of_two_classes_are_refused_for_more(make, message):
    with pytest.raises(ValueError, match=message):
        make(of_five(10), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: uniform(share=0.1, p1=0.2), r"share=0\.1: holds for all classes; leave out p0 and p1"),
        (lambda: uniform(share=-0.1), r"share=-0\.1: must be a number from 0 to 1"),
        (lambda: pairs(share=2), r"share=2: must be a number from 0 to 1"),
        (lambda: uniform(p0=1.5), r"p0=1\.5: must be a number from 0 to 1"),
        (lambda: uniform(p1=True), r"p1=True: must be a number from 0 to 1"),
        (lambda: uniform(p1=float("nan")), r"p1=nan: must be"),
        (lambda: uniform(p0="0.1"), r"p0='0\.1': must be"),
        (lambda: region(low=1.0, high=0.0), r"low=1\.0, high=0\.0: must be two numbers, the smaller one first"),
        (lambda: region(low=0.0, high=None), r"high=None: must be two numbers"),
        (lambda: region(low=0.0, high=1.0, p0=-1), r"p0=-1: must be"),
        (lambda: group(by="word", share=2), r"share=2: must be a number from 0 to 1"),
    ],
)
def test_bad_settings_are_refused_when_the_noise_is_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_groups_are_drawn_for_each_replicate_that_makes_its_noise_anew():
    drawn = []
    for seed in range(5):
        wrong = group(by="word", share=0.3)(TRAIN, np.random.default_rng(seed))
        drawn.append(frozenset(TYPES[wrong].tolist()))
    assert len(set(drawn)) == 5


def test_no_group_is_drawn_for_no_share_and_all_for_the_whole():
    assert not group(by="word", share=0.0)(TRAIN, np.random.default_rng(0)).any()
    assert group(by="word", share=1.0)(TRAIN, np.random.default_rng(0)).all()


def many(n=4000, n_classes=3, seed=0):
    """Examples of several classes, which say nothing of their class."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(n_classes, size=n)
    return Part(rng.normal(size=(n, 5)), truth, truth, n_classes=n_classes)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_flips_of_one_class_go_to_the_next(n_classes):
    part = many(n_classes=n_classes)
    last = n_classes - 1
    labels = flip(part, one_class(of=last, share=0.3)(part, np.random.default_rng(1))).labels
    wrong = labels != part.truth
    assert set(part.truth[wrong]) == {last} and set(labels[wrong]) == {0}
    assert wrong[part.truth == last].mean() == pytest.approx(0.3, abs=0.04)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_flips_of_one_side_are_the_wanted_share_and_lie_apart_from_the_others(n_classes, kind):
    part = many(n_classes=n_classes)
    part = part._replace(X=kind(part.X))
    labels = flip(part, side(share=0.1, within=0.4)(part, np.random.default_rng(2))).labels
    wrong = labels != part.truth
    assert wrong.mean() == pytest.approx(0.1, abs=0.015)
    direction = np.random.default_rng(2).normal(size=5)
    far = np.argsort(-(part.X @ direction))
    assert not wrong[far[1000:]].any() and wrong[far[:1000]].mean() == pytest.approx(0.4, abs=0.06)
    moved = (labels - part.truth)[wrong] % n_classes
    assert set(moved) == set(range(1, n_classes))  # to each of the others


def test_no_share_of_a_side_is_nothing():
    part = many()
    assert not side(share=0.0, within=0.0)(part, np.random.default_rng(0)).any()
    assert not side(share=0.0, within=0.4)(part, np.random.default_rng(0)).any()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: one_class(of=-1, share=0.1), "of=-1: must be the number of a class"),
        (lambda: one_class(of=True, share=0.1), "of=True: must be"),
        (lambda: one_class(of=0, share=1.5), r"share=1\.5: must be a number from 0 to 1"),
        (
            lambda: one_class(of=3, share=0.1)(many(), np.random.default_rng(0)),
            "of=3: there are 3 classes, from 0 to 2",
        ),
        (lambda: side(share=0.5, within=0.4), r"share=0\.5, within=0\.4: no more can be flipped"),
        (lambda: side(share=0.1, within=2), "within=2: must be"),
    ],
)
def test_bad_settings_of_both_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
