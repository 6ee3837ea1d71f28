"""Settings of data, noise and tuning: what is wrong is refused before any job."""

import pytest
from refusals import assert_refused, refusals
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from small_config import ONE, SCENARIO, changed, small

DATA, NOISE, TUNING = f"{SCENARIO}.data", f"{SCENARIO}.noise", f"{SCENARIO}.tuning"


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        (DATA, {"featurs": 3}, [f"{DATA}.featurs", "unknown", "simulated has classes, dev, distribution, features"]),
        (DATA, {"relevant": 5}, [f"{DATA}.relevant", "5 must be", "from 1 to the 4 features"]),
        (DATA, {"relevant": True}, [f"{DATA}.relevant", "True", "whole number"]),
        (DATA, {"train": 1}, [f"{DATA}.train", "1 must be a whole number, at least 2"]),
        (DATA, {"train": 2.5}, [f"{DATA}.train", "2.5 must be a whole number"]),
        (DATA, {"features": "many"}, [f"{DATA}.features", "'many' must be a whole number, at least 1"]),
        (DATA, {"generator": "linear"}, [f"{DATA}.generator", "'linear'", "two_gaussians, density_ratio"]),
        (DATA, {"distribution": "cauchy"}, [f"{DATA}.distribution", "'cauchy'", "uniform, normal"]),
        (NOISE, {"p2": 0.1}, [NOISE, "uniform has no setting 'p2'", "it has p0, p1"]),
        (
            NOISE,
            {"kind": "drift"},
            [f"{NOISE}.kind", "no noise 'drift'", "one_class, pairs, region, side, uniform"],
        ),
        (NOISE, {"kind": 3}, [f"{NOISE}.kind", "no noise '3'", "one_class, pairs, region, side, uniform"]),
        (NOISE, {"share": 2}, [f"{NOISE}.share=2", "must be a number from 0 to 1"]),
        (NOISE, {"p0": 0.1, "share": 0.2}, [f"{NOISE}.share=0.2", "holds for all classes; leave out p0 and p1"]),
        (DATA, {"classes": 3}, [f"{DATA}.classes", "3 are too many for logistic"]),
        (NOISE, {"p0": 2}, [f"{NOISE}.p0=2", "must be a number from 0 to 1"]),
        (NOISE, {"p1": -0.1}, [f"{NOISE}.p1=-0.1", "must be a number from 0 to 1"]),
        (NOISE, {"p1": "0.1"}, [f"{NOISE}.p1='0.1'", "must be a number from 0 to 1"]),
        (NOISE, {"p1": float("nan")}, [f"{NOISE}.p1=nan", "must be a number from 0 to 1"]),
        (NOISE, {"p1": float("inf")}, [f"{NOISE}.p1=inf", "must be a number from 0 to 1"]),
        (NOISE, {"kind": "region", "low": 1.0}, [NOISE, "region needs high"]),
        (NOISE, {"kind": "region", "low": 1, "high": 0}, [f"{NOISE}.low=1, high=0", "the smaller one first"]),
        (NOISE, {"kind": "region", "low": "a", "high": 0}, [f"{NOISE}.low='a', high=0", "must be two numbers"]),
        (NOISE, {"kind": "group", "by": "word", "share": 1.5}, [f"{NOISE}.share=1.5", "from 0 to 1"]),
        (NOISE, [0.3], [NOISE, "[0.3]", "type object or null"]),
        (TUNING, {"alpha_from": "svm"}, [f"{TUNING}.alpha_from", "'svm' is no method here", "standard, robust"]),
        (TUNING, {"at_every_setting": ["f1"]}, [f"{TUNING}.at_every_setting", "'f1' is not measured", "accuracy are"]),
        (TUNING, {"scoring": "f2"}, [f"{TUNING}.scoring", "'f2' is no scorer", "f1"]),
    ],
)
def test_bad_settings_of_a_scenario_are_refused(key, value, words):
    assert_refused(small(**{key: value}), words)


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("methods", ["robst", "robust"], ["'robst' is no method of one; there are standard, robust"]),
        ("methods", [], ["[] should be non-empty"]),
        ("methods", ["robust", "robust"], ["has non-unique elements"]),
        ("methods", "robust", ["'robust'", "type array or null"]),
        ("reading_of", "nowhere.s", ["there is no experiment 'nowhere'; there are one"]),
        ("reading_of", "one.u", ["'one' has no scenario 'u'; it has s, t"]),
        ("reading_of", "one", ["'one' is no scenario; write EXPERIMENT.SCENARIO"]),
        ("why", 3, ["3", "type string"]),
    ],
)
def test_methods_and_readings_of_a_scenario_are_checked(setting, value, words):
    key = f"{SCENARIO}.{setting}"
    assert_refused(small(**{key: value}), [key, *words])


