"""From checked arrays to kernels: the one place that knows which solver serves which problem.

A problem is  sum_i w_i profiled(s_i (x_i.theta + b), lam) + penalty(theta), prepared once and solved for many
(alpha, lam). Features without a penalty and dense ones with L2 go to Newton, L1 to coordinate descent, sparse ones with
L2 to the dual solver. Soft labels (`doubts`: the probability that each label is wrong) enter as a linear term, since
(1 - q) loss(m) + q loss(-m) = loss(m) + q m; nothing is copied.
"""

from typing import NamedTuple

import numpy as np
from scipy import sparse

from shiftlr.solvers.coordinate import l1_path
from shiftlr.solvers.dual import l2_sparse, prepare_rows
from shiftlr.solvers.hinge import hinge_columns, hinge_rows
from shiftlr.solvers.loss import threshold
from shiftlr.solvers.newton import newton_path
from shiftlr.solvers.rows import gap_counts
from shiftlr.solvers.storage import plain, plain_sparse

_FEW_COLUMNS = 200  # up to here a Newton step costs next to nothing, and columns stay as they are
_MOST_SPARSE_COLUMNS = 1000  # for Newton; more go to coordinate descent
_CONTINUATION_FACTOR = 0.35  # from lam = 1 down to the first lam asked for: at theta = 0 a small lam has no curvature
_CONTINUATION_TOL = 1e-3


class Path(NamedTuple):
    """One row or entry for each (alpha, lam) in the order asked for."""

    coefs: np.ndarray
    intercepts: np.ndarray
    objectives: np.ndarray
    n_iters: np.ndarray
    optimalities: np.ndarray


class Start(NamedTuple):
    """Where a solver begins."""

    coef: np.ndarray
    intercept: float


class HingeFit(NamedTuple):
    """A soft-margin SVM."""

    coef: np.ndarray
    intercept: float
    multipliers: np.ndarray
    objective: float
    n_iter: int
    gap: float


def fit_hinge(X, signs, prices, fit_intercept, tol, max_iter):
    """Minimise 1/2 ||theta||^2 + sum_i price_i max(0, 1 - s_i (x_i.theta + b)); dual for many sparse columns only."""
    if sparse.issparse(X) and X.shape[1] > _MOST_SPARSE_COLUMNS:
        data, indices, indptr = plain_sparse(sparse.csr_array(X))
        start = np.zeros(len(signs))
        return HingeFit(
            *hinge_rows(indptr, indices, data, X.shape[1], signs, prices, fit_intercept, start, tol, max_iter)
        )
    problem = FewColumns(X, signs, prices, fit_intercept, penalised=True)
    start = np.zeros(problem.n_coordinates)
    theta, used_multipliers, *rest = hinge_columns(
        problem.signed, signs[problem.used], problem.weights, problem.ridge(1.0), start, tol, max_iter
    )
    coefs, intercepts = problem.from_kernel(theta[None, :])
    multipliers = np.zeros(len(signs))
    multipliers[problem.used] = used_multipliers
    return HingeFit(coefs[0], intercepts[0], multipliers, *rest)


def make_problem(X, signs, weights, penalty, fit_intercept):
    """Prepare `X` (dense or sparse) with labels `signs` (+1, -1) for the solver that fits `penalty`."""
    if penalty == "l2" and sparse.issparse(X):
        return SparseRidge(X, signs, weights, fit_intercept)
    if penalty == "l1" or (sparse.issparse(X) and X.shape[1] > _MOST_SPARSE_COLUMNS):
        return Lasso(X, signs, weights, fit_intercept)
    return FewColumns(X, signs, weights, fit_intercept, penalised=penalty is not None)


def continuation(lam):
    """The lams to pass through, from 1 downwards, before a cold start at `lam`; empty for lam near or above 1."""
    if lam >= _CONTINUATION_FACTOR:
        return np.array([1.0]) if lam < 1.0 else np.empty(0)
    return _CONTINUATION_FACTOR ** np.arange(np.ceil(np.log(lam) / np.log(_CONTINUATION_FACTOR)))


