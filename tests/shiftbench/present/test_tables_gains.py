"""Tables and figures of gains: means, paired differences, Holm's correction, and scenarios without some methods."""

import numpy as np
import pytest
from made_up_runs import both, facts, runs_of
from made_up_tables import texts
from scipy import stats
from shiftbench import plugins
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from shiftbench.present import figures, formats
from shiftbench.present.context import Context, build_context
from shiftbench.present.tables.gains import MEAN, SETTINGS
from statsmodels.stats.multitest import multipletests

N = 12
METHODS = ("standard", "robust", "gce")
GAINS = {"clean": (0.0, -0.3), "noisy": (3.0, 8.0), "l1": (0.2, np.nan)}


def config_of(**table):
    scenarios = {name: {"row": ["Table 1", name]} for name in GAINS}
    scenarios["l1"]["methods"] = ["standard", "robust"]
    experiment = {
        "title": "Rivals",
        "section": "ours",
        "target": "beyond",
        "dataset": "simulated",
        "methods": {name: {} for name in METHODS},
        "table": {"layout": "gains", "columns": ["in", "scenario"], **table},
        "replicates": N,
        "scenarios": scenarios,
    }
    methods = {name: {"title": name.title()} for name in METHODS}
    shown = {"gained": {"layout": "gains", "of": ["rivals"], "section": "ours"}}
    return complete({"methods": methods, "experiments": {"rivals": experiment}, "figures": shown}, catalog=Catalog)


def samples():
    """Accuracies by place; differences are clearer than the methods' own spread."""
    rng, found = np.random.default_rng(3), {}
    for scenario, gains in GAINS.items():
        shared = 80.0 + 4.0 * rng.normal(size=N)
        for method, gain in zip(METHODS, (0.0, *gains), strict=True):
            if not np.isnan(gain):
                found[f"rivals.{scenario}:{method}"] = shared + gain + 0.5 * rng.normal(size=N)
    return found


SAMPLES = samples()
RUNS = both(runs_of(SAMPLES), *(facts(f"rivals.{name}", {"mislabelled": 0.1}) for name in GAINS))


def make(runs=RUNS, **table):
    return plugins.load_file("tables", "gains").build(build_context("rivals", config_of(**table), runs))


def difference(scenario, method, other):
    return SAMPLES[f"rivals.{scenario}:{method}"] - SAMPLES[f"rivals.{scenario}:{other}"]


def test_gains_are_paired_and_stand_below_the_means():
    table = make()
    assert table.head == ["in", "scenario", "", "Standard", "Robust", "Gce"] and table.n_keys == 3
    assert [line[:3] for line in texts(table)[:2]] == [["Table 1", "clean", "accuracy"], ["", "", "over Standard"]]
    assert table.groups == [0, 2, 4, 6]
    for start, scenario in enumerate(GAINS):
        means, gains = texts(table)[2 * start : 2 * start + 2]
        for cell, mean, name in zip(gains[3:], means[3:], METHODS, strict=True):
            values = SAMPLES.get(f"rivals.{scenario}:{name}")
            if values is None:
                assert (mean, cell) == ("-", "")
                continue
            assert mean == f"{values.mean():.2f} ± {values.std(ddof=1) / np.sqrt(N):.2f}"
            if name != "standard":
                of = difference(scenario, name, "standard")
                assert cell.rstrip("*") == f"{of.mean():+.2f} ± {of.std(ddof=1) / np.sqrt(N):.2f}"
    bold = [[cell.bold for cell in line[3:]] for line in table.lines[::2]]
    best = [np.argmax([np.mean(SAMPLES.get(f"rivals.{one}:{name}", [0.0])) for name in METHODS]) for one in GAINS]
    assert [row.index(True) for row in bold[:3]] == best and sum(map(sum, bold)) == 4


