"""Methods on noisy words: how they are tuned, what is kept of them, and failures that stay records."""

import numpy as np
import pytest
from made_up_words import make_ner, make_words, method_of
from shiftlr import methods, recognition, tuning
from shiftlr.recognition import decision, load, prepared, record, save, suspicion, train
from sklearn.base import BaseEstimator, ClassifierMixin

WORDS = make_words()
WRONG = WORDS.labels != WORDS.truth
NER = make_ner()


class Counting(ClassifierMixin, BaseEstimator):
    """Says person where enough of some columns are set; it has no penalty, and `fault` names the step that fails."""

    grid = {"least": np.array([1, 2, 4])}  # noqa: RUF012

    def __init__(self, least=3, fault=None):
        self.least = least
        self.fault = fault

    def fit(self, X, y):
        if self.fault == "fit":
            raise ArithmeticError("no luck")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        if self.fault == "predict":
            raise ArithmeticError("no sight")
        return (X[:, 41:45].sum(axis=1) >= self.least).astype(int)


@pytest.fixture(autouse=True)
def rival(monkeypatch):
    """One more method, as if there were a file of it."""
    load_file, known = methods.load, methods.known
    monkeypatch.setattr(methods, "known", lambda: sorted([*known(), "counting"]))
    monkeypatch.setattr(methods, "load", lambda name: Counting if name == "counting" else load_file(name))


def fit(name, lam_rule="folds", words=WORDS, ner=NER, file=None, params=None, grid=None, **more):
    return train(method_of(name, file, params, grid), words, ner, lam_rule, **more)


def test_standard_chooses_the_penalty_by_folds():
    models = fit("standard")
    assert list(models) == ["standard"]
    model = models["standard"]
    assert [row["alpha"] for row in model.tried] == [0.1, 10.0]
    best = max(model.tried, key=lambda row: row["score"])
    assert model.params == {"alpha": best["alpha"]} and model.estimator.alpha == best["alpha"]
    assert model.estimator.penalty == "l2" and model.estimator.tol == NER["final_tol"]


@pytest.mark.parametrize(
    ("rule", "names"), [("folds", ["robust", "robust_share"]), ("share", ["robust", "robust_folds"])]
)
def test_the_rule_of_the_labels_is_called_robust_and_the_other_stands_beside_it(rule, names):
    models = fit("robust", rule, alpha=1.0)
    assert list(models) == names
    by_rule = {rule: models["robust"], names[1].removeprefix("robust_"): models[names[1]]}
    lams = [row["lam"] for row in by_rule["folds"].tried]
    assert lams == sorted(NER["lams"], reverse=True) and all(row["allowed"] for row in by_rule["folds"].tried)
    for model in models.values():
        allowed = [row for row in model.tried if row["allowed"]]
        assert model.params == {"alpha": 1.0, "lam": max(allowed, key=lambda row: row["score"])["lam"]}
    shares = {row["lam"]: row["share"] for row in by_rule["share"].tried}
    nearest = min(shares.values(), key=lambda share: abs(share - WRONG.mean()))
    chosen = shares[by_rule["share"].params["lam"]]
    assert abs(chosen - WRONG.mean()) <= max(NER["share_within"], abs(nearest - WRONG.mean()))
    assert chosen == np.mean(by_rule["share"].estimator.shifts_ != 0.0)


def test_a_variant_of_a_method_does_not_take_its_name():
    assert list(fit("tight", file="robust", alpha=1.0)) == ["tight"]
    assert list(fit("plain", file="standard", params={"fit_intercept": False})) == ["plain"]


def test_a_method_is_tuned_over_its_grid_with_the_penalty_of_standard():
    model = fit("prefilter", grid={"k": [1, 3]}, alpha=0.5)["prefilter"]
    assert [row["k"] for row in model.tried] == [1, 3]
    assert model.params == {"alpha": 0.5, "k": model.estimator.k} and model.estimator.alpha == 0.5


def test_a_method_without_a_grid_is_fitted_as_it_is():
    model = fit("flipping", params={"tol": 0.01}, alpha=0.5)["flipping"]
    assert model.params == {"alpha": 0.5} and len(model.tried) == 1
    assert model.estimator.tol == 1e-6  # what is kept is fitted to the final tolerance


def test_a_method_that_cannot_be_penalised_is_tuned_over_the_grid_of_its_class():
    model = fit("counting", alpha=0.5)["counting"]
    assert [row["least"] for row in model.tried] == [1, 2, 4]
    assert model.params == {"least": model.estimator.least} and "alpha" not in model.params
    assert not hasattr(prepared(method_of("counting"), NER, 0.5), "tol")


def test_parameters_chosen_elsewhere_are_not_tuned(monkeypatch):
    chosen = {"robust": {"alpha": 2.0, "lam": 0.2}, "robust_folds": {"alpha": 2.0, "lam": 0.9}}
    monkeypatch.setattr(recognition, "fold_scores", None)
    monkeypatch.setattr(recognition, "tune_by_folds", None)
    models = fit("robust", "share", like=chosen)
    assert {name: model.params for name, model in models.items()} == chosen
    assert [model.estimator.lam for model in models.values()] == [0.2, 0.9]
    assert all(model.tried == [] and model.estimator.alpha == 2.0 for model in models.values())
    assert fit("counting", like={"counting": {"least": 4}})["counting"].estimator.least == 4


