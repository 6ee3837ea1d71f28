"""Tables of named-entity recognition: ours beside the report's, stand-ins and failures marked, rivals in all."""

from io import StringIO

import numpy as np
import pandas as pd
import pytest
from made_up_words import make_config
from shiftlr import formats
from shiftlr.config import complete
from shiftlr.evaluation import SCORES
from shiftlr.recognition_tables import (
    SHOWN,
    data_table,
    label_error_table,
    score_table,
    suspect_table,
    thinning_table,
)
from shiftlr.verdicts import read_published

PUBLISHED = read_published()
COLUMNS = "labels,model,precision,recall,f1,published_f1,data"
F1 = {"standard": 80.0, "flipping": 80.1, "robust": 82.0, "robust_share": 81.0, "prefilter": 90.0, "svm": 78.0}
TABLES = ["table4", "table5", "table8"]


def config_of(**top):
    config = make_config() | top
    config["methods"] = config["methods"] | {"robust": {"title": "ro_bust"}, "rival": {"method": "svm"}}
    config["ner"]["labels"] = {
        "turker": {"title": "one Turker"},
        "per_article": {"title": "a Turker per article"},
        "auto": {"title": "automatic", "lam": "share"},
        "gold": {"title": "true labels", "like": "auto"},
    }
    return complete(config)


def about_of(standin=()):
    counts = {"positives": 1000, "negatives": 10000, "features": 20000, "p0": 0.37, "p1": 0.0071, "mislabelled": 0.03}
    sources = {"turker": "CoNLL, one Turker", "per_article": "CoNLL, a Turker per article"}
    return {
        kind: counts
        | {"source": sources.get(kind, "CoNLL + ANNIE"), "data": "standin" if kind in standin else "other"}
        | ({"p0_gold": 0.006, "p1_gold": 0.2} if kind in sources else {})
        for kind in ("turker", "per_article", "auto", "gold")
    }


TEST = {"positives": 3149, "negatives": 48429, "features": 125000, "data": "report"}


def make(name="table4", f1=F1, failed=(), standin=(), **top):
    rows, differences = [], []
    for kind in about_of():
        for model, value in f1.items():
            found = {"precision": value - 5.0, "recall": value + 5.0, "f1": value, "params": '{"alpha": 0.1, "k": 3}'}
            if model in failed:
                found = dict.fromkeys(found, np.nan) | {"reason": "ArithmeticError: no luck"}
            rows.append({"labels": kind, "model": model, "status": "failed" if model in failed else "ok"} | found)
            if model not in failed:
                gain = value - f1["standard"]
                against = {"against": "standard", "difference": gain, "low": gain - 1.0, "high": gain + 1.0}
                differences.append({"labels": kind, "model": model} | against)
    scores = pd.DataFrame(rows).reindex(columns=list(SCORES))
    return score_table(name, config_of(**top), about_of(standin), scores, pd.DataFrame(differences), PUBLISHED)


def data_of(table):
    return pd.read_csv(StringIO(formats.csv(table)))


def line_of(table, labels, model):
    """The cells of a model's line; the name of the labels stands in the first of them alone."""
    kinds = np.array([line[0].text for line in table.lines], dtype=object)
    first = kinds.tolist().index(labels)
    return next(line for line in table.lines[first:] if line[1].text == model)


def all_formats(table):
    return [formats.tex(table), formats.markdown(table), formats.page(table), formats.csv(table)]


@pytest.mark.parametrize("name", TABLES)
def test_the_csv_has_the_fixed_columns(name):
    table = make(name)
    assert formats.csv(table).splitlines()[0] == COLUMNS
    assert len(data_of(table)) == len(table.lines)
    assert set(data_of(table)["labels"]) == ({"auto", "gold"} if name == "table5" else {"turker", "per_article"})
    assert all(all_formats(table))


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
    assert line == ["", "ro_bust", "77.00", "87.00", "82.00", "+2.00 [+1.00, +3.00]", "77.04", "90.47", "83.22"]
    first = [cell.text for cell in make().lines[0]]
    assert first[0] == "one Turker" and first[5] == "+0.00 [-1.00, +1.00]"


