"""The manifest: what made the results, on what, from which data, in what time."""

import importlib.metadata
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from shiftbench.files import sha256_of, write_text
from shiftbench.runs import read_rows

PACKAGES = (
    "snakemake",
    "numpy",
    "scipy",
    "pandas",
    "pyarrow",
    "matplotlib",
    "statsmodels",
    "numba",
    "scikit-learn",
    "threadpoolctl",
    "cleanlab",
)
_FITTING = "fit"  # the rule that fits models
ROOT = Path(__file__).parents[3]


def describe(
    config_sha256: str, started: str, benchmarks: str, runs: str, data: Iterable[str], provenance: str
) -> dict[str, Any]:
    """Everything there is to say about how the results came about."""
    return {
        "code": _code(),
        "config_sha256": config_sha256,
        "packages": {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES},
        "machine": {"cpu": _cpu(), "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}"},
        "time": _time(started, benchmarks, runs),
        "data": {
            "blocks": {path: sha256_of(path) for path in data},
            "external": json.loads(Path(provenance).read_text(encoding="utf-8")),
        },
    }


def write(path: str | Path, manifest: dict[str, Any]) -> None:
    write_text(path, json.dumps(manifest, indent=2) + "\n")


def _code():
    """Commit and whether files differ from it; nulls where there is no git or no repository."""

    def git(*words):
        command = ["git", "-C", str(ROOT), *words]
        answer = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=True)
        return answer.stdout.strip()

    try:
        return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain"))}
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no commit in the manifest: {error}", file=sys.stderr)
        return {"commit": None, "dirty": None}


def _version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu():
    """The processor's name, as Linux or else Python knows it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _time(started, benchmarks, runs):
    """How long the run took that ended just now, and how much of it was not spent inside fits.

    A run that goes on after an interruption has its own start: what was trained before it does not count.
    """
    try:
        start = json.loads(Path(started).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {"wall_seconds": None}
    began = start["started"]
    paths = [path for path in Path(benchmarks, _FITTING).rglob("*.tsv") if path.stat().st_mtime >= began]
    jobs = sum(float(pd.read_csv(path, sep="\t")["s"].iloc[0]) for path in paths)
    fits = sum(_fit_seconds(runs, path.relative_to(Path(benchmarks, _FITTING))) for path in paths)
    wall = time.time() - began
    cores = start["cores"] or 1
    return {
        "wall_seconds": round(wall, 1),
        "cores": cores,
        "threads_per_job": 1,
        "fitting_job_seconds": round(jobs, 1),  # from the benchmark files: with start-up and reading
        "fit_seconds": round(fits, 1),  # inside fits only
        "overhead_seconds": round(wall * cores - fits, 1),  # what the workflow, start-up and the other rules cost
        "overhead_beside_fitting_jobs_seconds": round(wall * cores - jobs, 1),
    }


def _fit_seconds(runs, place):
    """The time inside the fits of one job."""
    rows = read_rows([Path(runs).parent / "runs" / place.with_suffix(".csv")])
    return float(rows.loc[rows["metric"] == "seconds", "value"].sum())
