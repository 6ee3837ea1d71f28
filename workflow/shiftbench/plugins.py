"""Files that are found by name: in a room of the package, and in a folder of the user's own.

The folder is `plugins` in config.yaml. It has the rooms methods/, datasets/, noise/, metrics/, tables/ and figures/; a
file there is used like those of the package. A name that stands in both places is refused, so that nothing is shadowed.
"""

import importlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from shiftlr.methods import import_file

PACKAGE = Path(__file__).parent
# Where the package keeps files of each kind.
ROOMS = {
    "methods": PACKAGE / "methods",
    "datasets": PACKAGE / "datasets",
    "tables": PACKAGE / "present" / "tables",
    "figures": PACKAGE / "present" / "figures",
}
# Kinds of which the package has a function each in one module.
MODULES = {"noise": "shiftbench.noise", "metrics": "shiftbench.metrics"}
# Files in there that are no such thing, beside those whose names begin with an underscore.
_SHARED = {PACKAGE / "datasets": ("base", "blocks", "facts")}


def folders(kind: str, plugins: str | Path | None) -> list[Path]:
    """The folders with files of a kind, the package's first."""
    found = [ROOMS[kind]] if kind in ROOMS else []
    own = Path(plugins, kind) if plugins else None
    return [*found, own] if own is not None and own.is_dir() else found


def files(kind: str, plugins: str | Path | None = None) -> dict[str, Path]:
    """The files of a kind by their names, or a ValueError if two have the same."""
    found: dict[str, Path] = {}
    for folder in folders(kind, plugins):
        for path in sorted(folder.glob("*.py")):
            if path.stem.startswith("_") or path.stem in _SHARED.get(folder, ("base",)):
                continue
            if path.stem in found:
                raise ValueError(f"{kind}: {path.stem!r} is both {found[path.stem]} and {path}; rename yours")
            found[path.stem] = path
    return found


def load_file(kind: str, name: str, plugins: str | Path | None = None) -> ModuleType:
    """The module of a kind called `name`, or a ValueError that lists those that are there."""
    known = files(kind, plugins)
    if name not in known:
        where = " and ".join(str(folder) for folder in folders(kind, plugins))
        singular = kind.removesuffix("s")
        raise ValueError(f"there is no {singular} {name!r}; known are {', '.join(known)} (one file each in {where})")
    path = known[name]
    if path.is_relative_to(PACKAGE):
        return importlib.import_module(".".join(["shiftbench", *path.relative_to(PACKAGE).with_suffix("").parts]))
    return _import(kind, name, path)


def load_function(kind: str, name: str, plugins: str | Path | None = None) -> Callable:
    """The noise model or metric called `name`: of the package's module, or of a plug-in file of that name."""
    module = importlib.import_module(MODULES[kind])
    own = {key: value for key, value in vars(module).items() if _is_public(key, value, module)}
    added = files(kind, plugins)
    both = sorted(own.keys() & added.keys())
    if both:
        raise ValueError(f"{kind}: {both[0]!r} is both in {module.__name__} and {added[both[0]]}; rename yours")
    if name in own:
        return own[name]
    if name not in added:
        singular = kind.removesuffix("s")
        raise ValueError(f"there is no {singular} {name!r}; known are {', '.join(sorted([*own, *added]))}")
    function = getattr(_import(kind, name, added[name]), name, None)
    if not callable(function):
        raise ValueError(f"{added[name]}: must define a function {name!r}")
    return function


def _is_public(name, value, module):
    return callable(value) and not name.startswith("_") and getattr(value, "__module__", "") == module.__name__


def _import(kind: str, name: str, path: Path) -> ModuleType:
    """The module of a file of the user's own."""
    return import_file(Path(os.path.abspath(path)), f"shiftbench_plugins.{kind}.{name}")
