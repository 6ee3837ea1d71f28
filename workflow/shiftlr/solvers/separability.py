"""Whether an unpenalised logistic fit has a minimum at all."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.special import expit

from shiftlr.solvers.bounded import proves_minimum
from shiftlr.solvers.frame import centred, look_at_columns, positive, without_offsets
from shiftlr.solvers.loss import threshold, weighted_terms
from shiftlr.solvers.quasi_newton import sample_rows
from shiftlr.solvers.row_blocks import RowBlocks, extents

_MOST_COLUMNS = 1000  # that the Hessian is looked at for
_MOST_ENTRIES = 5_000_000  # of the linear program of more than two classes
_ROUNDS = 3  # of scaling rows and columns to one size
_FEW_ROWS = 2000  # up to here all are looked at at once
_PER_COLUMN = 10  # rows that are looked at first
_FEASIBLE = 1e-7  # the linear program's own tolerance
_NULL = 1e-14  # of the largest: the square of a singular value that is rounding


def is_separable(X, signs, weights, fit_intercept, margins, lam, tol):
    """Whether some direction has no negative margin and some positive one, so that an unpenalised fit has no minimum.

    `margins` are those of the fit to `tol`. A fit with positive margins only is the proof itself, and one without a
    large margin or with curvature in every direction is proof of the contrary; else linear programs decide: maximise
    sum_i u_i over directions with 0 <= u_i = s_i (x_i.d + e) <= 1; that is 0 or at least 1.
    """
    used = weights > 0.0
    if not used.all():
        X, signs, weights, margins = X[used], signs[used], weights[used], margins[used]
    if margins.min() > 0.0:
        return True
    if has_no_large_margin(margins, lam, tol):
        return False
    if not sparse.issparse(X) and _is_bounded(X, signs, weights, fit_intercept, margins, lam):
        return False
    if fit_intercept:  # beside a large offset, rounding hides what the linear program looks for
        ones = np.ones((X.shape[0], 1))
        if sparse.issparse(X):
            X = sparse.hstack([without_offsets(X)[1], ones], format="csr")
        else:
            outlying, *ends = look_at_columns(X, True)
            X = np.hstack([centred(X, weights, outlying, ends)[1], ones])
    if not _is_flat_somewhere(X, weights, margins, lam, tol):
        return False
    return has_separating_direction(X, signs, margins)


def are_separable(X, codes, weights, fit_intercept, scores, lam, tol):
    """The same for more than two classes, with the scores (n, C) of a fit.

    A direction has to put no label's score below another: one pair (row, other class) is a row x (e_y - e_c) of a
    problem of two classes. Where these are too many to look at, only a fit that is the proof itself is found.
    """
    used = np.flatnonzero(weights > 0.0)
    X, codes, scores = X[used], codes[used], scores[used]
    (n, n_classes), places = scores.shape, np.arange(len(used))
    leads = scores[places, codes][:, None] - scores
    other = np.arange(n_classes) != codes[:, None]
    margins = leads[other]
    if margins.min() > 0.0:
        return True
    if has_no_large_margin(margins, lam, tol):
        return False
    columns = sparse.csr_array(X)
    if fit_intercept:
        columns = sparse.hstack([columns, np.ones((n, 1))], format="csr")
    if 2 * columns.nnz * (n_classes - 1) > _MOST_ENTRIES:
        return False
    rows, classes = np.nonzero(other)
    pairs = np.arange(len(rows))
    unit = np.ones(len(rows))
    signed = sparse.csr_array((unit, (pairs, codes[rows])), shape=(len(rows), n_classes))
    signed -= sparse.csr_array((unit, (pairs, classes)), shape=signed.shape)
    blocks = [sparse.diags_array(signed[:, [c]].toarray().ravel()) @ columns[rows] for c in range(n_classes)]
    return has_separating_direction(sparse.hstack(blocks, format="csr"), unit, margins)


def has_no_large_margin(margins, lam, tol):
    """Whether all margins of a fit to `tol` are so small that it cannot be on its way to infinity."""
    return bool(margins.max() < 0.5 * np.log(1.0 / (tol * min(1.0, lam))))


def _is_bounded(X, signs, weights, fit_intercept, margins, lam):
    """Whether the curvature of some rows proves that there is a minimum: for a part of what a step of Newton costs."""
    n, m = X.shape
    if n <= max(_FEW_ROWS, _PER_COLUMN * m):
        return False
    chosen = sample_rows(n, max(_FEW_ROWS, _PER_COLUMN * m))
    centre = X[chosen].mean(axis=0) if fit_intercept else np.zeros(m)
    sizes = positive(extents(X, weights, centre).largest)  # so that no column looks like nothing
    rows = RowBlocks(X, signs, weights, centre, sizes, fit_intercept, exact_centring=fit_intercept)
    slopes, curvatures = np.empty(n), np.empty(n)
    weighted_terms(margins, weights, lam, slopes, curvatures)
    sample = rows.sample(chosen)
    return proves_minimum(rows.pull(slopes), sample.gram(curvatures[chosen]), sample, rows)


def _is_flat_somewhere(X, weights, margins, lam, tol):
    """Whether the Hessian has next to no curvature in some direction, as it must have along a separating one.

    There the slopes have sunk to about tol * lam, and the curvatures with them.
    """
    if X.shape[1] > _MOST_COLUMNS:
        return True
    curvatures = np.where(margins < threshold(lam), 0.0, weights * expit(margins) * expit(-margins))
    if sparse.issparse(X):
        squares, hessian = X.power(2), (X.T @ (sparse.diags_array(curvatures) @ X)).toarray()
    else:
        squares, hessian = X * X, (X.T * curvatures) @ X
    sizes = np.sqrt(np.maximum(weights @ squares, 1e-300))
    flattest = np.linalg.eigvalsh(hessian / sizes[:, None] / sizes)[0]
    return bool(flattest < min(1e-2, 100.0 * tol) * min(1.0, lam))


def has_separating_direction(X, signs, margins):
    """Whether u_i = s_i x_i.d >= 0 for all rows and > 0 for some, for some direction d.

    A linear program over some of the rows may prove enough, and takes a small part of the time. They are those that
    a fit contradicts most, by its `margins`, and some others. If they have such a direction, either it serves all rows,
    or those that it does not serve are added. If they have none, and no direction in which they are all 0 but others
    are not, then neither have all rows.
    """
    n, m = X.shape
    X = _scaled(X)
    chosen = np.arange(n)
    if m <= _MOST_COLUMNS and n > _FEW_ROWS and n > _PER_COLUMN * m * 4:
        chosen = _contradicted(margins, _PER_COLUMN * m)
    while len(chosen) < n:
        part, part_signs = X[chosen], signs[chosen]
        direction = _separating_direction(part, part_signs)
        if direction is not None:
            scores = signs * (X @ direction)
            missing = -scores
            if missing.max() <= _FEASIBLE:
                return True
        else:
            missing = _seen_in_null_space(X, part)
            if missing.max() <= _FEASIBLE:
                return False
        missing[chosen] = 0.0
        most = max(len(chosen) // 2, m)
        added = np.argpartition(-missing, min(most, n - 1))[:most]
        added = added[missing[added] > 0.0]
        chosen = np.union1d(chosen, added) if len(added) and 2 * len(chosen) < n else np.arange(n)
    return _separating_direction(X, signs) is not None


def _contradicted(margins, size):
    """Places of the rows with the least margins and, evenly spread, of as many others."""
    least = np.argpartition(margins, size)[:size]
    return np.union1d(least, np.arange(0, len(margins), max(1, len(margins) // size)))


def _seen_in_null_space(X, part):
    """How far each row of X goes in directions in which all rows of `part` are 0."""
    gram = part.T @ part
    sizes, directions = np.linalg.eigh(gram.toarray() if sparse.issparse(gram) else gram)
    null = directions[:, sizes <= _NULL * max(sizes[-1], 1e-300)]
    return np.max(np.abs(X @ null), axis=1, initial=0.0)


def _scaled(X):
    """Rows and columns scaled to a largest entry of about 1: that leaves the signs of all u_i."""
    X = sparse.csr_array(X) if sparse.issparse(X) else X.copy()
    for _ in range(_ROUNDS):
        for side in (1, 0):
            largest = _largest_entries(X, side)
            factors = 1.0 / np.where(largest > 0.0, largest, 1.0)
            if sparse.issparse(X):
                X = sparse.diags_array(factors) @ X if side == 1 else X @ sparse.diags_array(factors)
            else:
                X *= factors[:, None] if side == 1 else factors
    return X


def _largest_entries(X, side):
    if sparse.issparse(X):
        return abs(X).max(axis=side).toarray().ravel()
    return np.maximum(X.max(axis=side), -X.min(axis=side))


def _separating_direction(X, signs):
    """The linear program: a direction, or None."""
    signed = sparse.diags_array(signs) @ sparse.csr_array(X)
    ones, zeros = np.ones(signed.shape[0]), np.zeros(signed.shape[0])
    answer = linprog(
        -(ones @ signed), A_ub=sparse.vstack([signed, -signed]), b_ub=np.concatenate([ones, zeros]), bounds=(None, None)
    )
    return answer.x if answer.success and -answer.fun > 0.5 else None
