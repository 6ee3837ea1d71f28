"""How one method is tuned and fitted: grids, penalties, a development set, folds, the report's first procedure."""

import inspect
import math
from collections.abc import Mapping
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from shiftlr import methods
from shiftlr.model_selection import (
    ShareLimit,
    alpha_grid,
    choose,
    collect_fits,
    first_procedure,
    fold_scores,
    tune_on_dev,
)
from sklearn.base import clone

from shiftbench import plugins
from shiftbench.datasets.base import Part
from shiftbench.repeated import fit_grid
from shiftbench.runs import Skipped

MOST_SETTINGS = 100_000  # of a grid, with the penalties
KNOWN_OF_EXAMPLES = ("groups", "truth")  # fields of a part that a method gets if its `fit` has a parameter so called


def values(setting: Any) -> list:
    """The values of a grid: a list as it is, or {from, to, points} in equal ratios, in the order of preference."""
    if not isinstance(setting, dict):
        return list(setting)
    return np.geomspace(setting["from"], setting["to"], setting["points"]).tolist()


def count(setting: Any) -> int:
    """How many values there are, without making them."""
    return setting["points"] if isinstance(setting, dict) else len(setting)


def settings(grid: dict[str, Any]) -> list[dict]:
    """All combinations of a grid's values, the first name varying slowest."""
    expanded = [values(setting) for setting in grid.values()]
    return [dict(zip(grid, combination, strict=True)) for combination in product(*expanded)]


def strongest(X, labels) -> float:
    """The smallest L1 penalty under which the standard model has no weights."""
    classes = np.unique(labels)
    own = [labels] if len(classes) <= 2 else [labels == one for one in classes]
    return max(float(np.abs(X.T @ (flags - flags.mean())).max()) for flags in own)


def penalties(tuning: dict[str, Any], train: Part) -> list[float]:
    """Strengths of the penalty to choose from."""
    if tuning["sigma2s"] is not None:
        return [1.0 / sigma2 for sigma2 in values(tuning["sigma2s"])]
    alphas = tuning["alphas"]
    if isinstance(alphas, dict) and "weakest" in alphas:
        return (strongest(train.X, train.labels) * np.geomspace(1.0, alphas["weakest"], alphas["points"])).tolist()
    return values(alphas)


def configured(method: dict[str, Any], tuning: dict[str, Any], folder: str | None, seed: int):
    """(the estimator with all that stays fixed, its grid, whether `tuning` penalises it)."""
    kind: Any = _kind(method["method"], tuple(path.absolute() for path in plugins.folders("methods", folder)))
    grid = getattr(kind, "grid", {}) if method["grid"] is None else method["grid"]
    if tuning["lams"] is not None and "lam" in grid:
        grid = grid | {"lam": tuning["lams"]}
    estimator = kind(**method["params"])
    parameters = estimator.get_params()
    penalised = tuning["penalty"] is not None and "penalty" in parameters
    if penalised:
        estimator.set_params(penalty=tuning["penalty"])
    if "random_state" in parameters and "random_state" not in method["params"]:
        estimator.set_params(random_state=seed)
    if tuning["tol"] is not None and "tol" in parameters and "tol" not in method["params"]:
        estimator.set_params(tol=tuning["tol"])
    return estimator, grid, penalised


@cache
def _kind(name, folders):
    """The class of a method: looking for its file again takes as long as a small fit."""
    return methods.load(name, folders)


def refused_settings(method: dict[str, Any], tuning: dict[str, Any], folder: str | None) -> list[Exception]:
    """What a method says against the settings that it would be fitted with, each thing once; there are no data yet.

    It is asked by `check_params()`; other estimators by what scikit-learn's own have.
    """
    estimator, grid, penalised = configured(method, tuning, folder, 0)
    n_settings = math.prod(map(count, grid.values()))
    if penalised:
        estimator.set_params(alpha=1.0)  # those of `tuning` are positive, which the schema sees to
        n_settings *= count(tuning["sigma2s"] or tuning["alphas"])
    if n_settings > MOST_SETTINGS:
        return [ValueError(f"there are {n_settings} settings to choose from; at most {MOST_SETTINGS} can be compared")]
    found: dict[str, Exception] = {}
    for setting in settings(grid):
        try:
            check_params(estimator.set_params(**setting))
        except Exception as error:  # whatever a user's file raises
            found.setdefault(f"{type(error).__name__}: {error}", error)
    return list(found.values())


def check_params(estimator) -> None:
    """Let an estimator refuse parameters, if it knows how to do so without data."""
    if hasattr(estimator, "check_params"):
        estimator.check_params()
    elif hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()


