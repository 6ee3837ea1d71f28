"""Small dense linear algebra, written out: one thread, one order of summation, no call into BLAS."""

import math

from shiftlr.solvers._kernel import kernel
from shiftlr.solvers.loss import REORDER


@kernel(fastmath=REORDER, error_model="numpy")
def dot(a, b):
    total = 0.0
    for i in range(a.size):
        total += a[i] * b[i]
    return total


@kernel(fastmath=REORDER, error_model="numpy")
def cholesky(matrix, added, relative, factor):
    """Factor matrix + added * I + relative * its diagonal (lower triangles); False if a pivot is not well above 0.

    The factor's diagonal holds the inverses of the pivots' roots, as `solve_cholesky` wants them.
    """
    for j in range(matrix.shape[0]):
        row_j = factor[j]
        for k in range(j):
            row_k = factor[k]
            value = matrix[j, k]
            for q in range(k):
                value -= row_j[q] * row_k[q]
            row_j[k] = value * row_k[k]
        pivot = matrix[j, j] + added + relative * matrix[j, j]
        for q in range(j):
            pivot -= row_j[q] * row_j[q]
        if not pivot > 1e-13 * matrix[j, j]:
            return False
        row_j[j] = 1.0 / math.sqrt(pivot)
    return True


@kernel(fastmath=REORDER, error_model="numpy")
def solve_cholesky(factor, size, x):
    """Solve L L' x = x in place, by the leading `size` rows of a factor with the inverses of its diagonal."""
    for a in range(size):
        row = factor[a]
        total = x[a]
        for p in range(a):
            total -= row[p] * x[p]
        x[a] = total * row[a]
    for a in range(size - 1, -1, -1):
        row = factor[a]
        x[a] *= row[a]
        value = x[a]
        for p in range(a):
            x[p] -= row[p] * value
