r"""What text means in tables and figures: `$...$` is maths and `\$` a dollar; all else means itself in every format.

Titles come from the config and words from the data, so neither may do what it looks like: run, close a cell, or hide.
"""

import re
import unicodedata
from collections.abc import Iterator

_GREEK = {r"\kappa": "κ", r"\lambda": "λ", r"\theta": "θ", r"\sigma": "\N{GREEK SMALL LETTER SIGMA}", "^2": "²"}
_DOLLARS = re.compile(r"\\\$|\$(?P<maths>[^\s$](?:[^$]*[^\s$])?)\$")  # "$ 5" in a text is money
_BREAKS = re.compile("[\t-\r\x1c-\x1e\x85\u2028\u2029]+")
# They make what follows read from right to left; the last, a mark of byte order, breaks matplotlib's PDF.
_DIRECTIONS = {*"\u061c\u200e\u200f", *map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A)), "\ufeff"}

# Maths is what is known to be harmless, and to be understood by LaTeX and by matplotlib.
_TOKEN = re.compile(r"\\(?:[A-Za-z]+|[,;:!%&_#{}])|[A-Za-z0-9.,;:!?=<>+*/()\[\]|_^{} -]")
_WITH_ARGUMENTS = {r"\hat": 1, r"\bar": 1, r"\tilde": 1, r"\mathrm": 1, r"\mathbf": 1, r"\sqrt": 1, r"\frac": 2}
_WORD = re.compile(
    r"\\(alpha|beta|[gG]amma|[dD]elta|(var)?epsilon|zeta|eta|[tT]heta|iota|kappa|[lL]ambda|mu|nu|[xX]i|[pP]i|rho|[sS]igma|"
    r"tau|[uU]psilon|[pP]hi|varphi|chi|[pP]si|[oO]mega|pm|mp|times|cdot|leq|geq|neq|approx|sim|infty|sum|prod|partial|"
    r"ldots|cdots|to|in|log|exp|min|max)"
)
_DEEPEST = 10


def literal(text: str) -> str:
    """Text of the data, in which a dollar is a dollar."""
    return text.replace("$", r"\$")


def visible(text: str) -> str:
    """Text on one line; characters that control what shows it are shown by their numbers."""
    text = _BREAKS.sub(" ", text)
    if text.isascii() and text.isprintable():
        return text
    return "".join(code_of(sign) if _is_hidden(sign) else sign for sign in text)


def code_of(sign: str) -> str:
    """A character by its number."""
    return f"[U+{ord(sign):04X}]"


def _is_hidden(sign):
    return sign in _DIRECTIONS or unicodedata.category(sign) in ("Cc", "Cs")


def pieces(text: str) -> Iterator[tuple[str, bool]]:
    """(text, whether it is maths) one after the other, as they are to be shown; maths without its dollars."""
    text, start = visible(text), 0
    plain: list[str] = []
    while found := _DOLLARS.search(text, start):
        plain.append(text[start : found.start()])
        maths = found["maths"]
        if maths is not None and _is_maths(maths):
            yield "".join(plain), False
            yield maths, True
            plain, start = [], found.end()
        else:  # a dollar; what follows it may be maths yet
            plain.append("$")
            start = found.start() + (1 if maths is not None else 2)
    yield "".join([*plain, text[start:]]), False


def plain(text: str) -> str:
    """Text without LaTeX: $p_0$ becomes p0, and Greek letters and squares themselves."""
    return "".join(_letters(piece) if is_maths else piece for piece, is_maths in pieces(text))


def _letters(maths):
    found = maths.replace("_", "")
    for name, letter in _GREEK.items():
        found = found.replace(name, letter)
    return found


def _is_maths(text):
    """Whether LaTeX can set this as a formula, and does nothing else."""
    tokens, start = [], 0
    while start < len(text):
        found = _TOKEN.match(text, start)
        if found is None:
            return False
        tokens += [found[0]] if found[0] != " " else []
        start = found.end()
    try:
        return _formula(tokens, 0, 0) == len(tokens)
    except (ValueError, IndexError):
        return False


def _formula(tokens, k, depth):
    """The place behind a formula that begins at place k: symbols, each with at most one index and one exponent."""
    if depth > _DEEPEST:
        raise ValueError
    first = k
    while k < len(tokens) and tokens[k] != "}":
        if tokens[k] not in ("_", "^"):
            k = _symbol(tokens, k, depth)
        elif k > first:
            raise ValueError
        seen = ""
        while k < len(tokens) and tokens[k] in ("_", "^"):
            if tokens[k] in seen or tokens[k + 1] in _WITH_ARGUMENTS:
                raise ValueError
            seen += tokens[k]
            k = _symbol(tokens, k + 1, depth)
    return k


def _symbol(tokens, k, depth):
    """The place behind a symbol, a word with its arguments or a group in braces."""
    token = tokens[k]
    if token == "{":
        k = _formula(tokens, k + 1, depth + 1)
        if tokens[k] != "}":
            raise ValueError
    elif token in _WITH_ARGUMENTS:
        for _ in range(_WITH_ARGUMENTS[token]):
            if tokens[k + 1] != "{":
                raise ValueError
            k = _symbol(tokens, k + 1, depth) - 1
    elif token in ("_", "^", "}") or (token[0] == "\\" and token[1:].isalpha() and not _WORD.fullmatch(token)):
        raise ValueError
    return k + 1
