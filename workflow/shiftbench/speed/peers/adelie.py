"""adelie: coordinate descent along a path, [X | I] as two matrices side by side, one dense and one sparse."""

import numpy as np
from scipy import sparse

from shiftbench.speed.task import Fit


def path(task):
    """The whole path in one call."""
    import adelie

    n, m = task.X.shape
    matrix = adelie.matrix.dense(np.asfortranarray(task.X))
    factors, points = np.ones(m), task.alphas
    if not task.is_plain:
        identity = adelie.matrix.sparse(sparse.csc_matrix(sparse.eye(n)))
        matrix = adelie.matrix.concatenate([matrix, identity], axis=1)
        factors = np.concatenate([np.full(m, task.alphas[0] / task.lams[0]), np.ones(n)])
        points = task.lams
    labels = (task.signs > 0.0).astype(float)

    def solve(tolerance):
        state = adelie.grpnet(
            matrix,
            adelie.glm.binomial(labels, dtype=np.float64),
            penalty=factors,
            lmda_path=points / n,
            tol=tolerance,
            irls_tol=tolerance,
            irls_max_iters=100_000,
            max_iters=10_000_000,
            adev_tol=1.0,
            ddev_tol=0.0,
            early_exit=False,
            progress_bar=False,
        )
        return Fit(state.betas.toarray()[:, :m], np.asarray(state.intercepts))

    return solve
