"""The robust model as the report trained it: by R's glmnet on [X | I], its appendix C word for word (glmnet_path.R).

It often stops before the first lambda at which a shift may enter, and returns the solutions before it.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from shiftlr.methods.robust import RobustLogisticRegression
from shiftlr.validation import check_choice, check_number
from sklearn.base import clone

from shiftbench.methods import _r_process

SCRIPT = Path(__file__).with_suffix(".R")


class Solutions(NamedTuple):
    """What glmnet returned, one row per solution."""

    errors: np.ndarray  # glmnet's jerr, one per call; zero if it converged
    lambdas: np.ndarray  # per example
    intercepts: np.ndarray
    coefs: np.ndarray
    shifts: np.ndarray


class GlmnetPath(RobustLogisticRegression):
    """Robust logistic regression by R's glmnet, with its defaults and all that they do.

    Without a penalty glmnet chooses a path of `lam` by itself, and `fit` takes the solution whose `lam` is nearest to
    the one that is asked for. With penalty="l1" there is one call per (alpha, lam). Where that does not converge glmnet
    returns a model of zeros. The objective is that of `RobustLogisticRegression`.

    Parameters
    ----------
    lam, penalty, alpha : as in `RobustLogisticRegression`; the penalty is None or "l1"
    thresh : float
        When glmnet has converged; by default glmnet's own.
    maxit : int
        After how many passes over the data glmnet gives up; by default glmnet's own.

    Attributes
    ----------
    coef_, intercept_, classes_, shifts_ : as in `RobustLogisticRegression`
    not_converged_ : float
        Share of the calls of glmnet, among those that this fit was compared with, that did not converge.
    """

    def __init__(self, lam=0.1, penalty=None, alpha=0.0, thresh=1e-7, maxit=100_000):
        super().__init__(lam, penalty, alpha)
        self.thresh = thresh
        self.maxit = maxit

    @staticmethod
    def missing():
        """Why this method cannot be run here; empty where R and glmnet are installed."""
        return _r_process.missing("glmnet")

    def check_params(self):
        check_choice("penalty", self.penalty, (None, "l1"))
        if self.penalty is not None:
            check_number("alpha", self.alpha, above=0.0)
        thresh, maxit = self._check_limits()
        return super().check_params() | {"thresh": thresh, "maxit": maxit}

    def _check_limits(self):
        thresh = check_number("thresh", self.thresh, above=0.0)
        return thresh, check_number("maxit", self.maxit, at_least=1, at_most=2**31 - 1, integer=True)

    def fit(self, X, y):
        """Fit to features X and two-valued labels y."""
        self._check_penalty(None, "l1")
        lam = self.check_params()["lam"]
        fits = self.fit_path(X, y) if self.penalty is None else self.fit_settings([{}], X, y)
        nearest = min(fits, key=lambda fit: abs(np.log(fit.lam / lam)))
        self.__dict__ |= {name: value for name, value in vars(nearest).items() if name.endswith("_")}
        return self

    def fit_path(self, X, y):
        """The solutions of glmnet's own path, the larger `lam` first; theta is not penalised."""
        self._check_penalty(None)
        n_rows, n_columns, found = self._ask(X, y, [], [])
        if found.errors[0]:
            self._warn(
                f"glmnet did not converge (jerr = {found.errors[0]:.0f}): its path ends after solution "
                f"{len(found.lambdas)}"
            )
        # glmnet divides the loss by n, and scales the penalty factors so that their sum is the number of columns.
        # From 1 on there are no shifts; the first lambda, which is infinite, is called 1.
        lams = np.minimum(found.lambdas * (n_rows + n_columns), 1.0)
        return self._models([{"lam": float(lam)} for lam in lams], found)

    def fit_settings(self, grid, X, y):
        """One fit for each setting of `alpha` and `lam`; theta has an L1 penalty."""
        self._check_penalty("l1")
        n_rows = len(y)
        alphas = [check_number("alpha", one.get("alpha", self.alpha), above=0.0) / n_rows for one in grid]
        lams = [check_number("lam", one.get("lam", self.lam), above=0.0) / n_rows for one in grid]
        _, _, found = self._ask(X, y, alphas, lams)
        failed = np.count_nonzero(found.errors)
        if failed:
            self._warn(f"glmnet did not converge for {failed} of {len(grid)} settings, and returned zeros for them")
        return self._models(grid, found)

    def _check_penalty(self, *wanted):
        if self.penalty not in wanted:
            raise ValueError(f"penalty={self.penalty!r}: must be None (glmnet's own path) or 'l1' (given alpha, lam)")

    def _ask(self, X, y, alphas, lams):
        """(rows, columns, solutions); penalties are per example, as glmnet has them."""
        X, signs, _ = self._check_data(X, y, None)
        X = X.toarray() if sparse.issparse(X) else X
        about = np.array([*X.shape, *self._check_limits()])
        request = [about, X.ravel(order="F"), signs > 0.0, np.array(alphas), np.array(lams)]
        errors, lambdas, intercepts, coefs, shifts = _r_process.ask(SCRIPT, request)
        rows = (len(lambdas), -1)
        return *X.shape, Solutions(errors, lambdas, intercepts, coefs.reshape(rows), shifts.reshape(rows))

    def _models(self, grid, found):
        """A fitted model for each solution."""
        models = []
        for k, params in enumerate(grid):
            model = clone(self).set_params(**params)
            model.classes_, model.n_features_in_ = self.classes_, self.n_features_in_
            model._keep(found.coefs[k], found.intercepts[k])
            model.shifts_ = found.shifts[k]
            model.not_converged_ = float(np.mean(found.errors != 0.0))
            models.append(model)
        return models
