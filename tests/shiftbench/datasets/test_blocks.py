"""Blocks of replicates on disk: what is written is read again, whatever block it is in, or refused."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from shiftbench import plugins
from shiftbench.datasets import base, blocks

PLUGIN = """
import numpy as np
from scipy import sparse
from shiftbench.datasets.base import Part

DEFAULTS = {"form": "dense", "known": True, "n": 12}
FORMS = {
    "dense": np.asarray,
    "ones": lambda X: sparse.csr_array((X > 0.0).astype(float)),
    "sparse": lambda X: sparse.csr_array(np.where(X > 0.0, X, 0.0)),
    "columns": lambda X: sparse.csc_array(np.where(X > 0.0, X, 0.0)),
    "whole": lambda X: sparse.csr_matrix((X > 0.0).astype(np.int64)),
    "empty": lambda X: sparse.csr_array(np.zeros_like(X)),
}


def load(settings, rng):
    parts = {}
    for name in ("train", "dev", "test"):
        n = settings["n"]
        X, labels = FORMS[settings["form"]](rng.normal(size=(n, 4))), rng.integers(2, size=n)
        tags = {"word": rng.integers(5, size=n), "odd": rng.random(n) < 0.5}
        more = (rng.integers(3, size=n), np.array([f"{name} {k}" for k in range(n)]), tags) if name == "train" else ()
        parts[name] = Part(X, labels, labels if settings["known"] else None, *more)
    return parts | {"about": {"origin": "other", "drawn": rng.integers(9), "source": "made up"}}
"""
FORMS = ("dense", "ones", "sparse", "columns", "whole", "empty")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A plug-in dataset, stored whole."""
    made = tmp_path_factory.mktemp("plugins")
    (made / "datasets").mkdir()
    (made / "datasets" / "made_up.py").write_text(PLUGIN)
    return str(made)


def job(folder=None, segments=(("s", 0, 2),), noise=None, shared_seed=None, **data):
    """What a job is told: of the plug-in dataset, or of the simulated one without a folder."""
    if folder is None:
        data = {"features": 3, "train": 40, "dev": 30, "test": 20} | data
        noise = noise or {"kind": "uniform", "p0": 0.2, "p1": 0.1}
    names = dict.fromkeys(name for name, _, _ in segments)
    return {
        "experiment": "e",
        "dataset": "made_up" if folder else "simulated",
        "plugins": folder,
        "folders": {},
        "seed": 7,
        "shared_seed": shared_seed,
        "segments": [list(segment) for segment in segments],
        "scenarios": {name: {"data": data, "noise": noise} for name in names},
    }


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def assert_same(one, other):
    assert (one.scenario, one.number, list(one.parts)) == (other.scenario, other.number, list(other.parts))
    assert one.about == other.about
    for name, part in one.parts.items():
        twin = other.parts[name]
        np.testing.assert_array_equal(dense(part.X), dense(twin.X))
        assert sparse.issparse(part.X) == sparse.issparse(twin.X)
        for field in ("labels", "truth", "groups", "ids"):
            values, others = getattr(part, field), getattr(twin, field)
            assert (values is None) == (others is None)
            if values is not None:
                np.testing.assert_array_equal(values, others)
                assert values.dtype == others.dtype
        assert part.tags.keys() == twin.tags.keys()
        for tag, values in part.tags.items():
            np.testing.assert_array_equal(values, twin.tags[tag])


def drawn(about):
    return list(blocks.draw_all(about))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("known", [True, False])
def test_a_block_that_is_stored_whole_reads_as_it_was_drawn(folder, form, known, tmp_path):
    about = job(folder, form=form, known=known)
    kept = blocks.write(tmp_path / "0.npz", about)
    read = list(blocks.read(tmp_path / "0.npz"))
    assert len(read) == 3
    for one, other, wanted in zip(read, kept, drawn(about), strict=True):
        assert_same(one, wanted)
        assert_same(one, other)
        assert base.checksum(one) == base.checksum(wanted)
    with np.load(tmp_path / "0.npz") as stored:  # features that are all ones are told by their places
        fields = json.loads(str(stored["recipe"]))["replicates"][0]["parts"]["train"]
        assert ("X.values" in fields) == (form in ("sparse", "columns"))


