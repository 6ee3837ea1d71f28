"""Whether an unpenalised logistic fit has a minimum at all."""

import numpy as np
from scipy import sparse
from scipy.optimize import linprog


def is_separable(X, signs, weights, fit_intercept, margins):
    """Whether some direction has no negative margin and some positive one, so that an unpenalised fit has no minimum.

    A fit with positive margins only is the proof itself; else a linear program decides:
    maximise sum_i u_i over directions with 0 <= u_i = s_i (x_i.d + e) <= 1; that is 0 or at least 1.
    """
    used = weights > 0.0
    if margins[used].min() > 0.0:
        return True
    signed = sparse.diags_array(signs[used]) @ sparse.csr_array(X[used])
    if fit_intercept:
        signed = sparse.hstack([signed, sparse.csr_array(signs[used][:, None])])
    largest = abs(signed).max(axis=0).toarray().ravel()
    signed = signed @ sparse.diags_array(1.0 / np.where(largest > 0.0, largest, 1.0))
    ones, zeros = np.ones(signed.shape[0]), np.zeros(signed.shape[0])
    answer = linprog(
        -(ones @ signed), A_ub=sparse.vstack([signed, -signed]), b_ub=np.concatenate([ones, zeros]), bounds=(None, None)
    )
    return bool(answer.success and -answer.fun > 0.5)
