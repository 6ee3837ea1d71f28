"""What a classifier answers, checked: one value for each example, or a ValueError that says what is wrong with it.

A wrong answer can be measured all the same, and give a number that looks right. Classes of shape (n, 1) are compared
with n labels in n x n pairs; NaN, None and words are equal to no label; `~` of 0 and 1 is -1 and -2, which are places.
"""

import numpy as np

_SLACK = 1e-6  # rounding of probabilities
_MOST_SHOWN = 3


def check_classes(given, classes, n, name="predict"):
    """An array with one of the classes for each of `n` examples."""
    values = _of_shape(name, given, (n,))
    known = np.zeros(n, dtype=bool)
    for one in classes:
        known |= values == one
    if not known.all():
        shown = ", ".join(dict.fromkeys(repr(value) for value in values[~known][:_MOST_SHOWN].tolist()))
        listed = ", ".join(repr(one) for one in np.asarray(classes).tolist())
        raise ValueError(f"{name} gave other values than the classes {listed} for {_count(~known)} examples: {shown}")
    return values


def check_numbers(given, n, name="decision_function", n_columns=None):
    """An array with a number for each of `n` examples, or `n_columns` numbers, which may be infinite."""
    return _numbers(name, given, (n,) if n_columns is None else (n, n_columns))


def check_probabilities(given, n, name="predict_proba", n_classes=2):
    """An array with the probabilities of all classes for each of `n` examples."""
    values = _numbers(name, given, (n, n_classes))
    outside = ((values < -_SLACK) | (values > 1.0 + _SLACK)).any(axis=1)
    if outside.any():
        shown = values[outside][0].tolist()
        raise ValueError(f"{name} gave values that are no probabilities for {_count(outside)} examples: {shown}")
    return values


def check_flags(given, n, name="suspected"):
    """An array with True or False for each of `n` examples."""
    values = _of_shape(name, given, (n,))
    if values.dtype != bool:
        raise ValueError(f"{name} gave values of type {values.dtype}: must be True or False for each example")
    return values


def check_scores(given, grid):
    """An array with the score of each setting of a grid; NaN cannot be compared, and would be taken for the best."""
    values = np.asarray(given)
    if values.shape != (len(grid),) or values.dtype.kind not in "biuf":
        raise ValueError(f"the scores of {len(grid)} settings must be as many numbers; got {given!r}")
    missing = np.isnan(values)
    if missing.any():
        raise ValueError(f"the score of {_count(missing)} settings is not a number: {grid[int(missing.argmax())]}")
    return values


def _of_shape(name, given, shape):
    values = np.asarray(given)
    if values.shape != shape:
        what = f"an array of shape {values.shape}" if values.ndim else f"{given!r}"
        raise ValueError(f"{name} gave {what}: must be of shape {shape} for {shape[0]} examples")
    return values


def _numbers(name, given, shape):
    values = _of_shape(name, given, shape)
    if values.dtype.kind not in "biuf":
        raise ValueError(f"{name} gave values of type {values.dtype}: must be numbers")
    missing = np.isnan(values).reshape(shape[0], -1).any(axis=1)
    if missing.any():
        raise ValueError(f"{name} gave NaN for {_count(missing)} examples")
    return values


def _count(mask):
    return f"{np.count_nonzero(mask)} of {len(mask)}"
