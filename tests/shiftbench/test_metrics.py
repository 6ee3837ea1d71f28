"""Every metric against an independent answer, and where it does not apply."""

import inspect
from types import SimpleNamespace

import numpy as np
import pytest
from shiftbench import metrics, plugins
from shiftbench.counts import SCORES, count_by_group, scores_of_counts
from shiftbench.datasets.base import Part
from shiftbench.fit import Outcome, measure, split_number
from shiftlr import FlippingLogisticRegression, RobustLogisticRegression
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, precision_recall_fscore_support, precision_score, recall_score


def draw(seed, n=200):
    """(predictions, truth, groups) with any mixture of right and wrong."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < rng.uniform(0.05, 0.9)
    return rng.random(n) < np.where(truth, *rng.random(2)), truth, rng.integers(3, 9, n)


def scores(predicted, truth):
    return scores_of_counts(count_by_group(predicted, truth)[0])


@pytest.mark.parametrize("seed", range(8))
def test_scores_are_those_of_scikit_learn(seed):
    predicted, truth, _ = draw(seed)
    wanted = precision_recall_fscore_support(truth, predicted, average="binary", zero_division=0)
    assert [*scores(predicted, truth).values()] == pytest.approx(100.0 * np.array(wanted[:3]))
    assert tuple(scores(predicted, truth)) == SCORES == ("precision", "recall", "f1")


@pytest.mark.parametrize(("predicted", "truth"), [([0, 0], [1, 0]), ([1, 0], [0, 0]), ([0, 0], [0, 0])])
def test_nothing_found_or_nothing_to_find_scores_zero(predicted, truth):
    assert scores(np.array(predicted, bool), np.array(truth, bool)) == dict.fromkeys(SCORES, 0.0)


def test_all_found_and_nothing_else_scores_a_hundred():
    truth = np.array([True, False, True])
    assert scores(truth, truth) == dict.fromkeys(SCORES, 100.0)


def test_counts_stand_in_the_order_of_the_groups():
    predicted = np.array([1, 1, 0, 1, 0], dtype=bool)
    truth = np.array([1, 0, 1, 1, 0], dtype=bool)
    counts = count_by_group(predicted, truth, np.array([7, 7, 7, 2, 5]))
    assert counts.tolist() == [[1, 1, 1], [0, 0, 0], [1, 2, 2]]  # groups 2, 5 and 7
    named = count_by_group(predicted, truth, np.array(["g", "g", "g", "b", "e"]))
    assert named.tolist() == counts.tolist()
    assert count_by_group(predicted, truth).tolist() == [counts.sum(axis=0).tolist()]


def test_scores_of_many_counts_at_once():
    counts = np.stack([count_by_group(*draw(seed)) for seed in range(3)])
    found = scores_of_counts(counts)
    assert found["f1"].shape == (3, 6)
    assert found["f1"][1, 2] == scores_of_counts(counts[1, 2])["f1"]


def outcome(estimator, n=300, seed=0, kind=int, known=True, test=True, **tags):
    """A fit to data of which a tenth is mislabelled."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    truth = (X[:, 0] + 0.5 * rng.normal(size=n) > 0.3).astype(kind)
    labels = np.where(rng.random(n) < 0.1, 1 - truth, truth).astype(kind)
    X_test = rng.normal(size=(n, 3))
    parts = {"train": Part(X, labels, truth if known else None, tags=tags)}
    if test:
        truth_test = (X_test[:, 0] > 0.3).astype(kind)
        parts["test"] = Part(X_test, truth_test, truth_test)
    return Outcome(estimator.fit(X, labels), {}, np.nan, parts)


@pytest.mark.parametrize("kind", [int, bool])
@pytest.mark.parametrize("estimator", [LogisticRegression(), RobustLogisticRegression(0.2)], ids=["theirs", "ours"])
def test_metrics_of_the_test_set_are_those_of_scikit_learn(estimator, kind):
    found = outcome(estimator, kind=kind)
    truth, predicted = found.test.truth, estimator.predict(found.test.X)
    for name, wanted in (
        ("accuracy", accuracy_score),
        ("precision", precision_score),
        ("recall", recall_score),
        ("f1", f1_score),
    ):
        assert getattr(metrics, name)(found) == pytest.approx(100.0 * wanted(truth, predicted)), name
        assert type(getattr(metrics, name)(found)) is float


@pytest.mark.parametrize("name", ["accuracy", "precision", "recall", "f1"])
def test_without_a_test_set_there_is_no_score(name):
    assert getattr(metrics, name)(outcome(LogisticRegression(), test=False)) is None


def test_what_is_suspected_is_counted_and_compared_with_the_truth():
    found = outcome(RobustLogisticRegression(0.2))
    wrong, suspected = found.train.labels != found.train.truth, found.estimator.shifts_ != 0.0
    assert metrics.share_suspected(found) == suspected.mean() > 0.0
    assert metrics.suspected_count(found) == suspected.sum()
    assert metrics.suspected_right(found) == sum(
        1 for one, other in zip(suspected, wrong, strict=True) if one and other
    )
    for name in ("suspected_right", "precision_at"):
        numbers = [10] if name == "precision_at" else []
        assert getattr(metrics, name)(outcome(RobustLogisticRegression(0.2), known=False), *numbers) is None


def ranked(suspicion, wrong):
    train = Part(None, np.asarray(wrong).astype(int), np.zeros(len(wrong), dtype=int))
    return SimpleNamespace(train=train, suspicion=np.asarray(suspicion, dtype=float))


