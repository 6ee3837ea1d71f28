"""Checks of what users pass in: each names the argument, its value and what is allowed."""

import numbers
import sys

import numpy as np
from scipy import sparse
from sklearn.utils import check_array, check_random_state

from shiftlr.labels import are_equal, classes_and_codes, read_labels

PENALTIES = (None, "l1", "l2")
NOISE_LIKELIHOOD = "noise_likelihood"  # a name for `scoring` that scikit-learn does not know
LEAST, MOST = 1e-100, 1e100  # of what is squared in a fit, so that nothing overflows or vanishes


def check_number(name, value, *, above=None, at_least=None, at_most=None, integer=False):
    """A finite real number (or integer) within bounds, else a ValueError."""
    plain = int if integer else float  # the usual case; to ask an abstract class takes a tenth of a small fit
    fits = type(value) is plain or (
        isinstance(value, numbers.Integral if integer else numbers.Real) and not isinstance(value, bool)
    )
    fits = fits and bool(abs(value) <= sys.float_info.max)
    fits = fits and (above is None or value > above) and (at_least is None or value >= at_least)
    if not fits or (at_most is not None and not value <= at_most):
        wanted = "a whole number" if integer else "a finite number"
        for bound, words in ((above, "greater than"), (at_least, "at least"), (at_most, "at most")):
            if bound is not None:
                wanted += f" {words} {bound}"
        raise ValueError(f"{name}={value!r}: must be {wanted}")
    return plain(value)


def check_choice(name, value, allowed):
    """One of the allowed values (None or strings), else a ValueError that lists them."""
    if not (value is None or isinstance(value, str)) or value not in allowed:
        raise ValueError(f"{name}={value!r}: must be one of {', '.join(map(repr, allowed))}")
    return value


def check_flag(name, value):
    """True or False, else a ValueError."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={value!r}: must be True or False")
    return bool(value)


def check_seed(name, value):
    """A generator of random numbers from a seed, a generator or None, else a ValueError."""
    try:
        return check_random_state(value)
    except ValueError as error:
        raise ValueError(f"{name}={value!r}: must be a whole number from 0 to 2**32 - 1, or None") from error


def check_penalty(penalty, alpha):
    """The penalty's name and strength; without a penalty the strength must be 0, so that none is silently ignored."""
    check_choice("penalty", penalty, PENALTIES)
    alpha = check_price("alpha", alpha, at_least=0.0)
    if penalty is None and alpha > 0.0:
        raise ValueError(f"alpha={alpha!r}: has no effect with penalty=None; set penalty='l1' or 'l2', or alpha=0")
    return penalty if alpha > 0.0 else None, alpha


def check_price(name, value, *, above=None, at_least=None):
    """A number as `check_number` wants it, of a size that can be squared; 0 is left to the bounds."""
    value = check_number(name, value, above=above, at_least=at_least)
    if value != 0.0 and not LEAST <= value <= MOST:
        raise ValueError(f"{name}={value!r}: must be a number from {LEAST} to {MOST}")
    return value


def check_lams(lams):
    """A non-empty one-dimensional array of prices of shifts."""
    try:
        lams = np.asarray(lams, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"lams={lams!r}: must be a sequence of numbers") from error
    if lams.ndim != 1 or lams.size == 0:
        raise ValueError(f"lams={lams!r}: must be a non-empty one-dimensional sequence")
    for lam in lams:
        check_price("lams", float(lam), above=0.0)
    return lams


def each_entry_once(X):
    """X, or for a sparse matrix that stores an entry in parts, a copy with their sums; X itself is never changed."""
    if not sparse.issparse(X) or X.has_canonical_format:
        return X
    X = X.copy()
    X.sum_duplicates()
    return X


def is_plain_features(X):
    """Whether scikit-learn's checks of X would find nothing to say and nothing to convert; they outlast a small fit."""
    plain = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 2 and X.size > 0
    # NaN and inf survive a sum; so does an overflow, which is then looked at more closely
    return plain and bool(np.isfinite(np.add.reduce(X, axis=None)))


def is_plain_labels(y, n_examples):
    """Whether y is an array of one boolean, string or whole-number label for each example."""
    if type(y) is not np.ndarray or y.shape != (n_examples,):
        return False
    return y.dtype.kind in "biuU" or (y.dtype.kind == "f" and bool(np.all(np.isfinite(y) & (y == np.rint(y)))))


def check_weights(sample_weight, X):
    """Non-negative finite weights, one for each example; ones by default."""
    n_examples = X.shape[0]
    if sample_weight is None:
        return np.ones(n_examples)
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_examples, float(sample_weight))
    if isinstance(sample_weight, str):
        raise ValueError(f"sample_weight={sample_weight!r}: must be None or a number for each row of X")
    weights = check_array(sample_weight, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
    if weights.shape != (n_examples,):
        raise ValueError(f"sample_weight.shape == {weights.shape}: must be ({n_examples},), a weight for each row of X")
    if weights.min() < 0.0:
        worst = int(weights.argmin())
        raise ValueError(f"sample_weight[{worst}]={weights[worst]!r}: weights must not be negative")
    most = int(weights.argmax())
    if weights.any() and not LEAST <= weights[most] <= MOST:
        raise ValueError(
            f"sample_weight[{most}]={weights[most]!r}: the largest weight must be a number from {LEAST} to {MOST}; "
            "multiply all weights by one number"
        )
    if not weights.any():
        raise ValueError("sample_weight: all weights are zero; at least one example of each class needs a positive one")
    return np.require(weights, requirements=("C", "A", "W"))  # kernels are compiled for such arrays


def check_classes(y, weights):
    """The classes in sorted order and the place of each label among them, or a ValueError if there is only one.

    No weights mean that all examples count.
    """
    classes, codes = classes_and_codes(y)
    if weights is None:
        if len(classes) > 1:
            return classes, codes
        weights = np.ones(len(codes))
    present = np.flatnonzero(np.bincount(codes, weights > 0.0, minlength=len(classes)))
    if len(present) < 2:
        where = "" if len(classes) < 2 else " with a positive sample_weight"
        raise ValueError(f"y has only one class{where}: {_listed(classes[present])}; two classes are needed")
    return classes, codes


def check_two_classes(classes):
    """A ValueError that names the classes if there are more than two."""
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes, {_listed(classes)}"
        )


def check_codes(y, classes, n_examples):
    """The place of each label among the classes, or a ValueError for a label that is not among them."""
    y = read_labels(y)
    if len(y) != n_examples:
        raise ValueError(f"X has {n_examples} rows and y has {len(y)} labels: inconsistent numbers of samples")
    codes, known = np.zeros(n_examples, dtype=np.int64), np.zeros(n_examples, dtype=bool)
    for place, label in enumerate(classes):
        equal = are_equal(y, label)
        codes[equal] = place
        known |= equal
    if not known.all():
        raise ValueError(f"y has labels other than the {classes.tolist()} of the training set")
    return codes


def check_signs(y, classes, n_examples):
    """+1 for each label of the second of two classes and -1 for the first, or a ValueError for labels of neither."""
    return 2.0 * check_codes(y, classes, n_examples) - 1.0


def _listed(values, most=5):
    shown = ", ".join(repr(value) for value in values[:most].tolist())
    return shown + (", ..." if len(values) > most else "")
