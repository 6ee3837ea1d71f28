"""More than two classes: words of NoiseBench's size, and dense features; peers fit all classes at once, as we do."""

from functools import cache

import numpy as np

from shiftbench.speed.data import simulated, words
from shiftbench.speed.peers import ours, scikit
from shiftbench.speed.problem import LADDER, OURS, Contender, Problem, Target, problem, ratio_to
from shiftbench.speed.problems.dense import CHOLESKY, LBFGS, our_tolerances, size
from shiftbench.speed.problems.wide import NEWTON_CG
from shiftbench.speed.task import SoftmaxTask

LAM = 0.1


@cache
def typed_words(quick):
    """As many words as NoiseBench has, of which so many different ones that there are about as many features."""
    n, n_words = (2_000, 1_000) if quick else (79_720, 13_900)
    return words.typed_entities(n, np.random.default_rng(0), n_words)


@problem("classes")
def classes_words(quick):
    """Made-up words of NoiseBench's size, 5 classes, plain."""
    X, labels = typed_words(quick)
    task = SoftmaxTask(X, labels, 1.0)
    contenders = [
        Contender(OURS, ours.softmax, task, our_tolerances(1e-6)),
        Contender(LBFGS, scikit.softmax("lbfgs"), task, LADDER[3:]),
        Contender(NEWTON_CG, scikit.softmax("newton-cg"), task, LADDER[3:]),
    ]
    targets = ratio_to(LBFGS, NEWTON_CG, at_least=5)
    # sklearn's solvers take a minute at each tolerance
    return Problem(f"sparse, {size(X)}, 5 classes", contenders, targets, reference=((OURS, 1e-4),), patience=300.0)


@problem("classes")
def classes_words_robust(quick):
    """The same words with shifts, against our own plain fit."""
    X, labels = typed_words(quick)
    robust, plain = SoftmaxTask(X, labels, 1.0, LAM), SoftmaxTask(X, labels, 1.0)
    contenders = [
        Contender(OURS, ours.softmax, robust, our_tolerances(1e-6)),
        Contender("shiftlr plain", ours.softmax, plain, our_tolerances(1e-6)),
    ]
    targets = [Target(OURS, "shiftlr plain", at_most=1.5)]
    reference = ((OURS, 1e-4), ("shiftlr plain", 1e-4))
    return Problem(f"sparse robust, {size(X)}, 5 classes", contenders, targets, reference=reference)


@problem("classes")
def classes_dense(quick):
    """Simulated dense features, 10 classes, plain."""
    X, labels = simulated.classes(*((1_000, 20, 5) if quick else (10_000, 100, 10)))
    task = SoftmaxTask(X, labels, 1.0)
    contenders = [
        Contender(OURS, ours.softmax, task, our_tolerances(1e-6)),
        Contender(LBFGS, scikit.softmax("lbfgs"), task),
        Contender(CHOLESKY, scikit.softmax("newton-cholesky"), task),
    ]
    n_classes = labels.max() + 1
    targets = ratio_to(LBFGS, CHOLESKY, at_least=2)
    return Problem(f"dense, {size(X)}, {n_classes} classes", contenders, targets)
