"""Accuracy that counts both classes alike."""

from sklearn.metrics import balanced_accuracy_score


def balanced_accuracy(outcome):
    """Mean of the shares of each class that are classified rightly, in per cent."""
    if outcome.test is None:
        return None
    return 100.0 * balanced_accuracy_score(outcome.test.truth, outcome.predicted)
