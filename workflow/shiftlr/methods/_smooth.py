"""Smooth losses of the margin that are not concave in the log loss: descents by Newton's method in a trust region."""

from abc import abstractmethod

from shiftlr.methods._nonconvex import NonConvexClassifier, Run
from shiftlr.solvers.smooth import Smooth


class SmoothClassifier(NonConvexClassifier):
    """A classifier that gives its loss and two derivatives (`_terms`)."""

    @abstractmethod
    def _terms(self, margins):
        """The `Terms` of margins."""

    def check_params(self):
        params = super().check_params()
        if params["penalty"] == "l1":
            raise ValueError(
                f"penalty={self.penalty!r}: {type(self).__name__} needs a smooth penalty; use penalty='l2', or "
                "GeneralizedCrossEntropyRegression, which takes 'l1'"
            )
        return params

    def _objective(self, data, start):
        return float(data.weights @ self._terms(data.margins(start)).values) + data.penalty_at(start)

    def _first_start(self, data):
        return data.convex_fit()[0]

    def _descend(self, data, start):
        params = data.params
        problem = Smooth(data.X, data.signs, data.weights, params["alpha"], params["fit_intercept"], self._terms)
        return Run(*problem.descend(start, params["tol"], params["max_iter"]))