def test_stars_are_what_is_left_after_holm_s_correction():
    table = make()
    ps = {
        (scenario, name): stats.ttest_rel(*(SAMPLES[f"rivals.{scenario}:{one}"] for one in (name, "standard"))).pvalue
        for scenario in GAINS
        for name in ("robust", "gce")
        if f"rivals.{scenario}:{name}" in SAMPLES
    }
    found = table.data.dropna(subset="p").set_index(["scenario", "method"])
    assert set(found.index) == {*ps, (MEAN, "robust"), (MEAN, "gce")}
    for place, p in ps.items():
        assert found["p"][place] == pytest.approx(p)
    np.testing.assert_allclose(found["p_holm"], multipletests(found["p"], method="holm")[1])
    starred = {
        (scenario, name)
        for start, scenario in enumerate([*GAINS, MEAN])
        for cell, name in zip(texts(table)[2 * start + 1][3:], METHODS, strict=True)
        if cell.endswith("*")
    }
    assert starred == set(found.index[found["p_holm"] < 0.05]) and 1 < len(starred) < len(found)
    assert table.data["method"].tolist() == [*METHODS * 3, "robust", "gce"]  # in the order of the table
    assert table.data["data"].tolist() == ["report"] * 11 and set(table.data["metric"]) == {"accuracy"}
    assert "over the 7 comparisons" in table.notes[0]
    assert table.notes[2] == "Against Standard, significantly: Robust better in 1, worse in 0 of 3; " + (
        "Gce better in 1, worse in 0 of 2."
    )


def test_the_last_lines_are_means_over_the_scenarios_in_which_all_methods_are_run():
    table = make()
    means, gains = texts(table)[-2:]
    of = [difference(scenario, "gce", "standard") for scenario in ("clean", "noisy")]
    se = np.sqrt(sum(one.var(ddof=1) / N for one in of)) / 2
    assert gains[-1] == f"{np.mean(of):+.2f} ± {se:.2f}*" and means[0] == "mean"
    assert table.notes[1] == "Last: the mean of the 2 scenarios in which all methods are run."


def test_each_pair_of_methods_is_compared_once():
    table = make(over=["standard", "robust"])
    assert [line[2] for line in texts(table)[:3]] == ["accuracy", "over Standard", "over Robust"]
    of = difference("noisy", "gce", "robust")
    cells = texts(table)[5][3:]
    assert cells == ["", "", f"{of.mean():+.2f} ± {of.std(ddof=1) / np.sqrt(N):.2f}*"]
    pairs = table.data.dropna(subset="p")[["method", "over"]].drop_duplicates().apply(tuple, axis=1)
    assert set(pairs) == {("robust", "standard"), ("gce", "standard"), ("gce", "robust")}


def test_one_replicate_has_differences_without_errors_or_stars():
    runs = runs_of({name: values[:1] for name, values in SAMPLES.items()})
    table = make(both(runs, facts("rivals.noisy", {"mislabelled": 0.1})))
    assert texts(table)[3][4] == f"{difference('noisy', 'robust', 'standard')[0]:+.2f}"
    assert not any(cell.endswith("*") for line in texts(table) for cell in line)


def test_failed_fits_are_marked_and_their_pairs_left_out():
    failed = [("rivals.noisy:gce", k) for k in range(3)]
    table = make(both(runs_of(SAMPLES, failed=failed), facts("rivals.noisy", {"mislabelled": 0.1})))
    assert texts(table)[2][5].endswith("†") and "Gce in Table 1 / noisy: 3 of 12" in table.notes[-1]
    assert texts(table)[3][5].startswith(f"{difference('noisy', 'gce', 'standard')[3:].mean():+.2f}")
    nothing = make(both(runs_of(SAMPLES, failed=[("rivals.noisy:gce", k) for k in range(N)])))
    assert texts(nothing)[2][5] == "failed" and texts(nothing)[3][5] == "" and texts(nothing)[-1][5] == ""


@pytest.mark.parametrize("kind", [formats.tex, formats.markdown, formats.page, formats.csv])
def test_every_format_holds_the_table(kind):
    assert "Table 1" in kind(make()) and "over" in kind(make())
    assert SETTINGS["over"] == ["standard"]  # what is not changed by building


