"""Who may import whom: the packages' rooms stand in an order, and each knows only those before it."""

import ast
import sys
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / "workflow"
FILES = {
    ".".join(path.relative_to(WORKFLOW).with_suffix("").parts).removesuffix(".__init__"): path
    for package in ("shiftlr", "shiftbench")
    for path in sorted((WORKFLOW / package).rglob("*.py"))
}
# Rooms in their order, those of a line beside each other; the last ones are asked by nobody but rules and scripts.
LINES = [
    ["shiftlr.labels"],
    ["shiftlr.validation", "shiftlr.kernels", "shiftlr.blas_threads"],
    ["shiftlr.solvers"],
    ["shiftlr.methods"],
    ["shiftlr.model_selection", "shiftlr.features"],
    ["shiftlr.suspects"],
    ["shiftbench.config", "shiftbench.files", "shiftbench.counts", "shiftbench.time_limit"],
    ["shiftbench.fetch", "shiftbench.runs", "shiftbench.plugins", "shiftbench.failures", "shiftbench.repeated"],
    ["shiftbench.datasets", "shiftbench.noise", "shiftbench.metrics", "shiftbench.methods"],
    ["shiftbench.tuner"],
    ["shiftbench.fit"],
    ["shiftbench.analyses"],
    ["shiftbench.verdicts"],
    ["shiftbench.present"],
    ["shiftbench.speed"],
    ["shiftbench.catalog"],
    ["shiftbench.run"],
]
LEVELS = {room: level for level, rooms in enumerate(LINES) for room in rooms}
# Of the library, what stands above its rooms: the doors.
DOORS = ("shiftlr", "shiftlr._warm_up", "shiftlr.cli")


def imports(path, only_inside_functions=False):
    """The modules that a file imports, anywhere in it; `from a import b` is a.b where that is a module."""
    tree = ast.parse(path.read_text())
    at_the_top = set(tree.body) if only_inside_functions else set()
    for node in (node for node in ast.walk(tree) if node not in at_the_top):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in FILES else node.module for name in names)


def room_of(module):
    """The room a module is in; None for the doors and for packages of others."""
    return next((room for room in LEVELS if module == room or module.startswith(f"{room}.")), None)


def ours(module):
    return [name for name in imports(FILES[module]) if name.partition(".")[0] in ("shiftlr", "shiftbench")]


def test_files_were_found():
    assert {"shiftlr", "shiftlr.solvers.newton", "shiftbench.datasets.ner.crowd", "shiftbench.run.launch"} <= set(FILES)
    assert "shiftlr.methods.base" in set(imports(FILES["shiftlr.methods.robust"]))
    assert "shiftbench.plugins" in set(imports(FILES["shiftbench.fit"]))  # from shiftbench import plugins


@pytest.mark.parametrize("module", [name for name in FILES if name not in ("shiftbench", *DOORS)])
def test_every_module_is_in_a_room(module):
    assert room_of(module) is not None


@pytest.mark.parametrize("module", [name for name in FILES if room_of(name)])
def test_a_module_imports_only_from_its_own_room_and_those_before_it(module):
    own = room_of(module)
    for name in ours(module):
        other = room_of(name)
        if other is None:  # the package itself: of the library only what says nothing about its rooms
            assert name in ("shiftlr", "shiftbench"), f"{module} imports {name}"
            continue
        assert other == own or LEVELS[other] < LEVELS[own], f"{module} imports {name}"


@pytest.mark.parametrize("module", [name for name in FILES if name.partition(".")[0] == "shiftlr"])
def test_the_library_knows_nothing_of_the_benchmark(module):
    assert not [name for name in imports(FILES[module]) if name.partition(".")[0] == "shiftbench"]


def test_the_library_has_no_packages_that_it_does_not_ask_for():
    allowed = {"numpy", "scipy", "numba", "llvmlite", "sklearn", "threadpoolctl", "shiftlr", *sys.stdlib_module_names}
    for module, path in FILES.items():
        if module.partition(".")[0] == "shiftlr":
            found = {name.partition(".")[0] for name in imports(path)}
            # Tables are pandas' where it is installed: so it may be imported inside functions, and not with the module.
            inside = {name.partition(".")[0] for name in imports(path, only_inside_functions=True)}
            assert found - (inside & {"pandas"}) <= allowed, module


@pytest.mark.parametrize("module", [name for name in FILES if name.startswith("shiftbench.config")])
def test_the_config_asks_nobody(module):
    assert all(name.startswith("shiftbench.config") for name in ours(module))


def test_only_rules_and_scripts_ask_how_a_run_is_made():
    asking = [module for module in FILES for name in ours(module) if room_of(name) == "shiftbench.run"]
    assert {room_of(module) for module in asking} <= {"shiftbench.run"}


@pytest.mark.parametrize("module", FILES)
def test_no_module_imports_snakemake(module):
    assert not [name for name in imports(FILES[module]) if name.partition(".")[0].startswith("snakemake")]


@pytest.mark.parametrize("script", sorted((WORKFLOW / "scripts").glob("*.py")), ids=lambda path: path.stem)
def test_scripts_import_modules_that_are_there(script):
    for name in imports(script):
        if name.partition(".")[0] in ("shiftlr", "shiftbench"):
            assert name in FILES, name
