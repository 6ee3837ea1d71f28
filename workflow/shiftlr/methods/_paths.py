"""Fits along a sequence of (alpha, lam), for any number of classes, and one warning for those that did not converge."""

import numpy as np

from shiftlr.methods._many_classes import OneVsAll, make_softmax, margins_of, scores_of, shares_of_shifted
from shiftlr.methods.base import largest_optimality, signs_of_two
from shiftlr.solvers.problem import make_problem, shares_shifted


def solve_path(model, X, codes, weights, penalty, alphas, lams, tol, max_iter):
    """(path, share of the examples that each fit shifts) of a standard or robust model, in the order given."""
    n_classes, intercept, shift = len(model.classes_), bool(model.fit_intercept), getattr(model, "shift", "label")
    if n_classes == 2:
        signs, prices = signs_of_two(codes), lams / np.sqrt(2.0) if shift == "group" else lams
        path = make_problem(X, signs, weights, penalty, intercept).path(alphas, prices, tol, max_iter)
        warn_if_path_not_converged(model, path, alphas, lams, X, codes, tol, max_iter)
        return path, shares_shifted(X, signs, path, prices)
    if shift == "one-vs-all":
        problem = OneVsAll(X, codes, weights, n_classes, penalty, intercept)
    else:
        problem = make_softmax(X, codes, weights, n_classes, penalty, intercept, shift)
    path = problem.path(alphas, lams, tol, max_iter)
    warn_if_path_not_converged(model, path, alphas, lams, X, codes, tol, max_iter)
    return path, shares_of_shifted(X, codes, path, lams, shift)


def warn_if_path_not_converged(model, path, alphas, lams, X, codes, tol, max_iter):
    """One warning for all fits of a path that did not converge, except where separable data have no minimum."""
    above = np.flatnonzero(~(path.optimalities <= largest_optimality(tol, path.n_iters, max_iter)))
    bad = [k for k in above if alphas[k] > 0.0 or not _separates(X, codes, path.coefs[k], path.intercepts[k])]
    if bad:
        worst = bad[int(np.argmax(np.nan_to_num(path.optimalities[bad], nan=np.inf)))]
        model._warn(
            f"{len(bad)} of {len(path.optimalities)} fits of a path did not converge; the worst, at "
            f"alpha={alphas[worst]:.6g} and lam={lams[worst]:.6g}, stopped after {path.n_iters[worst]} iterations "
            f"(max_iter={max_iter}) with optimality {path.optimalities[worst]:.2e}, above tol={tol:.2e}; raise "
            "max_iter or tol, or scale the features."
        )


def _separates(X, codes, coef, intercept):
    """Whether all examples are on the side of their labels."""
    if coef.ndim == 2:
        return bool(np.all(margins_of(scores_of(X, coef, intercept), codes) > 0.0))
    return bool(np.all(signs_of_two(codes) * (X @ coef + intercept) > 0.0))
