"""The state of the L1 solver, and which columns it works on.

Most columns have a zero coefficient and a gradient well below kappa. Only those in the working set take part in a step;
the others are checked, mostly without being read, by the bound

    |x_j.r - x_j.r'| <= ||x_j - mean_j|| ||r - r'|| + |mean_j| |sum(r - r')|,    r = dloss / d(X theta + b):

a column whose gradient was far below kappa when last read is read again only when r has drifted far enough.
"""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import column_dot, column_sums
from shiftlr.solvers.loss import REORDER

LARGEST_GRAM = 500  # beyond this many columns in the working set H is not stored

# Entries of State.counts and State.numbers.
SIZE, IN_GRAM, FACTORED = 0, 1, 2
DRIFT, DRIFT_OF_SUM = 0, 1


class Problem(NamedTuple):
    """What is fitted, with per-column figures: reach = sum_i w_i |x_ij|, mean, spread = ||x_j - mean_j||."""

    signs: np.ndarray
    weights: np.ndarray
    tilt: np.ndarray
    tilt_b: float
    total_weight: float
    reach: np.ndarray
    mean: np.ndarray
    spread: np.ndarray
    first: int  # 0 with an intercept, 1 without: the first slot of the working set in use


class State(NamedTuple):
    """Where the solver stands. A slot is a place in the working set; slot 0 is the intercept."""

    counts: np.ndarray
    numbers: np.ndarray
    # by column of X
    member: np.ndarray  # 1 if in the working set
    known: np.ndarray  # gradient when it was last read, and the drifts of r up to then
    stamp: np.ndarray
    stamp_of_sum: np.ndarray
    excess: np.ndarray
    # by slot
    columns: np.ndarray  # which column of X it holds
    values: np.ndarray  # the coefficient, and where the model wants it
    points: np.ndarray
    gradients: np.ndarray  # of loss and tilt, and of the model in their place
    model_gradients: np.ndarray
    reaches: np.ndarray
    tilts: np.ndarray
    support: np.ndarray  # the slots whose part of H is factorised, in the factor's order
    listed: np.ndarray  # scratch, as fresh and moves
    fresh: np.ndarray
    moves: np.ndarray
    # by example
    margins: np.ndarray
    trial: np.ndarray
    shift: np.ndarray  # the step in X theta + b
    slopes: np.ndarray
    curvatures: np.ndarray
    bends: np.ndarray  # curvatures with their floor, and the ones H was built with
    kept_bends: np.ndarray
    residuals: np.ndarray  # r now, and when drift was last recorded
    checked_residuals: np.ndarray
    work: np.ndarray
    # slot by slot
    gram: np.ndarray  # H, and the Cholesky factor of its part on the support
    factor: np.ndarray


@kernel(fastmath=REORDER, error_model="numpy")
def column_figures(features, weights, m):
    """reach, mean and spread of each column, as Problem has them."""
    n = weights.size
    reach = np.empty(m)
    mean = np.empty(m)
    spread = np.empty(m)
    for j in range(m):
        reach[j], total, squares = column_sums(features, j, weights)
        mean[j] = total / n
        spread[j] = np.sqrt(max(squares - total * mean[j], 0.0) + 1e-12 * squares)  # safe against cancellation
    return reach, mean, spread


@kernel()
def new_state(m, n):
    """A state with room for m columns and n examples."""
    slots = m + 1
    gram_slots = min(m, LARGEST_GRAM) + 1
    return State(
        counts=np.zeros(3, np.int64),
        numbers=np.zeros(2),
        member=np.zeros(m, np.uint8),
        known=np.empty(m),
        stamp=np.empty(m),
        stamp_of_sum=np.empty(m),
        excess=np.empty(m),
        columns=np.empty(slots, np.int64),
        values=np.empty(slots),
        points=np.empty(slots),
        gradients=np.empty(slots),
        model_gradients=np.empty(slots),
        reaches=np.empty(slots),
        tilts=np.empty(slots),
        support=np.empty(slots, np.int64),
        listed=np.empty(slots, np.uint8),
        fresh=np.empty(slots, np.int64),
        moves=np.empty(slots),
        margins=np.empty(n),
        trial=np.empty(n),
        shift=np.empty(n),
        slopes=np.empty(n),
        curvatures=np.empty(n),
        bends=np.empty(n),
        kept_bends=np.zeros(n),
        residuals=np.empty(n),
        checked_residuals=np.zeros(n),
        work=np.zeros(n),
        gram=np.empty((gram_slots, gram_slots)),
        factor=np.empty((gram_slots, gram_slots)),
    )


@kernel(error_model="numpy")
def _join(problem, state, j, value):
    """Put column j with coefficient `value` into the working set."""
    a = state.counts[SIZE]
    state.columns[a] = j
    state.values[a] = value
    state.gradients[a] = state.known[j]
    state.reaches[a] = problem.reach[j]
    state.tilts[a] = problem.tilt[j]
    state.member[j] = 1
    state.counts[SIZE] = a + 1


