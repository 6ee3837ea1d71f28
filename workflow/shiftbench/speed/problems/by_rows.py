"""Families of problems that differ in their rows alone, for the figure of time against rows."""

import numpy as np

from shiftbench.speed.data import simulated
from shiftbench.speed.peers import liblinear, marginal_likelihood, ours, scikit
from shiftbench.speed.problem import LADDER, OURS, Contender, Problem, family
from shiftbench.speed.problems import words
from shiftbench.speed.problems.dense import CHOLESKY, LBFGS, our_tolerances
from shiftbench.speed.problems.svm import OUR_TOLERANCES, SVC, rows_of_length_one
from shiftbench.speed.task import FlippingTask, HingeTask, LogisticTask


@family("rows")
def rows_dense(quick):
    """Plain, 30 columns."""
    for n in (500, 1000, 2000) if quick else (10_000, 30_000, 100_000, 300_000, 1_000_000):
        X, signs = simulated.tall(n, 30)
        task = LogisticTask(X, signs, None, np.zeros(1), np.ones(1))
        contenders = [
            Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
            Contender(LBFGS, scikit.logistic("lbfgs"), task),
            Contender(CHOLESKY, scikit.logistic("newton-cholesky"), task),
        ]
        yield n, Problem("plain, 30 columns", contenders)


@family("rows")
def rows_words(quick):
    """Sparse words, plain, without an intercept."""
    X, signs = words.made_up(quick)
    for share in (16, 8, 4, 2, 1):
        n = X.shape[0] // share
        task = LogisticTask(X[:n], signs[:n], "l2", np.ones(1), np.ones(1), fit_intercept=False)
        contenders = [
            Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
            Contender(words.PRIMAL, liblinear.train(liblinear.PRIMAL_LOGISTIC), task, LADDER[2:]),
        ]
        yield n, Problem("sparse words, no intercept", contenders)


@family("rows")
def rows_flipping(quick):
    """The flipping model, 5 columns."""
    for n in (500, 1000, 2000) if quick else (3_000, 10_000, 30_000, 100_000, 300_000):
        X, signs = simulated.tall(n, 5, flips=(0.1, 0.2))
        task = FlippingTask(X, signs)
        contenders = [
            Contender(OURS, ours.flipping, task, [1e-8]),
            Contender("scipy L-BFGS", marginal_likelihood.lbfgs, task, LADDER[2:12]),
        ]
        yield n, Problem("flipping model, 5 columns", contenders, goal=1e-8, reference=(("scipy L-BFGS", 1e-9),))


@family("rows")
def rows_svm(quick):
    """SVM, 100 columns, without an intercept."""
    for n in (200, 400, 800) if quick else (1_000, 3_000, 10_000, 30_000):
        X, signs = rows_of_length_one(n, 100)
        task = HingeTask(X, signs, C=1.0, fit_intercept=False)
        contenders = [
            Contender(OURS, ours.svm(), task, OUR_TOLERANCES),
            Contender(SVC, scikit.linear_svc(), task),
        ]
        yield n, Problem("SVM, 100 columns, no intercept", contenders)
