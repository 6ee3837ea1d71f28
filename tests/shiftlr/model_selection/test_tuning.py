"""Tuning: ties, limits on the share of shifts, folds, and the report's two procedures."""

import numpy as np
import pandas as pd
import pytest
from problems import random_problem
from scipy import sparse
from shiftlr import (
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
)
from shiftlr.model_selection import (
    ShareLimit,
    alpha_grid,
    first_procedure,
    fit_grid,
    fold_scores,
    lam_grid,
    second_procedure,
    tune_by_folds,
    tune_on_dev,
)
from shiftlr.model_selection.tuning import train_accuracies
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

X, Y, _ = random_problem(1, 150, 3, noise=0.2)
X_DEV, Y_DEV, _ = random_problem(1, 150, 3, noise=0.2)
LAMS = np.geomspace(0.02, 0.95, 12)


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_a_grid_fitted_as_a_path_equals_single_fits(storage, penalty):
    model = RobustLogisticRegression(penalty=penalty)
    grid = [{"lam": lam, "alpha": alpha} for lam in (0.05, 0.4, 1.0) for alpha in (0.1, 2.0)]
    fits = fit_grid(model, grid, storage(X), Y)
    for k, params in enumerate(grid):
        single = RobustLogisticRegression(penalty=penalty, **params).fit(storage(X), Y)
        np.testing.assert_allclose(fits.coefs[k], single.coef_.ravel(), rtol=1e-5, atol=1e-6)
        assert fits.shares[k] == pytest.approx(np.mean(single.shifts_ != 0.0))
        assert fits.accuracies(storage(X_DEV), Y_DEV)[k] == pytest.approx(single.score(storage(X_DEV), Y_DEV))
        built = fits.estimator(k)
        assert built.get_params() == single.get_params()
        np.testing.assert_allclose(built.shifts_, single.shifts_, rtol=1e-4, atol=1e-4)


def test_best_on_dev_with_ties_to_the_larger_lam():
    tuned = tune_on_dev(RobustLogisticRegression(), lam_grid(LAMS), X, Y, X_DEV, Y_DEV)
    scores = {row["lam"]: row["score"] for row in tuned.rows}
    best = max(scores.values())
    assert tuned.score == best
    assert tuned.params["lam"] == max(lam for lam, score in scores.items() if score == best)
    assert tuned.estimator.score(X_DEV, Y_DEV) == pytest.approx(best)
    same = tune_on_dev(RobustLogisticRegression(), lam_grid([0.5, 1.0, 2.0, 7.0]), X, Y, X_DEV, Y_DEV)
    assert same.params["lam"] == 7.0 or same.params["lam"] == 0.5  # 1, 2 and 7 are one model


@pytest.mark.parametrize(("prefer", "first"), [("weaker", 0.1), ("stronger", 10.0)])
def test_order_of_preference(prefer, first):
    assert alpha_grid([1.0, 10.0, 0.1], prefer)[0] == {"alpha": first}
    with pytest.raises(ValueError, match="prefer='any'"):
        alpha_grid([1.0], "any")


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (StandardLogisticRegression(penalty="l1"), alpha_grid([0.1, 1.0, 10.0])),
        (PrefilteredLogisticRegression(penalty="l2", alpha=0.1), [{"k": 1}, {"k": 2}, {"k": 3, "rule": "majority"}]),
        (LinearSVM(), [{"C": 0.1}, {"C": 1.0}]),
    ],
    ids=repr,
)
def test_any_method_can_be_tuned(model, grid):
    tuned = tune_on_dev(model, grid, X, Y, X_DEV, Y_DEV)
    assert len(tuned.rows) == len(grid)
    assert tuned.score == max(row["score"] for row in tuned.rows)
    assert tuned.params in grid


@pytest.mark.parametrize("grouped", [False, True])
def test_folds_are_stratified_and_never_split_a_group(grouped):
    groups = np.arange(len(Y)) // 5 if grouped else None
    grid = lam_grid([0.1, 0.5])
    ours = fold_scores(RobustLogisticRegression(), grid, X, Y, n_splits=4, groups=groups, random_state=3)
    kind = StratifiedGroupKFold if grouped else StratifiedKFold
    folds = list(kind(n_splits=4, shuffle=True, random_state=3).split(X, Y, groups))
    by_hand = [
        np.mean([RobustLogisticRegression(**params).fit(X[a], Y[a]).score(X[b], Y[b]) for a, b in folds])
        for params in grid
    ]
    np.testing.assert_allclose(ours, by_hand)
    if grouped:
        assert all(not set(groups[a]) & set(groups[b]) for a, b in folds)


