"""Figures of the colon-cancer data: the map covers the grid that was searched, and stand-ins are marked."""

import numpy as np
import pandas as pd
import pytest
from shiftbench import plugins
from shiftbench.config.load import complete
from shiftbench.datasets import colon
from shiftbench.datasets.base import Part, Replicate
from shiftbench.present import figures
from shiftbench.present.context import Context
from shiftbench.runs import Runs, rows_of
from shiftbench.tuner import strongest

PLACE = ("table2", "tissues")
LAMS = [1.0, 0.6, 0.4, 0.1]
FOUND = ("N5", "N8", "N26")  # what the setting of `chosen_of` finds in the stand-ins
CONFIG = {
    "methods": {"robust": {"grid": {"lam": LAMS}}, "svm": {"grid": {"C": [1.0]}}},
    "experiments": {
        "table2": {
            "dataset": "colon",
            "seed": 0,
            "tuning": {"by": "folds", "penalty": "l1", "alphas": {"weakest": 0.01, "points": 8}},
            "methods": ["robust", "svm"],
            "scenarios": {"tissues": {}},
        },
        "twice": {"dataset": "colon", "methods": ["robust"], "scenarios": {"one": {}, "two": {}}},
    },
    "figures": {"colon_map": {"of": ["table2"]}, "colon_stability": {"of": ["table2"], "resamples": 5}},
}


@pytest.fixture(scope="module")
def replicate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("colon")
    colon.write_standin(folder)
    data = colon.read(folder)
    X = colon.preprocess(data.intensities, **colon.DEFAULTS)
    tags = {"suspected": data.suspected, "published": np.isin(data.samples, FOUND)}
    train = Part(X, data.labels, ids=data.samples, tags=tags)
    return Replicate("tissues", 0, {"train": train}, {})


def make(name, replicate, params=None, status="ok", origin="report", **settings):
    config = complete(CONFIG)
    place = {"experiment": "table2", "scenario": "tissues", "replicate": 0, "method": "robust"}
    rows = rows_of(place, {"suspects_hit": 6.0}, params or {}, status, data=origin)
    settings = config["figures"][name] | settings
    context = Context(name, settings, config, Runs(pd.DataFrame(rows), {}), None, None, {PLACE: replicate})
    return figures.make(plugins.load_file("figures", settings["layout"]), context)


def chosen_of(replicate):
    """A setting under which the stand-ins have a few shifts."""
    train = replicate.parts["train"]
    return {"alpha": float(strongest(train.X, train.labels) * 0.01 ** (2 / 7)), "lam": 0.4}


def test_the_map_has_every_setting_of_the_grid_and_a_star_at_the_chosen_one(replicate):
    chosen = chosen_of(replicate)
    figure, table = make("colon_map", replicate, chosen)
    assert len(table) == 8 * len(LAMS) and set(table["lam"]) == set(LAMS)
    star = table[table["chosen"]]
    assert star[["kappa", "lam"]].to_numpy().tolist() == [pytest.approx(list(chosen.values()))]
    drawn = {line.get_label(): line.get_xydata() for line in figure.axes[0].lines}
    np.testing.assert_allclose(drawn["chosen, first seed"], [list(chosen.values())])
    dots = drawn["the published tissues: 1 of 32 settings"]
    np.testing.assert_allclose(dots, [list(chosen.values())])  # N8 is a suspect, N5 and N26 are not
    row = table[table["as_published"]].iloc[0]
    assert (row["hits"], row["false_positives"]) == (1, 2)
    assert figure.axes[1].get_ylim() == (-9.0, 9.0)  # as many as there are suspects


def test_a_map_without_the_published_tissues_says_so(replicate):
    train = replicate.parts["train"]
    none = replicate._replace(parts={"train": train._replace(tags=train.tags | {"published": train.labels == 2})})
    figure, table = make("colon_map", none, chosen_of(replicate))
    found_nothing = table["hits"] + table["false_positives"] == 0
    assert table["as_published"].tolist() == found_nothing.tolist()
    other = train.tags["suspected"] & (train.labels == 1)
    never = replicate._replace(parts={"train": train._replace(tags=train.tags | {"published": other})})
    figure, table = make("colon_map", never, chosen_of(replicate))
    assert not table["as_published"].any()
    assert "the published tissues: 0 of 32 settings" in [line.get_label() for line in figure.axes[0].lines]


def test_the_bars_are_sorted_and_suspects_marked(replicate):
    figure, table = make("colon_stability", replicate, chosen_of(replicate))
    assert len(table) == 62 and table["share"].between(0.0, 1.0).all() and table["share"].is_monotonic_decreasing
    assert set(table.loc[table["suspect"], "sample"]) == set(colon.SUSPECTS)
    bold = [tick.get_text() for tick in figure.axes[0].get_xticklabels() if tick.get_fontweight() == "bold"]
    assert sorted(bold) == sorted(colon.SUSPECTS)
    again = make("colon_stability", replicate, chosen_of(replicate), seed=1)[1]
    assert not again["share"].equals(table["share"])


@pytest.mark.parametrize("origin", ["report", "standin", "quick"])
def test_figures_mark_standins(replicate, origin):
    for name in ("colon_map", "colon_stability"):
        title = make(name, replicate, chosen_of(replicate), origin=origin)[0].axes[0].get_title()
        assert ("stand-in" in title) == (origin == "standin") and ("quick look" in title) == (origin == "quick")


def test_a_failed_fit_has_no_star_and_no_bars(replicate):
    figure, table = make("colon_map", replicate, status="failed")
    assert not table["chosen"].any()
    assert "chosen, first seed" not in [line.get_label() for line in figure.axes[0].lines]
    figure, table = make("colon_stability", replicate, status="failed")
    assert table.empty and table.columns.tolist() == ["sample", "suspect", "share"] and not figure.axes[0].patches


def test_what_cannot_be_mapped_is_refused(replicate):
    with pytest.raises(ValueError, match=r"colon_map\.method: 'svm' has no grid of lam"):
        make("colon_map", replicate, method="svm")
    with pytest.raises(ValueError, match=r"colon_map\.of: must name one scenario; it names twice\.one, twice\.two"):
        make("colon_map", replicate, of=["twice"])
