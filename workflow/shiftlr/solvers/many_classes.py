"""Problems of more than two classes, without a penalty or with L2: prepared once, solved for many (alpha, lam)."""

import numpy as np
from scipy import sparse

from shiftlr.solvers.frame import Frame, belongs_dense, positive, without_offsets
from shiftlr.solvers.path import Path
from shiftlr.solvers.softmax_dual import dual_start, takes_dual
from shiftlr.solvers.softmax_loss import GROUP, LABEL
from shiftlr.solvers.softmax_model import FULL
from shiftlr.solvers.softmax_newton import minimise
from shiftlr.solvers.softmax_objective import SoftmaxObjective
from shiftlr.solvers.softmax_rows import DenseRows, SparseRows
from shiftlr.solvers.storage import plain

_MOST_ENTRIES = 20_000_000  # of sparse features that may be made dense
KINDS = {"label": LABEL, "group": GROUP}


class ManyClasses:
    """Features X (dense or sparse) with labels 0 .. C - 1 (`codes`).

    Paths have coefs (K, C, m) and intercepts (K, C).
    """

    def __init__(self, X, codes, weights, n_classes, penalty, fit_intercept, shift="label"):
        if belongs_dense(X, fit_intercept) or _is_small(X, n_classes):
            X = X.toarray()
        self.used = np.flatnonzero(weights > 0.0)
        if len(self.used) < len(weights):
            X, codes, weights = X[self.used], codes[self.used], weights[self.used]
        self.codes, self.weights, self.n_classes = plain(codes, np.int64), plain(weights), n_classes
        self.kind, self.fit_intercept = KINDS[shift], fit_intercept
        if sparse.issparse(X) and penalty is not None:
            centre = np.zeros(X.shape[1])
            if fit_intercept:
                centre, X = without_offsets(X)
            # One size for all columns, so that they share the penalty still.
            size = positive(np.abs(X.data).mean(keepdims=True) if X.nnz else np.ones(1))[0]
            self.frame = Frame.of_sizes(centre, np.full(X.shape[1], size), fit_intercept, penalised=True)
            columns = sparse.csr_array(X if size == 1.0 else X * (1.0 / size))
        else:
            self.frame = Frame(X, weights, fit_intercept, penalised=penalty is not None)
            columns = self.frame.columns
        kind = SparseRows if sparse.issparse(columns) else DenseRows
        self.rows = kind(sparse.csr_array(columns) if sparse.issparse(columns) else columns, fit_intercept)

    def path(self, alphas, lams, tol, max_iter, start=None, targets=None):
        """Solve for each pair in order, each from the one before. `start` is (coef (C, m), intercept (C,)).

        `targets` (n, C) are soft labels: the probability of each class, for each example.
        """
        theta = np.zeros((self.rows.n_columns + self.fit_intercept, self.n_classes))
        if start is not None:
            pairs = zip(start.coef, start.intercept, strict=True)
            theta = np.column_stack([self.frame.to_kernel(coef, intercept) for coef, intercept in pairs])
        tilt = None if targets is None else self._tilt(targets)
        found = []
        for alpha, lam in zip(alphas, lams, strict=True):
            given = self.kind, float(lam), self.frame.ridge(alpha), tilt
            objective = SoftmaxObjective(self.rows, self.codes, self.weights, *given)
            gap = np.inf
            if not theta.any() and takes_dual(objective):
                theta, gap = dual_start(objective, theta, tol)
            point, steps, optimality = minimise(objective, plain(theta), tol, max_iter, gap)
            theta = self._centred(point.theta, objective.ridge)
            coefs, intercepts = self.frame.from_kernel(theta.T)
            found.append((coefs, intercepts, point.value, max(steps, 1), optimality))
        return Path._make(map(np.array, zip(*found, strict=True)))

    def _tilt(self, targets):
        """The linear term that soft labels add: sum_i w_i x_i (e_y - target)."""
        pull = -targets[self.used]
        pull[np.arange(len(self.codes)), self.codes] += 1.0
        return self.rows.pull(self.weights[:, None] * pull)

    def _centred(self, theta, ridge):
        """The same scores up to a number for each example: what no penalty holds sums to 0 over the classes."""
        theta = theta.copy()
        free = ridge <= 0.0
        theta[free] -= theta[free].mean(axis=1, keepdims=True)
        return theta


def _is_small(X, n_classes):
    """Whether sparse features have so few columns that the whole Hessian can be formed."""
    n, m = X.shape
    return sparse.issparse(X) and (m + 1) * n_classes <= FULL and n * m <= _MOST_ENTRIES
