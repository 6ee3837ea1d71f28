"""Tuning: prices of a shift that the tuning lists, and penalties in folds as they are or per example."""

import pytest
from rivals import folder, make_job, make_replicate
from shiftbench.tuner import Tuner
from shiftlr import methods
from shiftlr.model_selection import first_procedure, fold_scores

__all__ = ["folder"]  # a fixture
REPLICATE = make_replicate()
TRAIN = REPLICATE.parts["train"]


@pytest.fixture
def tuner(folder):
    def make(name, method=None, seed=0, **tuning):
        job = make_job(folder, name, method, **tuning)
        return Tuner(job["method"], job["scenarios"]["s"]["tuning"], folder, seed)

    return make


@pytest.mark.parametrize("by", ["dev", "folds", "none"])
def test_lams_of_the_tuning_win_over_those_of_the_grid(tuner, by):
    own = {"grid": {"lam": [1.0, 0.5], "penalty": ["l2"], "alpha": [0.1]}}
    tuned = tuner("robust", own, by=by, lams=[0.2, 0.05])
    assert tuned._grid(TRAIN) == [{"lam": lam, "penalty": "l2", "alpha": 0.1} for lam in (0.2, 0.05)]
    estimator, params, _ = tuned.fit(REPLICATE.parts)
    assert params["lam"] in (0.2, 0.05) and estimator.lam == params["lam"]
    assert tuner("robust", own, by=by).fit(REPLICATE.parts)[1]["lam"] in (1.0, 0.5)
    ratios = tuner("robust", {"grid": {"lam": [1.0]}}, by=by, lams={"from": 0.4, "to": 0.1, "points": 3})
    assert [setting["lam"] for setting in ratios._grid(TRAIN)] == pytest.approx([0.4, 0.2, 0.1])
    asked = {"procedure": "first_procedure", "penalty": "l1", "alphas": [1.0, 5.0]}
    if by != "none":
        assert tuner("robust", own, by=by, lams=[0.07], **asked).fit(REPLICATE.parts)[1]["lam"] == 0.07


def test_methods_that_choose_no_lam_are_given_none(tuner):
    _, params, _ = tuner("standard", penalty="l2", alphas=[1.0], lams=[0.2]).fit(REPLICATE.parts)
    assert params == {"alpha": 1.0}
    _, params, _ = tuner("robust", {"params": {"lam": 0.3}, "grid": {}}, lams=[0.2]).fit(REPLICATE.parts)
    assert params == {}


@pytest.mark.parametrize("procedure", ["jointly", "first_procedure"])
@pytest.mark.parametrize("how", ["as_given", "per_example"])
def test_penalties_in_folds_are_as_given_or_per_example(tuner, how, procedure):
    alphas, lams = [0.3, 3.0, 12.0], [0.8, 0.2]
    asked = {"by": "folds", "folds": 3, "repeats": 2, "scoring": "neg_log_loss", "penalty": "l1", "alphas": alphas}
    tuned = tuner("robust", {"grid": {"lam": lams}}, 5, procedure=procedure, fold_penalties=how, **asked)
    estimator, params, score = tuned.fit(REPLICATE.parts)
    robust = methods.load("robust")(penalty="l1")
    seeds = {"n_splits": 3, "n_repeats": 2, "random_state": 10, "scoring": "neg_log_loss"}
    if procedure == "jointly":
        grid = [{"alpha": alpha, "lam": lam} for lam in lams for alpha in alphas]
        scores = {
            name: fold_scores(robust, grid, TRAIN.X, TRAIN.labels, per_example=name == "per_example", **seeds).max()
            for name in ("as_given", "per_example")
        }
    else:
        scores = {
            name: first_procedure(
                robust, alphas, lams, TRAIN.X, TRAIN.labels, per_example=name == "per_example", **seeds
            ).score
            for name in ("as_given", "per_example")
        }
    assert score == pytest.approx(scores[how], rel=1e-9) and scores["as_given"] != scores["per_example"]
    assert params["alpha"] in alphas and params["lam"] in lams  # on all examples they are as they stand in the grid
    assert (estimator.alpha, estimator.lam) == (params["alpha"], params["lam"])
