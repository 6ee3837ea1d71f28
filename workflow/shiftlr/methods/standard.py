"""Standard logistic regression: the robust model with shifts too dear to use."""

from shiftlr.methods.base import LogisticClassifier, on_one_blas_thread, signs_of_two


class StandardLogisticRegression(LogisticClassifier):
    """Logistic regression: minimises sum_i w_i log(1 + exp(-s_i (x_i.theta + b))) + penalty(theta).

    With more than two classes, sum_i w_i (log(sum_c exp(z_ic)) - z_iy) + penalty(all rows of theta), z = X theta' + b.

    Parameters and attributes as in `RobustLogisticRegression`, without `lam` and shifts.
    """

    path_parameters = ("alpha",)
    takes_many_classes = True

    def __init__(self, penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and labels y of two or more classes."""
        X, codes, weights = self._check_classes(X, y, sample_weight)
        if len(self.classes_) == 2:
            self._fit_logistic(X, signs_of_two(codes), weights)
        else:
            self._fit_softmax(X, codes, weights)
        return self
