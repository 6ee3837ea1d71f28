"""Newton's step for more than two classes: conjugate gradients on the Hessian, which is never formed.

Where it is small it is formed after all, for the preconditioner: its Cholesky factor is the inverse that conjugate
gradients need, and they take a step or two. Larger dense problems have a factor for each class, from a sample of the
rows; sparse ones have the diagonal. In large sparse problems the model leaves out rows that bend the objective next to
nothing, by chance and with larger weights for those that stay, and columns that no row has then: for these the step
follows from the penalty alone.
"""

import numpy as np
from scipy import linalg, sparse

from shiftlr.solvers.softmax_loss import hessian_diagonals, hessian_entries
from shiftlr.solvers.softmax_rows import DenseRows, SparseRows, inner
from shiftlr.solvers.trust_region import sample_rows

FULL = 300  # numbers in theta up to which the whole Hessian is formed
BLOCK = 1500  # columns up to which each class has a factor
BLOCK_ROWS = 10  # per column, in the sample for these
LONGEST = 500  # conjugate gradients for one step
SMALL = 300_000  # entries of sparse features up to which no rows are left out
COARSEST = 0.05  # of the mean weight: the trace of a row's Hessian below which it may be left out


class SoftmaxModel:
    """The objective's second-order model at a point, and its minimiser."""

    def __init__(self, objective, point, damping, seed, coarse):
        self.objective, self.point, self.damping = objective, point, damping
        rows = objective.rows
        self.given = point.residuals, point.states, objective.weights, objective.codes
        self.diagonals = np.empty_like(point.scores)
        hessian_diagonals(*self.given, self.diagonals)
        self.columns: slice | np.ndarray = slice(None)
        self.rows = rows
        self.sampled = coarse and isinstance(rows, SparseRows) and rows.data.size > SMALL
        if self.sampled:
            self._leave_out_rows(seed)
        self.ridge = objective.ridge[self.columns] + damping
        self.precondition = self._preconditioner()

    def _leave_out_rows(self, seed):
        traces = self.diagonals.sum(axis=1)
        floor = COARSEST * self.objective.total_weight / len(traces)
        kept, raised = np.empty(len(traces), np.int64), np.empty(len(traces))
        count = sample_rows(traces, floor, seed, kept, raised)
        kept, raised = kept[:count], raised[:count]
        ratios = raised / traces[kept]
        residuals, states, weights, codes = (values[kept] for values in self.given)
        self.given = residuals * ratios[:, None], states, weights * ratios, codes
        self.diagonals = self.diagonals[kept] * ratios[:, None]
        some = sparse.csr_array(self.objective.rows.features[kept])
        used = np.bincount(some.indices, minlength=some.shape[1]) > 0
        places = np.cumsum(used) - 1
        shape = len(kept), int(used.sum())
        some = sparse.csr_array((some.data, places[some.indices].astype(np.int32), some.indptr), shape=shape)
        with_intercept = self.objective.rows.fit_intercept
        self.columns = np.flatnonzero(np.append(used, True) if with_intercept else used)
        self.rows = SparseRows(some, with_intercept)

    def multiply(self, direction):
        """The Hessian times a direction."""
        return self.rows.bend(*self.given, direction) + self.ridge[:, None] * direction

    def minimiser(self, forcing):
        """The direction to the model's minimum, from conjugate gradients down to `forcing` of the first residual."""
        gradient = self.point.gradient
        x = self._solve(-gradient[self.columns], forcing)
        if not self.sampled:
            return x
        direction = gradient / -np.maximum(self.objective.ridge, 1e-300)[:, None]
        direction[self.columns] = x
        return direction

    def _solve(self, residual, forcing):
        x = np.zeros_like(residual)
        z = self.precondition(residual)
        p, energy = z.copy(), inner(residual, z)
        first = energy
        for _ in range(LONGEST):
            if not energy > forcing * forcing * first:
                break
            image = self.multiply(p)
            curvature = inner(p, image)
            if not curvature > 0.0:
                break
            step = energy / curvature
            x += step * p
            residual = residual - step * image
            z = self.precondition(residual)
            before, energy = energy, inner(residual, z)
            p *= energy / before
            p += z
        return x if x.any() else z

    def _preconditioner(self):
        size, n_classes = len(self.ridge), self.diagonals.shape[1]
        if isinstance(self.rows, DenseRows) and size * n_classes <= FULL:
            return self._whole_factor(size, n_classes)
        if isinstance(self.rows, DenseRows) and size <= BLOCK:
            return self._factors_of_classes()
        diagonal = self.rows.squared_sums(self.diagonals) + self.ridge[:, None]
        inverse = 1.0 / np.where(diagonal > 0.0, diagonal, 1.0)
        return lambda residual: inverse * residual

    def _with_intercept(self, rows):
        features = self.rows.features[rows]
        return np.column_stack([features, np.ones(len(features))]) if self.rows.fit_intercept else features

    def _whole_factor(self, size, n_classes):
        features = self._with_intercept(slice(None))
        hessian = np.empty((n_classes, size, n_classes, size))
        bends = np.empty(len(features))
        for c in range(n_classes):
            for d in range(c + 1):
                hessian_entries(*self.given, c, d, bends)
                hessian[c, :, d] = features.T @ (bends[:, None] * features)
                hessian[d, :, c] = hessian[c, :, d].T
            hessian[c, :, c] += np.diag(self.ridge)
        # All scores of a column may rise alike without a change of any loss: without a penalty that is no direction.
        free = np.flatnonzero(self.objective.ridge <= 0.0)
        raised = np.einsum("cjcj->j", hessian)[free] / n_classes
        for j, height in zip(free, raised, strict=True):
            hessian[:, j, :, j] += height
        factor = _factor(hessian.reshape(n_classes * size, -1))

        def precondition(residual):
            solved = linalg.cho_solve(factor, residual.T.ravel(), check_finite=False)
            return np.ascontiguousarray(solved.reshape(n_classes, size).T)

        return precondition

    def _factors_of_classes(self):
        n, size = self.rows.n_rows, len(self.ridge)
        every = max(1, n // (BLOCK_ROWS * size))
        features, bends = self._with_intercept(slice(None, None, every)), self.diagonals[::every]
        ridge = np.diag(self.ridge)
        share = self.diagonals.sum(axis=0) / np.maximum(bends.sum(axis=0), 1e-300)
        factors = [
            _factor(features.T @ ((share[c] * bends[:, c])[:, None] * features) + ridge) for c in range(len(share))
        ]

        def precondition(residual):
            solved = [linalg.cho_solve(factor, residual[:, c]) for c, factor in enumerate(factors)]
            return np.column_stack(solved)

        return precondition


def _factor(matrix):
    """A Cholesky factor, of a matrix made more regular if need be."""
    relative, diagonal = 0.0, np.diag(matrix).copy()
    while relative < 1.0:
        try:
            return linalg.cho_factor(matrix + np.diag(relative * diagonal), lower=True, check_finite=False)
        except linalg.LinAlgError:
            relative = max(100.0 * relative, 1e-14)
    return np.diag(np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))), True
