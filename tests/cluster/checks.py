"""The smallest config through a real Slurm, which `tests/cluster/run` starts."""

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).parents[2]
SCRATCH = Path(os.environ["SHIFTLR_SLURM"])
OUTAGE = 20  # seconds without a controller
SLURM = (
    *("--workflow-profile", "workflow/profiles/slurm"),
    *("--group-components", "fits=1"),  # so that the few blocks are several jobs
    *("--slurm-init-seconds-before-status-checks", "3"),
)
GENERIC = (
    *("--profile", "workflow/profiles/generic"),
    *("--group-components", "fits=1"),
    *("--seconds-between-status-checks", "2"),
)
BLOCKS = 3

_spec = importlib.util.spec_from_file_location("clones", ROOT / "tests" / "workflow" / "conftest.py")
clones = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(clones)


def make_clone(folder):
    """The smallest config in three blocks; the Slurm profile names partition and account, as it says one should."""
    clone = clones.make_clone(folder)
    clone.edit("config.yaml", "replicates_per_job: 4", "replicates_per_job: 3")
    ours = "default-resources:\n  slurm_partition: main\n  slurm_account: report\n"
    clone.edit("workflow/profiles/slurm/config.yaml", "default-resources:\n", ours)
    return clone


@pytest.fixture(scope="session", autouse=True)
def kernels():
    """Compiled before anything is timed."""
    from shiftlr import kernels

    kernels.ensure(clones.environment()["SHIFTLR_KERNELS"])


def said(*command):
    """What a command of Slurm's prints, a list of fields a line."""
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.split("|") for line in done.stdout.splitlines()]


def running():
    return [job for job, state in said("squeue", "-h", "-o", "%i|%T") if state == "RUNNING"]


def accounted(since):
    """Jobs that began after the given one: number, state, memory asked for, account."""
    jobs = said("sacct", "-X", "-n", "-P", "-o", "JobIDRaw,State,ReqMem,Account")
    return [job for job in jobs if int(job[0]) > since]


def last_job():
    return max((int(job[0]) for job in accounted(0)), default=0)


def wait_until(true, what, seconds=120, process=None):
    deadline = time.monotonic() + seconds
    while not true():
        assert process is None or process.poll() is None, f"ended before {what}:\n{process.log.read_text()}"
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.3)


def start(clone, *words):
    """Snakemake in the background; what it prints goes into a file."""
    log = clone.path("printed.log")
    with log.open("w") as file:
        process = subprocess.Popen(
            clone.command(*words),
            cwd=clone.folder,
            env=clones.environment(),
            stdout=file,
            stderr=subprocess.STDOUT,
            preexec_fn=clones.heed_interrupts,  # noqa: PLW1509
        )
    process.log = log
    return process


def finish(process, seconds=400):
    assert process.wait(seconds) == 0, process.log.read_text()


def assert_same(clone, local):
    pd.testing.assert_frame_equal(clone.runs(), local.runs())
    assert clone.texts() == local.texts()
    assert clone.planned() == {}


@pytest.fixture(scope="session")
def started_locally(tmp_path_factory):
    clone = make_clone(tmp_path_factory.mktemp("local"))
    clone.process = start(clone, "--cores", "1")
    yield clone
    clone.process.kill()


@pytest.fixture(scope="session")
def local(started_locally):
    """The run that all others must equal."""
    finish(started_locally.process)
    return started_locally


@pytest.fixture(scope="session")
def on_slurm(tmp_path_factory, started_locally):
    """A run in which a job is cancelled and the controller goes away for a while, beside the local one."""
    clone = make_clone(tmp_path_factory.mktemp("slurm"))
    clone.first = last_job()
    process = start(clone, *SLURM)
    wait_until(running, "a job runs", process=process)
    (clone.cancelled, *_) = running()
    subprocess.run(["scancel", clone.cancelled], check=True)
    before = last_job()
    wait_until(lambda: last_job() > before, "the cancelled job is submitted again", process=process)
    stop_controller()
    time.sleep(OUTAGE)
    assert process.poll() is None, process.log.read_text()
    start_controller()
    finish(process)
    return clone


