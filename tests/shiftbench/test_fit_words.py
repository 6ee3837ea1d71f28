"""Methods on noisy words: how they are tuned, what is kept of them, and failures that stay rows."""

import json

import numpy as np
import pytest
from made_up_words import make_parts, make_replicate
from shiftbench import fit, tuner
from shiftbench.config.load import complete
from shiftbench.config.plan import Fit, fit_settings
from shiftlr import methods
from shiftlr.model_selection import fit_grid, fold_scores, tuning

PARTS = make_parts()
TRAIN, TEST = PARTS["train"], PARTS["test"]
WRONG = TRAIN.labels != TRAIN.truth
LAMS = [1.0, 0.3, 0.1, 0.03]
COUNTING = '''"""Says person where enough of some columns are set."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Counting(ClassifierMixin, BaseEstimator):
    """It has no penalty, and `fault` names the step that fails."""

    grid = {"least": np.array([1, 2, 4])}

    def __init__(self, least=3, fault=None):
        self.least, self.fault = least, fault

    def fit(self, X, y):
        if self.fault == "fit":
            raise ArithmeticError("no luck")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        if self.fault == "predict":
            raise ArithmeticError("no sight")
        return (X[:, 41:45].sum(axis=1) >= self.least).astype(int)
'''
TUNING = {
    "by": "folds",
    "folds": 3,
    "scoring": "f1",
    "penalty": "l2",
    "sigma2s": [10.0, 0.1],
    "alpha_from": "standard",
    "tol": 1e-3,
    "final_tol": 1e-6,
}
METRICS = ["precision", "recall", "f1", "share_suspected", "flip_p0", "flip_p1", "flips", "sigma2", "precision_at_10"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Plug-ins with one more method."""
    made = tmp_path_factory.mktemp("plugins")
    (made / "methods").mkdir()
    (made / "methods" / "counting.py").write_text(COUNTING)
    return made


@pytest.fixture
def job(folder):
    """The job of a method on the made-up words, by the way of the config."""

    def make(name, method=None, params_from=None, scenarios=("s",), **tuning):
        methods = {"standard": {}, name: method or {}}
        about = {name: {"params_from": params_from if name != "s" else None} for name in scenarios}
        words = {"dataset": "conll_person", "methods": methods, "tuning": TUNING | tuning, "metrics": METRICS}
        config = complete({"plugins": str(folder), "experiments": {"e": words | {"scenarios": about, "seed": 0}}})
        return fit_settings(config, Fit("e", name, 0), redrawn=False)

    return make


def run(job, chosen=None, scenario="s", number=0):
    """({metric: value}, status and reason, chosen parameters, arrays)."""
    rows, arrays = fit.run(job, make_replicate(PARTS, scenario, number), {} if chosen is None else chosen)
    said = {key: rows[0][key] for key in ("status", "reason", "data")}
    return {row["metric"]: row["value"] for row in rows}, said, json.loads(rows[0]["params"]), arrays


def chosen_by_standard(alpha):
    return {"e.s:standard#0": {"alpha": alpha}}


def test_standard_chooses_the_penalty_by_folds(job):
    metrics, said, params, _ = run(job("standard"))
    assert said == {"status": "ok", "reason": "", "data": "other"}
    estimator = tuner.Tuner(job("standard")["method"], job("standard")["scenarios"]["s"]["tuning"], None, 0).estimator
    grid = [{"alpha": 0.1}, {"alpha": 10.0}]
    scores = fold_scores(
        estimator, grid, TRAIN.X, TRAIN.labels, n_splits=3, groups=TRAIN.groups, scoring="f1", random_state=0
    )
    assert params == grid[int(np.argmax(scores))] and metrics["score"] == pytest.approx(scores.max())
    assert metrics["sigma2"] == pytest.approx(1.0 / params["alpha"]) and estimator.penalty == "l2"


def outcome(job, alpha=1.0, **method):
    name = method.pop("name")
    settings = job(name, **method)
    return fit._fit(settings, make_replicate(PARTS), chosen_by_standard(alpha))


def test_what_is_kept_is_fitted_to_the_final_tolerance(job):
    for name in ("standard", "flipping"):
        method = {"params": {"tol": 0.01}} if name == "flipping" else {}
        assert outcome(job, name=name, method=method).estimator.tol == 1e-6


@pytest.mark.parametrize("limit", [None, {"about": "wrong_labels", "within": 0.02}])
def test_lam_is_chosen_by_folds_among_those_that_suspect_about_as_many_as_are_wrong(job, limit):
    found = outcome(job, name="robust", method={"grid": {"lam": LAMS}, "tuning": {"limit": limit}})
    grid = [{"lam": lam} for lam in LAMS]
    estimator = methods.load("robust")(penalty="l2", alpha=1.0, tol=1e-3)
    scores = fold_scores(
        estimator, grid, TRAIN.X, TRAIN.labels, n_splits=3, groups=TRAIN.groups, scoring="f1", random_state=0
    )
    shares = fit_grid(estimator, grid, TRAIN.X, TRAIN.labels).shares
    away = np.abs(shares - WRONG.mean())
    allowed = np.ones(len(grid), bool) if limit is None else away <= max(0.02, away.min()) + 1e-12
    best = max(np.flatnonzero(allowed), key=lambda k: (scores[k], -k))
    assert found.params == {"alpha": 1.0, "lam": LAMS[best]} and found.estimator.lam == LAMS[best]
    assert limit is None or np.mean(found.suspected) == pytest.approx(WRONG.mean(), abs=max(0.02, away.min()) + 0.01)


def test_a_method_is_tuned_over_its_grid_with_the_penalty_of_standard(job):
    found = outcome(job, alpha=0.5, name="prefilter", method={"grid": {"k": [1, 3]}})
    assert found.params == {"alpha": 0.5, "k": found.estimator.k} and found.estimator.alpha == 0.5


def test_a_method_without_a_grid_is_fitted_as_it_is(job):
    found = outcome(job, alpha=0.5, name="flipping")
    assert found.params == {"alpha": 0.5} and np.isnan(found.score)


def test_a_method_that_cannot_be_penalised_is_tuned_over_the_grid_of_its_class(job):
    found = outcome(job, alpha=0.5, name="counting")
    assert found.params == {"least": found.estimator.least} and found.estimator.least in (1, 2, 4)
    metrics, _, params, _ = run(job("counting"), chosen_by_standard(0.5))
    assert params == found.params  # its grid holds NumPy's numbers, which JSON does not know
    assert "sigma2" not in metrics and "flips" not in metrics


def test_parameters_chosen_elsewhere_are_not_tuned(job, monkeypatch):
    monkeypatch.setattr(tuner, "fold_scores", None)
    chosen = {"e.s:robust#0": {"alpha": 2.0, "lam": 0.2}, "e.s:counting#0": {"least": 4}}
    for name, params in (("robust", {"alpha": 2.0, "lam": 0.2}), ("counting", {"least": 4})):
        made = job(name, params_from="s", scenarios=("s", "t"))
        _, said, found, _ = run(made, chosen, "t")
        assert said["status"] == "ok" and found == params


def test_settings_are_chosen_on_the_first_replicate_and_kept(job):
    made, chosen = job("robust", {"grid": {"lam": LAMS}}, each=False), chosen_by_standard(1.0)
    first, later = run(made, chosen, number=0), run(made, chosen, number=1)
    assert first[2] == later[2] and "score" in first[0] and "score" not in later[0]
    assert set(first[3]) - set(later[3]) >= {"s/robust/0/test", "s/robust/0/suspicion"}
    assert list(later[3]) == ["s/robust/1/counts", "s/robust/1/suspected"]  # of few examples


@pytest.mark.parametrize("name", ["standard", "robust", "prefilter"])
def test_folds_never_split_an_article(job, name, monkeypatch):
    seen = []

    class Spy(tuning.StratifiedGroupKFold):
        def split(self, X, y, groups):
            for train_rows, held_out in super().split(X, y, groups):
                seen.append((set(groups[train_rows]), set(groups[held_out])))
                yield train_rows, held_out

    monkeypatch.setattr(tuning, "StratifiedGroupKFold", Spy)
    grids = {"prefilter": {"k": [1, 2]}, "robust": {"lam": LAMS}}
    outcome(job, name=name, method={"grid": grids[name]} if name in grids else {})
    assert len(seen) == TUNING["folds"] and all(one.isdisjoint(other) for one, other in seen)
    assert set.union(*(held_out for _, held_out in seen)) == set(TRAIN.groups)


def test_suspicion_is_what_each_method_knows_of_a_label(job):
    robust = outcome(job, name="robust", method={"grid": {"lam": [0.1]}})
    assert np.array_equal(robust.suspicion, np.abs(robust.estimator.shifts_))
    flipping = outcome(job, name="flipping")
    assert np.array_equal(flipping.suspicion, flipping.estimator.doubts_)
    prefilter = outcome(job, name="prefilter", method={"grid": {"k": [3]}})
    assert np.array_equal(prefilter.suspicion == 1.0, ~prefilter.estimator.kept_)
    for name in ("standard", "counting"):
        found = outcome(job, name=name)
        assert np.array_equal(found.suspected, found.estimator.predict(TRAIN.X) != TRAIN.labels)


def test_suspicion_is_larger_where_labels_are_wrong(job):
    for name in ("standard", "robust", "flipping"):
        method = {"grid": {"lam": LAMS}, "tuning": {"limit": {"about": "wrong_labels", "within": 0.02}}}
        found = outcome(job, name=name, method=method if name == "robust" else {}).suspicion
        assert found[WRONG].mean() > 2.0 * found[~WRONG].mean(), name


def test_decisions_come_from_what_a_classifier_has():
    class Probable:
        def predict_proba(self, X):
            return np.column_stack([1.0 - X, X])

    class Bare:
        classes_ = np.array([False, True])

        def predict(self, X):
            return X > 0.5

    X = np.array([0.2, 0.9])
    assert fit.decision(Probable(), X) == pytest.approx([-0.3, 0.4])
    assert fit.decision(Bare(), X).tolist() == [-0.5, 0.5]


def test_a_fit_has_scores_parameters_and_arrays(job):
    metrics, said, params, arrays = run(job("robust", {"grid": {"lam": LAMS}}), chosen_by_standard(1.0))
    assert said["status"] == "ok" and metrics["f1"] > 60.0 and set(params) == {"alpha", "lam"}
    assert arrays["s/robust/0/test"].shape == TEST.truth.shape
    assert arrays["s/robust/0/suspicion"].shape == TRAIN.labels.shape
    assert metrics["share_suspected"] == np.mean(arrays["s/robust/0/suspicion"] > 0.0)
    assert metrics["seconds"] >= 0.0 and "flips" not in metrics
    counts = arrays["s/robust/0/counts"]
    assert counts.shape == (15, 3) and counts[:, 2].sum() == TEST.truth.sum()
    assert metrics["recall"] == pytest.approx(100.0 * counts[:, 0].sum() / counts[:, 2].sum())


def test_a_fit_says_what_a_method_learned(job):
    flipping = run(job("flipping"), chosen_by_standard(1.0))[0]
    assert flipping["flips"] == max(flipping["flip_p0"], flipping["flip_p1"]) and 0.0 <= flipping["flips"] <= 1.0
    prefilter = run(job("prefilter", {"grid": {"k": [3]}}), chosen_by_standard(1.0))[0]
    assert 0.0 < prefilter["share_suspected"] < 1.0


@pytest.mark.parametrize(("fault", "reason"), [("fit", "no luck"), ("predict", "no sight")])
def test_a_rival_that_fails_is_a_row_with_the_reason(job, fault, reason):
    made = job("counting", {"params": {"fault": fault}}, params_from="s", scenarios=("s", "t"))
    metrics, said, params, arrays = run(made, {"e.s:counting#0": {"least": 2}}, "t")
    assert said == {"status": "failed", "reason": f"ArithmeticError: {reason}", "data": "other"}
    assert arrays == {} and params == {} and np.isnan(metrics["f1"])


def test_a_method_without_parameters_to_take_over_is_a_failure_too(job):
    for made, scenario in ((job("counting", params_from="s", scenarios=("s", "t")), "t"), (job("robust"), "s")):
        _, said, _, _ = run(made, {}, scenario)
        assert said["status"] == "failed"
        assert "no parameters to take over" in said["reason"] or "chose no penalty" in said["reason"]
