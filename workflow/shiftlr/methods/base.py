"""What all methods share: classes, weights, intercepts, and checks at the door."""

import math
from functools import wraps

import numpy as np
from scipy import sparse
from scipy.special import expit, log_expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from shiftlr.blas_threads import one_blas_thread
from shiftlr.labels import are_equal, read_labels
from shiftlr.methods._doubting import LabelDoubter, predicted
from shiftlr.methods._many_classes import log_probabilities, make_softmax, probabilities, scores_of
from shiftlr.methods._suspects import index_of
from shiftlr.methods._warn import warn_caller
from shiftlr.solvers.optimality import EPS, objective_at, rounding_of_scores
from shiftlr.solvers.path import is_known_to_have_minimum
from shiftlr.solvers.problem import make_problem
from shiftlr.solvers.separability import are_separable, is_separable
from shiftlr.validation import (
    check_classes,
    check_flag,
    check_number,
    check_penalty,
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

LOST_IN_ROUNDING = 1e-6  # a solver that stops by itself above tol, but below this, has done what floating point allows
_BLAS_NEVER_SPLITS = 2048  # arrays below this size; asking for one thread costs a tenth of a fit of that size


def on_one_blas_thread(fit):
    """Decorator: BLAS splits sums among its threads, and the last bits with them; no fit may depend on their number."""

    @wraps(fit)
    def fit_on_one_thread(*args, **kwargs):
        sizes = [given.size for given in (*args, *kwargs.values()) if isinstance(given, np.ndarray) and given.ndim == 2]
        if sizes and max(sizes) < _BLAS_NEVER_SPLITS:
            return fit(*args, **kwargs)
        with one_blas_thread():
            return fit(*args, **kwargs)

    return fit_on_one_thread


def signs_of_two(codes):
    """+1 for the second class, -1 for the first."""
    return 2.0 * codes - 1.0


def codes_of(signs):
    """The place of each label in `classes_`, from its sign."""
    return (signs > 0.0).astype(int)


def largest_optimality(tol, n_iters, max_iter):
    """What `optimality_` may be after so many iterations, without a warning."""
    return np.where(n_iters >= max_iter, tol, max(tol, LOST_IN_ROUNDING))


class LinearClassifier(LabelDoubter, ClassifierMixin, BaseEstimator):
    """A classifier by x.coef_ + intercept_: of two classes by its sign, of more by the largest.

    With two classes there is one row of coefficients, with more there is one for each class. A method that takes more
    than two says so by `takes_many_classes`.

    Every method says which labels look wrong: see `LabelDoubter`.
    """

    takes_many_classes = False

    def _check_data(self, X, y, sample_weight):
        """Checked features, signs (+1 for the second of two classes, -1 for the first) and weights; sets `classes_`."""
        X, codes, weights = self._check_classes(X, y, sample_weight)
        check_two_classes(self.classes_)
        return X, signs_of_two(codes), weights

    def _check_classes(self, X, y, sample_weight):
        """Checked features, the place of each label in `classes_`, which it sets, and weights."""
        self._index = index_of(X)
        if is_plain_features(X) and is_plain_labels(y, len(X)):
            self.n_features_in_ = X.shape[1]
            if "feature_names_in_" in vars(self):  # from an earlier fit; an array has no names
                del self.feature_names_in_
        else:
            y = None if y is None else read_labels(y)
            countable = y if y is None or y.dtype.kind in "biufc" else np.zeros(len(y))
            X, _ = validate_data(self, X, countable, accept_sparse="csr", dtype=np.float64)
            check_classification_targets(countable)
            X = each_entry_once(X)
        weights = check_weights(sample_weight, X)
        self.classes_, codes = check_classes(y, None if sample_weight is None else weights)
        if not self.takes_many_classes:
            check_two_classes(self.classes_)
        return X, codes, weights

    def check_params(self):
        """The parameters as `fit` uses them, by name, or a ValueError that names one that is not allowed.

        Needs no data: so a grid can be checked before anything is fitted.
        """
        tol, max_iter = self._check_stopping()
        return {"fit_intercept": bool(self.fit_intercept), "tol": tol, "max_iter": max_iter}

    def _check_stopping(self):
        check_flag("fit_intercept", self.fit_intercept)
        max_iter = check_number("max_iter", self.max_iter, at_least=1, integer=True)
        return check_number("tol", self.tol, above=0.0), min(max_iter, 2**31)  # kernels count in 64 bits

    def _check_features(self, X):
        """Features that go with those of the fit, as an array or CSR matrix of floats."""
        plain = is_plain_features(X)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False, skip_check_array=plain)

    def decision_function(self, X):
        """x.coef_ + intercept_ for each row: positive for the second of two classes; (n, C) for more than two."""
        check_is_fitted(self)
        return self._scores(self._check_features(X))

    def _scores(self, X):
        """The decision function of checked features."""
        if len(self.coef_) > 1:
            return scores_of(X, self.coef_, self.intercept_)
        return X @ self.coef_.ravel() + self.intercept_[0]

    def predict(self, X):
        """The class of each row."""
        places = self._places(X)
        return self.classes_[places]

    def _places(self, X):
        """The place in `classes_` of each row's class."""
        return predicted(self.decision_function(X))

    def score(self, X, y, sample_weight=None):
        """Share of the rows that get the label they have, by weight: scikit-learn's accuracy, for any kind of label."""
        places = self._places(X)
        y = read_labels(y)
        check_consistent_length(places, y, sample_weight)
        right = np.zeros(len(places), dtype=bool)
        for place, label in enumerate(self.classes_):
            right |= (places == place) & are_equal(y, label)
        return float(np.average(right, weights=sample_weight))

    def _keep(self, coef, intercept):
        """`coef_` (1, m) and `intercept_` (1,), or (C, m) and (C,), as scikit-learn's linear classifiers have them."""
        self.coef_ = np.ascontiguousarray(coef).reshape(np.size(intercept), -1)
        self.intercept_ = np.array(intercept, dtype=float).reshape(-1)

    def _margins(self, X, signs):
        return signs * (X @ self.coef_.ravel() + self.intercept_[0])

    def _warn(self, message):
        warn_caller(f"{type(self).__name__}: {message}", ConvergenceWarning)

    def _check_finite(self, X):
        """A ValueError if the fit overflowed."""
        if math.isfinite(self.objective_ + np.add.reduce(self.intercept_) + np.add.reduce(self.coef_, axis=None)):
            return
        learned = (self.coef_, self.intercept_, self.objective_)  # each of them may be finite, and the sum not
        if not all(np.isfinite(part).all() for part in learned):
            sizes = abs(X).max(axis=0)
            sizes = sizes.toarray().ravel() if sparse.issparse(X) else sizes
            least, most = sizes[sizes > 0.0].min(initial=np.inf), sizes.max()
            raise ValueError(
                f"{type(self).__name__}: the fit left the range of floating-point numbers; the largest values of the "
                f"columns of X lie between {least:.1e} and {most:.1e}. Scale the features, for example by "
                "sklearn.preprocessing.StandardScaler."
            )

    def _warn_if_rounded(self, X, as_kept, slopes, largest_score=np.inf):
        """A warning if the coefficients, in the units of the features, can't hold the minimum that was found.

        `slopes` is by how much the objective may change if all scores change by 1; no score, all terms taken as
        positive, is above the largest (but for the intercept). Where that proves that nothing is lost, no row is read.
        """
        off, allowed = abs(as_kept - self.objective_), LOST_IN_ROUNDING * abs(self.objective_)
        if off <= allowed and slopes * EPS * (largest_score + abs(float(self.intercept_[0]))) <= allowed:
            return
        rounding = slopes * rounding_of_scores(X, self.coef_.ravel(), self.intercept_[0])
        if not max(off, rounding) <= allowed:
            self._warn(
                f"rounding: coef_ and intercept_ give the objective {as_kept:.9g} where the minimum is "
                f"{self.objective_:.9g}. The features have offsets or values too large for their differences; centre "
                "and scale them, for example by sklearn.preprocessing.StandardScaler."
            )

    def _warn_if_not_converged(self, tol):
        if self.optimality_ <= tol:  # the usual case
            return
        if not self.optimality_ <= largest_optimality(tol, self.n_iter_, self.max_iter):  # nor is NaN
            self._warn(
                f"stopped after {self.n_iter_} iterations (max_iter={self.max_iter}) with optimality "
                f"{self.optimality_:.2e}, above tol={tol:.2e}; raise max_iter or tol, or scale the features."
            )

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = self.takes_many_classes
        tags.input_tags.sparse = True
        return tags


