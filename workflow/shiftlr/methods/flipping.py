"""The label-flipping model (Bootkrajang and Kaban 2012), trained by the EM of the report's appendix A.

A hidden true label z follows a logistic model; the label y that is seen is z, flipped with a probability that depends
on z alone. E-step: the probability that each label is wrong. M-step: the flip probabilities in closed form, and a
logistic regression on soft labels, for which the solver takes the doubts as a linear term instead of a second copy of
the data. Where the features say little about the labels EM is slow, and its gains look finished long before they are:
Newton's steps (`solvers/ascent.py`) finish what it has begun.
"""

import math

import numpy as np
from sklearn.utils.validation import check_is_fitted

from shiftlr.methods._flipping_classes import ClassesEM, flip_matrix
from shiftlr.methods.base import (
    LOST_IN_ROUNDING,
    SEPARABLE,
    LogisticClassifier,
    codes_of,
    on_one_blas_thread,
    signs_of_two,
)
from shiftlr.solvers.ascent import ANYWHERE, NEARBY, climb, newton_step
from shiftlr.solvers.marginal import Marginal
from shiftlr.solvers.path import Start
from shiftlr.solvers.problem import make_problem
from shiftlr.validation import check_number, check_seed

_SOLVER_STEPS = 1000  # at most, of an M-step
_LEFT_TO_GAIN = 3e-7  # of the log-likelihood, that EM may stop short of its maximum,
_LEFT_PER_EXAMPLE = 1e-4  # and at most this times the mean weight: less than chance can tell, however many examples
_FIRST_LOOK = 4  # iterations of EM before the first look at second derivatives
_LOOK_AGAIN = 1.5  # times as many until the next one
_SLOW = 0.8  # a gain of this times the one before


