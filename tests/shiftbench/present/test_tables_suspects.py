"""Table 2 and other preprocessing: dots where a suspect is found, names of others, how often, what was chosen."""

from io import StringIO

import pandas as pd
import pytest
from made_up_runs import both
from made_up_tables import build
from made_up_tissues import DEFAULT, IDS, ORDER, PUBLISHED, config_of, make_table2, runs_of_tissues
from shiftbench.datasets import colon
from shiftbench.present import formats
from shiftbench.present.tables.suspects import LITERATURE

NO_YES = ("no", "yes")
SVM = "SVM, tissues with slack, scaled genes"


def line_of(table, title):
    return next([cell.text for cell in line] for line in table.lines if line[0].text == title)


def test_the_literature_stands_above_ours():
    table = make_table2()
    assert table.head == ["method", *colon.SUSPECTS, "false positives", "seeds"]
    assert [line[0].text for line in table.lines[:5]] == pd.read_csv(LITERATURE)["method"].tolist()
    assert line_of(table, "robust LR, as published")[1:] == ["", "•", "•", "•", "", "•", "•", "•", "•", "", ""]
    assert line_of(table, "Malossini et al. (2006)")[-2:] == ["T8, N2, N28, N29", ""]
    assert table.groups == [0, 5]


def test_every_scenario_has_a_line_for_each_of_its_methods():
    titles = [line[0].text for line in make_table2().lines[5:]]
    assert titles == [
        *("robust, penalties per example, scaled genes", "robust, penalties of the sum, scaled genes"),
        *("flipping, 20 restarts, scaled genes", SVM),
        *("prefiltering, scaled genes", "prefiltering by majority, scaled genes"),
        *("robust, penalties per example, raw intensities", "robust, penalties of the sum, raw intensities"),
        *("robust, joint cross-validation, logarithms", r"robust, section 3.3, accuracy of $\theta$, logarithms"),
        r"robust, section 3.3, accuracy of $\theta$, smaller $\lambda$, logarithms",
        "robust, section 3.3, accuracy with shifts, logarithms",
        r"robust, section 3.3, accuracy with shifts, smaller $\lambda$, logarithms",
    ]  # standard chooses a penalty for others, and has no line


def test_dots_are_where_a_suspect_is_found_and_others_are_named():
    line = line_of(make_table2(), DEFAULT)
    found = [name for name, text in zip(colon.SUSPECTS, line[1:], strict=False) if text == "•"]
    assert found == ["T30", "N8", "N36"]
    assert set(line[-2].split(", ")) == {"T7", "N2"}
    assert set(line_of(make_table2(), "flipping, 20 restarts, scaled genes")[1:]) == {""}
    assert line_of(make_table2(), SVM)[-2] == "(19 examples)"  # too many to be named


def test_the_commonest_set_is_shown_and_how_often_it_comes_out():
    line = line_of(make_table2(replicates=5), DEFAULT)
    found = [name for name, text in zip(colon.SUSPECTS, line[1:], strict=False) if text == "•"]
    assert found == ["T33", "N12"] and line[-2:] == ["T9", "3 of 5"]  # of seeds 1, 2 and 4
    assert line_of(make_table2(replicates=5), SVM)[-1] == "5 of 5"
    assert line_of(make_table2(replicates=1), DEFAULT)[-1] == ""  # of one seed there is nothing to say


def test_of_equally_common_sets_the_first_is_shown():
    line = line_of(make_table2(replicates=2), DEFAULT)
    assert set(line[-2].split(", ")) == {"T7", "N2"} and line[-1] == "1 of 2"


def test_shifts_have_the_sign_of_their_labels_the_largest_first():
    (note,) = [note for note in make_table2().notes if note.startswith("Shifts")]
    assert note.startswith(
        "Shifts (robust, penalties per example): N36 -3.00, T30 +2.50, N8 -1.25, T7 +0.50, N2 -0.25."
    )
    assert "labelled tumour but looks normal" in note


def test_the_csv_keeps_its_columns():
    data = pd.read_csv(StringIO(formats.csv(make_table2(replicates=5))))
    columns = ["method", "source", *colon.SUSPECTS, "hits", "false_positives", "parameters", "times", "of_replicates"]
    assert list(data.columns)[: len(columns) + 1] == [*columns, "data"]
    ours = data[data["source"] == "ours"].set_index("method").loc[DEFAULT]
    assert ours["hits"] == 2 and ours["T33"] == 1 and ours["T30"] == 0 and ours["parameters"] == "κ = 1.28, λ = 0.104"
    assert ours["false_positives"] == "T9" and ours[["times", "of_replicates", "replicates"]].tolist() == [3, 5, 5]
    assert (data["source"] == "published").sum() == 5 and set(data["data"]) == {"report"}