class Tuner:
    """How one method is tuned and fitted. `method` and `tuning` are parts of the completed config.

    `seed` is a whole number for folds and random starts; `alpha` is a penalty that another method has chosen. A method
    whose class says by `missing()` that this machine lacks what it needs is skipped.
    """

    def __init__(self, method: dict[str, Any], tuning: dict[str, Any], folder: str | None, seed: int, alpha=None):
        self.tuning, self.seed = tuning, seed
        self.estimator, self.grid, self.penalised = configured(method, tuning, folder, seed)
        if hasattr(self.estimator, "missing") and self.estimator.missing():
            raise Skipped(self.estimator.missing())
        self.taken: dict[str, float] = {}  # chosen elsewhere
        self.tried: tuple[list[dict], Any] | None = None  # settings that were compared, and their fits
        if self.penalised and alpha is not None:
            self.taken = {"alpha": alpha}
            self.estimator.set_params(alpha=alpha)

    def fit(self, parts: Mapping[str, Part]):
        """(the fitted estimator, its chosen parameters, their score)."""
        train = parts["train"]
        if self.tuning["procedure"] == "first_procedure" and self.penalised and "lam" in self.grid:
            tuned = self._first_procedure(parts)  # without what else is known of the examples
            fitted = self.fit_fixed(tuned.params, train) if self._fit_params(train) else tuned.estimator
            return self._finished(fitted, train), tuned.params, tuned.score
        if not self.penalised and self.tuning["by"] == "dev" and hasattr(self.estimator, "fit_path"):
            tuned = self._along_own_path(train, self._dev(parts))
            return tuned.estimator, tuned.params, tuned.score
        grid = self._grid(train)
        if self.tuning["by"] == "none" or (len(grid) == 1 and self.tuning["by"] == "folds"):
            return self.fit_fixed(grid[0], train), self.taken | grid[0], np.nan
        if self.tuning["by"] == "dev":
            dev = self._dev(parts)
            tuned = tune_on_dev(
                self.estimator,
                grid,
                *(train.X, train.labels, dev.X, dev.labels),
                limit=self._limit(train),
                scoring=self.tuning["scoring"],
                fit_params=self._fit_params(train),
            )
            self.tried = grid, tuned.fits
            return self._finished(tuned.estimator, train), self.taken | tuned.params, tuned.score
        return self._by_folds(grid, train)

    def fit_fixed(self, params: dict[str, Any], train: Part):
        """The estimator with parameters that were chosen before."""
        estimator = clone(self.estimator).set_params(**params)
        if self.tuning["final_tol"] is not None and "tol" in estimator.get_params():
            estimator.set_params(tol=self.tuning["final_tol"])
        return estimator.fit(train.X, train.labels, **self._fit_params(train))

    def fit_each(self, train: Part) -> list[tuple[dict[str, Any], Any]]:
        """(setting, fitted estimator) for the whole grid; those that `fit` compared are not fitted again."""
        grid, fits = self.tried or (self._grid(train), None)
        if fits is None:
            fits = fit_grid(self.estimator, grid, train.X, train.labels, self._fit_params(train))
        return [(params, fits.estimator(place)) for place, params in enumerate(grid)]

    def _dev(self, parts):
        if "dev" not in parts:
            raise ValueError("tuning.by: 'dev' needs a development set, which the dataset does not have; use folds")
        return parts["dev"]

    def _along_own_path(self, train, dev):
        """A method with `fit_path` chooses by itself at which `lam` it is fitted, the preferred ones first."""
        models = self.estimator.fit_path(train.X, train.labels)
        fits = collect_fits(models, train.X, train.labels)
        scores = fits.scores(dev.X, dev.labels, self.tuning["scoring"])
        return choose([{"lam": model.lam} for model in models], fits, scores, self._limit(train))

    def _finished(self, estimator, train):
        """Fitted anew to the final tolerance, so that models that are equal predict alike."""
        return estimator if self.tuning["final_tol"] is None else self.fit_fixed(estimator.get_params(), train)

    def _fit_params(self, train):
        """What is known of the examples and the method asks for, as more arguments for its `fit`."""
        asked = inspect.signature(self.estimator.fit).parameters
        known = {name: getattr(train, name) for name in KNOWN_OF_EXAMPLES if name in asked}
        return {name: given for name, given in known.items() if given is not None}

    def _grid(self, train):
        """All settings in order of preference."""
        own = settings(self.grid)
        if not self.penalised or self.taken:
            return own
        strengths = alpha_grid(penalties(self.tuning, train), self.tuning["prefer"])
        if self.tuning["tie_break"] == "penalty":
            return [a | o for a in strengths for o in own]
        return [a | o for o in own for a in strengths]

    def _by_folds(self, grid, train):
        scores = fold_scores(
            self.estimator,
            grid,
            *(train.X, train.labels),
            n_splits=self.tuning["folds"],
            n_repeats=self.tuning["repeats"],
            groups=train.groups,
            scoring=self.tuning["scoring"],
            random_state=self.seed * self.tuning["repeats"],
            per_example=self._per_example(),
            fit_params=self._fit_params(train),
        )
        limit, on_a_path = self._limit(train), "path_parameters" in vars(type(self.estimator))
        if limit is None and (self.tuning["final_tol"] is not None or not on_a_path):
            best = int(np.argmax(scores))
            return self.fit_fixed(grid[best], train), self.taken | grid[best], float(scores[best])
        fits = fit_grid(self.estimator, grid, train.X, train.labels, self._fit_params(train))
        tuned = choose(grid, fits, scores, limit)
        self.tried = grid, fits
        return self._finished(tuned.estimator, train), self.taken | tuned.params, tuned.score

    def _first_procedure(self, parts):
        train, dev = parts["train"], parts.get("dev") if self.tuning["by"] == "dev" else None
        return first_procedure(
            self.estimator,
            penalties(self.tuning, train),
            values(self.grid["lam"]),
            *(train.X, train.labels),
            *((dev.X, dev.labels) if dev is not None else ()),
            by=self.tuning["train_accuracy"],
            prefer=self.tuning["prefer"],
            prefer_lam=self.tuning["prefer_lam"],
            n_splits=self.tuning["folds"],
            n_repeats=self.tuning["repeats"],
            random_state=self.seed * self.tuning["repeats"],
            scoring=self.tuning["scoring"],
            per_example=self._per_example(),
            fit=fit_grid,
        )

    def _per_example(self):
        return self.tuning["fold_penalties"] == "per_example"

    def _limit(self, train):
        limit = self.tuning["limit"]
        if limit is None:
            return None
        about = limit["about"]
        if about == "wrong_labels":
            if train.truth is None:
                raise ValueError("tuning.limit: the share of wrong labels is not known; give a number instead")
            about = float(np.mean(train.labels != train.truth))
        return ShareLimit(**limit | {"about": about})
