"""Figures of named-entity recognition: what they draw is what they were given, and a method looks the same in all."""

import numpy as np
import pandas as pd
import pytest
from shiftlr.metrics import scores
from shiftlr.recognition_figures import Panel, figure3, label_errors_figure, noise_figure

MODELS = ["standard", "robust", "robust_folds", "flipping", "prefilter", "svm", "rival"]
TITLES = {"robust": "robust, share of shifts known", "robust_folds": "robust, lambda on held-out articles"}


def make_panel(title, seed=0):
    rng = np.random.default_rng(seed)
    truth = (rng.random(600) < 0.3).astype(int)
    decisions = {name: 2.0 * truth - 1.2 + rng.normal(0.0, 0.7, 600) for name in MODELS}
    decisions["flipping"] = decisions["standard"]
    return Panel(title, truth, decisions, {name: scores(one > 0, truth == 1).f1 for name, one in decisions.items()})


def make_curve():
    kinds, shares = ("uniform", "systematic"), (0.0, 0.2, 0.4)
    rows = [(kind, share, name, 80.0 - 50.0 * share) for kind in kinds for share in shares for name in MODELS]
    return pd.DataFrame(rows, columns=["kind", "share", "model", "f1"])


def make_rows():
    rankings = [("standard", 300), ("robust", 80), ("flipping", 0), ("cleanlab", 150), ("prefilter", 90)]
    rows = [
        {"labels": labels, "ranking": name, "named": named, "named_wrong": named // 2, "wrong": 100, "n": 1000}
        | {"at_50": 0.9, "at_100": 0.6, "at_200": 0.4}
        for labels in ("per_article", "auto")
        for name, named in rankings
    ]
    return pd.DataFrame(rows)


def in_legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def colours(figure):
    return {line.get_label(): line.get_color() for line in figure.legends[0].get_lines()}


def test_figure3_marks_on_each_curve_what_the_tables_report():
    panels = {"per_article": make_panel("crowd"), "auto": make_panel("rules", 1)}
    figure = figure3(panels, {"auto": True}, TITLES, without=["robust_folds"])
    assert [axes.get_title() for axes in figure.axes] == ["crowd", "rules\n(stand-in data)"]
    assert set(in_legend(figure)) == {"standard", TITLES["robust"], "flipping", "prefilter", "svm", "rival"}
    for axes, panel in zip(figure.axes, panels.values(), strict=True):
        marks = [line for line in axes.lines if line.get_linestyle() == "None"]
        assert len(marks) == 6 and len(axes.lines) == 12
        for mark in marks:
            curve = next(line for line in axes.lines if line is not mark and line.get_color() == mark.get_color())
            (recall,), (precision,) = mark.get_data()
            same_recall = curve.get_ydata()[np.isclose(curve.get_xdata(), recall)]
            assert same_recall.min() - 1e-9 < precision < same_recall.max() + 1e-9
            assert mark.get_label() == f"{200 * recall * precision / (recall + precision):.1f}"
            assert axes.get_xlim()[0] < recall <= 1.0 and axes.get_ylim()[0] < precision <= 1.0
        assert sorted(mark.get_label() for mark in marks) == sorted(
            f"{value:.1f}" for name, value in panel.f1.items() if name != "robust_folds"
        )


def test_the_noise_figure_has_a_line_for_each_model_and_kind():
    figure = noise_figure(make_curve(), TITLES)
    assert [axes.get_title() for axes in figure.axes] == [
        "every label flipped with the same chance",
        "all labels of some words flipped",
    ]
    assert all(len(axes.lines) == len(MODELS) for axes in figure.axes)
    np.testing.assert_allclose(figure.axes[0].lines[0].get_xydata(), [(0, 80), (20, 70), (40, 60)])
    assert all("stand-in data" in axes.get_title() for axes in noise_figure(make_curve(), is_standin=True).axes)


def test_the_robust_ranking_ends_with_the_last_label_it_names():
    figure = label_errors_figure(make_rows(), TITLES, {"auto": "rules"}, {"per_article": True})
    assert [axes.get_title() for axes in figure.axes] == ["per_article\n(stand-in data)", "rules"]
    assert in_legend(figure) == ["standard", TITLES["robust"], "flipping", "cleanlab", "among all labels"]
    for axes in figure.axes:
        standard, robust, _, _, base = axes.lines
        np.testing.assert_allclose(standard.get_xydata(), [(50, 0.9), (100, 0.6), (200, 0.4)])
        np.testing.assert_allclose(robust.get_xydata(), [(50, 0.9), (80, 0.5)])
        np.testing.assert_allclose(base.get_ydata(), 0.1)
    bare = label_errors_figure(make_rows().drop(columns="n").assign(named=0))
    assert len(bare.axes[0].lines) == 4 and len(bare.axes[0].lines[1].get_xdata()) == 0


def test_a_method_has_one_colour_and_every_method_its_own():
    figures = [figure3({"auto": make_panel("rules")}, {}), noise_figure(make_curve()), label_errors_figure(make_rows())]
    first, second, third = map(colours, figures)
    assert first == second and set(first) == set(MODELS) and len(set(first.values())) == len(MODELS)
    assert {name: third[name] for name in ("standard", "robust", "flipping")}.items() <= first.items()


@pytest.mark.parametrize("titles", [{}, TITLES, {name: f"a method with a very long title, {name}" for name in MODELS}])
def test_the_legend_fits_and_covers_no_data(titles):
    for figure in (figure3({"auto": make_panel("rules")}, {"auto": True}, titles), noise_figure(make_curve(), titles)):
        figure.draw_without_rendering()
        legend = figure.legends[0].get_window_extent()
        assert legend.width <= figure.bbox.width
        assert not any(legend.overlaps(axes.get_tightbbox()) for axes in figure.axes)
