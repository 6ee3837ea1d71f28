"""Text is read and written as UTF-8, whatever the locale of the machine: every call says so."""

import ast
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[1] / "workflow"
FILES = sorted(WORKFLOW.rglob("*.py"))
OPENING = {"open": 1, "fdopen": 1, "NamedTemporaryFile": 0, "TemporaryFile": 0}  # where each has its mode
BINARY = {"NamedTemporaryFile", "TemporaryFile"}  # unless they are told
# They take no encoding: files within an archive, file descriptors, and our own function, which has one.
OTHERS = {"tarfile.open", "os.open", "opened.open", "write_text"}


def without_encoding(path):
    """The lines of calls that would take the locale's encoding."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call) or ast.unparse(node.func) in OTHERS:
            continue
        given = {word.arg: word.value for word in node.keywords}
        name = ast.unparse(node.func).rpartition(".")[2]
        if "encoding" in given:
            continue
        text_mode = any(ast.unparse(given[word]) == "True" for word in ("text", "universal_newlines") if word in given)
        if name in ("read_text", "write_text") or text_mode or (name in OPENING and not _is_binary(node, name, given)):
            yield node.lineno


def _is_binary(node, name, given):
    place = OPENING[name] - (name == "open" and isinstance(node.func, ast.Attribute))  # of a path: its own name is gone
    mode = given.get("mode") or (node.args[place] if len(node.args) > place else None)
    if mode is None:
        return name in BINARY
    return "b" in ast.unparse(mode)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(WORKFLOW)))
def test_every_text_file_is_opened_with_an_encoding(path):
    assert list(without_encoding(path)) == []


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("open(p)", True),
        ("open(p, 'a')", True),
        ("path.open()", True),
        ("path.open('w')", True),
        ("path.read_text()", True),
        ("Path(p).write_text(t)", True),
        ("subprocess.run(c, text=True)", True),
        ("open(p, 'rb')", False),
        ("path.open('wb')", False),
        ("open(p, mode='rb')", False),
        ("open(p, encoding='utf-8')", False),
        ("path.read_text(encoding='utf-8')", False),
        ("tempfile.TemporaryFile()", False),
        ("write_text(p, t)", False),
        ("subprocess.run(c, capture_output=True)", False),
    ],
)
def test_the_walk_finds_them(code, found, tmp_path):
    path = tmp_path / "code.py"
    path.write_text(code, encoding="utf-8")
    assert bool(list(without_encoding(path))) == found
