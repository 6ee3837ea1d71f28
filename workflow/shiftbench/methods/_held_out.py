"""What methods share that find wrong labels by scores of models that have not seen these labels."""

import numpy as np
from shiftlr.methods.robust import RobustLogisticRegression
from shiftlr.model_selection import alpha_grid
from shiftlr.suspects import LabelErrors, find_label_errors
from shiftlr.validation import check_number, check_seed
from sklearn.base import BaseEstimator, ClassifierMixin


class HeldOutFinder(ClassifierMixin, BaseEstimator):
    """Finds wrong labels by the held-out scores of the robust model; it predicts as that model, fitted to all examples.

    Which penalty is kept, and so the scores, are those of `shiftlr.find_label_errors`: with the same data and the same
    `random_state` all methods that derive from this one judge the same scores.

    Parameters
    ----------
    lam : float
        Price of a shift.
    alphas : list of float
        Strengths of the L2 penalty to choose from.
    tol : float
        Of the fits.
    n_splits, n_repeats : int
        Folds, and how often they are drawn; see `shiftlr.find_label_errors`. Groups are never split.
    random_state : int
        Seed of the folds.

    Attributes
    ----------
    found_ : LabelErrors
    suspicion_, suspected_ : (n_examples,)
    """

    def __init__(self, lam=0.1, alphas=(10.0, 1.0, 0.1), tol=1e-5, n_splits=5, n_repeats=None, random_state=0):
        self.lam = lam
        self.alphas = alphas
        self.tol = tol
        self.n_splits = n_splits
        self.n_repeats = n_repeats
        self.random_state = random_state

    def check_params(self):
        """The parameters, or a ValueError that names one that is not allowed."""
        check_seed("random_state", self.random_state)
        if not isinstance(self.alphas, list | tuple) or not self.alphas:
            raise ValueError(f"alphas={self.alphas!r}: must be a list of positive numbers")
        for alpha in self.alphas:
            check_number("alphas", alpha, above=0.0)
        if self.n_repeats is not None:
            check_number("n_repeats", self.n_repeats, at_least=1, integer=True)
        check_number("n_splits", self.n_splits, at_least=2, integer=True)
        return self._model().check_params()

    def fit(self, X, y, sample_weight=None, groups=None):
        """Fit to the folds and to all examples, and judge the labels."""
        self.check_params()
        self.found_ = find_label_errors(
            X,
            y,
            transformer=None,
            estimator=self._model(),
            grid=alpha_grid(self.alphas),
            n_splits=self.n_splits,
            n_repeats=self.n_repeats,
            groups=groups,
            sample_weight=sample_weight,
            random_state=self.random_state,
        )
        self.classes_ = self.found_.classes_
        self.suspicion_, self.suspected_ = self._judge(self.found_, np.searchsorted(self.classes_, y))
        return self

    def _model(self):
        return RobustLogisticRegression(lam=self.lam, penalty="l2", alpha=float(self.alphas[0]), tol=self.tol)

    def _judge(self, found: LabelErrors, codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(suspicion, who is suspected) by what was found of labels with these codes."""
        raise NotImplementedError

    def suspicion(self, X, y):
        """How wrong each training label looks."""
        return self.suspicion_

    def suspected(self, X, y):
        """Which training labels are called wrong."""
        return self.suspected_

    def predict(self, X):
        """The class of each row."""
        return self.found_.estimator_.predict(X)

    def decision_function(self, X):
        """The scores of each row."""
        return self.found_.estimator_.decision_function(X)
