"""A `Table` as LaTeX (booktabs), Markdown, HTML and CSV."""

import html
import re
import textwrap

import pandas as pd

from shiftbench.files import write_text
from shiftbench.present.markup import code_of, pieces, plain, visible
from shiftbench.present.table import Cell, Table

_TEX_SIGNS = {
    "±": r"$\pm$",
    "✓": r"\checkmark",
    "▲": r"$\blacktriangle$",
    "▼": r"$\blacktriangledown$",
    "≠": r"$\neq$",
    "✗": r"$\times$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "≈": r"$\approx$",
    "λ": r"$\lambda$",
    "κ": r"$\kappa$",
    "θ": r"$\theta$",
    ">": r"$>$",
    "<": r"$<$",
    "†": r"\dag{}",
    "•": r"$\bullet$",
    "&": r"\&",
    "%": r"\%",
    "#": r"\#",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
}
# Beyond ASCII, what LaTeX sets without further packages; other characters stop it, and are given by their numbers.
_TEX_LETTERS = {*map(chr, range(0xC0, 0x180))} - {*"ÐÞðþĄąĐđĘęĦħĮįĸĿŀŉŊŋŦŧŲųſ"}
_TEX_KNOWS = _TEX_LETTERS | {
    *"\N{NO-BREAK SPACE}¡¢£¥§©ª¬®°²³µ¶·¹º¼½¾¿ȘșȚț‡…‰€™←↑→↓",
    *map(chr, (*range(0x2013, 0x2015), *range(0x2018, 0x201A), *range(0x201C, 0x201E))),
}
_ENDS_IN_COMMAND = re.compile(r"\\[A-Za-z]+$")
_END = r" \\"
_NUMBER_STARTS = tuple("0123456789+-")
# To stay on the page, tables with more columns, and then those with more characters, are set smaller and closer.
_MANY_COLUMNS, _MANY_CHARACTERS = 6, 100
_MANY_LINES = 45  # with more, a table goes over several pages
_LONG_TEXT, _LONG_HEADING = 45, 14  # characters; longer ones are broken
_WIDTH_OF_TEXTS, _WIDEST = 0.56, 0.28  # of the page: all columns of long texts together, and one of them
# In Markdown: a name or command between backticks, which stays; and what would end a cell or begin emphasis, code, a
# tag, a character by its name, or a link.
_MARKDOWN = re.compile(
    r"(?<!`)(?P<code>`[\w .,:;=+/()-]+`)(?!`)|[\\|*`~]|(?<![^\W_])_|_(?![^\W_])|"
    r"<(?=[A-Za-z/!?])|&(?=#?\w+;)|\](?=[(\[:])"
)
_MARKDOWN_START = re.compile(r"(?=[#>+=-]|:-)|\d+(?=[.)](\s|$))")  # of a line that is a heading, a list, a quotation
# In a spreadsheet these begin a formula (the last four are as wide as Chinese letters), unless nothing but a number or
# other signs follow.
_RUNS = "=+@\\-\uff1d\uff0b\uff20\uff0d"
_NUMBER = r"[+-]?(\d[\d,]*\.?\d*|\.\d+)([eE][+-]?\d+)?\s?%?"
_FORMULA = re.compile(rf"(?!([{_RUNS}]*|{_NUMBER})\s*$)\s*[{_RUNS}]")


def tex(table: Table) -> str:
    """A `table` environment, or a `longtable`; needs booktabs, amssymb and, for those with long texts or many lines,
    array and longtable.
    """
    columns, caption = _tex_columns(table), rf"\caption{{{_tex(table.caption)}}}"
    head = [r"\toprule", _tex_row(map(_tex_heading, table.head)), r"\midrule"]
    rows = []
    for number, line in enumerate(table.lines):
        if number and number in table.groups and len(table.groups) > 1:
            rows.append(r"\addlinespace")
        rows.append(_tex_row(map(_tex_cell, line)))
    rows.append(r"\bottomrule")
    texts = [_tex_start(note) for note in table.notes if plain(note).strip()]  # LaTeX cannot end an empty line
    notes = [r"\par\medskip\footnotesize " + r"\\".join(texts)] if texts else []
    if len(table.lines) > _MANY_LINES:
        first = [rf"\begin{{longtable}}{{{columns}}}", caption + _END, *head, r"\endfirsthead", *head, r"\endhead"]
        lines = [rf"\begingroup{_tex_size(table)}", *first, *rows, r"\end{longtable}", *notes, r"\par\endgroup"]
    else:
        first = [r"\begin{table}[htbp]", rf"\centering{_tex_size(table)}", caption, rf"\begin{{tabular}}{{{columns}}}"]
        lines = [*first, *head, *rows, r"\end{tabular}", *notes, r"\end{table}"]
    return "\n".join([r"% needs \usepackage{booktabs,amssymb,array,longtable}", *lines, ""])


def _tex_columns(table):
    """Numbers to the right; a column of long texts is as wide as is left, and its lines are broken."""
    kinds = ["r" if is_number else "l" for is_number in _numeric(table)]
    lengths = [max((len(line[place].text) for line in table.lines), default=0) for place in range(len(kinds))]
    long = [place for place, length in enumerate(lengths) if length > _LONG_TEXT]
    for place in long:
        kinds[place] = (
            rf">{{\raggedright\arraybackslash}}p{{{min(_WIDTH_OF_TEXTS / len(long), _WIDEST):.2f}\textwidth}}"
        )
    return "".join(kinds)


def _tex_heading(text):
    """A heading of several lines, if it is long; one with formulas is left as it is."""
    parts = textwrap.wrap(text, _LONG_HEADING, break_long_words=False) if "$" not in text else []
    return rf"\shortstack{{{_END.join(map(_tex_start, parts))}}}" if len(parts) > 1 else _tex(text)


