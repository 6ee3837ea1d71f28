"""The other solvers of the speed benchmark.

Each function here takes a `Problem`, does all preparation that needs no clock (so that only the solving counts) and
returns `solve(tolerance)`, which returns a `Fit`. Shifts are given to the peers as the columns of an identity beside X.
A peer that is not there raises ImportError.
"""

import shutil
import subprocess
import tempfile
from collections import deque
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

_GLMNET = """
suppressMessages({library(Matrix); library(glmnet)})
arguments <- commandArgs(TRUE)
folder <- arguments[1]; n <- as.integer(arguments[2]); m <- as.integer(arguments[3]); thresh <- as.numeric(arguments[4])
numbers <- function(name) readBin(file.path(folder, name), "double", file.size(file.path(folder, name)) / 8)
X <- cbind(Matrix(matrix(numbers("X"), n, m), sparse = TRUE), Diagonal(n))
X <- as(X, "CsparseMatrix"); y <- numbers("y"); lambda <- numbers("lambda")
glmnet.control(fdev = 0, devmax = 1)  # no early end of the path
fit_path <- function() glmnet(X, y, "binomial", lambda = lambda, penalty.factor = rep(0:1, c(m, n)), thresh = thresh,
                              standardize = FALSE, maxit = 1e9)
fit <- fit_path()
if (length(fit$a0) < length(lambda)) stop("glmnet ended the path early")
start <- Sys.time(); fit_path()
seconds <- as.numeric(Sys.time() - start, units = "secs")
writeBin(c(seconds, as.numeric(fit$a0), as.numeric(as.matrix(fit$beta)[1:m, ])), file.path(folder, "answer"))
"""


class Fit(NamedTuple):
    """A row or entry for each pair of the problem; `seconds` where a solver has to hold the clock itself."""

    coefs: np.ndarray
    intercepts: np.ndarray
    seconds: float | None = None


