"""The same table in every format."""

import re
from io import StringIO

import pandas as pd
import pytest
from made_up_tables import make
from shiftbench.present import formats
from shiftbench.present.table import Cell, Table


def html_rows(table):
    page = formats.page(table)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row) for row in re.findall(r"<tr.*?</tr>", page)]


def tex_rows(table):
    """Cells of each line of the LaTeX table, split at the & that separate them."""
    lines = [line for line in formats.tex(table).splitlines() if line.endswith(r" \\")]
    return [re.split(r"(?<!\\)&", line.removesuffix(r" \\")) for line in lines]


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


@pytest.mark.parametrize("columns", [3, 7, 20])
def test_wide_tables_are_set_smaller(columns):
    head = ["abcdefg"] * columns
    text = formats.tex(Table("", head, [[Cell("1")] * columns], 1, [0], [], pd.DataFrame()))
    size = {3: r"\centering\small", 7: r"\centering\footnotesize", 20: r"\centering\scriptsize"}[columns]
    assert size in text.splitlines()[2] and (r"\tabcolsep" in text) == (columns > 3)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b & c % #", r"a\_b \& c \% \#"),
        ("$p_0$ of a_b", r"$p_0$ of a\_b"),
        ("$a + b$ & $c_1$", r"$a + b$ \& $c_1$"),
        ("$a & b$ & $c_1$", r"\$a \& b\$ \& $c_1$"),  # no maths: it would end the cell
        ("1 ± 2†", r"1 $\pm$ 2\dag{}"),
    ],
)
def test_latex_leaves_what_stands_between_dollars_alone(text, expected):
    table = Table(text, [text], [[Cell(text)]], 1, [0], [text], pd.DataFrame())
    written = formats.tex(table)
    assert written.count(expected) == 4  # caption, heading, cell and note
