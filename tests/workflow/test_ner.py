"""Named-entity recognition through real Snakemake, on stand-ins for all four sources."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import Clone
from shiftlr import recognition
from shiftlr.config import complete, ner_method, ner_methods
from shiftlr.datasets import words

NER = """
ner:
  folds: 2
  sigma2s: [10.0, 0.1]
  lams: [1.0, 0.1, 0.01]
  resamples: 20
  ks: [20, 50]
  labels:
    turker: {title: one Turker}
    per_article: {title: a Turker per article, lam: share}
    auto: {title: automatic, negatives: 1000, lam: share}
    gold: {title: true labels, negatives: 1000, like: auto}
  methods:
    standard: {}
    flipping: {params: {tol: 0.001}}
    robust: {}
    prefilter: {grid: {k: [1, 2]}}
  thinning: {shares: [1.0, 0.1], draws: 1, em_tol: 0.001}
  curve: {shares: [0.0, 0.2], train: 0.5, held_out: 0.3, sigma2s: [10.0, 0.1]}
"""
FOLDERS = ("conll2003", "annie", "names", "crowd2014")
SCORES = ["table4", "table5", "table8"]
TABLES = [f"results/tables/{name}" for name in ("table3", *SCORES, "label_errors", "thinning")]
LISTS = ["results/ner/suspects_auto.csv", "results/ner/suspects_crowd.csv", "results/ner/noise_curve.csv"]
FIGURES = [f"results/figures/{name}" for name in ("figure3", "label_errors", "noise_curve")]

RIVAL = '''
"""A rival for the test."""

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class Rival(ClassifierMixin, BaseEstimator):
    """Says the class whose mean is nearer, along the features whose means differ most."""

    grid = {"n_features": np.array([10, 100])}

    def __init__(self, n_features=10):
        self.n_features = n_features

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        means = [np.asarray(X[y == label].mean(axis=0)).ravel() for label in self.classes_]
        weights = means[1] - means[0]
        self.weights_ = np.where(np.argsort(np.argsort(-np.abs(weights))) < self.n_features, weights, 0.0)
        self.middle_ = self.weights_ @ (means[0] + means[1]) / 2.0
        return self

    def predict(self, X):
        return self.classes_[(X @ self.weights_ > self.middle_).astype(int)]
'''


@pytest.fixture(scope="module")
def recognised(finished, tmp_path_factory):
    """A finished run with named-entity recognition, from hosts that are not there; no test changes it."""
    done = copy_of(finished, tmp_path_factory.mktemp("ner"))
    done.path("config.yaml").write_text(done.path("config.yaml").read_text() + NER)
    done.edit("config.yaml", "  standard: {}\n  robust:\n", "  standard: {}\n  flipping: {}\n  robust:\n")
    sources = yaml.safe_load(done.path("sources.yaml").read_text())
    for source in sources.values():
        for name, file in source["files"].items():
            file["places"] = [{"url": f"http://127.0.0.1:9/{name}"}]
    done.path("sources.yaml").write_text(yaml.safe_dump(sources))
    done.printed = done.run("--cores", "2")
    return done


def copy_of(clone, folder):
    """Another clone that a test may change."""
    shutil.copytree(clone.folder, folder / "clone", symlinks=True)
    return Clone(folder / "clone")


def test_everything_is_there(recognised):
    names = [f"{table}.{kind}" for table in TABLES for kind in ("tex", "csv", "md", "html")]
    names += LISTS + [f"{figure}.{kind}" for figure in FIGURES for kind in ("pdf", "png")]
    for name in names:
        assert recognised.path(name).stat().st_size > 0, name
    for name in SCORES:
        rows = pd.read_csv(recognised.path(f"results/tables/{name}.csv"))
        assert ",".join(rows) == "labels,model,precision,recall,f1,published_f1,data"
        assert rows["f1"].between(30.0, 100.0).all()
    scores = pd.read_csv(recognised.path("results/ner/scores.csv"))
    assert len(scores) == 4 * (4 + 1) and set(scores["status"]) == {"ok"}  # the robust model by two rules
    curve = pd.read_csv(recognised.path("results/ner/noise_curve.csv"))
    assert len(curve) == 2 * 2 * (4 + 1) and curve["reason"].isna().all()
    for name in LISTS[:2]:
        suspects = pd.read_csv(recognised.path(name))
        assert ",".join(suspects) == "rank,article,word,sentence,label_given,label_suspected,label_true,shift,data"
        assert len(suspects) > 0 and suspects["shift"].abs().is_monotonic_decreasing


def test_standins_are_marked(recognised):
    assert "Stand-in data, not the real crowd2014" in recognised.printed
    for table in TABLES:
        for kind in ("tex", "md", "html"):
            assert "Stand-in data" in recognised.path(f"{table}.{kind}").read_text(), table
    for who in ("auto", "crowd"):
        assert "Stand-in data" in recognised.path(f"results/ner/suspects_{who}.html").read_text()
    for name in SCORES:
        assert set(pd.read_csv(recognised.path(f"results/tables/{name}.csv"))["data"]) == {"standin"}
    assert set(pd.read_csv(recognised.path("results/ner/facts.csv"))["data"]) == {"standin"}
    verdicts = pd.read_csv(recognised.path("results/verdicts.csv"))
    ours = verdicts[verdicts["table"].isin(["table3", *SCORES])]
    assert set(ours["data"]) == {"standin"} and set(ours["verdict"]) == {"not_comparable"}


def test_parameters_are_shared_as_the_config_says(recognised):
    def params(labels, method):
        models = json.loads(recognised.path(f"results/ner/runs/{labels}/{method}.json").read_text())
        return {name: model["params"] for name, model in models.items()}

    for labels in ("turker", "per_article", "auto"):
        alpha = params(labels, "standard")["standard"]["alpha"]
        others = [one for method in ("flipping", "robust", "prefilter") for one in params(labels, method).values()]
        assert {one["alpha"] for one in others} == {alpha}
    assert set(params("auto", "robust")) == set(params("per_article", "robust")) == {"robust", "robust_folds"}
    assert set(params("turker", "robust")) == {"robust", "robust_share"}
    for method in ("standard", "flipping", "robust", "prefilter"):
        assert params("gold", method) == params("auto", method)


def test_second_run_has_nothing_to_do(recognised):
    assert recognised.planned() == {}


def test_edited_method_reruns_itself_and_what_depends_on_it(recognised, tmp_path):
    clone = copy_of(recognised, tmp_path)
    clone.edit("workflow/shiftlr/methods/flipping.py", '"""The label-flipping', '"""Label-flipping')
    planned = clone.planned()
    assert planned["train_words"] == 4 and planned["flip_words"] == 2 and planned["thin_features"] == 1
    assert planned["evaluate_words"] == 1 and planned["tabulate_words"] == 6 and planned["find_label_errors"] == 2
    assert planned.keys().isdisjoint({"fetch", "label_words", "simulate", "train"})


def test_labels_without_suspects_need_none(recognised, tmp_path):
    clone = copy_of(recognised, tmp_path)
    for labels in ("per_article", "auto", "gold"):
        lines = clone.path("config.yaml").read_text().splitlines(keepends=True)
        clone.path("config.yaml").write_text("".join(line for line in lines if not line.startswith(f"    {labels}:")))
    clone.edit("config.yaml", "thinning: {", "thinning: {labels: turker, ")
    planned = clone.planned()
    assert planned["tabulate_words"] == 5 and planned["thin_features"] == 1
    assert planned.keys().isdisjoint({"find_label_errors", "list_suspects", "plot_words", "flip_words", "train_words"})


def test_data_and_fits_come_out_the_same_in_another_process(recognised, tmp_path):
    config = complete(yaml.safe_load(recognised.path("config.yaml").read_text()))
    ner, models = config["ner"], recognised.path("results/ner/runs")
    folders = words.Folders(*(str(recognised.path(f"results/data/sources/{name}")) for name in FOLDERS))
    for kind, labels in ner["labels"].items():
        data = words.make(kind, folders, ner | {"labels": labels})[0]
        words.save(tmp_path / "again.npz", data)
        assert (tmp_path / "again.npz").read_bytes() == recognised.path(f"results/ner/data/{kind}.npz").read_bytes()
        for name in ner_methods(config):
            chosen = recognition.load(models / (labels["like"] or kind) / f"{name}.json")
            alpha = recognition.load(models / kind / "standard.json")["standard"]["params"]["alpha"]
            fixed = {"like": {model: one["params"] for model, one in chosen.items()}} if labels["like"] else {}
            given = {} if name == "standard" else {"alpha": alpha}
            method = ner_method(config, name)
            fitted = recognition.train(method, data, ner, labels["lam"], **(fixed or given))
            arrays = recognition.record(method, data, lambda fitted=fitted: fitted)[1]
            with np.load(models / kind / f"{name}.npz") as stored:
                assert set(stored) == set(arrays)
                assert all(np.array_equal(stored[key], arrays[key]) for key in arrays), (kind, name)


def test_a_rival_stands_in_every_table_and_all_else_comes_out_the_same(recognised, tmp_path):
    """Everything after the fits is made anew."""
    clone = copy_of(recognised, tmp_path)
    clone.path("workflow/shiftlr/methods/rival.py").write_text(RIVAL)
    clone.edit("config.yaml", "  standard: {}\n  flipping", "  standard: {}\n  rival: {}\n  flipping")
    clone.edit("config.yaml", "seeds_per_job: 3", "seeds_per_job: 3\nalso: [rival]")
    clone.run("--cores", "2", *(f"{table}.csv" for table in TABLES), *LISTS)
    for name in SCORES:
        rows = pd.read_csv(clone.path(f"results/tables/{name}.csv")).query("model == 'rival'")
        assert len(rows) == 2 and rows["f1"].between(10.0, 100.0).all() and rows["published_f1"].isna().all()
    assert len(pd.read_csv(clone.path("results/ner/noise_curve.csv")).query("model == 'rival'")) == 2 * 2
    without_rival = [f"results/tables/{name}.{kind}" for name in ("table3", "thinning") for kind in ("tex", "md")]
    for name in [f"{table}.csv" for table in TABLES] + without_rival + LISTS:
        lines = [one.path(name).read_text().splitlines() for one in (clone, recognised)]
        assert [line for line in lines[0] if "rival" not in line] == lines[1], name