class LogisticClassifier(LinearClassifier):
    """A linear classifier whose decision function is the log-odds of the second class, or the logits of all."""

    def _is_one_vs_all(self):
        """Whether the scores of many classes are log-odds of each against the rest."""
        return False

    def _price_of_shifts(self):
        """`lam` of the profiled loss; 1 or more means no shifts."""
        return 1.0

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.penalty == "l1" and not self._is_one_vs_all():  # there is no solver for more classes at once
            tags.classifier_tags.multi_class = False
        return tags

    def check_params(self):
        penalty, alpha = check_penalty(self.penalty, self.alpha)
        return super().check_params() | {"penalty": penalty, "alpha": alpha, "lam": self._price_of_shifts()}

    def _fit_logistic(self, X, signs, weights):
        """Fit the profiled logistic loss with the estimator's own penalty and stopping rule."""
        params = self.check_params()
        problem = make_problem(X, signs, weights, params["penalty"], params["fit_intercept"])
        path = problem.path(np.array([params["alpha"]]), np.array([params["lam"]]), params["tol"], params["max_iter"])
        self._keep_solution(path, 0, X, signs, weights)

    def _fit_softmax(self, X, codes, weights, shift="label"):
        """The same for more than two classes; returns their scores."""
        params = self.check_params()
        penalty, n_classes = params["penalty"], len(self.classes_)
        problem = make_softmax(X, codes, weights, n_classes, penalty, params["fit_intercept"], shift)
        path = problem.path(np.array([params["alpha"]]), np.array([params["lam"]]), params["tol"], params["max_iter"])
        return self._keep_classes(path, 0, X, codes, weights)

    def _keep_classes(self, path, k, X, codes, weights):
        """Take over the k-th solution of a path of more than two classes, warn where it is none; returns the scores."""
        self._keep(path.coefs[k], path.intercepts[k])
        self.n_iter_ = int(path.n_iters[k])
        self.objective_ = float(path.objectives[k])
        self.optimality_ = float(path.optimalities[k])
        self._check_finite(X)
        scores = scores_of(X, self.coef_, self.intercept_)
        given = X, codes, weights, self.fit_intercept, scores, self._price_of_shifts(), self.tol
        if self.alpha == 0.0 and are_separable(*given):
            self._warn(SEPARABLE)
        else:
            self._warn_if_not_converged(self.tol)
        self._remember(scores, codes, weights)
        return scores

    def _keep_solution(self, path, k, X, signs, weights):
        """Take over the k-th solution of a path, warn where it is none, and return its margins."""
        self._keep(path.coefs[k], path.intercepts[k])
        self.n_iter_ = int(path.n_iters[k])
        self.objective_ = float(path.objectives[k])
        self.optimality_ = float(path.optimalities[k])
        self._check_finite(X)
        margins = getattr(path, "margins", None)
        if margins is None:
            margins = self._margins(X, signs)
        lam = self._price_of_shifts()
        may_be_separable = self.alpha == 0.0 and not is_known_to_have_minimum(path, k)
        if may_be_separable and is_separable(X, signs, weights, self.fit_intercept, margins, lam, self.tol):
            self._warn(SEPARABLE)
        else:
            self._warn_if_not_converged(self.tol)
            given = margins, weights, lam, self.penalty, self.alpha, path.coefs[k]
            as_kept, slopes, sizes = objective_at(*given)
            extent = getattr(path, "extent", np.inf)  # the largest value in X, where it is known
            largest_score = extent * sizes if extent < np.inf else np.inf
            self._warn_if_rounded(X, as_kept, slopes, largest_score)
        self._remember(signs * margins, codes_of(signs), weights)
        return margins

    def predict_proba(self, X):
        """Probability of each class, columns in the order of `classes_`."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return probabilities(scores, self._is_one_vs_all())
        return np.column_stack([expit(-scores), expit(scores)])

    def predict_log_proba(self, X):
        """Logarithm of `predict_proba`, without underflow."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return log_probabilities(scores, self._is_one_vs_all())
        return np.column_stack([log_expit(-scores), log_expit(scores)])
