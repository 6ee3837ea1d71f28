"""Draws data again, fits everything again, and compares: `python repeat.py EXPERIMENT...` in a clone."""

import json
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import yaml
from shiftbench.config import plan
from shiftbench.config.load import complete
from shiftbench.run import launch


def main(experiments):
    """Prints how many methods came out the same in all replicates of each experiment."""
    os.environ["NUMBA_NUM_THREADS"] = "1"
    launch.share_kernels()
    from shiftbench import fit, runs  # numba must not be imported before it is told where kernels are
    from shiftbench.datasets import blocks

    config = complete(yaml.safe_load(Path("config.yaml").read_text()))
    for name in experiments:
        stored = Path(f"results/data/{name}/0.npz")
        with np.load(stored) as arrays:
            job = json.loads(str(arrays["recipe"]))["job"]
        with tempfile.TemporaryDirectory() as folder:
            again = Path(folder, "0.npz")
            blocks.write(again, job)
            assert again.read_bytes() == stored.read_bytes(), stored
        chosen = {}
        done = 0
        for one in plan.fits(config, name):
            assert one.block == 0
            settings = plan.fit_settings(config, one, redrawn=False)
            kept = Path(f"results/runs/{one.path}.csv")
            found, arrays = [], {}
            for replicate in blocks.read(stored, settings["scenarios"]):
                rows, more = fit.run(settings, replicate, chosen)
                found += rows
                arrays |= more
            assert values(found) == values(runs.read_rows([kept]).to_dict("records")), kept
            same = runs.read_arrays([kept.with_suffix(".npz")])
            assert same.keys() == arrays.keys() and all(np.array_equal(same[key], arrays[key]) for key in same), kept
            done += 1
        print(f"{name}: {done}")


def values(rows):
    """The value of each metric but the clock's, with the parameters."""
    place = ("scenario", "replicate", "metric")
    return {
        tuple(row[key] for key in place): (float(row["value"]), row["params"], row["status"])
        for row in rows
        if row["metric"] != "seconds"
    }


if __name__ == "__main__":
    main(sys.argv[1:])
