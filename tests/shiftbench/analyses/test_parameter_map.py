"""What the robust model suspects over a grid, and how stably: against fits one by one."""

import warnings

import numpy as np
import pytest
from shiftbench.analyses.parameter_map import COLUMNS, parameter_map
from shiftbench.analyses.stability import stability
from shiftbench.datasets import colon
from shiftbench.tuner import strongest
from shiftlr import methods

RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 60))
TRUTH = X[:, 0] - X[:, 1] > 0.0
SUSPECTED = np.arange(40) % 10 == 0
LABELS = (TRUTH ^ SUSPECTED).astype(int)
IDS = np.array([f"T{k}" for k in range(40)])
GRID = [{"alpha": alpha, "lam": lam} for lam in (1.0, 0.4, 0.2) for alpha in (8.0, 3.0, 1.0)]


def fit(weights=None, **params):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return methods.load("robust")(penalty="l1", **params).fit(X, LABELS, sample_weight=weights)


def test_a_map_counts_what_each_setting_suspects():
    published = fit(**GRID[4]).shifts_ != 0.0
    assert published.any()
    found = parameter_map(X, LABELS, SUSPECTED, published, GRID)
    columns = ("kappa", "lam", "hits", "false_positives", "as_published", "nonzero_genes")
    assert tuple(found.columns) == COLUMNS == columns
    assert found[["kappa", "lam"]].to_numpy().tolist() == [[one["alpha"], one["lam"]] for one in GRID]
    for row in found.itertuples():
        model = fit(alpha=row.kappa, lam=row.lam)
        shifted = model.shifts_ != 0.0
        assert (row.hits, row.false_positives) == (shifted[SUSPECTED].sum(), shifted[~SUSPECTED].sum())
        assert row.as_published == (shifted.tolist() == published.tolist())
        assert row.nonzero_genes == np.count_nonzero(model.coef_)
    assert found["hits"].max() >= 3
    assert found["as_published"][4] and not found["as_published"].all()


def test_shifts_as_dear_as_a_label_are_not_bought_and_the_strongest_penalty_leaves_no_gene(tmp_path):
    colon.write_standin(tmp_path)
    data = colon.read(tmp_path)
    tissues = colon.preprocess(data.intensities, log=True, per_array=True, per_gene=True)
    alphas = strongest(tissues, data.labels) * np.geomspace(1.0, 0.01, 8)
    grid = [{"alpha": alpha, "lam": lam} for lam in (1.0, 0.4, 0.1) for alpha in alphas]
    counts = parameter_map(tissues, data.labels, data.suspected, data.published, grid)
    assert counts.loc[counts["lam"] == 1.0, ["hits", "false_positives"]].to_numpy().max() == 0
    assert counts.loc[(counts["lam"] == 1.0) & (counts["kappa"] == alphas[0]), "nonzero_genes"].item() <= 1
    assert counts["hits"].max() >= 6


def test_stability_is_the_share_of_the_resamples_with_an_example_in_which_it_is_shifted():
    params = {"alpha": 2.0, "lam": 0.3}
    found = stability(X, LABELS, IDS, SUSPECTED, params, resamples=6, seed=4)
    rng, seen, shifted = np.random.default_rng(4), np.zeros(40), np.zeros(40)
    for _ in range(6):
        rows = rng.integers(40, size=40)
        drawn = np.isin(np.arange(40), rows)
        seen += drawn
        shifted += drawn & (fit(np.bincount(rows, minlength=40), **params).shifts_ != 0.0)
    assert list(found.columns) == ["sample", "suspect", "share"]
    assert found["sample"].tolist() == IDS.tolist() and found["suspect"].tolist() == SUSPECTED.tolist()
    np.testing.assert_allclose(found["share"], shifted / np.maximum(seen, 1.0))
    assert found.groupby("suspect")["share"].mean()[True] > found.groupby("suspect")["share"].mean()[False]


@pytest.mark.parametrize("seed", [0, 1])
def test_stability_depends_on_the_seed_alone(seed):
    given = (X, LABELS, IDS, SUSPECTED, {"alpha": 2.0, "lam": 0.3}, 3)
    assert stability(*given, seed=seed).equals(stability(*given, seed=seed))
    assert not stability(*given, seed=seed).equals(stability(*given, seed=seed + 5))
