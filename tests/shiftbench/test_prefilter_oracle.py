"""The oracle of prefiltering: neighbours vote with their true labels, wherever it is fitted."""

import numpy as np
import pytest
from rivals import make_job, make_replicate
from shiftbench import fit, plugins
from shiftbench.tuner import Tuner
from shiftlr import PrefilteredLogisticRegression, StandardLogisticRegression, methods

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # prefiltered data separate
KIND = methods.load("prefilter_oracle", plugins.folders("methods", None))
PARTS = make_replicate().parts
TRAIN = PARTS["train"]


def kept_by_hand(X, labels, truth, k):
    """Whether at most half of the neighbourhood disagrees; the example itself never does."""
    kept = []
    for i, x in enumerate(X):
        order = sorted((np.sum((other - x) ** 2), j) for j, other in enumerate(X) if j != i)
        against = sum(truth[j] != labels[i] for _, j in order[: k - 1])
        kept.append(against <= k / 2)
    return np.array(kept)


@pytest.mark.parametrize("k", [3, 4, 9])
def test_true_labels_vote_and_given_ones_are_fitted(k):
    model = KIND(k=k, rule="majority", penalty="l2", alpha=0.1).fit(TRAIN.X, TRAIN.labels, truth=TRAIN.truth)
    kept = kept_by_hand(TRAIN.X, TRAIN.labels, TRAIN.truth, k)
    np.testing.assert_array_equal(model.kept_, kept)
    rest = StandardLogisticRegression(penalty="l2", alpha=0.1).fit(TRAIN.X[kept], TRAIN.labels[kept])
    np.testing.assert_allclose(model.coef_, rest.coef_, rtol=1e-6)


def test_it_differs_from_plain_prefiltering():
    about = {"k": 9, "rule": "majority", "penalty": "l2", "alpha": 0.1}
    oracle = KIND(**about).fit(TRAIN.X, TRAIN.labels, truth=TRAIN.truth)
    seen = PrefilteredLogisticRegression(**about).fit(TRAIN.X, TRAIN.labels)
    assert not np.array_equal(seen.kept_, oracle.kept_)


def test_with_clean_labels_it_is_plain_prefiltering():
    for rule in ("any", "all", "positives", "prior"):
        about = {"k": 5, "rule": rule, "penalty": "l2", "alpha": 1.0}
        oracle = KIND(**about).fit(TRAIN.X, TRAIN.truth, truth=TRAIN.truth)
        np.testing.assert_array_equal(
            oracle.kept_, PrefilteredLogisticRegression(**about).fit(TRAIN.X, TRAIN.truth).kept_
        )


def test_without_the_truth_it_says_so():
    with pytest.raises(ValueError, match="truth=None: the oracle needs the true labels"):
        KIND().fit(TRAIN.X, TRAIN.labels)


@pytest.mark.parametrize("by", ["dev", "folds", "none"])
def test_it_is_told_the_truth_however_it_is_tuned(by):
    job = make_job(None, "prefilter_oracle", {"params": {"rule": "majority"}, "grid": {"k": [3, 9]}}, by=by)
    tuner = Tuner(job["method"], job["scenarios"]["s"]["tuning"], None, 0)
    estimator, params, _ = tuner.fit(PARTS)
    np.testing.assert_array_equal(estimator.kept_, kept_by_hand(TRAIN.X, TRAIN.labels, TRAIN.truth, params["k"]))
    for setting, one in tuner.fit_each(TRAIN):
        np.testing.assert_array_equal(one.kept_, kept_by_hand(TRAIN.X, TRAIN.labels, TRAIN.truth, setting["k"]))


def test_data_without_truth_give_failed_rows():
    replicate = make_replicate()
    parts = {name: part._replace(truth=None) for name, part in replicate.parts.items() if name != "test"}
    rows, _ = fit.run(make_job(None, "prefilter_oracle"), replicate._replace(parts=parts), {})
    assert rows[0]["status"] == "failed" and "needs the true labels" in rows[0]["reason"]
