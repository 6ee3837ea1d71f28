"""Figures of runs: what they draw is what was measured, and a method looks the same in all."""

import copy

import numpy as np
import pandas as pd
import pytest
from shiftbench import plugins
from shiftbench.config.load import complete
from shiftbench.counts import count_by_group, scores_of_counts
from shiftbench.present import figures
from shiftbench.present.context import Context
from shiftbench.present.style import save
from shiftbench.runs import Runs, rows_of

MODELS = ["standard", "robust", "robust_folds", "flipping", "prefilter", "svm", "rival"]
TITLES = {"robust": "robust, share of shifts known", "robust_folds": "robust, lambda on held-out articles"}
NAMED = {"standard": 300, "robust": 80, "flipping": 0, "confident_learning": 150, "prefilter": 90}
ENDING = {"robust", "prefilter"}  # these do not rank what they do not suspect
SHARES = {"clean": 0, "uniform_20": 20, "uniform_40": 40, "systematic_20": 20, "systematic_40": 40}


def make_config(titles=None):
    titles = TITLES if titles is None else titles
    methods = {name: {"title": titles.get(name, name)} for name in [*MODELS, "confident_learning"]}
    shown = {name: {"shown": name != "confident_learning"} for name in methods}
    words = {"dataset": "conll_person", "methods": shown}
    kinds = {"clean": "none", "uniform": "each label", "systematic": "all labels of some words"}
    curve = {name: {"row": [kinds[name.split("_")[0]], str(share)]} for name, share in SHARES.items()}
    config = {
        "methods": methods,
        "experiments": {
            "table4": words | {"scenarios": {"per_article": {"title": "crowd"}}},
            "table5": words | {"scenarios": {"auto": {"title": "rules"}, "gold": {}}},
            "noise_curve": {"dataset": "conll_person", "methods": MODELS, "scenarios": curve},
        },
        "figures": {
            "figure3": {"of": ["table4", "table5.auto"], "without": ["robust_folds"]},
            "noise_curve": {"of": ["noise_curve"]},
            "label_errors": {"of": ["table4", "table5.auto"]},
        },
    }
    return complete(copy.deepcopy(config))


def rows(experiment, scenario, replicate, method, metrics, status="ok"):
    place = {"experiment": experiment, "scenario": scenario, "replicate": replicate, "method": method}
    return rows_of(place, metrics, {}, status, data="other")


