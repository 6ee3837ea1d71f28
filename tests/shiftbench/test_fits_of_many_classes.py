"""More than two classes, from what a method answers to metrics, arrays and penalties."""

import numpy as np
import pytest
from rivals import folder, make_job
from shiftbench import fit, metrics, noise
from shiftbench.analyses.bootstrap import difference
from shiftbench.datasets import base, simulated
from shiftbench.datasets.base import Part
from shiftbench.runs import Runs
from shiftbench.tuner import strongest
from shiftlr import methods
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, precision_score, recall_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import NearestCentroid

__all__ = ["folder"]  # a fixture
SETTINGS = simulated.DEFAULTS | {"generator": "softmax", "classes": 4, "features": 3, "train": 120, "dev": 80}
SEED = base.seed_of("e.s", 0, 3)
REPLICATE = base.draw(simulated, SETTINGS, noise.uniform(share=0.2), SEED, "s", 0)
TRAIN, TEST = REPLICATE.parts["train"], REPLICATE.parts["test"]


class Centroids(ClassifierMixin, BaseEstimator):
    """It says classes and nothing else."""

    def fit(self, X, y):
        self.model_ = NearestCentroid().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        return self.model_.predict(X)


class Made(ClassifierMixin, BaseEstimator):
    """Says what it was told."""

    def __init__(self, said=None, classes=(0, 1, 2, 3)):
        self.said, self.classes_ = said, np.array(classes)

    def predict(self, X):
        return self.said


def outcome(estimator, parts=REPLICATE.parts):
    return fit.Outcome(estimator, {}, np.nan, parts)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # prefiltered data separate
@pytest.mark.parametrize("name", ["standard", "robust", "flipping", "prefilter", "svm"])
def test_each_method_is_measured_by_its_predictions(name):
    estimator = methods.load(name)().fit(TRAIN.X, TRAIN.labels)
    found = outcome(estimator)
    assert metrics.accuracy(found) == 100.0 * np.mean(estimator.predict(TEST.X) == TEST.truth) > 60.0
    assert found.decision.shape == (500, 4)
    np.testing.assert_array_equal(found.decision.argmax(axis=1), found.predicted)
    wrong = TRAIN.labels != TRAIN.truth
    assert metrics.suspected_right(found) == np.sum(found.suspected & wrong)
    assert 0.0 <= metrics.precision_at(found, 10) <= 1.0


@pytest.mark.parametrize("seed", range(4))
def test_scores_are_scikit_learn_s_averages(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4 - (seed == 1), 200)  # once without the last class
    said = np.where(rng.random(200) < 0.6, truth, rng.integers(0, 4 - (seed == 1), 200))
    test = Part(np.zeros((200, 1)), truth, truth, n_classes=4)
    found = outcome(Made(said), {"train": TRAIN, "test": test})
    assert metrics.macro_f1(found) == pytest.approx(100.0 * f1_score(truth, said, average="macro"))
    for name, wanted in (("precision", precision_score), ("recall", recall_score), ("f1", f1_score)):
        micro = 100.0 * wanted(truth, said, labels=[1, 2, 3], average="micro", zero_division=0)
        assert getattr(metrics, name)(found) == pytest.approx(micro)


def test_of_two_classes_macro_f1_is_scikit_learn_s_too():
    truth, said = np.array([0, 0, 1, 1, 1]), np.array([0, 1, 1, 1, 0])
    found = outcome(Made(said, (0, 1)), {"train": TRAIN, "test": Part(np.zeros((5, 1)), truth, truth)})
    assert metrics.macro_f1(found) == pytest.approx(100.0 * f1_score(truth, said, average="macro"))


def test_metrics_of_two_classes_do_not_apply_to_more():
    estimator = methods.load("flipping")().fit(TRAIN.X, TRAIN.labels)
    found = outcome(estimator)
    assert metrics.flip_p0(found) is None and metrics.flip_p1(found) is None and metrics.right_signs(found) is None
    assert metrics.flips(found) == pytest.approx(1.0 - estimator.flip_probabilities_.diagonal().min())


def test_positives_are_all_classes_but_the_first():
    found = outcome(methods.load("robust")().fit(TRAIN.X, TRAIN.labels))
    assert metrics.true_positives(found) == 100.0 * np.mean(TRAIN.truth > 0)
    assert metrics.removed_positives(found) == 100.0 * np.mean(found.suspected[TRAIN.labels > 0])


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), GaussianNB(), Centroids()], ids=["scores", "odds", "words"]
)
def test_a_rival_that_does_not_say_suspects_what_it_contradicts(estimator):
    found = outcome(estimator.fit(TRAIN.X, TRAIN.labels))
    contradicted = estimator.predict(TRAIN.X) != TRAIN.labels
    assert contradicted.any()
    np.testing.assert_array_equal(found.suspected, contradicted)
    assert found.decision.shape == (500, 4)
    np.testing.assert_array_equal(found.decision.argmax(axis=1), estimator.predict(TEST.X))


@pytest.mark.parametrize("classes", [(1, 3), (0, 1, 3)])
@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), GaussianNB(), Centroids()], ids=["scores", "odds", "words"]
)
def test_a_class_that_was_not_trained_on_is_never_said(estimator, classes):
    rows = np.isin(TRAIN.labels, classes)
    found = outcome(estimator.fit(TRAIN.X[rows], TRAIN.labels[rows]))
    lacking = [one for one in range(4) if one not in classes]
    assert np.all(found.decision[:, lacking] == -np.inf) and np.isfinite(found.decision[:, list(classes)]).all()
    np.testing.assert_array_equal(found.decision.argmax(axis=1), estimator.predict(TEST.X))


def test_answers_that_are_no_classes_are_refused():
    with pytest.raises(ValueError, match="other values than the classes 0, 1, 2, 3 for 500 of 500 examples: 4"):
        assert outcome(Made(np.full(500, 4))).predicted is None


def test_a_job_keeps_counts_by_group_and_differences_follow_from_them(folder):
    groups = np.arange(500) % 7
    replicate = REPLICATE._replace(parts=REPLICATE.parts | {"test": TEST._replace(groups=groups)})
    arrays = {}
    for name in ("standard", "robust"):
        job = make_job(folder, name, {"grid": {"lam": [0.1]}} if name == "robust" else None, metrics=["f1"])
        rows, kept = fit.run(job | {"redrawn": False}, replicate, {})
        assert rows[0]["status"] == "ok", rows[0]["reason"]
        arrays |= {f"e/{key}": values for key, values in kept.items()}
    said = arrays["e/s/standard/0/test"].argmax(axis=1)
    counts = arrays["e/s/standard/0/counts"]
    assert counts.sum(axis=0).tolist() == [
        np.sum((said == TEST.truth) & (said > 0)),
        np.sum(said > 0),
        np.sum(TEST.truth > 0),
    ]
    found = difference(Runs(None, arrays), "e", "s", "robust", "standard", "f1", 200)
    both = [
        f1_score(TEST.truth, arrays[f"e/s/{name}/0/test"].argmax(axis=1), labels=[1, 2, 3], average="micro")
        for name in ("robust", "standard")
    ]
    assert found.value == pytest.approx(100.0 * (both[0] - both[1])) and found.low <= found.value <= found.high


def test_the_strongest_penalty_is_that_of_the_class_that_needs_most():
    X, labels = TRAIN.X, TRAIN.labels
    shares = np.bincount(labels) / len(labels)
    slopes = X.T @ ((labels[:, None] == np.arange(4)) - shares)  # of the loss at weights of zero and free intercepts
    assert strongest(X, labels) == pytest.approx(np.abs(slopes).max())
