"""The last digits of an SVM: Newton on its augmented Lagrangian.

Coordinate descent finds most bounds quickly and the last digits slowly. Here multipliers a are improved by steps of

    theta, b = argmin  1/2 ||theta||^2 - fixed.theta + (b - centre)^2 / (2 reach) - imbalance b + sum_i phi_i(m_i)
    a_i = p_i(m_i) = min(max(a_i + sigma_i (1 - m_i), 0), U_i),    phi_i' = -p_i,    sigma_i = tau / (||x_i||^2 + reach)

`fixed` and `imbalance` are the parts of examples that are left out, whose multipliers stay as they are. phi is the
hinge, rounded off around the multiplier that is known: nothing has to shrink for the answer to become exact, and few
examples, J, lie on the rounded part. A Newton step needs only these:

    (1/sigma_J + Z_J Z_J' + reach s_J s_J') q = Z_J g + reach h s_J,   z_i = s_i x_i,   g, h: gradient in theta and b

which is solved by a Cholesky factor, in as many unknowns as J has members or theta has entries, or by conjugate
gradients where both are many. All is scaled by the norms of the rows.
"""

import math

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.dense import cholesky, dot, solve_cholesky
from shiftlr.solvers.feature_rows import add_row, clear_row, row_dot

MOST_UNKNOWNS = 600  # for a Cholesky factor
_MOST_CG = 500  # steps of conjugate gradients
_CG_CLOSENESS = 0.01  # how far they reduce the residual
_GROWTH = 3.0  # of tau, from one step to the next; with more, few examples are left on the rounded part to step by
LARGEST_TAU = 1e10
_ROUNDING = 1e-28  # of ||theta||^2: a gradient of nothing but rounding
_MOST_STEPS = 50  # for one tau; more are only needed where rounding hides the answer
_CLOSE = 0.3  # how small a gradient ends the search for theta, beside the change of the multipliers


@kernel(error_model="numpy")
def fill_targets(rows, signs, upper, multipliers, sigma, margins, fixed, targets, theta, inside):
    """Fill the targets p_i, theta = fixed + sum_i s_i p_i x_i, and who lies strictly between the bounds.

    Returns (how many those are, sum_i s_i p_i, how far the targets are from the multipliers, what they lack to
    complementarity: sum_i U_i max(0, 1 - m_i) - p_i (1 - m_i)).
    """
    theta[:] = fixed
    size, total, moved, lacking = 0, 0.0, 0.0, 0.0
    for i in range(margins.size):
        slack = 1.0 - margins[i]
        p = min(max(multipliers[i] + sigma[i] * slack, 0.0), upper[i])
        targets[i] = p
        if p > 0.0:
            add_row(rows, i, signs[i] * p, theta)
            total += signs[i] * p
            if p < upper[i]:
                inside[size] = i
                size += 1
        moved += (p - multipliers[i]) ** 2 / sigma[i]
        lacking += upper[i] * max(slack, 0.0) - p * slack
    return size, total, moved, lacking


@kernel(error_model="numpy")
def slope_along(multipliers, sigma, upper, margins, change, step):
    """sum_i of phi_i'(m_i + step c_i) c_i."""
    total = 0.0
    for i in range(margins.size):
        p = multipliers[i] + sigma[i] * (1.0 - margins[i] - step * change[i])
        total -= min(max(p, 0.0), upper[i]) * change[i]
    return total


@kernel(error_model="numpy")
def step_along(multipliers, sigma, upper, margins, change, linear, quadratic):
    """A step near the one where the slope along the line, which rises, is 0. The slope at 0 has to be below 0."""
    first = linear + slope_along(multipliers, sigma, upper, margins, change, 0.0)
    low, low_slope, high, high_slope = 0.0, first, np.inf, 0.0
    step = 1.0
    for trial in range(60):
        slope = linear + quadratic * step + slope_along(multipliers, sigma, upper, margins, change, step)
        if abs(slope) <= 0.1 * abs(first):
            break
        if slope < 0.0:
            low, low_slope = step, slope
        else:
            high, high_slope = step, slope
        if high == np.inf:
            step *= 4.0
        elif trial % 3 == 2:
            step = 0.5 * (low + high)
        else:
            step = low + (high - low) * low_slope / (low_slope - high_slope)
    return step