class FlippingLogisticRegression(LogisticClassifier):
    """Logistic regression on hidden true labels, of which some were flipped before they were seen.

    Maximises  sum_i w_i log(sum_z P(y_i | z) P(z | x_i)) - penalty(theta)  over theta, b and the flip probabilities. It
    is not convex: EM, finished by Newton's steps, finds a local maximum; `n_init` > 1 takes the best of several starts.

    Parameters
    ----------
    penalty, alpha, fit_intercept : as in `RobustLogisticRegression`
    initial_flip : float in (0, 0.5), or one in [0, 0.5) for each class
        Flip probability of all classes that the first start begins with, together with the standard fit; or that of
        the first class, of the second and so on. A probability of 0 stays 0. With more than two classes a label is
        flipped to each other class with the same probability, to begin with.
    n_init : int
        Number of starts; those after the first draw flip probabilities and perturb the weights at random.
    tol : float > 0
        Stop when an iteration raises the log-likelihood per example by less than `tol` and, at the rate of the last two
        iterations, all later ones would add less than 3e-7 of it; the M-step's tolerance too. Except with L1 or with
        more than 1000 columns (or than examples), second derivatives have to agree that no more than that is left to
        gain, nor more than 1e-4 times the mean weight.
    max_iter : int
        Most iterations of a start. The first four are EM's, later ones may be Newton's.
    random_state : int, RandomState or None

    Attributes
    ----------
    flip_probabilities_ : (n_classes, n_classes)
        Row: true class, column: the class that is seen.
    doubts_ : (n_examples,)
        The probability that each training label is wrong.
    log_likelihoods_ : list of float
        Penalised log-likelihood of the observed labels after each iteration of the best start; it never decreases.
    coef_, intercept_, classes_, n_features_in_, n_iter_, objective_ : as in `RobustLogisticRegression`
    """

    takes_many_classes = True

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

    def check_params(self):
        return super().check_params() | {
            "initial_flip": check_flips(self.initial_flip),
            "n_init": check_number("n_init", self.n_init, at_least=1, integer=True),
            "random_state": check_seed("random_state", self.random_state),
        }

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None):
        """Fit to features X (dense or sparse) and labels y of two or more classes."""
        params = self.check_params()
        X, codes, weights = self._check_classes(X, y, sample_weight)
        params["initial_flip"] = flips_of(params["initial_flip"], len(self.classes_))
        if len(self.classes_) == 2:
            self._fit_two(X, signs_of_two(codes), weights, params)
        else:
            self._fit_more(X, codes, weights, params)
        return self

    def _fit_two(self, X, signs, weights, params):
        penalty, alpha, tol, max_iter = (params[name] for name in ("penalty", "alpha", "tol", "max_iter"))
        flips, n_init, random = (params[name] for name in ("initial_flip", "n_init", "random_state"))
        intercept = params["fit_intercept"]
        marginal = Marginal(X, signs, weights, penalty, alpha, intercept)
        em = _EM(make_problem(X, signs, weights, penalty, intercept), marginal)
        standard = em.m_step(None, None, tol)
        unflipped = marginal.at(standard, np.zeros(2))
        if alpha == 0.0 and unflipped.margins[weights > 0.0].min() > 0.0:  # no maximum, and no need of flips
            best, n_init = _Run(unflipped), 1
            self._warn(SEPARABLE)
        else:
            best = em.run(standard, flips, tol, max_iter)
        for _ in range(n_init - 1):
            spread = random.normal(size=X.shape[1]) * np.abs(standard.coef).mean()
            start = Start(standard.coef + spread, standard.intercept)
            run = em.run(start, random.uniform(0.02, 0.48, size=2), tol, max_iter)
            if run.log_likelihoods[-1] > best.log_likelihoods[-1]:
                best = run
        down, up = best.point.flips  # of the first class, of the second
        self._keep_run(X, best, np.array([[1.0 - down, down], [up, 1.0 - up]]), best.point.doubts, tol, max_iter)
        self._remember(self._scores(X), codes_of(signs), weights)

    def _fit_more(self, X, codes, weights, params):
        """More than two classes."""
        penalty, alpha, tol, max_iter = (params[name] for name in ("penalty", "alpha", "tol", "max_iter"))
        n_classes, random = len(self.classes_), params["random_state"]
        em = ClassesEM(X, codes, weights, n_classes, penalty, alpha, params["fit_intercept"])
        standard = em.fit_weights(None, None, tol)
        starts = [(standard, params["initial_flip"])]
        if alpha == 0.0 and em.are_separated_by(standard):  # no maximum, and no need of flips
            starts = [(standard, np.zeros(n_classes))]
            self._warn(SEPARABLE)
        else:
            for _ in range(params["n_init"] - 1):
                spread = random.normal(size=standard.coef.shape) * np.abs(standard.coef).mean()
                start = Start(standard.coef + spread, standard.intercept)
                starts.append((start, random.uniform(0.02, 0.48, size=n_classes)))
        runs = [em.run(start, flip_matrix(flips), tol, max_iter, left_to_gain) for start, flips in starts]
        best = max(runs, key=lambda run: run.log_likelihoods[-1])
        if best.separated:
            self._warn(SEPARABLE)
        doubts = 1.0 - best.point.responsibilities[np.arange(len(codes)), codes]
        self._keep_run(X, best, best.point.flips, np.clip(doubts, 0.0, 1.0), tol, max_iter)
        self._remember(self._scores(X), codes, weights)

    def _keep_run(self, X, best, flips, doubts, tol, max_iter):
        """Take over the best run, and warn where it has not converged."""
        self._keep(best.point.start.coef, best.point.start.intercept)
        self.flip_probabilities_ = flips
        self.doubts_ = doubts
        self.log_likelihoods_ = best.log_likelihoods
        self.objective_ = -best.log_likelihoods[-1]
        self.n_iter_ = max(len(best.log_likelihoods) - 1, 1)
        self._check_finite(X)
        if not best.converged:
            self._warn(f"EM stopped after max_iter={max_iter} iterations; raise max_iter or tol={tol:.1e}")
        elif not best.optimality <= max(tol, LOST_IN_ROUNDING):
            self._warn(
                f"the last logistic fit of EM ended with optimality {best.optimality:.2e}, above tol={tol:.2e}, so the "
                "likelihood may be short of its maximum; scale the features."
            )

    def suspicion(self, X, y):
        """The probability that each training label is wrong; X and y are the training set."""
        check_is_fitted(self)
        self._check_training_set(X, y, len(self.doubts_))
        return self.doubts_.copy()

    def suspected(self, X, y):
        """Which training labels are more likely wrong than right; X and y are the training set."""
        return self.suspicion(X, y) > 0.5


def check_flips(initial_flip):
    """The probabilities to start from: one, or one for each of two or more classes; or a ValueError."""
    if np.ndim(initial_flip) == 0:
        flips = np.array([check_number("initial_flip", initial_flip, above=0.0)])
    elif np.ndim(initial_flip) == 1 and len(initial_flip) > 1:
        flips = np.array([check_number("initial_flip", one, at_least=0.0) for one in initial_flip])
    else:
        raise ValueError(f"initial_flip={initial_flip!r}: must be one number, or one for each class")
    if flips.max() >= 0.5:
        raise ValueError(f"initial_flip={initial_flip!r}: must be less than 0.5, or the classes change places")
    if flips.max() == 0.0:
        raise ValueError(f"initial_flip={initial_flip!r}: one must be above 0, or no label is ever flipped")
    return flips