def _tex_row(texts):
    return _protected(" & ".join(texts)) + _END


def _tex_start(text):
    return _protected(_tex(text))


def _protected(text):
    r"""What follows `\\` or a rule: an asterisk or a bracket would be taken for an option of these."""
    return "{}" + text if text.lstrip().startswith(("[", "*")) else text


def markdown(table: Table) -> str:
    """A GitHub table with its caption above and its notes below."""
    rule = ["--:" if is_number else "---" for is_number in _numeric(table)]
    rows = [[_markdown(text) for text in table.head], rule]
    rows += [
        [f"**{_markdown(cell.text)}**" if cell.bold and cell.text else _markdown(cell.text) for cell in line]
        for line in table.lines
    ]
    body = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([_markdown_line(table.caption), "", *body, "", *map(_markdown_line, table.notes), ""])


def _markdown(text):
    """Plain text for Markdown."""
    return _MARKDOWN.sub(lambda found: found["code"] or rf"\{found[0]}", plain(text))


def _markdown_line(text):
    """The same for a line of its own, which is nothing but text."""
    text = _markdown(text).lstrip()
    start = _MARKDOWN_START.match(text)
    return text if start is None else f"{start[0]}\\{text[start.end() :]}"


_STYLE = """
body { font: 15px/1.4 system-ui, sans-serif; color: #222; margin: 1.5em; }
table { border-collapse: collapse; border-top: 2px solid; border-bottom: 2px solid; margin: 1em 0; }
th { text-align: left; border-bottom: 1px solid; }
th, td { padding: 0.25em 0.8em; }
th, td { vertical-align: top; }
.number { text-align: right; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
tr.group td { padding-top: 0.6em; }
p.note { font-size: 13px; color: #555; margin: 0.2em 0; }
"""


def page(table: Table) -> str:
    """A small page of its own, for the report."""
    numeric = _numeric(table)
    head = "".join(
        f"<th{' class=number' * is_number}>{html.escape(plain(text))}</th>"
        for text, is_number in zip(table.head, numeric, strict=True)
    )
    lines = []
    for number, line in enumerate(table.lines):
        kind = ' class="group"' if number in table.groups else ""
        cells = "".join(_html_cell(cell, is_number) for cell, is_number in zip(line, numeric, strict=True))
        lines.append(f"<tr{kind}>{cells}</tr>")
    notes = "".join(f'<p class="note">{html.escape(plain(note))}</p>' for note in table.notes)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><style>{_STYLE}</style></head><body>'
        f"<p>{html.escape(plain(table.caption))}</p><table><tr>{head}</tr>{''.join(lines)}</table>{notes}</body></html>\n"
    )


def csv(table: Table) -> str:
    """The table's data, one number per row, without LaTeX."""
    data = table.data.map(lambda value: plain(value) if isinstance(value, str) else value)
    return to_csv(data.set_axis([plain(str(name)) for name in data.columns], axis=1))


def to_csv(data: pd.DataFrame) -> str:
    """Data as CSV; texts that a spreadsheet would take for a formula get an apostrophe, numbers stay numbers."""
    safe = data.set_axis([_defused(name) for name in data.columns], axis=1)
    for place, kind in enumerate(data.dtypes):
        if kind.kind == "O":
            values = [_defused(value) for value in data.iloc[:, place]]
            safe.isetitem(place, pd.Series(values, index=data.index, dtype=object))
    return safe.to_csv(index=False)


def _defused(value):
    """A text on one line that no spreadsheet runs; what is no text as it is."""
    if not isinstance(value, str):
        return value
    text = visible(value)
    return f"'{text}" if _FORMULA.match(text) else text


def write(table: Table, **paths: str) -> None:
    """Write the table to the paths given as tex, md, html and csv; each file appears whole or not at all."""
    writers = {"tex": tex, "md": markdown, "html": page, "csv": csv}
    for kind, path in paths.items():
        write_text(path, writers[kind](table))


def _numeric(table):
    """Which columns hold numbers: those beyond the keys with an entry that begins like one."""
    return [
        column >= table.n_keys and any(line[column].text.startswith(_NUMBER_STARTS) for line in table.lines)
        for column in range(len(table.head))
    ]


def _tex_size(table):
    columns = zip(table.head, *([cell.text for cell in line] for line in table.lines), strict=True)
    if sum(max(len(plain(text)) for text in column) for column in columns) > _MANY_CHARACTERS:
        return r"\scriptsize\setlength{\tabcolsep}{2pt}"
    return r"\footnotesize\setlength{\tabcolsep}{3pt}" if len(table.head) > _MANY_COLUMNS else r"\small"


def _tex(text):
    """Plain text and maths for LaTeX."""
    found = ""
    for piece, is_maths in pieces(text):
        if is_maths:
            found += f"${piece}$"
            continue
        for sign in piece:
            # A command and a letter after it would be another command.
            found += ("{}" if sign.isalpha() and _ENDS_IN_COMMAND.search(found) else "") + _tex_sign(sign)
    return found


def _tex_sign(sign):
    if sign in _TEX_SIGNS or sign in _TEX_KNOWS or sign.isascii():
        return _TEX_SIGNS.get(sign, sign)
    return code_of(sign)


def _tex_cell(cell: Cell):
    if not (cell.bold and cell.text):
        return _tex(cell.text)
    number, *rest = cell.text.split(" ", 1) if "$" not in cell.text else [cell.text]
    return " ".join([rf"\textbf{{{_tex(number)}}}", *map(_tex, rest)])


def _html_cell(cell: Cell, is_number):
    text = html.escape(plain(cell.text))
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}><b>{text}</b></td>" if cell.bold else f"<td{kind}>{text}</td>"
