"""With NUMBA_DISABLE_JIT everything runs in plain Python, for a debugger, and gives the same answers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

SCRIPT = Path(__file__).parent / "small_fits.py"


def run(**variables):
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPT.parents[1]), *sys.path]), **variables}
    done = subprocess.run(
        [sys.executable, "-P", SCRIPT], env=environment, capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def both():
    return run(), run(NUMBA_DISABLE_JIT="1")


def test_answers_are_the_same(both):
    compiled, plain = (one["answers"] for one in both)
    assert sum(expected is not None for _, expected in compiled) > 40
    for (name, expected), (same_name, values) in zip(compiled, plain, strict=True):
        assert name == same_name and (expected is None) == (values is None), name
        if expected is not None:
            np.testing.assert_allclose(values, expected, rtol=1e-6, atol=1e-6, err_msg=name)


def test_random_numbers_have_the_same_bits(both):
    compiled, plain = both
    assert compiled["bits"] == plain["bits"]
