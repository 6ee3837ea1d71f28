"""Many more rows than columns, dense, without a penalty or with L2: prepared for `quasi_newton.py` without a copy."""

import numpy as np

from shiftlr.solvers.bounded import proves_minimum
from shiftlr.solvers.few_columns import continuation
from shiftlr.solvers.frame import OFFSET, Frame, has_outlying_rows, largest_offset, positive
from shiftlr.solvers.newton import LEAST_GAIN
from shiftlr.solvers.optimality import OUTWEIGHING
from shiftlr.solvers.path import CheckedPath
from shiftlr.solvers.quasi_newton import Curvature, Objective, Search, sample_rows
from shiftlr.solvers.row_blocks import RowBlocks, extents
from shiftlr.solvers.separability import has_no_large_margin

_LEAST_ROWS = 2**14  # whatever the columns,
_FEWER_ROWS, _LEAST_ENTRIES = 2**12, 100_000  # or so many rows with so many entries
_ROWS_PER_COLUMN = 40
_GUESSING_ROWS = 1000  # that tell about where a column lies
_OFF_CENTRE = 0.25  # of the size of a column: a guess of its centre that is further off is not good enough
_HARMLESS_OFFSET = 30.0  # times its size: a centre that may be taken from the sums instead of the entries
_LEAST_SIZE, _LARGEST_SIZE = 1e-140, 1e140  # of a column, so that squares neither overflow nor vanish
_SAMPLE_ENTRIES = 2**20  # of the features, in a sample: more of them cost more than they save
_SAMPLE_ROWS_PER_COLUMN = 10  # at least
_SAMPLE_STEPS = 50
_PSEUDO_ROWS = 0.1  # in a ridge that a sample gets, so that it has a minimum
_SAMPLING_ERROR = 0.02  # per column and row of the sample: what a step may still gain there
_ROUNDS_OF_PROOF = 3  # of further steps, to a point that proves that there is a minimum


def make_tall(X, signs, weights, fit_intercept, penalised):
    """A `Tall` problem, or None for features of another shape, or with rows, weights or offsets that hide others."""
    n, m = X.shape
    many = n >= _LEAST_ROWS or (n >= _FEWER_ROWS and n * m >= _LEAST_ENTRIES)
    if m == 0 or not many or n < _ROWS_PER_COLUMN * (m + 1):
        return None
    used = weights > 0.0
    if not used.all():
        problem = make_tall(X[used], signs[used], weights[used], fit_intercept, penalised)
        if problem is not None:
            problem.used = used
        return problem
    most = weights.max()
    if most > OUTWEIGHING * weights.min() and most > OUTWEIGHING * np.median(weights):
        return None
    if not fit_intercept and largest_offset(X) > OFFSET:
        return None
    centre = np.zeros(m)
    if fit_intercept:
        some = X[sample_rows(n, _GUESSING_ROWS)]
        centre = np.where(some.max(axis=0) == some.min(axis=0), some[0], some.mean(axis=0))
    extent = extents(X, weights, centre)
    if not np.all(np.isfinite(extent.squares)) or has_outlying_rows(X, fit_intercept, (centre, extent.largest)):
        return None
    if fit_intercept:
        if np.any(np.abs(extent.offsets) > _OFF_CENTRE * extent.sizes):
            centre = centre + extent.offsets
            extent = extents(X, weights, centre)
        centre = centre + extent.offsets
    sizes = positive(extent.sizes)
    if sizes.min() < _LEAST_SIZE or sizes.max() > _LARGEST_SIZE:
        return None
    exact = bool(np.any(np.abs(centre) > _HARMLESS_OFFSET * sizes))
    rows = RowBlocks(X, signs, weights, centre, sizes, fit_intercept, exact)
    return Tall(rows, Frame.of_sizes(centre, sizes, fit_intercept, penalised), extent.squares / sizes**2)


