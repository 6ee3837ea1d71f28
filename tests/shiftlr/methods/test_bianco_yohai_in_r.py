"""Bianco and Yohai's estimator against R's robustbase, on the same objective: ours is never higher."""

import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest
from problems import random_problem
from rival_objectives import bianco_yohai
from scipy.integrate import quad
from shiftbench.methods._r_process import missing
from shiftlr import BiancoYohaiRegression

SCRIPT = Path(__file__).with_name("bianco_yohai.R")
WHY_NOT = missing("robustbase")


@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
@pytest.mark.parametrize("seed", range(6))
def test_robustbase_finds_nothing_lower(seed, tmp_path):
    c = (0.5, 0.5, 1.0)[seed % 3]
    X, y, _ = random_problem(seed, 120, 2 + seed % 3, noise=0.1)
    one = np.ones(len(y))
    np.savetxt(tmp_path / "given.csv", np.column_stack([y, X]), delimiter=",", fmt="%.17g")
    command = ["Rscript", "--no-init-file", str(SCRIPT), str(tmp_path / "given.csv"), str(c)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = BiancoYohaiRegression(c=c).fit(X, y)
    signs = np.where(y > 0, 1.0, -1.0)
    ours = bianco_yohai(signs * (X @ model.coef_[0] + model.intercept_[0]), y, one, c)
    assert model.objective_ == pytest.approx(ours, rel=1e-10)
    answers = [list(map(float, line.split())) for line in done.stdout.splitlines()]
    assert len(answers) == 2
    converged = [answer for answer in answers if answer[1] == 1.0]
    assert converged
    constants = []
    for _, _, objective, intercept, *coef in converged:
        theirs = bianco_yohai(signs * (X @ np.array(coef) + intercept), y, one, c)
        assert ours <= theirs * (1.0 + 1e-8)
        assert theirs <= ours * (1.0 + 1e-2)  # the same minimum: they stop where halving a step no longer helps
        np.testing.assert_allclose(coef, model.coef_[0], rtol=0.2, atol=0.1)
        constants.append(objective - theirs / len(y))
    # their objective is ours divided by n, and G(1), as our docstring says
    of_one, _ = quad(lambda u: np.exp(-np.sqrt(max(-np.log(u), c))), 0.0, 1.0, points=[np.exp(-c)])
    np.testing.assert_allclose(constants, of_one, atol=1e-7)
