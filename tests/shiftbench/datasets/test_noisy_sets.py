"""What all sets with real label noise have in common, on their stand-ins."""

import json
from pathlib import Path

import numpy as np
import pytest
from noisy_sets import DESCRIBED, EVERY, SETS, load, module_of, standins, write_source
from scipy import sparse
from shiftbench import plugins
from shiftbench.datasets import base
from shiftbench.datasets.ner import words
from shiftbench.fetch import sources

__all__ = ["standins"]  # a fixture


def dense(X):
    return X.toarray() if sparse.issparse(X) else X


def test_all_sets_with_the_given_labels_of_others_are_tried_here():
    made = {"colon", "conll_person", "file", "planted", "simulated"}
    assert set(plugins.files("datasets")) - made == set(SETS)


@pytest.mark.parametrize(("name", "settings"), EVERY)
def test_parts_of_every_set(standins, name, settings):
    parts, about = load(name, standins(name), **settings)
    assert list(parts) == ["train", "dev", "test"]
    n_classes = len(about["classes"])
    assert all(isinstance(one, str) for one in about["classes"]) and about["origin"] == "standin"
    for part in parts.values():
        n, m = part.X.shape
        assert n == len(part.labels) and m == parts["train"].X.shape[1]
        assert sparse.issparse(part.X) == (name not in ("labelme_crowd", "music_genre_crowd"))
        assert part.X.dtype == float and np.isfinite(dense(part.X)).all()
        for codes in (part.labels, part.truth):
            assert codes is None or (codes.dtype.kind == "i" and set(codes) <= set(range(n_classes)))
    found = set(parts["train"].labels), set(parts["test"].truth)
    if name not in ("noisebench", "official_conll"):  # made-up news has two kinds of names only
        assert found == (set(range(n_classes)), set(range(n_classes)))
    np.testing.assert_array_equal(parts["test"].labels, parts["test"].truth)
    assert set(parts["train"].ids).isdisjoint(parts["dev"].ids)
    if parts["train"].groups is not None:
        assert set(parts["train"].groups).isdisjoint(parts["dev"].groups)
    share = len(parts["dev"].labels) / (len(parts["dev"].labels) + len(parts["train"].labels))
    assert 0.1 < share < 0.3
    json.dumps(about)  # it is kept in a file


@pytest.mark.parametrize(("name", "settings"), EVERY)
def test_features_are_those_of_the_training_set(standins, name, settings):
    train = load(name, standins(name), **settings)[0]["train"]
    X = dense(train.X)
    if sparse.issparse(train.X):
        assert isinstance(train.X, sparse.csr_array) and (X != 0.0).any(axis=0).all()
    else:
        np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=1e-12)
        np.testing.assert_allclose(X.std(axis=0), 1.0)


@pytest.mark.parametrize(("name", "settings"), EVERY)
def test_sets_follow_from_the_seed(standins, name, settings):
    (one, about), (same, about_same), (other, _) = (load(name, standins(name), seed, **settings) for seed in (3, 3, 4))
    assert about == about_same
    for part in one:
        np.testing.assert_array_equal(dense(one[part].X), dense(same[part].X))
        np.testing.assert_array_equal(one[part].labels, same[part].labels)
    assert set(other["dev"].ids) != set(one["dev"].ids)
    if settings.get("sentences") != "adjudicated":
        np.testing.assert_array_equal(other["test"].truth, one["test"].truth)


@pytest.mark.parametrize("name", SETS)
def test_two_classes_can_be_drawn_as_a_replicate(standins, name):
    settings = next((one for one in SETS[name] if len(load(name, standins(name), **one)[1]["classes"]) == 2), None)
    if settings is None:
        assert name in ("labelme_crowd", "music_genre_crowd")
        return
    module = module_of(name)
    given = module.DEFAULTS | settings | {"folders": standins(name)}
    replicate = base.draw(module, given, None, base.seed_of("e.s", 0, 1), "s", 0)
    assert replicate.about["positives"] == replicate.parts["train"].labels.sum()
    truth = replicate.parts["train"].truth
    assert ("mislabelled" in replicate.about) == (truth is not None)
    assert truth is None or replicate.about["mislabelled"] == np.mean(replicate.parts["train"].labels != truth)


WORDS = {
    "crowdtruth_medical": ("relation", "sentences"),
    "labelme_crowd": ("answers",),
    "music_genre_crowd": ("answers",),
    "noisebench": ("noise", "classes", "test", "feature_set"),
    "official_conll": ("classes", "test", "feature_set"),
    "sentiment_crowd": ("answers",),
    "wikipedia": ("test", "feature_set"),
    "wrench": ("set",),
}


@pytest.mark.parametrize("name", SETS)
def test_settings_that_are_not_allowed_are_named(name):
    module = module_of(name)
    assert set(WORDS[name]) == {key for key, value in module.DEFAULTS.items() if isinstance(value, str)}
    for setting in WORDS[name]:
        for value in ("nothing_like_it", ["llm"], None, 3):
            (said,) = module.check(module.DEFAULTS | {setting: value})
            assert said.startswith(f"{setting}: {value!r} is not allowed; allowed are ")
    for setting in [key for key, value in module.DEFAULTS.items() if isinstance(value, float)]:
        for share in (0, 1, -0.2, True, "half", None):
            (said,) = module.check(module.DEFAULTS | {setting: share})
            assert said == f"{setting}: {share!r} must be a number above 0 and below 1"


def test_numbers_of_words_are_checked():
    wikipedia = module_of("wikipedia")
    for value in (0, -1, 2.5, True, "many"):
        (said,) = wikipedia.check(wikipedia.DEFAULTS | {"negatives": value})
        assert said == f"negatives: {value!r} must be a whole number, at least 1, or null"


def test_where_only_some_files_of_words_are_real_stand_ins_take_the_place_of_all(standins, tmp_path, caplog):
    made = standins("noisebench")
    mixed = made | {"noisebench": write_source(tmp_path, "noisebench", "real")}
    (Path(mixed["noisebench"]) / "noise_llm.traindev").write_text("[TOK]\tB-PER\n")  # fits no made-up text
    parts, about = load("noisebench", mixed)
    assert about["origin"] == about["test_origin"] == "standin"
    np.testing.assert_array_equal(parts["train"].labels, load("noisebench", made)[0]["train"].labels)
    assert words.fitting(made) == made and words.fitting(mixed) == words.fitting(mixed) != mixed


def test_every_source_of_words_that_fit_together_has_its_stand_in():
    every = {source for name in ("noisebench", "official_conll") for source in module_of(name).SOURCES}
    writers = {name: writer.__module__ for name, writer in words._STANDINS.items()}
    assert writers == {name: sources.standin_module(DESCRIBED[name]) for name in every}


@pytest.mark.parametrize(("name", "settings"), EVERY)
def test_real_files_are_marked_as_other_data_than_the_reports(standins, tmp_path, name, settings):
    kinds = {source: write_source(tmp_path, source, "real") for source in module_of(name).SOURCES}
    if "conll2003" in kinds and name == "wikipedia":
        kinds["conll2003"] = standins(name)["conll2003"]  # a real one must have the report's counts
    about = load(name, kinds, **settings)[1]
    assert about["origin"] == "other"
    to_conll = name == "wikipedia" and settings.get("test") != "wikigold"
    assert about["test_origin"] == ("standin" if to_conll else "other")