class Tall:
    """A tall problem. `squares` are the mean squares of the columns, scaled."""

    def __init__(self, rows, frame, squares):
        self.rows, self.frame, self.squares = rows, frame, squares
        self.used = slice(None)
        n, size = len(rows.signs), rows.n_columns + rows.fit_intercept
        sample_size = max(_SAMPLE_ROWS_PER_COLUMN * size, min(_SAMPLE_ENTRIES // size, n // 4))
        self.curvature = Curvature(rows, sample_size, np.append(squares, 1.0)[:size])

    def reweighted(self, weights):
        """The same problem with other weights, which may be 0; an example that had the weight 0 keeps it."""
        rows = self.rows.reweighted(np.ascontiguousarray(weights[self.used]))
        other = Tall(rows, self.frame, self.squares)
        other.used = self.used
        return other

    def path(self, alphas, lams, tol, max_iter, start=None, doubts=None):
        """Solve for each pair in order, each warm-started from the one before."""
        tilt = np.zeros(self.rows.n_columns + self.rows.fit_intercept)
        if doubts is not None:
            tilt = self.rows.pull(self.rows.weights * doubts[self.used])
        if start is None:
            theta = self._first_guess(self.frame.ridge(alphas[0]), lams[0], tilt)
        else:
            theta = self.frame.to_kernel(start.coef, start.intercept)
        least_gain = max(tol * tol, LEAST_GAIN)
        solved = []
        for alpha, lam in zip(alphas, lams, strict=True):
            search = Search(Objective(self.rows, tilt, self.frame.ridge(alpha), lam), self.curvature, theta)
            optimality = search.run(tol, least_gain, max_iter)
            proven = False
            if search.objective.is_bare and not has_no_large_margin(search.point.margins, lam, tol):
                optimality, proven = self._look_for_proof(search, optimality, tol, max_iter)
            theta = search.theta
            solved.append((theta, search.value, max(search.iterations, 1), optimality, proven))
        thetas, objectives, n_iters, optimalities, has_minimum = map(np.array, zip(*solved, strict=True))
        coefs, intercepts = self.frame.from_kernel(thetas)
        path = CheckedPath(coefs, intercepts, objectives, n_iters, optimalities)
        path.has_minimum = has_minimum
        if len(lams) == 1 and isinstance(self.used, slice) and not self.rows.exact_centring:
            path.margins = search.point.margins
        return path

    def _look_for_proof(self, search, optimality, tol, max_iter):
        """(optimality, whether a minimum is proved): after some more steps, each of which costs less than a program."""
        proven = self._proves_minimum(search)
        for digits in range(1, _ROUNDS_OF_PROOF + 1):
            if proven or optimality > tol:
                break
            search.run(0.01**digits * tol, 0.0, min(max_iter, search.iterations + 1))
            optimality, proven = search.optimality, self._proves_minimum(search)
        return optimality, proven

    def _first_guess(self, ridge, lam, tilt):
        """The minimum of a sample of the rows, as near as that tells; it comes from lam = 1 to the lam asked for."""
        factor = self.curvature.factor
        scaled = self.curvature.sample.reweighted(factor * self.curvature.sample.weights)
        n, size = len(scaled.signs), len(ridge)
        ridge = ridge + _PSEUDO_ROWS * factor * (np.arange(size) < scaled.n_columns)
        curvature, theta = Curvature(scaled, n, self.curvature.squares), np.zeros(size)
        for one in (*continuation(lam), lam):
            search = Search(Objective(scaled, tilt, ridge, one), curvature, theta)
            search.run(np.inf, _SAMPLING_ERROR * size / n, _SAMPLE_STEPS)
            theta = search.theta
        return theta

    def _proves_minimum(self, search):
        """Whether the point of a search of the bare loss proves that the data are not separable."""
        hessian = self.curvature.of_sample(search.point.margins, search.objective.lam)
        return proves_minimum(search.point.gradient, hessian, self.curvature.sample, self.rows)
