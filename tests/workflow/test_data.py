"""External data through real Snakemake: stand-ins while nothing can be reached, the real files as soon as they can."""

import hashlib
import json

import pandas as pd
import pytest
import yaml
from shiftbench.datasets import colon

MARKED = ["results/tables/table2.tex", "results/tables/table2.md", "results/tables/table2.html"]


@pytest.fixture
def offline(clone, tmp_path):
    """Table 2 alone, from a mirror yet to come or a host that is not there."""
    clone.add("colon.yaml", {"only": ["table2"]})
    real = tmp_path / "real"
    real.mkdir()
    colon.write_standin(real, seed=7)  # other numbers than the stand-in's: these play the real data
    clone.cut_off("alon1999")
    sources = yaml.safe_load(clone.path("workflow/sources.yaml").read_text())
    for name, file in sources["alon1999"]["files"].items():
        content = (real / name).read_bytes()
        file |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    clone.path("workflow/sources.yaml").write_text(yaml.safe_dump(sources))
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    clone.mirror = mirror
    clone.publish = lambda: real.rename(mirror / "alon1999")
    return clone


def provenance(clone):
    return json.loads(clone.path("results/provenance.json").read_text())["alon1999"]


def is_marked(clone):
    found = {"Stand-in data" in clone.path(name).read_text() for name in [*MARKED, "results/colon/suspects.html"]}
    assert len(found) == 1
    return found.pop()


def test_standins_are_marked_and_give_way_to_the_real_files(offline):
    printed = offline.run("--cores", "2")
    assert provenance(offline)["kind"] == "standin"
    assert "Stand-in data, not the real alon1999" in printed
    assert "set SHIFTLR_MIRROR or --config mirror=DIR" in printed
    assert is_marked(offline)
    assert set(offline.verdicts("table2")["verdict"]) == {"not_comparable"}
    assert set(offline.verdicts("table2")["data"]) == {"standin"}

    mirror = f"mirror={offline.mirror}"
    assert offline.planned("--config", mirror) == {}  # it is still empty
    offline.publish()
    assert offline.planned("--config", mirror) == {
        **{"fetch": 1, "provenance": 1, "prepare": 1, "fit": 3, "combine": 1},
        **{"judge": 1, "tabulate": 1, "list_suspects": 1, "manifest": 1, "all": 1},
    }
    printed = offline.run("--cores", "2", "--config", mirror)
    assert provenance(offline)["kind"] == "real"
    assert "Stand-in" not in printed and not is_marked(offline)
    assert set(offline.verdicts("table2")["data"]) == {"report"}
    assert "not_comparable" not in set(offline.verdicts("table2")["verdict"])
    manifest = json.loads(offline.path("results/manifest.json").read_text())
    assert manifest["data"]["external"]["alon1999"]["files"]["I2000.txt"]["sha256"]
    suspects = pd.read_csv(offline.path("results/colon/suspects.csv"))
    assert ",".join(suspects) == "sample,label,shift,suspect,direction_ok"
    assert offline.planned() == {}  # what is there stays, though the mirror is gone

    offline.edit("workflow/shiftbench/datasets/colon.py", '"""Colon-cancer', '"""The colon-cancer')
    offline.run("--cores", "2", "data")
    assert provenance(offline)["kind"] == "real"  # from what was kept
    assert offline.planned("data") == {}


def test_missing_data_can_be_an_error(offline):
    printed = offline.run("--cores", "2", "data", "--config", "on_missing=error", ok=False)
    (line,) = [line for line in printed.splitlines() if line.startswith("alon1999: ")]
    for text in ("2 of 2 files cannot be had", "I2000.txt", "tissue.txt", "127.0.0.1:9", "What to do: set"):
        assert text in line
    assert "Traceback" not in printed and "sha256" not in printed
    log = offline.path("results/logs/fetch/alon1999.log").read_text()  # each place of each file
    assert log.count("no connection to 127.0.0.1:9") == log.count("no mirror is set") == 2
    assert not list(offline.path("results/data/sources").rglob("*.*"))
    printed = offline.run("--cores", "1", "--config", "mirror=/nowhere", ok=False)
    assert "mirror: '/nowhere' is not a directory; set SHIFTLR_MIRROR or --config mirror=DIR" in printed
    assert "Traceback" not in printed


def test_every_dataset_that_is_missing_has_a_line(clone):
    clone.add("words.yaml")
    clone.cut_off()
    printed = clone.run("--cores", "2", "data", "--config", "on_missing=error", ok=False)
    lines = [line for line in printed.splitlines() if "files cannot be had" in line]
    assert {line.split(":")[0] for line in lines} == {"annie", "conll2003", "crowd2014", "names"}
    assert len(lines) == 4 and max(map(len, lines)) < 450
    assert "Traceback" not in printed
