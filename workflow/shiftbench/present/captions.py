"""What Snakemake's report says of a table or figure."""

import ast
import re
from pathlib import Path
from typing import Any

from shiftbench import plugins
from shiftbench.present.context import QUICK, needs, quick_experiments, settings_of, where
from shiftbench.present.markup import plain

# In reStructuredText: what begins emphasis, code, a substitution or a reference; at the start of a text, also a
# directive, a list or a heading.
_MARKUP = re.compile(r"[\\*`|@]|_(?![^\W_])|:(?=\S)")
_START = re.compile(r"(?=[^\w\s\\(])|(?=\(?(\d+|[a-z]|[ivxlcdm]+)([.)]|$)(\s|$))", re.IGNORECASE)


def caption(config: dict[str, Any], kind: str, name: str) -> str:
    """A short text; `kind` is "tables" or "figures". What a layout or figure has to say is its `CAPTION`."""
    settings = settings_of(config, name, kind)
    layout = settings["layout"] or name
    title = settings["title"] or (name if kind == "tables" else "")
    texts = [_escaped(f"{title}{where(settings['section'])}")]
    if settings["section"] == "ours":
        texts.append("Ours, not the report's")
    texts.append(own_text(plugins.files(kind, config["plugins"]).get(layout)))
    if kind == "tables":
        texts.append(f"The same as LaTeX, CSV and Markdown in ``results/tables/{name}``")
    mark = QUICK if quick_experiments(config) & set(needs(config, name)) else ""
    ended = [text if text.endswith((".", "?")) else f"{text}." for text in texts if text]
    return mark + " ".join(ended)


def _escaped(text):
    """Text for reStructuredText, in which it is nothing but text."""
    text = _MARKUP.sub(r"\\\g<0>", plain(text).strip())
    return _START.sub(r"\\", text, count=1) if _START.match(text) else text


def own_text(path: Path | None) -> str:
    """`CAPTION` of a module, read without importing what it needs to draw."""
    if path is None:
        return ""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["CAPTION"]:
            return " ".join(ast.literal_eval(node.value).split())
    return ""
