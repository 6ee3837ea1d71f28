"""Titles and words that are meant to break tables, and what a table must look like all the same."""

import re

from hypothesis import strategies as st

FRAGMENTS = [
    *("\\input{/etc/passwd}", "\\write18{ls}", "\\end{tabular}", "\\\\", "\\", "\\$", "\\%", "{", "}", "{{"),
    *("}}", "$", "$$", "$x_1$", "$\\lambda$", "$\\input{a}$", "$a & b$", "$a^b^c$", "$x_$", "$^^41$", "$ 5"),
    *("US$5", "$}{$", "$\\frac{1}{2}$", "%", "&", "_", "__init__", "^", "^^M", "~", "#", "# ", "* ", "*"),
    *("**", "- ", "1. ", "> ", "[", "]", "[x](http://a)", "[a]: http://b", "|", "\\|", "||", "`", "```"),
    *("`code`", "<script>alert(1)</script>", "<b>", "</td>", "<!--", "&lt;", "=cmd|' /C calc'!A0", "=1+1"),
    *("+1", "-1", "+a", "-a", "@SUM(A1)", "\uff1d1", "-", "--", "=", "-1.5e-3", "'", '"', ",", ";", "\n"),
    *("\r", "\r\n", "\n\n", "\t", "\x0b", "\x0c", "\x00", "\x07", "\x1b[31m", "\x7f", "\x85", "\u2028"),
    *(
        "\u2029",
        "😀",
        "\N{MATHEMATICAL FRAKTUR CAPITAL U}",
        "中文",
        "é",
        "\N{GREEK SMALL LETTER SIGMA}",
        "λ",
        "✓",
        "✓x",
        "±",
        "†a",
        "\u202e",
    ),
    *("\u200f", "\u2066", "\ufeff", "\u0301", " ", "  ", "a", "robust", "0.3", ".. raw:: html", "::"),
    *("word_", ":math:`x`", "{{ x }}", "%s", "a{}b", "http://a.b/c"),
]
NASTY = st.one_of(
    st.sampled_from(FRAGMENTS),
    st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.text("\\${}_^&%#~|`<>[]()*-+=@'\"\n a1", max_size=12),
)

_COMMANDS = {
    *(
        "toprule",
        "midrule",
        "bottomrule",
        "addlinespace",
        "begin",
        "end",
        "caption",
        "centering",
        "small",
        "footnotesize",
    ),
    *(
        "scriptsize",
        "setlength",
        "tabcolsep",
        "par",
        "medskip",
        "textbf",
        "shortstack",
        "raggedright",
        "arraybackslash",
    ),
    *("textwidth", "begingroup", "endgroup", "endfirsthead", "endhead"),
    *(
        "pm",
        "checkmark",
        "blacktriangle",
        "blacktriangledown",
        "neq",
        "times",
        "geq",
        "leq",
        "approx",
        "lambda",
        "kappa",
    ),
    *("theta", "dag", "bullet", "textasciicircum", "textasciitilde", "textbackslash"),
}
_IN_MATHS = {"frac", "sigma", "hat"}
_TEX_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)


def check_tex(text, n_columns, n_lines):
    """As TeX reads it: only commands of ours, nothing special out of its place, and every row with all its cells."""
    first, body = text.split("\n", 1)
    assert first.startswith("% needs ") and "\n\n" not in body
    assert not re.search(r"\\footnotesize\s*(\\\\|\n)|\\\\\s*\n\\end\{table", body)  # there is no empty line to end
    depth, in_maths, cells, rows = 0, False, 1, []
    tokens = _TEX_TOKEN.findall(body)
    for k, token in enumerate(tokens):
        if token[0] == "\\" and token[1:].isalpha():
            assert token[1:] in _COMMANDS | (_IN_MATHS if in_maths else set()), token
            cells = 1 if token in (r"\toprule", r"\midrule", r"\addlinespace") else cells
        elif token == r"\\":
            after = "".join(tokens[k + 1 : k + 3]).lstrip()
            assert not after.startswith(("[", "*"))
            if depth == 0 and not in_maths:
                rows.append(cells)
                cells = 1
        elif token[0] == "\\":
            assert token[1] in "&%#_{}$" or (in_maths and token[1] in ",;:!"), token
        elif token == "$":
            in_maths = not in_maths
        elif token in "{}":
            depth += 1 if token == "{" else -1
            assert depth >= 0
        elif token == "&":
            assert depth == 0 and not in_maths
            cells += 1
        else:
            assert token not in "%#~" and (in_maths or token not in "_^"), token
            assert token in "\n\N{NO-BREAK SPACE}" or token.isprintable(), ascii(token)
    assert depth == 0 and not in_maths
    assert rows[: n_lines + 1] == [n_columns] * (n_lines + 1)


def markdown_cells(line):
    """The cells of a row of a table, as they are read: a backslash takes the next sign for itself."""
    cells, k = [""], 0
    while k < len(line):
        if line[k] == "\\" and k + 1 < len(line) and not (line[k + 1].isalnum() or line[k + 1].isspace()):
            cells[-1] += line[k + 1]
            k += 2
        elif line[k] == "|":
            cells.append("")
            k += 1
        else:
            cells[-1] += line[k]
            k += 1
    return [cell.strip(" ") for cell in cells[1:-1]]
