"""Linear SVM, without and with an intercept."""

import numpy as np

from shiftbench.speed.data import real, simulated
from shiftbench.speed.peers import liblinear, ours, scikit
from shiftbench.speed.problem import OURS, Contender, Problem, Skipped, problem, ratio_to
from shiftbench.speed.problems.dense import size
from shiftbench.speed.task import HingeTask

DUAL, SVC, LIBSVM = "liblinear -s 3", "sklearn LinearSVC", "libsvm"
BIAS = 10.0  # of liblinear's column for the intercept: large enough for the gap, and no larger
OUR_TOLERANCES = tuple(10.0**-power for power in range(4, 11))  # of the duality gap, as a share of the objective
MOST_ROWS = 20_000  # for libsvm, which takes the square of them
MOST_SWEEPS = 200  # of ours on sparse data with an intercept


def without_b(title, data, **settings):
    """liblinear solves the same problem."""
    task = HingeTask(data[0], data[1], C=1.0, fit_intercept=False)
    contenders = [
        Contender(OURS, ours.svm(), task, OUR_TOLERANCES),
        Contender(DUAL, liblinear.train(liblinear.DUAL_HINGE), task),
        Contender(SVC, scikit.linear_svc(), task),
    ]
    return Problem(f"{title}, no intercept", contenders, ratio_to(DUAL, SVC, at_least=1.0), **settings)


def with_b(title, data, max_iter=1000, **settings):
    """libsvm solves the same problem; liblinear penalises the intercept, but hardly."""
    task = HingeTask(data[0], data[1], C=1.0)
    contenders = [
        Contender(OURS, ours.svm(max_iter), task, OUR_TOLERANCES),
        Contender(SVC, scikit.linear_svc(BIAS), task),
        Contender(LIBSVM, libsvm_of_few, task),
    ]
    return Problem(f"{title}, with intercept", contenders, ratio_to(SVC, LIBSVM, at_least=1.0), **settings)


def libsvm_of_few(task):
    """LIBSVM where it ends in a minute."""
    if task.X.shape[0] > MOST_ROWS:
        raise Skipped(f"its time grows with the square of the rows; asked for up to {MOST_ROWS:,} only")
    return scikit.libsvm(task)


def rows_of_length_one(n, m):
    """Rows of a length of about 1, as liblinear's authors advise; others only make its sweeps more."""
    X, signs = simulated.tall(n, m, strength=2.0)
    X /= np.sqrt(m)
    return X, signs


def small(quick):
    return rows_of_length_one(200 if quick else 500, 50)


def tall(quick):
    return rows_of_length_one(*((2000, 20) if quick else (100_000, 100)))


@problem("svm")
def svm_small(quick):
    """500 rows, 50 columns, C=1."""
    data = small(quick)
    return without_b(f"SVM, {size(data[0])}", data)


@problem("svm")
def svm_small_b(quick):
    """500 rows, 50 columns, C=1, with an intercept."""
    data = small(quick)
    return with_b(f"SVM, {size(data[0])}", data)


@problem("svm")
def svm_tall(quick):
    """100,000 rows, 100 columns, C=1."""
    data = tall(quick)
    return without_b(f"SVM, {size(data[0])}", data, has_curve=True)


@problem("svm")
def svm_tall_b(quick):
    """100,000 rows, 100 columns, C=1, with an intercept."""
    data = tall(quick)
    return with_b(f"SVM, {size(data[0])}", data)


@problem("svm")
def svm_ner(quick):
    """CoNLL-2003, C=1."""
    data = real.some_named_entities(quick)
    return without_b(f"SVM, CoNLL, {size(data[0])}", data, has_curve=True, reference=((DUAL, 1e-6),))


@problem("svm")
def svm_ner_b(quick):
    """CoNLL-2003, C=1, with an intercept."""
    data = real.some_named_entities(quick)
    return with_b(f"SVM, CoNLL, {size(data[0])}", data, max_iter=MOST_SWEEPS, reference=((SVC, 1e-4),))
