"""Dual coordinate descent for the SVM, one multiplier at a time, with shrinking.

Maximises  sum_i a_i - 1/2 ||theta(a)||^2 - 1/2 reach (sum_i s_i a_i)^2 - centre sum_i s_i a_i  over 0 <= a_i <= U_i,
with theta(a) = sum_i s_i a_i x_i. The last two terms stand for the intercept b = centre + reach sum_i s_i a_i, which is
held near a centre by a quadratic term (a proximal step), instead of the constraint sum_i s_i a_i = 0.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.feature_rows import add_row, row_dot


@kernel(error_model="numpy")
def shuffle(order, state):
    """Permute `order` by a generator of our own (xorshift); returns its new state."""
    for k in range(order.size - 1, 0, -1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        j = np.int64(state % np.uint64(k + 1))
        order[k], order[j] = order[j], order[k]
    return state


@kernel(error_model="numpy")
def sweep(rows, signs, upper, norms, active, theta, multipliers, intercept, reach, high, low):
    """One pass over the rows `active`, in their order.

    Rows at a bound whose margin lies further from 1 than `high` or `low` say are put at the end of `active`. Returns
    (rows left, intercept, largest and smallest of margin - 1 among rows that are not at a bound that holds them).
    """
    largest, smallest = 0.0, 0.0
    k, size = 0, active.size
    while k < size:
        i = active[k]
        old = multipliers[i]
        over = signs[i] * (row_dot(rows, i, theta) + intercept) - 1.0
        if (old == 0.0 and over >= 0.0) or (old == upper[i] and over <= 0.0):
            if over > high or over < low:
                size -= 1
                active[k], active[size] = active[size], active[k]
            else:
                k += 1
            continue
        k += 1
        largest, smallest = max(largest, over), min(smallest, over)
        new = min(max(old - over / (norms[i] + reach), 0.0), upper[i])
        if new != old:
            multipliers[i] = new
            add_row(rows, i, (new - old) * signs[i], theta)
            intercept += reach * (new - old) * signs[i]
    return size, intercept, largest, smallest


@kernel(error_model="numpy")
def descend(rows, signs, upper, norms, theta, multipliers, intercept, reach, tol, max_sweeps, state):
    """Sweeps in random order until no margin is further than `tol` from where it should be.

    Rows that seem to stay at their bounds are left out, and looked at again at the end. Returns (intercept, sweeps,
    generator state); changes theta and the multipliers.
    """
    active = np.arange(signs.size)
    size, high, low = signs.size, np.inf, -np.inf
    done = 0
    while done < max_sweeps:
        state = shuffle(active[:size], state)
        size, intercept, largest, smallest = sweep(
            rows, signs, upper, norms, active[:size], theta, multipliers, intercept, reach, high, low
        )
        done += 1
        high, low = (largest if largest > 0.0 else np.inf), (smallest if smallest < 0.0 else -np.inf)
        if largest - smallest <= tol or size == 0:
            if size == signs.size:
                break
            size, high, low = signs.size, np.inf, -np.inf
    return intercept, done, state
