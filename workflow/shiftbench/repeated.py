"""Replicates of real data may differ in their folds alone: what is fitted to all examples is then the same for all."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from shiftlr import model_selection


class _Fitted(NamedTuple):
    """Fits of a grid, and all that they depend on."""

    kind: type
    params: dict[str, Any]
    grid: list[dict]
    X: np.ndarray
    y: np.ndarray
    fits: Any

    def serves(self, estimator: Any, grid, X, y) -> bool:
        return (
            estimator.get_params() == self.params
            and type(estimator) is self.kind
            and grid == self.grid
            and np.array_equal(X, self.X)
            and np.array_equal(y, self.y)
        )


_last: list[_Fitted] = []  # at most one, since replicates come one after the other


def fit_grid(estimator, grid, X, y, fit_params=None):
    """What `model_selection.fit_grid` gives, from memory if the last call had the same dense data and settings.

    Fits that warned are not kept: they are to warn again. Nor are those of estimators with random numbers.
    """
    simple = not sparse.issparse(X) and not fit_params and "random_state" not in estimator.get_params()
    if simple and _last and _last[0].serves(estimator, grid, X, y):
        return _last[0].fits
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fits = model_selection.fit_grid(estimator, grid, X, y, fit_params=fit_params)
    for one in caught:
        warnings.warn_explicit(one.message, one.category, one.filename, one.lineno)
    _last.clear()
    if simple and not caught:
        _last.append(_Fitted(type(estimator), estimator.get_params(), grid, X, y, fits))
    return fits
