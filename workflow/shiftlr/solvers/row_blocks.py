"""Tall dense features, read block by block in the storage they came in: nothing of their size is ever copied.

A block of rows stays in the cache while its scores, the terms of the loss and its part of the gradient are computed, so
that a gradient costs one pass over the memory. BLAS does the products; it has one thread during a fit.
"""

from copy import copy
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.loss import REORDER, weighted_terms
from shiftlr.solvers.storage import plain

_BLOCK_ENTRIES = 2**18  # of the features: two megabytes
_LEAST_BLOCK = 64  # rows


@kernel(fastmath=REORDER, error_model="numpy")
def add_extents(block, weights, centre, sums, sizes, squares, largest):
    """Add the rows of a block to the sums of w_i d_ij, w_i |d_ij| and w_i d_ij^2 with d_ij = x_ij - c_j over i.

    Keep the largest |d_ij| of each column too.
    """
    n, m = block.shape
    for i in range(0, n - 1, 2):  # two rows at a time: every sum is read and written once for both
        first, second, w1, w2 = block[i], block[i + 1], weights[i], weights[i + 1]
        for j in range(m):
            d1, d2 = first[j] - centre[j], second[j] - centre[j]
            sums[j] += w1 * d1 + w2 * d2
            sizes[j] += w1 * abs(d1) + w2 * abs(d2)
            squares[j] += w1 * d1 * d1 + w2 * d2 * d2
            largest[j] = max(largest[j], abs(d1), abs(d2))
    if n % 2 == 1:
        for j in range(m):
            deviation = block[n - 1, j] - centre[j]
            sums[j] += weights[n - 1] * deviation
            sizes[j] += weights[n - 1] * abs(deviation)
            squares[j] += weights[n - 1] * deviation * deviation
            largest[j] = max(largest[j], abs(deviation))


class Point(NamedTuple):
    """The loss at some theta, without the smooth part of the objective."""

    margins: np.ndarray
    value: float
    gradient: np.ndarray
    total_slope: float


