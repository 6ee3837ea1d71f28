"""The losses of more than two classes, with the shifts of an example profiled out.

For scores z_1 .. z_C, a label y and shifts g at a price lam ||g||, the loss is

    min over g of  lse(z + g) - z_y - g_y + lam ||g||,   lse(z) = log(sum_c exp(z_c)).

It is convex and once differentiable. Its gradient, the residual, is q - e_y, where q are the probabilities of the
shifted scores and e_y is 1 at the label: a shift keeps the residual from being longer than lam.

LABEL   one shift, on the score of the label. With the margin m = z_y - lse(z_c, c != y) it is the loss of two classes:
        value, slope -s and shift follow from m (`loss.py`). Residual: -s at y, s pi_c elsewhere, with pi = softmax over
        the other classes. Hessian: diag(q) - q q' without a shift, lam (diag(pi) - pi pi') with one.
GROUP   a shift for each class, ||g|| their Euclidean norm (`group_shift.py`).

Residuals and a number for each row (its `state`) are all that a product with the Hessian needs: 1 without a shift, lam
with a shift of the label, minus kappa with a group of them.
"""

import math

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.group_shift import first_kappa, group_terms
from shiftlr.solvers.loss import exp_of_negative, loss_at_threshold, terms_at, threshold

LABEL, GROUP = 0, 1


@kernel(error_model="numpy")
def margin_of(scores, label, odds):
    """z_label - lse of the others; puts the others' softmax into `odds`, which is 0 at the label."""
    most = -np.inf
    for c in range(scores.size):
        if c != label:
            most = max(most, scores[c])
    total = 0.0
    for c in range(scores.size):
        odds[c] = 0.0 if c == label else exp_of_negative(scores[c] - most)
        total += odds[c]
    for c in range(scores.size):
        odds[c] /= total
    return scores[label] - most - math.log(total)


@kernel(error_model="numpy")
def softmax_terms(kind, scores, codes, weights, lam, residuals, states):
    """Fill the residuals (n, C), times the weights, and the states (n,); returns (sum of losses, sum of slopes).

    Negative states that come in are where the search for a group's shift begins.
    """
    t, value_at_t = -np.inf, 0.0
    if kind == LABEL:
        t, value_at_t = threshold(lam), loss_at_threshold(lam)
    price = lam if kind == LABEL else 1.0
    total = 0.0
    slopes = 0.0
    for i in range(codes.size):
        label, row = codes[i], residuals[i]
        margin = margin_of(scores[i], label, row)
        value, slope, _ = terms_at(margin, price, t, value_at_t)
        state = price if margin < t else 1.0
        length = 0.0
        for c in range(row.size):
            row[c] *= -slope
            length += row[c] * row[c]
        row[label] = slope
        length = math.sqrt(length + slope * slope)
        if kind == GROUP and length > lam:
            kappa = -states[i] if states[i] < 0.0 else first_kappa(margin, -length / slope, lam)
            value, kappa = group_terms(scores[i], label, lam, kappa, row)
            state = -kappa
        states[i] = state
        total += weights[i] * value
        slopes += weights[i] * abs(row[label])
        for c in range(row.size):
            row[c] *= weights[i]
    return total, slopes


@kernel(error_model="numpy", inline="always")
def bend_row(residual, state, weight, label, given, out):
    """out = (Hessian of a row's loss, times its weight) given. `residual` is the row's, times the weight."""
    n_classes = given.size
    if weight <= 0.0:
        for c in range(n_classes):
            out[c] = 0.0
    elif state > 0.0:
        # state (diag(u) - u u') with u = residual / state + e_y; e_y only where the label has a probability of its own
        mean = 0.0
        for c in range(n_classes):
            share = residual[c] + (weight if c == label else 0.0)
            share = 0.0 if c == label and state < 1.0 else share
            mean += share * given[c]
        mean /= weight * state
        for c in range(n_classes):
            share = residual[c] + (weight if c == label else 0.0)
            share = 0.0 if c == label and state < 1.0 else share
            out[c] = share * (given[c] - mean)
    else:
        kappa = -state
        ones, cross, square, first, second = 0.0, 0.0, 0.0, 0.0, 0.0
        for c in range(n_classes):
            r = residual[c] / weight
            q = r + (1.0 if c == label else 0.0)
            d = q / (1.0 + kappa * q)
            ones += d
            cross += d * r
            square += d * r * r
            first += d * given[c]
            second += d * r * given[c]
        determinant = ones * square - cross * cross
        a, b = 0.0, 0.0
        if determinant > 1e-14 * ones * square:
            a = (square * first - cross * second) / determinant
            b = (ones * second - cross * first) / determinant
        elif ones > 0.0:
            a = first / ones
        for c in range(n_classes):
            r = residual[c] / weight
            q = r + (1.0 if c == label else 0.0)
            out[c] = weight * (q / (1.0 + kappa * q)) * (given[c] - a - b * r)


@kernel(error_model="numpy")
def bend_rows(residuals, states, weights, codes, block):
    """Every row of `block` (n, C) becomes its product with the Hessian of its loss."""
    given = np.empty(block.shape[1])
    for i in range(codes.size):
        row = block[i]
        for c in range(given.size):
            given[c] = row[c]
        bend_row(residuals[i], states[i], weights[i], codes[i], given, row)


@kernel(error_model="numpy")
def hessian_entries(residuals, states, weights, codes, first, second, out):
    """The entry (first, second) of every row's Hessian."""
    n_classes = residuals.shape[1]
    given, image = np.zeros(n_classes), np.empty(n_classes)
    given[second] = 1.0
    for i in range(codes.size):
        bend_row(residuals[i], states[i], weights[i], codes[i], given, image)
        out[i] = image[first]


@kernel(error_model="numpy")
def hessian_diagonals(residuals, states, weights, codes, out):
    """The diagonal of every row's Hessian (n, C)."""
    n_classes = residuals.shape[1]
    given, image = np.zeros(n_classes), np.empty(n_classes)
    for i in range(codes.size):
        for c in range(n_classes):
            given[c] = 1.0
            bend_row(residuals[i], states[i], weights[i], codes[i], given, image)
            given[c] = 0.0
            out[i, c] = max(image[c], 0.0)


@kernel(error_model="numpy")
def label_shifts(scores, codes, lam):
    """The shift of each label's score (n,): max(threshold - margin, 0)."""
    t = threshold(lam)
    shifts, odds = np.zeros(codes.size), np.empty(scores.shape[1])
    for i in range(codes.size):
        shifts[i] = max(t - margin_of(scores[i], codes[i], odds), 0.0)
    return shifts


@kernel(error_model="numpy")
def group_shifts(scores, codes, lam):
    """The shifts of all scores (n, C); a row sums to 0."""
    n, n_classes = scores.shape
    shifts, residuals, states = np.zeros((n, n_classes)), np.empty((n, n_classes)), np.zeros(n)
    softmax_terms(GROUP, scores, codes, np.ones(n), lam, residuals, states)
    for i in range(n):
        if states[i] < 0.0:
            for c in range(n_classes):
                shifts[i, c] = states[i] * residuals[i, c]
    return shifts
