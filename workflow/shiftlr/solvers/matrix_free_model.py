"""Minimise the quadratic model of one proximal Newton step without storing H, for large working sets.

The same model as in `quadratic_model.py`. Kept are only the `pulls` r + h X d, from which any entry of the model's
gradient is one column product: coordinate descent finds the support, conjugate gradients solve on it.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import add_weighted_column, column_dot, weighted_square
from shiftlr.solvers.loss import REORDER
from shiftlr.solvers.quadratic_model import (
    RIDGE,
    combine_columns,
    copy_head,
    excess_slope,
    first_crossing,
    list_support,
    soft_threshold,
    total_of,
)


@kernel(fastmath=REORDER, error_model="numpy")
def _free_sweep(features, columns, tilts, curvatures, diagonal, pulls, points, reaches, kappa, first, size):
    """One round of coordinate descent without H; `pulls` follow. Returns the worst violation met."""
    worst = 0.0
    for a in range(first, size):
        if a == 0:
            gradient = tilts[0] + total_of(pulls)
        else:
            gradient = tilts[a] + column_dot(features, columns[a], pulls)
        width = kappa if a > 0 else 0.0
        worst = max(worst, excess_slope(gradient, points[a], width) / reaches[a])
        new = soft_threshold(points[a] - gradient / diagonal[a], width / diagonal[a])
        delta = new - points[a]
        if delta != 0.0:
            points[a] = new
            if a == 0:
                for i in range(pulls.size):
                    pulls[i] += delta * curvatures[i]
            else:
                add_weighted_column(features, columns[a], delta, curvatures, pulls)
    return worst


@kernel(fastmath=REORDER, error_model="numpy")
def _conjugate_gradients(features, columns, curvatures, diagonal, support, count, target, moves, fitted):
    """Solve H moves = moves on the support, roughly; `fitted` becomes X moves."""
    r = np.empty(count)
    p = np.empty(count)
    image = np.empty(count)
    direction = np.empty(fitted.size)
    weighted = np.empty(fitted.size)
    for i in range(fitted.size):
        fitted[i] = 0.0
    rho = 0.0
    for c in range(count):
        r[c] = moves[c]
        moves[c] = 0.0
        p[c] = r[c] / diagonal[support[c]]
        rho += r[c] * p[c]
    start = rho
    for _ in range(min(count, 100)):
        if rho <= target * target * start or rho <= 0.0:
            break
        combine_columns(features, columns, support, count, p, direction)
        for i in range(weighted.size):
            weighted[i] = curvatures[i] * direction[i]
        bend = 0.0
        for c in range(count):
            a = support[c]
            image[c] = total_of(weighted) if a == 0 else column_dot(features, columns[a], weighted)
            image[c] += RIDGE * diagonal[a] * p[c]
            bend += p[c] * image[c]
        alpha = rho / bend
        previous = rho
        rho = 0.0
        for c in range(count):
            moves[c] += alpha * p[c]
            r[c] -= alpha * image[c]
            rho += r[c] * r[c] / diagonal[support[c]]
        for i in range(fitted.size):
            fitted[i] += alpha * direction[i]
        for c in range(count):
            p[c] = r[c] / diagonal[support[c]] + rho / previous * p[c]


@kernel(fastmath=REORDER, error_model="numpy")
def _projected_move(features, columns, tilts, curvatures, pulls, points, kappa, support, count, moves, fitted):
    """Make the moves with every sign change cut at zero if that lowers the model, else up to the first sign change."""
    share, crossing = first_crossing(points, moves, support, count, kappa)
    if crossing >= 0:
        cut = np.empty(count)
        change = 0.0
        for r in range(count):
            a = support[r]
            crosses = a > 0 and points[a] * (points[a] + moves[r]) <= 0.0
            cut[r] = -points[a] if crosses else moves[r]
            change += tilts[a] * cut[r]
            if a > 0:
                change += kappa * (abs(points[a] + cut[r]) - abs(points[a]))
        shadow = np.empty(fitted.size)
        combine_columns(features, columns, support, count, cut, shadow)
        for i in range(shadow.size):
            change += (pulls[i] + 0.5 * curvatures[i] * shadow[i]) * shadow[i]
        if change < 0.0:
            share = 1.0
            copy_head(cut, moves, count)
            copy_head(shadow, fitted, shadow.size)
        else:
            moves[crossing] = -points[support[crossing]] / share
    for r in range(count):
        points[support[r]] += share * moves[r]
    if crossing >= 0 and share < 1.0:
        points[support[crossing]] = 0.0
    for i in range(pulls.size):
        pulls[i] += share * curvatures[i] * fitted[i]


@kernel(fastmath=REORDER, error_model="numpy")
def solve_free_model(
    features, columns, tilts, residuals, curvatures, points, reaches, kappa, first, size, target, support, listed,
    fresh, moves,
):  # fmt: skip
    """Minimise the model without H: `points` go from v to v + d."""
    diagonal = np.empty(size)
    diagonal[0] = total_of(curvatures) * (1.0 + RIDGE)
    for a in range(1, size):
        diagonal[a] = weighted_square(features, columns[a], curvatures) * (1.0 + RIDGE)
    pulls = np.empty(residuals.size)
    copy_head(residuals, pulls, residuals.size)
    fitted = np.empty(pulls.size)
    for _ in range(60):
        worst = 0.0
        for _ in range(3):
            worst = _free_sweep(
                features, columns, tilts, curvatures, diagonal, pulls, points, reaches, kappa, first, size
            )
        if worst <= target:
            break
        count, _ = list_support(points, first, size, support, 0, listed, fresh)
        for r in range(count):
            a = support[r]
            gradient = tilts[a] + (total_of(pulls) if a == 0 else column_dot(features, columns[a], pulls))
            moves[r] = -(gradient + (0.0 if a == 0 else (kappa if points[a] > 0.0 else -kappa)))
        _conjugate_gradients(features, columns, curvatures, diagonal, support, count, 0.01, moves, fitted)
        _projected_move(features, columns, tilts, curvatures, pulls, points, kappa, support, count, moves, fitted)