def test_good_methods_and_readings_of_a_scenario_are_taken():
    good = {"methods": ["robust"], "reading_of": "one.t", "why": "it may have been so"}
    config = complete(small(**{f"{SCENARIO}.{name}": value for name, value in good.items()}), catalog=Catalog)
    about = config["experiments"]["one"]["scenarios"]
    assert {name: about["s"][name] for name in good} == good
    assert {name: about["t"][name] for name in good} == {"methods": None, "reading_of": None, "why": ""}


def test_what_a_method_is_a_reading_of_must_exist():
    variant = {"method": "robust", "reading_of": "robst"}
    wanted = [f"{ONE}.methods.variant.reading_of", "'robst' is not under `methods`; there are standard, robust"]
    assert_refused(small(**{f"{ONE}.methods": {"robust": {}, "variant": variant}}), wanted)


def test_a_scenario_s_own_methods_must_have_the_one_that_chooses_alpha():
    config = small(**{f"{SCENARIO}.methods": ["robust"], f"{ONE}.tuning": {"alpha_from": "standard", "penalty": "l1"}})
    words = ["'standard', which is to choose for robust, is not run in this scenario"]
    assert_refused(config, [f"{TUNING}.alpha_from", *words])


def test_noise_without_a_kind_is_refused():
    config = small(**{f"{ONE}.noise": None, f"{ONE}.scenarios.t.noise": {}, NOISE: {"p0": 0.1}})
    assert_refused(config, [NOISE, "has no `kind`", "{kind: uniform, p0: 0.3}"])


def words(**data):
    """The small config on CoNLL's words."""
    return small(**{f"{ONE}.dataset": "conll_person", f"{ONE}.data": data})


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        ({"labels": "turkr"}, ["labels", "'turkr' is not allowed", "turker, per_article, auto, gold"]),
        ({"negative": 1}, ["negative", "unknown", "negatives, negatives_per_positive"]),
        ({"negatives": 0}, ["negatives", "0 must be a whole number, at least 1, or null"]),
        ({"negatives_per_positive": 0}, ["negatives_per_positive", "0 must be a number above 0"]),
        ({"rules": ["full", "guess"]}, ["rules", "'guess'", "full, title, first, initials, alone, again"]),
        ({"rules": []}, ["rules", "[]", "must be some of"]),
        ({"rules": 3}, ["rules", "3 must be some of"]),
        ({"feature_set": "windows"}, ["feature_set", "'windows' is not allowed", "disjunctive, real_words"]),
        ({"feature_set": ["real_words"]}, ["feature_set", "['real_words'] is not allowed"]),
        ({"features_kept": 1.5}, ["features_kept", "1.5 must be a number above 0 and at most 1"]),
        ({"features_kept": True}, ["features_kept", "True must be a number above 0 and at most 1"]),
        ({"train": 0.7, "dev": 0.5}, ["train, dev", "1.2 of the articles together", "at most 1"]),
        ({"train": 0.7}, ["train, dev", "0.7, None must be two shares of the articles, or neither"]),
        ({"train": "a", "dev": "b"}, ["train, dev", "a, b must be two shares"]),
        ({"train_articles": 0}, ["train_articles", "0 must be a whole number"]),
        ({"test_articles": 2.5}, ["test_articles", "2.5 must be a whole number"]),
    ],
)
def test_bad_settings_of_words_are_refused(data, wanted):
    config = words(**data)
    del config["experiments"]["one"]["scenarios"]["t"]
    assert_refused(config, [f"{DATA}.{wanted[0]}", *wanted[1:]])


