"""Tables of data, label errors, thinned features and noise: what they show is what was measured."""

from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_up_runs import both, draw_counts, facts, place_of, runs_of
from made_up_tables import build, texts
from scipy import stats
from shiftbench.analyses.bootstrap import difference
from shiftbench.config.load import complete
from shiftbench.present import formats
from shiftbench.runs import COLUMNS, Runs, rows_of
from shiftbench.verdicts.judge import read_published

CONFIG = yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text())
PUBLISHED = read_published()
COUNTS = {"positives": 1000, "negatives": 10000, "features": 20000, "p0": 0.37, "p1": 0.0071, "mislabelled": 0.03}
GOLD = {"p0_gold": 0.006, "p1_gold": 0.2}
TEST = {"test_positives": 3149, "test_negatives": 48429, "test_features": 125000}
SOURCES = {"turker": "CoNLL, one Turker", "per_article": "CoNLL, one Turker per article"}


def config_of(**top):
    config = complete(CONFIG | {"resamples": 50, **top})
    config["tables"]["table3"]["of"] = ["table4", "table5.auto"]
    return config


def data_of(table):
    return pd.read_csv(StringIO(formats.csv(table)))


def all_formats(table):
    return [formats.tex(table), formats.markdown(table), formats.page(table), formats.csv(table)]


def make_facts(standin=(), test="report", replicates=1):
    """Facts of all sets of labels; positives grow by 10 with every replicate."""
    parts = []
    for place in ("table4.turker", "table4.per_article", "table5.auto", "table5.gold"):
        kind = place.split(".")[1]
        data = "standin" if kind in standin else "other"
        said = {"source": SOURCES.get(kind, "CoNLL + ANNIE"), "origin": data}
        counts = COUNTS | (GOLD if kind in SOURCES else {})
        parts += [facts(place, counts, said, data, replicates), facts(place, TEST, said, test, replicates)]
    runs = both(*parts)
    grows = runs.table["metric"] == "positives"
    runs.table["value"] = runs.table["value"] + np.where(grows, 10.0 * runs.table["replicate"], 0.0)
    return runs


def ratios(notes):
    return [note for note in notes if note.startswith("Features of the training set for each feature of the test set")]


def test_other_readings_of_a_set_stand_between_it_and_the_report_s():
    config, place = config_of(), "readings_features.auto_real_words"
    config["tables"]["table3"]["of"] = ["table4", "table5.auto", place]
    said = {"source": "CoNLL + ANNIE", "origin": "other"}
    counts, test = COUNTS | {"features": 19000}, TEST | {"test_features": 12500}
    runs = both(make_facts(), facts(place, counts, said, "other", 1), facts(place, test, said, "report", 1))
    table = build("table3", config, runs, PUBLISHED)
    assert [[line[k].text for k in (0, 1, 2, 5)] for line in table.lines[3:]] == [
        ["CoNLL + ANNIE", "train", "ours", "20,000"],
        ["CoNLL + ANNIE, real-word features", "train", "ours", "19,000"],
        ["CoNLL + MUSE", "", "report", "190,185"],
        ["CoNLL", "test", "ours", "125,000"],
        ["CoNLL, real-word features", "test", "ours", "12,500"],
        ["CoNLL", "", "report", "125,062"],
    ]
    assert table.groups == [0, 1, 3, 6]
    wanted = "CoNLL + ANNIE: 0.160; CoNLL + ANNIE, real-word features: 1.520; report: 1.521."
    assert [note.split("test set: ")[1] for note in ratios(table.notes)] == [wanted]
    assert all(all_formats(table))


def test_a_reading_of_what_is_not_shown_stands_for_itself():
    config, place = config_of(), "readings_features.auto_real_words"
    config["tables"]["table3"]["of"] = [place]
    said = {"source": "CoNLL + ANNIE", "origin": "other"}
    table = build("table3", config, both(facts(place, COUNTS, said), facts(place, TEST, said)), PUBLISHED)
    assert [line[0].text for line in table.lines] == ["CoNLL + ANNIE", "real-word features"] and table.groups == [0, 1]
    assert not ratios(table.notes)


def make_data(**given):
    return build("table3", config_of(), make_facts(**given), PUBLISHED)


