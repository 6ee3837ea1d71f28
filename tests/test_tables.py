"""Tables: the same numbers in every format, ours above the report's, with marks, bold, failures and notes."""

import re
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from shiftlr import formats
from shiftlr.config import complete
from shiftlr.tables import Cell, Table, readings_table, simulation_table, summary, verdict_table
from shiftlr.verdicts import judge as judge_with

SPREAD = np.array([-1.0, 0.0, 1.0]) * np.sqrt(3.0)  # a standard error of 1 around 0


def config_of(**top):
    variant = {"method": "robust", "title": "robust_2 & 50 %"}
    scenarios = {
        "clean": {"row": ["0.0"]},
        "noisy": {"row": ["0.3 #1"], "p0": 0.3, "readings": ["variant"]},
    }
    experiment = {
        "title": "Five % of a_b",
        "section": "4.1",
        "columns": ["$p_0$"],
        "replicates": 3,
        "scenarios": scenarios,
    }
    other = experiment | {"section": "appendix B", "gain_beside": "one", "scenarios": {"clean": {"row": ["0.0"]}}}
    return complete(
        {
            "methods": {"standard": {}, "robust": {"title": "ro_bust"}, "variant": variant, "svm": {"title": "SVM"}},
            "experiments": {"one": experiment | {"bold": "significant"}, "two": other},
            **top,
        }
    )


MEANS = {
    "one.clean:standard": 90.0,
    "one.clean:robust": 90.5,
    "one.noisy:standard": 70.0,
    "one.noisy:robust": 80.0,
    "one.noisy:variant": 84.0,
    "two.clean:standard": 60.0,
    "two.clean:robust": 62.0,
}


def runs_of(means, failed=()):
    """Three replicates of each; those of `failed` are (name, how many of them failed)."""
    rows = []
    for name, mean in means.items():
        experiment, scenario, method = re.split("[.:]", name)
        scale = 0.1 if method == "robust" else 1.0  # so that differences are not all alike
        for number, noise in enumerate(SPREAD):
            bad = number < dict(failed).get(name, 0)
            rows.append(
                {
                    "experiment": experiment,
                    "scenario": scenario,
                    "method": method,
                    "replicate": number,
                    "status": "failed" if bad else "ok",
                    "test_accuracy": np.nan if bad else (mean + scale * noise) / 100.0,
                }
            )
    return pd.DataFrame(rows)


NOISY_GAIN = "one.noisy:robust:accuracy - one.noisy:standard:accuracy"
CLEAN_LOSS = "one.clean:standard:accuracy - one.clean:robust:accuracy"
PUBLISHED = pd.DataFrame(
    [
        ("s1", "one", "0.0", "standard", "=", 90.2, 0.5, "", "one.clean:standard:accuracy", ""),
        ("r1", "one", "0.0", "robust", "=", 80.2, 0.5, "", "one.clean:robust:accuracy", ""),
        ("s2", "one", "0.3", "standard", "=", 79.0, 0.5, "", "one.noisy:standard:accuracy", ""),
        ("r2", "one", "0.3", "robust", "=", 80.1, 0.5, "yes", "one.noisy:robust:accuracy", ""),
        ("g2", "one", "0.3", "gain", ">", 1.1, np.nan, "", NOISY_GAIN, "x"),
        ("c1", "one", "0.0", "gain", ">", 9.0, np.nan, "", CLEAN_LOSS, "it <wins>"),
        ("n1", "nine", "9", "F1", "=", 81.0, np.nan, "", "", ""),
    ],
    columns=["id", "table", "row", "column", "relation", "value", "se", "bold", "ours", "claim"],
).assign(data="report", better="higher", place="Table 1")


def judge(published, runs):
    return judge_with(published, runs, pd.DataFrame(columns=["key", "value", "se", "data"]))


def make(name="one", failed=(), means=MEANS, **top):
    runs = runs_of(means, failed)
    given = (runs, PUBLISHED, judge(PUBLISHED, runs)[0])
    config = config_of(**top)
    return readings_table(config, *given) if name == "readings" else simulation_table(config, name, *given)


def texts(table):
    return [[cell.text for cell in line] for line in table.lines]


def html_rows(table):
    page = formats.page(table)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr.*?</tr>", page)]


