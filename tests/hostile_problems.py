"""Problems whose numbers differ by many orders of magnitude, and whether a fit is right or says that it is not."""

import warnings
from typing import NamedTuple

import numpy as np
from extended_precision import least_objective, objective_of
from scipy import sparse
from shiftlr import LinearSVM, RobustLogisticRegression, StandardLogisticRegression

RIGHT = 1e-6  # of the minimum: what an objective may be above it without a warning
KINDS = ("scale", "column", "columns", "offset", "offsets", "row", "rows", "weight", "weights", "all weights")
ONE_SIDED = ("offset", "offsets", "row", "rows")  # kinds that small sizes change nothing of


class Problem(NamedTuple):
    X: np.ndarray
    signs: np.ndarray
    weights: np.ndarray
    alpha: float = 1.0
    lam: float = 0.1
    fit_intercept: bool = True


class Model(NamedTuple):
    """A kind of estimator; `lam` as `extended_precision` has it, None for the hinge."""

    name: str
    penalty: str | None

    def estimator(self, problem):
        common = {"fit_intercept": problem.fit_intercept}
        if self.name == "svm":
            return LinearSVM(C=1.0 / problem.alpha, **common)
        common |= {"penalty": self.penalty, "alpha": problem.alpha if self.penalty else 0.0}
        if self.name == "robust":
            return RobustLogisticRegression(lam=problem.lam, **common)
        return StandardLogisticRegression(**common)

    def terms(self, problem):
        """What the independent answer needs of the problem: weights, and arguments by name."""
        lam = {"svm": None, "robust": problem.lam, "standard": 1.0}[self.name]
        alpha = 1.0 if self.name == "svm" else problem.alpha if self.penalty else 0.0
        weights = problem.weights / problem.alpha if self.name == "svm" else problem.weights
        return weights, {"lam": lam, "penalty": self.penalty, "alpha": alpha}


MODELS = [Model(name, penalty) for name in ("standard", "robust") for penalty in (None, "l2", "l1")]
MODELS.append(Model("svm", "l2"))


def plain_problem(random, n=60, m=4, noise=0.15):
    """Features and labels without anything hostile."""
    X = random.normal(size=(n, m))
    signs = np.where(X @ random.normal(size=m) + 0.5 * random.normal() > 0.0, 1.0, -1.0)
    signs[random.random(n) < noise] *= -1.0
    signs[:2] = 1.0, -1.0
    return Problem(X, signs, np.ones(n))


def hostile_problem(kind, size, seed):
    """A plain problem with one thing made `size` times as large."""
    random = np.random.default_rng(seed)
    X, signs, weights, *_ = plain_problem(random)
    if kind == "scale":
        X = X * size
    elif kind == "column":
        X[:, 1] *= size
    elif kind == "columns":
        X = X * size ** random.uniform(-0.5, 0.5, size=X.shape[1])
    elif kind == "offset":
        X[:, 1] += size
    elif kind == "offsets":
        X = X + size
    elif kind == "row":
        X[7] *= size
    elif kind == "rows":
        X[7] *= size
        X[8] *= -size
    elif kind == "weight":
        weights[7] = size
    elif kind == "weights":
        weights = size ** random.uniform(-0.5, 0.5, size=len(weights))
    else:
        weights = weights * size
    return Problem(X, signs, weights)


def mixed_problem(seed):
    """Several things at once, by chance; also rounded, binary and skew features, duplicates and constants."""
    random = np.random.default_rng(seed)
    n, m = int(random.integers(12, 80)), int(random.integers(1, 7))
    X = random.normal(size=(n, m))
    X = [X, np.round(2.0 * X), (X > 0.5).astype(float), np.exp(2.0 * X)][random.integers(4)]
    signs = np.where(X @ random.normal(size=m) + 0.5 * random.normal() > 0.0, 1.0, -1.0)
    signs[random.random(n) < random.choice([0.0, 0.1, 0.3])] *= -1.0
    signs[:2] = 1.0, -1.0
    weights = np.ones(n)

    def power(low, *shape):
        return 10.0 ** random.uniform(low, 12.0, shape)

    if random.random() < 0.4:
        X = X * power(-12.0)
    if random.random() < 0.4:
        X = X * power(-12.0, m)
    if random.random() < 0.4:
        X[random.integers(n)] *= power(0.0) * random.choice([-1.0, 1.0])
    if random.random() < 0.3:
        X = X + power(0.0, m) * (random.random(m) < 0.5)
    if random.random() < 0.3:
        weights = weights * power(-12.0)
    if random.random() < 0.2:
        weights[random.integers(n)] *= power(-12.0)
    if random.random() < 0.2:
        weights = weights * 10.0 ** random.uniform(-3.0, 3.0, n)
    if random.random() < 0.1:
        X = np.hstack([X, X[:, :1]])
    if random.random() < 0.1:
        X = np.hstack([X, np.full((n, 1), 10.0 ** random.uniform(-8.0, 8.0))])
    lam = float(random.choice([1e-6, 1e-3, 0.05, 0.3, 0.6]))
    return Problem(X, signs, weights, 10.0 ** random.uniform(-6.0, 3.0), lam, bool(random.random() < 0.8))


def stored(X, storage):
    """Dense, sparse, or sparse with so many columns that another solver serves."""
    if storage == "dense":
        return X
    wide = [sparse.csr_array((len(X), 1100))] if storage == "wide" else []
    return sparse.hstack([sparse.csr_array(X), *wide], format="csr")


def wrong_in_silence(problem, model, storages=("dense", "sparse", "wide")):
    """For each storage whose fit is neither right nor warns: how it is wrong."""
    weights, terms = model.terms(problem)
    X, signs = problem.X, problem.signs
    least, margin = least_objective(X, signs, weights, **terms, fit_intercept=problem.fit_intercept)
    has_minimum = terms["penalty"] is not None or margin <= 0.0
    found = []
    for storage in storages:
        estimator = model.estimator(problem)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimator.fit(stored(X, storage), signs, sample_weight=problem.weights)
        coef, intercept = estimator.coef_[0, : X.shape[1]], estimator.intercept_[0]
        kept = objective_of(X, signs, weights, coef, intercept, **terms)
        above = (max(kept, estimator.objective_) - least) / max(abs(least), 1e-300)
        if not caught and not (has_minimum and above <= RIGHT):
            found.append(
                f"{storage}: {above:.1e} above the minimum {least:.6g}, optimality {estimator.optimality_:.1e}"
            )
    return found
