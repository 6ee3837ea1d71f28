"""Wall time against block size, blocks a job and executor, on the Slurm that tests/cluster/run has started.

`make bench-cluster` runs it: two scenarios of Table 1, 1000 replicates each, up to the table of all runs. Core seconds
are what Slurm accounted for, or the operating system for the local run; they tell more than wall time does where the
machine has other work too.
"""

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from shiftlr import kernels

ROOT = Path(__file__).parents[2]
CONFIG = """
methods:
  standard: {}
  robust: {grid: {lam: {from: 1.0, to: 0.005, points: 25}}}
experiments:
  table1:
    dataset: simulated
    data: {features: 10, train: 500, dev: 500, test: 500}
    noise: {kind: uniform, p0: 0.3}
    methods: [standard, robust]
    replicates: REPLICATES
    scenarios:
      p30: {}
      l1_p30:
        data: {features: 20, relevant: 5, train: 100, dev: 100, test: 100}
        tuning: {penalty: l1, procedure: first_procedure}
"""
SLURM = ("--workflow-profile", "workflow/profiles/slurm", "--slurm-init-seconds-before-status-checks", "3")
SINGLE = ("--groups", "verify=none")  # there is no such job here


def ways(replicates: int) -> list[tuple[str, int, str, tuple[str, ...]]]:
    """Name, block size, blocks a cluster job, options; the first is the one that the others are compared with."""
    fifth = replicates // 5
    return [
        ("two local cores", replicates, "", ("--cores", "2")),
        ("groups", replicates, "1", (*SLURM, "--group-components", "fits=1")),
        ("groups", fifth, "5", (*SLURM, "--group-components", "fits=5")),
        ("groups", fifth, "1", (*SLURM, "--group-components", "fits=1")),
        ("a job a step", replicates, "", (*SLURM, *SINGLE)),
        ("a job a step", fifth, "", (*SLURM, *SINGLE)),
    ]


def measure(replicates: int, size: int, options: tuple[str, ...]) -> tuple[float, float, int]:
    """Wall and core seconds of a run in a clone of its own, and the cluster jobs that it took."""
    with tempfile.TemporaryDirectory(dir=os.environ["SHIFTLR_SLURM"]) as folder:
        for name in ("workflow", "envs"):
            shutil.copytree(ROOT / name, Path(folder, name))
        shutil.copy(ROOT / "Snakefile", folder)
        Path(folder, "profiles").symlink_to("workflow/profiles")
        config = CONFIG.replace("REPLICATES", str(replicates)) + f"replicates_per_job: {size}\n"
        Path(folder, "config.yaml").write_text(config, encoding="utf-8")
        before, used, start = accounted(), own_seconds(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "snakemake", "results/runs.parquet", *options],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            check=False,
        )
        seconds = time.perf_counter() - start
        if done.returncode:
            sys.exit(done.stdout)
        mine = [job for job in accounted() if job not in before]
        return seconds, own_seconds() - used + sum(map(core_seconds, mine)), len(mine)


def own_seconds() -> float:
    """Of processes that were started here and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def accounted() -> list[tuple[str, str]]:
    """Slurm's jobs that have ended: number and core time."""
    command = ["sacct", "-n", "-P", "-o", "JobIDRaw,TotalCPU,State"]  # -X would leave the time of the steps out
    listed = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.splitlines()
    rows = [line.split("|") for line in listed]
    return [(job, used) for job, used, state in rows if state == "COMPLETED" and "." not in job]


def core_seconds(job: tuple[str, str]) -> float:
    """Of [[days-]hours:]minutes:seconds."""
    days, _, clock = job[1].rpartition("-")
    parts = [float(part) for part in clock.split(":")]
    return int(days or 0) * 86400 + sum(part * 60**k for k, part in enumerate(reversed(parts)))


def main(replicates: int) -> None:
    if "SHIFTLR_SLURM" not in os.environ:
        sys.exit("bench_cluster.py: there is no Slurm; start it with `make bench-cluster`")
    os.environ.setdefault("SHIFTLR_KERNELS", str(ROOT / ".kernels"))
    kernels.ensure(os.environ["SHIFTLR_KERNELS"])  # so that no run compiles
    print("| how | block | blocks a job | cluster jobs | wall (s) | / local | core (s) | / local |")
    print("|---|---|---|---|---|---|---|---|")
    first: tuple[float, float] | None = None
    for name, size, together, options in ways(replicates):
        wall, cores, count = measure(replicates, size, options)
        first = first or (wall, cores)
        ratios = f"{wall:.0f} | {wall / first[0]:.1f} | {cores:.0f} | {cores / first[1]:.1f}"
        print(f"| {name} | {size} | {together} | {count or ''} | {ratios} |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
