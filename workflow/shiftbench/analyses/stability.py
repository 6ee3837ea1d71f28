"""How often each example has a shift, over bootstrap resamples of the training set."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
from shiftlr import methods


def stability(
    X: Any,
    labels: np.ndarray,
    ids: np.ndarray,
    suspected: np.ndarray,
    params: dict[str, float],
    resamples: int,
    seed: int = 0,
) -> pd.DataFrame:
    """The share of the resamples that an example is in, in which the robust model shifts it.

    `params` are those of the robust model with the L1 penalty; `suspected` says which examples others suspect.
    """
    rng = np.random.default_rng(seed)
    n = len(labels)
    drawn, shifted = np.zeros(n), np.zeros(n)
    model = methods.load("robust")(penalty="l1", **params)
    for _ in range(resamples):
        counts = np.bincount(rng.integers(n, size=n), minlength=n)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # with more genes than tissues every weak penalty warns
            model.fit(X, labels, sample_weight=counts)
        drawn += counts > 0
        shifted += (counts > 0) & model.suspected(X, labels)
    return pd.DataFrame({"sample": ids, "suspect": suspected, "share": shifted / np.maximum(drawn, 1.0)})
