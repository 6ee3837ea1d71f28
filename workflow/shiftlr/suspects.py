"""From a table of examples to a list of those whose labels look wrong."""

import sys
import warnings

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.pipeline import Pipeline
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _num_samples

from shiftlr.features import make_transformer
from shiftlr.labels import classes_and_codes, read_labels
from shiftlr.methods._doubting import explained, shifts_of_labels
from shiftlr.methods._noise_model import fit_noise_model
from shiftlr.methods._suspects import Judged, has_pandas, index_of, read_row, select, table_of
from shiftlr.methods._warn import warn_caller
from shiftlr.methods.base import on_one_blas_thread
from shiftlr.methods.robust import RobustLogisticRegression
from shiftlr.model_selection import alpha_grid, fit_grid
from shiftlr.validation import check_flag, check_number, check_weights

ALPHAS = (10.0, 1.0, 0.1)
_TOL = 1e-5  # of the fits: their scores are held against labels, not published
_REPEATED = 2000  # examples, up to which folds are drawn three times
_FEW = 200  # examples, below which the automatic set was found to be no better than plain disagreement
_MANY = 1 / 3  # of the labels: then the model rather than the labels may be wrong


def find_label_errors(
    X,
    y,
    *,
    transformer="auto",
    estimator=None,
    grid=None,
    n_splits=5,
    n_repeats=None,
    groups=None,
    sample_weight=None,
    random_state=0,
    verbose=False,
):
    """The examples whose labels look wrong, by models that have not seen these labels.

    1. Features: `transformer`, fitted to all examples without their labels.
    2. Held-out scores: in `n_splits` stratified folds the robust model is fitted to the other folds, for a few
       penalties.
    3. On these scores alone: a calibration p of the class probabilities, and the matrix T of how often each true class
       is seen as each other, by maximum likelihood. The penalty with the largest likelihood is kept.
    4. The suspicion of a label is .9 P(it is wrong | x, y) + .1 P(it is wrong | x).
    5. The automatic set: of the labels that the calibrated prediction contradicts, the first k by suspicion, with the
       k that maximises the expected F1.

    Nothing is promised about the automatic set. It relies on a linear model that fits: where the true classes are not
    linear in the features, it also names right labels that the model cannot explain. For a bound on the share of right
    labels among those named, have some labels checked, and use `suspects(fdr=..., trusted=...)` of the result.

    Parameters
    ----------
    X : DataFrame (numbers, categories, dates, texts, missing values), matrix of numbers, or list of texts
    y : labels of two or more classes, two examples of each at least
    transformer : "auto", a scikit-learn transformer, or None for features that are to be taken as they are
        "auto" is `shiftlr.features.make_transformer(X)`.
    estimator : classifier, by default RobustLogisticRegression(lam=0.1, penalty="l2")
        Any classifier of scikit-learn's form will do.
    grid : list of settings of the estimator, by default alpha 10, 1 and 0.1
    n_splits, n_repeats : int
        Folds, and how often they are drawn; scores are means over the draws. By default three times up to 2,000
        examples, else once.
    groups : (n_examples,)
        Examples of one group are never split between folds.
    sample_weight : (n_examples,)
    random_state : int
        Seed of the folds; the same seed gives the same result.
    verbose : bool
        Say on standard error which fold is being fitted.

    Returns
    -------
    LabelErrors

    Examples
    --------
    >>> import numpy as np
    >>> from shiftlr import find_label_errors
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 3))
    >>> y = np.where(X.sum(axis=1) > 0, "stay", "churn")
    >>> y[:20] = np.where(y[:20] == "stay", "churn", "stay")  # 20 wrong labels
    >>> found = find_label_errors(X, y)
    >>> int((found.table.index < 20).sum()), len(found.table)
    (18, 18)
    """
    rows = index_of(X)
    codes, classes = _read_labels(X, y)
    verbose = check_flag("verbose", verbose)
    if isinstance(transformer, str) and transformer != "auto":
        raise ValueError(f"transformer={transformer!r}: must be 'auto', None or a scikit-learn transformer")
    transformer = make_transformer(X) if isinstance(transformer, str) else transformer
    features = X if transformer is None else transformer.fit_transform(X)
    if estimator is None:
        estimator = RobustLogisticRegression(lam=0.1, penalty="l2", tol=_TOL)
        grid = alpha_grid(ALPHAS) if grid is None else grid
    grid = grid or [{}]
    folds = _Folds(n_splits, n_repeats, groups, random_state, codes, classes)
    weights = None if sample_weight is None else check_weights(sample_weight, np.empty((len(codes), 0)))
    scores = _held_out(estimator, grid, features, codes, weights, folds, verbose)
    noises = [fit_noise_model(of_setting, codes, weights) for of_setting in scores]
    best = int(np.argmax([noise.log_likelihood for noise in noises]))
    params = grid[best]
    fitted = clone(estimator).set_params(**params)
    fitted.fit(features, read_labels(y), **({} if weights is None else {"sample_weight": weights}))
    model = fitted if transformer is None else Pipeline([("features", transformer), ("classifier", fitted)])
    rows = np.arange(len(codes)) if rows is None else rows
    predicted = noises[best].probabilities.argmax(axis=1)
    judged = Judged(rows, codes, predicted, noises[best].doubts, classes, shifts_of_labels(fitted, codes))
    return LabelErrors(judged, noises[best], scores[best], model, params, X, features)


