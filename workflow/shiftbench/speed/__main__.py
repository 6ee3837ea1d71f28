"""The command `python -m shiftbench.speed`: run problems, print and write who wins where."""

import os
import sys
from pathlib import Path

# Kernels compiled for this environment stay in it; before numba is imported.
os.environ.setdefault("NUMBA_CACHE_DIR", str(Path(sys.prefix, "kernels")))

from shiftbench.speed.command import main

if __name__ == "__main__":
    sys.exit(main())
