"""When which method pays: F1 on the test set against the share of training labels that were flipped.

True labels are flipped in two ways: *uniform*, every label with the same probability; *systematic*, all labels of some
words, drawn at random until the share is reached. Methods are trained on some of the articles and tuned on others,
flipped too. Of the robust model there are two: lam by the held-out articles alone, or among those lams that shift about
as many examples as are mislabelled, of which the others know nothing.
"""

from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import GroupShuffleSplit

from shiftlr.datasets.words import Words
from shiftlr.grids import alpha_grid, fit_grid, lam_grid
from shiftlr.metrics import count_by_group, draws_of_groups, interval, resampled, scores
from shiftlr.recognition import decision, prepared, taken_over
from shiftlr.training import grid_of, settings, values
from shiftlr.tuning import ShareLimit, choose, tune_on_dev

KINDS = ("uniform", "systematic")
COLUMNS = (
    *("kind", "share", "model", "precision", "recall", "f1", "gain", "low", "high"),
    *("share_shifted", "params", "reason"),
)


def flip(truth: np.ndarray, word_types: np.ndarray, kind: str, share: float, seed: int) -> np.ndarray:
    """Labels of which about that share is wrong; `word_types` numbers the word of each example."""
    rng = np.random.default_rng([seed, KINDS.index(kind), round(1000 * share)])
    if kind == "uniform":
        wrong = rng.random(len(truth)) < share
    else:
        counts = np.bincount(word_types)
        wanted = share * len(truth)
        chosen, total = np.zeros(len(counts), dtype=bool), 0
        for word in rng.permutation(len(counts)):
            if total + counts[word] <= wanted:  # a frequent word that does not fit any more is passed over
                chosen[word], total = True, total + counts[word]
        wrong = chosen[word_types]
    return np.where(wrong, 1 - truth, truth)


def split(words: Words, ner: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """Rows to train on and rows to tune on, no article in both."""
    curve = ner["curve"]
    splitter = GroupShuffleSplit(1, train_size=curve["train"], test_size=curve["held_out"], random_state=ner["seed"])
    return next(splitter.split(words.X, groups=words.articles))


def point(
    method: dict[str, Any], words: Words, labels: np.ndarray, ner: dict[str, Any], alpha: float | None
) -> list[dict]:
    """The models of a method at one share of flipped labels: their names, parameters and F1."""
    train, dev = split(words, ner)
    data = words.X[train], labels[train], words.X[dev], labels[dev]
    estimator = prepared(method, ner, alpha)
    if method["method"] == "standard":
        grid = alpha_grid([1.0 / sigma2 for sigma2 in values(ner["curve"]["sigma2s"])])
        models = {method["name"]: tune_on_dev(estimator, grid, *data, scoring=ner["curve"]["scoring"])}
    elif method["method"] == "robust":
        grid = lam_grid(values(ner["lams"]))
        fits = fit_grid(estimator, grid, *data[:2])
        found = fits.scores(*data[2:], ner["curve"]["scoring"])
        about = ShareLimit(about=float(np.mean(labels[train] != words.truth[train])), within=ner["share_within"])
        by_rule = {"share": choose(grid, fits, found, about), "held_out": choose(grid, fits, found)}
        models = {f"{method['name']}_{rule}": tuned for rule, tuned in by_rule.items()}
    else:
        grid = settings(grid_of(method))
        models = {method["name"]: tune_on_dev(estimator, grid, *data, scoring=ner["curve"]["scoring"])}
    rows = []
    for name, tuned in models.items():
        predicted, truth = decision(tuned.estimator, words.X_test) > 0.0, words.truth_test == 1
        row = {"model": name, **scores(predicted, truth)._asdict()}
        if hasattr(tuned.estimator, "shifts_"):
            row["share_shifted"] = float(np.mean(tuned.estimator.shifts_ != 0.0))
        row["params"] = taken_over(tuned.estimator, alpha) | tuned.params
        row["counts"] = count_by_group(predicted, truth, words.articles_test).astype(int).tolist()
        rows.append(row)
    return rows


def points(
    method: dict[str, Any],
    kind: str,
    words: Words,
    types: np.ndarray,
    ner: dict[str, Any],
    chosen: list[dict],
) -> list[dict]:
    """The points of one method. `chosen` are those of standard, whose penalty the others take over."""
    alphas = {row["share"]: row["params"]["alpha"] for row in chosen}
    rows = []
    for share in ner["curve"]["shares"]:
        labels = flip(words.truth, types, kind, share, ner["seed"])
        try:
            found = point(method, words, labels, ner, alphas.get(share))
        except Exception as error:  # whatever a rival's code raises, the other points go on
            found = [{"model": method["name"], "reason": f"{type(error).__name__}: {error}"}]
        rows += [{"kind": kind, "share": share} | row for row in found]
    return rows


def word_types(words: Words, names: list[str]) -> np.ndarray:
    """Which word each example is, by the feature that says so."""
    is_word = np.array([name.startswith("word ") for name in names])
    rows, columns = words.X.nonzero()
    mine = is_word[columns]
    types = np.empty(words.X.shape[0], dtype=np.int64)
    types[rows[mine]] = np.unique(columns[mine], return_inverse=True)[1]
    return types


def as_frame(rows: list[dict], resamples: int, seed: int) -> pd.DataFrame:
    """All points, each with its gain in F1 over standard and the interval of that by a bootstrap over test articles."""
    counted = {(row["kind"], row["share"], row["model"]): np.array(row["counts"]) for row in rows if "counts" in row}
    draws = draws_of_groups(max(map(len, counted.values()), default=1), resamples, seed)  # of the same test articles
    drawn = {point: resampled(counts, draws)["f1"] for point, counts in counted.items()}
    f1s = {(row["kind"], row["share"]): row["f1"] for row in rows if row["model"] == "standard" and "f1" in row}
    whole = []
    for row in rows:
        place = row["kind"], row["share"]
        more = {}
        if "counts" in row and (*place, "standard") in drawn:
            low, high = interval(drawn[*place, row["model"]] - drawn[*place, "standard"])
            more = {"gain": row["f1"] - f1s[place], "low": low, "high": high}
        whole.append(row | more)
    return pd.DataFrame(whole, columns=list(COLUMNS))
