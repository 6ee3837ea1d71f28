"""What a method answers is checked before it is measured: a wrong shape, NaN or foreign labels are a failed row."""

import numpy as np
import pytest
from rivals import make_job, make_replicate
from shiftbench import fit

ANSWERING = '''
import numpy as np
from shiftlr.methods.standard import StandardLogisticRegression

CHANGES = {
    "column": lambda right: right[:, None],
    "row": lambda right: right[None, :],
    "one short": lambda right: right[:-1],
    "one": lambda right: right[0],
    "none": lambda right: None,
    "nothing in it": lambda right: np.full(len(right), None),
    "nan": lambda right: np.full(len(right), np.nan),
    "one nan": lambda right: np.where(np.arange(len(right)) == 3, np.nan, right),
    "words": lambda right: right.astype(str),
    "signs": lambda right: np.where(right, 1, -1),
    "complex": lambda right: right.astype(complex) + 1j,
    "others": lambda right: right + 7.0,
}


class Answering(StandardLogisticRegression):
    """Changes one of its answers."""

    def __init__(self, which="", how="", penalty=None, alpha=0.0, fit_intercept=True, tol=1e-8, max_iter=1000):
        super().__init__(penalty, alpha, fit_intercept, tol, max_iter)
        self.which, self.how = which, how

    def _changed(self, which, right):
        return CHANGES[self.how](right) if which == self.which else right

    def predict(self, X):
        return self._changed("predict", super().predict(X))

    def decision_function(self, X):
        return self._changed("decision_function", super().decision_function(X))

    def suspicion(self, X, y):
        return self._changed("suspicion", super().suspicion(X, y))

    def suspected(self, X, y):
        return self._changed("suspected", super().suspected(X, y))
'''
CHANCES = '''
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression


class Chances(ClassifierMixin, BaseEstimator):
    """A rival that is not linear, as far as one can see; without `decision_function`, or with `predict` alone."""

    def __init__(self, how=""):
        self.how = how

    def fit(self, X, y):
        self.model_ = LogisticRegression().fit(X, y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X):
        right = self.model_.predict(X)
        return right[:, None] if self.how == "column of classes" else right

    def predict_proba(self, X):
        right = self.model_.predict_proba(X)
        changed = {"second only": right[:, 1], "logarithms": np.log(right), "nan": right * np.nan}
        return changed.get(self.how, right)
'''
METRIC = "import numpy as np\ndef odd(outcome):\n    return {}\n"
WRONG = [*("column", "row", "one short", "one", "none", "nothing in it", "nan", "one nan", "words", "complex")]
REPLICATE = make_replicate()


@pytest.fixture
def run(tmp_path):
    for name, text in {"methods/answering": ANSWERING, "methods/chances": CHANCES, "metrics/odd": ""}.items():
        (tmp_path / f"{name}.py").parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.py").write_text(text)

    def running(name, params, metric="accuracy", **settings):
        job = make_job(str(tmp_path), name, {"params": params}, metrics=[metric], **settings)
        chosen = {}
        rows, arrays = fit.run(job, REPLICATE, chosen)
        failed = rows[0]["status"] == "failed"
        assert (arrays == {}) or not failed
        assert (chosen == {}) == failed and np.isnan(rows[0]["value"]) == failed
        return rows[0]["status"], rows[0]["reason"]

    running.folder = tmp_path
    return running


@pytest.mark.parametrize("how", [*WRONG, "signs", "others"])
def test_classes(run, how):
    status, reason = run("answering", {"which": "predict", "how": how}, by="none")
    assert status == "failed" and reason.startswith("ValueError: predict gave ")


@pytest.mark.parametrize("how", WRONG)
@pytest.mark.parametrize(
    ("which", "metric"),
    [("decision_function", "f1"), ("suspicion", "precision_at_10"), ("suspected", "share_suspected")],
)
def test_numbers_and_flags(run, which, metric, how):
    status, reason = run("answering", {"which": which, "how": how}, metric, by="none")
    assert status == "failed" and reason.startswith(f"ValueError: {which} gave ")


def test_flags_are_no_numbers(run):
    status, reason = run("answering", {"which": "suspected", "how": "signs"}, "kept_positives", by="none")
    assert (status, reason.split(":")[0]) == ("failed", "ValueError") and "type int64: must be True or False" in reason


@pytest.mark.parametrize("which", ["decision_function", "suspicion", "suspected"])
def test_arrays_that_no_metric_asks_for_are_checked_too(run, which):
    """They are kept for figures and lists."""
    status, reason = run("answering", {"which": which, "how": "column"}, by="none", redrawn=False)
    assert status == "failed" and " gave an array of shape (80, 1): must be of shape (80,)" in reason


@pytest.mark.parametrize(("how", "metric"), [("second only", "f1"), ("logarithms", "f1"), ("nan", "f1")])
def test_probabilities(run, how, metric):
    status, reason = run("chances", {"how": how}, metric, by="none")
    assert status == "failed" and reason.startswith("ValueError: predict_proba gave ")


@pytest.mark.parametrize("by", ["dev", "folds"])
def test_settings_are_not_compared_by_wrong_answers(run, by):
    """Neither is one of them chosen, nor the right one because the wrong ones scored less."""
    for grid in (["column of classes", ""], ["", "column of classes"]):
        job = make_job(str(run.folder), "chances", {"grid": {"how": grid}}, metrics=["f1"], by=by)
        first = fit.run(job, REPLICATE, {})[0][0]
        assert first["status"] == "failed" and first["reason"].startswith("ValueError: predict gave an array of shape")


@pytest.mark.parametrize(
    "value", ["np.nan", "np.inf", "-np.inf", "1 + 2j", "'0.5'", "np.array([0.5])", "[0.5]", "np.datetime64('nat')"]
)
def test_metrics(run, value):
    (run.folder / "metrics" / "odd.py").write_text(METRIC.format(value))
    status, reason = run("standard", {}, "odd")
    assert status == "failed" and reason.startswith("ValueError: the metric odd gave ")
    assert "must be a finite number, or None if it does not apply" in reason


@pytest.mark.parametrize(
    ("value", "kept"), [("True", 1), ("np.bool_(False)", 0), ("np.int8(3)", 3), ("np.float32(0.5)", 0.5), ("2", 2)]
)
def test_numbers_of_any_type_are_kept(value, kept):
    found = fit.check_value("odd", eval(value, {"np": np}))
    assert found == kept and type(found) is type(kept)


def test_right_answers_stay_as_they_are(run):
    assert run("answering", {}, redrawn=False) == ("ok", "")
    assert run("chances", {}, "f1", redrawn=False) == ("ok", "")
    assert fit.check_value("odd", None) is None