class LabelErrors:
    """Which labels look wrong, as `find_label_errors` found them.

    Attributes
    ----------
    table : DataFrame, or `Suspects` without pandas
        The automatic set, most suspicious first: X's index, given_label, suggested_label, suspicion from 0 to 1, and
        the shift in the fit to all examples.
    noise_matrix_ : (n_classes, n_classes)
        How often each true class (row) is seen as each class (column), as estimated.
    suspicion_ : (n_examples,)
        Of all examples, in the order of X.
    scores_ : (n_examples, n_classes)
        Held-out logits of the setting that was kept, as the model gives them; of two classes, half of the log-odds.
    probabilities_ : (n_examples, n_classes)
        Of the true classes, held out and calibrated.
    predicted_labels_ : (n_examples,)
        The most probable ones. A label that agrees with it is never named.
    classes_ : (n_classes,)
    estimator_ : the model, with its features, fitted to all examples and the labels as they were given
    params_ : dict
        The setting of the grid that was kept.
    """

    def __init__(self, judged, noise, scores, model, params, X, features):
        self._judged, self._X, self._features = judged, X, features
        self.classes_ = judged.classes
        self.noise_matrix_ = noise.noise_matrix
        self.probabilities_ = noise.probabilities
        self.suspicion_ = judged.suspicion
        self.scores_ = scores
        self.predicted_labels_ = judged.classes[judged.suggested]
        self.estimator_, self.params_ = model, params
        self.table = self.suspects()

    def suspects(self, *, n=None, share=None, threshold=None, fdr=None, trusted=None):
        """Another cut than the automatic one; see `suspects` of the estimators for what each argument means.

        With `fdr=q` and labels that were checked, `trusted={row: true label}`, of rows drawn at random, the share of
        right labels among those named is at most q on average.
        """
        limits = {"n": n, "share": share, "threshold": threshold, "fdr": fdr, "trusted": trusted}
        places, p_values = select(self._judged, **limits, warn=lambda message: warn_caller(message, UserWarning))
        return table_of(self._judged, places, p_values)

    def explain(self, i, *, n=10):
        """The features that speak most against the label of row i (its name in X's index, or its number).

        A table of feature, value as the model sees it, weight, and contribution, their product; for the class with the
        largest held-out score beside the given one.
        """
        place = read_row(i, self._X)
        n = check_number("n", n, at_least=1, integer=True)
        classifier = self.estimator_[-1] if isinstance(self.estimator_, Pipeline) else self.estimator_
        if not hasattr(classifier, "coef_"):
            raise ValueError(f"{type(classifier).__name__} has no coef_: only linear models can be explained")
        features = self._features.to_numpy() if hasattr(self._features, "iloc") else self._features
        return explained(features, self.scores_, self._judged.codes, place, classifier.coef_, self._names(), n)

    def _names(self):
        """Names of the features, where they have any."""
        if isinstance(self.estimator_, Pipeline) and (hasattr(self._X, "columns") or not hasattr(self._X, "shape")):
            return self.estimator_[:-1].get_feature_names_out()
        return getattr(self._X, "columns", None)

    def summary(self):
        """A few sentences: how many labels look wrong, how often which class is seen as which, and what to doubt."""
        n, named, expected = len(self.suspicion_), len(self.table), self.suspicion_.sum()
        lines = [
            f"{named} of {n} labels look wrong ({named / n:.1%}); {expected:.0f} wrong labels are expected.",
            *(f"  {true!r} seen as {seen!r}: {rate:.1%}" for true, seen, rate in self._flips()),
        ]
        if n < _FEW:
            lines.append(f"There are fewer than {_FEW} examples: look at the labels one by one.")
        if named > _MANY * n:
            lines.append("So many are more often a sign of a model that does not fit than of wrong labels.")
        return "\n".join(lines)

    def _flips(self, most=5):
        """The most frequent flips: (true class, class seen, rate)."""
        rates = self.noise_matrix_.copy()
        np.fill_diagonal(rates, 0.0)
        names = self.classes_.tolist()
        for place in np.argsort(-rates, axis=None, kind="stable")[:most]:
            true, seen = np.unravel_index(place, rates.shape)
            if rates[true, seen] >= 0.005:
                yield names[true], names[seen], rates[true, seen]

    def __repr__(self):
        return self.summary()

    def _repr_html_(self):
        text = self.summary().replace("&", "&amp;").replace("<", "&lt;").replace("\n", "<br>")
        return f"<p>{text}</p>" + (self.table.head(20).to_html(escape=True) if has_pandas() else "")


