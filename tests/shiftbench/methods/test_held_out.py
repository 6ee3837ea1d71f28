"""Methods that judge labels by held-out scores: the same scores for all, and what is said of them by each."""

import numpy as np
import pytest
from cleanlab.filter import find_label_issues
from cleanlab.rank import get_label_quality_scores
from made_up_words import make_parts
from scipy.special import expit
from shiftbench import fit, plugins
from shiftbench.datasets import simulated
from shiftbench.datasets.base import draw, seed_of
from shiftbench.noise import uniform
from shiftlr import RobustLogisticRegression, find_label_errors, methods
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold

NAMES = ("label_errors", "cleanlab_default", "cleanlab_confident", "disagreement")
KINDS = {name: methods.load(name, plugins.folders("methods", None)) for name in NAMES}
WORDS = make_parts()["train"]  # two classes, sparse, in groups
_SETTINGS = simulated.DEFAULTS | {
    "generator": "softmax",
    "classes": 3,
    "features": 4,
    "train": 200,
    "dev": 1,
    "test": 50,
}
MANY = draw(simulated, _SETTINGS, uniform(share=0.2), seed_of("e.s", 0, 5), "s", 0).parts["train"]
PARTS = {"two": WORDS, "many": MANY}


def fitted(name, part, **params):
    return KINDS[name](n_repeats=1, **params).fit(part.X, part.labels, groups=part.groups)


@pytest.fixture(scope="module", params=PARTS)
def found(request):
    """(the examples, all methods fitted to them)."""
    part = PARTS[request.param]
    return part, {name: fitted(name, part) for name in NAMES}


def test_all_judge_the_scores_of_find_label_errors(found):
    part, fits = found
    alone = find_label_errors(part.X, part.labels, transformer=None, groups=part.groups, n_repeats=1)
    for one in fits.values():
        np.testing.assert_array_equal(one.found_.scores_, alone.scores_)
        np.testing.assert_array_equal(one.predict(part.X), alone.estimator_.predict(part.X))
        np.testing.assert_array_equal(one.decision_function(part.X), alone.estimator_.decision_function(part.X))


def test_ours_is_the_automatic_set(found):
    part, fits = found
    ours = fits["label_errors"]
    named = np.flatnonzero(ours.suspected(part.X, part.labels))
    assert 0 < len(named) < len(part.labels)
    np.testing.assert_array_equal(named, sorted(ours.found_.table.index))
    np.testing.assert_array_equal(ours.suspicion(part.X, part.labels), ours.found_.suspicion_)
    assert ours.suspects(n=3).equals(ours.found_.suspects(n=3))


def test_cleanlab_s_are_what_it_says_of_the_raw_probabilities(found):
    part, fits = found
    scores = fits["label_errors"].found_.scores_
    raw = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    by_name = {"cleanlab_default": {}, "cleanlab_confident": {"filter_by": "confident_learning"}}
    for name, how in by_name.items():
        np.testing.assert_array_equal(fits[name].suspected_, find_label_issues(part.labels, raw, **how))
        np.testing.assert_allclose(fits[name].suspicion_, 1.0 - get_label_quality_scores(part.labels, raw), atol=1e-12)


def test_disagreement_names_labels_that_have_not_the_largest_score(found):
    part, fits = found
    one = fits["disagreement"]
    np.testing.assert_array_equal(one.suspected_, one.found_.scores_.argmax(axis=1) != part.labels)
    assert one.suspicion_[one.suspected_].min() > 0.0 >= one.suspicion_[~one.suspected_].max()


def test_scores_are_those_of_models_that_have_not_seen_the_example_nor_its_group():
    one = fitted("disagreement", WORDS, alphas=[1.0], random_state=3)
    logits = np.empty(len(WORDS.labels))
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=3)
    for train, held_out in folds.split(WORDS.X, WORDS.labels, WORDS.groups):
        model = RobustLogisticRegression(lam=0.1, penalty="l2", alpha=1.0, tol=1e-10)
        model.fit(WORDS.X[train], WORDS.labels[train])
        logits[held_out] = model.decision_function(WORDS.X[held_out])
    scores = one.found_.scores_
    np.testing.assert_allclose(expit(scores[:, 1] - scores[:, 0]), expit(logits), atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_the_benchmark_measures_it(name):
    parts = make_parts()
    outcome = fit.Outcome(fitted(name, WORDS), {}, np.nan, parts)
    wanted = ["f1", "error_f1", "error_average_precision", "clean_named", "fdp_20", "named_at_20"]
    measured = fit.measure(wanted, outcome)
    assert measured["error_f1"] > 50.0 and measured["error_average_precision"] > 50.0
    assert (measured["fdp_20"] is None) == (measured["named_at_20"] is None) == (name != "label_errors")


def test_labels_may_be_any_values():
    names = np.array(["other", "person"])[WORDS.labels]
    for name in NAMES:
        found = KINDS[name](n_repeats=1).fit(WORDS.X, names, groups=WORDS.groups)
        np.testing.assert_array_equal(found.suspected_, fitted(name, WORDS).suspected_)
        assert set(found.predict(WORDS.X)) == {"other", "person"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", ["nonsense", -1, float("nan"), [[]]], ids=repr)
def test_bad_parameters_are_named_without_data(name, value):
    assert KINDS[name]().check_params()
    for parameter in KINDS[name]().get_params():
        with pytest.raises(ValueError, match=f"^{parameter}="):
            clone(KINDS[name]()).set_params(**{parameter: value}).check_params()