def test_the_data_stand_beside_the_report_s():
    table = make_data()
    rows = data_of(table)
    assert ",".join(rows).startswith("source,partition,whose,positives,negatives,features,p0,p1,data")
    assert rows["whose"].tolist() == ["ours", "ours", "report", "ours", "report", "ours", "report"]
    report = rows[rows["whose"] == "report"].set_index("source")
    assert report["positives"].to_dict() == {"Wikipedia": 24002, "CoNLL + MUSE": 8392, "CoNLL": 3149}
    assert report.loc["CoNLL + MUSE", "p0"] == 0.371 and np.isnan(report.loc["CoNLL", "p0"])
    assert [cell.text for cell in table.lines[-2]] == ["CoNLL", "test", "ours", "3,149", "48,429", "125,000", "-", "-"]
    assert [cell.text for cell in table.lines[0]][:4] == ["CoNLL, one Turker", "train", "ours", "1,000"]
    assert any("CoNLL, one Turker: $p_0$ 0.006, $p_1$ 0.200" in note for note in table.notes)
    assert ratios(table.notes)[0].endswith("CoNLL + ANNIE: 0.160; report: 1.521.")
    assert not table.caption.startswith("Stand-in") and all(all_formats(table))
    assert make_data(standin=["gold"]).caption == table.caption  # its line is auto's
    assert make_data(standin=["auto"]).caption.startswith("Stand-in data")
    test_set = data_of(make_data(test="standin")).iloc[-2]
    assert test_set["data"] == "standin" and rows.iloc[-2]["data"] == "report" and rows.iloc[0]["data"] == "other"
    assert make_data(test="standin").caption.startswith("Stand-in data")


def test_counts_of_several_draws_are_means():
    table = make_data(replicates=3)
    assert [cell.text for cell in table.lines[0]][3] == "1,010"
    row = data_of(table).iloc[0]
    assert row["positives"] == 1010 and row["positives_se"] == pytest.approx(stats.sem([1000, 1010, 1020]))
    assert table.notes[-1].startswith("Means over") and not make_data().notes[-1].startswith("Means over")


def ranking(place, method, named, right, at, data="other", moves=(0.0,)):
    """Runs of a method that suspects labels; its precision at 50 moves with the replicate."""
    rows = []
    for number, move in enumerate(moves):
        metrics = {"suspected_count": named, "suspected_right": right}
        metrics |= {f"precision_at_{k}": value + move for k, value in at.items()}
        rows += rows_of(place_of(f"{place}:{method}", number), metrics, {}, data=data)
    return Runs(pd.DataFrame(rows, columns=list(COLUMNS)), {})


def make_label_errors(data="other", moves=(0.0,), **top):
    crowd, auto = "table4.per_article", "table5.auto"
    parts = [
        ranking(crowd, "standard", 40, 10, {50: 0.5}, data, moves),
        ranking(crowd, "confident_learning", 0, 0, {50: 0.25}, data, moves),
        ranking(auto, "robust", 1040, 260, {50: 0.75, 1000: 0.125}, data, moves),
        facts(crowd, {"positives": 1000, "negatives": 4000, "mislabelled": 0.24}, data=data, replicates=len(moves)),
        facts(auto, {"positives": 60, "negatives": 40, "mislabelled": 0.07}, data=data, replicates=len(moves)),
    ]
    config = config_of(**top)
    config["tables"]["label_errors"]["of"] = [crowd, auto]
    return build("label_errors", config, both(*parts), PUBLISHED)


def test_label_errors_have_a_line_for_each_ranking():
    table = make_label_errors()
    assert table.head[4:] == ["50", "1,000"] and table.groups == [0, 2]
    assert texts(table) == [
        ["one Turker per article", "standard", "40", "0.25", "0.50", ""],
        ["", "cleanlab", "0", "-", "0.25", ""],
        ["automatic labels", "robust", "1,040", "0.25", "0.75", "0.12"],
    ]
    assert any("one Turker per article: 1,200, automatic labels: 7" in note for note in table.notes)
    assert table.caption == "Which method finds wrong labels? Beside the methods of the other tables: cleanlab."
    rows = data_of(table)
    assert ",".join(rows).startswith("labels,ranking,named,named_wrong,wrong,n,at_50,at_1000,data")
    assert rows[["wrong", "n"]].to_numpy().tolist() == [[1200, 5000], [1200, 5000], [7, 100]]
    assert all(all_formats(table)) and make_label_errors(data="standin").caption.startswith("Stand-in data")


def test_label_errors_are_means_over_replicates():
    table = make_label_errors(moves=(-0.1, 0.0, 0.1))
    assert texts(table)[0] == ["one Turker per article", "standard", "40", "0.25", "0.50", ""]
    assert data_of(table)["at_50_se"].tolist() == pytest.approx([0.1 / 3**0.5] * 3)
    assert table.notes[-1].endswith("are at most 0.06.")


