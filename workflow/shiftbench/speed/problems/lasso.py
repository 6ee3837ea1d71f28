"""L1 penalties: single points with shifts, paths on wide and on large data, and a map."""

import numpy as np

from shiftbench.speed.data import real, simulated
from shiftbench.speed.peers import adelie, glmnet, ours, skglm
from shiftbench.speed.problem import LADDER, OURS, Contender, Problem, Target, problem, ratio_to
from shiftbench.speed.problems.dense import GLMNET, our_tolerances, size
from shiftbench.speed.task import LogisticTask

COORDINATE = LADDER[3:]  # no looser tolerance of these solvers reaches any of the gaps here


def path(X, signs, n_points, least):
    """Plain, along kappas from the one where all weights vanish."""
    kappas = np.geomspace(1.0, least, n_points) * simulated.largest_kappa(X, signs)
    return LogisticTask(X, signs, "l1", kappas, np.ones(n_points))


def path_problem(title, task, goal, peers, at_least, **settings):
    """All peers on one path."""
    makers = {"adelie": (adelie.path, COORDINATE), "glmnet": (glmnet.path, GLMNET), "skglm": (skglm.path, LADDER[2:])}
    contenders = [Contender(name, makers[name][0], task, makers[name][1]) for name in peers]
    ours_first = [Contender(OURS, ours.logistic, task, our_tolerances(goal)), *contenders]
    return Problem(title, ours_first, ratio_to(*peers, at_least=at_least), goal=goal, **settings)


def point(kappa):
    """The report's simulation with irrelevant features, at one (kappa, lam)."""
    X, signs = simulated.noisy(n=100, m=20, relevant=5)
    task = LogisticTask(X, signs, "l1", np.array([kappa]), np.array([0.3]))
    return path_problem(f"L1 and shifts, {size(X)}, alpha={kappa:g}", task, 1e-9, ("adelie", "skglm"), 10)


@problem("l1")
def l1_point_1(quick):
    """One fit with L1 and shifts, alpha=1; the peers get [X | I]."""
    return point(1.0)


@problem("l1")
def l1_point_3(quick):
    """One fit with L1 and shifts, alpha=3; the peers get [X | I]."""
    return point(3.0)


@problem("l1")
def l1_path(quick):
    """Made-up gene expression along 100 kappas, to a gap of 1e-9."""
    X, signs = simulated.gene_like(n=62, m=200 if quick else 2000)
    task = path(X, signs, 100, 0.05)
    return path_problem(f"L1 path, {size(X)}, 100 alpha", task, 1e-9, ("adelie", "glmnet", "skglm"), 5)


@problem("l1")
def l1_colon(quick):
    """The colon data along 100 kappas."""
    X, signs = real.colon()
    if quick:
        X = X[:, ::20]
    task = path(X, signs, 100, 0.05)
    title = f"L1 path, colon data, {size(X)}, 100 alpha"
    return path_problem(title, task, 1e-6, ("adelie", "glmnet", "skglm"), 4, has_curve=True)


@problem("l1")
def l1_large(quick):
    """20,000 rows, 5,000 columns, 50 of them relevant, along 50 kappas."""
    X, signs = simulated.tall(*((400, 100) if quick else (20_000, 5_000)), strength=2.0, relevant=50)
    task = path(X, signs, 50, 0.05)
    title = f"L1 path, {size(X)}, 50 alpha"
    peers = ("adelie", "glmnet", "skglm")
    return path_problem(title, task, 1e-6, peers, 1.5, reference=((OURS, 1e-6),), has_curve=True)


@problem("l1")
def l1_map(quick):
    """Made-up gene expression on a square of kappas and lams."""
    points = 10 if quick else 50
    X, signs = simulated.gene_like(n=62, m=200 if quick else 2000)
    kappas, lams = np.meshgrid(
        np.geomspace(1.0, 0.05, points) * simulated.largest_kappa(X, signs),
        np.geomspace(0.99, 0.0099, points),
        indexing="ij",
    )
    task = LogisticTask(X, signs, "l1", kappas.ravel(), lams.ravel())
    return Problem(
        f"L1 map, {size(X)}, {points} alpha x {points} lam",
        [Contender(OURS, ours.logistic, task, our_tolerances(1e-9))],
        [Target(OURS, None, at_most=5.0)],
        goal=1e-9,
    )
