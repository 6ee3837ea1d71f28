"""LIBLINEAR by its official Python interface."""

import numpy as np
from scipy import sparse

from shiftbench.speed.task import Fit

PRIMAL_LOGISTIC, DUAL_HINGE, DUAL_LOGISTIC = 0, 3, 7


def train(kind, bias=None):
    """A solver by its number (-s). It penalises the intercept as the weight of one more column, of the value `bias`.

    A large bias makes that penalty small, b^2 / (2 bias^2), but the dual solvers slow.
    """

    def prepare(task):
        from liblinear import liblinearutil

        if task.fit_intercept != (bias is not None):
            raise ValueError("liblinear: a bias, and an intercept, or neither")
        X = sparse.csr_matrix(task.X)
        if bias is not None:
            X = sparse.csr_matrix(sparse.hstack([X, np.full((X.shape[0], 1), bias)]))
        prepared = liblinearutil.problem(task.signs, X)
        strength = task.C if kind == DUAL_HINGE else 1.0 / task.alphas[0]

        def solve(tolerance):
            model = liblinearutil.train(prepared, f"-s {kind} -c {strength:.17g} -e {tolerance:.17g} -q")
            weights = np.ctypeslib.as_array(model.w, (X.shape[1],)) * float(model.label[0])  # they favour that label
            if bias is None:
                return Fit(weights[None, :], np.zeros(1))
            return Fit(weights[None, :-1], weights[-1:] * bias)

        return solve

    return prepare
