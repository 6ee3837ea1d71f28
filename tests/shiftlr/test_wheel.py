"""What `pip install` gives: the library alone, and it runs with its dependencies alone."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest
import shiftlr
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
EXAMPLE = """
import importlib.util, sys
import numpy as np
import shiftlr
from shiftlr import RobustLogisticRegression, find_label_errors, methods, model_selection

assert shiftlr.__file__.startswith(sys.prefix), shiftlr.__file__
random = np.random.default_rng(0)
X = random.normal(size=(200, 2))
y = (X[:, 0] > 0.0).astype(int)
y[:10] = 1 - y[:10]
model = RobustLogisticRegression(lam=0.2, penalty="l2", alpha=1.0).fit(X, y)
assert {*model.suspects(n=5).indices} <= {*range(10)}, model.suspects(n=5)
found = find_label_errors(X, y)
assert {*found.table.indices[:5]} <= {*range(10)} and len(found.explain(0)["feature"]) > 0, found
assert model.suspected(X, y)[:10].sum() > 5
assert "robust" in methods.known()
assert model_selection.lam_grid([0.1]) == [{"lam": 0.1}]
print([name for name in ("pandas", "snakemake", "yaml", "shiftbench") if importlib.util.find_spec(name)])
"""


def pip(*words):
    """Run pip without what this process has on its Python path."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy, so that nothing is left behind in the project."""
    folder = tmp_path_factory.mktemp("build")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    shutil.copytree(ROOT / "workflow", folder / "workflow", ignore=shutil.ignore_patterns("__pycache__"))
    built = pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", folder / "wheels", folder)
    assert built.returncode == 0, built.stderr
    (path,) = (folder / "wheels").iterdir()
    return path


def test_the_wheel_holds_the_library_alone(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"shiftlr", f"shiftlr-{shiftlr.__version__}.dist-info"}
    sources = {path.relative_to(ROOT / "workflow").as_posix() for path in (ROOT / "workflow" / "shiftlr").rglob("*.py")}
    assert {name for name in names if name.startswith("shiftlr/")} == sources | {"shiftlr/py.typed"}


def needed(names):
    """The distributions that these need to run, themselves included."""
    found, waiting = {}, list(names)
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        found[name] = distribution(name)
        for line in found[name].requires or []:
            requirement = Requirement(line)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(requirement.name)
    return found


def locked_versions():
    """The versions in the lock file that are for this Python."""
    lines = re.findall(r"^[\w.-]+==[^\\\n]+", (ROOT / "envs" / "requirements.txt").read_text(), re.MULTILINE)
    locked = [Requirement(line) for line in lines]
    return {one.name: str(one.specifier) for one in locked if one.marker is None or one.marker.evaluate()}


def install_dependencies(python, folder, index):
    """In the locked versions from an index or, where there is none to reach, by links to those of this environment."""
    distributions = needed(Requirement(line).name for line in distribution_requires(folder))
    locked = locked_versions()
    wanted = [name + locked.get(name, f"=={found.version}") for name, found in distributions.items()]
    options = ["--retries", "1", "--timeout", "15"] if index else ["--no-index"]
    if pip("--python", python, "install", "--no-deps", *options, *wanted).returncode == 0:
        return
    links = folder / "links"
    links.mkdir()
    for found in distributions.values():
        for top in {path.parts[0] for path in found.files if path.parts[0] not in ("..", "__pycache__")}:
            (links / top).symlink_to(found.locate_file(top))
    (site,) = folder.glob("venv/lib/python*/site-packages")
    (site / "links.pth").write_text(f"{links}\n")


def distribution_requires(folder):
    """What the wheel says that it needs, without extras."""
    (path,) = folder.glob("venv/lib/python*/site-packages/shiftlr-*.dist-info/METADATA")
    lines = re.findall(r"^Requires-Dist: (.+)$", path.read_text(), re.MULTILINE)
    return [line for line in lines if "extra ==" not in line]


@pytest.mark.parametrize("index", [True, False], ids=["index", "no index"])
def test_it_runs_with_its_dependencies_alone(wheel, tmp_path, index):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    installed = pip("--python", python, "install", "--no-deps", "--no-index", wheel)
    assert installed.returncode == 0, installed.stderr
    install_dependencies(python, tmp_path, index)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    done = subprocess.run(
        [python, "-I", "-c", EXAMPLE], cwd=elsewhere, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
