"""Labels of any kind: numbers, words, bytes, flags, dates, or objects that can be hashed and put in an order."""

import numbers
from itertools import pairwise

import numpy as np
from sklearn.utils import column_or_1d


def read_labels(y):
    """y as a one-dimensional array, or a ValueError for a label that is missing.

    An array of objects that are numbers or flags becomes an array of numbers or flags. Nothing else is converted: a
    list of words and numbers stays one, where NumPy would make words of them all.
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu":  # the usual case, and nothing to check
        return y
    labels = column_or_1d(_as_array(y), warn=True)
    if labels.dtype.kind == "V":
        raise ValueError(f"y has labels of several fields, {labels.dtype}: must be one label for each row")
    if labels.dtype.kind in "mM":
        _refuse_missing(np.isnat(labels), labels)
    if labels.dtype.kind != "O":
        return labels
    _refuse_missing(np.array([_is_missing(label) for label in labels], dtype=bool), labels)
    if all(isinstance(label, numbers.Real | np.bool_) for label in labels):
        plain = np.asarray(labels.tolist())
        if plain.dtype.kind in "biuf" and np.all(plain == labels):
            return plain
    return labels


def classes_and_codes(labels):
    """The distinct labels in order, and the place of each label among them."""
    if labels.dtype.kind in "biuf":  # two numbers, the usual case, need no sorting
        least, most = np.minimum.reduce(labels), np.maximum.reduce(labels)
        is_most = labels == most
        if least != most and np.count_nonzero(is_most) + np.count_nonzero(labels == least) == len(labels):
            return np.array([least, most]), is_most.astype(np.intp)
    if labels.dtype.kind != "O":
        return np.unique(labels, return_inverse=True)
    try:
        ordered = sorted(set(labels))
        in_order = all(before < after for before, after in pairwise(ordered))
    except TypeError as error:
        raise ValueError(f"y has labels that cannot be sorted: {error}; use labels of one type") from error
    if not in_order:  # as of sets, of which neither is in the other
        raise ValueError(f"y has labels without an order, as {ordered[0]!r} and {ordered[1]!r}; use numbers or words")
    places = {label: place for place, label in enumerate(ordered)}
    return _objects(ordered), np.array([places[label] for label in labels], dtype=np.intp)


def are_equal(labels, label):
    """Which of the labels are equal to one."""
    if labels.dtype.kind == "O":
        return np.array([bool(one == label) for one in labels], dtype=bool)
    return np.broadcast_to(labels == label, labels.shape)


def _as_array(y):
    """An array, of objects where NumPy would convert labels of several types, or drop the last byte of b"a\\0"."""
    given = np.asarray(y) if isinstance(y, list | tuple) or not isinstance(getattr(y, "dtype", None), np.dtype) else y
    kind = getattr(given, "dtype", np.dtype(object)).kind
    converted = given is not y and kind in "SU" and not (kind == "U" and all(isinstance(one, str) for one in y))
    if kind == "T" or converted:
        return np.array(y, dtype=object)
    return given


def _objects(values):
    """An array of objects of one dimension, even if they are tuples."""
    array = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        array[place] = value
    return array


def _is_missing(label):
    """Whether it is None, NaN, NaT or pandas' NA: nothing else is unlike itself."""
    try:
        return label is None or bool(label != label)  # noqa: PLR0124
    except Exception:  # NA says neither yes nor no; a signalling NaN raises
        return True


def _refuse_missing(missing, labels):
    if missing.any():
        row = int(missing.argmax())
        what = "NaN" if isinstance(labels[row], numbers.Real) else str(labels[row])
        raise ValueError(f"Input y contains {what}, in row {row}: a label is missing; leave out such rows")
