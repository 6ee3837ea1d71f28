"""Newton steps for sparse L2 problems: a sampled Hessian, conjugate gradients, an exact line search.

At margins m_i = s_i (x_i.theta + b) the Hessian in theta is alpha I + X^T D X with D_ii = w_i curvature_i. Shifted
rows have curvature 0 and most others next to none, so the model keeps a row of curvature c below a floor only with
probability c / floor, and then floor / c times: right on average, and far smaller. The true gradient and the true
objective decide about the step, so that sampling costs at most some steps.

The intercept is kept at its exact minimiser. Then a_i = -slope_i satisfies the dual constraint, and the duality gap
of theta is |grad|^2 / (2 alpha), a bound on F - F*.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.conjugate_gradients import direction_from, solve_model
from shiftlr.solvers.dense import dot
from shiftlr.solvers.line_search import minimise_along
from shiftlr.solvers.loss import exp_of_negative, threshold
from shiftlr.solvers.points import evaluate, moved_margins
from shiftlr.solvers.rows import row_products
from shiftlr.solvers.sampled_hessian import build_model

ROWS_FOR_ALL = 75_000  # rows of curvature below 1 / ROWS_FOR_ALL of the sum are sampled,
NOISE = 0.006  # or below this, in units of the penalty,
COARSEST = 0.1  # but at most below this, at mean weight,
SMALL = 300_000  # in matrices of more entries than this
FORCING = 0.05  # of the residual is left by conjugate gradients, 0.01 where nothing is sampled


@kernel(error_model="numpy")
def sample_rows(curvatures, floor, seed, kept, kept_curvatures):
    """Keep rows of curvature >= floor, others with probability curvature / floor and curvature floor; how many."""
    end = 0
    for i in range(curvatures.size):
        c = curvatures[i]
        if c <= 0.0:
            continue
        if c < floor:
            x = (np.uint64(i) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
            x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
            x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
            if float(x >> np.uint64(11)) * 2.0**-53 * floor >= c:
                continue
            c = floor
        kept[end] = i
        kept_curvatures[end] = c
        end += 1
    return end


@kernel(error_model="numpy", fastmath={"contract"})
def shifted_rows(margins, weights, lam, damping, curvatures, chances):
    """What to count shifted rows for, which have no curvature but may get some within a step.

    They get `damping` lam (1 - lam) as their curvature. Their chance to be sampled is that of a row with the curvature
    lam (1 - lam) at the threshold, and falls with the distance to it.
    """
    t, most = threshold(lam), lam * (1.0 - lam)
    for i in range(margins.size):
        below = min(margins[i] - t, 0.0)
        bent = weights[i] * most
        own = damping * bent if below < 0.0 else curvatures[i]
        near = bent * exp_of_negative(3.0 * below)
        chances[i] = max(near if below < 0.0 and below > -10.0 else 0.0, own)
        curvatures[i] = own


def sampling_floor(problem, curvatures):
    """The curvature below which rows are sampled; at a noise of about sqrt(floor x^2 / alpha) / 2 in the Hessian."""
    entry = problem.rows.squared_norms.sum() / max(1, problem.rows.indices.size)
    enough = max(curvatures.sum() / ROWS_FOR_ALL, NOISE * problem.alpha / max(entry, 1e-300))
    return min(enough, COARSEST * problem.total_weight / max(1, curvatures.size))


def polish(problem, point, tol, max_iter, damping):
    """Newton steps from `point` with exact line searches, until it is good to `tol`; (point, steps)."""
    rows, alpha, with_b = problem.rows, problem.alpha, problem.fit_intercept
    n = rows.n_rows
    kept, kept_curvatures, numbers = np.empty(n, np.int64), np.empty(n), np.empty(rows.n_features, np.int32)
    coarseness = 1.0 if rows.indices.size > SMALL else 0.0
    steps, failures = 0, 0
    while steps < max_iter and not point.good_enough(tol):
        curvatures = chances = point.curvatures
        if problem.lam < 1.0:
            curvatures, chances = curvatures.copy(), np.empty(n)
            shifted_rows(point.margins, problem.weights, problem.lam, damping, curvatures, chances)
        floor = coarseness * sampling_floor(problem, curvatures)
        count = sample_rows(chances, floor, steps, kept, kept_curvatures)
        sample = kept[:count]
        ratios = kept_curvatures[:count] / chances[sample]
        gradient = point.gradient, point.gradient_b
        model = build_model(
            rows, sample, ratios * curvatures[sample], *gradient, alpha, with_b, problem.total_weight, numbers
        )
        at_rows = point.margins[sample], problem.signs[sample], ratios * problem.weights[sample]
        forcing = FORCING if floor > 0.0 else 0.01
        x = solve_model(model, *gradient, alpha, problem.lam, with_b, *at_rows, forcing, coarseness == 1.0)
        d, d_b = direction_from(model, point.gradient, alpha, x), float(x[-1])
        d_margins = row_products(rows, d, d_b, np.empty(n))
        d_margins *= problem.signs
        linear = alpha * dot(point.theta, d) + dot(problem.tilt, d) + problem.tilt_b * d_b
        step, _change = minimise_along(
            point.margins, d_margins, problem.weights, problem.lam, linear, alpha * dot(d, d), 1.0, 0.1
        )
        if step == 0.0:
            # no progress: once more without sampling and refining, then it is rounding that stops us
            if floor == 0.0:
                break
            coarseness = 0.0
            continue
        margins, drift = moved_margins(point, step, d_margins, 0.0, tol)
        moved = evaluate(problem, point.theta + step * d, point.intercept + step * d_b, margins, drift)
        steps += 1
        damping = 0.1 * damping if step > 0.5 else min(1.0, max(10.0 * damping, 0.01))
        damping = damping if damping > 1e-4 else 0.0
        failures = failures + 1 if not moved.gap <= 0.5 * point.gap else 0
        point = moved
        if failures >= 3:
            coarseness, failures = coarseness / 4.0 if coarseness > 1e-3 else 0.0, 0
    return point, steps
