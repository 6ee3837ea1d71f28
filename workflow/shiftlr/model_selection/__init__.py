"""Choosing hyper-parameters: grids, a development set, folds, and the report's two procedures."""

from shiftlr.model_selection.grids import alpha_grid, collect_fits, fit_grid, lam_grid
from shiftlr.model_selection.tuning import (
    ShareLimit,
    Tuning,
    choose,
    first_procedure,
    fold_scores,
    second_procedure,
    tune_by_folds,
    tune_on_dev,
)

__all__ = [
    "ShareLimit",
    "Tuning",
    "alpha_grid",
    "choose",
    "collect_fits",
    "first_procedure",
    "fit_grid",
    "fold_scores",
    "lam_grid",
    "second_procedure",
    "tune_by_folds",
    "tune_on_dev",
]
