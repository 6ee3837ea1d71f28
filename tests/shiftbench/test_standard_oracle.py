"""The oracle: the standard model on true labels, which it gets while it is tuned too."""

import numpy as np
import pytest
from shiftbench import plugins
from shiftbench.datasets.base import Part
from shiftbench.methods.standard_oracle import OracleLogisticRegression
from shiftbench.tuner import Tuner
from shiftlr.methods.standard import StandardLogisticRegression


def make_part(seed, n_classes=2, n=120):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    truth = np.argmax(X @ np.eye(3)[:, :n_classes] + 0.5 * rng.normal(size=(n, n_classes)), axis=1)
    wrong = rng.random(n) < 0.3
    return Part(X, np.where(wrong, (truth + 1) % n_classes, truth), truth, n_classes=n_classes)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_the_standard_model_on_the_true_labels(n_classes):
    part = make_part(0, n_classes)
    oracle = OracleLogisticRegression("l2", 1.0).fit(part.X, part.labels, truth=part.truth)
    standard = StandardLogisticRegression("l2", 1.0)
    np.testing.assert_array_equal(oracle.coef_, standard.fit(part.X, part.truth).coef_)
    assert np.abs(oracle.coef_ - standard.fit(part.X, part.labels).coef_).max() > 0.1


def test_it_is_tuned_on_given_labels_and_trained_on_true_ones():
    parts = {"train": make_part(1), "dev": make_part(2)}
    tuning = {
        **{"by": "dev", "penalty": "l2", "alphas": [100.0, 1.0], "sigma2s": None, "lams": None, "prefer": "weaker"},
        **{"tie_break": "penalty", "procedure": "jointly", "limit": None, "tol": None, "final_tol": None},
        "scoring": None,
    }
    method = {"method": "standard_oracle", "params": {}, "grid": None}
    fitted, params, score = Tuner(method, tuning, None, 0).fit(parts)
    train, dev = parts["train"], parts["dev"]
    fits = {one: StandardLogisticRegression("l2", one).fit(train.X, train.truth) for one in (1.0, 100.0)}
    scores = {one: float(np.mean(fit.predict(dev.X) == dev.labels)) for one, fit in fits.items()}
    assert params == {"alpha": max(scores, key=scores.get)} and score == max(scores.values())
    np.testing.assert_array_equal(fitted.coef_, fits[params["alpha"]].coef_)


def test_without_a_truth_it_says_so():
    part = make_part(3)
    with pytest.raises(ValueError, match="truth=None: the oracle needs the true labels"):
        OracleLogisticRegression().fit(part.X, part.labels)
    assert "standard_oracle" in plugins.files("methods", None)
