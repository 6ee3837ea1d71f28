"""Penalties per example in folds, and log-likelihood as the score: against loops written out."""

import numpy as np
import pytest
from problems import random_problem
from scipy import sparse
from shiftlr import (
    FlippingLogisticRegression,
    LinearSVM,
    PrefilteredLogisticRegression,
    RobustLogisticRegression,
    StandardLogisticRegression,
)
from shiftlr.model_selection import first_procedure, fit_grid, fold_scores, tune_by_folds
from sklearn.base import clone
from sklearn.metrics import get_scorer, log_loss
from sklearn.model_selection import StratifiedKFold

BOTH, LABELS, _ = random_problem(5, 193, 4, noise=0.1)
X, Y, X_DEV, Y_DEV = BOTH[:103], LABELS[:103], BOTH[103:], LABELS[103:]  # 103 makes folds of different sizes
ROBUST = RobustLogisticRegression(penalty="l1", tol=1e-10)
GRID = [{"alpha": alpha, "lam": lam} for alpha in (0.5, 4.0, 9.0) for lam in (0.6, 0.2)]
FITS = (  # of each kind of classifier, with penalties in the grid or of its own
    (ROBUST, GRID),
    (RobustLogisticRegression(penalty="l2", alpha=3.0, tol=1e-10), [{"lam": 0.6}, {"lam": 0.2}]),
    (StandardLogisticRegression(penalty="l2", tol=1e-10), [{"alpha": 0.5}, {"alpha": 8.0}]),
    (FlippingLogisticRegression(penalty="l2", alpha=5.0), [{"initial_flip": 0.1}]),
    (PrefilteredLogisticRegression(penalty="l2", alpha=6.0), [{"k": 1}, {"k": 3, "rule": "majority"}]),
)


def by_hand(model, grid, share_of, scoring, n_splits=4, seeds=(0,)):
    """Mean scores over folds, with alpha and lam times `share_of(train)`."""
    totals = np.zeros(len(grid))
    for seed in seeds:
        for train, held_out in StratifiedKFold(n_splits, shuffle=True, random_state=seed).split(X, Y):
            for k, setting in enumerate(grid):
                one = clone(model).set_params(**setting)
                for name in {"alpha", "lam"} & set(one.get_params()):
                    one.set_params(**{name: getattr(one, name) * share_of(train)})
                one.fit(X[train], Y[train])
                totals[k] += get_scorer(scoring)(one, X[held_out], Y[held_out])
    return totals / (n_splits * len(seeds))


@pytest.mark.parametrize(
    ("model", "grid"), FITS, ids=[type(model).__name__ + str(k) for k, (model, _) in enumerate(FITS)]
)
@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy"])
def test_penalties_shrink_with_the_examples_of_a_fold(model, grid, scoring):
    asked = {"n_splits": 4, "scoring": scoring}
    found = fold_scores(model, grid, X, Y, per_example=True, **asked)
    np.testing.assert_allclose(found, by_hand(model, grid, lambda train: len(train) / len(Y), scoring), rtol=1e-5)
    as_given = fold_scores(model, grid, X, Y, **asked)
    np.testing.assert_allclose(as_given, by_hand(model, grid, lambda train: 1.0, scoring), rtol=1e-5)
    if scoring == "neg_log_loss":
        assert not np.allclose(found, as_given, rtol=1e-4)


def test_a_method_without_penalties_is_scored_as_ever():
    grid = [{"C": 0.1}, {"C": 1.0}]
    np.testing.assert_array_equal(
        fold_scores(LinearSVM(), grid, X, Y, per_example=True), fold_scores(LinearSVM(), grid, X, Y)
    )


def test_the_chosen_setting_is_fitted_to_all_examples_with_its_penalties_as_they_are():
    tuned = tune_by_folds(ROBUST, GRID, X, Y, n_splits=4, n_repeats=2, scoring="neg_log_loss", per_example=True)
    scores = by_hand(ROBUST, GRID, lambda train: len(train) / len(Y), "neg_log_loss", seeds=(0, 1))
    assert tuned.params == GRID[int(np.argmax(scores))] and tuned.score == pytest.approx(scores.max(), rel=1e-5)
    single = clone(ROBUST).set_params(**tuned.params).fit(X, Y)
    np.testing.assert_allclose(tuned.estimator.coef_, single.coef_, rtol=1e-4, atol=1e-6)
    assert GRID[0] == {"alpha": 0.5, "lam": 0.6}  # the grid itself is left alone


