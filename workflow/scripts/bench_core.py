"""Speed of the solvers against their peers, as ratios of times to the same accuracy, on one machine in one run.

Ours is timed through the public interface, checks included; peers are timed without their preparation. Every objective
is recomputed from the weights by one function, and gaps are relative to the least objective known. Each solver runs at
the loosest of its tolerances that reaches the problem's goal (or at its tightest, if none does), in turn with the
others, and its least time counts. A target is reached if our gap is within the goal and the ratio, or our own time, is
as good as asked. Every solver has one thread: most peers know no more, and those that do slow down badly where other
programs want the processors too, which would flatter us.
"""

import argparse
import importlib.metadata
import os
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import bench_data
import bench_peers
import numba
import numpy as np
from bench_data import Problem
from bench_peers import Fit
from shiftlr import RobustLogisticRegression, StandardLogisticRegression, robust_path
from shiftlr.model_selection.tuning import fit_grid
from threadpoolctl import threadpool_limits

SPARSE_ROWS = 204_567
SHRINK = 10  # of the sparse problem, with --quick
SHORTEST_ROUND = 0.1  # seconds; a solver that takes less is run several times
LADDER = tuple(10.0 ** -np.arange(4, 17))
# name and width, negative for columns that are flush right
COLUMNS = (
    ("problem", 38),
    ("ours ms", -9),
    ("gap", -7),
    ("peer", 14),
    ("ms", -9),
    ("gap", -7),
    ("ratio", -7),
    ("target", -8),
    ("", 13),
)

Solve = Callable[[float], Fit]


class Peer(NamedTuple):
    """Another solver, the tolerances it may use, and how many times its time ours should go into."""

    name: str
    make: Callable[[Problem], Solve]
    tolerances: Sequence[float]
    target: float


class Comparison(NamedTuple):
    """A problem with its peers, or with a limit on our own time."""

    problem: Problem
    peers: Sequence[Peer]
    rounds: int
    limit_seconds: float | None = None


