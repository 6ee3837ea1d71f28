"""The state of the L1 solver, and the columns it works on.

Most columns have a zero coefficient and a gradient well below kappa. Only those in the working set take part in a step;
which others have to join it, `screening.py` finds out.
"""

from typing import NamedTuple

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import column_dot
from shiftlr.solvers.loss import REORDER
from shiftlr.solvers.quadratic_model import combine_columns
from shiftlr.solvers.source import bring

LARGEST_GRAM = 500  # beyond this many columns in the working set H is not stored

SIZE, IN_GRAM, FACTORED, REFERENCES = 0, 1, 2, 3  # entries of State.counts


class Problem(NamedTuple):
    """What is fitted."""

    signs: np.ndarray
    weights: np.ndarray
    tilt: np.ndarray
    tilt_b: float
    total_weight: float
    first: int  # 0 with an intercept, 1 without: the first slot of the working set in use


class State(NamedTuple):
    """Where the solver stands. A slot is a place in the working set; slot 0 is the intercept."""

    counts: np.ndarray
    # by column of X
    member: np.ndarray  # 1 if in the working set
    products: np.ndarray  # x_j.r, read or foretold
    excess: np.ndarray
    reference_products: np.ndarray  # x_j times each of the references
    candidates: np.ndarray  # scratch, as wanted: lists of columns
    wanted: np.ndarray
    # by slot
    columns: np.ndarray  # which column of X it holds, and the place of that in the features
    places: np.ndarray
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
    residuals: np.ndarray  # r = dloss / d(X theta + b)
    references: np.ndarray  # earlier r, made orthogonal to 1 and to each other, of length 1
    rest: np.ndarray  # what of r is in none of them
    work: np.ndarray
    # slot by slot
    gram: np.ndarray  # H, and the Cholesky factor of its part on the support
    factor: np.ndarray


@kernel()
def new_state(m, n):
    """A state with room for m columns and n examples."""
    slots = m + 1
    gram_slots = min(m, LARGEST_GRAM) + 1
    return State(
        counts=np.zeros(4, np.int64),
        member=np.zeros(m, np.uint8),
        products=np.empty(m),
        excess=np.empty(m),
        reference_products=np.zeros((2, m)),
        candidates=np.empty(m, np.int64),
        wanted=np.empty(m, np.int64),
        columns=np.empty(slots, np.int64),
        places=np.empty(slots, np.int64),
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
        references=np.zeros((2, n)),
        rest=np.empty(n),
        work=np.zeros(n),
        gram=np.empty((gram_slots, gram_slots)),
        factor=np.empty((gram_slots, gram_slots)),
    )


@kernel(error_model="numpy")
def join(source, problem, state, j, value):
    """Put column j, which is at hand, with coefficient `value` into the working set."""
    a = state.counts[SIZE]
    state.columns[a] = j
    state.places[a] = source.place[j]
    state.values[a] = value
    state.reaches[a] = source.reach[j]
    state.tilts[a] = problem.tilt[j]
    state.member[j] = 1
    state.counts[SIZE] = a + 1


@kernel(error_model="numpy")
def start_set(features, source, problem, state, coef0, intercept0):
    """The working set of the warm start: the intercept and the nonzero coefficients. Empty columns get 0."""
    state.values[0] = intercept0 if problem.first == 0 else 0.0
    state.reaches[0] = problem.total_weight
    state.tilts[0] = problem.tilt_b
    state.counts[SIZE] = 1
    count = 0
    for j in range(coef0.size):
        if coef0[j] != 0.0 and source.reach[j] > 0.0:
            state.candidates[count] = j
            count += 1
    bring(features, source, state.candidates[:count], state.wanted)
    for k in range(count):
        join(source, problem, state, state.candidates[k], coef0[state.candidates[k]])


@kernel(error_model="numpy")
def shrink_set(state, level):
    """Let go of zero coefficients with a gradient below `level`. Slots close up, and H and its factor with them."""
    new_slot = state.fresh
    size = 1
    new_slot[0] = 0
    for a in range(1, state.counts[SIZE]):
        j = state.columns[a]
        if state.values[a] == 0.0 and abs(state.gradients[a]) < level:
            state.member[j] = 0
            new_slot[a] = -1
            continue
        new_slot[a] = size
        state.columns[size] = j
        state.places[size] = state.places[a]
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


@kernel(error_model="numpy")
def set_margins(features, problem, state):
    """margins = signs * (X theta + b), from scratch."""
    slots = state.fresh
    for a in range(state.counts[SIZE]):
        slots[a] = a
    combine_columns(features, state.places, slots, state.counts[SIZE], state.values, state.margins)
    for i in range(state.margins.size):
        state.margins[i] *= problem.signs[i]


@kernel(fastmath=REORDER, error_model="numpy")
def set_gradients(features, problem, state):
    """Residuals r = dloss / d(X theta + b) and, for the working set, the gradients of the smooth part."""
    total = 0.0
    for i in range(state.slopes.size):
        state.residuals[i] = problem.signs[i] * state.slopes[i]
        total += state.residuals[i]
    state.gradients[0] = total + problem.tilt_b
    for a in range(1, state.counts[SIZE]):
        state.gradients[a] = column_dot(features, state.places[a], state.residuals) + state.tilts[a]
