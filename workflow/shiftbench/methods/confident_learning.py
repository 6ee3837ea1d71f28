"""Confident learning (Northcutt, Jiang and Chuang 2021) as cleanlab has it: which labels look wrong."""

import numpy as np
from shiftlr.methods.standard import StandardLogisticRegression
from shiftlr.validation import check_number, check_seed
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, cross_val_predict


class ConfidentLearning(StandardLogisticRegression):
    """Standard logistic regression that suspects labels by its own held-out probabilities.

    Parameters
    ----------
    n_splits : int
        Folds of the held-out probabilities; groups are never split.
    random_state : int
        Seed of the folds.
    Others : as in `StandardLogisticRegression`
    """

    def __init__(
        self, penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000, n_splits=5, random_state=0
    ):
        super().__init__(penalty, alpha, fit_intercept, tol, max_iter)
        self.n_splits = n_splits
        self.random_state = random_state

    def check_params(self):
        check_seed("random_state", self.random_state)
        return super().check_params() | {"n_splits": check_number("n_splits", self.n_splits, at_least=2, integer=True)}

    def fit(self, X, y, sample_weight=None, groups=None):
        """Fit to all examples, and to the folds for the held-out probabilities."""
        from cleanlab.filter import find_label_issues
        from cleanlab.rank import get_label_quality_scores

        self.check_params()
        super().fit(X, y, sample_weight)
        kind = StratifiedKFold if groups is None else StratifiedGroupKFold
        folds = kind(self.n_splits, shuffle=True, random_state=self.random_state)
        shared = {name: getattr(self, name) for name in ("penalty", "alpha", "fit_intercept", "tol", "max_iter")}
        model, codes = StandardLogisticRegression(**shared), np.searchsorted(self.classes_, y)
        chances = cross_val_predict(model, X, codes, groups=groups, cv=folds, method="predict_proba", n_jobs=1)
        self.called_ = find_label_issues(codes, chances, filter_by="confident_learning", n_jobs=1)
        self.quality_ = get_label_quality_scores(codes, chances, method="normalized_margin")
        return self

    def suspicion(self, X, y):
        """Labels that are called errors come first, then those of low quality."""
        return self.called_ - self.quality_

    def suspected(self, X, y):
        """Labels that are called errors."""
        return self.called_