def make_thinning(data="other", flips_of_standard=False):
    rows = []
    shares = {"all": (2000, [80.0]), "share_100": (10, [50.0, 60.0])}
    for scenario, (features, scores) in shares.items():
        for draw, f1 in enumerate(scores):
            place = place_of(f"thinning.{scenario}:standard", draw)
            flips = {"flip_p0": 0.0, "flip_p1": 0.3 * draw}
            rows += rows_of(place, {"f1": f1} | (flips if flips_of_standard else {}), {"alpha": 1.0}, data=data)
            rows += rows_of(place | {"method": "flipping"}, {"f1": f1 + 1.0} | flips, {"alpha": 1.0}, data=data)
            rows += rows_of(place | {"method": "data"}, {"features": features}, {}, data=data)
    config = config_of()
    scenarios = config["experiments"]["thinning"]["scenarios"]
    config["experiments"]["thinning"]["scenarios"] = {
        name: scenarios[name] | {"replicates": len(shares[name][1])} for name in shares
    }
    return build("thinning", config, Runs(pd.DataFrame(rows, columns=list(COLUMNS)), {}), PUBLISHED)


def test_thinning_shows_means_over_draws():
    table = make_thinning()
    assert table.head == [
        *("features kept", "number", "standard F1", "flipping F1"),
        *("negative to positive", "positive to negative"),
    ]
    assert texts(table) == [
        ["100 %", "2,000", "80.00", "81.00", "0.0000", "0.0000"],
        ["10 %", "10", "55.00 ± 5.00", "56.00 ± 5.00", "0.0000", "0.1500"],
    ]
    assert table.caption.startswith("The flipping model on random parts of the features (appendix B), means over draws")
    assert table.notes[0] == "Means over 2 draws ± standard error; one draw where there is none."
    assert table.notes[1] == r"$\sigma^2$ is the one chosen with all features." and "10 %: 50 to 60" in table.notes[2]
    assert all(all_formats(table)) and len(data_of(table)) == 6 and table.n_keys == 2
    assert make_thinning(data="standin").caption.startswith("Stand-in data")
    assert make_thinning(flips_of_standard=True).head[4] == "standard: negative to positive"


def make_curve(f1, failed=(), arrays=None, **top):
    samples = {f"noise_curve.{name}": np.array([-1.0, 0.0, 1.0]) + value for name, value in f1.items()}
    known = [facts(f"noise_curve.{scenario}", {"mislabelled": 0.1}) for scenario in ("clean", "uniform_10")]
    runs = both(runs_of(samples, "f1", failed=failed, data="other", arrays=arrays), *known)
    config = config_of(**top)
    scenarios = config["experiments"]["noise_curve"]["scenarios"]
    config["experiments"]["noise_curve"]["scenarios"] = {name: scenarios[name] for name in ("clean", "uniform_10")}
    return build("noise_curve", config, runs, PUBLISHED), runs


def test_a_curve_has_one_line_per_scenario_and_one_column_per_method():
    f1 = {"clean:standard": 90.0, "clean:svm": 91.0, "uniform_10:standard": 80.0, "uniform_10:robust_share": 85.0}
    table, _ = make_curve(f1, failed={("noise_curve.uniform_10:robust_share", 0)})
    methods = config_of()["experiments"]["noise_curve"]["methods"]
    assert table.head == ["flips", "share", *(one["title"] for one in methods.values())]
    found = dict(zip(table.head, table.lines[1], strict=True))
    assert found["standard"].text == "80.00 ± 0.58" and found[r"robust, $\lambda$ by share"].text == "85.50 ± 0.50†"
    assert found[r"robust, $\lambda$ by share"].bold and found["SVM"].text == "-"
    assert found["flips"].text == "every label with the same chance"
    assert [cell.bold for cell in table.lines[0]].index(True) == table.head.index("SVM")
    assert table.caption == "F1 against the share of flipped labels: F1 on clean test sets, in per cent."
    assert any(note.startswith("†") and "1 of 3" in note for note in table.notes) and all(all_formats(table))


def test_a_curve_s_csv_has_gains_over_the_baseline():
    f1 = {"clean:standard": 90.0, "clean:svm": 91.0}
    arrays = {
        f"noise_curve/clean/{name}/{r}/counts": draw_counts(10 * k + r)
        for k, name in enumerate(("standard", "svm"))
        for r in range(3)
    }
    table, runs = make_curve(f1, arrays=arrays)
    row = data_of(table).set_index(["scenario", "method"]).loc[("clean", "svm")]
    wanted = difference(runs, "noise_curve", "clean", "svm", "standard", "f1", 50)
    assert row[["gain", "gain_low", "gain_high"]].tolist() == pytest.approx([wanted.value, wanted.low, wanted.high])
    assert row["metric"] == "f1" and row["ours"] == 91.0