def _read_labels(X, y):
    """(codes, classes), or a ValueError that names what is wrong with the labels."""
    labels = read_labels(y)
    if len(labels) != _num_samples(X):
        raise ValueError(f"X has {_num_samples(X)} rows and y has {len(labels)} labels; give one label for each row")
    if labels.dtype.kind in "biufc":
        check_classification_targets(labels)
    classes, codes = classes_and_codes(labels)
    counts = np.bincount(codes)
    if len(classes) < 2:
        raise ValueError(f"y has only one class, {classes.tolist()[0]!r}; two classes are needed")
    if counts.min() < 2:
        rare = classes.tolist()[int(counts.argmin())]
        raise ValueError(
            f"y has one example of the class {rare!r}: a model that has not seen its label has never seen the class; "
            "leave it out, or join it to another class"
        )
    return codes, classes


class _Folds:
    """Checked folds: each is (rows to fit to, rows held out)."""

    def __init__(self, n_splits, n_repeats, groups, random_state, codes, classes):
        self.n_splits = check_number("n_splits", n_splits, at_least=2, integer=True)
        self.n_splits = min(self.n_splits, int(np.bincount(codes).max()))
        default = 3 if len(codes) <= _REPEATED else 1
        self.n_repeats = (
            default if n_repeats is None else check_number("n_repeats", n_repeats, at_least=1, integer=True)
        )
        self.seed = check_number("random_state", random_state, at_least=0, integer=True)
        self.groups, self.codes, self.classes = groups, codes, classes

    def __iter__(self):
        for repeat in range(self.n_repeats):
            yield from self._draw(repeat)

    def __len__(self):
        return self.n_splits * self.n_repeats

    def _draw(self, repeat):
        """One draw of the folds."""
        kind = StratifiedKFold if self.groups is None else StratifiedGroupKFold
        folds = kind(self.n_splits, shuffle=True, random_state=self.seed + repeat)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="The least populated class")  # then it is not in every fold
            drawn = list(folds.split(np.zeros(len(self.codes)), self.codes, self.groups))
        for train, held_out in drawn:
            lost = np.flatnonzero(np.bincount(self.codes[train], minlength=len(self.classes)) == 0)
            if len(lost):
                name = self.classes.tolist()[lost[0]]
                raise ValueError(
                    f"all examples of the class {name!r} are held out at once, as they are in too few groups; "
                    "leave the class out, or join it to another"
                )
            yield train, held_out


@on_one_blas_thread
def _held_out(estimator, grid, features, codes, weights, folds, verbose):
    """Scores (settings, n, C) of each example by models that have not seen it, means over the repeats."""
    n_classes = int(codes.max()) + 1
    scores = np.zeros((len(grid), len(codes), n_classes))
    for k, (train, held_out) in enumerate(folds):
        if verbose:
            print(
                f"find_label_errors: fold {k + 1} of {len(folds)}, {len(train)} examples", file=sys.stderr, flush=True
            )
        own = None if weights is None else weights[train]
        fits = fit_grid(estimator, grid, _safe_indexing(features, train), codes[train], own)
        rest = _safe_indexing(features, held_out)
        for setting in range(len(grid)):
            scores[setting, held_out] += fits.class_scores(setting, rest) / folds.n_repeats
    return scores
