"""Tables of means and readings: ours above the report's, with marks, bold, failures and notes."""

import re

import numpy as np
import pytest
from made_up_runs import both, runs_of
from made_up_tables import KNOWN, MEANS, SPREAD, build, config_of, make, make_runs, texts
from shiftbench.config.load import complete
from shiftbench.present import formats


def test_ours_stands_above_the_report_s():
    table = make()
    assert table.head == ["$p_0$", "", "standard", "ro_bust"]
    assert texts(table) == [
        ["0.0", "ours", "90.00 ± 1.00", "90.50 ± 0.10"],
        ["", "report", "90.20 ± 0.50 ✓", "80.20 ± 0.50 ▲"],
        ["0.3 #1", "ours", "70.00 ± 1.00", "80.00 ± 0.10"],
        ["", "report", "79.00 ± 0.50 ▼", "80.10 ± 0.50 ✓"],
    ]
    assert table.caption == "Five % of a_b (section 4.1): accuracy on clean test sets, in per cent."
    assert table.groups == [0, 2] and table.n_keys == 2
    assert table.notes[0] == "Means over 3 replicates ± standard error." and table.notes[1].startswith("✓ reproduced")


def test_bold_is_what_beats_the_baseline_significantly():
    bold = [[cell.bold for cell in line[2:]] for line in make().lines]
    assert bold == [[False, False], [False, False], [False, True], [False, True]]


def test_bold_is_the_best_where_that_is_the_rule():
    assert [cell.bold for cell in make("two").lines[0]] == [False, False, True, False, False]


def test_without_published_numbers_there_is_one_line_per_scenario():
    table = make("two")
    assert table.head == ["$p_0$", "standard", "ro_bust", "gain", "gain in one"]
    assert texts(table) == [["0.0", "60.00 ± 1.00", "62.00 ± 0.10", "+2.00 ± 0.90", "+0.50 ± 0.90"]]
    assert table.caption.startswith("Five % of a_b (appendix B): ") and len(table.notes) == 1


def test_gains_stand_beside_published_numbers_too():
    config = config_of()
    config["experiments"]["one"]["scenarios"].pop("noisy")
    config["experiments"]["one"]["table"]["gain_beside"] = "two"
    table = build("one", config, make_runs())
    assert texts(table)[0][-2:] == ["+0.50 ± 0.90", "+2.00 ± 0.90"]
    assert {len(line) for line in table.lines} == {len(table.head)}


def test_methods_of_one_s_own_are_columns():
    more = {"one.clean:svm": 91.0, "one.noisy:svm": 71.0, "two.clean:svm": 61.0}
    one, two = (make(name, means=MEANS | more, extra_methods=["svm"]) for name in ("one", "two"))
    assert one.head == ["$p_0$", "", "standard", "ro_bust", "SVM"]
    assert [line[-1] for line in texts(one)] == ["91.00 ± 1.00", "", "71.00 ± 1.00", ""]
    assert [cell.bold for cell in one.lines[2]] == [False, False, False, True, False]  # both beat standard, one is best
    assert two.head[1:4] == ["standard", "ro_bust", "SVM"] and texts(two)[0][3] == "61.00 ± 1.00"


def test_an_experiment_of_one_s_own_needs_no_settings_of_a_table():
    mine = {"dataset": "file", "methods": ["standard", "robust"], "replicates": 3}
    config = complete({"methods": {"standard": {}, "robust": {}}, "experiments": {"mine": mine}})
    runs = runs_of({"mine.all:standard": 70.0 + SPREAD, "mine.all:robust": 75.0 + SPREAD}, data="other")
    table = build("mine", config, runs)
    assert table.head == ["scenario", "standard", "robust"]
    assert texts(table) == [["all", "70.00 ± 1.00", "75.00 ± 1.00"]]
    assert table.caption == "mine: accuracy on test sets, in per cent."  # nobody knows whether their labels are right


def test_the_first_metric_of_an_experiment_is_shown():
    config = config_of()
    config["experiments"]["two"]["metrics"] = ["share_suspected", "accuracy"]
    shares = {"two.clean:standard": np.array([0.1, 0.2, 0.3]), "two.clean:robust": np.full(3, 0.25)}
    table = build("two", config, both(make_runs(), runs_of(shares, "share_suspected")))
    assert texts(table)[0][1:3] == ["0.20 ± 0.06", "0.25"] and table.lines[0][2].bold
    assert table.caption.endswith(": share suspected.")


def test_of_some_metrics_the_lower_is_better(tmp_path):
    (tmp_path / "metrics").mkdir()
    code = "def loss(outcome):\n    return 0.0\n\n\nloss.lower_is_better = True\n"
    (tmp_path / "metrics" / "loss.py").write_text(code)
    config = config_of(plugins=str(tmp_path))
    for bold in ("best", "significant"):
        config["experiments"]["one"] |= {"metrics": ["loss"]}
        config["experiments"]["one"]["table"]["bold"] = bold
        losses = {"one.clean:standard": 1.0 + SPREAD, "one.noisy:standard": 30.0 + SPREAD}
        losses |= {name.replace("standard", "robust"): 0.5 + 0.1 * SPREAD for name in losses}
        table = build("one", config, both(runs_of(losses, "loss"), KNOWN))
        assert [line[2].bold for line in table.lines] == [bold == "best", True]
        assert not any(line[1].bold for line in table.lines)