@pytest.mark.parametrize(("name", "models"), [("table4", 4), ("table5", 6), ("table8", 5)])
def test_models_stand_in_the_report_s_order_and_the_best_of_those_shown_is_bold(name, models):
    table = make(name)
    assert len(table.lines) == 2 * models and table.groups == [0, models]
    bold = [line[1].text for line in table.lines if line[4].bold]
    assert bold == (["ro_bust"] if name == "table4" else ["prefilter"]) * 2
    order = [line[1].text for line in table.lines[:models]]
    assert order[0] == "standard"
    assert (order.index("prefilter") == 1) if name == "table8" else ("robust, $\\lambda$ by share" in order)


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
def test_a_failed_model_is_a_line_and_a_note(name):
    table = make(name, failed=["robust"])
    labels = table.lines[0][0].text
    line = [cell.text for cell in line_of(table, labels, "ro_bust")]
    assert line[2:6] == ["failed", "", "", ""] and line[8] != ""
    assert data_of(table).query("model == 'robust'")["f1"].isna().all()
    assert any(note.endswith("failed: ArithmeticError: no luck") for note in table.notes)
    assert all(all_formats(table))


def test_what_failed_but_is_not_shown_is_not_noted():
    assert not any("failed" in note for note in make("table4", failed=["prefilter"]).notes)


@pytest.mark.parametrize("name", TABLES)
def test_a_rival_stands_in_every_table(name):
    f1 = F1 | {"rival": 95.0}
    table = make(name, f1, also=["rival"])
    assert [line[1].text for line in table.lines].count("rival") == 2
    assert line_of(table, table.lines[0][0].text, "rival")[4].bold
    under_ner = make_config()["ner"]
    under_ner["methods"]["rival"] = {}
    assert data_of(make(name, f1, ner=under_ner)).equals(data_of(table))


def test_a_method_of_the_report_stands_where_it_did_not_if_asked_for():
    assert "svm" not in set(data_of(make("table4"))["model"])
    table = make("table4", also=["svm"])
    assert table.lines[-1][1].text == "svm" and data_of(table)["published_f1"].isna().tolist()[-1]
    assert data_of(make("table5", also=["svm"])).equals(data_of(make("table5")))


def test_a_table_without_its_labels_is_empty():
    about = {"auto": about_of()["auto"]}
    no_scores = pd.DataFrame(columns=list(SCORES))
    no_differences = pd.DataFrame(columns=["labels", "model", "against", "difference", "low", "high"])
    table = score_table("table4", config_of(), about, no_scores, no_differences, PUBLISHED)
    assert table.lines == [] and formats.csv(table) == COLUMNS + "\n" and all(all_formats(table))


def test_the_data_stand_beside_the_report_s():
    table = data_table(about_of(), TEST, PUBLISHED)
    rows = data_of(table)
    assert ",".join(rows) == "source,partition,whose,positives,negatives,features,p0,p1,data"
    assert rows["whose"].tolist() == ["ours", "ours", "report", "ours", "report", "ours", "report"]
    report = rows[rows["whose"] == "report"].set_index("source")
    assert report["positives"].to_dict() == {"Wikipedia": 24002, "CoNLL + MUSE": 8392, "CoNLL": 3149}
    assert report.loc["CoNLL + MUSE", "p0"] == 0.371 and np.isnan(report.loc["CoNLL", "p0"])
    assert [cell.text for cell in table.lines[-2]] == ["CoNLL", "test", "ours", "3,149", "48,429", "125,000", "-", "-"]
    assert any("CoNLL, one Turker: $p_0$ 0.006, $p_1$ 0.200" in note for note in table.notes)
    assert not table.caption.startswith("Stand-in") and all(all_formats(table))
    assert data_table(about_of(["gold"]), TEST, PUBLISHED).caption == table.caption  # its line is auto's
    assert data_table(about_of(["auto"]), TEST, PUBLISHED).caption.startswith("Stand-in data")
    assert data_table(about_of(), TEST | {"data": "standin"}, PUBLISHED).caption.startswith("Stand-in data")


