"""Which source files a step depends on: those that its script, or another entry, imports, computed from the imports.

A step has the checksum of these files among its parameters. So an edit reruns what it may change, and nothing else; a
file that is only touched or copied reruns nothing. Modules that are found by name when a step runs, such as its method
or its dataset, are entries beside the script. A file in R with a module's name (NAME.R beside NAME.py) is part of it.
"""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]  # the folder of both packages
PACKAGES = ("shiftlr", "shiftbench")


def code_of(*entries: str | Path) -> str:
    """Checksum of all files that the entries import, directly or not, and of themselves."""
    digest = hashlib.sha256()
    for name, checksum in sorted((path.name, _checksum(path)) for path in files_of(*entries)):
        digest.update(f"{name}\0{checksum}\0".encode())  # not the folder: a clone may be moved, and plug-ins too
    return digest.hexdigest()[:16]


def files_of(*entries: str | Path) -> list[Path]:
    """The entries and all files of ours that they import, sorted."""
    found: set[Path] = set()
    waiting = [_file_of(entry) for entry in entries]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            waiting += imports_of(path)
    return sorted(found)


def _file_of(entry):
    """An entry is a file, or the dotted name of a module."""
    if isinstance(entry, Path) or entry.endswith(".py"):
        return Path(entry).resolve()
    path = _module_file(entry)
    if path is None:
        raise ValueError(f"{entry}: is no module of {' or '.join(PACKAGES)}")
    return path


def _module_file(name: str) -> Path | None:
    """The file of a module of ours."""
    if name.partition(".")[0] not in PACKAGES:
        return None
    place = ROOT.joinpath(*name.split("."))
    for path in (place.with_suffix(".py"), place / "__init__.py"):
        if path.is_file():
            return path
    return None


@cache
def imports_of(path: Path) -> tuple[Path, ...]:
    """The files of ours that a file imports itself, the packages that they lie in, and its part in R."""
    if path.suffix != ".py":
        return ()
    found: dict[Path, None] = {}
    beside = path.with_suffix(".R")
    if beside.is_file():
        found[beside] = None
    for name in _imported(ast.parse(path.read_text(encoding="utf-8")), path):
        parts = name.split(".")
        for length in range(1, len(parts) + 1):  # a package's __init__ is run before its modules
            file = _module_file(".".join(parts[:length]))
            if file is not None:
                found[file] = None
    return tuple(found)


def _imported(tree: ast.AST, path: Path) -> Iterator[str]:
    """Names that may be modules: `from a import b` may mean the module a.b. What only type checkers see is left out."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            raise ValueError(f"{path}: line {node.lineno}: a relative import; write the whole name")
        elif not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)):
            yield from _imported(node, path)


@cache
def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
