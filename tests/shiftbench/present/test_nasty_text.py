"""Whatever stands in titles and words: every format shows it, and none runs it, breaks at it or hides it."""

import csv
import re
from html.parser import HTMLParser
from io import StringIO

import docutils.core
import docutils.nodes
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_tables import build, config_of, make_runs
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from nasty_text import FRAGMENTS, NASTY, check_tex, markdown_cells
from shiftbench.present import captions, formats, style
from shiftbench.present.figures.base import share_legend, shown
from shiftbench.present.markup import literal, pieces, plain, visible
from shiftbench.present.suspects import suspect_table
from shiftbench.present.table import Cell, Table

SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20"  # the last four are as wide as Chinese letters
TABLES = st.tuples(st.lists(NASTY, min_size=6, max_size=6), st.booleans())


def table_of(words, bold=False):
    caption, heading, row, cell, note, other = words
    data = pd.DataFrame({"method": [row, other], "value": [-1.5, 2.0], f"x{heading}": [cell, note]})
    lines = [[Cell(row), Cell(cell, bold), Cell("-1.50 ± 0.10", bold)], [Cell(other), Cell(""), Cell("2")]]
    return Table(caption, [heading, "", other], lines, 1, [0, 1], [note, other], data)


@given(TABLES)
def test_latex(given_words):
    check_tex(formats.tex(table_of(*given_words)), 3, 2)


@given(TABLES)
def test_markdown(given_words):
    table = table_of(*given_words)
    lines = formats.markdown(table).split("\n")
    assert lines == [*formats.markdown(table).splitlines(), ""]
    assert len(lines) == 10 and lines[1] == lines[6] == ""
    cells = [markdown_cells(line) for line in lines[2:6]]
    assert [len(row) for row in cells] == [3, 3, 3, 3]
    wanted = [[plain(text) for text in table.head], *([plain(cell.text) for cell in line] for line in table.lines)]
    for found, texts, line in zip([cells[0], *cells[2:]], wanted, [None, *table.lines], strict=True):
        bold = [bool(cell.bold and cell.text) for cell in line] if line else [False] * 3
        expected = [f"**{text}**" if mark else text.strip(" ") for text, mark in zip(texts, bold, strict=True)]
        assert found == expected
    for line in lines:
        assert not re.search(r"(?<!\\)(\\\\)*<[A-Za-z/!?]", line)  # no tag
    for line in (lines[0], *lines[7:]):
        assert not re.match(r"#|>|[-+*=]|\d+[.)](\s|$)|\s|```|:-", line)  # no heading, list, quotation or rule


class Reader(HTMLParser):
    """The cells and the tags of a page."""

    def __init__(self):
        super().__init__()
        self.tags, self.texts = [], []

    def handle_starttag(self, tag, attrs):
        assert all(name in ("class", "lang", "charset") for name, _ in attrs)
        self.tags.append(tag)
        self.texts.append("")

    def handle_data(self, data):
        self.texts[-1] += data


@given(TABLES)
def test_page(given_words):
    table, reader = table_of(*given_words), Reader()
    reader.feed(formats.page(table))
    assert set(reader.tags) <= {"html", "head", "meta", "style", "body", "p", "table", "tr", "th", "td", "b"}
    assert [reader.tags.count(tag) for tag in ("tr", "th", "td", "p")] == [3, 3, 6, 3]
    headings = [text for tag, text in zip(reader.tags, reader.texts, strict=True) if tag == "th"]
    assert headings == [plain(text) for text in table.head]


def is_number(text):
    try:
        float(text.replace(",", "").rstrip("% "))
    except ValueError:
        return False
    return True


@given(TABLES)
def test_csv(given_words):
    table = table_of(*given_words)
    head, *rows = csv.reader(StringIO(formats.csv(table)))
    assert [row[1] for row in rows] == ["-1.5", "2.0"]  # a negative number stays one
    assert head[2] in (plain(f"x{table.head[0]}"), "'" + plain(f"x{table.head[0]}"))
    for texts, column in ((table.data["method"], 0), (table.data.iloc[:, 2], 2)):
        for text, found in zip(texts, [row[column] for row in rows], strict=True):
            assert found in (plain(text), "'" + plain(text))
            runs = found.lstrip()[:1] in [*SIGNS]
            assert not runs or is_number(found) or not found.strip(f" {SIGNS}")


@pytest.mark.parametrize(
    "text", ["=cmd|' /C calc'!A0", "+1+1", "-a", "@SUM(A1)", " =1+1", "\t=1", "\r=1", "=1", "-1-1"]
)
def test_formulas_are_defused(text):
    written = formats.to_csv(pd.DataFrame({"word": [text], "n": [-1]}))
    assert list(csv.reader(StringIO(written))) == [["word", "n"], ["'" + visible(text), "-1"]]


@pytest.mark.parametrize("text", ["-1", "+0.5", "-1,000.5", "-1e-3", "-5 %", "-", "--", "=", "a=b", "", "'=1", "$ 5"])
def test_numbers_and_harmless_texts_stay(text):
    data = pd.DataFrame({"a": [text, None], "b": [1.5, float("nan")], "c": pd.Series([1, None], dtype=object)})
    assert formats.to_csv(data) == data.to_csv(index=False)


