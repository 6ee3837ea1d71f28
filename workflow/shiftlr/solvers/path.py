"""What all problems have in common: where they start, what they return, and what soft labels add."""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers.optimality import largest_violation


class Path(NamedTuple):
    """One row or entry for each (alpha, lam) in the order asked for."""

    coefs: np.ndarray
    intercepts: np.ndarray
    objectives: np.ndarray
    n_iters: np.ndarray
    optimalities: np.ndarray


class CheckedPath(Path):
    """A path of a solver that knows more about its fits.

    has_minimum     for each fit, True if a minimum is proved to exist, False if that is not known
    margins         of a single fit, where they come from the coefficients as they are kept, else None
    extent          the largest |x_ij|, or infinite
    """

    has_minimum: np.ndarray | None = None
    margins: np.ndarray | None = None
    extent: float = np.inf


def is_known_to_have_minimum(path, k):
    """Whether the solver has proved that there is a minimum for the k-th fit; others say nothing about that."""
    known = getattr(path, "has_minimum", None)
    return known is not None and bool(known[k])


class Start(NamedTuple):
    """Where a solver begins."""

    coef: np.ndarray
    intercept: float


def judged(path, problem, alphas, lams, tilt, tilt_b, penalty):
    """The path with optimalities that hold where examples differ by orders of magnitude, else as it is."""
    if problem.caution == 1.0:
        return path
    common = problem.X, problem.signs, problem.weights, tilt, tilt_b, penalty
    points = zip(alphas, lams, path.coefs, path.intercepts, strict=True)
    found = [largest_violation(*common, *point, problem.fit_intercept) for point in points]
    return path._replace(optimalities=np.array(found))


def tilt_of(problem, doubts):
    """The linear term (for theta, for b) that soft labels add: sum_i w_i doubt_i s_i x_i."""
    if doubts is None:
        return np.zeros(problem.X.shape[1]), 0.0
    pull = problem.weights * doubts * problem.signs
    return np.asarray(problem.X.T @ pull), float(pull.sum())
