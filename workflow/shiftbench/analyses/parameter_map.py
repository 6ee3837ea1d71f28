"""What the robust model suspects for every pair of its parameters: how much hangs on their choice."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from shiftlr import methods
from shiftlr.model_selection import fit_grid

COLUMNS = ("kappa", "lam", "hits", "false_positives", "as_published", "nonzero_genes")


def parameter_map(
    X: Any, labels: np.ndarray, suspected: np.ndarray, published: np.ndarray, grid: list[dict[str, float]]
) -> pd.DataFrame:
    """For every (alpha, lam) of the grid: how many suspects and how many others have a shift, whether those are the
    very ones that were published, and how many genes have a weight.

    `suspected` says which examples others suspect; alpha, of the L1 penalty, is called kappa in the report.
    """
    fits = fit_grid(methods.load("robust")(penalty="l1"), grid, X, labels)
    rows = []
    for k, setting in enumerate(grid):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # with more genes than tissues every weak penalty warns
            model = fits.estimator(k)
        has_shift = model.suspected(X, labels)
        hits, others = int((has_shift & suspected).sum()), int((has_shift & ~suspected).sum())
        same = bool(np.array_equal(has_shift, published))
        rows.append((setting["alpha"], setting["lam"], hits, others, same, int(np.count_nonzero(model.coef_))))
    return pd.DataFrame(rows, columns=list(COLUMNS))