def stop_controller():
    file = SCRATCH / "slurmctld.pid"
    number = int(file.read_text())
    os.kill(number, signal.SIGTERM)
    wait_until(lambda: not Path(f"/proc/{number}/exe").exists(), "the controller stops")
    assert not controller_answers()


def controller_answers():
    return subprocess.run(["scontrol", "ping"], capture_output=True, check=False).returncode == 0


def start_controller():
    with (SCRATCH / "slurmctld.log").open("a") as log:
        subprocess.Popen(["slurmctld", "-D"], stdout=log, stderr=log)
    wait_until(
        lambda: subprocess.run(["scontrol", "ping"], capture_output=True, check=False).returncode == 0, "it is back"
    )


def test_slurm_ends_like_the_local_run(on_slurm, local):
    assert_same(on_slurm, local)


def test_cancelled_job_was_retried_with_more_memory(on_slurm):
    jobs = accounted(on_slurm.first)
    states = {job: state.split()[0] for job, state, _, _ in jobs}
    assert states[on_slurm.cancelled] == "CANCELLED"
    asked = {job: int(memory.removesuffix("M")) for job, _, memory, _ in jobs}
    assert asked[on_slurm.cancelled] == 3000  # as the profile says of fits
    assert 6000 in {memory for job, memory in asked.items() if int(job) > int(on_slurm.cancelled)}
    assert list(states.values()).count("COMPLETED") == BLOCKS


def test_jobs_ran_under_the_account_that_was_asked_for(on_slurm):
    assert {account for *_, account in accounted(on_slurm.first)} == {"report"}


def test_efficiency_is_reported(on_slurm):
    (report,) = on_slurm.folder.glob("results/efficiency/*.csv")
    table = pd.read_csv(report)
    assert {"CPU Efficiency (%)", "Memory Usage (%)"} <= set(table)
    assert table["Memory Usage (%)"].max() < 100
    words = (sys.executable, "-m", "shiftbench.run.resources", "results/benchmarks")
    printed = on_slurm.call(*words, PYTHONPATH=str(on_slurm.path("workflow")))
    assert "\nfit " in printed and "\nprepare " in printed


def test_generic_is_interrupted_and_goes_on(tmp_path, local):
    """Ctrl-C takes the jobs back; the same command finishes the run."""
    clone = make_clone(tmp_path / "clone")
    process = start(clone, *GENERIC)
    wait_until(running, "a job runs", process=process)
    process.send_signal(signal.SIGINT)
    assert process.wait(120) != 0
    wait_until(lambda: not said("squeue", "-h", "-o", "%i"), "its jobs are cancelled", 30)
    assert not clone.path("results/runs.parquet").exists()
    finish(start(clone, *GENERIC))
    assert_same(clone, local)


def test_arrays(tmp_path, on_slurm, local):
    """The lines that the profile holds ready for rules without a group."""
    clone = on_slurm.copy(tmp_path / "copy")
    clone.edit("workflow/shiftlr/methods/standard.py", '"""Standard', '"""The standard')  # its three blocks run anew
    first = last_job()
    process = start(
        clone,
        *SLURM,
        *("--groups", "verify=none", "--jobs", "10000", "--max-jobs-per-timespan", "10000/1s"),  # no such job here
        *("--slurm-array-jobs", "fit", "--slurm-array-limit", "50", "--slurm-status-command", "squeue"),
    )
    finish(process)
    tasks = [job.split("_")[1] for (job,) in said("sacct", "-X", "-n", "-P", "-o", "JobID") if "_" in job]
    assert tasks == ["1", "2", "3"]
    assert [state for _, state, *_ in accounted(first)] == ["COMPLETED"] * BLOCKS
    assert_same(clone, local)
