"""Whether an unpenalised logistic fit has a minimum at all."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog
from scipy.special import expit

from shiftlr.solvers.loss import threshold

_MOST_COLUMNS = 1000  # that the Hessian is looked at for


def is_separable(X, signs, weights, fit_intercept, margins, lam, tol):
    """Whether some direction has no negative margin and some positive one, so that an unpenalised fit has no minimum.

    `margins` are those of the fit to `tol`. A fit with positive margins only is the proof itself, and one without a
    large margin or with curvature in every direction is proof of the contrary; else a linear program decides: maximise
    sum_i u_i over directions with 0 <= u_i = s_i (x_i.d + e) <= 1; that is 0 or at least 1.
    """
    used = weights > 0.0
    if not used.all():
        X, signs, weights, margins = X[used], signs[used], weights[used], margins[used]
    if margins.min() > 0.0:
        return True
    if margins.max() < 0.5 * np.log(1.0 / (tol * min(1.0, lam))):
        return False
    if fit_intercept:
        ones = np.ones((X.shape[0], 1))
        X = sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])
    return _is_flat_somewhere(X, weights, margins, lam, tol) and _has_separating_direction(X, signs)


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


def _has_separating_direction(X, signs):
    """The linear program, on columns scaled to a largest entry of 1."""
    signed = sparse.diags_array(signs) @ sparse.csr_array(X)
    largest = abs(signed).max(axis=0).toarray().ravel()
    signed = signed @ sparse.diags_array(1.0 / np.where(largest > 0.0, largest, 1.0))
    ones, zeros = np.ones(signed.shape[0]), np.zeros(signed.shape[0])
    answer = linprog(
        -(ones @ signed), A_ub=sparse.vstack([signed, -signed]), b_ub=np.concatenate([ones, zeros]), bounds=(None, None)
    )
    return bool(answer.success and -answer.fun > 0.5)
