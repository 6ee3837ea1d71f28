"""skglm: proximal Newton with working sets, each point started from the one before."""

import numpy as np

from shiftbench.speed.task import Fit


def path(task):
    """A solve for each point. Its kernels are compiled before."""
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton
    from skglm.utils.jit_compilation import compiled_clone

    n, m = task.X.shape
    X = np.asfortranarray(task.X)
    # ProxNewton has no weighted L1 with an intercept: X is scaled instead, so that one penalty suits X and I
    scales = np.where(task.lams < 1.0, task.lams / task.alphas, 1.0)
    matrices = [X if task.is_plain else np.asfortranarray(np.hstack([X * scale, np.eye(n)])) for scale in scales]
    penalties = [compiled_clone(L1(price / n)) for price in (task.alphas if task.is_plain else task.lams)]
    datafit = compiled_clone(Logistic())

    def solve(tolerance):
        coefs, intercepts = [], []
        point = np.zeros(matrices[0].shape[1] + 1)
        for matrix, penalty, scale in zip(matrices, penalties, scales, strict=True):
            point[:m] /= scale
            fitted = matrix @ point[:-1] + point[-1]
            solver = ProxNewton(tol=tolerance, max_iter=1000, max_pn_iter=10_000, fit_intercept=True, warm_start=True)
            point = solver.solve(matrix, task.signs, datafit, penalty, point, fitted)[0].copy()
            point[:m] *= scale
            coefs.append(point[:m].copy())
            intercepts.append(point[-1])
        return Fit(np.array(coefs), np.array(intercepts))

    solve(1.0)
    return solve
