"""Table 2 and other preprocessing: dots where a suspect is found, names of others, what was chosen."""

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_up_runs import both, place_of
from made_up_tables import build
from shiftbench.config.load import complete
from shiftbench.datasets import colon
from shiftbench.present import formats
from shiftbench.present.tables.suspects import LITERATURE
from shiftbench.runs import COLUMNS, Runs, rows_of
from shiftbench.verdicts.judge import read_published

WHOLE = yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text())
CONFIG = {key: WHOLE[key] for key in ("methods", "experiments")}
CONFIG["experiments"] = {name: WHOLE["experiments"][name] for name in ("table2", "preprocessing")}
PUBLISHED = read_published()
NUMBERS = [*range(1, 41), *range(1, 13), *range(22, 30), 34, 36]  # of the tumours, then of normal tissues
IDS = np.array([f"{'T' if k < 40 else 'N'}{number}" for k, number in enumerate(NUMBERS)])
TAGS = np.isin(IDS, colon.SUSPECTS)
LABELS = (np.arange(62) < 40).astype(int)
ORDER = np.random.default_rng(0).permutation(62)  # the order of a file need not be that of the table
FOUND = {"robust": ["T30", "N8", "N36", "T7", "N2"], "flipping": [], "svm": IDS[:20].tolist(), "rival": ["T2", "T37"]}
SHIFTS = {"T30": 2.5, "N8": 1.25, "N36": 3.0, "T7": 0.5, "N2": 0.25}


def config_of(**top):
    return complete(CONFIG | {"methods": CONFIG["methods"] | {"rival": {"method": "svm"}}, **top})


def runs_of(experiment, scenario, methods, replicates=1, data="report", failed=()):
    key = f"{experiment}/{scenario}"
    arrays = {f"{key}/data/0/ids": IDS[ORDER], f"{key}/data/0/labels": LABELS[ORDER]}
    arrays[f"{key}/data/0/tag.suspected"] = TAGS[ORDER]
    rows = []
    for method in methods:
        named = np.isin(IDS, FOUND.get(method, []))[ORDER]
        suspicion = np.array([SHIFTS.get(name, 9.0) for name in IDS[ORDER]])
        if method not in failed:
            arrays |= {f"{key}/{method}/0/suspected": named, f"{key}/{method}/0/suspicion": named * suspicion}
        for number in range(replicates):
            place = place_of(f"{experiment}.{scenario}:{method}", number)
            hits, others = int((named & TAGS[ORDER]).sum()), int((named & ~TAGS[ORDER]).sum())
            metrics = {"suspects_hit": hits + number, "false_positives": others + 2 * number}
            status = ("failed", "ArithmeticError: no luck") if method in failed else ("ok", "")
            rows += rows_of(place, metrics, {"alpha": 1.28, "lam": 0.104}, *status, data=data)
    return Runs(pd.DataFrame(rows, columns=list(COLUMNS)), arrays)


def make(replicates=1, data="report", failed=(), **top):
    config = config_of(**top)
    methods = config["experiments"]["table2"]["methods"]
    return build("table2", config, runs_of("table2", "tissues", methods, replicates, data, failed), PUBLISHED)


def line_of(table, title):
    return next([cell.text for cell in line] for line in table.lines if line[0].text == title)


def test_the_literature_stands_above_ours():
    table = make()
    assert table.head == ["method", *colon.SUSPECTS, "false positives"]
    assert [line[0].text for line in table.lines[:5]] == pd.read_csv(LITERATURE)["method"].tolist()
    assert line_of(table, "robust LR, as published")[1:] == ["", "•", "•", "•", "", "•", "•", "•", "•", ""]
    assert line_of(table, "Malossini et al. (2006)")[-1] == "T8, N2, N28, N29"
    shown = [name for name, one in config_of()["experiments"]["table2"]["methods"].items() if one["shown"]]
    assert table.groups == [0, 5] and len(table.lines) == 5 + len(shown) and "standard" not in shown


def test_dots_are_where_a_suspect_is_found_and_others_are_named():
    line = line_of(make(), "robust, joint cross-validation")
    found = [name for name, text in zip(colon.SUSPECTS, line[1:], strict=False) if text == "•"]
    assert found == ["T30", "N8", "N36"]
    assert set(line[-1].split(", ")) == {"T7", "N2"}
    assert set(line_of(make(), "flipping, 20 restarts")[1:]) == {""}
    assert line_of(make(), "SVM, tissues with slack")[-1] == "(19 examples)"  # too many to be named


def test_shifts_have_the_sign_of_their_labels_the_largest_first():
    (note,) = [note for note in make().notes if note.startswith("Shifts")]
    assert note.startswith(
        "Shifts (robust, joint cross-validation): N36 -3.00, T30 +2.50, N8 -1.25, T7 +0.50, N2 -0.25."
    )
    assert "labelled tumour but looks normal" in note


