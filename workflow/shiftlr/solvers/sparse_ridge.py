"""L2 on sparse features: prepared for dual coordinate descent and Newton."""

from copy import copy

import numpy as np
from scipy import sparse

from shiftlr.solvers.dual import make_problem, prepare_rows, solve_cold, solve_from
from shiftlr.solvers.frame import OFFSET, has_outlying_rows, without_offsets
from shiftlr.solvers.optimality import caution
from shiftlr.solvers.path import Path, judged, tilt_of
from shiftlr.solvers.points import gap_counts
from shiftlr.solvers.rows import without_columns
from shiftlr.solvers.trust_region import polish
from shiftlr.solvers.warm_start import Solved, place_of, predicted


class SparseRidge:
    """L2 on sparse features: dual coordinate descent, then Newton; along a path, Newton from a prediction."""

    def __init__(self, X, signs, weights, fit_intercept):
        self.signs, self.weights, self.fit_intercept = signs, weights, fit_intercept
        self.centre = np.zeros(X.shape[1])
        rows = sparse.csr_array(X)
        if np.all(rows.data == 1.0):
            self._prepare_ones(rows)
        else:
            self._prepare(rows)

    def _prepare(self, X):
        """Any sparse matrix."""
        if self.fit_intercept:
            self.centre, X = without_offsets(X)
        self.X = sparse.csr_array(X)
        ones = np.all(self.X.data == 1.0)
        self.prepared = prepare_rows(self.X.indptr, self.X.indices, None if ones else self.X.data, X.shape[1])
        self.caution = caution(self.X, self.weights, has_outlying_rows(self.X), self.fit_intercept)

    def _prepare_ones(self, X):
        """The same for a matrix of ones, where the columns' counts say all about offsets."""
        prepared = prepare_rows(X.indptr, X.indices, None, X.shape[1])
        ratios = offsets_of_ones(prepared.counts, X.shape[0])
        moved = ratios > OFFSET
        if self.fit_intercept and np.any(moved & (prepared.counts < X.shape[0])):
            self._prepare(X)
            return
        self.X, self.caution = X, caution(X, self.weights, False, fit_intercept=True)
        if not self.fit_intercept:
            self.caution /= max(1.0, np.max(ratios[ratios < np.inf], initial=1.0) / OFFSET)
        elif moved.any():  # columns of nothing but ones, as the intercept has them
            self.centre[moved] = 1.0
            prepared = without_columns(prepared, moved)
            self.X = sparse.csr_array((np.ones(prepared.indices.size), prepared.indices, prepared.indptr), X.shape)
        self.prepared = prepared

    def reweighted(self, weights):
        """The same problem with other weights, which may be 0."""
        other = copy(self)
        other.weights = np.ascontiguousarray(weights)
        return other

    def path(self, alphas, lams, tol, max_iter, start=None, doubts=None):
        """Solve for each pair in order, each from what the ones before predict."""
        tilt, tilt_b = tilt_of(self, doubts)
        problem = make_problem(self.prepared, self.signs, self.weights, tilt, tilt_b, 1.0, 1.0, self.fit_intercept)
        careful = tol * self.caution
        found, last, before = [], None, None
        for alpha, lam in zip(alphas, lams, strict=True):
            here = problem._replace(alpha=float(alpha), lam=float(lam))
            if last is not None:
                point, steps = polish(here, predicted(here, last, before, careful), careful, max_iter, 0.01)
            elif start is not None:
                intercept = start.intercept + self.centre @ start.coef
                point, steps = solve_from(here, start.coef, intercept, careful, max_iter)
            else:
                point, steps = solve_cold(here, careful, max_iter)
            before, last = last, Solved(place_of(alpha, lam), point)
            optimality = point.optimality
            if gap_counts(tol) and point.objective > 0.0:  # the solver stops at a gap of tol^2 too
                optimality = min(optimality, np.sqrt(max(point.gap, 0.0) / point.objective))
            found.append((point.theta, point.intercept, point.objective, steps, optimality))
        path = judged(Path._make(map(np.array, zip(*found, strict=True))), self, alphas, lams, tilt, tilt_b, "l2")
        moved = np.flatnonzero(self.centre)
        return path._replace(intercepts=path.intercepts - path.coefs[:, moved] @ self.centre[moved])


def offsets_of_ones(counts, n_rows):
    """`frame.offset_ratios` of columns of zeros and ones, with so many ones; 0 for those with ones in less than half.

    The median is 1, so that the ratio is n - 1 over the number of zeros, one of them left out.
    """
    zeros = np.maximum(n_rows - counts.astype(np.float64) - 1.0, 0.0)
    ratios = np.divide(n_rows - 1.0, zeros, out=np.full(len(counts), np.inf), where=zeros > 0.0)
    return np.where(2 * counts.astype(np.int64) > n_rows, ratios, 0.0)
