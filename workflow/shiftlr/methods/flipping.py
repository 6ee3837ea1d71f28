"""The label-flipping model (Bootkrajang and Kaban 2012), trained by the EM of the report's appendix A.

A hidden true label z follows a logistic model; the label y that is seen is z, flipped with a probability that depends
on z alone. E-step: the probability that each label is wrong. M-step: the flip probabilities in closed form, and a
logistic regression on soft labels, for which the solver takes the doubts as a linear term instead of a second copy of
the data.
"""

import numpy as np
from scipy.special import expit, log_expit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from shiftlr.methods.base import SEPARABLE, LogisticClassifier, on_one_blas_thread
from shiftlr.solvers.problem import Start, make_problem
from shiftlr.validation import check_number, check_penalty

_SOLVER_STEPS = 1000  # at most, of an M-step


class FlippingLogisticRegression(LogisticClassifier):
    """Logistic regression on hidden true labels, of which some were flipped before they were seen.

    Maximises  sum_i w_i log(sum_z P(y_i | z) P(z | x_i)) - penalty(theta)  over theta, b and the flip probabilities. It
    is not convex: EM finds a local maximum, and `n_init` > 1 takes the best of several starts.

    Parameters
    ----------
    penalty, alpha, fit_intercept : as in `RobustLogisticRegression`
    initial_flip : float in (0, 0.5), or a pair of floats in [0, 0.5)
        Flip probability of both classes that the first start begins with, together with the standard fit; or that of
        the first class and that of the second. A probability of 0 stays 0.
    n_init : int
        Number of starts; those after the first draw flip probabilities and perturb the weights at random.
    tol : float > 0
        Stop when an iteration raises the log-likelihood per example by less than `tol`; the M-step's tolerance too.
    max_iter : int
        Most EM iterations of a start.
    random_state : int, RandomState or None

    Attributes
    ----------
    flip_probabilities_ : (2, 2)
        Row: true class, column: the class that is seen.
    doubts_ : (n_examples,)
        The probability that each training label is wrong.
    log_likelihoods_ : list of float
        Penalised log-likelihood of the observed labels after each iteration of the best start; it never decreases.
    coef_, intercept_, classes_, n_features_in_, n_iter_, objective_ : as in `RobustLogisticRegression`
    """

    def __init__(
        self,
        penalty=None,
        alpha=0.0,
        fit_intercept=True,
        initial_flip=0.2,
        n_init=1,
        tol=1e-8,
        max_iter=1000,
        random_state=None,
    ):
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.initial_flip = initial_flip
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and two-valued labels y."""
        penalty, alpha = check_penalty(self.penalty, self.alpha)
        tol, max_iter = self._check_stopping()
        flips = check_flips(self.initial_flip)
        n_init = check_number("n_init", self.n_init, at_least=1, integer=True)
        X, signs, weights = self._check_data(X, y, sample_weight)
        em = _EM(make_problem(X, signs, weights, penalty, bool(self.fit_intercept)), X, signs, weights, penalty, alpha)
        standard = em.m_step(None, None, tol)
        random = check_random_state(self.random_state)
        if alpha == 0.0 and em.margins(standard)[weights > 0.0].min() > 0.0:  # no maximum, and no need of flips
            best, n_init = em.state(standard, np.zeros(2)), 1
            self._warn(SEPARABLE)
        else:
            best = em.run(standard, flips, tol, max_iter)
        for _ in range(n_init - 1):
            spread = random.normal(size=X.shape[1]) * np.abs(standard.coef).mean()
            start = Start(standard.coef + spread, standard.intercept)
            state = em.run(start, random.uniform(0.02, 0.48, size=2), tol, max_iter)
            if state.log_likelihoods[-1] > best.log_likelihoods[-1]:
                best = state
        self._keep(best.start.coef, best.start.intercept)
        down, up = best.flips  # of the first class, of the second
        self.flip_probabilities_ = np.array([[1.0 - down, down], [up, 1.0 - up]])
        self.doubts_ = best.doubts
        self.log_likelihoods_ = best.log_likelihoods
        self.objective_ = -best.log_likelihoods[-1]
        self.n_iter_ = max(len(best.log_likelihoods) - 1, 1)
        if not best.converged:
            self._warn(f"EM stopped after max_iter={max_iter} iterations; raise max_iter or tol={tol:.1e}")
        return self

    def suspicion(self, X, y):
        """The probability that each training label is wrong; X and y are the training set."""
        check_is_fitted(self)
        self._check_training_set(X, y, len(self.doubts_))
        return self.doubts_.copy()

    def suspected(self, X, y):
        """Which training labels are more likely wrong than right; X and y are the training set."""
        return self.suspicion(X, y) > 0.5


def check_flips(initial_flip):
    """The two probabilities to start from, or a ValueError."""
    if np.ndim(initial_flip) == 0:
        flips = np.full(2, check_number("initial_flip", initial_flip, above=0.0))
    elif np.shape(initial_flip) == (2,):
        flips = np.array([check_number("initial_flip", one, at_least=0.0) for one in initial_flip])
    else:
        raise ValueError(f"initial_flip={initial_flip!r}: must be one number, or one for each class")
    if flips.max() >= 0.5:
        raise ValueError(f"initial_flip={initial_flip!r}: must be less than 0.5, or the classes change places")
    if flips.max() == 0.0:
        raise ValueError(f"initial_flip={initial_flip!r}: one must be above 0, or no label is ever flipped")
    return flips


class _State:
    """Where one run of EM stands."""

    def __init__(self, start, flips, doubts, log_likelihood):
        self.start, self.flips, self.doubts = start, flips, doubts
        self.log_likelihoods = [log_likelihood]
        self.converged = True

    def mirror(self):
        """Exchange the names of the true classes: the same likelihood, with labels right more often than not."""
        self.start = Start(-self.start.coef, -self.start.intercept)
        self.flips, self.doubts = 1.0 - self.flips[::-1], 1.0 - self.doubts


class _EM:
    """The two steps on one prepared problem. `flips[c]` is the probability that a true label c is seen as the other."""

    def __init__(self, problem, X, signs, weights, penalty, alpha):
        self.problem, self.X, self.signs, self.weights = problem, X, signs, weights
        self.penalty, self.alpha = penalty, alpha
        self.seen = (signs > 0).astype(int)
        self.total = weights.sum()

    def run(self, start, flips, tol, max_iter):
        """Iterate until the log-likelihood stands still. An iteration that lowers it, by rounding, is not taken."""
        state = self.state(start, flips)
        state.converged = False
        for _ in range(max_iter):
            flips = self.flips_given(state.doubts)
            start = self.m_step(state.start, state.doubts, tol)
            log_likelihood, doubts = self.e_step(start, flips)
            gain = log_likelihood - state.log_likelihoods[-1]
            if gain >= 0.0:
                state.start, state.flips, state.doubts = start, flips, doubts
                state.log_likelihoods.append(log_likelihood)
            if gain <= tol * self.total:
                state.converged = True
                break
        if state.flips.sum() > 1.0:
            state.mirror()
        return state

    def state(self, start, flips):
        """Where EM stands at given weights and flip probabilities."""
        log_likelihood, doubts = self.e_step(start, flips)
        return _State(start, flips, doubts, log_likelihood)

    def margins(self, start):
        return self.signs * (self.X @ start.coef + start.intercept)

    def e_step(self, start, flips):
        """(Penalised log-likelihood of the labels seen, probability that each is wrong)."""
        margins = self.margins(start)
        log_right = log_expit(margins) + _log(1.0 - flips)[self.seen]
        log_wrong = log_expit(-margins) + _log(flips)[1 - self.seen]
        log_seen = np.logaddexp(log_right, log_wrong)
        return self.weights @ log_seen - self.penalty_of(start.coef), expit(log_wrong - log_right)

    def flips_given(self, doubts):
        """The M-step's closed form: the expected share of each true class that was flipped."""
        flips = np.empty(2)
        for true in (0, 1):
            flipped = (self.weights * doubts)[self.seen != true].sum()
            kept = (self.weights * (1.0 - doubts))[self.seen == true].sum()
            flips[true] = flipped / (flipped + kept) if flipped + kept > 0.0 else 0.0
        return flips

    def m_step(self, start, doubts, tol):
        """Logistic regression on labels that are wrong with probability `doubts`."""
        path = self.problem.path(np.array([self.alpha]), np.array([1.0]), tol, _SOLVER_STEPS, start, doubts)
        return Start(path.coefs[0], float(path.intercepts[0]))

    def penalty_of(self, coef):
        if self.penalty is None:
            return 0.0
        return self.alpha * (np.abs(coef).sum() if self.penalty == "l1" else 0.5 * (coef @ coef))


def _log(probabilities):
    """Logarithms with log(0) = -inf and no warning: a flip probability may become 0 exactly."""
    with np.errstate(divide="ignore"):
        return np.log(probabilities)
