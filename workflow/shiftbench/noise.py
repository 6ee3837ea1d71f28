"""Ways to make labels wrong: one function each, found by name (`noise: {kind: uniform, p0: 0.3}` in config.yaml).

A function takes the settings and returns another, `flips(part, rng)`: which examples of a part get the other label. It
is made anew for each replicate and called for the train set first, then for the development set. Of more than two
classes (`part.n_classes`) a flipped label becomes the next class, the first one after the last; or `flips` gives whole
numbers, by how many classes each label moves on.
"""

from collections.abc import Callable

import numpy as np
from scipy import sparse

Flips = Callable[..., np.ndarray]


def uniform(*, p0: float = 0.0, p1: float = 0.0, share: float | None = None) -> Flips:
    """Each negative is flipped with probability p0, each positive with p1; or any label with probability `share`.

    Of more than two classes, which need `share`, a wrong label is one of the others, each as likely.
    """
    _check_share("p0", p0)
    _check_share("p1", p1)
    if share is not None:
        _check_share("share", share)
        if p0 or p1:
            raise ValueError(f"share={share!r}: holds for all classes; leave out p0 and p1")
        p0 = p1 = share

    def flips(part, rng):
        if part.n_classes == 2:
            truth = _truth(part)
            return rng.random(len(truth)) < np.where(truth, p1, p0)
        if share is None:
            _refuse_many("uniform", part, "give share instead of p0 and p1")
        n = len(part.labels)
        return (rng.random(n) < share) * rng.integers(1, part.n_classes, n)

    return flips


def pairs(*, share: float) -> Flips:
    """Each label is flipped with probability `share`, to the next class: the first after the last."""
    _check_share("share", share)
    return lambda part, rng: rng.random(len(part.labels)) < share


def one_class(*, of: int, share: float) -> Flips:
    """Each label of the class `of` (0 is the first) is flipped with probability `share`, to the next class."""
    _check_share("share", share)
    if not isinstance(of, int) or isinstance(of, bool) or of < 0:
        raise ValueError(f"of={of!r}: must be the number of a class; the first is 0")

    def flips(part, rng):
        if of >= part.n_classes:
            raise ValueError(f"of={of}: there are {part.n_classes} classes, from 0 to {part.n_classes - 1}")
        return (rng.random(len(part.labels)) < share) & (_codes(part) == of)

    return flips


def side(*, share: float, within: float) -> Flips:
    """About `share` of the labels are flipped, all of examples on one side, as any of the other classes.

    The side are the examples that are farthest in a direction of the features that is drawn at random, as many as are
    needed: there each label is flipped with probability `within`.
    """
    _check_share("share", share)
    _check_share("within", within)
    if share > within:
        raise ValueError(
            f"share={share}, within={within}: no more can be flipped than all examples with this probability"
        )

    def flips(part, rng):
        n = len(part.labels)
        far = np.asarray(part.X @ rng.normal(size=part.X.shape[1]))
        on_side = np.zeros(n, dtype=bool)
        if share > 0.0:
            on_side[np.argsort(-far, kind="stable")[: round(share / within * n)]] = True
        flipped = on_side & (rng.random(n) < within)
        return flipped if part.n_classes == 2 else flipped * rng.integers(1, part.n_classes, n)

    return flips


def region(*, low: float, high: float, p0: float = 1.0, p1: float = 0.0) -> Flips:
    """Examples whose first feature lies between `low` and `high` are flipped: negatives with p0, positives with p1.

    It knows two classes only.
    """
    _check_share("p0", p0)
    _check_share("p1", p1)
    if not (_is_number(low) and _is_number(high) and low <= high):
        raise ValueError(f"low={low!r}, high={high!r}: must be two numbers, the smaller one first")

    def flips(part, rng):
        _refuse_many("region", part, "use uniform, pairs or group")
        truth, first = _truth(part), part.X[:, [0]]
        x = (first.toarray() if sparse.issparse(first) else np.asarray(first)).ravel()
        return (rng.random(len(truth)) < np.where(truth, p1, p0)) & (x >= low) & (x <= high)

    return flips


def group(*, by: str, share: float) -> Flips:
    """All examples of some groups are flipped; groups are drawn until about `share` of the train set is.

    `by` names the dataset's tag (`Part.tags`) that numbers the groups, such as the word of each example. The groups
    that were drawn for the train set are flipped in the development set too.
    """
    _check_share("share", share)
    drawn: list[np.ndarray] = []

    def flips(part, rng):
        if by not in part.tags:
            raise ValueError(f"by={by!r}: the dataset has no such tag; it has {', '.join(part.tags) or 'none'}")
        values = part.tags[by]
        if not drawn:
            drawn.append(_draw_groups(values, share, rng))
        return np.isin(values, drawn[0])

    return flips


def _draw_groups(values, share, rng):
    """Groups in random order, each taken if it still fits into the share."""
    names, counts = np.unique(values, return_counts=True)
    wanted, total, taken = share * len(values), 0, []
    for k in rng.permutation(len(names)):
        if total + counts[k] <= wanted:  # a large group that does not fit any more is passed over
            total += counts[k]
            taken.append(names[k])
    return np.array(taken, dtype=names.dtype)


def _codes(part):
    return np.asarray(part.labels if part.truth is None else part.truth).astype(int)


def _truth(part):
    return _codes(part).astype(bool)


def _refuse_many(kind, part, way_out):
    if part.n_classes > 2:
        raise ValueError(f"{kind}: flips two classes by rates of their own, and there are {part.n_classes}; {way_out}")


def _is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_share(name, value):
    if not (_is_number(value) and 0.0 <= value <= 1.0):
        raise ValueError(f"{name}={value!r}: must be a number from 0 to 1")
