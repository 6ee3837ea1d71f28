"""The figure and the table of prefiltering's rules: numbers of every k, and the published ones beside them."""

import numpy as np
import pandas as pd
import pytest
from shiftbench import plugins
from shiftbench.config.load import complete
from shiftbench.present import figures
from shiftbench.present.context import build_context
from shiftbench.present.formats import markdown
from shiftbench.present.published import published_for
from shiftbench.present.style import LOOKS, save
from shiftbench.runs import COLUMNS, Runs, rows_of
from shiftbench.verdicts.judge import read_published

KS = [1, 2, 5, 7, 9, 21]
ACCURACY = {"prefilter": [80, 70, 60, 50, 55, 80], "prefilter_all": [80, 81, 83, 82, 80, 80]}
LEFT = {"prefilter": [65, 70, 80, 90, 95, 65], "prefilter_all": [65, 66, 62, 63, 64, 65]}
STATED = {"exp1": (87.0, 0.37), "exp4": (92.87, 0.56)}  # by hand from the report's Table 7


def config():
    grid = {"grid": {"k": KS}}
    return complete(
        {
            "experiments": {
                "rules": {
                    "dataset": "simulated",
                    "methods": {
                        "prefilter": grid | {"title": "one disagrees", "method": "prefilter"},
                        "prefilter_all": grid | {"title": "all disagree", "method": "prefilter"},
                    },
                    "replicates": 2,
                    "scenarios": {
                        "exp1": {"title": "experiment 1", "reading_of": "table7.exp1"},
                        "exp4": {"title": "experiment 4", "reading_of": "table7.exp4"},
                        "own": {},
                    },
                }
            },
            "tables": {"gone": {"layout": "removed", "of": ["rules"], "title": "What is gone"}},
            "figures": {"rules": {"layout": "prefilter_rules", "of": ["rules"]}},
        }
    )


def runs(failed=(), data="report"):
    rows = []
    for scenario in ("exp1", "exp4", "own"):
        for method in ACCURACY:
            for replicate in (0, 1):
                place = {"experiment": "rules", "scenario": scenario, "replicate": replicate, "method": method}
                bad = (scenario, method, replicate) in failed
                metrics = {"accuracy": 79.0 + 2 * replicate, "true_positives": 50.0}
                metrics |= {"removed_negatives": 1.0, "removed_positives": 2.0, "kept_positives": 3.0}
                for place_of_k, k in enumerate(KS):
                    metrics[f"accuracy@k={k}"] = ACCURACY[method][place_of_k] - 1.0 + 2 * replicate
                    metrics[f"kept_positives@k={k}"] = LEFT[method][place_of_k]
                    metrics[f"removed_negatives@k={k}"] = 10.0 * k
                    metrics[f"removed_positives@k={k}"] = 1.0 * k
                status = "failed" if bad else "ok"
                rows += rows_of(place, metrics, {"k": 1}, status, "no luck" if bad else "", data)
    return Runs(pd.DataFrame(rows, columns=list(COLUMNS)), {})


def draw(found=None):
    context = build_context("rules", config(), found or runs(), kind="figures")
    return figures.make(plugins.load_file("figures", "prefilter_rules"), context)


def tabulate(found=None):
    context = build_context("gone", config(), found or runs())
    return plugins.load_file("tables", "removed").build(context)


def test_published_numbers_are_those_of_what_a_scenario_is_a_reading_of():
    context = build_context("gone", config(), runs())
    for scenario, stated in STATED.items():
        assert published_for(context, read_published(), "rules", scenario, "prefilter_all", "accuracy") == stated
    assert np.isnan(published_for(context, read_published(), "rules", "own", "prefilter", "accuracy")).all()
    assert np.isnan(published_for(context, read_published(), "rules", "exp1", "prefilter", "f1")).all()