def test_scores_other_than_accuracy():
    grid = lam_grid([0.1, 0.5])
    tuned = tune_by_folds(RobustLogisticRegression(), grid, X, Y, scoring="f1", n_splits=3)
    losses = tune_by_folds(RobustLogisticRegression(), grid, X, Y, scoring="neg_log_loss", n_splits=3)
    assert 0.0 < tuned.score < 1.0 and losses.score < 0.0


def test_noise_of_at_most_15_per_cent():
    free = tune_on_dev(RobustLogisticRegression(), lam_grid(LAMS), X, Y, X_DEV, Y_DEV)
    tuned = tune_on_dev(RobustLogisticRegression(), lam_grid(LAMS), X, Y, X_DEV, Y_DEV, limit=ShareLimit(at_most=0.15))
    assert np.mean(tuned.estimator.shifts_ != 0.0) <= 0.15
    allowed = [row for row in tuned.rows if row["allowed"]]
    assert 0 < len(allowed) < len(tuned.rows) == len(free.rows)
    assert tuned.score == max(row["score"] for row in allowed)
    with pytest.raises(ValueError, match=r"at_most=0\.0: every setting shifts more, from 0\.\d+ on; add larger lams"):
        tune_on_dev(RobustLogisticRegression(), lam_grid([0.01]), X, Y, X_DEV, Y_DEV, limit=ShareLimit(at_most=0.0))


def test_noise_of_about_4_per_cent():
    lams = np.geomspace(0.3, 0.99, 40)
    tuned = tune_on_dev(RobustLogisticRegression(), lam_grid(lams), X, Y, X_DEV, Y_DEV, limit=ShareLimit(about=0.04))
    nearest = min(abs(row["share"] - 0.04) for row in tuned.rows)
    assert abs(np.mean(tuned.estimator.shifts_ != 0.0) - 0.04) <= max(0.01, nearest)
    assert not np.array_equal(ShareLimit(about=0.9).allowed([0.1, 0.2]), [True, True])
    np.testing.assert_array_equal(ShareLimit(about=0.9).allowed([0.1, 0.2]), [False, True])
    for bad in (ShareLimit(), ShareLimit(at_most=0.1, about=0.1)):
        with pytest.raises(ValueError, match="exactly one of at_most and about"):
            bad.allowed([0.1])
    with pytest.raises(ValueError, match="about=2"):
        ShareLimit(about=2.0).allowed([0.1])


@pytest.mark.parametrize("by", ["theta", "shifts"])
def test_first_procedure_by_hand(by):
    alphas, lams = [0.1, 1.0, 5.0], [0.1, 0.4, 0.7, 1.0]
    tuned = first_procedure(RobustLogisticRegression(penalty="l1"), alphas, lams, X, Y, X_DEV, Y_DEV, by=by)
    chosen = []
    for alpha in alphas:
        fits = {lam: RobustLogisticRegression(lam, "l1", alpha).fit(X, Y) for lam in lams}

        def accuracy(lam, fits=fits):
            signs = np.where(Y == 1, 1.0, -1.0)
            shift = fits[lam].shifts_ if by == "shifts" else 0.0
            return np.mean(signs * (fits[lam].decision_function(X) + shift) > 0.0)

        best = max(accuracy(lam) for lam in lams)
        lam = max(lam for lam in lams if accuracy(lam) == best)
        chosen.append((fits[lam].score(X_DEV, Y_DEV), -alpha, lam))
    score, minus_alpha, lam = max(chosen)
    assert tuned.params == {"lam": lam, "alpha": -minus_alpha}
    assert tuned.score == pytest.approx(score)
    with pytest.raises(ValueError, match="by='dev'"):
        first_procedure(RobustLogisticRegression(penalty="l1"), alphas, lams, X, Y, by="dev")


def test_first_procedure_by_folds_and_train_accuracy_with_shifts():
    tuned = first_procedure(RobustLogisticRegression(penalty="l1"), [0.5, 2.0], [0.3, 0.8], X, Y, n_splits=3)
    assert tuned.params["alpha"] in (0.5, 2.0)
    # below one half every shifted example is classified as its label says
    fits = fit_grid(RobustLogisticRegression(), lam_grid([0.3, 0.05]), X, Y)
    assert np.all(train_accuracies(fits, [0.3, 0.05], X, Y, by="shifts") == 1.0)


def test_second_procedure():
    tuned = second_procedure(
        RobustLogisticRegression(penalty="l2"), [0.01, 1.0, 100.0], [0.1, 0.5, 1.0], X, Y, n_splits=3
    )
    standard = tune_by_folds(StandardLogisticRegression(penalty="l2"), alpha_grid([0.01, 1.0, 100.0]), X, Y, n_splits=3)
    assert tuned.params["alpha"] == standard.params["alpha"]
    assert {row["lam"] for row in tuned.rows} == {0.1, 0.5, 1.0}


