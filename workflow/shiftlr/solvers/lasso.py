"""L1 on dense or sparse features: prepared for coordinate descent."""

from copy import copy

import numpy as np
from scipy import sparse

from shiftlr.solvers.coordinate import l1_path
from shiftlr.solvers.dense_passes import measure
from shiftlr.solvers.frame import OUTLYING, SAMPLE, centred, has_outlying_rows, without_offsets
from shiftlr.solvers.optimality import OUTWEIGHING, caution
from shiftlr.solvers.path import CheckedPath, Path, judged, tilt_of
from shiftlr.solvers.source import (
    all_at_hand,
    all_columns,
    as_stored,
    figures_at_hand,
    none_at_hand,
    prepared_columns,
)
from shiftlr.solvers.storage import plain, plain_sparse

_LARGE = 1 << 19  # entries of a dense matrix that is read where it lies
_EVEN = 100.0  # times the median: a weight up to which examples count as of one kind
_FAR = 1e4  # times its spread: a column further from 0 than this has to be centred before it is read


class Lasso:
    """L1 on dense or sparse features; alpha = 0 serves sparse features without a penalty."""

    def __init__(self, X, signs, weights, fit_intercept):
        self.n_features = X.shape[1]
        self.centre = np.zeros(self.n_features)
        self.X, self.signs, self.weights, self.fit_intercept = X, signs, weights, fit_intercept
        self.features: tuple | np.ndarray
        self.extent = np.inf  # the largest |x_ij|, where that is known
        self.caution = self._prepare_sparse() if sparse.issparse(X) else self._prepare_dense()

    def _prepare_sparse(self):
        """Set features, source and centre; returns the `caution`."""
        outlying = has_outlying_rows(self.X, self.fit_intercept)
        if self.fit_intercept:
            self.centre, self.X = without_offsets(self.X)
            outlying = outlying or has_outlying_rows(self.X)
        self.features = (*plain_sparse(sparse.csc_array(self.X)), self.X.shape[0])
        self.source = all_at_hand(figures_at_hand(self.features, self.weights, self.n_features))
        return caution(self.X, self.weights, outlying, self.fit_intercept)

    def _prepare_dense(self):
        """As for sparse features. What is large and harmless is neither centred nor transposed, but read as it is."""
        n, m = self.X.shape
        matrix, layout = as_stored(self.X)
        how = self.fit_intercept, SAMPLE, OUTLYING, OUTWEIGHING, n * m < _LARGE
        columns, uneven, self.extent, outlying, centre, *figures = prepared_columns(matrix, layout, self.weights, *how)
        if outlying:
            if self.fit_intercept:
                self.centre, self.X = centred(self.X, self.weights, outlying=True)
            columns = plain(self.X.T)
            self.features = columns
            self.source = all_at_hand(measure(*as_stored(columns.T), self.weights, np.zeros(m)))
            return caution(self.X, self.weights, True, self.fit_intercept)
        self.centre = centre
        if n * m >= _LARGE and self._is_harmless(*figures):
            self.features, self.source = none_at_hand(matrix, layout, centre, figures)
        else:
            if n * m >= _LARGE:
                columns = all_columns(matrix, layout, centre, n)
            self.features, self.source, self.X = columns, all_at_hand(figures), columns.T
        if self.fit_intercept and not uneven:  # then there is nothing that could hide anything
            return 1.0
        return caution(self.X, self.weights, False, self.fit_intercept)

    def _is_harmless(self, reach, _, spread):
        """Whether no weight and no offset is so large that sums over columns as they are would be lost in rounding."""
        if self.weights.max() > _EVEN * np.median(self.weights[self.weights > 0.0]):
            return False
        far = np.abs(self.centre) * np.sqrt(self.X.shape[0]) > _FAR * spread
        return not np.any(far & (reach > 0.0))

    def reweighted(self, weights):
        """The same problem with other weights, which may be 0: of what was prepared, only the reach depends on them."""
        other = copy(self)
        other.weights = np.ascontiguousarray(weights)
        if isinstance(self.features, tuple):
            reach = figures_at_hand(self.features, other.weights, self.n_features)[0]
        elif self.source.matrix.size > 0:
            reach = measure(self.source.matrix, self.source.layout, other.weights, self.centre)[0]
        else:
            reach = measure(*as_stored(self.features.T), other.weights, np.zeros(self.n_features))[0]
        other.source = self.source._replace(reach=reach)
        return other

    def path(self, alphas, lams, tol, max_iter, start=None, doubts=None):
        """Solve for each pair in order, each warm-started from the one before."""
        if start is None:
            coef, intercept = np.zeros(self.n_features), 0.0
        else:
            coef, intercept = start.coef, start.intercept + self.centre @ start.coef
        tilt, tilt_b = tilt_of(self, doubts)
        if doubts is not None and self.source.matrix.size > 0:
            tilt = tilt - tilt_b * self.centre  # X is not centred
        coefs, intercepts, *rest = l1_path(
            self.features,
            self.signs,
            self.weights,
            tilt,
            tilt_b,
            plain(alphas),
            plain(lams),
            self.fit_intercept,
            coef,
            intercept,
            tol * self.caution,
            max_iter,
            self.source,
        )
        if self.caution == 1.0:
            path = CheckedPath(coefs, intercepts - coefs @ self.centre, *rest)
            path.extent = self.extent
            return path
        path = judged(Path(coefs, intercepts, *rest), self, alphas, lams, tilt, tilt_b, "l1")
        return path._replace(intercepts=intercepts - coefs @ self.centre)
