"""Simulated data: what a replicate depends on, the distributions, wrong labels, and blocks on disk."""

import numpy as np
import pytest
from shiftlr.config import complete, data_settings
from shiftlr.datasets.simulate import GENERATORS, draw, read_block, write_block


def scenario(**settings):
    """A scenario with the defaults for what is not given."""
    experiment = {"methods": ["standard"], "scenarios": {"s": {"row": ["s"], **settings}}}
    config = complete({"methods": {"standard": {}}, "experiments": {"e": experiment}})
    return data_settings(config["experiments"]["e"]["scenarios"]["s"])


SMALL = scenario(features=3, train=40, dev=30, test=20, p0=0.2, p1=0.1)


def assert_same(one, other):
    assert one.number == other.number
    for part, other_part in zip(one[1:], other[1:], strict=True):
        for values, other_values in zip(part, other_part, strict=True):
            np.testing.assert_array_equal(values, other_values)


def draw_large(**settings):
    """One training set large enough to look at its shares and means."""
    return draw("e.s", scenario(**{"train": 40000, "dev": 1, "test": 1} | settings), 0, 0).train


def near_share(share, expected, n):
    """Within four standard deviations of the binomial distribution."""
    return abs(share - expected) <= 4.0 * np.sqrt(expected * (1.0 - expected) / n)


def test_a_replicate_is_the_same_in_every_block(tmp_path):
    blocks = [range(0, 6), range(3, 5), range(4, 5)]
    found = []
    for block in blocks:
        path = tmp_path / f"{block.start}-{block.stop}.npz"
        write_block(path, "e.s", SMALL, 7, block)
        found += [replicate for replicate in read_block(path) if replicate.number == 4]
    assert len(found) == len(blocks)
    for replicate in found:
        assert_same(replicate, draw("e.s", SMALL, 7, 4))


@pytest.mark.parametrize(("name", "seed", "number"), [("e.t", 7, 4), ("f.s", 7, 4), ("e.s", 8, 4), ("e.s", 7, 5)])
def test_other_names_seeds_and_numbers_give_other_data(name, seed, number):
    ours, other = draw("e.s", SMALL, 7, 4), draw(name, SMALL, seed, number)
    for part, other_part in zip(ours[1:], other[1:], strict=True):
        assert not np.isin(part.X, other_part.X).any()


def test_the_order_of_settings_does_not_matter():
    assert_same(draw("e.s", SMALL, 7, 4), draw("e.s", dict(reversed(SMALL.items())), 7, 4))


@pytest.mark.parametrize("distribution", ["uniform", "normal"])
def test_sets_do_not_share_examples(distribution):
    replicate = draw("e.s", SMALL | {"distribution": distribution}, 7, 0)
    assert [part.X.shape for part in replicate[1:]] == [(40, 3), (30, 3), (20, 3)]
    values = np.concatenate([part.X.ravel() for part in replicate[1:]])
    assert len(np.unique(values)) == len(values)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize(("p0", "p1"), [(0.3, 0.0), (0.1, 0.4), (0.0, 0.0), (1.0, 1.0)])
def test_labels_are_flipped_as_often_as_asked(generator, p0, p1):
    part = draw_large(generator=generator, features=2, p0=p0, p1=p1)
    flipped = part.labels != part.truth
    for truth, chance in ((False, p0), (True, p1)):
        of_class = flipped[part.truth == truth]
        assert near_share(of_class.mean(), chance, len(of_class))


@pytest.mark.parametrize("generator", GENERATORS)
def test_test_labels_are_never_flipped(generator):
    settings = scenario(generator=generator, features=2, p0=1.0, p1=1.0, flip_between=[-5.0, 5.0])
    replicate = draw("e.s", settings, 7, 0)
    np.testing.assert_array_equal(replicate.test.labels, replicate.test.truth)
    assert np.any(replicate.train.labels != replicate.train.truth)
    assert np.any(replicate.dev.labels != replicate.dev.truth)


@pytest.mark.parametrize(("low", "high"), [(-5.0, -4.0), (-1.0, 0.5)])
def test_flip_between_flips_exactly_the_negatives_of_the_region(low, high):
    part = draw_large(features=2, flip_between=[low, high])
    inside = (part.X[:, 0] >= low) & (part.X[:, 0] <= high)
    assert np.any(inside & part.truth) and np.any(inside & ~part.truth)
    np.testing.assert_array_equal(part.labels != part.truth, inside & ~part.truth)


def test_flip_between_comes_on_top_of_p0():
    part = draw_large(features=1, p0=0.3, flip_between=[-5.0, -4.0])
    inside = part.X[:, 0] <= -4.0
    flipped = part.labels != part.truth
    assert flipped[inside & ~part.truth].all()
    outside = flipped[~inside & ~part.truth]
    assert near_share(outside.mean(), 0.3, len(outside))