@pytest.mark.parametrize("name", ["standard", "robust", "prefilter"])
def test_folds_never_split_an_article(name, monkeypatch):
    seen = []

    class Spy(tuning.StratifiedGroupKFold):
        def split(self, X, y, groups):
            for train_rows, held_out in super().split(X, y, groups):
                seen.append((set(groups[train_rows]), set(groups[held_out])))
                yield train_rows, held_out

    monkeypatch.setattr(tuning, "StratifiedGroupKFold", Spy)
    fit(name, grid={"k": [1, 2]} if name == "prefilter" else None, alpha=None if name == "standard" else 1.0)
    assert len(seen) == NER["folds"] and all(one.isdisjoint(other) for one, other in seen)
    assert set.union(*(held_out for _, held_out in seen)) == set(WORDS.articles)


def test_suspicion_is_what_each_method_knows_of_a_label():
    robust = fit("robust", "share", alpha=1.0)["robust"].estimator
    assert np.array_equal(suspicion(robust, WORDS), np.abs(robust.shifts_))
    flipping = fit("flipping", alpha=1.0)["flipping"].estimator
    assert np.array_equal(suspicion(flipping, WORDS), flipping.doubts_)
    prefilter = fit("prefilter", grid={"k": [3]}, alpha=1.0)["prefilter"].estimator
    assert np.array_equal(suspicion(prefilter, WORDS) == 1.0, ~prefilter.kept_)
    for name, alpha in (("standard", None), ("svm", 1.0), ("counting", 1.0)):
        estimator = fit(name, alpha=alpha)[name].estimator
        assert np.array_equal(suspicion(estimator, WORDS) > 0.0, estimator.predict(WORDS.X) != WORDS.labels)


def test_suspicion_is_larger_where_labels_are_wrong():
    for name in ("standard", "robust", "flipping"):
        estimator = fit(name, "share", alpha=None if name == "standard" else 1.0)[name].estimator
        found = suspicion(estimator, WORDS)
        assert found[WRONG].mean() > 2.0 * found[~WRONG].mean(), name


def test_decisions_come_from_what_a_classifier_has():
    class Probable:
        def predict_proba(self, X):
            return np.column_stack([1.0 - X, X])

    class Bare:
        def predict(self, X):
            return X > 0.5

    X = np.array([0.2, 0.9])
    assert decision(Probable(), X) == pytest.approx([-0.3, 0.4])
    assert decision(Bare(), X).tolist() == [-0.5, 0.5]
    standard = fit("standard")["standard"].estimator
    assert np.array_equal(decision(standard, WORDS.X_test), standard.decision_function(WORDS.X_test))


def test_a_record_has_scores_parameters_and_arrays_of_each_model(tmp_path):
    about, arrays = record(method_of("robust"), WORDS, lambda: fit("robust", "share", alpha=1.0))
    assert list(about) == ["robust", "robust_folds"]
    for name, one in about.items():
        assert one["status"] == "ok" and one["f1"] > 60.0 and one["warnings"] == []
        assert arrays[f"{name}.test"].shape == WORDS.truth_test.shape
        assert arrays[f"{name}.suspicion"].shape == WORDS.labels.shape
        assert one["share_shifted"] == np.mean(arrays[f"{name}.suspicion"] > 0.0)
    assert about["robust"]["seconds"] >= 0.0
    save(tmp_path / "robust.json", tmp_path / "robust.npz", about, arrays)
    assert load(tmp_path / "robust.json") == about
    with np.load(tmp_path / "robust.npz") as stored:
        assert set(stored) == set(arrays) and all(np.array_equal(stored[name], arrays[name]) for name in arrays)


def test_a_record_says_what_a_method_learned(tmp_path):
    flipping, _ = record(method_of("flipping"), WORDS, lambda: fit("flipping", alpha=1.0))
    assert np.shape(flipping["flipping"]["flips"]) == (2, 2) and "share_shifted" not in flipping["flipping"]
    prefilter, _ = record(method_of("prefilter"), WORDS, lambda: fit("prefilter", grid={"k": [3]}, alpha=1.0))
    assert 0.0 < prefilter["prefilter"]["share_filtered"] < 1.0
    counting = record(method_of("counting"), WORDS, lambda: fit("counting"))
    save(tmp_path / "c.json", tmp_path / "c.npz", *counting)  # its grid holds NumPy's numbers
    assert load(tmp_path / "c.json")["counting"]["params"] == {"least": 2}


@pytest.mark.parametrize(("fault", "reason"), [("fit", "no luck"), ("predict", "no sight")])
def test_a_rival_that_fails_is_a_record_with_the_reason(fault, reason, tmp_path):
    models = {"counting": {"fault": fault}}
    about, arrays = record(method_of("counting"), WORDS, lambda: fit("counting", like=models))
    assert about == {"counting": {"status": "failed", "reason": f"ArithmeticError: {reason}"}} and arrays == {}
    save(tmp_path / "c.json", tmp_path / "c.npz", about, arrays)
    assert load(tmp_path / "c.json") == about


def test_a_method_without_parameters_to_take_over_is_a_failure_too():
    about, _ = record(method_of("counting"), WORDS, lambda: fit("counting", like={}))
    assert about["counting"]["status"] == "failed" and "no parameters to take over" in about["counting"]["reason"]
