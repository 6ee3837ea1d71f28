"""The coordinates that a problem is solved in: columns centred, of one size and, where that helps, rotated.

None of this moves the minimum: the intercept takes up what centring removes, and rotations change neither the margins
nor the norm of theta. It decides what of the data survives rounding, and what the stopping rule calls small.
"""

import numpy as np
from scipy import linalg, sparse

from shiftlr.solvers.columns import BY_ROW
from shiftlr.solvers.dense_passes import extremes
from shiftlr.solvers.storage import plain

_FEW_COLUMNS = 200  # up to here a Newton step costs next to nothing, and columns stay as they are
OUTLYING = 1e4  # times as far out as most of its column: such an entry hides the others
OFFSET = 100.0  # times its mean deviation: a column that lies further from 0 does not show what it says
SAMPLE = 1000  # rows that are looked at for what is usual in a column
_DEPENDENT = 1e-13  # of the size of a row: what rounding leaves in a rotated column that depends on the others
_OUTWEIGHING = 1e4  # times the median: a weight that would decide alone about the size of a column
MOST_SPARSE_COLUMNS = 1000  # for Newton; more go to coordinate descent
_MOST_ENTRIES = 20_000_000  # of sparse features that may be made dense
_SMALL = 100_000  # entries of dense features that one kernel looks over


class Frame:
    """The way from features as they were given to the columns of a kernel (`columns`), and back.

    Dense columns are centred, where there is an intercept. With more of them than examples they are rotated onto the
    examples' span (QR), which makes the matrix smaller. Without a penalty the columns are scaled before they are
    rotated: then the answer on separable data, which depends on the metric, does not depend on how the examples are
    ordered or repeated.

    A row that is larger than the others by orders of magnitude would spoil means and sizes, and hide the others in the
    Hessian. Then medians stand in for means, and a rotation with pivots gives such a row a column of its own: in all
    later columns it is exactly 0. Columns that share an offset which no intercept takes up all point the same way; they
    are rotated onto their principal axes.
    """

    def __init__(self, features, weights, fit_intercept, penalised):
        self.fit_intercept = fit_intercept
        self.extent = np.inf  # the largest |x_ij|, where it is known
        n_columns = features.shape[1]
        self.centre, self.rotation = np.zeros(n_columns), None
        self.scale, self.rotated_scale = np.ones(n_columns), np.ones(n_columns)
        if sparse.issparse(features):
            if fit_intercept:
                self.centre, features = without_offsets(features)
            sizes = _mean_sizes(features, weights)
            self.scale, self.rotated_scale = (self.scale, sizes) if penalised else (sizes, self.rotated_scale)
            self.columns = features @ sparse.diags_array(1.0 / sizes)
            return
        outlying, *ends = look_at_columns(features, fit_intercept)
        self.extent = max(-float(ends[0].min()), float(ends[1].max()))
        if fit_intercept:
            self.centre, features = centred(features, weights, outlying, ends)

        def sizes_of(features):
            return middle_sizes(features) if outlying else _mean_sizes(features, weights)

        if not penalised:
            self.scale = sizes_of(features)
            features = np.divide(features, self.scale, out=features if fit_intercept else None)  # then it is our copy
        turned = outlying or (not fit_intercept and largest_offset(features) > OFFSET)
        if outlying:
            self.rotation, features = _rotated_by_rows(features)
        elif turned:
            self.rotation, features = _rotated_by_columns(features)
        elif n_columns > max(len(features), _FEW_COLUMNS):
            self.rotation, triangle = np.linalg.qr(features.T)
            features = triangle.T
        self.rotated_scale = np.ones(features.shape[1])
        if turned and not penalised:
            certain = _without_rounding(features)
            self.rotated_scale = sizes_of(certain)
            features = np.where(certain.any(axis=0), features, 0.0) / self.rotated_scale
        elif penalised:
            self.rotated_scale = sizes_of(features)
            features = features / self.rotated_scale
        self.columns = features

    @classmethod
    def of_sizes(cls, centre, sizes, fit_intercept, penalised):
        """A frame that centres and scales, for columns that are neither rotated nor kept."""
        frame = cls.__new__(cls)
        ones = np.ones(len(sizes))
        frame.fit_intercept, frame.centre, frame.rotation, frame.columns = fit_intercept, centre, None, None
        frame.scale, frame.rotated_scale = (ones, sizes) if penalised else (sizes, ones)
        return frame

    def to_kernel(self, coef, intercept):
        """The kernel's coordinates of weights and an intercept, which comes last."""
        theta = coef * self.scale
        if self.rotation is not None:
            theta = theta @ self.rotation
        theta = theta * self.rotated_scale
        return np.append(theta, intercept + self.centre @ coef) if self.fit_intercept else theta

    def from_kernel(self, thetas):
        """Coefficients and intercepts of the features as they were given, one row for each of `thetas`."""
        coefs = thetas[:, : len(self.rotated_scale)] / self.rotated_scale
        if self.rotation is not None:
            coefs = coefs @ self.rotation.T
        coefs = coefs / self.scale
        intercepts = thetas[:, -1] - coefs @ self.centre if self.fit_intercept else np.zeros(len(thetas))
        return coefs, intercepts

    def ridge(self, alpha):
        """The L2 penalty on each of the kernel's coordinates."""
        if alpha == 0.0:
            return np.zeros(len(self.rotated_scale) + int(self.fit_intercept))
        ridge = np.minimum(alpha / np.clip(self.rotated_scale, 1e-140, 1e140) ** 2, 1e290)
        return np.append(ridge, 0.0) if self.fit_intercept else ridge


