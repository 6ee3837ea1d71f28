"""What Snakemake's report says of a table or figure."""

import ast
from pathlib import Path
from typing import Any

from shiftbench import plugins
from shiftbench.present.context import QUICK, needs, quick_experiments, settings_of, where


def caption(config: dict[str, Any], kind: str, name: str) -> str:
    """A short text; `kind` is "tables" or "figures". What a layout or figure has to say is its `CAPTION`."""
    settings = settings_of(config, name, kind)
    layout = settings["layout"] or name
    title = settings["title"] or (name if kind == "tables" else "")
    texts = [f"{title}{where(settings['section'])}".strip()]
    if settings["section"] == "ours":
        texts.append("Ours, not the report's")
    texts.append(own_text(plugins.files(kind, config["plugins"]).get(layout)))
    if kind == "tables":
        texts.append(f"The same as LaTeX, CSV and Markdown in ``results/tables/{name}``")
    mark = QUICK if quick_experiments(config) & set(needs(config, name)) else ""
    ended = [text if text.endswith((".", "?")) else f"{text}." for text in texts if text]
    return mark + " ".join(ended)


def own_text(path: Path | None) -> str:
    """`CAPTION` of a module, read without importing what it needs to draw."""
    if path is None:
        return ""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["CAPTION"]:
            return " ".join(ast.literal_eval(node.value).split())
    return ""