def flips_of(flips, n_classes):
    """As many probabilities as there are classes, or a ValueError."""
    if len(flips) not in (1, n_classes):
        raise ValueError(
            f"initial_flip={flips.tolist()!r}: must be one number, or one for each class; y has {n_classes} classes"
        )
    return np.repeat(flips, n_classes) if len(flips) == 1 else flips


def left_to_gain(gain, before):
    """What a series of gains has still to bring if they go on shrinking as the last two did."""
    if gain <= 0.0:
        return 0.0
    return gain * gain / (before - gain) if gain < before < np.inf else np.inf


class _Run:
    """Where one run of EM stands."""

    def __init__(self, point):
        self.point = point
        self.log_likelihoods = [point.log_likelihood]
        self.converged = True
        self.optimality = 0.0  # of the last M-step

    def take(self, points):
        """Go on to the last of the points."""
        self.log_likelihoods += [point.log_likelihood for point in points]
        self.point = points[-1] if points else self.point


class _EM:
    """The two steps on one prepared problem."""

    def __init__(self, problem, marginal):
        self.problem, self.marginal = problem, marginal

    def run(self, start, flips, tol, max_iter):
        """Iterate until the log-likelihood stands still. An iteration that lowers it, by rounding, is not taken.

        From time to time the second derivatives are looked at: whether EM, which may be slow, has far to go. If it has,
        and is close enough to the maximum, Newton's steps take it there.
        """
        marginal = self.marginal
        run = _Run(marginal.at(start, flips))
        run.converged, gain, n_iter, looks_at, fixed = False, np.inf, 0, _FIRST_LOOK, flips == 0.0
        while n_iter < max_iter and not run.converged:
            before, gain = gain, self.step(run, tol)
            n_iter += 1
            least = _LEFT_TO_GAIN * abs(run.log_likelihoods[-1])
            promised = left_to_gain(gain, before)
            settled = gain <= tol * marginal.total and promised <= least
            if not marginal.is_smooth:
                run.converged = settled
                continue
            if not settled and (n_iter < looks_at or gain >= before):
                continue
            looks_at = math.ceil(_LOOK_AGAIN * n_iter)
            expansion = marginal.expand(run.point)
            step = newton_step(expansion, run.point.flips, fixed, ANYWHERE if settled else NEARBY)
            least = min(least, _LEFT_PER_EXAMPLE * marginal.total / np.count_nonzero(marginal.weights))
            if settled and (step is None or (step.damping == 0.0 and step.gain <= least)):
                run.converged = True
            elif settled or (step is not None and _is_slow(step, gain, before, promised)):
                dampings = ANYWHERE if settled else NEARBY
                points, run.converged = climb(marginal, run.point, expansion, fixed, dampings, max_iter - n_iter)
                run.take(points)
                n_iter += len(points)
                if run.converged:
                    run.optimality = 0.0
                elif points:
                    gain, looks_at = np.inf, n_iter + _FIRST_LOOK
                elif settled:  # where rounding allows no step
                    run.converged = True
                    run.optimality = run.optimality if step.gain <= least else np.inf
        if run.point.flips.sum() > 1.0:
            run.point = _mirrored(run.point)
        return run

    def step(self, run, tol):
        """One iteration; returns its gain."""
        point = run.point
        start = self.m_step(point.start, point.doubts, tol)
        after = self.marginal.at(start, point.next_flips)
        gain = after.log_likelihood - point.log_likelihood
        run.optimality = self.optimality
        if gain >= 0.0:
            run.take([after])
        elif -gain > _LEFT_TO_GAIN * abs(after.log_likelihood):  # no rounding: the M-step has missed its minimum
            run.optimality = np.inf
        return gain

    def m_step(self, start, doubts, tol):
        """Logistic regression on labels that are wrong with probability `doubts`."""
        alphas, lams = np.array([self.marginal.alpha]), np.array([1.0])
        path = self.problem.path(alphas, lams, tol, _SOLVER_STEPS, start, doubts)
        self.optimality = float(path.optimalities[0])
        return Start(path.coefs[0], float(path.intercepts[0]))


def _is_slow(step, gain, before, promised):
    """Whether EM's gains shrink slowly, where the information is positive, or are much less than there is to gain."""
    if not gain < before:
        return False
    return step.gain > 2.0 * promised or (gain > _SLOW * before and step.damping == 0.0)


def _mirrored(point):
    """The names of the true classes exchanged: the same likelihood, with labels right more often than not."""
    start = Start(-point.start.coef, -point.start.intercept)
    return point._replace(start=start, flips=1.0 - point.flips[::-1], doubts=1.0 - point.doubts)