def test_bad_settings_of_tissues_are_refused():
    config = small(**{f"{ONE}.dataset": "colon", f"{ONE}.data": {}, DATA: {"log": "yes"}})
    assert_refused(config, [f"{DATA}.log", "'yes' must be true or false"])


@pytest.mark.parametrize(
    ("about", "wanted"),
    [
        ({"file": "no.csv", "label": "y"}, ["file", "no.csv' does not exist"]),
        ({"file": "a.txt", "label": "y"}, ["file", "a.txt' must end in .csv or .parquet"]),
    ],
)
def test_a_bad_file_of_one_s_own_is_refused(about, wanted, tmp_path):
    (tmp_path / "a.txt").touch()
    config = small(**{f"{ONE}.dataset": about, f"{ONE}.data": {}})
    del config["experiments"]["one"]["scenarios"]["t"]
    assert_refused(config, [f"{DATA}.{wanted[0]}", *wanted[1:]], tmp_path)


def test_the_dataset_file_needs_a_file():
    config = small(**{f"{ONE}.dataset": "file", f"{ONE}.data": {}})
    del config["experiments"]["one"]["scenarios"]["t"]
    assert_refused(config, [f"{DATA}.file", "is missing", "dataset: {file: my.csv, label: COLUMN}"])


# Tuning may stand in five places, and in those of `quick`.
PLACES = [
    "methods.standard.tuning",
    f"{ONE}.tuning",
    f"{ONE}.scenarios.s.tuning",
    f"{ONE}.methods.standard.tuning",
    f"{ONE}.quick.tuning",
    f"{ONE}.quick.scenarios.s.tuning",
    f"{ONE}.quick.methods.standard.tuning",
]
BAD = [
    ({"bye": "dev"}, ["", "unknown key 'bye'", "alpha_from, alphas, at_every_setting, by"]),
    ({"by": "test"}, [".by", "'test' is not allowed", "dev, folds, none"]),
    ({"folds": 1}, [".folds", "1", "minimum of 2"]),
    ({"repeats": 0}, [".repeats", "0", "minimum of 1"]),
    ({"each": "no"}, [".each", "'no'", "type boolean"]),
    ({"penalty": "l3"}, [".penalty", "'l3' is not allowed", "null, l1, l2"]),
    ({"alphas": 3}, [".alphas", "3", "list of values", "points"]),
    ({"alphas": [0.5, -1]}, [".alphas.1", "-1", "minimum of 0"]),
    ({"alphas": {"weakest": 2.0, "points": 5}}, [".alphas.weakest", "2.0", "maximum of 1"]),
    ({"alphas": []}, [".alphas", "[] should be non-empty"]),
    ({"lams": [0.5, -1]}, [".lams.1", "-1", "minimum of 0"]),
    ({"lams": {"from": 1.0, "to": 0.1}}, [".lams", "points"]),
    ({"fold_penalties": "scaled"}, [".fold_penalties", "'scaled' is not allowed", "as_given, per_example"]),
    ({"sigma2s": [0.1, 0.0]}, [".sigma2s.1", "0.0", "minimum of 0"]),
    ({"prefer": "strong"}, [".prefer", "'strong'", "weaker, stronger"]),
    ({"procedure": "second"}, [".procedure", "'second'", "jointly, first_procedure"]),
    ({"train_accuracy": "both"}, [".train_accuracy", "'both'", "theta, shifts"]),
    ({"limit": {"about": "guess"}}, [".limit.about", "'guess' is not allowed", "number, wrong_labels"]),
    ({"limit": {"about": 2}}, [".limit.about", "2", "maximum of 1"]),
    ({"limit": {"within": 0.1}}, [".limit", "'about' is a required property"]),
    ({"tol": 0}, [".tol", "0", "minimum of 0"]),
    ({"tol": float("nan")}, [".tol", "nan", "type number or null"]),
    ({"final_tol": "fine"}, [".final_tol", "'fine'", "type number or null"]),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("tuning", "wanted"), BAD[:2])
def test_tuning_is_checked_wherever_it_stands(place, tuning, wanted):
    base = small(**{f"{ONE}.methods": {"standard": {}, "robust": {}}})
    assert_refused(changed(base, {place: tuning}), [place + wanted[0], *wanted[1:]])


