"""What a run was made with: packages, machine, commit; nothing that names the machine or its user."""

import datetime
import importlib.metadata
import os
import platform
import subprocess
from pathlib import Path

import shiftlr

from shiftbench.speed import clock
from shiftbench.speed.peers import glmnet
from shiftbench.speed.problem import OURS, Skipped

VERSIONS = ("numpy", "scipy", "numba", "scikit-learn", "adelie", "skglm", "liblinear-official")
# By the first word of a solver's name.
PACKAGES = {"sklearn": "scikit-learn", "libsvm": "scikit-learn", "liblinear": "liblinear-official", "OWL-QN": "numba"}


def version_of(solver: str) -> str:
    """The package behind a solver's name, with its version."""
    first = solver.split(maxsplit=1)[0]
    if first == "glmnet":
        try:
            return glmnet.versions()
        except Skipped:
            return ""
    package = PACKAGES.get(first, first)
    if package == OURS:
        return f"{OURS} {shiftlr.__version__}"
    try:
        return f"{package} {importlib.metadata.version(package)}"
    except importlib.metadata.PackageNotFoundError:
        return ""


def about_this_run(quick: bool) -> dict[str, str]:
    """Date, machine, load and versions."""
    about = {"date": datetime.datetime.now(datetime.UTC).date().isoformat(), "machine": machine()}
    if hasattr(os, "getloadavg"):
        about["load"] = f"{os.getloadavg()[0]:.1f} programs wanted to run when this one began"
    about["clock"] = clock.kind()
    versions = [f"Python {platform.python_version()}"]
    for name in VERSIONS:
        try:
            versions.append(f"{name} {importlib.metadata.version(name)}")
        except importlib.metadata.PackageNotFoundError:
            versions.append(f"no {name}")
    about["versions"] = ", ".join([*versions, version_of("glmnet") or "no R with glmnet"])
    about["commit"] = commit()
    return about | ({"sizes": "small (--quick): no ratio here means anything"} if quick else {})


def machine() -> str:
    """Kind and number of processors."""
    kind = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
        kind = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), kind)
    return f"{os.cpu_count()} processors, {kind}, {platform.system()}"


def commit() -> str:
    """Of this clone."""
    command = ["git", "-C", str(Path(__file__).parent), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    except OSError:
        return "unknown"
    return done.stdout.strip() or "unknown"
