"""glmnet in R: coordinate descent along a path, timed inside R."""

import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np

from shiftbench.speed import clock
from shiftbench.speed.problem import Skipped
from shiftbench.speed.task import Fit

SCRIPT = Path(__file__).with_suffix(".R")
LONGEST = 600  # seconds of a run


@cache
def versions():
    """What R and its glmnet call themselves; `Skipped` where there is none."""
    command = shutil.which("Rscript")
    if command is None:
        raise Skipped("there is no R (`make r` installs it with glmnet)")
    code = 'cat("R ", R.version$major, ".", R.version$minor, ", glmnet ", format(packageVersion("glmnet")), sep = "")'
    done = subprocess.run([command, "-e", code], capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise Skipped("R has no package glmnet (`make r` installs it)")
    return done.stdout.strip()


def path(task):
    """The whole path in one call: an L1 penalty on theta, or on the shifts as columns of an identity beside X.

    glmnet rescales penalty factors to a mean of 1; `lambda` makes up for that and for its mean loss.
    """
    versions()
    n, m = task.X.shape
    if task.is_plain:
        factors, lambdas = np.ones(m), task.alphas / n
    else:  # theta free or with an L1 penalty in a fixed proportion to that of the shifts
        factors = np.concatenate([np.full(m, task.alphas[0] / task.lams[0]), np.ones(n)])
        lambdas = task.lams * factors.mean() / n
    if not (task.penalty == "l1" or np.all(task.alphas == 0.0)):
        raise ValueError("glmnet: only for L1 penalties, or for none")
    kept = tempfile.TemporaryDirectory()  # deleted with the function that uses it
    arrays = {"X": np.asarray(task.X).T, "y": task.signs > 0.0, "lambda": lambdas, "factors": factors}
    for name, values in arrays.items():
        np.ascontiguousarray(values, dtype=float).tofile(Path(kept.name, name))

    def solve(tolerance):
        kind = "plain" if task.is_plain else "shifts"
        command = ["Rscript", str(SCRIPT), kept.name, str(n), str(m), str(tolerance), kind, clock.kind().split()[0]]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=LONGEST)
        if done.returncode != 0:
            raise RuntimeError(f"glmnet: {' '.join(done.stderr.split())[-200:]}")
        answer = np.fromfile(Path(kept.name, "answer"))
        intercepts, coefs = np.split(answer[1:], [len(lambdas)])
        return Fit(coefs.reshape(-1, m), intercepts, float(answer[0]))

    return solve
