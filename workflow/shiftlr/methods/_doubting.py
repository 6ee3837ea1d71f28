"""What every linear classifier says about the labels it was given: which of them look wrong, and why."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from shiftlr.methods._many_classes import margins_of
from shiftlr.methods._noise_model import fit_noise_model
from shiftlr.methods._suspects import Judged, contributions, index_of, read_row, select, table_of
from shiftlr.methods._warn import warn_caller
from shiftlr.validation import check_codes, check_number

IN_SAMPLE = (
    "in sample: by a model that was fitted to these labels; shiftlr.find_label_errors(X, y) takes held-out scores"
)
GIVEN = "of the rows that were given"


class TrainingSet(NamedTuple):
    """What a fitted classifier keeps of its training set."""

    scores: np.ndarray  # (n,) with two classes, else (n, C)
    codes: np.ndarray
    weights: np.ndarray
    rows: np.ndarray | None  # names of the rows, where X has an index


class LabelDoubter:
    """Names labels that look wrong, in one form for all methods (`suspects`), and says why (`explain`).

    `suspicion` and `suspected` are the method's own measure and its own verdict: sizes of shifts, doubts, examples left
    out. By default they follow from the scores; a method with a view of its own overrides both.
    """

    # What a classifier has.
    classes_: np.ndarray
    coef_: np.ndarray
    decision_function: Any
    _check_features: Any

    def suspects(self, X=None, y=None, *, n=None, share=None, threshold=None, fdr=None, trusted=None):
        """The examples whose labels look wrong, most suspicious first.

        A label is never named if `predict` agrees with it. The suspicion is the probability that the label is wrong,
        by a calibration of the scores and a matrix of flips that are fitted to the scores and labels (see
        `shiftlr.find_label_errors`); so it is comparable between methods.

        Without X and y it is about the training set. The scores are those of a model that has seen the labels it
        doubts: the more features there are beside the examples, the more wrong labels it fits and does not name.
        `shiftlr.find_label_errors(X, y)` takes held-out scores instead.

        Parameters
        ----------
        X, y : features and labels of other examples; by default the training set
        n : int
            At most so many.
        share : float from 0 to 1
            At most this share of the examples.
        threshold : float from 0 to 1
            Those with at least this suspicion.
        fdr : float from 0 to 1
            As many as may be named if at most this share of them, on average, is to be right. Needs `trusted`.
        trusted : dict or Series from rows to true labels, or rows (or a mask of them) whose given labels are right
            Labels that were checked, of rows drawn at random. They are not named themselves.

        Give one of `n`, `share`, `threshold` and `fdr`. Without any, the automatic set is named: the first k, with the
        k of largest expected F1.

        Returns
        -------
        DataFrame with X's index and the columns given_label, suggested_label, suspicion, shift (of the training set, if
        the method has shifts) and p_value (if labels are trusted). `attrs` holds the view taken and the noise matrix.
        Without pandas, a `Suspects` with the same columns as arrays.
        """
        check_is_fitted(self)
        training = X is None and y is None
        if not training and (X is None or y is None):
            raise ValueError(
                "X, y: give both for labels of other examples, or neither for the training set; n=5 is said so"
            )
        judged, noise_matrix = self._judge_training() if training else self._judge(X, y)
        limits = {"n": n, "share": share, "threshold": threshold, "fdr": fdr, "trusted": trusted}
        places, p_values = select(judged, **limits, warn=self._say)
        if training and not judged.contradicted.any():
            self._say(
                "it predicts all labels of its training set as they are, so none looks wrong from inside; "
                "shiftlr.find_label_errors(X, y) looks from outside, with held-out scores"
            )
        table = table_of(judged, places, p_values)
        if hasattr(table, "attrs"):
            table.attrs = {"view": IN_SAMPLE if training else GIVEN, "noise_matrix": noise_matrix.tolist()}
        return table

    def explain(self, i, X, y, *, n=10):
        """The features that speak most against the label of one example, and for the class that `predict` says instead.

        Parameters
        ----------
        i : the row's number or, if X is a data frame, its name in the index
        X, y : features and labels, among them those of the row
        n : int
            At most so many features.

        Returns
        -------
        DataFrame with the columns feature, value, weight (the difference of the two classes' coefficients) and
        contribution (their product), the largest contribution first; without pandas a dict of arrays. It is about the
        best other class where `predict` agrees with the label.
        """
        check_is_fitted(self)
        place = read_row(i, X)
        n = check_number("n", n, at_least=1, integer=True)
        features = self._check_features(X)
        codes = check_codes(y, self.classes_, features.shape[0])
        names = getattr(self, "feature_names_in_", None)
        scores = self.decision_function(X)
        return explained(features, scores, codes, place, self.coef_, names, n)

    def suspicion(self, X, y):
        """How wrong each training label looks: (n_examples,), larger means more suspicious.

        By default, how far the example lies on the wrong side of the boundary: minus its signed score.
        """
        return -self._signed_scores(X, y)

    def suspected(self, X, y):
        """Which training labels look wrong: (n_examples,) of bool. By default, those on the wrong side."""
        return self.suspicion(X, y) > 0.0

    def _signed_scores(self, X, y):
        """The decision function, negative where it contradicts the label; of many classes, the lead of the label's."""
        scores = self.decision_function(X)
        codes, n = check_codes(y, self.classes_, len(scores)), len(scores)
        wanted = (n,) if len(self.classes_) == 2 else (n, len(self.classes_))
        if scores.shape != wanted:  # of a class derived from ours
            raise ValueError(f"decision_function gave an array of shape {scores.shape}: must be of shape {wanted}")
        return (2.0 * codes - 1.0) * scores if scores.ndim == 1 else margins_of(scores, codes)

    def _check_training_set(self, X, y, n_examples):
        """A ValueError unless X and y are as long as the training set: what `fit` learned of labels is about that."""
        rows, labels = _num_samples(X), _num_samples(y)
        if (rows, labels) != (n_examples, n_examples):
            raise ValueError(
                f"X has {rows} rows and y has {labels} labels: {type(self).__name__} knows of the {n_examples} "
                "examples that it was fitted to; pass the training set"
            )

    def _remember(self, scores, codes, weights):
        """Keep what `suspects` needs of the training set."""
        self._training_set = TrainingSet(scores, codes, weights, getattr(self, "_index", None))

    def _judge_training(self):
        """(the training set judged, its noise matrix)."""
        known = self._training_set
        rows = np.arange(len(known.codes)) if known.rows is None else known.rows
        return self._judge_scores(known.scores, known.codes, known.weights, rows, shifts_of_labels(self, known.codes))

    def _judge(self, X, y):
        """The same of labelled rows."""
        scores = self.decision_function(X)
        codes = check_codes(y, self.classes_, len(scores))
        rows = index_of(X)
        return self._judge_scores(scores, codes, None, np.arange(len(scores)) if rows is None else rows, None)

    def _judge_scores(self, scores, codes, weights, rows, shifts):
        found = fit_noise_model(scores_of_classes(scores), codes, weights)
        judged = Judged(rows, codes, predicted(scores), found.doubts, self.classes_, shifts)
        return judged, found.noise_matrix

    def _say(self, message):
        warn_caller(f"{type(self).__name__}: {message}", UserWarning)


def shifts_of_labels(model, codes):
    """The shift of each training example, of many shifts that of the label's own score; None without shifts."""
    shifts = getattr(model, "shifts_", None)
    return shifts if shifts is None or shifts.ndim == 1 else shifts[np.arange(len(codes)), codes]


def predicted(scores):
    """The code of each row's class."""
    return (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


def scores_of_classes(scores):
    """(n, C): of two classes, half the log-odds for and against."""
    return np.column_stack([-0.5 * scores, 0.5 * scores]) if scores.ndim == 1 else scores


def explained(features, scores, codes, place, coef, names, n):
    """The table of `explain` for the row at one place."""
    of_row = scores_of_classes(scores)[place].copy()
    given = int(codes[place])
    of_row[given] = -np.inf
    other = int(of_row.argmax())
    coef = coef if len(coef) > 1 else np.vstack([np.zeros_like(coef), coef])
    row = features[[place]]
    row = np.asarray(row.todense() if hasattr(row, "todense") else row, dtype=float).ravel()
    return contributions(row, coef[other] - coef[given], names, n)
