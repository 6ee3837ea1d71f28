"""Config files as they are written, before Snakemake reads them.

YAML lets a key stand twice and silently takes the last. Anchors may hold themselves, or multiply into billions of
values, and a number may have more digits than Python reads: then the reader dies, or what comes after it never ends.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import yaml

from shiftbench.config.schema import ConfigError, dotted, few_lines

MOST_VALUES = 100_000  # of a file, with those that anchors repeat; the project's own has about 5000
MOST_DIGITS = 300  # of a number: more than a floating-point number can hold
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NUMBERS = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")


def check_files(paths: Iterable[str | Path]) -> None:
    """A ConfigError that says what is wrong with the files, one line for each thing. Files that are not there pass."""
    there = [Path(path) for path in paths if Path(path).exists()]
    found = [f"{path.name}: {line}" for path in there for line in few_lines(problems_of(path))]
    if found:
        raise ConfigError("\n".join(found))


def problems_of(path: str | Path) -> list[str]:
    """What is wrong with how a file is written, in its order."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        return [f"cannot be read: {error.strerror}"]
    except UnicodeDecodeError as error:
        return [f"cannot be read as UTF-8: byte {error.start} is {error.object[error.start]:#04x}"]
    try:
        root = yaml.compose(text, Loader=_Loader)
        return list(_Walk().problems(root)) if root is not None else []
    except yaml.YAMLError as error:
        return [] if _is_json(text) else [f"is no YAML: {_in_one_line(error)}"]
    except RecursionError:
        return ["cannot be read: it is nested too deeply"]


def _is_json(text):
    """Snakemake takes JSON too, of which YAML does not know all."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _in_one_line(error):
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
    return where + (getattr(error, "problem", None) or " ".join(str(error).split()))


class _Walk:
    """Goes through a file's nodes once each; `sizes` are the numbers of values in them, with what anchors repeat."""

    def __init__(self):
        self.sizes: dict[int, int] = {}
        self.above: set[int] = set()  # the nodes on the way to where it is

    def problems(self, root) -> Iterator[str]:
        yield from self._problems(root, ())
        total = self.sizes.get(id(root), 0)
        if total > MOST_VALUES:
            yield f"anchors repeat values until there are {_count(total)}; at most {MOST_VALUES} are read"

    def _problems(self, node, path):
        line = node.start_mark.line + 1
        if id(node) in self.above:
            yield f"{dotted(*path)}: an anchor that holds itself (line {line}); take its `*` out"
            return
        if id(node) in self.sizes:
            return
        self.above.add(id(node))
        if isinstance(node, yaml.MappingNode):
            yield from self._repeated_keys(node, path)
            below = [(value, (*path, _text(key))) for key, value in node.value]
        else:
            entries = node.value if isinstance(node, yaml.SequenceNode) else []
            below = [(value, (*path, place)) for place, value in enumerate(entries)]
        if node.tag in _NUMBERS and len(node.value) > MOST_DIGITS:
            yield f"{dotted(*path)}: a number of {len(node.value)} digits (line {line}); at most {MOST_DIGITS} are read"
        for value, place in below:
            yield from self._problems(value, place)
        self.above.discard(id(node))
        self.sizes[id(node)] = 1 + sum(self.sizes.get(id(value), 1) for value, _ in below)

    def _repeated_keys(self, node, path):
        lines: dict[tuple[str, str], int] = {}
        for key, _ in node.value:
            name, line = (key.tag, _text(key)), key.start_mark.line + 1
            if name in lines:
                yield (
                    f"{dotted(*path)}: the key {_text(key)!r} stands twice, in lines {lines[name]} and {line}; "
                    "only the last would count"
                )
            lines.setdefault(name, line)


def _text(key):
    return key.value if isinstance(key, yaml.ScalarNode) else f"line {key.start_mark.line + 1}"


def _count(number):
    return str(number) if number < 10**15 else f"more than 10^{len(str(number)) - 1}"