def word_runs(experiment, scenario, seed=0, replicates=1):
    """Decisions on a test set, and precisions of rankings."""
    rng, key = np.random.default_rng(seed), f"{experiment}/{scenario}"
    truth = (rng.random(600) < 0.3).astype(int)
    arrays = {f"{key}/data/0/test_truth": truth}
    for name in [*MODELS, "confident_learning"]:
        arrays[f"{key}/{name}/0/test"] = 2.0 * truth - 1.2 + rng.normal(0.0, 0.7, 600)
    arrays[f"{key}/flipping/0/test"] = arrays[f"{key}/standard/0/test"]
    table = []
    for replicate in range(replicates):
        table += rows(experiment, scenario, replicate, "data", {"mislabelled": 0.1})
        for name in [*MODELS, "confident_learning"]:
            named = NAMED.get(name, 0)
            metrics = {"precision_at_50": 0.9, "precision_at_100": 0.6, "precision_at_200": 0.4 + 0.02 * replicate}
            metrics |= {"suspected_count": named, "suspected_right": named // 2}
            table += rows(experiment, scenario, replicate, name, metrics)
            suspected = np.arange(1000) < named
            suspicion = np.where(suspected, 1001.0 - np.arange(1000), 0.0 if name in ENDING else rng.random(1000))
            arrays |= {f"{key}/{name}/0/suspected": suspected, f"{key}/{name}/0/suspicion": suspicion}
    return table, arrays


def curve_runs(replicates=1):
    return [
        row
        for scenario, share in SHARES.items()
        for name in MODELS
        for replicate in range(replicates)
        for row in rows("noise_curve", scenario, replicate, name, {"f1": 80.0 - 0.5 * share + 2.0 * replicate})
    ]


def make_runs(replicates=1):
    crowd, rules = word_runs("table4", "per_article", 0, replicates), word_runs("table5", "auto", 1, replicates)
    return Runs(pd.DataFrame([*crowd[0], *rules[0], *curve_runs(replicates)]), crowd[1] | rules[1])


def make(name, runs, titles=None, **settings):
    config = make_config(titles)
    context = Context(name, config["figures"][name] | settings, config, runs, None, None)
    return figures.make(plugins.load_file("figures", config["figures"][name]["layout"]), context)


def change(runs, value="standin", **where):
    """The runs with another origin of some rows."""
    table = runs.table.copy()
    mine = np.logical_and.reduce([table[column] == wanted for column, wanted in where.items()])
    table.loc[mine, "data"] = value
    return runs._replace(table=table)


def in_legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def colours(figure):
    return {line.get_label(): line.get_color() for line in figure.legends[0].get_lines()}


def test_figure3_marks_on_each_curve_what_the_tables_report():
    runs = change(make_runs(), experiment="table5")
    figure, table = make("figure3", runs)
    assert [axes.get_title() for axes in figure.axes] == ["crowd", "rules\n(stand-in data)"]
    assert set(in_legend(figure)) == {"standard", TITLES["robust"], "flipping", "prefilter", "svm", "rival"}
    for axes, key in zip(figure.axes, ("table4/per_article", "table5/auto"), strict=True):
        truth = runs.arrays[f"{key}/data/0/test_truth"] == 1
        marks = [line for line in axes.lines if line.get_linestyle() == "None"]
        assert len(marks) == 6 and len(axes.lines) == 12
        for mark in marks:
            curve = next(line for line in axes.lines if line is not mark and line.get_color() == mark.get_color())
            (recall,), (precision,) = mark.get_data()
            same_recall = curve.get_ydata()[np.isclose(curve.get_xdata(), recall)]
            assert same_recall.min() - 1e-9 < precision < same_recall.max() + 1e-9
            assert mark.get_label() == f"{200 * recall * precision / (recall + precision):.1f}"
            assert axes.get_xlim()[0] < recall <= 1.0 and axes.get_ylim()[0] < precision <= 1.0
        scores = [
            scores_of_counts(count_by_group(runs.arrays[f"{key}/{name}/0/test"] > 0.0, truth))["f1"].item()
            for name in MODELS
            if name != "robust_folds"
        ]
        assert sorted(mark.get_label() for mark in marks) == sorted(f"{value:.1f}" for value in scores)
        of_panel = table[(table["scenario"] == key.split("/")[1]) & (table["kind"] == "mark")]
        assert sorted(of_panel["f1"]) == pytest.approx(sorted(scores))


def test_a_failed_fit_is_left_out_of_its_panel():
    runs = make_runs()
    del runs.arrays["table4/per_article/svm/0/test"]
    figure, _ = make("figure3", runs)
    assert [len(axes.lines) for axes in figure.axes] == [10, 12] and "svm" in in_legend(figure)
    nothing, table = make("figure3", runs._replace(arrays={}))
    assert len(nothing.axes) == 2 and not nothing.axes[0].lines and table.empty


def test_figure3_is_of_two_classes():
    runs = make_runs()
    runs.arrays["table5/auto/svm/0/test"] = np.zeros((600, 3))
    with pytest.raises(ValueError, match=r"figure3: table5\.auto has more than two classes, and so no curve"):
        make("figure3", runs)


def test_the_noise_figure_has_a_line_for_each_model_and_kind():
    figure, table = make("noise_curve", make_runs())
    assert [axes.get_title() for axes in figure.axes] == ["each label", "all labels of some words"]
    assert all(len(axes.lines) == len(MODELS) for axes in figure.axes)
    for axes in figure.axes:
        np.testing.assert_allclose(axes.lines[0].get_xydata(), [(0, 80), (20, 70), (40, 60)])
    assert len(table) == 2 * 3 * len(MODELS) and table["se"].isna().all()
    for origin, note in (("standin", "(stand-in data)"), ("quick", "(quick look, smaller data)")):
        marked, _ = make("noise_curve", change(make_runs(), origin, scenario="uniform_20"))
        assert [axes.get_title().split("\n")[1:] for axes in marked.axes] == [[note], []]


def test_the_noise_figure_shows_means_and_standard_errors_over_replicates():
    figure, table = make("noise_curve", make_runs(replicates=3))
    np.testing.assert_allclose(figure.axes[0].lines[0].get_xydata(), [(0, 82), (20, 72), (40, 62)])
    np.testing.assert_allclose(table["se"], 2.0 / np.sqrt(3.0))
    assert (table["replicates"] == 3).all()
    heights = [band.get_paths()[0].get_extents() for band in figure.axes[0].collections]
    assert len(heights) == len(MODELS)
    assert heights[0].y1 == pytest.approx(82.0 + 2.0 / np.sqrt(3.0))


def test_failed_fits_leave_a_gap_in_the_noise_figure():
    table = make_runs().table
    table.loc[(table["method"] == "svm") & (table["scenario"] == "uniform_20"), "status"] = "failed"
    table.loc[table["method"] == "rival", "status"] = "failed"
    figure, drawn = make("noise_curve", Runs(table, {}))
    assert "rival" not in in_legend(figure)
    svm = drawn[(drawn["method"] == "svm") & (drawn["noise"] == "each label")]
    assert svm["mean"].isna().tolist() == [False, True, False]


def test_another_metric_and_fewer_methods():
    table = make_runs().table.replace({"metric": {"f1": "accuracy"}})
    figure, _ = make("noise_curve", Runs(table, {}), metric="accuracy", methods=["robust", "standard"])
    assert figure.axes[0].get_ylabel() == "accuracy on the test set, %"
    assert in_legend(figure) == ["standard", TITLES["robust"]]


def test_a_scenario_that_says_no_share_is_refused():
    with pytest.raises(ValueError, match=r"noise_curve: experiments\.table5\.scenarios\.auto\.row: \['rules'\] must"):
        make("noise_curve", make_runs(), of=["table5.auto"])


def test_the_robust_ranking_ends_with_the_last_label_it_names():
    figure, table = make("label_errors", change(make_runs(), experiment="table4"))
    assert [axes.get_title() for axes in figure.axes] == ["crowd\n(stand-in data)", "rules"]
    assert in_legend(figure) == ["standard", TITLES["robust"], "flipping", "confident_learning", "among all labels"]
    for axes in figure.axes:
        standard, robust, _, _, base = axes.lines
        np.testing.assert_allclose(standard.get_xydata(), [(50, 0.9), (100, 0.6), (200, 0.4)])
        np.testing.assert_allclose(robust.get_xydata(), [(50, 0.9), (80, 0.5)])
        np.testing.assert_allclose(base.get_ydata(), 0.1)
        assert [tick.get_text() for tick in axes.get_xticklabels()] == ["50", "100", "200"]
    assert table[table["ends"]]["method"].tolist() == ["robust", "robust"]


def test_a_ranking_that_names_nothing_is_empty():
    runs = make_runs()
    table = runs.table.copy()
    table.loc[table["metric"].isin(["suspected_count", "suspected_right"]), "value"] = 0.0
    bare = Runs(table[table["method"] != "data"], runs.arrays)  # nor is the share of wrong labels known
    figure, _ = make("label_errors", bare)
    assert len(figure.axes[0].lines) == 4 and len(figure.axes[0].lines[1].get_xdata()) == 0


def test_without_counts_a_ranking_ends_before_the_last_label():
    runs = make_runs()
    table = runs.table[~runs.table["metric"].str.startswith("suspected")]
    figure, _ = make("label_errors", runs._replace(table=table))
    np.testing.assert_allclose(figure.axes[0].lines[1].get_xydata(), [(50, 0.9)])


def test_label_errors_are_means_of_the_methods_that_settings_name():
    figure, table = make("label_errors", make_runs(replicates=2), methods=["prefilter", "robust", "svm"])
    assert in_legend(figure) == [TITLES["robust"], "svm", "prefilter", "among all labels"]
    _, svm, prefilter, _ = figure.axes[0].lines
    np.testing.assert_allclose(svm.get_xydata(), [(50, 0.9), (100, 0.6), (200, 0.41)])
    np.testing.assert_allclose(prefilter.get_xydata(), [(50, 0.9), (90, 0.5)])
    assert table[(table["method"] == "svm") & (table["k"] == 200)]["se"].tolist() == pytest.approx([0.01, 0.01])


def test_a_ranking_whose_length_varies_ends_where_it_does_on_average():
    runs = make_runs(replicates=2)
    table = runs.table.copy()
    later = (table["method"] == "robust") & (table["replicate"] == 1)
    table.loc[later & (table["metric"] == "suspected_count"), "value"] = 120.0
    table.loc[later & (table["metric"] == "suspected_right"), "value"] = 90.0
    figure, _ = make("label_errors", runs._replace(table=table))
    np.testing.assert_allclose(figure.axes[0].lines[1].get_xydata(), [(50, 0.9), (100, 130 / 200)])
    assert [tick.get_text() for tick in figure.axes[0].get_xticklabels()] == ["50", "100", "200"]


def test_a_method_has_one_colour_and_every_method_its_own():
    runs = make_runs()
    drawn = [make(name, runs, {}, **more)[0] for name, more in (("figure3", {"without": []}), ("noise_curve", {}))]
    first, second = map(colours, drawn)
    third = colours(make("label_errors", runs, {})[0])
    assert first == second and set(first) == set(MODELS) and len(set(first.values())) == len(MODELS)
    assert {name: third[name] for name in ("standard", "robust", "flipping")}.items() <= first.items()


@pytest.mark.parametrize("titles", [{}, TITLES, {name: f"a method with a very long title, {name}" for name in MODELS}])
def test_the_legend_fits_and_covers_no_data(titles):
    runs = change(make_runs(), experiment="table5")
    for name, more in (("figure3", {"without": [], "of": ["table5.auto"]}), ("noise_curve", {}), ("label_errors", {})):
        figure, _ = make(name, runs, titles, **more)
        figure.draw_without_rendering()
        legend = figure.legends[0].get_window_extent()
        assert legend.width <= figure.bbox.width
        assert not any(legend.overlaps(axes.get_tightbbox()) for axes in figure.axes)


@pytest.mark.parametrize("name", ["figure3", "noise_curve", "label_errors"])
def test_every_figure_is_saved_the_same_at_any_time(name, tmp_path):
    saved = []
    for _ in range(2):
        paths = [tmp_path / f"{name}.{kind}" for kind in ("pdf", "png")]
        save(make(name, make_runs())[0], *paths)
        saved.append([path.read_bytes() for path in paths])
    assert saved[0] == saved[1]
