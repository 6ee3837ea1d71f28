"""Precision, recall and F1 from counts, by group of examples."""

import numpy as np

SCORES = ("precision", "recall", "f1")


def count_by_group(predicted: np.ndarray, truth: np.ndarray, groups: np.ndarray | None = None) -> np.ndarray:
    """(groups, 3): true positives, predicted positives and positives of each group, groups in sorted order.

    `predicted` and `truth` are flags, or codes of classes: all but the first class are positives, and one is found if
    its class is the right one. Scores of such counts are micro-averages over the classes but the first.
    """
    places = np.zeros(len(truth), int) if groups is None else np.unique(groups, return_inverse=True)[1]
    found, positive = predicted != 0, truth != 0
    columns = ((predicted == truth) & positive, found, positive)
    return np.column_stack([np.bincount(places, column, places.max() + 1) for column in columns])


def scores_of_counts(counts: np.ndarray) -> dict[str, np.ndarray]:
    """Precision, recall and F1 of counts in the last axis, in per cent; 0 where nothing was found or is to be found."""
    hits, predicted, positives = np.moveaxis(np.asarray(counts, dtype=float), -1, 0)
    precision = 100.0 * hits / np.maximum(predicted, 1.0)
    recall = 100.0 * hits / np.maximum(positives, 1.0)
    f1 = 200.0 * hits / np.maximum(predicted + positives, 1.0)
    return dict(zip(SCORES, (precision, recall, f1), strict=True))