class FewColumns:
    """Few columns, unpenalised or with L2 (sparse ones: for the hinge only): Newton on columns scaled to one size.

    Dense columns are centred first, where there is an intercept. With more of them than examples they are rotated onto
    the examples' span (QR), which changes neither the margins nor the norm of theta; the rotated matrix is smaller than
    X. Without a penalty the columns are scaled before they are rotated: then the answer on separable data, which
    depends on the metric, does not depend on how the examples are ordered or repeated.
    """

    def __init__(self, X, signs, weights, fit_intercept, penalised):
        self.used = weights > 0.0
        self.weights = weights[self.used]
        self.fit_intercept = fit_intercept
        features, signs, total = X[self.used], signs[self.used], weights.sum()
        n_columns = X.shape[1]
        self.centre, self.rotation = np.zeros(n_columns), None
        self.scale, self.rotated_scale = np.ones(n_columns), np.ones(n_columns)
        if sparse.issparse(X):
            sizes = _mean_sizes(features, self.weights)
            self.scale, self.rotated_scale = (self.scale, sizes) if penalised else (sizes, self.rotated_scale)
            columns = sparse.csc_array(features @ sparse.diags_array(1.0 / sizes))
            if fit_intercept:
                columns = sparse.csc_array(sparse.hstack([columns, np.ones((len(signs), 1))]))
            data, indices, indptr = plain_sparse(columns)
            self.signed = (data * signs[indices], indices, indptr, len(signs))
            self.n_coordinates = columns.shape[1]
            return
        if fit_intercept:
            self.centre = self.weights @ features / total
            features = features - self.centre
        if not penalised:
            self.scale = _mean_sizes(features, self.weights)
            features = features / self.scale
        if n_columns > max(len(features), _FEW_COLUMNS):
            self.rotation, triangle = np.linalg.qr(features.T)
            features = triangle.T
            self.rotated_scale = np.ones(features.shape[1])
        if penalised:
            self.rotated_scale = _mean_sizes(features, self.weights)
            features = features / self.rotated_scale
        rows = np.ones((features.shape[1] + fit_intercept, len(signs)))
        rows[: features.shape[1]] = features.T
        self.signed = rows * signs
        self.n_coordinates = len(rows)

    def path(self, alphas, lams, tol, max_iter, start=None, doubts=None):
        """Solve for each pair in order, each warm-started from the one before."""
        theta = self._to_kernel(start) if start is not None else np.zeros(self.n_coordinates)
        tilt = np.zeros(self.n_coordinates)
        if doubts is not None:
            pull = self.weights * doubts[self.used]
            tilt = _columns_times(self.signed, pull)
        if start is None:
            warm_up = continuation(lams[0])
            if len(warm_up):
                theta = self._run(alphas[0], warm_up, theta, tilt, _CONTINUATION_TOL, max_iter)[0][-1]
        parts = []
        for first, last in _runs_of_equal(alphas):
            parts.append(self._run(alphas[first], lams[first:last], theta, tilt, tol, max_iter))
            theta = parts[-1][0][-1]
        thetas, objectives, n_iters, optimalities = map(np.concatenate, zip(*parts, strict=True))
        coefs, intercepts = self.from_kernel(thetas)
        return Path(coefs, intercepts, objectives, n_iters, optimalities)

    def ridge(self, alpha):
        """The L2 penalty on each of the kernel's coordinates."""
        ridge = np.zeros(self.n_coordinates)
        ridge[: len(self.rotated_scale)] = np.minimum(alpha / np.clip(self.rotated_scale, 1e-140, 1e140) ** 2, 1e290)
        return ridge

    def _run(self, alpha, lams, theta, tilt, tol, max_iter):
        lams = np.ascontiguousarray(lams)
        return newton_path(self.signed, self.weights, tilt, self.ridge(alpha), lams, theta, tol, max_iter)

    def _to_kernel(self, start):
        coef = start.coef * self.scale
        if self.rotation is not None:
            coef = coef @ self.rotation
        theta = np.zeros(self.n_coordinates)
        theta[: len(coef)] = coef * self.rotated_scale
        if self.fit_intercept:
            theta[-1] = start.intercept + self.centre @ start.coef
        return theta

    def from_kernel(self, thetas):
        """Coefficients and intercepts of the features as they were given, a row for each of `thetas`."""
        coefs = thetas[:, : len(self.rotated_scale)] / self.rotated_scale
        if self.rotation is not None:
            coefs = coefs @ self.rotation.T
        coefs = coefs / self.scale
        intercepts = thetas[:, -1] - coefs @ self.centre if self.fit_intercept else np.zeros(len(thetas))
        return coefs, intercepts


