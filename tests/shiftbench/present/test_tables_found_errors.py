"""The table and the figure of how well wrong labels are found."""

import numpy as np
import pytest
from made_up_runs import both, runs_of
from made_up_tables import texts
from shiftbench import plugins
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from shiftbench.present import figures, formats
from shiftbench.present.context import Context, build_context

N = 4
METHODS = ("label_errors", "cleanlab_default", "disagreement")
# F1 of each method, and the share of right labels that the first two name; without wrong labels there is no F1
F1 = {"iris_10": (80.0, 70.0, 60.0), "iris_20": (70.0, 75.0, 50.0), "wine_10": (90.0, 80.0, 90.0)}
NAMED = {"iris_clean": (1.0, 4.0), "iris_10": (2.0, 3.0), "iris_20": (5.0, 3.0), "wine_10": (1.0, 1.0)}
SHOWN = {"error_f1": None, "clean_named": ["label_errors", "cleanlab_default"]}


def config_of(shown=SHOWN):
    experiment = {
        "title": "Planted",
        "section": "ours",
        "target": "beyond",
        "dataset": "planted",
        "methods": list(METHODS),
        "tuning": {"by": "none"},
        "metrics": ["error_f1", "clean_named"],
        "table": {"layout": "found_errors", "columns": ["data", "wrong"], "shown": shown},
        "replicates": N,
        "scenarios": {name: {"row": name.split("_")} for name in NAMED},
    }
    methods = {"label_errors": {"title": "ours"}, "cleanlab_default": {"title": "cleanlab"}, "disagreement": {}}
    figure = {"layout": "one_against_other", "of": ["planted"], "section": "ours"}
    given = {"methods": methods, "experiments": {"planted": experiment}, "figures": {"scatter": figure}}
    return complete(given, catalog=Catalog)


def samples(means, seed):
    rng = np.random.default_rng(seed)
    return {
        f"planted.{scenario}:{method}": mean + rng.normal(size=N)
        for scenario, of_methods in means.items()
        for method, mean in zip(METHODS, of_methods, strict=False)
    }


F1_SAMPLES, NAMED_SAMPLES = samples(F1, 1), samples(NAMED, 2)
RUNS = both(runs_of(F1_SAMPLES, "error_f1"), runs_of(NAMED_SAMPLES, "clean_named"))


def make(runs=RUNS, **settings):
    return plugins.load_file("tables", "found_errors").build(build_context("planted", config_of(**settings), runs))


def test_a_line_for_each_scenario_and_a_block_of_columns_for_each_metric():
    table = make()
    assert table.head == [
        *("data", "wrong", "F1: ours", "F1: cleanlab", "F1: disagreement"),
        *("right labels named: ours", "right labels named: cleanlab"),
    ]
    lines = texts(table)
    assert [line[:2] for line in lines[:4]] == [name.split("_") for name in NAMED] and table.n_keys == 2
    assert table.groups == [0, 3, 4]  # of each set, and the summary
    assert lines[0][2:5] == ["-", "-", "-"]
    for line, name in zip(lines[1:4], F1, strict=True):
        assert line[2:5] == [f"{F1_SAMPLES[f'planted.{name}:{method}'].mean():.1f}" for method in METHODS]
    assert [line[5] for line in lines[:4]] == [
        f"{NAMED_SAMPLES[f'planted.{name}:label_errors'].mean():.1f}" for name in NAMED
    ]


def test_the_summary_has_means_paired_differences_and_how_often_the_first_is_better():
    mean, less, better = texts(make())[4:]
    of = {method: np.array([F1_SAMPLES[f"planted.{name}:{method}"] for name in F1]) for method in METHODS}
    assert mean[:3] == ["mean", "", f"{of['label_errors'].mean():.1f}"]
    assert less[0] == "ours, less this" and less[2] == better[2] == ""
    for place, method in ((3, "cleanlab_default"), (4, "disagreement")):
        difference = of["label_errors"] - of[method]
        se = np.sqrt(np.sum(difference.var(axis=1, ddof=1) / N)) / len(F1)
        assert less[place] == f"{difference.mean():+.1f} ± {se:.1f}"
        assert better[place] == f"{np.sum(difference.mean(axis=1) > 0)} of 3"
    named = [np.array([NAMED_SAMPLES[f"planted.{name}:{method}"] for name in NAMED]) for method in METHODS[:2]]
    assert better[6] == f"{np.sum((named[0] - named[1]).mean(axis=1) < 0)} of 4"  # the lower is better


def test_notes_say_how_exact_the_means_are():
    notes = " ".join(make().notes)
    errors = [values.std(ddof=1) / np.sqrt(N) for values in F1_SAMPLES.values()]
    assert f"Means over {N} replicates" in notes and f"F1 {max(errors):.1f}" in notes
    assert "false at" not in notes


def test_failures_are_marked_and_named():
    bad = runs_of(F1_SAMPLES, "error_f1", failed=[("planted.iris_10:label_errors", 0)])
    table = make(both(bad, runs_of(NAMED_SAMPLES, "clean_named")))
    assert texts(table)[1][2].endswith("†")
    assert any("ours in iris / 10: 1 of 4" in note for note in table.notes)


@pytest.mark.parametrize("kind", [formats.tex, formats.markdown, formats.page, formats.csv])
def test_it_can_be_written_in_every_format(kind):
    assert "cleanlab" in kind(make())


def test_methods_that_are_not_there_are_named():
    with pytest.raises(ValueError, match=r"planted\.shown\.error_f1: no method 'svm'; there are label_errors"):
        make(shown={"error_f1": ["svm"]})


def test_the_figure_has_a_point_for_each_scenario_with_wrong_labels():
    config = config_of()
    context = Context("scatter", config["figures"]["scatter"], config, RUNS, None, None)
    drawn, data = figures.make(plugins.load_file("figures", "one_against_other"), context)
    assert list(data["scenario"]) == list(F1)
    for row in data.itertuples():
        ours, other = (F1_SAMPLES[f"planted.{row.scenario}:{method}"] for method in METHODS[:2])
        assert (row.value, row.over) == pytest.approx((ours.mean(), other.mean()))
        assert (row.se, row.over_se) == pytest.approx([one.std(ddof=1) / np.sqrt(N) for one in (ours, other)])
    (axes,) = drawn.axes
    points = [line.get_xydata() for line in axes.lines if line.get_marker() in ("o", "s")]
    np.testing.assert_allclose(np.vstack(points), data[["over", "value"]].to_numpy())
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_xlabel() == "F1 of cleanlab, per cent" and axes.get_ylabel() == "F1 of ours, per cent"
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.get_texts()] == ["iris", "wine", "10", "20"]
