"""Which words are persons: every method tuned on noisy labels, as in sections 4.3 and 4.4, and tried on the test set.

The penalty is L2 for all. Its strength alpha = 1 / sigma^2 is chosen with standard logistic regression by folds that
never split an article, and all other methods take it over; then each method's own parameters are chosen by the same
folds. For the robust model there are two rules: lam by folds alone, or by folds among those lams that shift about as
many examples as are mislabelled. What a set of labels takes for `robust` is said in the config; the other rule's model
is kept beside it.
"""

import json
import time
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from shiftlr import methods
from shiftlr.datasets.words import Words
from shiftlr.files import whole, write_text
from shiftlr.grids import alpha_grid, fit_grid, lam_grid
from shiftlr.metrics import scores
from shiftlr.training import grid_of, settings, values
from shiftlr.tuning import ShareLimit, Tuning, choose, fold_scores, tune_by_folds


class Model(NamedTuple):
    """A fitted method: a row of a table."""

    estimator: Any
    params: dict[str, Any]
    tried: list[dict]  # settings with their scores


def train(
    method: dict[str, Any],
    words: Words,
    ner: dict[str, Any],
    lam_rule: str,
    alpha: float | None = None,
    like: dict[str, dict] | None = None,
) -> dict[str, Model]:
    """The models of one method by name; beside `robust` that of the other rule.

    `method` has the file's name, params and grid; `ner` is that part of the config. `alpha` is what standard logistic
    regression chose; `like` are the parameters of each model, chosen elsewhere, and then nothing is tuned.
    """
    estimator = prepared(method, ner, alpha)
    if like is not None:
        if not like:
            raise ValueError("it has no parameters to take over: it failed where they were to be chosen")
        fixed = {name: clone(estimator).set_params(**params) for name, params in like.items()}
        return {name: Model(_finished(one, words, ner), like[name], []) for name, one in fixed.items()}
    if method["method"] == "standard":
        return {method["name"]: _model(_standard(estimator, words, ner), words, ner)}
    if method["method"] == "robust":
        tuned = _robust(estimator, words, ner, lam_rule)
        return named_by_rule(method, {rule: _model(one, words, ner, alpha) for rule, one in tuned.items()})
    tuned = tune_by_folds(estimator, settings(grid_of(method)), words.X, words.labels, **folds(words, ner))
    return {method["name"]: _model(tuned, words, ner, alpha)}


def named_by_rule(method: dict[str, Any], by_rule: dict[str, Any]) -> dict[str, Any]:
    """Names of the robust method's models: the first rule's is called like it; only `robust` has both."""
    first, *others = by_rule
    more = {f"robust_{rule}": by_rule[rule] for rule in others if method["name"] == "robust"}
    return {method["name"]: by_rule[first]} | more


def prepared(method: dict[str, Any], ner: dict[str, Any], alpha: float | None) -> Any:
    """The method's estimator, with the L2 penalty if it can have one."""
    estimator = methods.load(method["method"])(**method["params"])
    if "penalty" in estimator.get_params():
        estimator.set_params(penalty="l2")
        if alpha is not None:
            estimator.set_params(alpha=alpha)
        if "tol" not in method["params"]:
            estimator.set_params(tol=ner["tol"])
    return estimator


def folds(words: Words, ner: dict[str, Any]) -> dict[str, Any]:
    """How settings are compared: by folds that never split an article."""
    return {"n_splits": ner["folds"], "random_state": ner["seed"], "groups": words.articles, "scoring": ner["scoring"]}


def _standard(estimator, words, ner):
    alphas = [1.0 / sigma2 for sigma2 in values(ner["sigma2s"])]
    return tune_by_folds(estimator, alpha_grid(alphas), words.X, words.labels, **folds(words, ner))


def _robust(estimator, words, ner, lam_rule):
    """lam by folds, and by folds among those that shift about as many examples as are mislabelled; `lam_rule` first."""
    grid = lam_grid(values(ner["lams"]))
    found = fold_scores(estimator, grid, words.X, words.labels, **folds(words, ner))
    fits = fit_grid(estimator, grid, words.X, words.labels)
    limits = {
        "folds": None,
        "share": ShareLimit(about=float(np.mean(words.labels != words.truth)), within=ner["share_within"]),
    }
    rules = sorted(limits, key=lambda rule: rule != lam_rule)
    return {rule: choose(grid, fits, found, limits[rule]) for rule in rules}


