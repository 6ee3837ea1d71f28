"""Sums over every column of a dense matrix, in one pass over it as it lies in memory: by row, or by column.

`matrix` has shape (n, m) by row and (m, n) by column. By row, a few rows are taken at a time, so that the sums are read
and written once for all of them; the sums of a block of columns stay in the cache. Every sum has one order.
"""

import numpy as np

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.columns import BY_COLUMN, BY_ROW
from shiftlr.solvers.loss import REORDER

_WIDTH = 4096  # columns per block


@kernel(error_model="numpy")
def spread_of(total, squares, n):
    """||x - mean|| from the sums of x and of x^2, safe against cancellation."""
    return np.sqrt(max(squares - total * (total / n), 0.0) + 1e-12 * squares)


@kernel(error_model="numpy")
def survey(matrix, layout, weights):
    """(least, largest, weighted sum) of each column."""
    if layout == BY_COLUMN:
        m = matrix.shape[0]
        low, high, sums = np.empty(m), np.empty(m), np.empty(m)
        for j in range(m):
            low[j], high[j], sums[j] = _survey_column(matrix[j], weights)
        return low, high, sums
    m = matrix.shape[1]
    low, high, sums = matrix[0].copy(), matrix[0].copy(), np.zeros(m)
    for start in range(0, m, _WIDTH):
        end = min(start + _WIDTH, m)
        _survey_rows(matrix, start, end, weights, low[start:end], high[start:end], sums[start:end])
    return low, high, sums


@kernel(fastmath=REORDER, error_model="numpy")
def _survey_column(column, weights):
    low = column[0]
    high = column[0]
    total = 0.0
    for i in range(column.size):
        low = min(low, column[i])
        high = max(high, column[i])
        total += weights[i] * column[i]
    return low, high, total


@kernel(fastmath=REORDER, error_model="numpy")
def _survey_rows(matrix, start, end, weights, low, high, sums):
    """The same of columns start..end-1."""
    n = matrix.shape[0]
    i = 0
    while i + 4 <= n:
        x1, x2 = matrix[i, start:end], matrix[i + 1, start:end]
        x3, x4 = matrix[i + 2, start:end], matrix[i + 3, start:end]
        w1, w2, w3, w4 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for j in range(sums.size):
            least = min(x1[j], x2[j], x3[j], x4[j])
            most = max(x1[j], x2[j], x3[j], x4[j])
            low[j] = min(low[j], least)
            high[j] = max(high[j], most)
            sums[j] += (w1 * x1[j] + w2 * x2[j]) + (w3 * x3[j] + w4 * x4[j])
        i += 4
    while i < n:
        row = matrix[i, start:end]
        for j in range(sums.size):
            low[j] = min(low[j], row[j])
            high[j] = max(high[j], row[j])
            sums[j] += weights[i] * row[j]
        i += 1


