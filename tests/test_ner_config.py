"""The config of named-entity recognition: what is wrong is refused before any job, and defaults are filled in."""

import pytest
from refusals import assert_refused
from shiftlr.config import ConfigError, complete, ner_method, ner_methods
from test_config import changed, small


def words(**ner):
    """The small config with named-entity recognition; keys that hold a dot change what lies deeper."""
    config = small()
    config["methods"]["svm"] = {"params": {"tol": 0.1}, "grid": {"C": [1.0]}}
    config["ner"] = {
        "labels": {"per_article": {}, "auto": {"lam": "share"}, "gold": {"like": "auto"}},
        "methods": {"robust": {}, "svm": {}},
    }
    return changed(config, {f"ner.{key}": value for key, value in ner.items()})


@pytest.mark.parametrize(
    ("key", "value", "wanted"),
    [
        ("lables", {}, ["ner", "unknown key 'lables'", "labels, lams"]),
        ("labels.turkr", {}, ["ner.labels", "'turkr' is not allowed", "turker, per_article, auto, gold"]),
        ("labels.auto", {"negative": 1}, ["ner.labels.auto", "unknown key 'negative'", "negatives_per_positive"]),
        ("labels.auto", {"lam": "guess"}, ["ner.labels.auto.lam", "'guess'", "folds, share"]),
        ("labels.auto", {"negatives": 0}, ["ner.labels.auto.negatives", "0", "minimum of 1"]),
        ("labels.gold", {"like": "turker"}, ["ner.labels.gold.like", "'turker'", "these do: per_article, auto"]),
        ("labels.gold", {"like": "gold"}, ["ner.labels.gold.like", "'gold'", "these do: per_article, auto"]),
        ("labels.per_article", {"like": "gold"}, ["ner.labels.per_article.like", "'gold'", "these do: auto"]),
        ("methods.forest", {}, ["ner.methods", "'forest' is not under `methods`", "standard, robust, svm"]),
        ("methods.svm", {"grid": {"D": [1.0]}}, ["ner.methods.svm.grid", "no parameter 'D'", "C, fit_intercept"]),
        ("methods.svm", {"params": {"D": 1.0}}, ["ner.methods.svm.params", "no parameter 'D'", "C, fit_intercept"]),
        ("methods.svm", {"title": "SVM"}, ["ner.methods.svm", "unknown key 'title'", "grid, params"]),
        ("rules", ["full", "guess"], ["ner.rules.1", "'guess'", "full, title, first, initials, alone, again"]),
        ("rules", [], ["ner.rules", "[]"]),
        ("scoring", "f2", ["ner.scoring", "'f2' is no scorer", "f1"]),
        ("lams", [0.1, 0.0], ["ner.lams.1", "0.0"]),
        ("folds", 1, ["ner.folds", "1", "minimum of 2"]),
        ("thinning", {"labels": "turker"}, ["ner.thinning.labels", "'turker'", "per_article, auto, gold"]),
        ("thinning", {"shares": [1.5]}, ["ner.thinning.shares.0", "1.5", "maximum of 1"]),
        ("curve", {"train": 0.7, "held_out": 0.5}, ["ner.curve", "1.2 of the articles together", "at most 1"]),
        ("curve", {"shares": [0.5]}, ["ner.curve.shares.0", "0.5"]),
    ],
)
def test_bad_settings_of_named_entity_recognition_are_refused(key, value, wanted):
    assert_refused(words(**{key: value}), wanted)


def test_named_entity_recognition_needs_the_method_standard():
    config = words()
    del config["methods"]["standard"]
    with pytest.raises(ConfigError, match=r"ner: needs the method 'standard' under `methods`"):
        complete(config | {"experiments": {}})


def test_without_labels_there_is_no_named_entity_recognition():
    ner = complete(small())["ner"]
    assert ner["labels"] == {} and ner["methods"] == {}
    complete({"ner": {"curve": {"train": 0.9, "held_out": 0.9}}})  # nothing that would use it


def test_defaults_of_named_entity_recognition_are_filled_in():
    ner = complete(words())["ner"]
    assert ner["folds"] == 5 and ner["scoring"] == "f1" and ner["thinning"]["labels"] == "per_article"
    assert ner["curve"]["train"] == 0.25 and "again" not in ner["rules"]
    assert ner["labels"]["gold"] == {
        "title": "gold",
        "negatives": None,
        "negatives_per_positive": 10,
        "lam": "folds",
        "like": "auto",
    }
    assert ner["methods"]["svm"] == {"params": {}, "grid": None}


def test_a_row_of_the_colon_table_may_be_called_like_a_set_of_labels():
    config = complete(words() | {"colon": {"rows": {"auto": {}}, "default": "auto"}})
    assert config["colon"]["rows"]["auto"]["title"] == config["ner"]["labels"]["auto"]["title"] == "auto"


def test_methods_of_named_entity_recognition_begin_with_standard_and_end_with_rivals():
    config = complete(words(**{"methods.svm": {"params": {"max_iter": 9}}}) | {"also": ["svm", "standard"]})
    assert ner_methods(config) == ["standard", "robust", "svm"]
    assert ner_method(config, "svm") == {
        "name": "svm",
        "method": "svm",
        "params": {"tol": 0.1, "max_iter": 9},
        "grid": {"C": [1.0]},
    }
    assert ner_method(config, "standard") == {"name": "standard", "method": "standard", "params": {}, "grid": None}
    other = complete(words(**{"methods.svm": {"params": {"tol": 0.2}, "grid": {}}}))
    assert ner_method(other, "svm") == {"name": "svm", "method": "svm", "params": {"tol": 0.2}, "grid": {}}