def test_bad_grids_and_labels_are_refused():
    with pytest.raises(ValueError, match=r"grid=\[\]"):
        tune_on_dev(RobustLogisticRegression(), [], X, Y, X_DEV, Y_DEV)
    with pytest.raises(ValueError, match=r"y has labels other than the \[0, 1\]"):
        tune_on_dev(RobustLogisticRegression(), lam_grid([0.1]), X, Y, X_DEV, Y_DEV + 1)
    with pytest.raises(ValueError, match="lam=-1"):
        tune_on_dev(RobustLogisticRegression(), lam_grid([-1.0]), X, Y, X_DEV, Y_DEV)


def test_a_development_set_is_checked_like_any_data():
    model, grid = RobustLogisticRegression(), lam_grid([0.1, 1.0])
    frame = pd.DataFrame(X, columns=["p", "q", "r"])
    assert tune_on_dev(model, grid, frame, Y, frame, Y).score > 0.5
    for dev, labels, message in [
        (frame[["q", "p", "r"]], Y, "feature names"),
        (frame[["p", "q"]], Y, "feature"),
        (frame.where(frame < 1.0), Y, "X contains NaN"),
        (frame, Y[:1], "inconsistent numbers of samples"),
        (frame[:1], Y, "inconsistent numbers of samples"),
        (frame[:0], Y[:0], "0 sample"),
    ]:
        with pytest.raises(ValueError, match=message):
            tune_on_dev(model, grid, frame, Y, dev, labels)


@pytest.mark.parametrize("kind", [pd.DataFrame, sparse.coo_array, sparse.csc_array, np.ndarray.tolist])
def test_folds_take_features_of_any_kind(kind):
    columns = kind(X) if kind is not pd.DataFrame else pd.DataFrame(X, columns=["p", "q", "r"])
    grid = lam_grid([0.1, 1.0])
    expected = tune_by_folds(RobustLogisticRegression(), grid, X, Y, n_splits=3)
    tuned = tune_by_folds(RobustLogisticRegression(), grid, columns, list(Y), n_splits=3)
    assert tuned.score == pytest.approx(expected.score) and tuned.params == expected.params


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tune_by_folds(RobustLogisticRegression(), lam_grid([0.1]), X, Y, limit=0.3), r"limit=0\.3"),
        (lambda: tune_by_folds(RobustLogisticRegression(), (p for p in []), X, Y), "grid=<generator"),
        (lambda: second_procedure(LinearSVM(), [1.0], [0.1], X, Y), r"estimator=LinearSVM\(\)"),
        (lambda: first_procedure(StandardLogisticRegression(), [1.0], [0.1], X, Y), r"estimator=Standard"),
        (lambda: first_procedure(RobustLogisticRegression(penalty="l1"), [1.0], [0.1], X, Y, X), "give both"),
        (lambda: ShareLimit(about=0.1, within=float("nan")).allowed([0.1]), "within=nan"),
        (lambda: ShareLimit(at_most=0.1).allowed([float("nan")]), "no shifts to limit"),
    ],
)
def test_misuse_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


class Counted(RobustLogisticRegression):
    """A user's own variant, with a fit of its own."""

    fits = 0

    def fit(self, X, y, sample_weight=None):
        Counted.fits += 1
        return super().fit(X, y, sample_weight)


class OnAPath(Counted):
    path_parameters = ("lam", "alpha")


@pytest.mark.parametrize(("kind", "fits"), [(Counted, 3), (OnAPath, 0)])
def test_a_subclass_is_fitted_by_its_own_fit_unless_it_says_otherwise(kind, fits):
    Counted.fits = 0
    tuned = tune_on_dev(kind(), lam_grid([0.1, 0.5, 1.0]), X, Y, X_DEV, Y_DEV)
    assert Counted.fits == fits
    assert type(tuned.estimator) is kind
    expected = tune_on_dev(RobustLogisticRegression(), lam_grid([0.1, 0.5, 1.0]), X, Y, X_DEV, Y_DEV)
    assert [row["share"] for row in tuned.rows] == [row["share"] for row in expected.rows]
    assert tuned.params == expected.params


def test_the_procedures_take_variants_of_the_robust_model():
    tuned = second_procedure(Counted(penalty="l2"), [0.1, 1.0], [0.3, 1.0], X, Y, n_splits=3)
    assert type(tuned.estimator) is Counted and tuned.params["alpha"] in (0.1, 1.0)
    with pytest.raises(ValueError, match="must have a parameter lam, and lam in its class's path_parameters"):
        first_procedure(LinearSVM(), [1.0], [0.1], X, Y)