def figure(runs=RUNS, **settings):
    config = config_of()
    context = Context("gained", config["figures"]["gained"] | settings, config, runs, None, None)
    return figures.make(plugins.load_file("figures", "gains"), context)


def test_the_figure_has_a_mark_for_each_gain_in_the_row_of_its_scenario():
    drawn, table = figure()
    (axes,) = drawn.axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["Table 1: clean", "Table 1: noisy", "Table 1: l1"]
    assert set(table["method"]) == {"robust", "gce"} and len(table) == 5
    for row in table.itertuples():
        of = difference(row.scenario, row.method, "standard")
        assert (row.gain, row.se) == pytest.approx((of.mean(), of.std(ddof=1) / np.sqrt(N)))
    marks = [line.get_xydata() for line in axes.lines if line.get_marker() not in ("None", None, "")]
    points = np.vstack([points for points in marks if len(points) > 1])
    np.testing.assert_allclose(np.sort(points[:, 0]), np.sort(table["gain"]))
    rows = dict(zip(GAINS, axes.get_yticks(), strict=True))
    for x, y in points:
        scenario = table["scenario"][np.argmin(np.abs(table["gain"] - x))]
        assert abs(y - rows[scenario]) < 0.5
    assert axes.get_xlabel() == "accuracy less that of Standard, points"
    assert [text.get_text() for text in drawn.legends[0].get_texts()] == ["Robust", "Gce"]


def test_the_figure_says_what_is_no_full_run():
    drawn, _ = figure(both(runs_of(SAMPLES, data="quick")))
    assert drawn.axes[0].get_title() == "(quick look, smaller data)"
    assert not figure(without=["gce"])[1]["method"].eq("gce").any()


def test_the_share_of_wrong_labels_stands_beside_the_names_of_a_row():
    known = both(facts("rivals.clean", {"mislabelled": 0.0}), facts("rivals.noisy", {"mislabelled": 0.123}))
    table = make(both(runs_of(SAMPLES), known), share_wrong=True)
    assert table.head[:4] == ["in", "scenario", "wrong, %", ""] and table.n_keys == 4
    assert [line[2] for line in texts(table)] == ["0.0", "", "12.3", "", "-", "", "", ""]  # of the mean nothing is said
    assert {len(line) for line in table.lines} == {len(table.head)}
    shares = table.data.drop_duplicates("scenario").set_index("scenario")["share_wrong"]
    assert shares["noisy"] == pytest.approx(0.123) and np.isnan(shares["l1"]) and np.isnan(shares[MEAN])


def test_differences_may_have_intervals():
    table = make(interval=True)
    of = difference("noisy", "gce", "standard")
    low, high = stats.t.interval(0.95, N - 1, of.mean(), of.std(ddof=1) / np.sqrt(N))
    assert texts(table)[3][5] == f"{of.mean():+.2f} [{low:+.2f}, {high:+.2f}]*"
    assert table.notes[0].count("with 95 % intervals") == 1


def test_bounds_are_never_bold():
    table = make(bounds=["gce"])
    bold = [[cell.bold for cell in line[3:]] for line in table.lines[::2]]
    assert bold[1] == [False, True, False] and not any(row[2] for row in bold)


def test_experiments_with_metrics_of_their_own_name_them():
    config = config_of()
    again = config["experiments"]["rivals"] | {"metrics": ["f1"]}
    config["experiments"]["words"] = again
    config["tables"]["all"] = {"layout": "gains", "of": ["rivals.noisy", "words.noisy"], "title": "", "section": "ours"}
    words = {name.replace("rivals", "words"): values for name, values in SAMPLES.items()}
    runs = both(RUNS, runs_of(words, "f1"), facts("words.noisy", {"mislabelled": 0.1}))
    table = plugins.load_file("tables", "gains").build(build_context("all", config, runs))
    assert [line[1] for line in texts(table)[::2]] == ["accuracy", "F1", "accuracy or F1"]
    assert table.caption == "all: accuracy or F1 on clean test sets, in per cent."
    assert set(table.data["title"]) == {name.title() for name in METHODS}