def all_comparisons(quick: bool) -> dict[str, Callable[[], Iterator[Comparison]]]:
    """The comparisons by the names that --only knows, made when asked for."""

    def dense():
        peers = (Peer("adelie", bench_peers.adelie, [1e-10], 15), Peer("glmnet (R)", bench_peers.glmnet, [1e-10], 15))
        yield Comparison(bench_data.dense_path(), peers, 5)

    def l1():
        peers = (Peer("adelie", bench_peers.adelie, LADDER, 10), Peer("skglm", bench_peers.skglm, LADDER, 10))
        for kappa in (1.0, 3.0):
            yield Comparison(bench_data.l1_point(kappa), peers, 5)

    def l1path():
        peers = (Peer("adelie", bench_peers.adelie, LADDER, 5), Peer("skglm", bench_peers.skglm, LADDER, 5))
        yield Comparison(bench_data.l1_path(), peers, 5)
        yield Comparison(bench_data.l1_map(), (), 2, limit_seconds=5.0)

    def sparse():
        robust, plain, without_intercept = bench_data.sparse_points(SPARSE_ROWS // SHRINK if quick else SPARSE_ROWS)
        yield Comparison(robust, [Peer("OWL-QN", bench_peers.owlqn, [robust.goal], 20)], 2)
        yield Comparison(plain, [Peer("newton-cg", bench_peers.newton_cg, LADDER, 4)], 2)
        yield Comparison(without_intercept, [Peer("liblinear -s 0", bench_peers.liblinear, LADDER, 3)], 2)

    return {"dense": dense, "l1": l1, "l1path": l1path, "sparse": sparse}


def ours(problem: Problem) -> Solve:
    """This package, by the part of its interface that a user would take for the problem."""
    shared = {"penalty": problem.penalty, "fit_intercept": problem.fit_intercept}
    plain = np.all(problem.lams >= 1.0)
    estimator = StandardLogisticRegression if plain else RobustLogisticRegression
    labels = problem.signs.astype(int)  # as class labels usually are; others pass through more of scikit-learn's checks
    pairs = zip(problem.alphas.tolist(), problem.lams.tolist(), strict=True)
    grid = [{"alpha": alpha} if plain else {"alpha": alpha, "lam": lam} for alpha, lam in pairs]

    def solve_point(tolerance):
        model = estimator(tol=tolerance, **shared, **grid[0]).fit(problem.X, labels)
        return Fit(model.coef_, model.intercept_)

    def solve_lams(tolerance):
        path = robust_path(problem.X, labels, problem.lams, alpha=problem.alphas[0], tol=tolerance, **shared)
        return Fit(path.coefs, path.intercepts)

    def solve_grid(tolerance):
        fits = fit_grid(estimator(tol=tolerance, **shared), grid, problem.X, labels)
        return Fit(fits.coefs, fits.intercepts)

    if len(grid) == 1:
        return solve_point
    return solve_lams if np.ptp(problem.alphas) == 0.0 else solve_grid


def clocked(solve: Solve, tolerance: float) -> tuple[Fit, float]:
    """Solve, and the seconds it took."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some tolerances are tighter than rounding allows; the gaps tell what came out
        start = time.perf_counter()
        fit = solve(tolerance)
        elapsed = time.perf_counter() - start
    return fit, elapsed if fit.seconds is None else fit.seconds


class Contender:
    """A solver in a comparison, with its least time and its objectives so far."""

    def __init__(self, problem: Problem, solve: Solve, tolerances: Sequence[float]):
        self.problem, self.solve = problem, solve
        self.seconds = np.inf
        for self.tolerance in tolerances:
            self.seconds = np.inf
            fit = self.run()
            self.objectives = problem.objectives(fit.coefs, fit.intercepts)
            if self.gap() <= problem.goal:
                break

    def run(self) -> Fit:
        """Solve once more."""
        fit, seconds = clocked(self.solve, self.tolerance)
        self.seconds = min(self.seconds, seconds)
        return fit

    def run_round(self) -> None:
        """Solve at least once, and short problems many times."""
        end = time.perf_counter() + SHORTEST_ROUND
        self.run()
        while time.perf_counter() < end:
            self.run()

    def gap(self) -> float:
        """The largest relative distance to the least objectives known."""
        assert self.problem.best is not None
        return float(np.max((self.objectives - self.problem.best) / self.problem.best))


def compare(comparison: Comparison, rounds: int) -> list[bool | None]:
    """Run and print one comparison: for each line whether its target was reached, None if the peer is missing."""
    problem, peers = comparison.problem, comparison.peers
    solve = ours(problem)
    first_tolerance = 100.0 * np.sqrt(problem.goal)  # near the minimum, objectives differ by the square of the gradient
    tight, _ = clocked(solve, 1e-7 * first_tolerance)  # this is also the warm-up that compiles
    problem.best = problem.objectives(tight.coefs, tight.intercepts)
    mine = Contender(problem, solve, first_tolerance * 10.0 ** -np.arange(7))
    others: dict[str, Contender] = {}
    for peer in peers:
        try:
            others[peer.name] = Contender(problem, peer.make(problem), peer.tolerances)
        except ImportError:
            continue
    problem.best = np.minimum.reduce([problem.best, mine.objectives, *(c.objectives for c in others.values())])
    for _ in range(rounds):
        for contender in (mine, *others.values()):
            contender.run_round()

    start = [problem.title, milliseconds(mine.seconds), f"{mine.gap():.0e}"]
    accurate = mine.gap() <= problem.goal
    verdicts: list[bool | None] = []
    if comparison.limit_seconds is not None:
        verdicts.append(accurate and mine.seconds < comparison.limit_seconds)
        print_line([*start, "", "", "", "", f"< {comparison.limit_seconds:g} s", verdict_text(verdicts[-1])])
    for peer in peers:
        if peer.name in others:
            other = others[peer.name]
            ratio = other.seconds / mine.seconds
            verdicts.append(accurate and ratio >= peer.target)
            cells = [peer.name, milliseconds(other.seconds), f"{other.gap():.0e}", f"{ratio:.1f}"]
        else:
            verdicts.append(None)
            cells = [peer.name, "-", "-", "-"]
        print_line([*start, *cells, f">= {peer.target:g}", verdict_text(verdicts[-1])])
    return verdicts


def verdict_text(reached: bool | None) -> str:
    """The last word of a line."""
    return "not installed" if reached is None else "ok" if reached else "MISSED"


def milliseconds(seconds: float) -> str:
    """About four digits."""
    value = 1e3 * seconds
    return f"{value:.3f}" if value < 10.0 else f"{value:.1f}" if value < 1000.0 else f"{value:.0f}"


def print_line(cells: Sequence[str]) -> None:
    """One line of the table, as soon as it is known."""
    widths = [width for _, width in COLUMNS]
    aligned = [
        cell.ljust(width) if width > 0 else cell.rjust(-width) for cell, width in zip(cells, widths, strict=True)
    ]
    print("  ".join(aligned).rstrip(), flush=True)


def print_heading() -> None:
    """What ran where, and the names of the columns."""
    versions = []
    for name in ("numpy", "numba", "scikit-learn", "adelie", "skglm", "liblinear-official"):
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    print(", ".join(versions))
    if hasattr(os, "getloadavg"):
        print(f"{os.getloadavg()[0]:.1f} programs were running on {os.cpu_count()} processors when this one began")
    print_line([name for name, _ in COLUMNS])


def positive_integer(text: str) -> int:
    """For argparse."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


def main() -> None:
    """Run the comparisons asked for."""
    parser = argparse.ArgumentParser(description="Speed of shiftlr against other solvers.")
    parser.add_argument("--quick", action="store_true", help=f"single rounds, sparse problem {SHRINK} times smaller")
    parser.add_argument("--only", choices=list(all_comparisons(False)), help="one group of comparisons")
    parser.add_argument("--rounds", type=positive_integer, help="timed rounds of each solver")
    arguments = parser.parse_args()
    comparisons = all_comparisons(arguments.quick)
    print_heading()
    verdicts = []
    numba.set_num_threads(1)
    with threadpool_limits(1):
        for name in [arguments.only] if arguments.only else comparisons:
            for comparison in comparisons[name]():
                verdicts += compare(comparison, arguments.rounds or (1 if arguments.quick else comparison.rounds))
    measured = [verdict for verdict in verdicts if verdict is not None]
    missing = len(verdicts) - len(measured)
    print(f"{sum(measured)} of {len(measured)} targets reached" + (f", {missing} not measured" if missing else ""))


if __name__ == "__main__":
    main()
