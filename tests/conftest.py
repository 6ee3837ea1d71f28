"""Settings that must stand before numpy, scipy and numba are imported."""

import os
from pathlib import Path

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else scikit-learn's check of array-API input is skipped
# What one process of the tests compiles serves the others, and the workflow.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(__file__).parents[1] / ".kernels"))

from hypothesis import settings

# The same problems on every run and machine; a solver that fails on one fails for everybody.
settings.register_profile("shiftlr", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("shiftlr")