def test_a_block_of_redrawn_data_reads_as_it_was_drawn_and_holds_labels_only(tmp_path):
    about = job(segments=(("s", 2, 4), ("t", 0, 0)))
    kept = blocks.write(tmp_path / "0.npz", about)
    read = list(blocks.read(tmp_path / "0.npz"))
    assert [(one.scenario, one.number) for one in read] == [("s", 2), ("s", 3), ("s", 4), ("t", 0)]
    for one, wanted in zip(read, drawn(about), strict=True):
        assert_same(one, wanted)
    assert all(part.X.shape == (len(part.labels), 0) for one in kept for part in one.parts.values())
    assert [one.about for one in kept] == [one.about for one in read]
    with np.load(tmp_path / "0.npz") as stored:
        assert not any("X" in name for name in stored.files)
        for part, kind, n in (("train", "labels", 40), ("dev", "truth", 30), ("test", "truth", 20)):
            bits = np.unpackbits(stored[f"s/{part}/{kind}"], axis=1, count=n).astype(bool)
            for k in range(3):
                np.testing.assert_array_equal(bits[k], getattr(read[k].parts[part], kind))


@pytest.mark.parametrize("classes", [3, 300])
@pytest.mark.parametrize("stored_whole", [True, False])
def test_more_than_two_classes_read_as_they_were_drawn(classes, stored_whole, tmp_path):
    about = job(noise={"kind": "uniform", "share": 0.2}, generator="softmax", classes=classes)
    redrawn = pytest.MonkeyPatch()
    redrawn.setattr(blocks.dataset_of(about), "REDRAWN", not stored_whole)
    try:
        blocks.write(tmp_path / "0.npz", about)
        read = list(blocks.read(tmp_path / "0.npz"))
    finally:
        redrawn.undo()
    for one, wanted in zip(read, drawn(about), strict=True):
        assert_same(one, wanted)
        assert {part.n_classes for part in one.parts.values()} == {classes}
        assert one.parts["train"].labels.max() > 1


@pytest.mark.parametrize("stored_whole", [True, False])
def test_only_scenarios_that_are_wanted_are_read(folder, stored_whole, tmp_path, monkeypatch):
    about = job(folder if stored_whole else None, segments=(("s", 0, 1), ("t", 0, 1), ("u", 0, 0)))
    blocks.write(tmp_path / "0.npz", about)
    wanted = [one for one in drawn(about) if one.scenario in ("s", "u")]
    draw, asked = blocks.draw, []
    monkeypatch.setattr(blocks, "draw", lambda *words: asked.append(words[2]) or draw(*words))
    read = list(blocks.read(tmp_path / "0.npz", {"u": 1, "s": 2}))
    for one, other in zip(read, wanted, strict=True):
        assert_same(one, other)
    assert "t" not in asked and bool(asked) != stored_whole


@settings(max_examples=15)
@given(st.integers(0, 7), st.integers(0, 4), st.booleans(), st.booleans(), st.sampled_from([None, 3]))
def test_a_replicate_is_the_same_whatever_block_it_is_in(folder, first, more, stored_whole, others, shared_seed):
    segments = [("r", 0, 2)] * others + [("s", first, 7 + more)] + [("t", 0, 1)] * others
    place = folder if stored_whole else None
    noise = {"kind": "uniform", "p0": 0.4, "p1": 0.4}
    found = [one for one in drawn(job(place, segments, noise, shared_seed)) if (one.scenario, one.number) == ("s", 7)]
    alone = drawn(job(place, [("s", 7, 7)], noise, shared_seed))
    assert len(found) == len(alone) == 1
    assert_same(found[0], alone[0])


def test_scenarios_draw_other_data_unless_they_share_a_seed(folder):
    segments = (("s", 0, 0), ("t", 0, 0))
    one, other = drawn(job(folder, segments))
    assert not np.isin(one.parts["train"].X, other.parts["train"].X).any()
    one, other = drawn(job(folder, segments, shared_seed=4))
    np.testing.assert_array_equal(one.parts["train"].X, other.parts["train"].X)


def test_data_are_drawn_with_the_dataset_s_defaults_and_the_folders(folder, tmp_path):
    about = job(folder) | {"folders": {"alon1999": "here"}}
    asked = []
    dataset = blocks.dataset_of(about)
    load = dataset.load
    try:
        dataset.load = lambda settings, rng: asked.append(settings) or load(settings, rng)
        blocks.draw(about, dataset, "s", 0)
    finally:
        dataset.load = load
    assert asked == [{"form": "dense", "known": True, "n": 12, "folders": {"alon1999": "here"}}]


