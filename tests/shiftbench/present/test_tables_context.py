"""What a table is made from: the experiments it needs, what it shows, and what is said of it."""

from pathlib import Path

import pandas as pd
import pytest
import yaml
from made_up_runs import both, runs_of
from made_up_tables import PUBLISHED, config_of, make_runs
from shiftbench import plugins
from shiftbench.config.load import complete
from shiftbench.present.captions import caption
from shiftbench.present.context import build_context, needs, places, quick_experiments, settings_of, where
from shiftbench.runs import COLUMNS, Runs
from shiftbench.verdicts.judge import judge_table, read_published, tables_needed

ROOT = Path(__file__).parents[3]
GIVEN = yaml.safe_load((ROOT / "config.yaml").read_text())
CONFIG = complete(GIVEN)
TABLES = [*CONFIG["experiments"], *CONFIG["tables"]]
NOTHING = Runs(pd.DataFrame(columns=list(COLUMNS)), {})


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("table1", ["table1"]),
        ("normal", ["table1", "normal"]),  # its claims compare the two
        ("table3", ["table4", "table5", "readings_features"]),
        ("table4", ["table4"]),
        ("table8", ["table4"]),
        ("label_errors", ["table4", "table5"]),
        (
            "readings",
            [
                *("table1", "table2", "table4", "table5", "readings_features", "svm", "table7"),
                *("readings_flipping", "prefilter_rules", "readings_glmnet"),
            ],
        ),
        ("suspect_sets", ["table2"]),
        ("standard_errors", ["table7"]),
        ("prefilter_rules", ["prefilter_rules"]),
        ("thinning", ["thinning"]),
        ("figure1", []),
        ("colon_map", ["table2"]),
        ("figure3", ["table4", "table5"]),
        ("noise_curve", ["noise_curve"]),
    ],
)
def test_what_a_table_or_figure_needs(name, wanted):
    assert needs(CONFIG, name) == wanted


def test_every_table_can_be_judged_by_what_it_needs():
    published = read_published()
    for name in TABLES:
        assert tables_needed(published[published["table"] == name]) <= set(needs(CONFIG, name))
    assert set(published["table"]) <= set(TABLES)


def test_experiments_that_the_config_does_not_have_are_not_needed():
    config = complete({"methods": GIVEN["methods"], "experiments": {"normal": {"dataset": "simulated"}}})
    assert needs(config, "normal") == ["normal"]


def test_settings_of_an_experiment_s_own_table_and_of_others():
    own = settings_of(CONFIG, "table1")
    assert own["layout"] == "means" and own["of"] == ["table1"] and own["section"] == "4.1"
    assert own["title"] == CONFIG["experiments"]["table1"]["title"]
    assert settings_of(CONFIG, "table8")["methods"] == ["standard", "prefilter", "flipping", "robust", "svm"]
    assert settings_of(CONFIG, "label_errors", "figures")["layout"] == "label_errors"


def test_places_are_scenarios_or_all_of_an_experiment():
    assert places(CONFIG, ["table5.auto", "table4"]) == [
        ("table5", "auto"),
        ("table4", "turker"),
        ("table4", "per_article"),
    ]
    assert places(CONFIG, ["table4.turker", "table4"]) == [("table4", "turker"), ("table4", "per_article")]


# The columns of the layout `suspects` are those of the data, without which there is no table.
@pytest.mark.parametrize("name", [name for name in TABLES if settings_of(CONFIG, name)["layout"] != "suspects"])
def test_every_table_can_be_made_before_anything_was_run(name):
    context = build_context(name, CONFIG, NOTHING, read_published())
    table = plugins.load_file("tables", context.settings["layout"]).build(context)
    assert {len(line) for line in table.lines} <= {len(table.head)}


