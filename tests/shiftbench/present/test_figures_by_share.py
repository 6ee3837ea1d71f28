"""The figure of gains against the share of wrong labels."""

import numpy as np
import pytest
from made_up_runs import both, facts, runs_of
from shiftbench import plugins
from shiftbench.config.load import complete
from shiftbench.present import figures
from shiftbench.present.context import Context

SHARES = {"one": 0.3, "rules": 0.1, "flipped": 0.0, "unknown": None}
ROWS = {"one": ["songs", "a crowd"], "rules": ["texts", "rules"], "flipped": ["x", "y"], "unknown": ["z", "a crowd"]}
N = 4


def make(**settings):
    scenarios = {name: {"row": row} for name, row in ROWS.items()}
    scenarios["flipped"]["noise"] = {"kind": "uniform", "p0": 0.0}
    experiment = {"dataset": "simulated", "target": "beyond", "methods": ["standard", "robust"], "scenarios": scenarios}
    shown = {"shares": {"layout": "gain_by_share", "of": ["real"], "section": "ours"}}
    config = complete(
        {"methods": {"standard": {}, "robust": {}}, "experiments": {"real": experiment}, "figures": shown}
    )
    rng = np.random.default_rng(0)
    samples = {f"real.{name}:{method}": rng.normal(70, 1, N) for name in SHARES for method in ("standard", "robust")}
    known = [facts(f"real.{name}", {"mislabelled": share}) for name, share in SHARES.items() if share is not None]
    runs = both(runs_of(samples), *known)
    context = Context("shares", config["figures"]["shares"] | settings, config, runs, None, None)
    return samples, *figures.make(plugins.load_file("figures", "gain_by_share"), context)


def test_each_set_whose_share_is_known_is_a_mark():
    samples, drawn, table = make()
    assert table["scenario"].tolist() == ["one", "rules", "flipped"]
    assert table["kind"].tolist() == ["a crowd", "rules", "simulated"]
    np.testing.assert_allclose(table["share_wrong"], [30.0, 10.0, 0.0])
    for row in table.itertuples():
        of = samples[f"real.{row.scenario}:robust"] - samples[f"real.{row.scenario}:standard"]
        assert (row.gain, row.se) == pytest.approx((of.mean(), of.std(ddof=1) / np.sqrt(N)))
    (axes,) = drawn.axes
    points = np.vstack([line.get_xydata() for line in axes.lines if line.get_marker() not in ("None", None, "", "_")])
    assert {(round(x, 6), round(y, 6)) for x, y in points} == {
        (max(round(row.share_wrong, 6), 0.2), round(row.gain, 6)) for row in table.itertuples()
    }
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["simulated", "a crowd", "rules"]


def test_a_panel_for_each_method_and_nothing_where_none_was_run():
    _, drawn, table = make(methods=("robust", "standard"))
    assert [axes.get_title() for axes in drawn.axes] == ["robust", "standard"]
    assert (table.loc[table["method"] == "standard", "gain"] == 0.0).all()
    assert len(make(methods=("svm",))[2]) == 0
