"""Who may import whom inside the library, read from the source; and the examples in docstrings, run."""

import ast
import doctest
import importlib
from pathlib import Path

import pytest
import shiftlr

ROOT = Path(shiftlr.__file__).parent
MODULES = sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))
ALLOWED = {
    "solvers": ("shiftlr.solvers", "shiftlr.validation", "shiftlr.kernels"),
    "methods": ("shiftlr.solvers", "shiftlr.validation", "shiftlr.labels", "shiftlr.blas_threads", "shiftlr.methods"),
    "model_selection": (
        "shiftlr.solvers",
        "shiftlr.validation",
        "shiftlr.labels",
        "shiftlr.methods.base",
        "shiftlr.methods._doubting",
        "shiftlr.methods._many_classes",
        "shiftlr.methods._noise_model",
        "shiftlr.methods._paths",
        "shiftlr.model_selection",
    ),
    "validation.py": ("shiftlr.labels",),
    "labels.py": (),
    "blas_threads.py": (),
}


def imported(path):
    """The full names of all that a file imports."""
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name, allowed):
    return any(name == prefix or name.startswith(f"{prefix}.") for prefix in allowed)


@pytest.mark.parametrize("path", MODULES)
def test_layers(path):
    ours = [name for name in imported(path) if name.split(".")[0] in ("shiftlr", "shiftbench")]
    assert not [name for name in ours if within(name, ["shiftbench"])]
    allowed = ALLOWED.get(path.split("/")[0])
    if allowed is not None:
        found_by_name = {"shiftlr.methods"} if path.startswith("model_selection/") else set()
        assert not [name for name in ours if not within(name, allowed) and name not in found_by_name]


@pytest.mark.parametrize("path", MODULES)
def test_examples(path):
    name = ".".join(("shiftlr", *Path(path).with_suffix("").parts)).removesuffix(".__init__")
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_names_of_the_package():
    assert set(shiftlr.__all__) <= set(dir(shiftlr))
    assert all(getattr(shiftlr, name).__name__ == name for name in shiftlr.__all__)
    with pytest.raises(AttributeError, match="no attribute 'LogisticRegression'"):
        shiftlr.LogisticRegression  # noqa: B018