def adelie(problem):
    """Coordinate descent along a path, [X | I] as two matrices side by side, one dense and one sparse."""
    import adelie

    n, m = problem.X.shape
    matrix = adelie.matrix.dense(np.asfortranarray(problem.X))
    factors, path = np.ones(m), problem.alphas
    if problem.lams[0] < 1.0:
        identity = adelie.matrix.sparse(sparse.csc_matrix(sparse.eye(n)))
        matrix = adelie.matrix.concatenate([matrix, identity], axis=1)
        factors = np.concatenate([np.full(m, problem.alphas[0] / problem.lams[0]), np.ones(n)])
        path = problem.lams
    labels = (problem.signs > 0.0).astype(float)

    def solve(tolerance):
        state = adelie.grpnet(
            matrix,
            adelie.glm.binomial(labels, dtype=np.float64),
            penalty=factors,
            lmda_path=path / n,
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


def glmnet(problem):
    """Coordinate descent along a path in R, on a sparse [X | I] with X unpenalised, timed inside R."""
    command = shutil.which("Rscript")
    if command is None:
        raise ImportError("no Rscript on the PATH")
    there = subprocess.run([command, "-e", 'library("glmnet")'], capture_output=True, check=False)
    if there.returncode != 0:
        raise ImportError("R has no package glmnet")
    n, m = problem.X.shape

    def solve(tolerance):
        with tempfile.TemporaryDirectory() as folder:
            arrays = {"X": problem.X.T, "y": problem.signs > 0.0, "lambda": problem.lams / (n + m)}
            for name, values in arrays.items():  # (the penalty factors are rescaled to a mean of 1, hence n + m)
                np.asarray(values, dtype=float).ravel().tofile(Path(folder, name))
            script = Path(folder, "script.R")
            script.write_text(_GLMNET)
            subprocess.run(
                [command, script, folder, str(n), str(m), str(tolerance)], check=True, stdout=subprocess.DEVNULL
            )
            answer = np.fromfile(Path(folder, "answer"))
        intercepts, coefs = np.split(answer[1:], [len(problem.lams)])
        return Fit(coefs.reshape(-1, m), intercepts, float(answer[0]))

    return solve


def skglm(problem):
    """Proximal Newton with working sets, each point started from the one before."""
    from skglm.datafits import Logistic
    from skglm.penalties import L1
    from skglm.solvers import ProxNewton
    from skglm.utils.jit_compilation import compiled_clone

    n, m = problem.X.shape
    matrices, penalties, scales = [], [], []
    for alpha, lam in zip(problem.alphas, problem.lams, strict=True):
        # ProxNewton has no weighted L1 with an intercept: X is scaled instead, so that one penalty suits X and I
        scale = lam / alpha if lam < 1.0 else 1.0
        matrix = np.hstack([problem.X * scale, np.eye(n)]) if lam < 1.0 else problem.X
        matrices.append(np.asfortranarray(matrix))
        penalties.append(compiled_clone(L1((lam if lam < 1.0 else alpha) / n)))
        scales.append(scale)
    datafit = compiled_clone(Logistic())

    def solve(tolerance):
        coefs, intercepts = [], []
        point = np.zeros(matrices[0].shape[1] + 1)
        for matrix, penalty, scale in zip(matrices, penalties, scales, strict=True):
            point[:m] /= scale
            fitted = matrix @ point[:-1] + point[-1]
            solver = ProxNewton(tol=tolerance, max_iter=1000, max_pn_iter=10_000, fit_intercept=True, warm_start=True)
            point = solver.solve(matrix, problem.signs, datafit, penalty, point, fitted)[0].copy()
            point[:m] *= scale
            coefs.append(point[:m].copy())
            intercepts.append(point[-1])
        return Fit(np.array(coefs), np.array(intercepts))

    return solve


def newton_cg(problem):
    """scikit-learn's Newton with conjugate gradients."""
    from sklearn.linear_model import LogisticRegression

    strength = 1.0 / problem.alphas[0]

    def solve(tolerance):
        model = LogisticRegression(
            C=strength, solver="newton-cg", tol=tolerance, fit_intercept=problem.fit_intercept, max_iter=10_000
        )
        model.fit(problem.X, problem.signs)
        return Fit(model.coef_, np.broadcast_to(model.intercept_, 1))

    return solve


def liblinear(problem):
    """LIBLINEAR's primal Newton (-s 0), without an intercept."""
    from liblinear import liblinearutil

    prepared = liblinearutil.problem(problem.signs, problem.X)

    def solve(tolerance):
        model = liblinearutil.train(prepared, f"-s 0 -c {1.0 / problem.alphas[0]:.17g} -e {tolerance:.17g} -q")
        weights = np.ctypeslib.as_array(model.w, (problem.X.shape[1],))
        return Fit(weights[None, :] * float(model.label[0]), np.zeros(1))  # the weights speak for the first label

    return solve


def owlqn(problem):
    """The report's own solver, OWL-QN on [X | I], stopped where its objective is within `tolerance` of the best known.

    Its products with X are the package's own, the fastest at hand, so that the methods are compared and no more.
    """
    from shiftlr.solvers.rows import prepare_rows

    rows = prepare_rows(problem.X.indptr, problem.X.indices, None, problem.X.shape[1])

    def solve(tolerance):
        descent = _OrthantWiseDescent(rows, problem.signs, problem.alphas[0], problem.lams[0])
        while descent.total > problem.best[0] * (1.0 + tolerance) and descent.step():
            pass
        return Fit(descent.point[None, : problem.X.shape[1]], descent.point[-1:])

    return solve


class _OrthantWiseDescent:
    """Limited-memory quasi-Newton steps in (theta, shifts, b), projected onto the orthant that the shifts are in."""

    def __init__(self, rows, signs, alpha, lam, memory=10):
        n, m = len(signs), len(rows.column_starts) - 1
        self.rows, self.signs, self.alpha, self.lam = rows, signs, alpha, lam
        self.theta, self.shifts = slice(0, m), slice(m, m + n)
        self.point = np.zeros(m + n + 1)
        # (change of point, change of gradient, 1 / their product) of the last steps
        self.pairs: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=memory)
        self.total, self.gradient = self._evaluate(self.point)

    def _evaluate(self, point):
        """The objective, and the gradient of its smooth part."""
        from shiftlr.solvers.rows import column_products, row_products

        theta, shifts = point[self.theta], point[self.shifts]
        margins = self.signs * (row_products(self.rows, theta, point[-1], np.empty(len(shifts))) + shifts)
        slopes = -self.signs / (1.0 + np.exp(np.clip(margins, -500.0, 500.0)))
        gradient = np.empty(len(point))
        column_products(self.rows, slopes, gradient[self.theta])
        gradient[self.theta] += self.alpha * theta
        gradient[self.shifts], gradient[-1] = slopes, slopes.sum()
        smooth = np.logaddexp(0.0, -margins).sum() + 0.5 * self.alpha * theta @ theta
        return smooth + self.lam * np.abs(shifts).sum(), gradient

    def _steepest(self):
        """The subgradient of least length."""
        steepest = self.gradient.copy()
        shifts, slopes = self.point[self.shifts], self.gradient[self.shifts]
        at_zero = np.sign(slopes) * np.maximum(np.abs(slopes) - self.lam, 0.0)
        steepest[self.shifts] = np.where(shifts != 0.0, slopes + self.lam * np.sign(shifts), at_zero)
        return steepest

    def _direction(self, steepest):
        """The two-loop recursion, kept to descent in every shift."""
        direction, factors = -steepest, []
        for moved, turned, inverse in reversed(self.pairs):
            factors.append(inverse * (moved @ direction))
            direction -= factors[-1] * turned
        if self.pairs:
            _, turned, inverse = self.pairs[-1]
            direction /= inverse * (turned @ turned)
        for (moved, turned, inverse), factor in zip(self.pairs, reversed(factors), strict=True):
            direction += moved * (factor - inverse * (turned @ direction))
        direction[self.shifts][direction[self.shifts] * steepest[self.shifts] >= 0.0] = 0.0
        return direction

    def step(self):
        """One step with a backtracking search; False where there is no further progress."""
        steepest = self._steepest()
        direction = self._direction(steepest)
        shifts = self.point[self.shifts]
        orthant = np.where(shifts != 0.0, np.sign(shifts), -np.sign(steepest[self.shifts]))
        length = 1.0 if self.pairs else 1.0 / np.linalg.norm(steepest)
        while length > 1e-12:
            point = self.point + length * direction
            point[self.shifts][point[self.shifts] * orthant < 0.0] = 0.0
            total, gradient = self._evaluate(point)
            if total <= self.total + 1e-4 * (steepest @ (point - self.point)):
                break
            length *= 0.5
        else:
            return False
        moved, turned = point - self.point, gradient - self.gradient
        if moved @ turned > 0.0:
            self.pairs.append((moved, turned, 1.0 / (moved @ turned)))
        self.point, self.total, self.gradient = point, total, gradient
        return True
