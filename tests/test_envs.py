"""The environments name the same versions."""

import re
from pathlib import Path

import pytest
import yaml

ENVS = Path(__file__).parent.parent / "envs"
CONDA_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}


def locked():
    """The versions of each package; the lock may have several, for different Pythons."""
    versions = {}
    for name, version in re.findall(r"^([a-z0-9-]+)==([^ ;]+)", (ENVS / "requirements.txt").read_text(), re.MULTILINE):
        versions.setdefault(name, set()).add(version)
    return versions


@pytest.mark.parametrize("pinned", yaml.safe_load((ENVS / "environment.yaml").read_text())["dependencies"])
def test_conda_has_the_locked_versions(pinned):
    name, version = re.split("=+", pinned)
    if name == "python":
        assert version == "3.11"
    else:
        assert version in locked()[CONDA_NAMES.get(name, name)]


def test_conda_has_all_that_runs():
    runtime = (ENVS / "requirements.in").read_text().split("# tests and lint")[0].splitlines()[1:]
    named = [
        re.split("=+", pinned)[0] for pinned in yaml.safe_load((ENVS / "environment.yaml").read_text())["dependencies"]
    ]
    assert set(filter(None, runtime)) - {"setuptools"} <= {CONDA_NAMES.get(name, name) for name in named}


def test_lock_has_everything_that_is_asked_for():
    asked = [line for line in (ENVS / "requirements.in").read_text().splitlines() if line and not line.startswith("#")]
    assert set(asked) <= set(locked())
