"""Prefiltering by an oracle: neighbours vote with their true labels, which no user knows."""

from shiftlr.methods.base import on_one_blas_thread
from shiftlr.methods.prefilter import PrefilteredLogisticRegression


class OraclePrefilter(PrefilteredLogisticRegression):
    """Prefiltering that looks up the true labels of an example's neighbours. A bound, not a method.

    The example itself still has the label that was given. The fit is to the given labels of the examples kept, and the
    setting is chosen on given labels too.

    Parameters
    ----------
    All : as in `PrefilteredLogisticRegression`
    """

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None, neighbours=None, truth=None):
        """Filter by the true labels `truth`, then fit to the given labels of what is left."""
        if truth is None:
            raise ValueError("truth=None: the oracle needs the true labels; use it on data whose truth is known")
        return self._filter_and_fit(X, y, sample_weight, neighbours, truth)