def test_the_context_of_a_table():
    context = build_context("one", config_of(), make_runs(), PUBLISHED)
    assert context.experiments() == ["one"] and context.scenarios() == [("one", "clean"), ("one", "noisy")]
    assert context.methods("one") == ["standard", "robust"] and context.title_of("one", "robust") == "ro_bust"
    assert context.methods("one", "noisy", hidden=True) == ["standard", "robust", "variant"]
    assert context.methods("one", "clean", hidden=True) == ["standard", "robust"]
    pd.testing.assert_frame_equal(context.verdicts, judge_table("one", PUBLISHED, make_runs()))
    assert context.published["id"].tolist() == ["s1", "r1", "s2", "r2", "g2", "c1"]
    assert context.estimate("one.clean:robust:accuracy").value == pytest.approx(90.5)
    assert context.origins() == {"report"} and not context.is_standin and not context.is_quick


def test_a_table_of_other_experiments_has_what_the_report_says_of_these():
    context = build_context("readings", config_of(), make_runs(), PUBLISHED)
    assert set(context.published["table"]) == {"one"}
    assert build_context("two", config_of(), make_runs(), PUBLISHED).published.empty
    figure = build_context("plate", CONFIG, NOTHING, kind="figures")
    assert figure.published.empty and figure.verdicts.empty and figure.scenarios() == []


@pytest.mark.parametrize(("data", "mark"), [("standin", "Stand-in data"), ("quick", "Quick look"), ("other", "Five %")])
def test_captions_begin_with_what_is_wrong_with_the_data(data, mark):
    context = build_context("one", config_of(), make_runs(data=data), PUBLISHED)
    assert context.caption().startswith(mark) and context.caption().endswith("Five % of a_b (section 4.1)")


def test_nothing_is_judged_in_a_quick_look():
    assert quick_experiments(config_of()) == set()
    config = config_of(quick=True)
    assert quick_experiments(config) == {"one", "two"}
    context = build_context("one", config, make_runs(), PUBLISHED)
    assert context.is_quick and set(context.verdicts["verdict"]) == {"not_comparable"}
    assert set(context.verdicts["data"]) == {"quick"}


def test_failures_and_parameters():
    runs = both(runs_of({"one.clean:robust": [1.0, 2.0, 3.0]}, failed={("one.clean:robust", 0)}, params={"lam": 0.5}))
    context = build_context("one", config_of(), runs, PUBLISHED)
    assert context.failures("one", "clean", "robust") == (2, 1, "no luck")
    assert context.failures("one", "clean", "svm") == (0, 0, "")
    assert context.params("one", "clean", "svm") == {} and context.params("one", "clean", "robust") == {"lam": 0.5}


@pytest.mark.parametrize(
    ("section", "text"), [("4.1", " (section 4.1)"), ("appendix B", " (appendix B)"), ("ours", ""), ("", "")]
)
def test_sections(section, text):
    assert where(section) == text


@pytest.mark.parametrize("name", TABLES)
def test_every_table_has_a_caption_in_the_report(name):
    text = caption(CONFIG, "tables", name)
    assert text.startswith(settings_of(CONFIG, name)["title"])
    assert text.endswith(f"The same as LaTeX, CSV and Markdown in ``results/tables/{name}``.")
    assert ".." not in text.replace("...", "") and "None" not in text
    assert ("Ours, not the report's." in text) == (settings_of(CONFIG, name)["section"] == "ours")


@pytest.mark.parametrize("name", CONFIG["figures"])
def test_every_figure_has_a_caption_in_the_report(name):
    text = caption(CONFIG, "figures", name)
    module = plugins.files("figures")[CONFIG["figures"][name]["layout"]]
    assert text.endswith((".", "?")) and len(text) > 20 and "LaTeX" not in text
    assert "CAPTION" in module.read_text()


def test_captions_say_that_it_is_a_quick_look():
    quick = complete(GIVEN | {"quick": True})
    assert caption(quick, "tables", "table4").startswith("Quick look: few replicates or smaller data. Persons")