def centred(X, weights, outlying=False, ends=None):
    """(centre, X - centre) of a dense matrix, by weighted means, or by medians if some rows are outlying.

    Columns of one value become exactly 0: the difference would be rounding that, scaled up, looks like a feature.
    `ends` are the least and the largest value of each column, where they are known.
    """
    low, high = (X.min(axis=0), X.max(axis=0)) if ends is None else ends
    centre = np.median(X, axis=0) if outlying else weights @ X / weights.sum()
    centre = np.where(high == low, X[0], centre)
    return centre, X - centre


def without_offsets(X):
    """(centre, X - centre) of a sparse matrix: of the columns whose offset would drown what they say, else X itself.

    Only full columns are meant, so that the matrix at most doubles.
    """
    centre = np.zeros(X.shape[1])
    full, columns = _full_columns(X)
    moved = offset_ratios(columns) > OFFSET
    if not moved.any():
        return centre, X
    places = full[moved]
    centre[places], shifted = centred(columns[:, moved], None, outlying=True)
    rest = sparse.csr_array(X) @ sparse.diags_array(np.where(np.isin(np.arange(X.shape[1]), places), 0.0, 1.0))
    rows, which = np.nonzero(shifted)
    added = sparse.csr_array((shifted[rows, which], (rows, places[which])), shape=X.shape)
    result = sparse.csr_array(rest + added)
    result.eliminate_zeros()
    result.sort_indices()
    return centre, result


def _full_columns(X):
    """(numbers, dense values) of the columns of a sparse matrix that have an entry in at least half of the rows."""
    by_row = sparse.csr_array(X)
    counts = np.bincount(by_row.indices, minlength=X.shape[1])
    full = np.flatnonzero(2 * counts >= max(X.shape[0], 1))
    return full, by_row[:, full].toarray()


def offset_ratios(X):
    """How far each column of a dense matrix lies from 0: its median over the mean deviation, the largest left out.

    Medians take long. Where the middle one of five entries in the place of the median gives a small ratio, that stands.
    """
    if X.size == 0:
        return np.zeros(X.shape[1])
    ratios = _ratios_about(middle_of_five(X), X)
    far = ratios > 0.1 * OFFSET
    if far.any():
        ratios[far] = _ratios_about(np.median(X[:, far], axis=0), X[:, far])
    return ratios


def _ratios_about(middle, X):
    deviations = np.abs(X - middle)
    usual = (deviations.sum(axis=0) - deviations.max(axis=0)) / max(len(X) - 1, 1)
    return np.divide(np.abs(middle), usual, out=np.where(middle == 0.0, 0.0, np.inf), where=usual > 0.0)