def test_readings_stand_below_the_one_in_the_table():
    table = make("readings")
    assert texts(table) == [
        ["Table 1: 0.3, robust", "in the table", "80.00 ± 0.10", "80.10 ± 0.50", "-0.20", "✓ reproduced", ""],
        ["", "robust_2 & 50 %", "84.00 ± 1.00", "", "+3.49", "▲ better", "Another way."],
    ]
    assert table.groups == [0]
    assert table.head == ["number", "reading", "ours", "report", "z", "verdict", "why it was tried"]
    variant = table.data.set_index("method").loc["variant"]
    assert variant["published"] == 80.1 and variant["verdict"] == "better" and variant["why"] == "Another way."
    assert table.caption == "Other readings."


def test_a_scenario_may_be_a_reading_of_another():
    config = config_of()
    other = config["experiments"]["two"]["scenarios"]["clean"]
    other |= {"reading_of": "one.clean", "why": "On other data.", "title": "elsewhere"}
    lines = texts(build("readings", config, make_runs()))
    assert ["", "standard, elsewhere", "60.00 ± 1.00", "", "-27.01", "▼ worse", "On other data."] in lines
    assert ["", "ro_bust, elsewhere", "62.00 ± 0.10", "", "-35.69", "▼ worse", ""] in lines  # a reason is given once
    assert [line[0] for line in lines if line[0]] == [
        "Table 1: 0.0, standard",
        "Table 1: 0.0, robust",
        "Table 1: 0.3, robust",
    ]


def test_a_reading_that_was_not_run_says_so():
    means = {name: mean for name, mean in MEANS.items() if not name.endswith("variant")}
    assert texts(make("readings", means=means))[1][2:6] == ["not run", "", "", "not comparable"]


def test_a_table_of_no_readings():
    config = config_of()
    config["experiments"]["one"]["scenarios"]["noisy"]["readings"] = []
    del config["experiments"]["one"]["methods"]["variant"]
    table = build("readings", config, make_runs())
    assert table.lines == [] and table.groups == [] and all(write(table) for write in (formats.tex, formats.page))


@pytest.mark.parametrize("name", ["one", "readings"])
def test_failed_fits_are_shown(name):
    table = make(name, failed={"one.noisy:robust": 1})
    (line,) = [line for line in texts(table) if any("†" in text for text in line)]
    assert re.fullmatch(r"80\.\d\d ± 0\.\d\d†", next(text for text in line if "†" in text))
    assert any(note.startswith("†") and "ro_bust" in note and "1 of 3" in note for note in table.notes)
    assert r"\dag{}" in formats.tex(table) and "†" in formats.markdown(table) and "†" in formats.page(table)


def test_a_method_that_always_failed_and_one_that_was_not_run():
    missing = {name: mean for name, mean in MEANS.items() if name != "one.clean:standard"}
    table = make(means=missing, failed={"one.noisy:robust": 3})
    assert texts(table)[0][2] == "-" and texts(table)[2][3] == "failed"
    assert "† Fits that failed and are left out: ro_bust in 0.3 #1: 3 of 3." in table.notes
    assert texts(table)[3] == ["", "report", "79.00 ± 0.50 ▼", "80.10 ± 0.50"]  # no mark: there is nothing to judge


def test_one_replicate_is_shown_without_a_standard_error():
    config = config_of(replicates=1)
    table = build("one", config, both(runs_of({name: [mean] for name, mean in MEANS.items()}), KNOWN))
    assert texts(table)[0] == ["0.0", "ours", "90.00", "90.50"]
    assert texts(table)[1] == ["", "report", "90.20 ± 0.50", "80.20 ± 0.50"]  # no marks
    assert table.notes[0] == "One replicate, and so without standard errors."
    assert not any(cell.bold for line in table.lines[::2] for cell in line)


def test_stand_ins_are_marked():
    table = build("one", config_of(), make_runs(data="standin"))
    assert table.caption.startswith("Stand-in data ") and set(table.data["data"]) == {"standin"}
    assert set(table.data["verdict"]) == {"not_comparable"}


def test_the_note_counts_the_replicates_that_are_there():
    """Not those that the config asks for; fits that failed are there, and have a note of their own."""
    whole = make_runs(failed={"one.clean:robust": 2})
    assert build("one", config_of(), whole).notes[0] == "Means over 3 replicates ± standard error."
    rows = whole.table
    gone = (rows["scenario"] == "noisy") & (rows["method"] == "robust") & (rows["replicate"] > 1)
    assert gone.any()
    fewer = whole._replace(table=rows[~gone])
    assert build("one", config_of(), fewer).notes[0] == "Means over 2 or 3 replicates ± standard error."
    none = whole._replace(table=rows[rows["method"] == "data"])
    assert build("one", config_of(), none).notes[0] == "No replicate was run."
