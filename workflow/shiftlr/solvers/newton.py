"""Safeguarded Newton for few features, unpenalised or L2, over a whole path of lam in one call.

Minimises  sum_i w_i profiled(m_i, lam) + tilt.theta + 1/2 sum_j ridge_j theta_j^2,   m = theta @ signed,
where `signed` holds one column of X per coordinate (a column of ones for the intercept included), dense or sparse as
`columns.py` has it, already multiplied by the labels' signs and scaled so that sum_i w_i |signed_ji| is about
sum_i w_i. That makes the convergence measure, max_j |gradient_j| over the sum of the losses' slopes, comparable between
coordinates; without a penalty, where the slopes themselves may vanish, it is over the sum they can have at most.

The curvature jumps at the threshold and is 0 below it, so the Hessian may be singular: a damping in proportion to the
gradient keeps it invertible without spoiling the fast convergence at the end, and every step is line-searched.
"""

import math

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import add_column, column_dot, weighted_gram
from shiftlr.solvers.dense import cholesky, dot, solve_cholesky
from shiftlr.solvers.loss import slope_scale, weighted_hinge_terms, weighted_loss_along, weighted_terms

LOGISTIC = 0  # with the parameter lam
HINGE = 1  # rounded off, with its width as the parameter

DAMPING = 1e-6  # of the gradient's length, which does not change when the columns are rotated
LARGEST_MARGIN_CHANGE = 30.0  # of a step that the model is trusted with
LEAST_GAIN = 1e-9  # of the objective: a step that would gain less need not be made
SEPARATED = 5.0  # an unpenalised fit whose margins all exceed this has no minimum, and goes no further
PATIENCE = 3  # steps in a row that lower neither the objective nor, by half, the gradient: only rounding is left
ROUNDING = 4e-15  # relative error of a sum of losses


@kernel(error_model="numpy")
def combine_columns(columns, coefficients, out):
    """out = sum_j coefficient_j * column j."""
    out[:] = 0.0
    for j in range(coefficients.size):
        if coefficients[j] != 0.0:
            add_column(columns, j, coefficients[j], out)


@kernel(error_model="numpy")
def newton_direction(hessian, gradient, damping, factor, direction):
    """direction = -(hessian + damping I)^-1 gradient, with more damping until it can be factored."""
    damping = max(damping, 1e-300)
    relative = 0.0
    while relative < 1.0 and not cholesky(hessian, damping, relative, factor):
        relative = max(100.0 * relative, 1e-14)
    if relative >= 1.0:  # not a matrix that can be factored, an overflow for instance: go along the gradient
        for j in range(gradient.size):
            direction[j] = -gradient[j] / (hessian[j, j] + damping)
        return
    for j in range(gradient.size):
        direction[j] = -gradient[j]
    solve_cholesky(factor, gradient.size, direction)


@kernel(error_model="numpy")
def smooth_part(theta, tilt, ridge):
    """tilt.theta + 1/2 sum_j ridge_j theta_j^2."""
    total = 0.0
    for j in range(theta.size):
        total += theta[j] * (tilt[j] + 0.5 * ridge[j] * theta[j])
    return total


@kernel(error_model="numpy")
def fill_gradient(signed, slopes, theta, tilt, ridge, gradient):
    """Fill the gradient; return its largest entry."""
    largest = 0.0
    for j in range(theta.size):
        gradient[j] = column_dot(signed, j, slopes) + tilt[j] + ridge[j] * theta[j]
        largest = max(largest, abs(gradient[j]))
    return largest


@kernel(error_model="numpy")
def loss_terms(loss, margins, weights, parameter, slopes, curvatures):
    """The terms of the loss named: `LOGISTIC` or `HINGE`."""
    if loss == HINGE:
        return weighted_hinge_terms(margins, weights, parameter, slopes, curvatures)
    return weighted_terms(margins, weights, parameter, slopes, curvatures)


@kernel(error_model="numpy")
def gradient_scale(loss, bare, weights, parameter, slopes):
    """What a gradient is small beside: the sum of the slopes, or the most it could be for a loss without a penalty."""
    total_weight = weights.sum()
    if loss == HINGE:
        return total_weight
    return total_weight * (min(1.0, parameter) if bare else slope_scale(slopes.sum(), total_weight, parameter))


@kernel(error_model="numpy")
def smallest_margin(margins, weights):
    """Over the examples that count."""
    smallest = np.inf
    for i in range(margins.size):
        if weights[i] > 0.0:
            smallest = min(smallest, margins[i])
    return smallest


@kernel(error_model="numpy")
def distant_step(loss, margins, change, weights, parameter, linear, quadratic, step, slopes, curvatures, trial):
    """A step of at most 1 along `change` that lies near the least objective, found from a small one, `step`.

    The model means nothing so far away, but the slope along the line does: it is followed until it has turned, or sunk
    to a tenth, and then bisected. `linear` and `quadratic` are what the smooth part adds along the line.
    """
    low, high, first = 0.0, np.inf, 0.0
    for k in range(100):
        for i in range(margins.size):
            trial[i] = margins[i] + (step * change[i] if k > 0 else 0.0)
        loss_terms(loss, trial, weights, parameter, slopes, curvatures)
        slope = dot(slopes, change) + linear + (quadratic * step if k > 0 else 0.0)
        if k == 0:
            first = abs(slope)
            continue
        if abs(slope) <= 0.1 * first or (slope < 0.0 and step >= 1.0):
            break
        if slope < 0.0:
            low = step
        else:
            high = step
        step = min(4.0 * step, 1.0) if high == np.inf else 0.5 * (low + high)
    return step