def test_logistic_labels_follow_the_relevant_features_only():
    part = draw_large(features=4, relevant=2)
    chances = 1.0 / (1.0 + np.exp(-2.0 * part.X[:, :2].sum(axis=1)))
    for low in np.arange(0.0, 1.0, 0.25):
        within = (chances >= low) & (chances < low + 0.25)
        n = within.sum()
        assert near_share(part.truth[within].mean(), chances[within].mean(), n)
    others = part.X[:, 2:]
    assert np.all(np.abs(others[part.truth].mean(axis=0) - others[~part.truth].mean(axis=0)) < 0.12)


@pytest.mark.parametrize(("distribution", "sd", "most"), [("uniform", 10.0 / np.sqrt(12.0), 5.0), ("normal", 1.0, 6.0)])
def test_distribution_of_the_features(distribution, sd, most):
    X = draw_large(features=3, distribution=distribution).X
    np.testing.assert_allclose(X.std(axis=0), sd, rtol=0.02)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=4.0 * sd / np.sqrt(len(X)))
    assert np.abs(X).max() <= most


def test_two_gaussians():
    part = draw_large(generator="two_gaussians", features=2)
    assert near_share(part.truth.mean(), 0.5, len(part.truth))
    for truth, mean, variance in ((True, 0.0, 1.0), (False, 1.0, 1.5)):
        X = part.X[part.truth == truth]
        np.testing.assert_allclose(X.mean(axis=0), mean, atol=4.0 * np.sqrt(variance / len(X)))
        np.testing.assert_allclose(np.cov(X.T), variance * np.eye(2), atol=0.06)


def test_density_ratio_has_few_positives():
    assert draw_large(generator="density_ratio", features=50).truth.mean() == pytest.approx(0.014, abs=0.002)


def test_density_ratio_labels_follow_the_ratio_of_the_densities():
    from scipy.stats import multivariate_normal

    part = draw_large(generator="density_ratio", features=2)
    positive = multivariate_normal([2.0, 2.0], np.eye(2)).pdf(part.X)
    negative = multivariate_normal([-2.0, -2.0], 2.0 * np.eye(2)).pdf(part.X)
    chances = positive / (positive + negative)
    for low, high in ((0.0, 0.1), (0.1, 0.5), (0.5, 0.9), (0.9, 1.0)):
        within = (chances >= low) & (chances <= high)
        assert near_share(part.truth[within].mean(), chances[within].mean(), within.sum())


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_block_reads_as_it_was_drawn(generator, tmp_path):
    settings = SMALL | {"generator": generator}
    write_block(tmp_path / "2-4.npz", "e.s", settings, 7, range(2, 5))
    replicates = list(read_block(tmp_path / "2-4.npz"))
    assert [replicate.number for replicate in replicates] == [2, 3, 4]
    for replicate in replicates:
        assert_same(replicate, draw("e.s", settings, 7, replicate.number))


def test_a_block_holds_the_labels(tmp_path):
    write_block(tmp_path / "0-1.npz", "e.s", SMALL, 7, range(2))
    with np.load(tmp_path / "0-1.npz") as block:
        for part, kind, n in (("train", "labels", 40), ("dev", "truth", 30), ("test", "truth", 20)):
            stored = np.unpackbits(block[f"{part}_{kind}"], axis=1, count=n).astype(bool)
            for number in range(2):
                drawn = getattr(draw("e.s", SMALL, 7, number), part)
                np.testing.assert_array_equal(stored[number], getattr(drawn, kind))


def test_a_block_that_no_longer_draws_the_same_is_refused(tmp_path):
    path = tmp_path / "0-2.npz"
    write_block(path, "e.s", SMALL, 7, range(3))
    with np.load(path) as block:
        arrays = dict(block)
    arrays["sha256"][1] = "0" * 64
    np.savez_compressed(path, **arrays)
    replicates = read_block(path)
    assert_same(next(replicates), draw("e.s", SMALL, 7, 0))
    with pytest.raises(ValueError, match=r"0-2\.npz: replicate 1 is not what it was .* Delete the file and run again"):
        next(replicates)


@pytest.mark.parametrize("kind", ["train_labels", "train_truth", "dev_labels", "dev_truth", "test_truth"])
def test_a_block_with_other_labels_than_it_draws_is_refused(tmp_path, kind):
    path = tmp_path / "0-1.npz"
    write_block(path, "e.s", SMALL, 7, range(2))
    with np.load(path) as block:
        arrays = dict(block)
    arrays[kind][1, 0] ^= 128
    np.savez_compressed(path, **arrays)
    with pytest.raises(ValueError, match="replicate 1 is not what it was"):
        list(read_block(path))


def test_a_failed_write_leaves_no_file(tmp_path, monkeypatch):
    def half(file, **_):
        file.write(b"PK")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", half)
    with pytest.raises(OSError, match="disk full"):
        write_block(tmp_path / "0-1.npz", "e.s", SMALL, 7, range(2))
    assert list(tmp_path.iterdir()) == []
