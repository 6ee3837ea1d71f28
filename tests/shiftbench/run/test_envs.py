"""The environments name the same versions."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ENVS = Path(__file__).parents[3] / "envs"
CONDA_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}


def locked(lock="requirements.txt"):
    """The versions of each package; the lock may have several, for different Pythons."""
    versions = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==([^ ;]+)", (ENVS / lock).read_text(), re.MULTILINE):
        versions.setdefault(name, set()).add(version)
    return versions


@pytest.mark.parametrize("pinned", yaml.safe_load((ENVS / "environment.yaml").read_text())["dependencies"])
def test_conda_has_the_locked_versions(pinned):
    name, version = re.split("=+", pinned)
    if name == "python":
        assert version == "3.11"
    elif name.startswith("r-"):  # R and its packages, which one method needs
        assert version
    else:
        assert version in locked()[CONDA_NAMES.get(name, name)]


def test_conda_has_all_that_runs():
    runtime = (ENVS / "requirements.in").read_text().split("# tests and lint")[0].splitlines()[1:]
    named = [
        re.split("=+", pinned)[0] for pinned in yaml.safe_load((ENVS / "environment.yaml").read_text())["dependencies"]
    ]
    assert set(filter(None, runtime)) - {"setuptools"} <= {CONDA_NAMES.get(name, name) for name in named}


def peers():
    """All that the conda environment of the speed benchmark names, with versions."""
    listed = yaml.safe_load((ENVS / "bench.yaml").read_text())["dependencies"]
    (from_pip,) = [one["pip"] for one in listed if isinstance(one, dict)]
    return dict(re.split("=+", one) for one in [*listed, *from_pip] if isinstance(one, str) and one != "pip")


def test_peers_are_the_same_in_conda_and_in_the_lock():
    versions = {CONDA_NAMES.get(name, name): version for name, version in peers().items()}
    asked = [line for line in (ENVS / "bench.in").read_text().splitlines() if line and not line.startswith("#")]
    assert set(asked) == {name for name in versions if name != "python" and not name.startswith("r-")}
    for name in asked:
        assert versions[name] in locked("bench.txt")[name]


@pytest.mark.parametrize("recipe", ["Dockerfile", "apptainer.def"])
def test_containers_have_the_locked_versions(recipe):
    """They install the lock itself, on the Python of the conda environment, and pin nothing else."""
    text = "\n".join(line for line in (ENVS / recipe).read_text().splitlines() if not line.startswith("#"))
    (base,) = re.findall(r"^(?:FROM|From:) (\S+)$", text, re.MULTILINE)
    assert base == "python:3.11-slim"
    installs = [line for line in text.splitlines() if "pip install" in line and "--no-deps" not in line]
    assert len(installs) == 1
    assert re.search(r"--require-hashes -r \S*requirements\.txt$", installs[0])
    assert "==" not in text


def test_package_asks_for_what_the_lock_has():
    """The extra `workflow`, with the executors of the cluster profiles, names what requirements.in names."""
    project = tomllib.loads((ENVS.parent / "pyproject.toml").read_text())["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["workflow"]]
    runtime = (ENVS / "requirements.in").read_text().split("# tests and lint")[0].splitlines()[1:]
    assert {re.split("[>=<]", name)[0] for name in asked} == set(filter(None, runtime)) - {"setuptools"}


def test_executors_of_the_profiles_are_locked():
    for profile in ("slurm", "generic"):
        settings = yaml.safe_load((ENVS.parent / "workflow" / "profiles" / profile / "config.yaml").read_text())
        assert f"snakemake-executor-plugin-{settings['executor']}" in locked()


def test_lock_has_everything_that_is_asked_for():
    asked = [line for line in (ENVS / "requirements.in").read_text().splitlines() if line and not line.startswith("#")]
    assert set(asked) <= set(locked())
