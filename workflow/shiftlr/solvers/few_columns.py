"""Few columns, dense or sparse, without a penalty or with L2: prepared for Newton."""

from copy import copy

import numpy as np
from scipy import sparse

from shiftlr.solvers.frame import OFFSET, Frame, largest_offset
from shiftlr.solvers.newton import newton_path
from shiftlr.solvers.path import CheckedPath
from shiftlr.solvers.storage import plain_sparse

_CONTINUATION_FACTOR = 0.35  # from lam = 1 down to the first lam asked for: at theta = 0 a small lam has no curvature
_CONTINUATION_TOL = 1e-3


def continuation(lam):
    """The lams to pass through, from 1 downwards, before a cold start at `lam`; empty for lam near or above 1."""
    if lam >= _CONTINUATION_FACTOR:
        return np.array([1.0]) if lam < 1.0 else np.empty(0)
    return _CONTINUATION_FACTOR ** np.arange(np.ceil(np.log(lam) / np.log(_CONTINUATION_FACTOR)))


class FewColumns:
    """Few columns, unpenalised, with L2 or for the hinge: Newton, in the coordinates of a `Frame`."""

    def __init__(self, X, signs, weights, fit_intercept, penalised):
        self.used = weights > 0.0
        self.weights = weights[self.used]
        features, signs = (X, signs) if self.used.all() else (X[self.used], signs[self.used])
        self.constant, self.value = None, 1.0
        if not fit_intercept and not penalised and not sparse.issparse(features):
            self._look_for_constant(features)
            fit_intercept = self.constant is not None
        self.frame = Frame(features, self.weights, fit_intercept, penalised)
        columns = self.frame.columns
        self.signed: tuple | np.ndarray
        if sparse.issparse(columns):
            if fit_intercept:
                columns = sparse.hstack([columns, np.ones((len(signs), 1))])
            data, indices, indptr = plain_sparse(sparse.csc_array(columns))
            self.signed = (data * signs[indices], indices, indptr, len(signs))
        else:
            rows = np.ones((columns.shape[1] + fit_intercept, len(signs)))
            rows[: columns.shape[1]] = columns.T
            rows *= signs
            self.signed = rows
        self.frame.columns = None  # the kernel has its own copy
        self.n_coordinates = len(self.frame.rotated_scale) + int(fit_intercept)

    def _look_for_constant(self, features):
        """Without a penalty a column of one value is an intercept: it can take up the offsets of all others."""
        places = np.flatnonzero((features[0] != 0.0) & np.all(features == features[0], axis=0))
        if len(places) and largest_offset(features) > OFFSET:
            self.constant, self.value = int(places[0]), float(features[0, places[0]])

    def path(self, alphas, lams, tol, max_iter, start=None, doubts=None):
        """Solve for each pair in order, each warm-started from the one before."""
        theta = np.zeros(self.n_coordinates) if start is None else self.frame.to_kernel(start.coef, start.intercept)
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
        coefs, intercepts = self.frame.from_kernel(thetas)
        if self.constant is not None:
            coefs[:, self.constant] += intercepts / self.value
            intercepts = np.zeros(len(coefs))
        path = CheckedPath(coefs, intercepts, objectives, n_iters, optimalities)
        path.extent = self.frame.extent
        return path

    def reweighted(self, weights):
        """The same problem with other weights, which may be 0; an example that had the weight 0 keeps it."""
        other = copy(self)
        other.weights = np.ascontiguousarray(weights[self.used])
        return other

    def _run(self, alpha, lams, theta, tilt, tol, max_iter):
        lams = np.ascontiguousarray(lams)
        return newton_path(self.signed, self.weights, tilt, self.frame.ridge(alpha), lams, theta, tol, max_iter)


def _columns_times(columns, vector):
    """Each column, dense or sparse, times a vector."""
    if isinstance(columns, tuple):
        data, indices, indptr, n = columns
        columns = sparse.csc_array((data, indices, indptr), shape=(n, len(indptr) - 1)).T
    return columns @ vector


def _runs_of_equal(values):
    """(first, last) of each stretch of equal neighbours."""
    if len(values) == 1:
        return [(0, 1)]
    edges = np.flatnonzero(np.diff(values)) + 1
    return zip([0, *edges], [*edges, len(values)], strict=True)