def test_label_errors_have_a_line_for_each_ranking():
    row = {"labels": "per_article", "ranking": "standard", "named": 40, "named_wrong": 10, "wrong": 1200, "n": 5000}
    rows = pd.DataFrame(
        [
            row | {"at_50": 0.5},
            row | {"ranking": "cleanlab", "named": 0, "named_wrong": 0, "at_50": 0.25},
            row | {"labels": "auto", "ranking": "robust", "wrong": 7, "at_50": 0.75, "at_1000": 0.125},
        ]
    )
    table = label_error_table(config_of(), rows, is_standin=True)
    assert table.head[4:] == ["50", "1,000"] and table.groups == [0, 2]
    assert [[cell.text for cell in line] for line in table.lines] == [
        ["a Turker per article", "standard", "40", "0.25", "0.50", ""],
        ["", "cleanlab", "0", "-", "0.25", ""],
        ["automatic", "ro_bust", "40", "0.25", "0.75", "0.12"],
    ]
    assert any("a Turker per article: 1,200, automatic: 7" in note for note in table.notes)
    assert table.caption.startswith("Stand-in data") and all(all_formats(table))
    assert not label_error_table(config_of(), rows, is_standin=False).caption.startswith("Stand-in")


def test_thinning_shows_means_over_draws():
    columns = ["share", "features", "draw", "model", "f1", "flip_to_person", "flip_to_other"]
    rows = [(1.0, 2000, 0, "standard", 80.0, np.nan, np.nan), (1.0, 2000, 0, "flipping", 81.0, 0.0, 0.0)]
    for draw, f1 in enumerate([50.0, 60.0]):
        rows += [(0.005, 10, draw, "standard", f1, np.nan, np.nan), (0.005, 10, draw, "flipping", f1, 0.1, 0.3 * draw)]
    table = thinning_table(pd.DataFrame(rows, columns=columns), is_standin=False)
    assert [[cell.text for cell in line] for line in table.lines] == [
        ["100 %", "2,000", "80.00", "81.00", "0.0000", "0.0000"],
        ["0.5 %", "10", "55.00", "55.00", "0.1000", "0.1500"],
    ]
    assert all(all_formats(table))
    assert thinning_table(pd.DataFrame(rows, columns=columns), is_standin=True).caption.startswith("Stand-in data")


def test_the_page_of_suspects_has_the_first_ones_in_their_sentences():
    row = {"article": 3, "word": "<Bob>", "sentence": "met [<Bob>] & co", "label_given": "other"}
    row |= {"label_suspected": "person", "shift": -1.5}
    truths = ["person"] * 30 + ["other"] * 30
    suspects = pd.DataFrame([{"rank": k, **row, "label_true": truth} for k, truth in enumerate(truths, 1)])
    table = suspect_table(suspects, "CoNLL + ANNIE", is_standin=True)
    assert len(table.lines) == SHOWN
    shown = [cell.text for cell in table.lines[1]]
    assert shown == ["2", "<Bob>", "met [<Bob>] & co", "other", "person", "person", "-1.50"]
    assert table.caption.startswith("Stand-in data") and "CoNLL + ANNIE" in table.caption
    assert "Of all 60 shifted words, 50% have a wrong label" in table.notes[0]
    assert "met [&lt;Bob&gt;] &amp; co" in formats.page(table)


def test_a_page_without_suspects_can_be_written():
    empty = pd.DataFrame(columns=["rank", "word", "sentence", "label_given", "label_suspected", "label_true", "shift"])
    table = suspect_table(empty, "CoNLL + ANNIE", is_standin=False)
    assert table.lines == [] and formats.page(table) and "nan" not in formats.page(table)


def test_notes_say_what_was_chosen_and_learned():
    noted = [note for note in make("table8").notes if note.startswith("one Turker (3.0 % wrong): ")]
    assert len(noted) == 1
    assert noted[0].startswith(r"one Turker (3.0 % wrong): $\sigma^2$ = 10; standard: k = 3; ")
    assert "\N{GREEK SMALL LETTER SIGMA}² = 10" in formats.markdown(make("table8"))
