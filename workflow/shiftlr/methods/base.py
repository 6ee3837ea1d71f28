"""What all methods share: two classes, a weight vector, an intercept, and checks at the door."""

import sys
import warnings
from functools import wraps
from types import FrameType

import numpy as np
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples, check_is_fitted, validate_data
from threadpoolctl import ThreadpoolController

from shiftlr.solvers.problem import make_problem
from shiftlr.solvers.separability import is_separable
from shiftlr.validation import (
    check_flag,
    check_number,
    check_penalty,
    check_signs,
    check_two_classes,
    check_weights,
    each_entry_once,
    is_plain_features,
    is_plain_labels,
)

SEPARABLE = (
    "the data are separable, so the unpenalised fit has no minimum; coef_ is finite but its length is arbitrary. "
    "Use penalty='l2' or 'l1' with alpha > 0."
)

_LOST_IN_ROUNDING = 1e-6  # a solver that stops by itself above tol, but below this, has done what floating point allows
_threads = ThreadpoolController()
_BLAS_NEVER_SPLITS = 2048  # arrays below this size; asking for one thread costs a tenth of a fit of that size


def warn_caller(message, category):
    """A warning that points at the line outside shiftlr which called it."""
    level = 1
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("shiftlr"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)


def on_one_blas_thread(fit):
    """Decorator: BLAS splits sums among its threads, and the last bits with them; no fit may depend on their number."""

    @wraps(fit)
    def fit_on_one_thread(*args, **kwargs):
        sizes = [given.size for given in (*args, *kwargs.values()) if isinstance(given, np.ndarray) and given.ndim == 2]
        if sizes and max(sizes) < _BLAS_NEVER_SPLITS:
            return fit(*args, **kwargs)
        with _threads.limit(limits=1, user_api="blas"):
            return fit(*args, **kwargs)

    return fit_on_one_thread


class LinearBinaryClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of two classes by the sign of x.coef_ + intercept_.

    Every method says how wrong each training label looks, by `suspicion` and `suspected`. A method with a view of its
    own on the labels (shifts, doubts, examples left out) overrides both.
    """

    def _check_data(self, X, y, sample_weight):
        """Checked features, signs (+1 for the second class, -1 for the first) and weights; sets `classes_`."""
        if is_plain_features(X) and is_plain_labels(y, len(X)):
            self.n_features_in_ = X.shape[1]
            if hasattr(self, "feature_names_in_"):  # from an earlier fit; an array has no names
                del self.feature_names_in_
        else:
            X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
            check_classification_targets(y)
            X = each_entry_once(X)
        weights = check_weights(sample_weight, X)
        self.classes_, signs = check_two_classes(y, weights)
        return X, signs, weights

    def _check_stopping(self):
        check_flag("fit_intercept", self.fit_intercept)
        max_iter = check_number("max_iter", self.max_iter, at_least=1, integer=True)
        return check_number("tol", self.tol, above=0.0), min(max_iter, 2**31)  # kernels count in 64 bits

    def _check_features(self, X):
        """Features that go with those of the fit, as an array or CSR matrix of floats."""
        plain = is_plain_features(X)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False, skip_check_array=plain)

    def decision_function(self, X):
        """x.coef_ + intercept_ for each row: positive for the second class of `classes_`."""
        check_is_fitted(self)
        X = self._check_features(X)
        return X @ self.coef_.ravel() + self.intercept_[0]

    def predict(self, X):
        """The class of each row."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0.0).astype(int)]

    def suspicion(self, X, y):
        """How wrong each training label looks: (n_examples,), larger means more suspicious.

        By default, how far the example lies on the wrong side of the boundary: minus its signed score.
        """
        return -self._signed_scores(X, y)

    def suspected(self, X, y):
        """Which training labels look wrong: (n_examples,) of bool. By default, those on the wrong side."""
        return self.suspicion(X, y) > 0.0

    def _signed_scores(self, X, y):
        """The decision function, negative where it contradicts the label."""
        scores = self.decision_function(X)
        return check_signs(y, self.classes_, len(scores)) * scores

    def _check_training_set(self, X, y, n_examples):
        """A ValueError unless X and y are as long as the training set: what `fit` learned of labels is about that."""
        rows, labels = _num_samples(X), _num_samples(y)
        if (rows, labels) != (n_examples, n_examples):
            raise ValueError(
                f"X has {rows} rows and y has {labels} labels: {type(self).__name__} knows of the {n_examples} "
                "examples that it was fitted to; pass the training set"
            )

    def _keep(self, coef, intercept):
        """`coef_` of shape (1, m) and `intercept_` of shape (1,), as scikit-learn's linear classifiers have them."""
        self.coef_ = np.ascontiguousarray(coef).reshape(1, -1)
        self.intercept_ = np.array([float(intercept)])

    def _margins(self, X, signs):
        return signs * (X @ self.coef_.ravel() + self.intercept_[0])

    def _warn(self, message):
        warn_caller(f"{type(self).__name__}: {message}", ConvergenceWarning)

    def _warn_if_not_converged(self, tol):
        if self.optimality_ > (tol if self.n_iter_ >= self.max_iter else max(tol, _LOST_IN_ROUNDING)):
            self._warn(
                f"stopped after {self.n_iter_} iterations (max_iter={self.max_iter}) with optimality "
                f"{self.optimality_:.2e}, above tol={tol:.2e}; raise max_iter or tol, or scale the features."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.sparse = True
        return tags


class LogisticClassifier(LinearBinaryClassifier):
    """A linear classifier whose decision function is the log-odds of the second class."""

    def _price_of_shifts(self):
        """`lam` of the profiled loss; 1 or more means no shifts."""
        return 1.0

    def _fit_logistic(self, X, signs, weights):
        """Fit the profiled logistic loss with the estimator's own penalty and stopping rule."""
        penalty, alpha = check_penalty(self.penalty, self.alpha)
        lam = self._price_of_shifts()
        tol, max_iter = self._check_stopping()
        problem = make_problem(X, signs, weights, penalty, bool(self.fit_intercept))
        path = problem.path(np.array([alpha]), np.array([lam]), tol, max_iter)
        self._keep_solution(path, 0, X, signs, weights)

    def _keep_solution(self, path, k, X, signs, weights):
        """Take over the k-th solution of a path, warn where it is none, and return its margins."""
        self._keep(path.coefs[k], path.intercepts[k])
        self.n_iter_ = int(path.n_iters[k])
        self.objective_ = float(path.objectives[k])
        self.optimality_ = float(path.optimalities[k])
        margins = self._margins(X, signs)
        lam = self._price_of_shifts()
        if self.alpha == 0.0 and is_separable(X, signs, weights, self.fit_intercept, margins, lam, self.tol):
            self._warn(SEPARABLE)
        else:
            self._warn_if_not_converged(self.tol)
        return margins

    def predict_proba(self, X):
        """Probability of each class, columns in the order of `classes_`."""
        scores = self.decision_function(X)
        return np.column_stack([expit(-scores), expit(scores)])

    def predict_log_proba(self, X):
        """Logarithm of `predict_proba`, without underflow."""
        scores = self.decision_function(X)
        return np.column_stack([log_expit(-scores), log_expit(scores)])