@kernel(error_model="numpy")
def usual_values(matrix, layout):
    """The middle one of five entries of each column; of fewer, the third or the largest."""
    n = matrix.shape[0] if layout == BY_ROW else matrix.shape[1]
    m = matrix.shape[1] if layout == BY_ROW else matrix.shape[0]
    step = max(1, n // 5)
    few = np.full((5, m), np.inf)
    few[: max(0, 3 - n)] = -np.inf
    for k in range(min(5, n)):
        row = few[k + max(0, 3 - n)]
        for j in range(m):
            row[j] = matrix[k * step, j] if layout == BY_ROW else matrix[j, k * step]
    middle = np.empty(m)
    x1, x2, x3, x4, x5 = few[0], few[1], few[2], few[3], few[4]
    for j in range(m):
        low = max(min(x1[j], x2[j]), min(x3[j], x4[j]))
        high = min(max(x1[j], x2[j]), max(x3[j], x4[j]))
        middle[j] = max(min(low, high), min(max(low, high), x5[j]))
    return middle


@kernel(error_model="numpy")
def is_mostly_small(matrix, layout, step, middle, largest, ratio):
    """Whether in some column most of every `step`-th entry x that is not the middle is small: |x - middle| is less
    than the ratio-th part of the largest."""
    m = middle.size
    lead = np.zeros(m)  # of those that are small over the others
    if layout == BY_COLUMN:
        for j in range(m):
            for i in range(0, matrix.shape[1], step):
                size = abs(matrix[j, i] - middle[j])
                lead[j] += 0.0 if size == 0.0 else (1.0 if size * ratio < largest[j] else -1.0)
    else:
        for i in range(0, matrix.shape[0], step):
            row = matrix[i]
            for j in range(m):
                size = abs(row[j] - middle[j])
                lead[j] += (2.0 * (size * ratio < largest[j]) - 1.0) * (size > 0.0)  # without branches: twice as fast
    return (lead > 0.0).any()


@kernel(error_model="numpy")
def extremes(matrix, layout, fit_intercept, sample, ratio):
    """(whether rows are outlying, least, largest of each column), as in `look_over`."""
    n, m = (matrix.shape[0], matrix.shape[1]) if layout == BY_ROW else (matrix.shape[1], matrix.shape[0])
    low, high, _ = survey(matrix, layout, np.ones(n))
    middle = usual_values(matrix, layout) if fit_intercept else np.zeros(m)
    largest = np.maximum(high - middle, middle - low)
    return is_mostly_small(matrix, layout, max(1, n // sample), middle, largest, ratio), low, high


@kernel(error_model="numpy")
def look_over(matrix, layout, weights, fit_intercept, sample, ratio):
    """(largest |x|, whether rows are outlying, centre, reach, mean, spread), the last four of columns.

    Reach, mean and spread are those after centring.

    Rows are outlying as in `frame.has_outlying_rows`, judged by about `sample` of them with the limit `ratio`. If they
    are, the other values mean nothing: such columns have to be centred by medians first.
    """
    low, high, sums = survey(matrix, layout, weights)
    m = sums.size
    extent = 0.0
    for j in range(m):
        extent = max(extent, high[j], -low[j])
    centre = np.zeros(m)
    middle = usual_values(matrix, layout) if fit_intercept else np.zeros(m)
    largest = np.maximum(high - middle, middle - low)
    if is_mostly_small(matrix, layout, max(1, weights.size // sample), middle, largest, ratio):
        return extent, True, centre, low, high, sums
    if fit_intercept:
        total = weights.sum()
        for j in range(m):
            # a column of one value becomes exactly 0: the difference would be rounding that looks like a feature
            centre[j] = low[j] if low[j] == high[j] else sums[j] / total
    reach, mean, spread = measure(matrix, layout, weights, centre)
    return extent, False, centre, reach, mean, spread


@kernel(error_model="numpy")
def measure(matrix, layout, weights, centre):
    """reach, mean and spread of each column of x - centre: sum_i w_i |x_ij|, sum_i x_ij / n, ||x_j - mean_j||."""
    m = centre.size
    n = weights.size
    reach, total, squares = np.zeros(m), np.zeros(m), np.zeros(m)
    if layout == BY_COLUMN:
        for j in range(m):
            reach[j], total[j], squares[j] = _measure_column(matrix[j], weights, centre[j])
    else:
        for start in range(0, m, _WIDTH):
            part = slice(start, min(start + _WIDTH, m))
            _measure_rows(matrix, start, part.stop, weights, centre[part], reach[part], total[part], squares[part])
    for j in range(m):
        squares[j] = spread_of(total[j], squares[j], n)
        total[j] /= n
    return reach, total, squares


@kernel(fastmath=REORDER, error_model="numpy")
def _measure_column(column, weights, centre):
    reach = 0.0
    total = 0.0
    squares = 0.0
    for i in range(column.size):
        x = column[i] - centre
        reach += weights[i] * abs(x)
        total += x
        squares += x * x
    return reach, total, squares


@kernel(fastmath=REORDER, error_model="numpy")
def _measure_rows(matrix, start, end, weights, centre, reach, total, squares):
    """Add up columns start..end-1."""
    n = matrix.shape[0]
    i = 0
    while i + 4 <= n:
        row1, row2 = matrix[i, start:end], matrix[i + 1, start:end]
        row3, row4 = matrix[i + 2, start:end], matrix[i + 3, start:end]
        w1, w2, w3, w4 = weights[i], weights[i + 1], weights[i + 2], weights[i + 3]
        for j in range(total.size):
            x1 = row1[j] - centre[j]
            x2 = row2[j] - centre[j]
            x3 = row3[j] - centre[j]
            x4 = row4[j] - centre[j]
            reach[j] += (w1 * abs(x1) + w2 * abs(x2)) + (w3 * abs(x3) + w4 * abs(x4))
            total[j] += (x1 + x2) + (x3 + x4)
            squares[j] += (x1 * x1 + x2 * x2) + (x3 * x3 + x4 * x4)
        i += 4
    while i < n:
        row = matrix[i, start:end]
        for j in range(total.size):
            x = row[j] - centre[j]
            reach[j] += weights[i] * abs(x)
            total[j] += x
            squares[j] += x * x
        i += 1


@kernel(fastmath=REORDER, error_model="numpy")
def multiply(matrix, layout, vector, products):
    """products_j = x_j.vector."""
    m = products.size
    if layout == BY_COLUMN:
        for j in range(m):
            column = matrix[j]
            total = 0.0
            for i in range(vector.size):
                total += column[i] * vector[i]
            products[j] = total
        return
    for j in range(m):
        products[j] = 0.0
    for start in range(0, m, _WIDTH):
        end = min(start + _WIDTH, m)
        _multiply_rows(matrix, start, end, vector, products[start:end])


@kernel(fastmath=REORDER, error_model="numpy")
def _multiply_rows(matrix, start, end, vector, products):
    """Add to the products of columns start..end-1, eight rows at a time."""
    n = matrix.shape[0]
    i = 0
    while i + 8 <= n:
        x1, x2 = matrix[i, start:end], matrix[i + 1, start:end]
        x3, x4 = matrix[i + 2, start:end], matrix[i + 3, start:end]
        x5, x6 = matrix[i + 4, start:end], matrix[i + 5, start:end]
        x7, x8 = matrix[i + 6, start:end], matrix[i + 7, start:end]
        v1, v2, v3, v4 = vector[i], vector[i + 1], vector[i + 2], vector[i + 3]
        v5, v6, v7, v8 = vector[i + 4], vector[i + 5], vector[i + 6], vector[i + 7]
        for j in range(products.size):
            first = (v1 * x1[j] + v2 * x2[j]) + (v3 * x3[j] + v4 * x4[j])
            products[j] += first + ((v5 * x5[j] + v6 * x6[j]) + (v7 * x7[j] + v8 * x8[j]))
        i += 8
    while i < n:
        row = matrix[i, start:end]
        for j in range(products.size):
            products[j] += vector[i] * row[j]
        i += 1
