"""Tables of scores: ours beside the report's, stand-ins and failures marked, extra methods in all."""

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_up_runs import both, draw_counts, facts, place_of, runs_of
from made_up_tables import build
from shiftbench.analyses.bootstrap import difference
from shiftbench.config.load import complete
from shiftbench.present import formats
from shiftbench.runs import COLUMNS as ROWS
from shiftbench.runs import Runs, rows_of
from shiftbench.verdicts.judge import read_published

WHOLE = yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text())
CONFIG = {key: WHOLE[key] for key in ("methods", "experiments", "tables")}
CONFIG["experiments"] = {name: WHOLE["experiments"][name] for name in ("table4", "table5")}
CONFIG["tables"] = {"table8": WHOLE["tables"]["table8"]}
PUBLISHED = read_published()
COLUMNS = "labels,model,precision,recall,f1,published_f1,data,"
F1 = {"standard": 80.0, "flipping": 80.1, "robust": 82.0, "prefilter": 90.0, "svm": 78.0}
MORE = {"table4": {"robust_share": 81.0}, "table5": {"robust_folds": 81.0}}
SCENARIOS = {"turker": "table4", "per_article": "table4", "auto": "table5", "gold": "table5"}
TABLES = ["table4", "table5", "table8"]
MOVES = {1: [0.0], 3: [-1.0, 0.0, 1.0]}


def config_of(replicates=3, **top):
    methods = CONFIG["methods"] | {"robust": {"title": "ro_bust"}, "rival": {"method": "svm"}}
    config = complete(CONFIG | {"methods": methods, "resamples": 50, **top})
    for scenario, experiment in SCENARIOS.items():
        config["experiments"][experiment]["scenarios"][scenario]["replicates"] = replicates
    return config


def make_runs(f1=F1, failed=(), standin=(), replicates=3, quick=(), counts=True):
    """Precision, recall and F1 of each method; those of `failed` are names of methods."""
    rows, arrays, parts = [], {}, []
    for scenario, experiment in SCENARIOS.items():
        data = "standin" if scenario in standin else "quick" if scenario in quick else "other"
        wrong = 0.0 if scenario == "gold" else 0.03
        parts.append(facts(f"{experiment}.{scenario}", {"mislabelled": wrong}, data=data, replicates=replicates))
        for seed, (model, value) in enumerate((f1 | MORE[experiment]).items()):
            for number, move in enumerate(MOVES[replicates]):
                place = place_of(f"{experiment}.{scenario}:{model}", number)
                found = {"precision": value - 5.0 + move, "recall": value + 5.0 + 2.0 * move, "f1": value + move}
                found["share_suspected"] = 0.015
                if model == "flipping":
                    found |= {"flip_p0": 0.00012, "flip_p1": 0.25}
                chosen = {"alpha": 0.1, "k": 3}
                if model in failed:
                    nothing = dict.fromkeys(found, np.nan)
                    rows += rows_of(place, nothing, {}, "failed", "ArithmeticError: no luck", data)
                    continue
                rows += rows_of(place, found, chosen, data=data)
                if counts:
                    arrays[f"{experiment}/{scenario}/{model}/{number}/counts"] = draw_counts(10 * seed + number)
    return both(Runs(pd.DataFrame(rows, columns=list(ROWS)), arrays), *parts)


def make(name="table4", f1=F1, failed=(), standin=(), replicates=3, quick=(), counts=True, **top):
    runs = make_runs(f1, failed, standin, replicates, quick, counts)
    return build(name, config_of(replicates, **top), runs, PUBLISHED)


def data_of(table):
    return pd.read_csv(StringIO(formats.csv(table)))


def line_of(table, labels, model):
    """The cells of a model's line; the name of the labels stands in the first of them alone."""
    first = [line[0].text for line in table.lines].index(labels)
    return next(line for line in table.lines[first:] if line[1].text == model)


def all_formats(table):
    return [formats.tex(table), formats.markdown(table), formats.page(table), formats.csv(table)]


@pytest.mark.parametrize("name", TABLES)
def test_the_csv_has_the_fixed_columns(name):
    table = make(name)
    assert formats.csv(table).splitlines()[0].startswith(COLUMNS)
    assert len(data_of(table)) == len(table.lines)
    assert set(data_of(table)["labels"]) == ({"auto", "gold"} if name == "table5" else {"turker", "per_article"})
    assert all(all_formats(table)) and "$" not in formats.csv(table) and "\\" not in formats.csv(table)