def _mean_sizes(features, weights):
    """Weighted mean of |x| in each column; for columns of zeros or of rounding errors, the largest of the others."""
    sizes = np.asarray(weights @ abs(features)) / weights.sum()
    largest = sizes.max(initial=0.0)
    return np.where(sizes > 1e-14 * largest, sizes, largest if largest > 0.0 else 1.0)


def shares_shifted(X, signs, path, lams):
    """Share of the examples that each fit of a path shifts: those with a margin below the threshold of its lam."""
    margins = signs[:, None] * (X @ path.coefs.T + path.intercepts)
    return np.mean(margins < np.array([threshold(lam) for lam in lams]), axis=0)


def _columns_times(columns, vector):
    """Each column, dense or sparse, times a vector."""
    if isinstance(columns, tuple):
        data, indices, indptr, n = columns
        columns = sparse.csc_array((data, indices, indptr), shape=(n, len(indptr) - 1)).T
    return columns @ vector


class Lasso:
    """L1 on dense or sparse features; alpha = 0 serves sparse features without a penalty."""

    def __init__(self, X, signs, weights, fit_intercept):
        self.n_features = X.shape[1]
        self.features: tuple | np.ndarray
        if sparse.issparse(X):
            self.features = (*plain_sparse(sparse.csc_array(X)), X.shape[0])
        else:
            self.features = plain(X.T)
        self.X, self.signs, self.weights, self.fit_intercept = X, signs, weights, fit_intercept

    def path(self, alphas, lams, tol, max_iter, start=None, doubts=None):
        """Solve for each pair in order, each warm-started from the one before."""
        start = start or Start(np.zeros(self.n_features), 0.0)
        tilt, tilt_b = _tilt(self, doubts)
        solved = l1_path(
            self.features,
            self.signs,
            self.weights,
            tilt,
            tilt_b,
            np.ascontiguousarray(alphas),
            np.ascontiguousarray(lams),
            self.fit_intercept,
            start.coef,
            start.intercept,
            tol,
            max_iter,
        )
        return Path._make(solved)


class SparseRidge:
    """L2 on sparse features: dual coordinate descent, then Newton."""

    def __init__(self, X, signs, weights, fit_intercept):
        rows = sparse.csr_array(X)
        values = None if np.all(rows.data == 1.0) else rows.data
        self.prepared = prepare_rows(rows.indptr, rows.indices, values, X.shape[1])
        self.X, self.signs, self.weights, self.fit_intercept = X, signs, weights, fit_intercept

    def path(self, alphas, lams, tol, max_iter, start=None, doubts=None):
        """Solve for each pair in order, each warm-started from the one before."""
        tilt, tilt_b = _tilt(self, doubts)
        solved = []
        for alpha, lam in zip(alphas, lams, strict=True):
            coef, intercept, objective, n_iter, optimality, gap = l2_sparse(
                self.prepared,
                self.signs,
                self.weights,
                tilt,
                tilt_b,
                alpha,
                lam,
                self.fit_intercept,
                start.coef if start else None,
                start.intercept if start else None,
                tol,
                max_iter,
            )
            start = Start(coef, intercept)
            if gap_counts(tol) and objective > 0.0:  # the solver stops at a gap of tol^2 too
                optimality = min(optimality, np.sqrt(max(gap, 0.0) / objective))
            solved.append((coef, intercept, objective, n_iter, optimality))
        return Path._make(map(np.array, zip(*solved, strict=True)))


def _tilt(problem, doubts):
    """The linear term (for theta, for b) that soft labels add: sum_i w_i doubt_i s_i x_i."""
    if doubts is None:
        return np.zeros(problem.X.shape[1]), 0.0
    pull = problem.weights * doubts * problem.signs
    return np.asarray(problem.X.T @ pull), float(pull.sum())


def _runs_of_equal(values):
    """(first, last) of each stretch of equal neighbours."""
    edges = np.flatnonzero(np.diff(values)) + 1
    return zip([0, *edges], [*edges, len(values)], strict=True)