def tex_rows(table):
    """Cells of each line of the LaTeX table, split at the & that separate them."""
    lines = [line for line in formats.tex(table).splitlines() if line.endswith(r" \\")]
    return [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines]


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


def test_without_published_numbers_there_is_one_line_a_scenario():
    table = make("two")
    assert table.head == ["$p_0$", "standard", "ro_bust", "gain", "gain in one"]
    assert texts(table) == [["0.0", "60.00 ± 1.00", "62.00 ± 0.10", "+2.00 ± 0.90", "+0.50 ± 0.90"]]
    assert table.caption.startswith("Five % of a_b (appendix B): ") and len(table.notes) == 1


def test_gains_stand_beside_published_numbers_too():
    config = config_of()
    config["experiments"]["one"]["scenarios"].pop("noisy")
    config["experiments"]["one"]["gain_beside"] = "two"
    runs = runs_of(MEANS)
    table = simulation_table(config, "one", runs, PUBLISHED, judge(PUBLISHED, runs)[0])
    assert texts(table)[0][-2:] == ["+0.50 ± 0.90", "+2.00 ± 0.90"]
    assert {len(line) for line in table.lines} == {len(table.head)}


def test_methods_of_one_s_own_are_columns():
    more = {"one.clean:svm": 91.0, "one.noisy:svm": 71.0, "two.clean:svm": 61.0}
    one, two = (make(name, means=MEANS | more, also=["svm"]) for name in ("one", "two"))
    assert one.head == ["$p_0$", "", "standard", "ro_bust", "SVM"]
    assert [line[-1] for line in texts(one)] == ["91.00 ± 1.00", "", "71.00 ± 1.00", ""]
    assert [cell.bold for cell in one.lines[2]] == [False, False, False, True, False]  # both beat standard, one is best
    assert two.head[1:4] == ["standard", "ro_bust", "SVM"] and texts(two)[0][3] == "61.00 ± 1.00"


def test_readings_stand_below_the_one_in_the_table():
    table = make("readings")
    assert texts(table) == [
        ["one: 0.3 #1", "ro_bust (in the table)", "80.00 ± 0.10", "80.10 ± 0.50", "-0.20"],
        ["", "robust_2 & 50 %", "84.00 ± 1.00", "", "+3.49"],
    ]
    assert table.groups == [0] and table.head == ["experiment", "reading", "ours", "report", "z"]
    assert table.data.set_index("method").loc["variant", "published"] == 80.1


def test_a_table_of_no_readings():
    config = config_of()
    config["experiments"]["one"]["scenarios"]["noisy"]["readings"] = []
    runs = runs_of(MEANS)
    table = readings_table(config, runs, PUBLISHED, judge(PUBLISHED, runs)[0])
    assert table.lines == [] and len(tex_rows(table)) == len(html_rows(table)) == 1


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


@pytest.mark.parametrize("name", ["one", "two", "readings"])
def test_every_line_has_every_column(name):
    table = make(name)
    tex, page = tex_rows(table), html_rows(table)
    markdown = [line for line in formats.markdown(table).splitlines() if line.startswith("|")]
    n = len(table.head)
    assert {len(row) for row in tex} == {len(row) for row in page} == {line.count("|") - 1 for line in markdown} == {n}
    assert len(tex) == len(page) == len(markdown) - 1 == 1 + len(table.lines)
    (columns,) = re.findall(r"\\begin\{tabular\}\{([lr]+)\}", formats.tex(table))
    assert len(columns) == n and columns.startswith("l" * table.n_keys)


def test_latex():
    text = formats.tex(make())
    assert r"\caption{Five \% of a\_b (section 4.1): accuracy on clean test sets, in per cent.}" in text
    assert r"$p_0$ &  & standard & ro\_bust \\" in text
    assert r"0.3 \#1 & ours & 70.00 $\pm$ 1.00 & \textbf{80.00} $\pm$ 0.10 \\" in text
    assert r" & report & 79.00 $\pm$ 0.50 $\blacktriangledown$ & \textbf{80.10} $\pm$ 0.50 \checkmark \\" in text
    assert r"\begin{tabular}{llrr}" in text and text.count(r"\addlinespace") == 1
    assert r"robust\_2 \& 50 \%" in formats.tex(make("readings"))
    assert not re.search(r"[±✓▲▼†]|(?<!\\)[%#](?! needs)", text)
    for opened in ("table", "tabular"):
        assert text.count(rf"\begin{{{opened}}}") == text.count(rf"\end{{{opened}}}") == 1


