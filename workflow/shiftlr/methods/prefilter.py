"""Prefiltering: drop the examples whose nearest neighbours disagree with them, then fit logistic regression."""

import numpy as np
from scipy import sparse
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from shiftlr.methods._warn import warn_caller
from shiftlr.methods.base import LogisticClassifier, on_one_blas_thread, signs_of_two
from shiftlr.solvers.neighbours import nearest_rows, restrict
from shiftlr.validation import check_choice, check_codes, check_number

RULES = ("any", "majority", "all", "positives", "prior")
_APART = 1e-9  # distances that differ by this share of the largest are in the same order however they are summed


class PrefilteredLogisticRegression(LogisticClassifier):
    """Logistic regression on the examples that agree with their k nearest neighbours.

    Parameters
    ----------
    k : int >= 1
        Size of the neighbourhood, the example itself included: k = 1 filters nothing.
    rule : "any", "majority", "all", "positives" or "prior"
        When an example is discarded:

        - "any": one of its neighbours has another label (the report's rule);
        - "majority": more than half of the neighbourhood has, the example itself included;
        - "all": all of its k - 1 neighbours have;
        - "positives": as "majority", but only examples labelled with the second class can be discarded;
        - "prior": the share of its k - 1 neighbours that have another label is larger than the share of other labels
          in the whole training set, so that the commoner label does not win by being common.
    penalty, alpha, fit_intercept, tol, max_iter : as in `RobustLogisticRegression`

    Weights that are whole numbers count an example that many times, as a neighbour too; other weights count in the fit
    only. Examples of weight 0 are nobody's neighbours.
    In a sparse matrix, neighbours at equal distances are taken in the order of their rows.
    If filtering would leave a class without examples, nothing is filtered and a warning says so.

    Attributes
    ----------
    kept_ : (n_examples,) of bool
    coef_, intercept_, classes_, n_features_in_, n_iter_, objective_, optimality_ : of the fit on the examples kept
    """

    takes_many_classes = True

    def __init__(self, k=3, rule="any", penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        self.k = k
        self.rule = rule
        self.penalty = penalty
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol
        self.max_iter = max_iter

    def check_params(self):
        check_choice("rule", self.rule, RULES)
        return super().check_params() | {"k": _check_k(self.k), "rule": self.rule}

    @on_one_blas_thread
    def fit(self, X, y, sample_weight=None, neighbours=None):
        """Filter, then fit to what is left.

        `neighbours` saves the search: for each row the numbers of the others nearest to it, nearest first, at least
        k - 1 of them; `shiftlr.solvers.neighbours.nearest_rows(X, k - 1)` is such a table.
        """
        return self._filter_and_fit(X, y, sample_weight, neighbours)

    def _filter_and_fit(self, X, y, sample_weight, neighbours, votes=None):
        """`votes` are the labels that count where an example is a neighbour; by default y."""
        k = self.check_params()["k"]
        X, codes, weights = self._check_classes(X, y, sample_weight)
        if neighbours is not None:
            neighbours = check_neighbours(neighbours, len(codes), k)
        if self.rule == "positives" and len(self.classes_) > 2:
            raise ValueError(
                f"rule='positives': is for two classes, and y has {len(self.classes_)}; use 'majority' or 'prior'"
            )
        voted = None if votes is None else check_codes(votes, self.classes_, len(codes))
        self.kept_ = agrees_with_neighbours(X, codes, weights, k, self.rule, neighbours, voted)
        used = weights > 0.0
        if len(np.unique(codes[self.kept_ & used])) < len(np.unique(codes[used])):
            warn_caller(
                f"{type(self).__name__}: k={k}, rule={self.rule!r} would leave no example of a class, so nothing was "
                "filtered; use a smaller k or another rule.",
                UserWarning,
            )
            self.kept_ = np.ones(len(codes), dtype=bool)
        kept, everything = self.kept_, X
        X = X if bool(kept.all()) else X[kept]
        if len(self.classes_) == 2:
            self._fit_logistic(X, signs_of_two(codes[kept]), weights[kept])
        else:
            self._fit_softmax(X, codes[kept], weights[kept])
        self._remember(self._scores(everything), codes, weights)  # of those left out too
        return self

    def suspicion(self, X, y):
        """1 for each training example that was discarded, 0 for the others; X and y are the training set."""
        return self.suspected(X, y).astype(float)

    def suspected(self, X, y):
        """Which training examples were discarded; X and y are the training set."""
        check_is_fitted(self)
        self._check_training_set(X, y, len(self.kept_))
        return ~self.kept_

    def shared_by_settings(self, grid, X):
        """What `fit` needs for any setting of the grid: the neighbours for the largest k."""
        largest = max(_check_k(params.get("k", self.k)) for params in grid)
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
        wanted = min(largest, X.shape[0]) - 1
        if wanted < 1:
            return {}
        if sparse.issparse(X):
            return {"neighbours": nearest_rows(X, wanted)}
        distances, neighbours = NearestNeighbors(n_neighbors=wanted).fit(X).kneighbors()
        # A dense search may order equal distances otherwise for another k: then each k is searched for by itself.
        apart = np.diff(distances, axis=1) > _APART * distances[:, -1:]
        return {"neighbours": neighbours} if apart.all() else {}


def _check_k(k):
    return check_number("k", k, at_least=1, integer=True)


def check_neighbours(neighbours, n, k):
    """A table with enough row numbers for each of n rows, else a ValueError."""
    neighbours = np.asarray(neighbours)
    wanted = min(k, n) - 1
    if neighbours.ndim != 2 or len(neighbours) != n or neighbours.shape[1] < wanted:
        raise ValueError(
            f"neighbours.shape == {neighbours.shape}: must be ({n}, {wanted}) or wider, the other k - 1 nearest rows "
            f"for each row of X and k={k}"
        )
    if neighbours.dtype.kind not in "iu":
        raise ValueError(f"neighbours.dtype == {neighbours.dtype}: must be whole numbers, the rows' own")
    if neighbours.size and not 0 <= neighbours.min() <= neighbours.max() < n:
        raise ValueError(
            f"neighbours has row numbers from {neighbours.min()} to {neighbours.max()}: X has the rows 0 to {n - 1}"
        )
    own = np.flatnonzero(np.any(neighbours == np.arange(n)[:, None], axis=1))
    if len(own):
        raise ValueError(f"neighbours[{own[0]}] holds row {own[0]} itself: a table of the other rows is needed")
    return neighbours


def agrees_with_neighbours(X, codes, weights, k, rule, table=None, voted=None):
    """Which examples stay: a mask over the rows of X. Memory is bounded: neighbours are found block by block.

    An example has its label of `codes`, but votes on others with that of `voted`, by default the same.
    """
    kept = np.ones(len(codes), dtype=bool)
    used = np.flatnonzero(weights > 0.0)
    if k == 1 or len(used) < 2:
        return kept
    labels, counts = codes[used], weights[used]
    opinions = labels if voted is None else voted[used]
    if np.any(counts != np.round(counts)):
        counts = np.ones(len(used))
    if k > counts.sum():
        raise ValueError(f"k={k}: there are only {counts.sum():.0f} examples; use a smaller k")
    neighbours = nearest_among(X, used, min(k, len(used)) - 1, table)
    # How much of each neighbour still fits into a neighbourhood of k, after the example itself and the nearer ones.
    nearer = counts[:, None] + np.cumsum(counts[neighbours], axis=1) - counts[neighbours]
    votes = np.clip(k - nearer, 0.0, counts[neighbours])
    against = np.where(opinions[neighbours] != labels[:, None], votes, 0.0).sum(axis=1)
    size = np.minimum(k, counts + votes.sum(axis=1))  # of the neighbourhood, the example and its copies included
    total = counts.sum()
    others = total - np.bincount(opinions, counts, minlength=int(labels.max()) + 1)[labels]
    kept[used] = ~_is_outvoted(rule, against, size, labels, others, total)
    return kept


def _is_outvoted(rule, against, size, labels, others, total):
    """Which examples a rule discards: `against` of the `size` in their neighbourhoods have another label.

    Of all `total` votes in the training set, `others` are for the other label.
    """
    if rule == "any":
        return against > 0.0
    if rule == "all":
        return (against > 0.0) & (against >= size - 1.0)
    if rule == "prior":
        return against * total > others * (size - 1.0)
    return (against > 0.5 * size) & ((labels > 0) | (rule == "majority"))


def nearest_among(X, used, n_neighbours, table):
    """Neighbours of the rows in use among each other, numbered as these, never the row itself; `table` is of all."""
    everything = len(used) == X.shape[0]
    if table is not None:
        return table[:, :n_neighbours] if everything else restrict(table, X, used, n_neighbours)
    rows = X if everything else X[used]
    if sparse.issparse(X):
        return nearest_rows(rows, n_neighbours)
    return NearestNeighbors(n_neighbors=n_neighbours).fit(rows).kneighbors(return_distance=False)
