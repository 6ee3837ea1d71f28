"""A broken environment, methods that end or do not end, and damaged files, through real Snakemake."""

import os

import pandas as pd
import pytest

# Behaves, in the way that its name says, until a file called `mended` is there.
HOSTILE = '''
import ctypes
import os
import signal
import sys

from shiftlr.methods.standard import StandardLogisticRegression


class Hostile(StandardLogisticRegression):
    """Until it is mended."""

    def fit(self, X, y):
        if not os.path.exists("mended"):
            {}
        return super().fit(X, y)
'''
METHODS = {
    "cache_damaged": 'raise EOFError("Ran out of input")',
    "quits": "os._exit(0)",  # as if all were done
    "stuck": "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM}); ctypes.PyDLL(None).sleep(10**6)",
    "leaves": "sys.exit(0)",
    "loops": "\n            while True: pass",
}
BROKEN = ["cache_damaged", "quits", "stuck"]


def make_hostile(clone):
    """One experiment with all of them, and two that work."""
    clone.path("mine/methods").mkdir(parents=True)
    for name, code in METHODS.items():
        clone.path(f"mine/methods/{name}.py").write_text(HOSTILE.replace("{}", code, 1))
    about = {
        "dataset": "simulated",
        "data": {"features": 3, "train": 60, "dev": 60, "test": 60},
        "methods": ["standard", "robust", *METHODS],
        "replicates": 2,
        "scenarios": {"clean": {}},
    }
    methods = {name: {} for name in METHODS}
    clone.add({"plugins": "mine", "seconds_per_fit": 10, "methods": methods, "experiments": {"hostile": about}})


def test_broken_jobs_leave_nothing_and_are_run_again_when_they_are_mended(clone):
    make_hostile(clone)
    printed = clone.run("--cores", "2", "hostile", ok=False)
    made = {path.parent.name for path in clone.folder.glob("results/runs/hostile/*/0.csv")}
    assert made == {"standard", "robust", "leaves", "loops"}  # the others went on
    assert made == {path.parent.name for path in clone.folder.glob("results/runs/hostile/*/0.npz")}
    assert not list(clone.folder.glob("results/runs/hostile/*/.*")) and not list(clone.folder.glob("results/tables/*"))
    assert "EOFError: Ran out of input" in printed
    assert "while cache_damaged on replicate 0 of hostile.clean was fitted; nothing of this job is kept" in printed
    assert "stuck on replicate 0 of hostile.clean did not end within 10 s, and heeded no alarm" in printed

    clone.path("mended").touch()
    assert clone.planned("hostile")["fit"] == len(BROKEN)
    clone.run("--cores", "2", "hostile")
    runs = pd.read_parquet(clone.path("results/runs/hostile.parquet"))
    fits = runs[runs["metric"] == "accuracy"].groupby("method")
    assert {name: set(rows["status"]) for name, rows in fits} == {
        **{name: {"ok"} for name in ("standard", "robust", *BROKEN)},
        **{name: {"failed"} for name in ("leaves", "loops")},
    }
    reasons = {name: set(rows["reason"]) for name, rows in fits}
    assert reasons["leaves"] == {"SystemExit: it called sys.exit(0)"}
    assert reasons["loops"] == {"time limit: it took longer than 10 s (seconds_per_fit)"}
    values = runs[(runs["metric"] == "accuracy") & (runs["method"] != "robust")]
    assert all(len(set(one["value"].dropna())) == 1 for _, one in values.groupby("replicate"))  # of the same model


@pytest.mark.parametrize("code", ["import sys; sys.exit(0)", "raise SystemExit"])
def test_a_method_that_ends_whoever_imports_it_is_refused(clone, code):
    clone.path("mine/methods").mkdir(parents=True)
    clone.path("mine/methods/leaves.py").write_text(f"{code}\n")
    clone.add({"plugins": "mine", "methods": {"leaves": {}}})
    printed = clone.run("--cores", "1", ok=False)
    assert "config.yaml: methods.leaves: ImportError: " in printed
    assert "mine/methods/leaves.py: calls sys.exit(" in printed and "Traceback" not in printed
    assert not clone.path("results").exists()


def double(path):
    text = path.read_text()
    path.write_text(text + text)


def header_only(path):
    path.write_text("\n".join(path.read_text().splitlines()[:2]) + "\n")


def cut_off(path):
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("results/runs/table1/robust/0.csv", double),
        ("results/data/table1/0_facts.csv", header_only),
        ("results/runs/table1/robust/0.npz", cut_off),
        ("results/runs/table1.parquet", cut_off),
    ],
)
def test_a_damaged_file_is_named_and_made_again_when_it_is_deleted(finished, copy_of_finished, name, damage):
    clone = copy_of_finished
    damage(clone.path(name))
    printed = clone.run("--cores", "2", ok=False)
    assert f"{name}: is damaged: " in printed and "; delete it and run again" in printed
    assert "Traceback" not in printed
    clone.path(name).unlink()
    clone.run("--cores", "2")
    pd.testing.assert_frame_equal(clone.runs(), finished.runs())
    assert clone.texts() == finished.texts()
