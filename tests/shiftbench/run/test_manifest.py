"""The manifest: what made the results, on what, from which data, in what time."""

import json
import os
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from shiftbench.files import write_text
from shiftbench.run import manifest
from shiftbench.runs import rows_of, write_rows


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A results folder: two fitting jobs of this run, 10 and 20 s with fits of 3 and 5 s, and one of a run before."""
    began = time.time() - 100.0
    monkeypatch.chdir(tmp_path)
    write_started({"started": began, "cores": 2})
    for name, age, job, fits in [("0", 50, 10.0, [1.0, 2.0]), ("1", 10, 20.0, [5.0]), ("old", 200, 40.0, [30.0])]:
        for folder in ("benchmarks/fit/e/m", "runs/e/m"):
            Path(folder).mkdir(parents=True, exist_ok=True)
        pd.DataFrame({"s": [job], "h:m:s": ["0:00:10"]}).to_csv(f"benchmarks/fit/e/m/{name}.tsv", sep="\t")
        place = {"experiment": "e", "scenario": "s", "method": "m"}
        rows = [rows_of(place | {"replicate": k}, {"f1": 7.0, "seconds": one}, {}) for k, one in enumerate(fits)]
        write_rows(f"runs/e/m/{name}.csv", [row for group in rows for row in group])
        os.utime(f"benchmarks/fit/e/m/{name}.tsv", times=(time.time() - age,) * 2)
    Path("benchmarks/judge.tsv").write_text("s\n1000\n")
    Path("0.npz").write_bytes(b"abc")
    Path("provenance.json").write_text('{"colon": {"kind": "standin"}}')
    return tmp_path


def write_started(record):
    write_text("started.json", json.dumps(record))


def describe():
    return manifest.describe("c0ffee", "started.json", "benchmarks", "runs.parquet", ["0.npz"], "provenance.json")


def test_the_manifest_says_what_made_the_results(results):
    found = describe()
    assert list(found) == ["code", "config_sha256", "packages", "machine", "time", "data"]
    assert found["config_sha256"] == "c0ffee" and set(found["code"]) == {"commit", "dirty"}
    assert set(found["packages"]) == {"python", *manifest.PACKAGES}
    assert found["packages"]["python"] == sys.version.split()[0] and all(found["packages"].values())
    assert found["machine"]["cores"] == os.cpu_count() and found["machine"]["cpu"] is not None
    # the SHA-256 of "abc" is a test vector of FIPS 180
    checksum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert found["data"] == {"blocks": {"0.npz": checksum}, "external": {"colon": {"kind": "standin"}}}
    manifest.write("manifest.json", found)
    assert json.loads(Path("manifest.json").read_text()) == found


@pytest.mark.parametrize(("cores", "counted"), [(2, 2), (None, 1)])
def test_the_time_outside_fits_is_overhead(results, cores, counted):
    write_started(json.loads(Path("started.json").read_text()) | {"cores": cores})
    found = describe()["time"]
    wall = found["wall_seconds"]
    assert wall == pytest.approx(100.0, abs=5.0) and found["cores"] == counted
    assert found["fitting_job_seconds"] == 30.0 and found["fit_seconds"] == 8.0
    assert found["overhead_seconds"] == pytest.approx(wall * counted - 8.0, abs=0.2)
    assert found["overhead_beside_fitting_jobs_seconds"] == pytest.approx(wall * counted - 30.0, abs=0.2)


@pytest.mark.parametrize("text", [None, "", "{"])
def test_without_a_start_there_is_no_time(results, text):
    Path("started.json").unlink() if text is None else Path("started.json").write_text(text)
    assert describe()["time"] == {"wall_seconds": None}


def test_without_a_repository_there_is_no_commit(results, monkeypatch, capsys):
    monkeypatch.setattr(manifest, "ROOT", results)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(results.parent))
    assert describe()["code"] == {"commit": None, "dirty": None}
    assert "no commit in the manifest" in capsys.readouterr().err