def test_the_figure_has_a_line_per_rule_and_what_the_report_says():
    figure, table = draw()
    assert len(figure.axes) == 6
    above, below = figure.axes[:3], figure.axes[3:]
    assert [axes.get_title() for axes in above] == ["experiment 1", "experiment 4", "own"]
    for axes, values in ((above[0], ACCURACY), (below[0], LEFT)):
        drawn = {line.get_color(): line.get_xydata() for line in axes.lines if line.get_marker() != "None"}
        for method, numbers in values.items():
            np.testing.assert_allclose(drawn[LOOKS[method]["color"]], np.column_stack([KS, numbers]))
    flat = [{float(line.get_ydata()[0]) for line in axes.lines if line.get_marker() == "None"} for axes in figure.axes]
    assert flat == [{80.0, 87.0}, {80.0, 92.87}, {80.0}, {50.0}, {50.0}, {50.0}]
    curves = table[table["k"].notna()]
    assert len(curves) == 3 * 2 * 2 * len(KS) and (curves["replicates"] == 2).all()
    np.testing.assert_allclose(curves.loc[curves["metric"] == "accuracy", "se"], 1.0)
    assert table.loc[table["method"] == "report", "mean"].tolist()[:2] == [87.0, 92.87]


def test_numbers_below_the_axis_have_room():
    figure, _ = draw()
    assert [tick.get_text() for tick in figure.axes[3].get_xticklabels()] == ["1", "2", "5", "9", "21"]


def test_the_legend_says_everything_and_covers_nothing():
    figure, _ = draw()
    figure.draw_without_rendering()
    legend = figure.legends[0]
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts[:2] == ["one disagrees", "all disagree"] and len(texts) == 5
    assert legend.get_window_extent().width <= figure.bbox.width
    assert not any(legend.get_window_extent().overlaps(axes.get_tightbbox()) for axes in figure.axes)


def test_the_figure_is_saved_the_same_at_any_time(tmp_path):
    saved = []
    for _ in range(2):
        save(draw()[0], tmp_path / "one.png", tmp_path / "one.pdf")
        saved.append([(tmp_path / f"one.{kind}").read_bytes() for kind in ("png", "pdf")])
    assert saved[0] == saved[1]


def test_failed_fits_are_left_out():
    failed = [("exp1", "prefilter", 0), ("exp1", "prefilter", 1), ("exp4", "prefilter_all", 0)]
    figure, table = draw(runs(failed))
    assert ("prefilter" in set(table.loc[table["scenario"] == "exp1", "method"])) is False
    assert (table.loc[(table["scenario"] == "exp4") & (table["method"] == "prefilter_all"), "replicates"] == 1).all()
    assert len(figure.axes) == 6
    made = tabulate(runs(failed))
    assert made.lines[0][2].text == "failed" and made.lines[3][2].text.endswith("†")
    assert any("one disagrees in experiment 1: 2 of 2 fits failed" in note for note in made.notes)


def test_stand_in_data_are_marked():
    assert draw(runs(data="standin"))[0].axes[0].get_title() == "experiment 1\n(stand-in data)"


def test_the_table_says_what_is_removed_at_one_k():
    made = tabulate()
    assert [line[0].text for line in made.lines] == ["experiment 1", "", "experiment 4", "", "own", ""]
    first, second = ([cell.text for cell in line[1:]] for line in made.lines[:2])
    assert first == [
        "one disagrees",
        "80.00 ± 1.00",
        "87.00 ± 0.37",
        "1",
        *["80.00 ± 1.00", "60.00 ± 1.00"],
        "50.0",
        "5.0",
        "80.0",
    ]
    assert second == ["all disagree", "80.00 ± 1.00", "", "5", *["83.00 ± 1.00"] * 2, "50.0", "5.0", "62.0"]
    assert made.data["tuned_removed_positives"].tolist() == [2.0] * 6
    assert "experiment 1: 65.0 % of the labels seen are positive, 50.0 % of the true ones." in made.notes
    assert made.data["published"].tolist()[:3] == [87.0, 87.0, 92.87]
    assert "What is gone" in markdown(made)


@pytest.mark.parametrize("make", [draw, tabulate])
def test_without_runs_there_is_nothing_to_see(make):
    make(Runs(pd.DataFrame(columns=list(COLUMNS)), {}))