def blocks_of(n_rows, n_columns):
    """(first, last) row of each block, as slices."""
    height = max(_LEAST_BLOCK, _BLOCK_ENTRIES // max(n_columns, 1))
    return [slice(first, min(first + height, n_rows)) for first in range(0, n_rows, height)]


class Extents(NamedTuple):
    """Of each column, from a centre c: weighted means of x - c, |x - c| and (x - c)^2, and the largest |x - c|."""

    offsets: np.ndarray
    sizes: np.ndarray
    squares: np.ndarray
    largest: np.ndarray


def extents(X, weights, centre):
    """The `Extents` of X, in one pass."""
    sums, sizes, squares, largest = (np.zeros(X.shape[1]) for _ in range(4))
    for rows in blocks_of(*X.shape):
        add_extents(plain(X[rows]), weights[rows], centre, sums, sizes, squares, largest)
    total = weights.sum()
    return Extents(sums / total, sizes / total, squares / total, largest)


class RowBlocks:
    """The loss of margins s_i (theta . (x_i - centre) / sizes + b); an intercept b is the last entry of theta.

    With `exact_centring` differences from the centre are taken before anything is multiplied, which offsets that are
    large beside the deviations need; else the centre is taken from the sums.
    """

    def __init__(self, X, signs, weights, centre, sizes, fit_intercept, exact_centring):
        self.X, self.signs, self.weights = X, signs, weights
        self.centre, self.sizes, self.fit_intercept = centre, sizes, fit_intercept
        self.n_columns = X.shape[1]
        self.blocks = blocks_of(*X.shape)
        self.exact_centring = exact_centring
        self.is_scaled = False  # already, so that centre and sizes are 0 and 1
        self.is_copied = exact_centring or not X.flags.c_contiguous
        self._height = self.blocks[0].stop
        self._buffer = np.empty((self._height, self.n_columns)) if self.is_copied else None

    def _block(self, rows):
        """A block of rows: a view, or a copy in a buffer that the next block uses again."""
        if self._buffer is None:
            return self.X[rows]
        block = self._buffer[: rows.stop - rows.start]
        if self.exact_centring:
            np.subtract(self.X[rows], self.centre, out=block)
        else:
            block[:] = self.X[rows]
        return block

    def at(self, theta, lam):
        """The loss at `theta`."""
        coef = theta[: self.n_columns] / self.sizes
        base = theta[-1] if self.fit_intercept else 0.0
        if not self.exact_centring:
            base -= self.centre @ coef
        margins = np.empty(len(self.signs))
        slopes, curvatures = np.empty(self._height), np.empty(self._height)
        value, total_slope, total_residual = 0.0, 0.0, 0.0
        products = np.zeros(self.n_columns)
        for rows in self.blocks:
            block, signs, here = self._block(rows), self.signs[rows], margins[rows]
            residuals = slopes[: len(here)]
            np.dot(block, coef, out=here)
            here += base
            here *= signs
            value += weighted_terms(here, self.weights[rows], lam, residuals, curvatures[: len(here)])
            total_slope += residuals.sum()
            residuals *= signs
            products += residuals @ block
            total_residual += residuals.sum()
        if not self.exact_centring:
            products -= self.centre * total_residual
        gradient = products / self.sizes
        if self.fit_intercept:
            gradient = np.append(gradient, total_residual)
        return Point(margins, value, gradient, total_slope)

    def pull(self, amounts):
        """sum_i amount_i s_i (x_i - centre) / sizes, and sum_i amount_i s_i for the intercept."""
        signed = amounts * self.signs
        products = np.zeros(self.n_columns)
        for rows in self.blocks:
            products += signed[rows] @ self._block(rows)
        if not self.exact_centring:
            products -= self.centre * signed.sum()
        products /= self.sizes
        return np.append(products, signed.sum()) if self.fit_intercept else products

    def largest_score(self, directions, together=False):
        """The largest |d . z_i| over all rows and columns d of `directions`; or of the root of the sum of squares."""
        coefs = directions[: self.n_columns] / self.sizes[:, None]
        base = directions[-1] if self.fit_intercept else np.zeros(directions.shape[1])
        if not self.exact_centring:
            base = base - self.centre @ coefs
        largest = 0.0
        for rows in self.blocks:
            scores = self._block(rows) @ coefs
            scores += base
            squares = np.einsum("ij,ij->i", scores, scores) if together else scores**2
            largest = max(largest, float(np.sqrt(squares.max())))
        return largest

    def gram(self, curvatures, every=1):
        """sum_i h_i z_i z_i' with z_i = ((x_i - centre) / sizes, 1), the lower triangle; of every so-manieth row."""
        size = self.n_columns + self.fit_intercept
        total = np.zeros((size, size), order="F")
        scaled = np.empty((-(-self._height // every), size))
        roots = np.sqrt(curvatures)[:, None]
        for rows in self.blocks:
            here = roots[rows][::every]
            part = scaled[: len(here)]
            features = part[:, : self.n_columns]
            if self.is_scaled:
                np.multiply(self.X[rows][::every], here, out=features)
            else:
                np.subtract(self._block(rows)[::every], 0.0 if self.exact_centring else self.centre, out=features)
                features /= self.sizes
                features *= here
            if self.fit_intercept:
                part[:, -1] = here[:, 0]
            total = blas.dsyrk(1.0, part.T, beta=1.0, c=total, lower=1, overwrite_c=1)
        return total

    def sample(self, indices):
        """The same loss over some of the rows: a copy, centred and scaled already."""
        features = self.X[indices]
        features -= self.centre
        features /= self.sizes
        nothing, ones = np.zeros(self.n_columns), np.ones(self.n_columns)
        signs, weights = self.signs[indices], self.weights[indices]
        sample = RowBlocks(plain(features), signs, weights, nothing, ones, self.fit_intercept, False)
        sample.is_scaled = True
        return sample

    def reweighted(self, weights):
        """The same rows with other weights."""
        other = copy(self)
        other.weights = weights
        return other