@kernel(error_model="numpy")
def start_set(problem, state, coef0, intercept0):
    """The working set of the warm start: the intercept and the nonzero coefficients. Empty columns get 0."""
    state.values[0] = intercept0 if problem.first == 0 else 0.0
    state.reaches[0] = problem.total_weight
    state.tilts[0] = problem.tilt_b
    state.counts[SIZE] = 1
    for j in range(coef0.size):
        state.known[j] = np.inf  # never read: any bound fails
        state.stamp[j] = 0.0
        state.stamp_of_sum[j] = 0.0
        if coef0[j] != 0.0 and problem.reach[j] > 0.0:
            _join(problem, state, j, coef0[j])


@kernel(fastmath=REORDER, error_model="numpy")
def record_drift(state):
    """Add the way r has gone since the last call to the drifts."""
    square = 0.0
    total = 0.0
    for i in range(state.residuals.size):
        change = state.residuals[i] - state.checked_residuals[i]
        square += change * change
        total += change
        state.checked_residuals[i] = state.residuals[i]
    state.numbers[DRIFT] += np.sqrt(square)
    state.numbers[DRIFT_OF_SUM] += abs(total)


@kernel(error_model="numpy")
def _remember(state, j, gradient):
    """Note the gradient of column j as read at the present r."""
    state.known[j] = gradient
    state.stamp[j] = state.numbers[DRIFT]
    state.stamp_of_sum[j] = state.numbers[DRIFT_OF_SUM]


@kernel(error_model="numpy")
def _rank_value(values, rank, low):
    """A level that at least `rank` values reach, by bisection, as high as 50 halvings find one; low has more."""
    high = low
    for j in range(values.size):
        high = max(high, values[j])
    for _ in range(50):
        middle = 0.5 * (low + high)
        count = 0
        for j in range(values.size):
            count += values[j] >= middle
        if count >= rank:
            low = middle
        else:
            high = middle
    return low


@kernel(error_model="numpy")
def grow_set(features, problem, state, level, kappa, tol):
    """Add columns whose gradient exceeds `level`, the worst first if they are many. Returns (added, violation, all).

    `violation` is the largest violation of the optimality conditions at kappa >= level among columns outside before;
    `all` tells whether all that exceed the level were added."""
    record_drift(state)
    worst = 0.0
    found = 0
    for j in range(state.member.size):
        state.excess[j] = 0.0
        if state.member[j] == 1 or problem.reach[j] == 0.0:
            continue
        drift = state.numbers[DRIFT] - state.stamp[j]
        drift_of_sum = state.numbers[DRIFT_OF_SUM] - state.stamp_of_sum[j]
        if abs(state.known[j]) + problem.spread[j] * drift + abs(problem.mean[j]) * drift_of_sum < (1.0 - 1e-9) * level:
            continue
        gradient = column_dot(features, j, state.residuals) + problem.tilt[j]
        _remember(state, j, gradient)
        worst = max(worst, (abs(gradient) - kappa) / problem.reach[j])
        state.excess[j] = (abs(gradient) - level) / problem.reach[j]
        if state.excess[j] > tol:
            found += 1
    room = max(20, state.counts[SIZE] // 2)
    least = tol
    if found > room:
        least = _rank_value(state.excess, room, tol)
    added = 0
    for j in range(state.member.size):
        if state.excess[j] > tol and state.excess[j] >= least:
            _join(problem, state, j, 0.0)
            added += 1
    return added, worst, added == found


@kernel(error_model="numpy")
def shrink_set(state, level):
    """Let go of zero coefficients with a gradient below `level`. Slots close up, and H and its factor with them."""
    new_slot = state.fresh
    size = 1
    new_slot[0] = 0
    for a in range(1, state.counts[SIZE]):
        j = state.columns[a]
        if state.values[a] == 0.0 and abs(state.gradients[a]) < level:
            _remember(state, j, state.gradients[a])
            state.member[j] = 0
            new_slot[a] = -1
            continue
        new_slot[a] = size
        state.columns[size] = j
        state.values[size] = state.values[a]
        state.gradients[size] = state.gradients[a]
        state.reaches[size] = state.reaches[a]
        state.tilts[size] = state.tilts[a]
        size += 1
    if size == state.counts[SIZE]:
        return
    in_gram = 0
    for a in range(state.counts[IN_GRAM]):
        if new_slot[a] < 0:
            continue
        row = new_slot[a]
        in_gram += 1
        for c in range(state.counts[IN_GRAM]):
            if new_slot[c] >= 0:
                state.gram[row, new_slot[c]] = state.gram[a, c]
    factored = 0
    while factored < state.counts[FACTORED] and new_slot[state.support[factored]] >= 0:
        state.support[factored] = new_slot[state.support[factored]]
        factored += 1
    state.counts[FACTORED] = factored
    state.counts[IN_GRAM] = in_gram
    state.counts[SIZE] = size