@kernel(error_model="numpy")
def newton_point(loss, signed, weights, tilt, ridge, parameter, theta, margins, tol, max_iter):
    """One parameter of the loss (lam), from `theta` and its `margins`, both updated in place.

    Returns (objective, iterations, optimality). With nothing but the loss and all margins above 0, the minimum lies at
    infinity; the iteration ends on its way there.

    A small gradient is not enough to stop: beside one example of enormous size or weight the gradient of all others is
    small. What a Newton step would still gain has to be small beside the objective too. After a full step it is known
    to have fallen by about the square of the largest change of a margin; else the next step tells.
    """
    size, n = theta.size, weights.size
    slopes, curvatures, change, trial = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    gradient, direction, moved = np.empty(size), np.empty(size), np.empty(size)
    hessian, factor = np.empty((size, size)), np.empty((size, size))
    bare = loss == LOGISTIC and not np.any(tilt) and not np.any(ridge)
    objective = loss_terms(loss, margins, weights, parameter, slopes, curvatures) + smooth_part(theta, tilt, ridge)
    largest = fill_gradient(signed, slopes, theta, tilt, ridge, gradient)
    optimality = largest / gradient_scale(loss, bare, weights, parameter, slopes)
    least_gain = max(tol * tol, LEAST_GAIN)
    gain = np.inf if loss == LOGISTIC else 0.0  # a hinge is judged by its duality gap
    iteration, stalled = 0, 0
    while iteration < max_iter:
        if optimality <= tol and (
            gain <= least_gain * abs(objective) or (bare and smallest_margin(margins, weights) > SEPARATED)
        ):
            gain = 0.0
            break
        weighted_gram(signed, curvatures, hessian)
        for j in range(size):
            hessian[j, j] += ridge[j]
        newton_direction(hessian, gradient, DAMPING * math.sqrt(dot(gradient, gradient)), factor, direction)
        expected = dot(gradient, direction)
        gain = -0.5 * expected if loss == LOGISTIC else 0.0
        if optimality <= tol and gain <= least_gain * abs(objective):
            break
        iteration += 1
        combine_columns(signed, direction, change)
        largest_change = np.max(np.abs(change))
        step = 1.0
        noise = ROUNDING * max(abs(objective), 1e-300)
        if largest_change > LARGEST_MARGIN_CHANGE:
            linear, quadratic = dot(tilt, direction), 0.0
            for j in range(size):
                linear += ridge[j] * theta[j] * direction[j]
                quadratic += ridge[j] * direction[j] * direction[j]
            step = distant_step(
                loss, margins, change, weights, parameter, linear, quadratic,
                LARGEST_MARGIN_CHANGE / largest_change, slopes, curvatures, trial,
            )  # fmt: skip
        accepted = False
        while step > 1e-12 * min(1.0, 1.0 / largest_change):
            for i in range(n):
                trial[i] = margins[i] + step * change[i]
            for j in range(size):
                moved[j] = theta[j] + step * direction[j]
            value = loss_terms(loss, trial, weights, parameter, slopes, curvatures) + smooth_part(moved, tilt, ridge)
            accepted = value <= objective + 1e-4 * step * expected + noise
            if accepted:
                break
            step *= 0.5
        if not accepted:
            break
        theta[:] = moved
        margins[:] = trial
        before = optimality
        largest = fill_gradient(signed, slopes, theta, tilt, ridge, gradient)
        optimality = largest / gradient_scale(loss, bare, weights, parameter, slopes)
        gain = gain * min(1.0, largest_change * largest_change) if step == 1.0 else np.inf
        stalled = stalled + 1 if value > objective - noise and optimality > 0.5 * before else 0
        objective = value
        if stalled == PATIENCE or (bare and smallest_margin(margins, weights) > SEPARATED):
            break
    if least_gain * abs(objective) < gain < np.inf:
        optimality = max(optimality, math.sqrt(gain / abs(objective)))
    return objective, iteration, optimality


@kernel(error_model="numpy")
def extrapolate(signed, weights, tilt, ridge, lams, coefs, k, theta, margins):
    """Move to where the path would be if it were straight in log(lam), if that lowers the objective."""
    n = margins.size
    ratio = math.log(lams[k] / lams[k - 1]) / math.log(lams[k - 1] / lams[k - 2])
    jump = ratio * (coefs[k - 1] - coefs[k - 2])
    change = np.empty(n)
    combine_columns(signed, jump, change)
    here = weighted_loss_along(margins, change, 0.0, weights, lams[k]) + smooth_part(theta, tilt, ridge)
    there = weighted_loss_along(margins, change, 1.0, weights, lams[k]) + smooth_part(theta + jump, tilt, ridge)
    if there < here:
        theta += jump
        margins += change


@kernel(error_model="numpy")
def newton_path(signed, weights, tilt, ridge, lams, start, tol, max_iter):
    """Solve for every lam in order, each warm-started from the ones before.

    Returns thetas (len(lams), len(start)), objectives, iteration counts and convergence measures.
    """
    size, n = start.size, weights.size
    n_lams = lams.size
    coefs = np.empty((n_lams, size))
    objectives, optimalities = np.empty(n_lams), np.empty(n_lams)
    iterations = np.empty(n_lams, np.int64)
    theta = start.copy()
    margins = np.empty(n)
    combine_columns(signed, theta, margins)
    for k in range(n_lams):
        if k >= 2 and lams[k - 1] != lams[k - 2]:
            extrapolate(signed, weights, tilt, ridge, lams, coefs, k, theta, margins)
        objectives[k], iterations[k], optimalities[k] = newton_point(
            LOGISTIC, signed, weights, tilt, ridge, lams[k], theta, margins, tol, max_iter
        )
        coefs[k] = theta
    return coefs, objectives, iterations, optimalities