def test_markdown():
    lines = formats.markdown(make()).splitlines()
    assert lines[2:6] == [
        "| p0 |  | standard | ro_bust |",
        "| --- | --- | --: | --: |",
        "| 0.0 | ours | 90.00 ± 1.00 | 90.50 ± 0.10 |",
        "|  | report | 90.20 ± 0.50 ✓ | 80.20 ± 0.50 ▲ |",
    ]
    assert lines[6] == "| 0.3 #1 | ours | 70.00 ± 1.00 | **80.00 ± 0.10** |"


def test_page():
    rows = html_rows(make())
    assert rows[0] == ["p0", "", "standard", "ro_bust"] and rows[3] == [
        "0.3 #1",
        "ours",
        "70.00 ± 1.00",
        "<b>80.00 ± 0.10</b>",
    ]
    assert "robust_2 &amp; 50 %" in formats.page(make("readings"))


def test_csv_has_the_numbers_behind_the_table(tmp_path):
    table = make(failed={"one.clean:standard": 1})
    formats.write(table, **{kind: str(tmp_path / f"one.{kind}") for kind in ("tex", "md", "html", "csv")})
    written = {path.suffix: path.read_text() for path in tmp_path.iterdir()}
    assert written[".tex"] == formats.tex(table) and written[".md"] == formats.markdown(table)
    assert written[".html"] == formats.page(table)
    data = pd.read_csv(StringIO(written[".csv"])).set_index(["scenario", "method"])
    assert data.loc[("clean", "robust"), ["ours", "published", "replicates"]].tolist() == pytest.approx([90.5, 80.2, 3])
    assert data.loc[("clean", "standard"), ["replicates", "failed"]].tolist() == [2, 1]
    assert data["verdict"].tolist() == ["reproduced", "better", "worse", "reproduced"] and data["bold"].sum() == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & c % #", r"a\_b \& c \% \#"),
        ("$p_0$ of a_b", r"$p_0$ of a\_b"),
        ("$a & b$ & $c_1$", r"$a & b$ \& $c_1$"),
        ("1 ± 2†", r"1 $\pm$ 2\dag{}"),
    ],
)
def test_latex_leaves_what_stands_between_dollars_alone(text, expected):
    table = Table(text, [text], [[Cell(text)]], 1, [0], [text], pd.DataFrame())
    written = formats.tex(table)
    assert written.count(expected) == 4  # caption, heading, cell and note


COUNTS = "7 published numbers and claims: 3 reproduced, 1 better, 2 worse, 1 not comparable."


def test_the_verdicts_and_their_counts():
    verdicts = judge(PUBLISHED, runs_of(MEANS))[0]
    table = verdict_table(verdicts, PUBLISHED)
    assert table.caption == COUNTS and len(table.lines) == 7 and table.groups == [0, 6]
    assert texts(table)[1] == ["Table 1", "0.0", "robust", "80.20 ± 0.50", "90.50 ± 0.10", "+20.20", "▲ better"]
    assert texts(table)[6] == ["Table 1", "9", "F1", "81", "", "", "not comparable"]
    assert COUNTS in formats.page(table) and "gain: it &lt;wins&gt;" in formats.page(table)
    text = summary(verdicts, PUBLISHED, {})
    assert text.endswith(f"\n\n{COUNTS}\n") and len(text.splitlines()) == 1 + 6 + 2
    assert re.search(r"one +0\.0 +robust +80\.20 ± 0\.50 +90\.50 ± 0\.10 +\+20\.2[0-9]?  better\n", text)
    assert text.count("worse  (it <wins>)") == 1 and "F1" not in text
    standin = {"title": "62 tissues", "how_to_get": "put colon.csv into the mirror"}
    sources = {"colon": {"kind": "standin"} | standin, "words": {"kind": "real"} | standin}
    lines = summary(verdicts, PUBLISHED, sources).splitlines()
    assert lines[-2:] == ["Stand-in data, not the real colon (62 tissues).", "  put colon.csv into the mirror"]
    assert text.splitlines() == lines[:-2]