def test_noise_is_made_anew_for_each_replicate(folder):
    about = job(folder, noise={"kind": "group", "by": "word", "share": 0.4}, n=60)
    about["segments"] = [["s", 0, 5]]
    dataset = blocks.dataset_of(about)
    dataset_load = dataset.load

    def load(settings, rng):
        parts = dataset_load(settings, rng)
        return {"train": parts["train"]}

    try:
        dataset.load = load
        found = drawn(about)
    finally:
        dataset.load = dataset_load
    groups = []
    for one in found:
        train = one.parts["train"]
        groups.append(frozenset(train.tags["word"][train.labels != train.truth].tolist()))
    assert len(set(groups)) > 1


def tamper(path, change):
    with np.load(path) as stored:
        arrays = dict(stored)
    change(arrays)
    np.savez_compressed(path, **arrays)


def change_recipe(arrays, change):
    recipe = json.loads(str(arrays["recipe"]))
    change(recipe["replicates"])
    arrays["recipe"] = np.array(json.dumps(recipe))


def test_a_block_that_no_longer_has_its_checksum_is_refused(tmp_path):
    path, about = tmp_path / "0.npz", job()
    blocks.write(path, about)
    tamper(path, lambda arrays: change_recipe(arrays, lambda found: found[1].update(sha256="0" * 64)))
    replicates = blocks.read(path)
    assert_same(next(replicates), drawn(about)[0])
    message = r"0\.npz: replicate 1 of s is not what it was .* another numpy .* Delete the file and run again"
    with pytest.raises(ValueError, match=message):
        next(replicates)


def test_what_replicates_have_in_common_is_stored_once(folder, tmp_path):
    about = job(folder, shared_seed=0)  # scenarios draw alike
    blocks.write(tmp_path / "one.npz", about)
    about["scenarios"]["again"] = about["scenarios"]["s"]
    about["segments"] = [["s", 0, 2], ["again", 0, 2]]
    blocks.write(tmp_path / "both.npz", about)
    with np.load(tmp_path / "one.npz") as one, np.load(tmp_path / "both.npz") as both:
        assert len(one.files) == len(both.files)
    read = list(blocks.read(tmp_path / "both.npz"))
    for left, right in zip(read[:3], read[3:], strict=True):
        assert_same(left, right._replace(scenario="s"))


@pytest.mark.parametrize(
    "kind", ["train/labels", "train/truth", "dev/labels", "dev/truth", "test/labels", "test/truth"]
)
def test_a_block_with_other_labels_than_it_draws_is_refused(tmp_path, kind):
    path = tmp_path / "0.npz"
    blocks.write(path, job())

    def change(arrays):
        arrays[f"s/{kind}"][1, 0] ^= 128

    tamper(path, change)
    with pytest.raises(ValueError, match="replicate 1 of s is not what it was"):
        list(blocks.read(path))


@pytest.mark.parametrize("field", ["X", "labels", "truth"])
def test_a_block_with_other_values_than_were_stored_is_refused(folder, tmp_path, field):
    path = tmp_path / "0.npz"
    blocks.write(path, job(folder))

    def change(arrays):
        recipe = json.loads(str(arrays["recipe"]))
        values = arrays[recipe["replicates"][2]["parts"]["dev"][field]]
        values.flat[0] = 1 - values.flat[0]

    tamper(path, change)
    with pytest.raises(ValueError, match="replicate 2 of s is not what it was"):
        list(blocks.read(path))


def test_a_failed_write_leaves_no_file(tmp_path, monkeypatch):
    def half(file, **_):
        file.write(b"PK")
        raise OSError("disk full")

    monkeypatch.setattr(np, "savez_compressed", half)
    with pytest.raises(OSError, match="disk full"):
        blocks.write(tmp_path / "0.npz", job())
    assert list(tmp_path.iterdir()) == []


def test_a_block_is_the_same_file_every_time(folder, tmp_path):
    for about in (job(folder, form="sparse"), job()):
        blocks.write(tmp_path / "a.npz", about)
        blocks.write(tmp_path / "b.npz", about)
        with np.load(tmp_path / "a.npz") as one, np.load(tmp_path / "b.npz") as other:
            assert one.files == other.files and all(np.array_equal(one[name], other[name]) for name in one.files)


def test_the_plug_in_is_the_one_that_was_asked_for(folder):
    assert plugins.load_file("datasets", "made_up", folder).__file__.startswith(folder)
