"""What the rivals with a bounded loss share: several starts, of which the best is kept, and what is said about it."""

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
from scipy.special import log_expit

from shiftlr.methods.base import SEPARABLE, LogisticClassifier, codes_of, on_one_blas_thread
from shiftlr.solvers.path import Start
from shiftlr.solvers.problem import make_problem
from shiftlr.solvers.separability import is_separable
from shiftlr.validation import check_number, check_seed

SOLVER_STEPS = 1000  # at most, of a convex fit


class Run(NamedTuple):
    """Where a descent from one start has ended."""

    start: Start
    objectives: list[float]  # at the start and after each iteration
    optimality: float
    converged: bool = True
    weights: np.ndarray | None = None  # of the examples in the last weighted fit, where there is one
    stopped: str = ""  # why it went no further, other than by itself


class Data(NamedTuple):
    """What is fitted to, and the convex problem that was prepared for it."""

    X: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    problem: Any
    params: dict

    def convex_fit(self, weights=None, lam=1.0, start=None):
        """(coefficients, optimality) of the weighted logistic fit with the shifts' price `lam`."""
        problem = self.problem if weights is None else self.problem.reweighted(weights)
        alphas, lams = np.array([self.params["alpha"]]), np.array([lam])
        path = problem.path(alphas, lams, self.params["tol"], SOLVER_STEPS, start)
        return Start(path.coefs[0], float(path.intercepts[0])), float(path.optimalities[0])

    def margins(self, start):
        return self.signs * (self.X @ start.coef + start.intercept)

    def log_probabilities(self, start):
        """The logarithm of the probability of each label given."""
        return log_expit(self.margins(start))

    def penalty_at(self, start):
        """The penalty, as the objective has it."""
        if self.params["penalty"] == "l1":
            return self.params["alpha"] * float(np.abs(start.coef).sum())
        return 0.5 * self.params["alpha"] * float(start.coef @ start.coef)


def _lower(first, second):
    """The run that has come lower; the first, if neither has."""
    return second if second.objectives[-1] < first.objectives[-1] else first


class NonConvexClassifier(LogisticClassifier):
    """A logistic classifier whose objective has several minima; the best one of `n_init` descents is kept.

    A method says where the first descent begins (`_first_start`) and how to descend (`_descend`). If that has to stop
    (under a penalty, few shifts are needed to leave out a whole class), one from the standard fit follows. Later ones
    begin at standard fits to randomly weighted examples.
    """

    def check_params(self):
        return super().check_params() | {
            "n_init": check_number("n_init", self.n_init, at_least=1, integer=True),
            "random_state": check_seed("random_state", self.random_state),
        }

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and two-valued labels y."""
        params = self.check_params()
        X, signs, weights = self._check_data(X, y, sample_weight)
        problem = make_problem(X, signs, weights, params["penalty"], params["fit_intercept"])
        data = Data(X, signs, weights, problem, params)
        first = self._first_start(data)
        if params["alpha"] == 0.0 and data.margins(first)[weights > 0.0].min() > 0.0:  # no minimum, nor need of one
            best = Run(first, [self._objective(data, first)], 0.0)
        else:
            best = self._descend(data, first)
            if best.stopped:
                best = _lower(best, self._descend(data, data.convex_fit()[0]))
            for _ in range(params["n_init"] - 1):
                drawn = weights * params["random_state"].exponential(size=len(weights)) ** 2
                best = _lower(best, self._descend(data, data.convex_fit(drawn)[0]))
        self._keep_run(data, best)
        return self

    @abstractmethod
    def _first_start(self, data):
        """Where the first descent begins."""

    @abstractmethod
    def _objective(self, data, start):
        """The objective at a start."""

    @abstractmethod
    def _descend(self, data, start):
        """The `Run` from a start."""

    def _keep_run(self, data, run):
        """Take over the best descent, and warn where it is not a minimum."""
        self._keep(*run.start)
        self.objectives_ = run.objectives
        self.objective_ = run.objectives[-1]
        self.n_iter_ = max(len(run.objectives) - 1, 1)
        self.optimality_ = run.optimality
        self._check_finite(data.X)
        params, margins = data.params, data.margins(run.start)
        self._remember(data.signs * margins, codes_of(data.signs), data.weights)
        weights = data.weights if run.weights is None else run.weights
        intercept, tol = params["fit_intercept"], params["tol"]
        if run.stopped:
            self._warn(run.stopped)
        elif params["alpha"] == 0.0 and is_separable(data.X, data.signs, weights, intercept, margins, 1.0, tol):
            all_count = np.array_equal(weights > 0.0, data.weights > 0.0)
            self._warn(SEPARABLE if all_count else SEPARABLE.replace("the data", "the examples that were kept"))
        elif not run.converged:
            self._warn(
                f"stopped after {self.n_iter_} iterations (max_iter={params['max_iter']}) with the objective still "
                f"falling; raise max_iter or tol={tol:.2e}, or scale the features."
            )
        else:
            slopes = -data.weights @ np.expm1(log_expit(margins))  # at least those of losses that grow more slowly
            self._warn_if_rounded(data.X, self._objective(data, run.start), slopes)