@pytest.mark.parametrize(
    ("name", "published"),
    [
        ("table4", {"standard": 81.19, "flipping": 81.17, "robust": 83.22}),
        ("table5", {"standard": 77.12, "flipping": 77.05, "robust": 78.06}),
        ("table8", {"standard": 81.19, "prefilter": 83.04, "flipping": 81.21, "robust": 83.22}),
    ],
)
def test_published_numbers_stand_beside_ours_but_for_true_labels(name, published):
    rows = data_of(make(name))
    compared, gold = rows[rows["labels"] != "gold"], rows[rows["labels"] == "gold"]
    for kind, mine in compared.groupby("labels"):
        assert mine.set_index("model")["published_f1"].dropna().to_dict() == published, kind
    assert gold["published_f1"].isna().all() and gold["f1"].notna().all()
    assert [cell.text for cell in make("table5").lines[-1][-3:]] == ["", "", ""]


def test_a_line_has_scores_gain_and_the_report_s_numbers():
    line = [cell.text for cell in line_of(make(), "one Turker", "ro_bust")]
    assert line[:5] == ["", "ro_bust", "77.00 ± 0.58", "87.00 ± 1.15", "82.00 ± 0.58"]
    assert line[6:] == ["77.04", "90.47", "83.22"]
    first = [cell.text for cell in make().lines[0]]
    assert first[0] == "one Turker" and first[5] == ""  # standard has no gain over itself
    single = [cell.text for cell in line_of(make(replicates=1), "one Turker", "ro_bust")]
    assert single[2:5] == ["77.00", "87.00", "82.00"]


def test_gains_have_the_interval_of_the_bootstrap():
    runs, table = make_runs(), make()
    wanted = difference(runs, "table4", "per_article", "robust", "standard", "f1", 50)
    row = data_of(table).set_index(["labels", "model"]).loc[("per_article", "robust")]
    assert row[["gain", "gain_low", "gain_high"]].tolist() == pytest.approx([wanted.value, wanted.low, wanted.high])
    cell = line_of(table, "one Turker per article", "ro_bust")[5].text
    assert cell == f"{wanted.value:+.2f} [{wanted.low:+.2f}, {wanted.high:+.2f}]"


def test_without_counts_gains_have_the_interval_over_replicates():
    row = data_of(make(counts=False)).set_index(["labels", "model"]).loc[("per_article", "robust")]
    assert row[["gain", "gain_low", "gain_high"]].tolist() == pytest.approx([2.0, 2.0, 2.0])  # moved together


@pytest.mark.parametrize(("name", "models"), [("table4", 4), ("table5", 6), ("table8", 5)])
def test_models_stand_in_the_report_s_order_and_the_best_of_those_shown_is_bold(name, models):
    table = make(name)
    assert len(table.lines) == 2 * models and table.groups == [0, models]
    bold = [line[1].text for line in table.lines if line[4].bold]
    assert bold == (["ro_bust"] if name == "table4" else ["prefiltering"]) * 2
    order = [line[1].text for line in table.lines[:models]]
    assert order[0] == "standard"
    others = {"table4": "robust, $\\lambda$ by share", "table5": "robust, $\\lambda$ by folds"}
    assert order.index("prefiltering") == 1 if name == "table8" else others[name] in order


@pytest.mark.parametrize("name", TABLES)
def test_standins_are_marked(name):
    kinds = {"table4": "turker", "table5": "auto", "table8": "per_article"}
    table = make(name, standin=[kinds[name]])
    assert table.caption.startswith("Stand-in data") and not make(name).caption.startswith("Stand-in")
    data = data_of(table).groupby("labels")["data"].agg(set).to_dict()
    assert data.pop(kinds[name]) == {"standin"} and set.union(*data.values()) == {"other"}
    other = make(name, standin=["turker"] if name == "table5" else ["auto"])
    assert not other.caption.startswith("Stand-in")


@pytest.mark.parametrize("name", TABLES)
def test_quick_looks_are_marked(name):
    table = make(name, quick=list(SCENARIOS))
    assert table.caption.startswith("Quick look: few replicates or smaller data. Persons found")
    assert set(data_of(table)["data"]) == {"quick"}
    assert make(name, quick=list(SCENARIOS), standin=list(SCENARIOS)).caption.startswith("Stand-in data")


