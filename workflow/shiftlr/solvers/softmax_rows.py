"""Features of more than two classes: scores, gradients, and products with a Hessian, dense or sparse.

Weights theta are (columns, C), the intercepts their last row where there are any. Dense products are BLAS's, on one
thread. Sparse ones go row by row: the C numbers of a column lie side by side, so that a row is read once for all
classes.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import dot
from shiftlr.solvers.softmax_loss import bend_row, bend_rows
from shiftlr.solvers.storage import plain, plain_sparse


@kernel(error_model="numpy")
def scores_of_rows(data, indices, indptr, theta, out):
    """out_i = sum_j x_ij theta_j, C numbers for each row."""
    n_classes = theta.shape[1]
    for i in range(out.shape[0]):
        row = out[i]
        row[:] = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            value, own = data[p], theta[indices[p]]
            for c in range(n_classes):
                row[c] += value * own[c]


@kernel(error_model="numpy")
def pull_rows(data, indices, indptr, block, out):
    """out_j = sum_i x_ij block_i, C numbers for each column."""
    n_classes = out.shape[1]
    out[:] = 0.0
    for i in range(block.shape[0]):
        row = block[i]
        for p in range(indptr[i], indptr[i + 1]):
            value, own = data[p], out[indices[p]]
            for c in range(n_classes):
                own[c] += value * row[c]


@kernel(error_model="numpy")
def bend_sparse(data, indices, indptr, residuals, states, weights, codes, p, intercept, out, out_intercept):
    """out = the sum over the rows of x_i (Hessian of row i) (x_i p + intercept)."""
    n_classes = p.shape[1]
    given, image = np.empty(n_classes), np.empty(n_classes)
    out[:] = 0.0
    out_intercept[:] = 0.0
    for i in range(codes.size):
        for c in range(n_classes):
            given[c] = intercept[c]
        for k in range(indptr[i], indptr[i + 1]):
            value, own = data[k], p[indices[k]]
            for c in range(n_classes):
                given[c] += value * own[c]
        bend_row(residuals[i], states[i], weights[i], codes[i], given, image)
        for c in range(n_classes):
            out_intercept[c] += image[c]
        for k in range(indptr[i], indptr[i + 1]):
            value, own = data[k], out[indices[k]]
            for c in range(n_classes):
                own[c] += value * image[c]


class DenseRows:
    """Dense features, with an intercept or without."""

    def __init__(self, features, fit_intercept):
        self.features, self.fit_intercept = plain(features), fit_intercept
        self.n_rows, self.n_columns = features.shape
        self.sizes = np.abs(features).mean(axis=0) if self.n_rows else np.zeros(self.n_columns)

    def scores(self, theta):
        """(n, C)."""
        scores = self.features @ theta[: self.n_columns]
        return scores + theta[-1] if self.fit_intercept else scores

    def pull(self, block):
        """What a block (n, C) adds to the gradient in theta."""
        pulled = self.features.T @ block
        return np.vstack([pulled, block.sum(axis=0)]) if self.fit_intercept else pulled

    def squared_sums(self, curvatures):
        """sum_i curvature_ic x_ij^2, for each column and class."""
        sums = (self.features**2).T @ curvatures
        return np.vstack([sums, curvatures.sum(axis=0)]) if self.fit_intercept else sums

    def take(self, rows):
        """Some of the rows."""
        return DenseRows(self.features[rows], self.fit_intercept)

    def bend(self, residuals, states, weights, codes, direction):
        """The Hessian of the sum of the losses, times a direction."""
        block = self.scores(direction)
        bend_rows(residuals, states, weights, codes, block)
        return self.pull(block)


class SparseRows:
    """Sparse features in CSR form, each entry once."""

    def __init__(self, features, fit_intercept):
        self.features, self.fit_intercept = features, fit_intercept
        self.data, self.indices, self.indptr = plain_sparse(features)
        self.n_rows, self.n_columns = features.shape
        total = np.bincount(self.indices, np.abs(self.data), minlength=self.n_columns)
        self.sizes = total / max(self.n_rows, 1)

    def scores(self, theta):
        scores = np.empty((self.n_rows, theta.shape[1]))
        scores_of_rows(self.data, self.indices, self.indptr, theta, scores)
        if self.fit_intercept:
            scores += theta[-1]
        return scores

    def pull(self, block):
        pulled = np.zeros((self.n_columns + self.fit_intercept, block.shape[1]))
        pull_rows(self.data, self.indices, self.indptr, block, pulled)
        if self.fit_intercept:
            pulled[-1] = block.sum(axis=0)
        return pulled

    def squared_sums(self, curvatures):
        sums = np.zeros((self.n_columns + self.fit_intercept, curvatures.shape[1]))
        pull_rows(self.data**2, self.indices, self.indptr, curvatures, sums)
        if self.fit_intercept:
            sums[-1] = curvatures.sum(axis=0)
        return sums

    def take(self, rows):
        return SparseRows(self.features[rows], self.fit_intercept)

    def bend(self, residuals, states, weights, codes, direction):
        out, n_classes = np.empty_like(direction), direction.shape[1]
        given, image = np.zeros(n_classes), np.empty(n_classes)
        if self.fit_intercept:
            given[:] = direction[-1]
        bend_sparse(
            self.data, self.indices, self.indptr, residuals, states, weights, codes, direction, given, out, image
        )
        if self.fit_intercept:
            out[-1] = image
        return out


def inner(a, b):
    """The sum of the products of two arrays of one shape."""
    return dot(a.ravel(), b.ravel())
