"""Arrays as kernels take them.

A kernel is compiled anew for every type of its arguments, and the type says more than the numbers do: whether an array
is contiguous, whether it may be written to, how wide a sparse matrix's indices are. Brought to one form, it is compiled
once.
"""

import numpy as np


def plain(array, kind=None):
    """The array itself, or a copy if it is not contiguous, aligned, writable and of the type wanted."""
    if type(array) is np.ndarray and array.flags.carray and (kind is None or array.dtype == kind):
        return array  # the usual case, in a tenth of the time
    return np.require(array, kind, ("C", "A", "W"))


def plain_sparse(matrix):
    """(data, indices, indptr) of a CSR or CSC matrix, with indices of 32 bits wherever they suffice."""
    kind = np.int32 if max(matrix.nnz, *matrix.shape) < 2**31 else np.int64
    return plain(matrix.data), plain(matrix.indices, kind), plain(matrix.indptr, kind)