@pytest.mark.parametrize(("tuning", "wanted"), BAD)
def test_bad_tuning_is_refused(tuning, wanted):
    assert_refused(small(**{f"{ONE}.tuning": tuning}), [f"{ONE}.tuning{wanted[0]}", *wanted[1:]])


@pytest.mark.parametrize(
    ("tuning", "wanted"),
    [
        ({"alpha_from": "svm"}, ["alpha_from", "'svm' is no method here", "standard, robust"]),
        ({"scoring": "f2"}, ["scoring", "'f2' is no scorer", "f1"]),
    ],
)
def test_what_a_method_is_tuned_by_is_checked_too(tuning, wanted):
    key = f"{ONE}.methods.robust.tuning"
    config = changed(small(**{f"{ONE}.methods": {"standard": {}, "robust": {}}}), {key: tuning})
    assert_refused(config, [f"{key}.{wanted[0]}", *wanted[1:]])


def test_methods_that_wait_for_each_other_s_alpha_are_refused():
    own = {"standard": {"tuning": {"alpha_from": "robust"}}, "robust": {"tuning": {"alpha_from": "standard"}}}
    config = small(**{f"{ONE}.methods": own})
    del config["experiments"]["one"]["scenarios"]["t"]
    assert_refused(config, [f"{TUNING}.alpha_from", "robust, standard take alpha from each other", "alpha_from: null"])
    own["standard"]["tuning"]["alpha_from"] = "standard"  # its own choice
    complete(small(**{f"{ONE}.methods": own}), catalog=Catalog)


def test_a_method_that_chooses_alpha_must_be_run():
    extra = {"methods.svm": {}, f"{SCENARIO}.readings": ["svm"], f"{ONE}.tuning": {"alpha_from": "svm"}}
    key = f"{ONE}.scenarios.t.tuning.alpha_from"
    lines = refusals(small(**extra))
    assert [line.split(": ")[1] for line in lines] == [key, key]
    assert all("'svm', which is to choose for" in line and "is not run in this scenario" in line for line in lines)


@pytest.mark.parametrize(
    ("changes", "wanted"),
    [
        ({f"{SCENARIO}.params_from": "u"}, [f"{SCENARIO}.params_from", "'one.u'", "chooses parameters of its own"]),
        ({f"{SCENARIO}.params_from": "two.u"}, [f"{SCENARIO}.params_from", "'two.u'", "parameters of its own"]),
        ({f"{SCENARIO}.params_from": "s"}, [f"{SCENARIO}.params_from", "'one.s'", "parameters of its own"]),
        ({f"{SCENARIO}.params_from": "t"}, [f"{SCENARIO}.params_from", "'one.t' must stand before one.s"]),
    ],
)
def test_parameters_are_taken_over_from_a_scenario_before_that_has_chosen_them(changes, wanted):
    assert_refused(small(**changes), wanted)


def test_parameters_are_not_taken_over_in_a_circle_or_from_what_comes_later():
    two = {"dataset": "simulated", "scenarios": {"u": {}, "v": {"params_from": "one.s"}}}
    complete(small(**{"experiments.two": two}), catalog=Catalog)
    chained = changed(small(**{"experiments.two": two}), {"experiments.two.scenarios.u.params_from": "two.v"})
    assert_refused(chained, ["experiments.two.scenarios.u.params_from", "'two.v'", "parameters of its own"])
    later = changed(small(**{"experiments.two": two}), {f"{ONE}.scenarios.t.params_from": "two.u"})
    assert_refused(later, [f"{ONE}.scenarios.t.params_from", "'two.u' must stand before one.t"])


def test_every_method_needs_parameters_to_take_over():
    two = {"dataset": "simulated", "methods": ["standard", "svm"], "scenarios": {"u": {"params_from": "one.s"}}}
    config = small(**{"experiments.two": two, "methods.svm": {}})
    assert_refused(config, ["experiments.two.scenarios.u.params_from", "'one.s' does not have the methods svm"])
    complete(changed(config, {"extra_methods": ["svm"]}), catalog=Catalog)
