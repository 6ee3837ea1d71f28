"""From checked arrays to kernels: the one place that knows which solver serves which problem.

A problem is  sum_i w_i profiled(s_i (x_i.theta + b), lam) + penalty(theta), prepared once and solved for many
(alpha, lam). Features without a penalty and dense ones with L2 go to Newton (tall ones are read block by block), L1 to
coordinate descent, sparse ones with L2 to the dual solver. Soft labels (`doubts`: the probability that each label is
wrong) enter as a linear term, since (1 - q) loss(m) + q loss(-m) = loss(m) + q m; nothing is copied.
"""

import numpy as np
from scipy import sparse

from shiftlr.solvers.few_columns import FewColumns
from shiftlr.solvers.frame import MOST_SPARSE_COLUMNS, belongs_dense
from shiftlr.solvers.lasso import Lasso
from shiftlr.solvers.loss import threshold
from shiftlr.solvers.sparse_ridge import SparseRidge
from shiftlr.solvers.tall import make_tall


def make_problem(X, signs, weights, penalty, fit_intercept):
    """Prepare `X` (dense or sparse) with labels `signs` (+1, -1) for the solver that fits `penalty`."""
    if penalty != "l1" and belongs_dense(X, fit_intercept):
        X = X.toarray()
    if penalty == "l2" and sparse.issparse(X):
        return SparseRidge(X, signs, weights, fit_intercept)
    if penalty == "l1" or (sparse.issparse(X) and X.shape[1] > MOST_SPARSE_COLUMNS):
        return Lasso(X, signs, weights, fit_intercept)
    tall = None if sparse.issparse(X) else make_tall(X, signs, weights, fit_intercept, penalised=penalty is not None)
    return tall or FewColumns(X, signs, weights, fit_intercept, penalised=penalty is not None)


def shares_shifted(X, signs, path, lams):
    """Share of the examples that each fit of a path shifts: those with a margin below the threshold of its lam."""
    margins = signs[:, None] * (X @ path.coefs.T + path.intercepts)
    return np.mean(margins < np.array([threshold(lam) for lam in lams]), axis=0)
