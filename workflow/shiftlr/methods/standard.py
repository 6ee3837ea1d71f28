"""Standard logistic regression: the robust model with shifts too dear to use."""

from shiftlr.methods.base import LogisticClassifier, on_one_blas_thread


class StandardLogisticRegression(LogisticClassifier):
    """Logistic regression: minimises sum_i w_i log(1 + exp(-s_i (x_i.theta + b))) + penalty(theta).

    Parameters and attributes as in `RobustLogisticRegression`, without `lam` and shifts.
    """

    path_parameters = ("alpha",)

    def __init__(self, penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and two-valued labels y."""
        X, signs, weights = self._check_data(X, y, sample_weight)
        self._fit_logistic(X, signs, weights)
        return self