@pytest.mark.parametrize("seed", range(5))
def test_precision_among_equals_is_what_a_random_order_would_give(seed):
    rng = np.random.default_rng(seed)
    suspicion, wrong = rng.integers(4, size=15).astype(float), rng.random(15) < 0.4
    orders = [np.lexsort((rng.random(15), -suspicion)) for _ in range(4000)]
    for k in (1, 4, 9, 15):
        wanted = np.mean([wrong[order[:k]].mean() for order in orders])
        assert metrics.precision_at(ranked(suspicion, wrong), k) == pytest.approx(wanted, abs=0.02)


def test_precision_without_equals_is_a_count():
    one = ranked([0.1, 0.9, 0.5, -2.0], [True, False, True, True])
    assert [metrics.precision_at(one, k) for k in (1, 2, 3, 4)] == pytest.approx([0.0, 1 / 2, 2 / 3, 3 / 4])
    assert metrics.precision_at(one, 5) is None  # there are four labels


def test_suspects_of_others_are_hit_or_missed():
    tag = np.arange(300) % 5 == 0
    found = outcome(RobustLogisticRegression(0.1), suspected=tag)
    shifted = set(np.flatnonzero(found.estimator.shifts_))
    assert metrics.suspects_hit(found) == len(shifted & set(range(0, 300, 5)))
    assert metrics.false_positives(found) == len(shifted - set(range(0, 300, 5)))
    untagged = outcome(RobustLogisticRegression(0.1))
    assert metrics.suspects_hit(untagged) is None and metrics.false_positives(untagged) is None


def test_what_was_published_is_found_again_or_not():
    shifted = outcome(RobustLogisticRegression(0.1)).suspected
    assert 0 < shifted.sum() < 300
    one_more, one_less = shifted.copy(), shifted.copy()
    one_more[np.argmin(shifted)], one_less[np.argmax(shifted)] = True, False
    for tag, wanted in ((shifted, 1.0), (one_more, 0.0), (one_less, 0.0), (~shifted, 0.0)):
        assert metrics.as_published(outcome(RobustLogisticRegression(0.1), published=tag)) == wanted
    assert metrics.as_published(outcome(RobustLogisticRegression(0.1))) is None  # nobody has said


def test_a_shift_goes_the_right_way_if_it_goes_towards_the_label():
    def signs(shifts, labels, tag):
        estimator = SimpleNamespace(shifts_=np.array(shifts))
        train = Part(None, np.array(labels), tags={"suspected": np.array(tag, dtype=bool)})
        return metrics.right_signs(SimpleNamespace(estimator=estimator, train=train))

    assert signs([1.0, -1.0, -1.0, 1.0, 0.0], [1, 0, 1, 0, 1], [1, 1, 1, 0, 1]) == pytest.approx(2 / 3)
    assert signs([0.0, 5.0], [1, 0], [1, 0]) == 0.0  # no suspect is shifted
    assert metrics.right_signs(outcome(LogisticRegression(), suspected=np.ones(300, dtype=bool))) is None
    assert metrics.right_signs(outcome(RobustLogisticRegression())) is None
    assert metrics.right_signs(outcome(RobustLogisticRegression(0.1), suspected=np.ones(300, dtype=bool))) == 1.0


def test_flip_probabilities_are_those_the_model_learned():
    found = outcome(FlippingLogisticRegression())
    learned = found.estimator.flip_probabilities_
    assert metrics.flip_p0(found) == learned[0, 1] and metrics.flip_p1(found) == learned[1, 0]
    assert metrics.flips(found) == max(learned[0, 1], learned[1, 0])
    assert [getattr(metrics, name)(outcome(LogisticRegression())) for name in ("flip_p0", "flip_p1", "flips")] == [
        None
    ] * 3


@pytest.mark.parametrize(
    ("params", "wanted"),
    [({"alpha": 0.1}, 10.0), ({"alpha": 1 / 3}, 3.0), ({"alpha": 0.0}, None), ({"lam": 1.0}, None)],
)
def test_the_prior_s_variance_is_one_by_the_penalty(params, wanted):
    found = metrics.sigma2(SimpleNamespace(params=params))
    assert found == wanted


def test_metrics_are_measured_by_name_and_number(tmp_path):
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "answer.py").write_text("def answer(outcome, times=1):\n    return 42.0 * times\n")
    found = measure(
        ["accuracy", "precision_at_10", "answer", "answer_2", "flips"], outcome(LogisticRegression()), tmp_path
    )
    assert list(found) == ["accuracy", "precision_at_10", "answer", "answer_2", "flips"]
    assert found["answer"] == 42.0 and found["answer_2"] == 84.0 and found["flips"] is None
    assert found["precision_at_10"] == metrics.precision_at(outcome(LogisticRegression()), 10)


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("precision_at_50", ("precision_at", [50])),
        ("f1", ("f1", [])),
        ("flip_p0", ("flip_p0", [])),
        ("top_5", ("top", [5])),
    ],
)
def test_a_number_at_the_end_of_a_metric_s_name(name, parts):
    assert split_number(name) == parts


def test_every_metric_takes_any_outcome():
    """Of a rival that knows nothing but predictions, without a test set and without the truth."""
    bare = outcome(DummyClassifier(), known=False, test=False)
    names = [
        name
        for name, one in vars(metrics).items()
        if inspect.isfunction(one) and one.__module__ == metrics.__name__ and not name.startswith("_")
    ]
    for name in names:
        function = plugins.load_function("metrics", name)
        value = function(bare, 5) if len(inspect.signature(function).parameters) == 2 else function(bare)
        assert value is None or isinstance(value, int | float), name
    assert len(names) == 32
