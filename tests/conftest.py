"""Settings that must stand before numpy, scipy and numba are imported."""

import os

os.environ.setdefault("SCIPY_ARRAY_API", "1")  # else scikit-learn's check of array-API input is skipped

from hypothesis import settings

# The same problems on every run and machine; a solver that fails on one fails for everybody.
settings.register_profile("shiftlr", deadline=None, derandomize=True, max_examples=50)
settings.load_profile("shiftlr")
