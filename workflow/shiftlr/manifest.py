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

from shiftlr.files import sha256_of, write_text

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
_FITTING = ("train", "detect", "train_words", "flip_words", "thin_features")  # rules that fit models
ROOT = Path(__file__).parents[2]


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
            "simulated": {path: sha256_of(path) for path in data},
            "external": json.loads(Path(provenance).read_text()),
        },
    }


def write(path: str | Path, manifest: dict[str, Any]) -> None:
    write_text(path, json.dumps(manifest, indent=2) + "\n")


def _code():
    """Commit and whether files differ from it; nulls where there is no git or no repository."""

    def git(*words):
        answer = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=True)
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
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _time(started, benchmarks, runs):
    """How long the run took that ended just now, and how much of it was not spent inside fits.

    A run that goes on after an interruption has its own start: what was trained before it does not count.
    """
    try:
        start = json.loads(Path(started).read_text())
    except (OSError, ValueError):
        return {"wall_seconds": None}
    jobs, fits = 0.0, 0.0
    for path in Path(benchmarks).rglob("*.tsv"):
        rule = path.relative_to(benchmarks).parts[0]
        if rule not in _FITTING or path.stat().st_mtime < start["started"]:
            continue
        seconds = float(pd.read_csv(path, sep="\t")["s"].iloc[0])
        jobs += seconds
        rows = Path(runs).parent / "runs" / path.relative_to(Path(benchmarks, rule)).with_suffix(".csv")
        fits += float(pd.read_csv(rows)["seconds"].sum()) if rule == "train" else seconds
    wall = time.time() - start["started"]
    cores = start["cores"] or 1
    return {
        "wall_seconds": round(wall, 1),
        "cores": cores,
        "threads_per_job": 1,
        "fitting_job_seconds": round(jobs, 1),  # from the benchmark files: with start-up and reading
        "fit_seconds": round(fits, 1),  # inside fits only; `detect` jobs count whole
        "overhead_seconds": round(wall * cores - fits, 1),  # what the workflow, start-up and the other rules cost
        "overhead_beside_fitting_jobs_seconds": round(wall * cores - jobs, 1),
    }