def middle_of_five(X):
    """The middle one of five entries of each column of a dense matrix; of fewer, the third or the largest."""
    place = min(2, X.shape[0] - 1)
    return np.partition(X[:: max(1, X.shape[0] // 5)][:5], place, axis=0)[place]


def largest_offset(X):
    """The largest of these ratios of any (full) column, columns of one value left out; at least 1."""
    ratios = offset_ratios(_full_columns(X)[1] if sparse.issparse(X) else X[:: max(1, X.shape[0] // SAMPLE)])
    return float(np.max(ratios[ratios < np.inf], initial=1.0))


def has_outlying_rows(X, fit_intercept=False, extent=None):
    """Whether most of some column is next to nothing beside its largest entry (or, with an intercept, deviation).

    `extent`, for dense features, is a point and how far each column goes from it, where that is known: then the answer
    may be yes where it would have been no by little.
    """
    if sparse.issparse(X):
        entries = np.abs(X.data)
        if entries.size == 0 or entries.max() <= OUTLYING * entries.min():
            return False
        columns = sparse.csc_array(X)
        entries, counts = np.abs(columns.data), np.diff(columns.indptr)
        starts, counts = columns.indptr[:-1][counts > 0], counts[counts > 0]
        largest = np.repeat(np.maximum.reduceat(entries, starts), counts)
        small = np.add.reduceat((entries * OUTLYING < largest).astype(np.int64), starts)
        return bool(np.any(2 * small > counts))
    if extent is None:
        return look_at_columns(X, fit_intercept)[0]
    middle = middle_of_five(X) if fit_intercept else 0.0
    return _are_mostly_small(X, middle, extent[1] + np.abs(extent[0] - middle))


def look_at_columns(X, fit_intercept):
    """(whether rows are outlying, least, largest value of each column) of a dense matrix."""
    if X.size <= _SMALL and X.flags.c_contiguous:  # then NumPy's calls take longer than their sums
        outlying, low, high = extremes(plain(X), BY_ROW, fit_intercept, SAMPLE, OUTLYING)
        return bool(outlying), low, high
    low, high = X.min(axis=0), X.max(axis=0)
    middle = middle_of_five(X) if fit_intercept else 0.0
    return _are_mostly_small(X, middle, np.maximum(high - middle, middle - low)), low, high


def _are_mostly_small(X, middle, largest):
    """Whether most entries of some column are next to nothing beside the largest, as deviations from the middle."""
    usual = np.abs(X[:: max(1, X.shape[0] // SAMPLE)] - middle)
    small = np.count_nonzero(usual * OUTLYING < largest, axis=0) - np.count_nonzero(usual == 0.0, axis=0)
    return bool(np.any(2 * small > np.count_nonzero(usual, axis=0)))


def middle_sizes(X):
    """Median of |x| among the nonzero entries of each column; for columns of zeros, the largest of the others."""
    if sparse.issparse(X):
        columns = sparse.csc_array(X)
        parts = np.split(np.abs(columns.data), columns.indptr[1:-1])
        return positive(np.array([np.median(part) if len(part) else 0.0 for part in parts]))
    sizes = np.where(X != 0.0, np.abs(X), np.nan)
    sizes[:, ~np.any(X, axis=0)] = 0.0
    return positive(np.nanmedian(sizes, axis=0))


def _rotated_by_rows(features):
    """(rotation, rotated features): QR of the rows as columns, the largest row first."""
    rotation, triangle, order = linalg.qr(features.T, mode="economic", pivoting=True)
    rotated = np.empty((len(order), triangle.shape[0]))
    rotated[order] = triangle.T
    return rotation, rotated


def _rotated_by_columns(features):
    """(rotation, rotated features): onto the principal axes."""
    left, sizes, right = linalg.svd(features, full_matrices=False)
    return right.T, left * sizes


def _without_rounding(rotated):
    """Rotated features with 0 for what may be rounding: most of a column that few rows have a part in."""
    sizes = np.sqrt(np.sum(rotated**2, axis=1))
    return np.where(np.abs(rotated) > _DEPENDENT * np.maximum(sizes, np.median(sizes))[:, None], rotated, 0.0)


def _mean_sizes(features, weights):
    """Weighted mean of |x| in each column; for columns of zeros, the largest of the others.

    An example that outweighs all others counts for no more than they do: where it is 0, they alone make up the column.
    """
    if weights.max() > _OUTWEIGHING * weights.min():
        weights = np.minimum(weights, _OUTWEIGHING * np.median(weights))
    return positive(np.asarray(weights @ abs(features)) / weights.sum())


def positive(sizes):
    """The sizes, with the largest of them, or 1, in the place of zeros."""
    largest = sizes.max(initial=0.0)
    return np.where(sizes > 0.0, sizes, largest if largest > 0.0 else 1.0)


def belongs_dense(X, fit_intercept):
    """Whether X is sparse, but of a kind that only dense features can be rotated for, and small enough."""
    if not sparse.issparse(X) or X.shape[0] * X.shape[1] > _MOST_ENTRIES or min(X.shape) > MOST_SPARSE_COLUMNS:
        return False
    if has_outlying_rows(X):
        return True
    return has_outlying_rows(without_offsets(X)[1]) if fit_intercept else largest_offset(X) > OFFSET