@kernel(error_model="numpy")
def by_examples(rows, signs, inside, roots, reach, tau, right, work):
    """Solve for q (scaled) by a Cholesky factor of the Gram matrix of the examples inside; False if there is none."""
    size = inside.size
    gram, factor = np.empty((size, size)), np.empty((size, size))
    for a in range(size):
        i = inside[a]
        add_row(rows, i, signs[i], work)
        for c in range(a, size):
            j = inside[c]
            value = signs[j] * row_dot(rows, j, work) + reach * signs[i] * signs[j]
            gram[c, a] = value / (roots[i] * roots[j])
        clear_row(rows, i, work)
    if not cholesky(gram, 1.0 / tau, 0.0, factor):
        return False
    solve_cholesky(factor, size, right)
    return True


@kernel(error_model="numpy")
def by_gradients(rows, signs, inside, roots, reach, tau, right, work, closeness, max_steps):
    """Solve for q (scaled) by conjugate gradients, in place; returns how many steps were made."""
    size = inside.size
    residual, direction, image = right.copy(), right.copy(), np.empty(size)
    right[:] = 0.0
    squares = dot(residual, residual)
    goal = closeness * closeness * squares
    done = 0
    while done < max_steps and squares > goal:
        done += 1
        total = 0.0
        for a in range(size):
            i = inside[a]
            factor = signs[i] * direction[a] / roots[i]
            add_row(rows, i, factor, work)
            total += factor
        for a in range(size):
            i = inside[a]
            image[a] = signs[i] * (row_dot(rows, i, work) + reach * total) / roots[i] + direction[a] / tau
        for a in range(size):
            clear_row(rows, inside[a], work)
        bent = dot(direction, image)
        if not bent > 1e-14 * dot(direction, direction):  # flat, up to rounding
            break
        step = squares / bent
        for a in range(size):
            right[a] += step * direction[a]
            residual[a] -= step * image[a]
        before, squares = squares, dot(residual, residual)
        for a in range(size):
            direction[a] = residual[a] + squares / before * direction[a]
    return done


@kernel(error_model="numpy")
def by_features(rows, signs, inside, roots, reach, tau, gradient, gradient_b, direction):
    """Fill the direction in theta by a Cholesky factor of the Hessian; returns the one in b."""
    m = gradient.size
    size = m + 1 if reach > 0.0 else m
    hessian, factor, solution = np.zeros((size, size)), np.empty((size, size)), np.empty(size)
    row = np.zeros(m)
    for a in range(inside.size):
        i = inside[a]
        row[:] = 0.0
        add_row(rows, i, math.sqrt(tau) / roots[i], row)
        for j in range(m):
            value = row[j]
            if value != 0.0:
                line = hessian[j]
                for k in range(j + 1):
                    line[k] += value * row[k]
        if reach > 0.0:
            scale = math.sqrt(reach * tau) / roots[i]
            for j in range(m):
                hessian[m, j] += scale * row[j]
            hessian[m, m] += scale * scale
    for j in range(m):
        solution[j] = -gradient[j]
    if reach > 0.0:
        solution[m] = -math.sqrt(reach) * gradient_b
    if not cholesky(hessian, 1.0, 0.0, factor):
        cholesky(hessian, 1.0, 1e-10, factor)
    solve_cholesky(factor, size, solution)
    direction[:] = solution[:m]
    return math.sqrt(reach) * solution[m] if reach > 0.0 else 0.0


