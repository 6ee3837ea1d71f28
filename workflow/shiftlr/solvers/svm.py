"""The soft-margin SVM: features brought into the form that its solver takes."""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from shiftlr.solvers.frame import OFFSET, Frame, belongs_dense, has_outlying_rows, largest_offset, without_offsets
from shiftlr.solvers.hinge import hinge_fit
from shiftlr.solvers.rows import NO_VALUES
from shiftlr.solvers.storage import plain, plain_sparse


class HingeFit(NamedTuple):
    """A soft-margin SVM."""

    coef: np.ndarray
    intercept: float
    multipliers: np.ndarray
    objective: float
    n_iter: int
    gap: float


def fit_hinge(X, signs, prices, fit_intercept, tol, max_iter):
    """Minimise 1/2 ||theta||^2 + sum_i price_i max(0, 1 - s_i (x_i.theta + b)).

    Rows go to the solver as they are, unless outlying rows or offsets would drown the others: then in coordinates that
    neither moves the minimum (`frame.py`).
    """
    if belongs_dense(X, fit_intercept):
        X = X.toarray()
    if sparse.issparse(X):
        centre = np.zeros(X.shape[1])
        if fit_intercept:
            centre, X = without_offsets(X)
        data, indices, indptr = plain_sparse(sparse.csr_array(X))
        rows = (NO_VALUES if np.all(data == 1.0) else data, indices, indptr)
        coef, intercept, *rest = _fit(rows, X.shape[1], signs, prices, fit_intercept, tol, max_iter)
        return HingeFit(coef, intercept - centre @ coef, *rest)
    if not has_outlying_rows(X, fit_intercept) and largest_offset(X) <= OFFSET:
        return HingeFit(*_fit(plain(X), X.shape[1], signs, prices, fit_intercept, tol, max_iter))
    used = prices > 0.0
    frame = Frame(X[used], prices[used], fit_intercept, penalised=True)
    rows = plain(frame.columns * frame.rotated_scale)
    theta, intercept, used_multipliers, *rest = _fit(
        rows, rows.shape[1], signs[used], prices[used], fit_intercept, tol, max_iter
    )
    theta = theta * frame.rotated_scale
    coefs, intercepts = frame.from_kernel((np.append(theta, intercept) if fit_intercept else theta)[None, :])
    multipliers = np.zeros(len(signs))
    multipliers[used] = used_multipliers
    return HingeFit(coefs[0], intercepts[0], multipliers, *rest)


def _fit(rows, n_features, signs, prices, fit_intercept, tol, max_iter):
    return hinge_fit(rows, n_features, signs, plain(prices), fit_intercept, np.zeros(len(signs)), tol, max_iter)