@pytest.mark.parametrize("name", TABLES)
def test_a_failed_model_is_a_line_and_a_note(name):
    table = make(name, failed=["robust"])
    line = [cell.text for cell in line_of(table, table.lines[0][0].text, "ro_bust")]
    assert line[2:6] == ["failed", "", "", ""] and line[8] != ""
    assert data_of(table).query("model == 'robust'")["f1"].isna().all()
    assert any(note.endswith("failed: ArithmeticError: no luck") for note in table.notes)
    assert all(all_formats(table))


def test_a_model_that_failed_in_one_replicate_is_marked():
    runs = make_runs()
    mine = (runs.table["method"] == "robust") & (runs.table["scenario"] == "turker") & (runs.table["replicate"] == 2)
    runs.table.loc[mine, ["status", "reason"]] = ["failed", "ArithmeticError: no luck"]
    del runs.arrays["table4/turker/robust/2/counts"]
    table = build("table4", config_of(), runs, PUBLISHED)
    assert [cell.text for cell in line_of(table, "one Turker", "ro_bust")][4] == "81.50 ± 0.50†"
    assert "ro_bust on turker in 1 of 3 replicates failed: ArithmeticError: no luck" in table.notes


def test_what_failed_but_is_not_shown_is_not_noted():
    assert not any("failed" in note for note in make("table4", failed=["prefilter"]).notes)


@pytest.mark.parametrize("name", TABLES)
def test_an_extra_method_stands_in_every_table(name):
    table = make(name, F1 | {"rival": 95.0}, extra_methods=["rival"])
    assert [line[1].text for line in table.lines].count("rival") == 2
    assert line_of(table, table.lines[0][0].text, "rival")[4].bold


def test_a_method_of_the_report_stands_where_it_did_not_if_asked_for():
    assert "svm" not in set(data_of(make("table4"))["model"])
    table = make("table4", extra_methods=["svm"])
    assert table.lines[-1][1].text == "SVM" and data_of(table)["published_f1"].isna().tolist()[-1]
    assert data_of(make("table5", extra_methods=["svm"])).equals(data_of(make("table5")))


def test_a_table_without_runs_has_lines_without_numbers():
    nothing = Runs(pd.DataFrame(columns=list(ROWS)), {})
    table = build("table4", config_of(), nothing, PUBLISHED)
    assert {line[2].text for line in table.lines} == {"-"} and all(all_formats(table))


def test_notes_say_what_was_chosen_and_learned():
    noted = [note for note in make("table8").notes if note.startswith("one Turker (3.0 % wrong): ")]
    assert len(noted) == 1
    assert noted[0].startswith(r"one Turker (3.0 % wrong): $\sigma^2$ = 10; standard: k = 3, 1.5 % suspected; ")
    assert "flipping: k = 3, 1.5 % suspected, flip probabilities 0.0001 and 0.2500" in noted[0]
    assert "\N{GREEK SMALL LETTER SIGMA}² = 10" in formats.markdown(make("table8"))


def test_notes_say_how_settings_are_chosen_and_who_is_told_the_share_of_wrong_labels():
    four, five, eight = (" ".join(make(name).notes) for name in TABLES)
    for notes in (four, five, eight):
        assert "Settings are chosen by cross-validation on the noisy labels, in the first replicate." in notes
        assert "Means over 3 replicates ± standard error." in notes and "Other data than the report's" in notes
    assert r"robust, $\lambda$ by share: among those that suspect about as many" in four
    assert "ro_bust: among those that suspect about as many" in five and "about as many" not in eight


def test_scores_of_one_s_own_data_need_no_report():
    mine = {"dataset": "simulated", "methods": ["standard", "robust"], "metrics": ["f1", "precision", "recall"]}
    mine |= {"table": {"layout": "scores"}, "replicates": 2}
    config = complete({"methods": {"standard": {}, "robust": {}}, "experiments": {"mine": mine}})
    runs = [runs_of({"mine.all:standard": [70.0, 72.0]}, score) for score in ("precision", "recall", "f1")]
    table = build("mine", config, both(*runs), PUBLISHED)
    assert [cell.text for cell in table.lines[0]][:6] == ["all", "standard", *["71.00 ± 1.00"] * 3, ""]
    assert [cell.text for cell in table.lines[1]][2:] == ["-", "", "", "", "", "", ""]
    assert not any("report" in note for note in table.notes)
