"""scikit-learn's logistic regression by its solvers, and its libsvm."""

import numpy as np
from scipy import sparse

from shiftbench.speed.task import Fit

CACHE = 1000  # MB, for libsvm's kernel
MOST_SWEEPS = 10_000  # of dual coordinate descent


def logistic(solver):
    """`LogisticRegression` with a solver: lbfgs, newton-cg or newton-cholesky; plain, L2 or without a penalty."""

    def prepare(task):
        from sklearn.linear_model import LogisticRegression

        strength = 1.0 / task.alphas[0] if task.penalty == "l2" else np.inf

        def solve(tolerance):
            model = LogisticRegression(
                C=strength, solver=solver, tol=tolerance, fit_intercept=task.fit_intercept, max_iter=10_000
            )
            model.fit(task.X, task.signs)
            return Fit(model.coef_, np.broadcast_to(model.intercept_, 1))

        return solve

    return prepare


def softmax(solver):
    """`LogisticRegression` of all classes at once (multinomial), plain with L2."""

    def prepare(task):
        from sklearn.linear_model import LogisticRegression

        settings = {"C": 1.0 / task.alpha, "fit_intercept": task.fit_intercept, "max_iter": 10_000}

        def solve(tolerance):
            model = LogisticRegression(solver=solver, tol=tolerance, **settings).fit(task.X, task.labels)
            return Fit(model.coef_, model.intercept_)

        return solve

    return prepare


def libsvm(task):
    """LIBSVM with a linear kernel; its intercept is not penalised, as ours is not."""
    from sklearn.svm import SVC

    X = _with_short_indices(task.X)

    def solve(tolerance):
        model = SVC(C=task.C, kernel="linear", tol=tolerance, cache_size=CACHE).fit(X, task.signs)
        coefs = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
        return Fit(coefs, model.intercept_)

    return solve


def linear_svc(bias=None):
    """`LinearSVC`: liblinear's dual coordinate descent (-s 3), without its limit of 300 sweeps.

    It penalises the intercept as the weight of one more column, of the value `bias`.
    """

    def prepare(task):
        from sklearn.svm import LinearSVC

        X = _with_short_indices(task.X)
        settings = {"loss": "hinge", "dual": True, "max_iter": MOST_SWEEPS, "random_state": 0}
        settings |= {"fit_intercept": task.fit_intercept, "intercept_scaling": bias or 1.0}

        def solve(tolerance):
            model = LinearSVC(C=task.C, tol=tolerance, **settings).fit(X, task.signs)
            return Fit(model.coef_, np.broadcast_to(model.intercept_, 1))

        return solve

    return prepare


def _with_short_indices(X):
    """liblinear and libsvm take sparse indices of 32 bits only."""
    if not sparse.issparse(X):
        return X
    return sparse.csr_matrix((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
