"""A `Table` as LaTeX (booktabs), Markdown, HTML and CSV."""

import html
import re
import textwrap

from shiftbench.files import write_text
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
}
_END = r" \\"
_NUMBER_STARTS = tuple("0123456789+-")
# To stay on the page, tables with more columns, and then those with more characters, are set smaller and closer.
_MANY_COLUMNS, _MANY_CHARACTERS = 6, 100
_MANY_LINES = 45  # with more, a table goes over several pages
_LONG_TEXT, _LONG_HEADING = 45, 14  # characters; longer ones are broken
_WIDTH_OF_TEXTS, _WIDEST = 0.56, 0.28  # of the page: all columns of long texts together, and one of them
_GREEK = {r"\kappa": "κ", r"\lambda": "λ", r"\theta": "θ", r"\sigma": "\N{GREEK SMALL LETTER SIGMA}", "^2": "²"}
_MATHS = re.compile(r"(\$[^\s$](?:[^$]*[^\s$])?\$)")  # "$ 5" in a text is money


def tex(table: Table) -> str:
    """A `table` environment, or a `longtable`; needs booktabs, amssymb and, for those with long texts or many lines,
    array and longtable.
    """
    columns, caption = _tex_columns(table), rf"\caption{{{_tex(table.caption)}}}"
    head = [r"\toprule", " & ".join(map(_tex_heading, table.head)) + _END, r"\midrule"]
    rows = []
    for number, line in enumerate(table.lines):
        if number and number in table.groups and len(table.groups) > 1:
            rows.append(r"\addlinespace")
        rows.append(" & ".join(_tex_cell(cell) for cell in line) + _END)
    rows.append(r"\bottomrule")
    notes = [r"\par\medskip\footnotesize " + r"\\".join(map(_tex, table.notes))] if table.notes else []
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
    return rf"\shortstack{{{_END.join(map(_tex, parts))}}}" if len(parts) > 1 else _tex(text)


def markdown(table: Table) -> str:
    """A GitHub table with its caption above and its notes below."""
    rule = ["--:" if is_number else "---" for is_number in _numeric(table)]
    rows = [[_plain(text) for text in table.head], rule]
    rows += [
        [f"**{_plain(cell.text)}**" if cell.bold and cell.text else _plain(cell.text) for cell in line]
        for line in table.lines
    ]
    body = ["| " + " | ".join(text.replace("|", r"\|") for text in row) + " |" for row in rows]
    return "\n".join([_plain(table.caption), "", *body, "", *map(_plain, table.notes), ""])


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
        f"<th{' class=number' * is_number}>{html.escape(_plain(text))}</th>"
        for text, is_number in zip(table.head, numeric, strict=True)
    )
    lines = []
    for number, line in enumerate(table.lines):
        kind = ' class="group"' if number in table.groups else ""
        cells = "".join(_html_cell(cell, is_number) for cell, is_number in zip(line, numeric, strict=True))
        lines.append(f"<tr{kind}>{cells}</tr>")
    notes = "".join(f'<p class="note">{html.escape(_plain(note))}</p>' for note in table.notes)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><style>{_STYLE}</style></head><body>'
        f"<p>{html.escape(_plain(table.caption))}</p><table><tr>{head}</tr>{''.join(lines)}</table>{notes}</body></html>\n"
    )


def csv(table: Table) -> str:
    """The table's data, one number per row, without LaTeX."""
    return table.data.map(lambda value: _plain(value) if isinstance(value, str) else value).to_csv(index=False)


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
    if sum(max(len(_plain(text)) for text in column) for column in columns) > _MANY_CHARACTERS:
        return r"\scriptsize\setlength{\tabcolsep}{2pt}"
    return r"\footnotesize\setlength{\tabcolsep}{3pt}" if len(table.head) > _MANY_COLUMNS else r"\small"


def _tex(text):
    """Plain text for LaTeX; what stands between dollars is left alone."""
    parts = [
        part if _MATHS.fullmatch(part) else "".join(_TEX_SIGNS.get(sign, sign) for sign in part)
        for part in _MATHS.split(text)
    ]
    return "".join(parts)


def _tex_cell(cell: Cell):
    if not (cell.bold and cell.text):
        return _tex(cell.text)
    number, *rest = cell.text.split(" ", 1)
    return " ".join([rf"\textbf{{{_tex(number)}}}", *map(_tex, rest)])


def _html_cell(cell: Cell, is_number):
    text = html.escape(_plain(cell.text))
    kind = ' class="number"' if is_number else ""
    return f"<td{kind}><b>{text}</b></td>" if cell.bold else f"<td{kind}>{text}</td>"


def _plain(text):
    """Text without LaTeX: $p_0$ becomes p0, and Greek letters and squares themselves."""

    def letters(match):
        plain = match[1].strip("$").replace("_", "")
        for name, letter in _GREEK.items():
            plain = plain.replace(name, letter)
        return plain

    return _MATHS.sub(letters, text)