@pytest.mark.parametrize("storage", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("labels", [(0, 1), ("bad", "good")])
@pytest.mark.parametrize(
    ("model", "grid"), [FITS[0], FITS[2], FITS[3], FITS[4]], ids=["robust", "standard", "flipping", "prefilter"]
)
def test_log_likelihood_is_that_of_scikit_learn(model, grid, labels, storage):
    seen, seen_dev = np.array(labels)[Y], np.array(labels)[Y_DEV]
    fits = fit_grid(model, grid, storage(X), seen)
    found = fits.scores(storage(X_DEV), seen_dev, "neg_log_loss")
    scorer = get_scorer("neg_log_loss")
    for k in range(len(grid)):
        one = fits.estimator(k)
        assert found[k] == pytest.approx(scorer(one, storage(X_DEV), seen_dev), rel=1e-9)
        assert found[k] == pytest.approx(-log_loss(seen_dev, one.predict_proba(storage(X_DEV))), rel=1e-9)


def test_a_method_without_probabilities_has_no_log_likelihood():
    fits = fit_grid(LinearSVM(), [{"C": 1.0}], X, Y)
    with pytest.raises(AttributeError, match="predict_proba"):
        fits.scores(X_DEV, Y_DEV, "neg_log_loss")


def first_by_hand(alphas, lams, score):
    """For each alpha the lam of best train accuracy of the weights, the larger on a tie; then alpha by `score`."""
    chosen = []
    for alpha in sorted(alphas):  # the weaker wins a tie
        fits = [clone(ROBUST).set_params(alpha=alpha, lam=lam).fit(X, Y) for lam in sorted(lams, reverse=True)]
        chosen.append(fits[int(np.argmax([one.score(X, Y) for one in fits]))])
    grid = [{"lam": one.lam, "alpha": one.alpha} for one in chosen]
    scores = score(chosen, grid)
    return grid[int(np.argmax(scores))], max(scores)


ALPHAS, LAMS = [0.1, 0.5, 2.0, 6.0], [0.8, 0.4, 0.2, 0.1]


def test_the_first_procedure_chooses_alpha_by_the_score_that_is_asked_for_on_a_development_set():
    tuned = first_procedure(ROBUST, ALPHAS, LAMS, X, Y, X_DEV, Y_DEV, scoring="neg_log_loss")
    scorer = get_scorer("neg_log_loss")
    params, best = first_by_hand(ALPHAS, LAMS, lambda fits, _: [scorer(one, X_DEV, Y_DEV) for one in fits])
    assert tuned.params == params and tuned.score == pytest.approx(best, rel=1e-5)


@pytest.mark.parametrize("per_example", [False, True])
@pytest.mark.parametrize("scoring", ["neg_log_loss", "accuracy"])
def test_the_first_procedure_chooses_alpha_by_the_score_that_is_asked_for_in_folds(per_example, scoring):
    asked = {"n_splits": 4, "n_repeats": 2, "scoring": scoring, "per_example": per_example}
    tuned = first_procedure(ROBUST, ALPHAS, LAMS, X, Y, **asked)

    def score(_, grid):
        share_of = (lambda train: len(train) / len(Y)) if per_example else (lambda train: 1.0)
        return by_hand(ROBUST, grid, share_of, scoring, seeds=(0, 1)).tolist()

    params, best = first_by_hand(ALPHAS, LAMS, score)
    assert tuned.params == params and tuned.score == pytest.approx(best, rel=1e-5)


def test_the_first_procedure_goes_by_accuracy_unless_told_otherwise():
    by_default = first_procedure(ROBUST, ALPHAS, LAMS, X, Y)
    assert by_default.rows == first_procedure(ROBUST, ALPHAS, LAMS, X, Y, scoring="accuracy", per_example=False).rows
