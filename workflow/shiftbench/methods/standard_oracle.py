"""The standard model trained on the true labels, which no user has: what wrong labels cost is seen beside it."""

from shiftlr.methods.base import on_one_blas_thread
from shiftlr.methods.standard import StandardLogisticRegression


class OracleLogisticRegression(StandardLogisticRegression):
    """Logistic regression fitted to the true labels. A bound, not a method.

    Where its penalty is chosen on a development set, this has the labels that were given, as for other methods.

    Parameters
    ----------
    All : as in `StandardLogisticRegression`
    """

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None, truth=None):
        """Fit to the labels `truth` instead of y."""
        if truth is None:
            raise ValueError("truth=None: the oracle needs the true labels; use it on data whose truth is known")
        return super().fit(X, truth, sample_weight)