def chosen_alpha(models: dict[str, dict[str, Any]]) -> float:
    """The strength of the penalty that standard logistic regression chose, or an error that says why it has none."""
    standard = models["standard"]
    if standard["status"] != "ok":
        raise ValueError(f"standard logistic regression failed, and so chose no penalty: {standard['reason']}")
    return standard["params"]["alpha"]


def taken_over(estimator: Any, alpha: float | None) -> dict[str, float]:
    """The penalty's strength, if there is one."""
    return {"alpha": alpha} if alpha is not None and "penalty" in estimator.get_params() else {}


def _model(tuned: Tuning, words, ner, alpha=None):
    params = taken_over(tuned.estimator, alpha) | tuned.params
    return Model(_finished(clone(tuned.estimator), words, ner), params, tuned.rows)


def _finished(estimator, words, ner):
    """The estimator fitted; penalised ones to a tighter tolerance, so that models that are equal predict alike."""
    if "penalty" in estimator.get_params():
        estimator.set_params(tol=ner["final_tol"])
    return estimator.fit(words.X, words.labels)


def suspicion(estimator: Any, words: Words) -> np.ndarray:
    """How much each training label looks wrong: its shift, its doubt, whether it was filtered, its margin."""
    if hasattr(estimator, "shifts_"):
        return np.abs(estimator.shifts_)
    if hasattr(estimator, "doubts_"):
        return estimator.doubts_
    if hasattr(estimator, "kept_"):
        return (~estimator.kept_).astype(float)
    return -np.where(words.labels == 1, 1.0, -1.0) * decision(estimator, words.X)


def decision(estimator: Any, X) -> np.ndarray:
    """A number that is positive where the estimator says person."""
    if hasattr(estimator, "decision_function"):
        return estimator.decision_function(X)
    if hasattr(estimator, "predict_proba"):
        return estimator.predict_proba(X)[:, 1] - 0.5
    return estimator.predict(X) - 0.5


def record(method: dict[str, Any], words: Words, fit) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """(what is said of each model, arrays of its scores); a method that fails is a record with its reason.

    `fit` gives the models, as `train` does.
    """
    start = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            about, arrays = _describe(fit(), words)
        except Exception as error:  # whatever a rival's code raises, the other methods go on
            reason = f"{type(error).__name__}: {error}"
            return {method["name"]: {"status": "failed", "reason": reason}}, {}
    for one in about.values():
        one["warnings"] = sorted({str(warning.message) for warning in caught})
    about[next(iter(about))]["seconds"] = round(time.perf_counter() - start, 3)
    return about, arrays


def _describe(models, words):
    about: dict[str, dict[str, Any]] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, model in models.items():
        on_test = decision(model.estimator, words.X_test)
        found = scores(on_test > 0.0, words.truth_test == 1)
        about[name] = {"status": "ok", "params": model.params} | found._asdict() | _learned(model.estimator)
        about[name]["tried"] = model.tried
        arrays |= {f"{name}.test": on_test, f"{name}.suspicion": suspicion(model.estimator, words)}
    return about, arrays


def _learned(estimator):
    """What a method learned beside its weights."""
    learned: dict[str, Any] = {}
    if hasattr(estimator, "shifts_"):
        learned["share_shifted"] = float(np.mean(estimator.shifts_ != 0.0))
    if hasattr(estimator, "flip_probabilities_"):
        learned["flips"] = estimator.flip_probabilities_.tolist()
    if hasattr(estimator, "kept_"):
        learned["share_filtered"] = float(np.mean(~estimator.kept_))
    return learned


def save(about_path: str | Path, arrays_path: str | Path, about: dict, arrays: dict[str, np.ndarray]) -> None:
    """Write what `record` gave."""
    write_text(about_path, json.dumps(about, indent=1, default=lambda number: number.item()) + "\n")
    with whole(arrays_path) as partial, partial.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]


def load(path: str | Path) -> dict[str, dict[str, Any]]:
    """The models of a method, by name."""
    return json.loads(Path(path).read_text(encoding="utf-8"))