def test_the_csv_keeps_its_columns():
    data = pd.read_csv(StringIO(formats.csv(make())))
    columns = ["method", "source", *colon.SUSPECTS, "hits", "false_positives", "parameters", "data"]
    assert list(data.columns)[: len(columns)] == columns
    ours = data[data["source"] == "ours"].set_index("method").loc["robust, joint cross-validation"]
    assert ours["hits"] == 3 and ours["T30"] == 1 and ours["T2"] == 0 and ours["parameters"] == "κ = 1.28, λ = 0.104"
    assert set(ours["false_positives"].split()) == {"T7", "N2"}
    assert (data["source"] == "published").sum() == 5 and set(data["data"]) == {"report"}


def test_only_latex_has_latex_in_it():
    table = make(replicates=3)
    assert r"$\lambda$" in formats.tex(table)
    for write in (formats.markdown, formats.page, formats.csv):
        assert "$" not in write(table) and "λ" in write(table)


def test_counts_over_replicates_are_in_a_note():
    assert not any("replicates" in note for note in make().notes)
    table = make(replicates=3)
    (note,) = [note for note in table.notes if note.startswith("Dots are those of the first of 3 replicates.")]
    assert "robust, joint cross-validation: 4.0 ± 0.6 and 4.0 ± 1.2" in note
    row = table.data[table.data["source"] == "ours"].iloc[0]
    assert row[["replicates", "hits", "mean_hits"]].tolist() == [3, 3, 4.0]
    assert row[["mean_hits_se", "mean_others_se"]].tolist() == pytest.approx([1.0 / 3.0**0.5, 2.0 / 3.0**0.5])


def test_an_extra_method_is_a_row_like_all_others():
    table = make(extra_methods=["rival"])
    line = line_of(table, "rival")
    assert line[1] == "•" and line[5] == "•" and line[-1] == "" and table.lines[-1][0].text == "rival"


def test_a_failed_method_is_a_line_and_a_note():
    table = make(failed=["svm"])
    assert set(line_of(table, "SVM, tissues with slack")[1:-1]) == {""}
    assert line_of(table, "SVM, tissues with slack")[-1] == "failed"
    assert "SVM, tissues with slack: 1 of 1 fits failed: ArithmeticError: no luck" in table.notes


def test_stand_ins_are_marked():
    assert make(data="standin").caption.startswith("Stand-in data")
    assert make().caption.startswith("Suspects identified in the colon-cancer data (section 4.2)")
    data = make(data="standin").data
    assert set(data.loc[data["source"] == "ours", "data"]) == {"standin"}
    assert set(data.loc[data["source"] == "published", "data"]) == {"report"}
    assert make(quick=True).caption.startswith("Quick look")  # settings are coarser


def make_preprocessing(data="report", failed=(), **top):
    config = config_of(**top)
    scenarios = config["experiments"]["preprocessing"]["scenarios"]
    methods = config["experiments"]["preprocessing"]["methods"]
    parts = [runs_of("preprocessing", one, methods, data=data, failed=failed) for one in scenarios]
    return build("preprocessing", config, both(*parts), PUBLISHED)


def test_preprocessing_has_one_line_per_scenario():
    table = make_preprocessing()
    assert table.head == ["log", "per array", "per gene", "hits", "suspects", "false positives", "parameters"]
    keys = [[cell.text for cell in line[:3]] for line in table.lines]
    assert keys[:3] == [["yes", "yes", "yes"], ["no", "no", "no"], ["no", "no", "yes"]] and len(keys) == 7
    line = [cell.text for cell in table.lines[0]]
    assert line[3] == "3" and set(line[4].split()) == {"T30", "N8", "N36"} and set(line[5].split(", ")) == {"T7", "N2"}
    assert line[6] == r"$\kappa$ = 1.28, $\lambda$ = 0.104"
    columns = "log,per_array,per_gene,hits,suspects,false_positives,parameters"
    assert formats.csv(table).startswith(columns) and "$" not in formats.csv(table)
    assert make_preprocessing(data="standin").caption.startswith("Stand-in data")


def test_preprocessing_has_a_line_for_each_extra_method_too():
    table = make_preprocessing(extra_methods=["rival"], failed=["robust"])
    assert table.head[3] == "method" and len(table.lines) == 14
    assert [cell.text for cell in table.lines[0]][3:5] == ["robust, joint cross-validation", "failed"]
    assert [cell.text for cell in table.lines[1]][3:6] == ["rival", "2", " ".join(_in_file_order("T2", "T37"))]
    assert len([note for note in table.notes if note.endswith("failed: ArithmeticError: no luck")]) == 7


def _in_file_order(*names):
    return [name for name in IDS[ORDER].tolist() if name in names]