@given(NASTY)
def test_words_of_the_data_have_no_maths(word):
    assert "".join(piece for piece, _ in pieces(literal(word))) == plain(literal(word)) == visible(word)
    assert not any(is_maths for _, is_maths in pieces(literal(word)))


@given(st.lists(NASTY, min_size=3, max_size=3))
def test_suspects_are_shown_word_for_word(words):
    shown_words = pd.DataFrame({"word": words, "shift": [-0.5, 1.0, 2.0]})
    found = pd.DataFrame({"truth": [0, 1, -1], "label": [1, 1, 0]})
    table = suspect_table("ner/suspects", {"of": "a.b", "method": "robust"}, set(), found, shown_words)
    reader = Reader()
    reader.feed(formats.page(table))
    cells = [text for tag, text in zip(reader.tags, reader.texts, strict=True) if tag == "td"]
    assert cells[::2] == [visible(word) for word in words] and cells[1] == "-0.50"


@settings(max_examples=20)
@given(NASTY)
def test_figures(title):
    with style.style():
        figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    axes.set_title(shown(title))
    share_legend(figure, {"a": {"ls": "-"}}, {"a": title})
    clean, is_maths = axes.title._preprocess_math(axes.title.get_text())
    assert bool(is_maths) == any(part for _, part in pieces(title)) or clean.lstrip(" ") == visible(title).lstrip(" ")
    figure.canvas.draw()
    (legend,) = figure.legends
    assert len(legend.get_texts()) == 1


def test_figures_are_saved_whatever_their_titles_are(tmp_path):
    with style.style():
        figure = Figure()
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        axes.legend(handles=[Line2D([], [], label=shown(text)) for text in FRAGMENTS if shown(text).strip()])
    style.save(figure, tmp_path / "a.pdf", tmp_path / "a.png")


@given(NASTY, st.sampled_from(["4.1", "ours", "appendix B"]))
def test_captions_of_the_report(title, section):
    """docutils reads one paragraph of text, with nothing to complain of."""
    config = config_of()
    config["experiments"]["one"] |= {"title": f"{title} a", "section": section}
    caption = captions.caption(config, "tables", "one")
    quiet = {"report_level": 1, "halt_level": 5, "warning_stream": StringIO()}
    document = docutils.core.publish_doctree(caption, settings_overrides=quiet)
    (paragraph,) = document.children
    assert isinstance(paragraph, docutils.nodes.paragraph)
    kinds = {type(node) for node in paragraph.findall()} - {docutils.nodes.Text, docutils.nodes.paragraph}
    assert kinds <= {docutils.nodes.literal} and not quiet["warning_stream"].getvalue()
    assert paragraph.astext().startswith(plain(f"{title} a").strip())


@pytest.mark.parametrize("first", range(0, len(FRAGMENTS), 8))
def test_titles_of_the_config_in_a_whole_table(first):
    config, texts = config_of(), [FRAGMENTS[(first + k) % len(FRAGMENTS)] for k in range(8)]
    one = config["experiments"]["one"]
    one["title"], one["table"]["columns"] = texts[0], texts[1:2]
    one["scenarios"]["clean"]["row"], one["scenarios"]["noisy"]["row"] = texts[2:3], texts[3:4]
    for text, method in zip(texts[4:], one["methods"].values(), strict=False):
        method["title"] = text
    config["tables"]["readings"]["title"] = texts[0] + texts[1]
    for name in ("one", "readings"):
        table = build(name, config, make_runs(failed={"one.clean:robust": 1}))
        check_tex(formats.tex(table), len(table.head), len(table.lines))
        lines = formats.markdown(table).split("\n")[2 : 4 + len(table.lines)]
        assert {len(markdown_cells(line)) for line in lines} == {len(table.head)}
        rows = list(csv.reader(StringIO(formats.csv(table))))
        assert len(rows) == 1 + len(table.data) and {len(row) for row in rows} == {len(table.data.columns)}


@pytest.mark.parametrize(
    ("text", "maths"),
    [
        (r"$p_0$ and $\lambda$", ["p_0", r"\lambda"]),
        (r"$\hat{p}_{0, 1}^2 \leq \frac{1}{2}$", [r"\hat{p}_{0, 1}^2 \leq \frac{1}{2}"]),
        ("$5 and $6", []),
        (r"\$5$", []),
        (r"US\$5, $k$", ["k"]),
        (r"$\input{a}$, $\write18$, $\def\a{b}$", []),
        (r"$a & b$, $a % b$, $a # b$, $x^2^2$, $x_$, $x^^41$, ${a$, $a}$, $\hat a$, $x^\frac{1}{2}$", []),
        (r"$\notmaths$ $k$", ["k"]),
        ("$" + "{" * 500 + "}" * 500 + "$", []),
    ],
)
def test_what_is_maths(text, maths):
    assert [piece for piece, is_maths in pieces(text) if is_maths] == maths
    check_tex(
        formats.tex(Table(text, [text, text], [[Cell(text), Cell(text, True)]], 1, [0], [text], pd.DataFrame())), 2, 1
    )


def test_what_is_hidden_is_shown_by_its_number():
    assert visible("a\u202eb\x00\ud800\ufeff") == "a[U+202E]b[U+0000][U+D800][U+FEFF]"
    assert visible("a\r\n\tb\u2028c") == "a b c"
    assert "[U+4E2D]" in formats.tex(table_of(["\u4e2d"] * 6))  # LaTeX has no letter for it
