"""Hard shifts: an L0 price on each example's shift, which truncates the log loss."""

import numpy as np
from scipy.special import log_expit

from shiftlr.methods._majorised import MajorisedClassifier
from shiftlr.validation import check_number

_LEAST_PRICE = 0.01  # of shifts, at the start


class HardShiftLogisticRegression(MajorisedClassifier):
    """Logistic regression in which an example may be shifted as far as it likes, at a fixed price.

    Minimises  sum_i w_i min(l_i, c) + penalty(theta)  with the log loss l_i = log(1 + exp(-s_i (x_i.theta + b))): what
    is left of  sum_i w_i (log(1 + exp(-s_i (x_i.theta + b + shift_i))) + c [shift_i != 0]) + penalty(theta)  once the
    shifts are gone, as in She and Owen's Theta-IPOD with hard thresholds. An example is left out where its loss is at
    least `c`, so logistic fits to the examples with a smaller loss lower the objective until these stay the same. The
    first descent begins at the convex fit with shifts, `RobustLogisticRegression`, at  lam = max(exp(-c), 0.01), the
    probability of a label at which its example is left out: in simulations the minima found from there are among the
    lowest for every `c`. If that would leave out a whole class, another descent begins at the standard fit. If `c` is
    above every loss, this is the standard fit.

    Parameters
    ----------
    c : float > 0
        Price of a shift, and the most that an example can cost. At log(2) those are left out that the model
        contradicts; above it, those to whose label it gives less than the probability exp(-c).
    penalty, alpha, fit_intercept : as in `RobustLogisticRegression`
    n_init : int
        Number of descents, of which the best is kept. Those after the first begin at standard fits to randomly
        weighted examples.
    tol : float > 0
        Tolerance of each logistic fit, as in `RobustLogisticRegression`.
    max_iter : int
        Most logistic fits of a descent.
    random_state : int, RandomState or None

    Attributes
    ----------
    shifts_ : (n_examples,)
        Of the examples that are left out, by how much their score would have to move for a loss of `c`: positive for
        one labelled as the second class, negative for the first. The others have 0.
    objectives_ : list of float
        The objective at the start and after each iteration of the best descent; it never increases.
    objective_ : float
        The last of them.
    coef_, intercept_, classes_, n_features_in_, n_iter_, optimality_ : as in `RobustLogisticRegression`

    Examples
    --------
    >>> import numpy as np
    >>> from shiftlr import HardShiftLogisticRegression
    >>> X = np.array([[-3.0], [-2.5], [-2.0], [-1.0], [1.0], [2.0], [2.5], [3.0], [-4.0]])
    >>> y = np.array(["no"] * 4 + ["yes"] * 5)  # the last one looks like a "no"
    >>> HardShiftLogisticRegression(c=2.0, penalty="l2", alpha=0.1).fit(X, y).suspected(X, y)
    array([False, False, False, False, False, False, False, False,  True])
    """

    grid = {"c": [8.0, 5.0, 3.0, 2.5, 2.0, 1.5, 1.0]}  # noqa: RUF012
    _is_smooth = False
    _way_out_of_losing = "use a larger c."

    def __init__(
        self,
        c=3.0,
        penalty=None,
        alpha=0.0,
        fit_intercept=True,
        n_init=1,
        tol=1e-8,
        max_iter=1000,
        random_state=None,
    ):
        self.c = c
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def check_params(self):
        return super().check_params() | {"c": check_number("c", self.c, above=0.0)}

    def _first_start(self, data):
        return data.convex_fit(lam=max(np.exp(-data.params["c"]), _LEAST_PRICE))[0]

    def _losses(self, data, log_probabilities):
        return np.minimum(-log_probabilities, data.params["c"])

    def _shares(self, data, log_probabilities):
        return (-log_probabilities < data.params["c"]).astype(float)

    def _keep_run(self, data, run):
        super()._keep_run(data, run)
        margins, c = data.margins(run.start), data.params["c"]
        at_c = -c - np.log(-np.expm1(-c))  # the margin with a loss of c
        self.shifts_ = np.where(-log_expit(margins) < c, 0.0, data.signs * (at_c - margins))

    def suspicion(self, X, y):
        """The log loss of each label."""
        return -log_expit(self._signed_scores(X, y))

    def suspected(self, X, y):
        """Which labels have a log loss of `c` or more: of the training set, those of the examples left out."""
        return self.suspicion(X, y) >= self.c
