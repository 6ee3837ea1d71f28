"""What is measured of a fit: one function each, found by name (`metrics: [accuracy, f1]` in config.yaml).

A metric takes an `Outcome` (see `shiftbench.fit`) and returns a number, or None where it does not apply: to a method
without shifts, or to data whose truth is not known. `NAME_5` calls the metric `NAME` with the number 5. Positives are
the second class; of more than two classes, all but the first, such as words that are names of some kind.
"""

import warnings

import numpy as np
from sklearn.metrics import average_precision_score

from shiftbench.counts import count_by_group, scores_of_counts

TRUSTED = 0.1  # share of the labels whose truth is told where methods are to bound their errors


def _lower_is_better(metric):
    """Mark a metric so."""
    metric.lower_is_better = True
    return metric


def accuracy(outcome):
    """Share of the test set that is classified rightly, in per cent."""
    if outcome.test is None:
        return None
    return 100.0 * float(np.mean(outcome.predicted == outcome.test.truth))


def macro_f1(outcome):
    """Mean of the F1 of each class that is in the test set or was found there, in per cent."""
    if outcome.test is None:
        return None
    truth, predicted = outcome.test.truth, outcome.predicted
    present = [one for one in range(outcome.test.n_classes) if np.any(truth == one) or np.any(predicted == one)]
    counts = [count_by_group(predicted == one, truth == one)[0] for one in present]
    return float(np.mean(scores_of_counts(np.array(counts))["f1"]))


def precision(outcome):
    """Share of the positives found that are positives, in per cent.

    Of more than two classes the micro-average over all but the first: the share that has the class that was found.
    """
    return _score(outcome, "precision")


def recall(outcome):
    """Share of the positives that is found, in per cent; of more than two classes, found with the right class."""
    return _score(outcome, "recall")


def f1(outcome):
    """Harmonic mean of precision and recall, in per cent; of more than two classes the micro-averaged F1."""
    return _score(outcome, "f1")


def share_suspected(outcome):
    """Share of the training labels that the method calls wrong."""
    return float(np.mean(outcome.suspected))


def without_shifts(outcome):
    """1 if the model that was chosen has no shifts at all, else 0."""
    shifts = getattr(outcome.estimator, "shifts_", None)
    return None if shifts is None else float(not np.any(shifts))


def not_converged(outcome):
    """Share of the solver's calls for this fit and those it was compared with that did not converge, if it counts."""
    return getattr(outcome.estimator, "not_converged_", None)


def suspected_count(outcome):
    """How many training labels the method calls wrong."""
    return int(outcome.suspected.sum())


def suspected_right(outcome):
    """How many of those are wrong indeed."""
    wrong = _wrong(outcome)
    return None if wrong is None else int((outcome.suspected & wrong).sum())


def removed_negatives(outcome):
    """Share of the training labels seen as negative that the method calls wrong, and a filter removes, in per cent."""
    return _share_suspected_among(outcome, outcome.train.labels == 0)


def removed_positives(outcome):
    """The same of the labels seen as positive."""
    return _share_suspected_among(outcome, outcome.train.labels != 0)


def kept_positives(outcome):
    """Share of positives among the training labels that the method does not call wrong, in per cent."""
    kept = outcome.train.labels[~outcome.suspected]
    return 100.0 * float(np.mean(kept != 0)) if len(kept) else None


def kept_wrong(outcome):
    """Share of wrong labels among those, in per cent."""
    wrong = _wrong(outcome)
    return None if wrong is None or outcome.suspected.all() else 100.0 * float(np.mean(wrong[~outcome.suspected]))


def true_positives(outcome):
    """Share of positives among the true training labels, in per cent."""
    truth = outcome.train.truth
    return None if truth is None else 100.0 * float(np.mean(truth != 0))


def precision_at(outcome, k):
    """Share of wrong labels among the k most suspicious; examples that are equally suspicious count in part."""
    wrong = _wrong(outcome)
    if wrong is None or k > len(wrong):
        return None
    values, inverse, sizes = np.unique(-outcome.suspicion, return_inverse=True, return_counts=True)
    hits = np.bincount(inverse, wrong, len(values))
    # within a group of equals every example has the group's share of wrong labels
    found = np.interp(k, np.concatenate([[0.0], np.cumsum(sizes)]), np.concatenate([[0.0], np.cumsum(hits)]))
    return float(found / k)


def error_precision(outcome):
    """Share of wrong labels among those that the method calls wrong, in per cent."""
    return _score_of_errors(outcome, "precision")


def error_recall(outcome):
    """Share of the wrong labels that the method calls wrong, in per cent."""
    return _score_of_errors(outcome, "recall")


def error_f1(outcome):
    """Harmonic mean of these two, in per cent."""
    return _score_of_errors(outcome, "f1")


