"""Appendix B: does the flipping model learn to flip once it has fewer features to explain wrong labels with?"""

from typing import Any

import numpy as np
import pandas as pd

from shiftlr import methods
from shiftlr.datasets.words import Words
from shiftlr.metrics import scores

COLUMNS = ("share", "features", "draw", "model", "f1", "flip_to_person", "flip_to_other")


def thin(words: Words, alpha: float, ner: dict[str, Any]) -> pd.DataFrame:
    """Standard and flipping on random parts of the features, several draws of each size."""
    rows = []
    for share in ner["thinning"]["shares"]:
        for draw in range(ner["thinning"]["draws"] if share < 1.0 else 1):
            rng = np.random.default_rng([ner["seed"], round(1e6 * share), draw])
            m = words.X.shape[1]
            columns = np.sort(rng.choice(m, max(1, round(share * m)), replace=False))
            X, X_test = words.X[:, columns], words.X_test[:, columns]
            for name in ("standard", "flipping"):
                tol = ner["tol"] if name == "standard" else ner["thinning"]["em_tol"]
                model = methods.load(name)(penalty="l2", alpha=alpha, tol=tol).fit(X, words.labels)
                f1 = scores(model.predict(X_test) == 1, words.truth_test == 1).f1
                flips = model.flip_probabilities_ if name == "flipping" else np.full((2, 2), np.nan)
                rows.append((share, len(columns), draw, name, f1, flips[0, 1], flips[1, 0]))
    return pd.DataFrame(rows, columns=list(COLUMNS))
