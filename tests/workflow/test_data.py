"""External data through real Snakemake: stand-ins while nothing can be reached, the real files as soon as they can."""

import hashlib
import json

import pandas as pd
import pytest
import yaml
from shiftlr.datasets import colon

COLON = """
colon:
  repeats: 1
  strengths: 4
  lams: [1.0, 0.4, 0.1]
  resamples: 3
  rows:
    robust: {}
    prefilter: {method: prefilter, grid: {k: [1, 3]}}
  sensitivity:
    raw: {log: false, per_array: false, per_gene: false}
"""
MARKED = ["results/tables/table2.tex", "results/tables/table2.md", "results/tables/table2.html"]


@pytest.fixture
def offline(copy_of_finished, tmp_path):
    """A finished run with the colon-cancer data added, from a mirror yet to come or a host that is not there."""
    clone = copy_of_finished
    clone.path("config.yaml").write_text(clone.path("config.yaml").read_text() + COLON)
    real = tmp_path / "real"
    real.mkdir()
    colon.write_standin(real, seed=7)  # other numbers than the stand-in's: these play the real data
    sources = yaml.safe_load(clone.path("sources.yaml").read_text())
    for name, file in sources["alon1999"]["files"].items():
        file["sha256"] = hashlib.sha256((real / name).read_bytes()).hexdigest()
        file["places"] = [{"mirror": f"alon1999/{name}"}, {"url": f"http://127.0.0.1:9/{name}"}]
    clone.path("sources.yaml").write_text(yaml.safe_dump(sources))
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    clone.mirror = mirror
    clone.publish = lambda: real.rename(mirror / "alon1999")
    return clone


def provenance(clone):
    return json.loads(clone.path("results/provenance.json").read_text())["alon1999"]


def colon_verdicts(clone):
    verdicts = pd.read_csv(clone.path("results/verdicts.csv"))
    return verdicts[verdicts["table"] == "table2"]


def test_standins_are_marked_and_give_way_to_the_real_files(offline):
    printed = offline.run("--cores", "2")
    assert provenance(offline)["kind"] == "standin"
    assert "Stand-in data, not the real alon1999" in printed
    assert "set SHIFTLR_MIRROR or --config mirror=DIR" in printed
    for name in MARKED:
        assert "Stand-in data" in offline.path(name).read_text()
    assert set(colon_verdicts(offline)["verdict"]) == {"not_comparable"}
    assert set(colon_verdicts(offline)["data"]) == {"standin"}
    assert offline.planned() == {}

    mirror = f"mirror={offline.mirror}"
    assert offline.planned("--config", mirror) == {}  # it is still empty
    offline.publish()
    planned = offline.planned("--config", mirror)
    assert planned["fetch"] == 1 and planned["detect"] == 3 and "train" not in planned
    printed = offline.run("--cores", "2", "--config", mirror)
    assert provenance(offline)["kind"] == "real"
    assert "Stand-in" not in printed
    for name in MARKED:
        assert "Stand-in data" not in offline.path(name).read_text()
    assert set(colon_verdicts(offline)["data"]) == {"report"}
    assert "not_comparable" not in set(colon_verdicts(offline)["verdict"])
    manifest = json.loads(offline.path("results/manifest.json").read_text())
    assert manifest["data"]["external"]["alon1999"]["files"]["I2000.txt"]["sha256"]
    assert offline.planned() == {}  # what is there stays, though the mirror is gone

    offline.edit("workflow/shiftlr/datasets/colon.py", '"""Colon-cancer', '"""The colon-cancer')
    assert offline.planned()["fetch"] == 1
    offline.run("--cores", "2")
    assert provenance(offline)["kind"] == "real"  # from what was kept
    assert offline.planned() == {}


def test_missing_data_can_be_an_error(offline):
    printed = offline.run("--cores", "2", "data", "--config", "on_missing=error", ok=False)
    for text in ("alon1999: 2 of 2 files cannot be had", "I2000.txt", "tissue.txt", "127.0.0.1:9", "What to do: set"):
        assert text in printed
    assert not offline.path("results/data/sources/alon1999").exists()


def test_mirror_that_does_not_exist_is_named(offline):
    printed = offline.run("--cores", "1", "--config", "mirror=/nowhere", ok=False)
    assert "mirror: '/nowhere' is not a directory; set SHIFTLR_MIRROR or --config mirror=DIR" in printed