def error_average_precision(outcome):
    """Average precision of the order by suspicion, in per cent; labels that are equally suspicious are one step."""
    wrong = _wrong(outcome)
    if wrong is None or not wrong.any():
        return None
    return 100.0 * float(average_precision_score(wrong, outcome.suspicion))


def precision_at_all(outcome):
    """Share of wrong labels among the most suspicious, as many as there are wrong labels; in per cent."""
    wrong = _wrong(outcome)
    return None if wrong is None or not wrong.any() else 100.0 * precision_at(outcome, int(wrong.sum()))


@_lower_is_better
def clean_named(outcome):
    """Share of the right labels that the method calls wrong, in per cent."""
    wrong = _wrong(outcome)
    return None if wrong is None or wrong.all() else 100.0 * float(np.mean(outcome.suspected[~wrong]))


@_lower_is_better
def fdp(outcome, q):
    """Share of right labels among those named if q per cent of them may be right, in per cent; 0 if none is named.

    The method is told the truth of a tenth of the labels, drawn at random, and does not name these. For methods with
    `suspects(fdr=, trusted=)`.
    """
    wrong, named = _wrong(outcome), _named_at_rate(outcome, q)
    return None if named is None else 100.0 * float(np.mean(~wrong[named])) if len(named) else 0.0


def named_at(outcome, q):
    """How many labels are named there."""
    named = _named_at_rate(outcome, q)
    return None if named is None else len(named)


def suspects_hit(outcome):
    """How many of the examples that others suspect (the tag `suspected`) the method suspects too."""
    tags = outcome.train.tags
    return int((outcome.suspected & tags["suspected"]).sum()) if "suspected" in tags else None


def false_positives(outcome):
    """How many other examples the method suspects."""
    tags = outcome.train.tags
    return int((outcome.suspected & ~tags["suspected"]).sum()) if "suspected" in tags else None


def as_published(outcome):
    """1 if the method suspects the very examples that the report found (the tag `published`), else 0."""
    tags = outcome.train.tags
    return float(np.array_equal(outcome.suspected, tags["published"])) if "published" in tags else None


def right_signs(outcome):
    """Share of the shifts of suspects (the tag `suspected`) that go the right way: towards the label given.

    For two classes; of more, a shift is added to the score of the label given.
    """
    shifts, tags = getattr(outcome.estimator, "shifts_", None), outcome.train.tags
    if shifts is None or "suspected" not in tags or outcome.train.n_classes > 2:
        return None
    shifted = (shifts != 0.0) & tags["suspected"]
    right = (shifts > 0.0) == (outcome.train.labels == 1)
    return float(right[shifted].mean()) if shifted.any() else 0.0


def flip_p0(outcome):
    """The learned probability that a negative is seen as a positive; for two classes."""
    return _flip_probability(outcome, 0, 1)


def flip_p1(outcome):
    """The learned probability that a positive is seen as a negative; for two classes."""
    return _flip_probability(outcome, 1, 0)


def flips(outcome):
    """The largest of the learned probabilities, one for each class, that it is seen as another."""
    learned = getattr(outcome.estimator, "flip_probabilities_", None)
    if learned is None:
        return None
    return max(float(np.delete(row, true).sum()) for true, row in enumerate(np.asarray(learned)))


def sigma2(outcome):
    """Variance of the L2 penalty's prior, 1 / alpha, as the report has it."""
    alpha = outcome.params.get("alpha")
    return round(1.0 / alpha, 9) if alpha else None


def _score(outcome, name):
    if outcome.test is None:
        return None
    counts = count_by_group(outcome.found, outcome.test.truth)
    return float(scores_of_counts(counts[0])[name])


def _share_suspected_among(outcome, among):
    return 100.0 * float(np.mean(outcome.suspected[among])) if among.any() else None


def _wrong(outcome):
    train = outcome.train
    return None if train.truth is None else train.labels != train.truth


def _score_of_errors(outcome, name):
    wrong = _wrong(outcome)
    if wrong is None or not wrong.any():
        return None
    return float(scores_of_counts(count_by_group(outcome.suspected, wrong)[0])[name])


def _named_at_rate(outcome, q):
    """Rows that are named where q per cent of them may be right; None if the method or the data don't tell."""
    truth, suspects = outcome.train.truth, getattr(outcome.estimator, "suspects", None)
    if truth is None or suspects is None:
        return None
    n = len(truth)
    rows = np.random.default_rng(n).choice(n, max(round(TRUSTED * n), 1), replace=False)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*no label can be named")  # that is an answer too
        table = suspects(fdr=q / 100.0, trusted=dict(zip(rows.tolist(), truth[rows].tolist(), strict=True)))
    return np.asarray(table.index)


def _flip_probability(outcome, true, seen):
    probabilities = getattr(outcome.estimator, "flip_probabilities_", None)
    if probabilities is None or len(probabilities) > 2:
        return None
    return float(probabilities[true, seen])
