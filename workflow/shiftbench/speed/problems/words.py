"""Sparse binary features of words, L2: made-up text, and the real CoNLL-2003 matrix where it was fetched."""

import os
from functools import cache

import numpy as np
from shiftlr import RobustLogisticRegression, StandardLogisticRegression
from shiftlr.model_selection.tuning import alpha_grid, fold_scores, lam_grid

from shiftbench.datasets.ner.features import Vocabulary
from shiftbench.speed import clock, meters
from shiftbench.speed.data import real, words
from shiftbench.speed.peers import liblinear, ours, owlqn, scikit
from shiftbench.speed.problem import LADDER, OURS, Contender, Meter, Problem, Skipped, Target, problem, ratio_to
from shiftbench.speed.problems.dense import our_tolerances, size
from shiftbench.speed.problems.wide import NEWTON_CG
from shiftbench.speed.task import LogisticTask

LAM = 0.1  # the report's, for manual labels
PRIMAL, DUAL = "liblinear -s 0", "liblinear -s 7"
TWO = "shiftlr 2 threads"


@cache
def made_up(quick):
    """Words of the real matrix's size."""
    n, n_words = (4_000, 5_000) if quick else (204_567, 50_000)
    return words.named_entities(n, np.random.default_rng(0), n_words)


def task_of(data, lams=(1.0,), **settings):
    """alpha = 1 at each lam."""
    lams = np.array(lams)
    return LogisticTask(data[0], data[1], "l2", np.ones(len(lams)), lams, **settings)


@problem("words")
def words_robust(quick):
    """Made-up text, robust; the report's own solver on [X | I]."""
    task = task_of(made_up(quick), [LAM])
    contenders = [
        Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
        Contender("OWL-QN", owlqn.point, task, [0.99e-6]),
    ]
    return Problem(f"sparse robust, {size(task.X)}", contenders, ratio_to("OWL-QN", at_least=20))


@problem("words")
def words_plain(quick):
    """Made-up text, plain."""
    task = task_of(made_up(quick))
    contenders = [
        Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
        Contender(NEWTON_CG, scikit.logistic("newton-cg"), task, LADDER[2:]),
    ]
    return Problem(f"sparse plain, {size(task.X)}", contenders, ratio_to(NEWTON_CG, at_least=4))


@problem("words")
def words_without_b(quick):
    """Made-up text, plain, without an intercept, to a gap of 1e-9."""
    task = task_of(made_up(quick), fit_intercept=False)
    contenders = [
        Contender(OURS, ours.logistic, task, our_tolerances(1e-9)),
        Contender(PRIMAL, liblinear.train(liblinear.PRIMAL_LOGISTIC), task, LADDER[2:]),
    ]
    targets = ratio_to(PRIMAL, at_least=3)
    return Problem(f"sparse plain, {size(task.X)}, no intercept", contenders, targets, goal=1e-9)


@problem("ner")
def ner_plain(quick):
    """CoNLL-2003, plain, without an intercept."""
    task = task_of(real.some_named_entities(quick), fit_intercept=False)
    contenders = [
        Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
        Contender(DUAL, liblinear.train(liblinear.DUAL_LOGISTIC), task),
        Contender(PRIMAL, liblinear.train(liblinear.PRIMAL_LOGISTIC), task),
    ]
    targets = ratio_to(DUAL, at_least=6)
    return Problem(f"CoNLL plain, {size(task.X)}, no intercept", contenders, targets, has_curve=True)


@problem("ner")
def ner_robust(quick):
    """CoNLL-2003, robust, against our own plain fit and against one pass over the matrix's indices."""
    data = real.some_named_entities(quick)
    robust, plain = task_of(data, [LAM]), task_of(data)
    indices = data[0].indices.astype(np.int32)
    contenders: list[Contender | Meter] = [
        Contender(OURS, ours.logistic, robust, our_tolerances(1e-6)),
        Contender("shiftlr plain", ours.logistic, plain, our_tolerances(1e-6)),
        Meter("sum of the indices", lambda: meters.seconds_of(indices.sum)),
    ]
    targets = [Target(OURS, "shiftlr plain", at_most=1.5), Target(OURS, "sum of the indices", at_most=150.0)]
    reference = ((OURS, 1e-9), ("shiftlr plain", 1e-9))
    return Problem(f"CoNLL robust, {size(data[0])}", contenders, targets, reference=reference)


@problem("ner")
def ner_lams(quick):
    """CoNLL-2003, a path of 10 lams, against a single fit."""
    data = real.some_named_entities(quick)
    path, single = task_of(data, np.geomspace(0.5, 0.005, 10)), task_of(data, [LAM])
    contenders = [
        Contender(OURS, ours.logistic, path, our_tolerances(1e-6)),
        Contender("shiftlr single fit", ours.logistic, single, our_tolerances(1e-6)),
    ]
    targets = [Target(OURS, "shiftlr single fit", at_most=3.0)]
    reference = ((OURS, 1e-9), ("shiftlr single fit", 1e-9))
    return Problem(f"CoNLL path of 10 lam, {size(data[0])}", contenders, targets, reference=reference)


@problem("ner")
def ner_threads(quick):
    """CoNLL-2003, robust, one thread against two, with the same bits."""
    if (os.cpu_count() or 1) < 2:
        raise Skipped("there is one processor only")
    if clock.kind() != clock.WALL:
        raise Skipped("processor time does not tell whether two threads help")
    task = task_of(real.some_named_entities(quick), [LAM])
    contenders = [
        Contender(OURS, ours.logistic, task, our_tolerances(1e-6)),
        Contender(TWO, ours.logistic, task, our_tolerances(1e-6), threads=2),
    ]
    targets = [Target(OURS, TWO, at_least=1.4)]
    title = f"CoNLL robust on 2 threads, {size(task.X)}"
    return Problem(title, contenders, targets, same_bits=True)


@problem("ner")
def ner_search(quick):
    """CoNLL-2003: its features, and the five-fold search over 10 variances and then 10 lams."""
    corpus, (X, signs) = real.corpus(), real.some_named_entities(quick)
    sentences, labels = corpus.sentences(), (signs > 0.0).astype(int)
    by_folds = {"n_splits": 5, "groups": corpus.articles[: len(labels)], "scoring": "f1"}
    settings = {"penalty": "l2", "alpha": 1.0, "tol": 1e-3}

    def search():
        alphas = alpha_grid(1.0 / np.geomspace(0.01, 10.0, 10))
        fold_scores(StandardLogisticRegression(**settings), alphas, X, labels, **by_folds)
        lams = lam_grid(np.geomspace(0.001, 1.0, 10))
        fold_scores(RobustLogisticRegression(LAM, **settings), lams, X, labels, **by_folds)

    if quick:
        sentences = sentences[: real.FEW]
    contenders = [
        Meter(OURS, lambda: meters.seconds_of(search)),
        Meter("features", lambda: meters.seconds_of(lambda: Vocabulary().learn(sentences))),
    ]
    targets = [Target(OURS, None, at_most=240.0), Target("features", None, at_most=30.0)]
    return Problem(f"CoNLL search by folds, {size(X)}", contenders, targets)