@kernel(error_model="numpy")
def newton_direction(rows, signs, inside, roots, reach, tau, gradient, gradient_b, direction, work):
    """Fill the direction in theta; returns the one in b."""
    m, size = gradient.size, inside.size
    if m < min(size, MOST_UNKNOWNS):
        return by_features(rows, signs, inside, roots, reach, tau, gradient, gradient_b, direction)
    q = np.empty(size)
    for a in range(size):
        i = inside[a]
        q[a] = signs[i] * (row_dot(rows, i, gradient) + reach * gradient_b) / roots[i]
    if size > MOST_UNKNOWNS or not by_examples(rows, signs, inside, roots, reach, tau, q, work):
        by_gradients(rows, signs, inside, roots, reach, tau, q, work, _CG_CLOSENESS, _MOST_CG)
    for j in range(m):
        direction[j] = -gradient[j]
    total = 0.0
    for a in range(size):
        i = inside[a]
        factor = signs[i] * q[a] / roots[i]
        add_row(rows, i, factor, direction)
        total += factor
    return reach * (total - gradient_b)


@kernel(error_model="numpy")
def newton_step(
    rows, signs, upper, roots, sigma, reach, tau, multipliers, margins, inside, point, fixed, slopes_b, gradient
):
    """One line-searched Newton step: changes the point and the margins; returns the change of the intercept.

    `slopes_b` holds the slope in b of everything, and of everything but the phi_i.
    """
    n, m = signs.size, point.size
    direction, work, change = np.empty(m), np.zeros(m), np.empty(n)
    change_b = newton_direction(rows, signs, inside, roots, reach, tau, gradient, slopes_b[0], direction, work)
    linear, quadratic = 0.0, dot(direction, direction)
    for j in range(m):
        linear += direction[j] * (point[j] - fixed[j])
    if reach > 0.0:
        linear += change_b * slopes_b[1]
        quadratic += change_b * change_b / reach
    for i in range(n):
        change[i] = signs[i] * (row_dot(rows, i, direction) + change_b)
    step = step_along(multipliers, sigma, upper, margins, change, linear, quadratic)
    for j in range(m):
        point[j] += step * direction[j]
    for i in range(n):
        margins[i] += step * change[i]
    return step * change_b


@kernel(error_model="numpy")
def sharpen(rows, signs, upper, norms, point, theta, multipliers, intercept, others, reach, tau, goal, max_steps):
    """Improve the multipliers, and theta = theta(a) with them, until they lack at most `goal` to complementarity.

    `point` is where theta is looked for first, and `others` the sum of s_i a_i of the examples that are left out.
    Returns (intercept, Newton steps, the last tau).
    """
    n, m = signs.size, theta.size
    roots, sigma, margins, targets = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    fixed, gradient, inside = theta.copy(), np.empty(m), np.empty(n, np.int64)
    point = point.copy()
    for i in range(n):
        roots[i] = math.sqrt(max(norms[i] + reach, 1e-300))
        if multipliers[i] != 0.0:
            add_row(rows, i, -signs[i] * multipliers[i], fixed)
    steps = 0
    while True:
        centre = intercept
        for i in range(n):
            sigma[i] = tau / (roots[i] * roots[i])
            margins[i] = signs[i] * (row_dot(rows, i, point) + intercept)
        for _ in range(_MOST_STEPS):
            size, total, moved, lacking = fill_targets(
                rows, signs, upper, multipliers, sigma, margins, fixed, targets, theta, inside
            )
            slope_b = (intercept - centre) / reach - others if reach > 0.0 else 0.0
            gradient_b = slope_b - total if reach > 0.0 else 0.0
            squares = reach * gradient_b * gradient_b
            for j in range(m):
                gradient[j] = point[j] - theta[j]
                squares += gradient[j] * gradient[j]
            moved += reach * (total + others) ** 2
            if squares <= max(_CLOSE * _CLOSE * moved, _ROUNDING * dot(theta, theta)) or steps >= max_steps:
                break
            steps += 1
            intercept += newton_step(
                rows, signs, upper, roots, sigma, reach, tau, multipliers, margins, inside[:size], point, fixed,
                (gradient_b, slope_b), gradient,
            )  # fmt: skip
        multipliers[:] = targets
        if steps >= max_steps or tau >= LARGEST_TAU or not lacking + 0.5 * moved > goal:
            break
        tau *= _GROWTH
        reach *= _GROWTH
    return intercept, steps, tau
