"""A proof that an unpenalised fit has a minimum, from the curvature at the point where a solver stopped.

Let d be a direction with u_i = s_i d.z_i >= 0 for all rows z_i, along which the loss falls for ever. All terms of the
loss have slopes of one sign, and curvatures that are at most as large. So, with the gradient g of all rows and the
Hessian H of some of them,  d'Hd <= max_i u_i |g.d|,  with the largest u_i of those rows. But
|g.d|^2 <= (d'Hd) (g'H^-1 g)  and  max_i u_i^2 <= (d'Hd) max_i z_i'H^-1 z_i.  If the product of the last factors is
below 1, there is no such d.
"""

import numpy as np
from scipy.linalg import eigh, lapack

_NO_CURVATURE = 1e-12  # of the largest: rounding
_NO_MARGIN = 1e-9  # rounding of a score, in columns of size 1
_SURE = 0.5  # instead of 1: room for rounding


def proves_minimum(gradient, hessian, some_rows, all_rows):
    """Whether the data are proved not to be separable.

    `gradient` is that of the loss over `all_rows`, `hessian` (its lower triangle) that over `some_rows`, both
    `RowBlocks` of the same coordinates, in which the largest entry of a column is 1 or more, unless all are 0.
    Directions in which all rows are 0 do not count.
    """
    if not np.all(np.isfinite(hessian)):
        return False
    roots = _inverse_root(hessian)
    if roots is None:
        curvatures, directions = eigh(hessian, lower=True, check_finite=False)
        flat = curvatures <= _NO_CURVATURE * curvatures[-1]
        if flat.all() or all_rows.largest_score(directions[:, flat]) > _NO_MARGIN:
            return False
        roots = directions[:, ~flat] / np.sqrt(curvatures[~flat])
    decrement = np.sum((gradient @ roots) ** 2)
    return bool(decrement * some_rows.largest_score(roots, together=True) ** 2 < _SURE)


def _inverse_root(matrix):
    """R with R R' = the inverse of a matrix (its lower triangle), or None if that is next to singular."""
    factor, info = lapack.dpotrf(matrix, lower=1)
    if info != 0 or not np.all(np.diagonal(factor) ** 2 > _NO_CURVATURE * np.diagonal(matrix)):
        return None
    return lapack.dtrtri(factor, lower=1)[0].T
