"""L1-penalised fits along a sequence of (kappa, lam), dense or sparse: penalty(theta) = kappa ||theta||_1.

Proximal Newton. At the current point the loss is replaced by its second-order model, with the curvature held above a
floor (it is exactly zero for shifted examples); the model is minimised over a working set of coordinates; a line search
makes the step safe. H is kept between steps and between points of the path while the curvatures change little, so that
most steps cost only gradients and a triangular solve. Every point ends with a check of all columns.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import column_dot, column_sums
from shiftlr.solvers.loss import REORDER, slope_scale, weighted_terms
from shiftlr.solvers.matrix_free_model import solve_free_model
from shiftlr.solvers.quadratic_model import (
    combine_columns,
    copy_head,
    fill_gram,
    set_violation,
    solve_gram_model,
    total_of,
)
from shiftlr.solvers.screening import add_columns, foretell, grow_set
from shiftlr.solvers.source import all_at_hand, figures_at_hand
from shiftlr.solvers.working_set import (
    FACTORED,
    IN_GRAM,
    LARGEST_GRAM,
    SIZE,
    Problem,
    new_state,
    set_gradients,
    set_margins,
    shrink_set,
    start_set,
)

_REUSE = 0.1  # H is kept while its curvatures are within this share of the present ones
_FLATNESS = 0.1  # first floor of the curvatures over the violation: a step moves flat margins by about the inverse
_FLATNESS_AFAR = 0.3  # the same where nothing near the solution is known
_ROUNDING = 4e-15  # relative rounding error allowed for in objectives


@kernel(fastmath=REORDER, error_model="numpy")
def _linear_and_penalty(state, kappa, values):
    """tilt.theta + tilt_b b + kappa ||theta||_1 over the working set."""
    linear = state.tilts[0] * values[0]
    size = 0.0
    for a in range(1, state.counts[SIZE]):
        linear += state.tilts[a] * values[a]
        size += abs(values[a])
    return linear + kappa * size


@kernel(fastmath=REORDER, error_model="numpy")
def _refresh_bends(problem, state, floor):
    """Curvatures held above floor * weight; returns their change since H was built, as a share of their sum."""
    change = 0.0
    total = 0.0
    for i in range(state.bends.size):
        state.bends[i] = max(state.curvatures[i], floor * problem.weights[i])
        change += abs(state.bends[i] - state.kept_bends[i])
        total += state.bends[i]
    return change / total


@kernel(error_model="numpy")
def _minimise_model(features, problem, state, kappa, floor, target, renew):
    """Put the minimiser of the model into `points`; returns whether H was renewed for it."""
    size = state.counts[SIZE]
    first = problem.first
    copy_head(state.values, state.points, size)
    change = _refresh_bends(problem, state, floor)
    if size > LARGEST_GRAM + 1:
        state.counts[IN_GRAM] = 0
        solve_free_model(
            features, state.places, state.tilts, state.residuals, state.bends, state.points, state.reaches,
            kappa, first, size, target, state.support, state.listed, state.fresh, state.moves,
        )  # fmt: skip
        return True
    renew = renew or state.counts[IN_GRAM] == 0 or change > _REUSE
    if renew:
        copy_head(state.bends, state.kept_bends, state.bends.size)
        state.counts[IN_GRAM] = 0
        state.counts[FACTORED] = 0
    fill_gram(features, state.places, state.counts[IN_GRAM], size, first, state.kept_bends, state.work, state.gram)
    state.counts[IN_GRAM] = size
    copy_head(state.gradients, state.model_gradients, size)
    state.counts[FACTORED] = solve_gram_model(
        state.gram, state.factor, state.support, state.counts[FACTORED], state.listed, state.fresh, state.moves,
        state.model_gradients, state.points, state.reaches, kappa, first, size, target,
    )  # fmt: skip
    return renew


@kernel(error_model="numpy")
def _search_line(features, problem, state, kappa, lam, loss):
    """Go from `values` towards `points` as far as the objective falls enough. Returns (loss, share gone, fall)."""
    size = state.counts[SIZE]
    slots = state.fresh
    steps = state.moves
    slope = 0.0
    for a in range(size):
        slots[a] = a
        steps[a] = state.points[a] - state.values[a]
        slope += state.gradients[a] * steps[a]
        if a > 0:
            slope += kappa * (abs(state.points[a]) - abs(state.values[a]))
    combine_columns(features, state.places, slots, size, steps, state.shift)
    rest = _linear_and_penalty(state, kappa, state.values)
    slack = _ROUNDING * (abs(loss) + abs(rest))
    share = 1.0
    for _ in range(50):
        for i in range(state.trial.size):
            state.trial[i] = state.margins[i] + share * (problem.signs[i] * state.shift[i])
        new_loss = weighted_terms(state.trial, problem.weights, lam, state.slopes, state.curvatures)
        fall = loss + rest - new_loss - _linear_and_penalty(state, kappa, state.points)
        if fall >= -1e-4 * share * slope - slack:
            copy_head(state.points, state.values, size)
            copy_head(state.trial, state.margins, state.trial.size)
            return new_loss, share, fall
        share *= 0.5 if share > 0.1 else 0.1
        for a in range(size):
            state.points[a] = state.values[a] + share * steps[a]
    loss = weighted_terms(state.margins, problem.weights, lam, state.slopes, state.curvatures)
    return loss, 0.0, 0.0


@kernel(error_model="numpy")
def _enter_point(features, source, problem, state, kappa, kappa_before, lam, lam_before, tol):
    """Renew the working set for the next point by the strong rule. Returns the violation of columns left out."""
    level = min(kappa, max(2.0 * kappa - kappa_before, 0.5 * kappa))
    shrink_set(state, level)
    set_margins(features, problem, state)
    weighted_terms(state.margins, problem.weights, lam, state.slopes, state.curvatures)
    for i in range(state.slopes.size):
        state.residuals[i] = problem.signs[i] * state.slopes[i]
    if lam != lam_before:
        foretell(source, state)
    _, worst, all_joined = add_columns(features, source, problem, state, level, kappa, tol)
    return 0.0 if all_joined else worst


@kernel(error_model="numpy")
def _solve_point(features, source, problem, state, kappa, lam, outside, flatness, tol, max_iter):
    """Minimise at one (kappa, lam) from where the state stands; `outside` is the violation known of other columns.

    Returns (objective, steps made, optimality)."""
    loss = weighted_terms(state.margins, problem.weights, lam, state.slopes, state.curvatures)
    steps = 0
    stalls = 0
    before = np.inf
    best = np.inf
    renew = False
    renewed = True
    fall = np.inf
    while True:
        set_gradients(features, problem, state)
        violation = set_violation(
            state.gradients, state.values, state.reaches, kappa, problem.first, state.counts[SIZE]
        )
        stalls = stalls + 1 if fall <= 4.0 * _ROUNDING * abs(loss) and violation > 0.5 * best else 0
        ended = steps >= max_iter or stalls >= 4
        if ended or violation <= max(tol, 0.1 * outside):
            added, outside = grow_set(features, source, problem, state, kappa, tol)
            if ended or (added == 0 and violation <= tol):
                break
            if added > 0:
                fall = best = np.inf  # a new problem: earlier progress is no measure
                continue
        # Poor progress with an old H means that H is too old, a short step that the model is too flat.
        renew = renew or (not renewed and violation > 0.2 * before)
        floor = min(flatness * violation, 0.25)
        renewed = _minimise_model(features, problem, state, kappa, floor, max(0.05 * tol, 0.01 * violation), renew)
        loss, share, fall = _search_line(features, problem, state, kappa, lam, loss)
        steps += 1
        flatness = max(0.3 * flatness, 1e-8) if share == 1.0 else min(max(10.0 * flatness, 1e-3), 1e3)
        renew = share < 1.0
        before = violation
        best = min(best, violation)
    return loss + _linear_and_penalty(state, kappa, state.values), steps, max(violation, outside)


@kernel(error_model="numpy")
def _solve_beside_slopes(features, source, problem, state, kappa, lam, outside, is_first, tol, max_iter):
    """`_solve_point` until the violation is small beside the mean slope of the losses, which is known only afterwards.

    Until then the slopes of the point before stand in for them. Without a penalty the slopes themselves may vanish, and
    the most that they can be is the measure."""
    aimed = min(1.0, lam)
    if not is_first and kappa > 0.0:
        aimed = min(aimed, 0.9 * slope_scale(total_of(state.slopes), problem.total_weight, lam))
    flatness = _FLATNESS_AFAR if is_first else _FLATNESS
    steps = 0
    while True:
        objective, more, violation = _solve_point(
            features, source, problem, state, kappa, lam, outside, flatness, tol * aimed, max_iter - steps
        )
        steps += more
        scale = aimed if kappa == 0.0 else slope_scale(total_of(state.slopes), problem.total_weight, lam)
        if violation <= tol * scale or steps >= max_iter or scale >= aimed:
            return objective, steps, violation / scale
        aimed = 0.9 * scale  # the slopes still change a little
        outside = 0.0


def l1_path(
    features, signs, weights, tilt, tilt_b, kappas, lams, fit_intercept, coef0, intercept0, tol, max_iter, source=None
):
    """Minimise sum_i w_i profiled(s_i (x_i.theta + b), lam) + tilt.theta + tilt_b b + kappa ||theta||_1 at each pair.

    `features`: C-contiguous (m, n), the transpose of X, or (data, indices, indptr, n_rows) of X in CSC form without
    duplicate entries. With a `source`, they hold the columns that it has at hand. The pairs
    (kappas[k], lams[k]) are solved in the order given, each from the solution of the one before, the first from
    (coef0, intercept0); `max_iter` bounds the Newton steps at one pair.
    Returns coefs (K, m), intercepts, objectives, numbers of steps and optimalities (K,)."""
    if source is None:
        source = all_at_hand(figures_at_hand(features, weights, tilt.size))
    given = signs, weights, tilt, tilt_b, kappas, lams, fit_intercept, coef0, intercept0, tol, max_iter
    return _solve_path(features, source, *given)


@kernel(error_model="numpy")
def _solve_path(
    features, source, signs, weights, tilt, tilt_b, kappas, lams, fit_intercept, coef0, intercept0, tol, max_iter
):
    """As `l1_path`."""
    m = tilt.size
    n_points = kappas.size
    coefs = np.zeros((n_points, m))
    intercepts = np.empty(n_points)
    objectives = np.empty(n_points)
    n_iters = np.empty(n_points, np.int64)
    optimalities = np.empty(n_points)
    first = 0 if fit_intercept else 1
    problem = Problem(signs, weights, tilt, tilt_b, total_of(weights), first)
    state = new_state(m, signs.size)
    start_set(features, source, problem, state, coef0, intercept0)
    set_margins(features, problem, state)
    outside = 1.0  # nothing is known of the other columns yet: do not polish before looking at them
    for k in range(n_points):
        if k > 0:
            outside = _enter_point(
                features, source, problem, state, kappas[k], kappas[k - 1], lams[k], lams[k - 1],
                tol * min(1.0, lams[k]),
            )  # fmt: skip
        objectives[k], n_iters[k], optimalities[k] = _solve_beside_slopes(
            features, source, problem, state, kappas[k], lams[k], outside, k == 0, tol, max_iter
        )
        intercepts[k] = state.values[0]
        for a in range(1, state.counts[SIZE]):
            coefs[k, state.columns[a]] = state.values[a]
    return coefs, intercepts, objectives, n_iters, optimalities


@kernel(error_model="numpy")
def _null_slope(margin, lam):
    """Minus the slope of the profiled loss: min(lam, sigma(-margin))."""
    return min(lam, 1.0 / (1.0 + np.exp(min(margin, 700.0))))


@kernel(fastmath=REORDER, error_model="numpy")
def largest_kappa(features, signs, weights, tilt, tilt_b, lam, fit_intercept):
    """The smallest kappa at which theta = 0 is optimal: max_j |gradient_j| at theta = 0 and the best intercept.

    With theta = 0 all positives share one margin and all negatives another, so that the slope in b,
    tilt_b - P min(lam, sigma(-b)) + N min(lam, sigma(b)), is bisected."""
    positive = 0.0
    negative = 0.0
    for i in range(signs.size):
        if signs[i] > 0.0:
            positive += weights[i]
        else:
            negative += weights[i]
    low = -700.0
    high = 700.0
    for _ in range(80 if fit_intercept else 0):
        b = 0.5 * (low + high)
        if tilt_b - positive * _null_slope(b, lam) + negative * _null_slope(-b, lam) > 0.0:
            high = b
        else:
            low = b
    b = 0.5 * (low + high)
    residuals = np.empty(signs.size)
    for i in range(signs.size):
        residuals[i] = -weights[i] * signs[i] * _null_slope(signs[i] * b, lam)
    largest = 0.0
    for j in range(tilt.size):
        reach, _, _ = column_sums(features, j, weights)
        if reach > 0.0:
            largest = max(largest, abs(column_dot(features, j, residuals) + tilt[j]))
    return largest