def test_only_latex_has_latex_in_it():
    table = make_table2(replicates=3)
    assert r"$\lambda$" in formats.tex(table)
    for write in (formats.markdown, formats.page, formats.csv):
        assert "$" not in write(table) and "λ" in write(table)


def test_counts_over_replicates_are_in_a_note():
    assert not any("means over all seeds" in note for note in make_table2().notes)
    table = make_table2(replicates=3)
    (note,) = [note for note in table.notes if "means over all seeds" in note]
    # 3, 2 and 2 suspects; 2, 1 and 1 others
    assert note.startswith(f"{DEFAULT}: 2.3 ± 0.3 suspects hit, 1.3 ± 0.3 false positives: ")
    row = table.data[table.data["source"] == "ours"].iloc[0]
    assert row[["replicates", "hits", "mean_hits", "mean_others"]].tolist() == [3, 2, pytest.approx(7 / 3), 4 / 3]
    assert row[["mean_hits_se", "mean_others_se"]].tolist() == pytest.approx([1.0 / 3.0] * 2)


def test_an_extra_method_is_a_row_like_all_others():
    table = make_table2(extra_methods=["rival"])
    for place in ("scaled genes", "raw intensities", "logarithms"):
        line = line_of(table, f"rival, {place}")
        assert line[1] == "•" and line[5] == "•" and line[-2] == ""
    assert table.lines[-1][0].text == "rival, logarithms"


def test_a_failed_method_is_a_line_and_a_note():
    table = make_table2(failed=["svm"])
    assert set(line_of(table, SVM)[1:-2]) == {""}
    assert line_of(table, SVM)[-2:] == ["failed", ""]
    assert "SVM, tissues with slack: 1 of 1 fits failed: ArithmeticError: no luck" in table.notes


def test_stand_ins_are_marked():
    assert make_table2(data="standin").caption.startswith("Stand-in data")
    assert make_table2().caption.startswith("Suspects identified in the colon-cancer data (section 4.2)")
    data = make_table2(data="standin").data
    assert set(data.loc[data["source"] == "ours", "data"]) == {"standin"}
    assert set(data.loc[data["source"] == "published", "data"]) == {"report"}
    assert make_table2(quick=True).caption.startswith("Quick look")


def make_preprocessing(data="report", failed=(), replicates=1, **top):
    config = config_of(**top)
    scenarios = config["experiments"]["preprocessing"]["scenarios"]
    methods = config["experiments"]["preprocessing"]["methods"]
    parts = [runs_of_tissues("preprocessing", one, methods, replicates, data, failed) for one in scenarios]
    return build("preprocessing", config, both(*parts), PUBLISHED)


def test_preprocessing_has_one_line_per_scenario():
    table = make_preprocessing()
    assert table.head == ["log", "per array", "per gene", "hits", "suspects", "false positives", "seeds", "parameters"]
    keys = [[cell.text for cell in line[:3]] for line in table.lines]
    assert keys[0] == ["no", "no", "yes"]  # that of Table 2, then all others
    assert len(keys) == 8 and {tuple(key) for key in keys} == {
        (a, b, c) for a in NO_YES for b in NO_YES for c in NO_YES
    }
    line = [cell.text for cell in table.lines[0]]
    assert line[3] == "3" and set(line[4].split()) == {"T30", "N8", "N36"} and set(line[5].split(", ")) == {"T7", "N2"}
    assert line[6:] == ["", r"$\kappa$ = 1.28, $\lambda$ = 0.104"]
    columns = "log,per_array,per_gene,hits,suspects,false_positives,seeds,parameters"
    assert formats.csv(table).startswith(columns) and "$" not in formats.csv(table)
    assert make_preprocessing(data="standin").caption.startswith("Stand-in data")


def test_preprocessing_shows_the_commonest_set_and_its_seeds():
    table = make_preprocessing(replicates=5)
    for line in table.lines:
        texts = [cell.text for cell in line]
        assert texts[3] == "2" and set(texts[4].split()) == {"T33", "N12"} and texts[5:7] == ["T9", "3 of 5"]
    assert set(table.data["seeds"]) == {"3 of 5"} and set(table.data["hits"]) == {2}


def test_preprocessing_has_a_line_for_each_extra_method_too():
    table = make_preprocessing(extra_methods=["rival"], failed=["robust"])
    assert table.head[3] == "method" and len(table.lines) == 16
    assert [cell.text for cell in table.lines[0]][3:5] == ["robust, penalties per example", "failed"]
    in_file_order = [name for name in IDS[ORDER].tolist() if name in ("T2", "T37")]
    assert [cell.text for cell in table.lines[1]][3:6] == ["rival", "2", " ".join(in_file_order)]
    assert "robust, penalties per example in default failed: ArithmeticError: no luck" in table.notes
    assert len([note for note in table.notes if note.endswith("failed: ArithmeticError: no luck")]) == 8
