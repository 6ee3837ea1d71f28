"""Parts of the workflow, asked for by name; and a run that is interrupted."""

import json
import signal

import pandas as pd
from conftest import make_clone
from shiftbench.verdicts.judge import read_published

FORMATS = ("csv", "html", "md", "tex")


def test_there_is_a_target_for_each_part(clone):
    clone.add("colon.yaml", "words.yaml")
    listed = clone.run("--list-target-rules", "--quiet", "all").split()
    parts = {"table1", "readings", "table2", "preprocessing", "table3", "table4", "table5", "table8", "thinning"}
    parts |= {"suspect_sets", "label_errors", "noise_curve", "plate", "accuracies", "colon_map", "figure3"}
    assert parts <= set(listed)
    assert {"all", "data", "verify"} <= set(listed)


def test_interrupted_part_goes_on_and_nothing_else_is_made(finished, clone):
    """Ctrl-C; the same command finishes it. The other experiments of the config do not run."""
    clone.add("colon.yaml", "words.yaml")
    process = clone.start("--cores", "2", "table1")
    clone.wait_for(3, "results/runs/table1/*/*.csv", process)  # on two cores, so one fit has ended
    process.send_signal(signal.SIGINT)
    assert process.wait(120) != 0
    assert not clone.path("results/tables/table1.csv").exists()
    assert clone.planned("table1")["fit"] < 6
    printed = clone.run("--cores", "2", "table1")
    made = {path.name for path in clone.path("results/tables").iterdir()}
    assert made == {f"table1.{ending}" for ending in FORMATS}
    for name in made:
        assert clone.path(f"results/tables/{name}").read_bytes() == finished.path(f"results/tables/{name}").read_bytes()
    of_table1 = pd.read_parquet(clone.path("results/runs/table1.parquet"))
    of_table1 = of_table1[of_table1["metric"] != "seconds"].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_table1, finished.runs())
    assert {path.name for path in clone.path("results/data").iterdir()} == {"table1"}
    assert {path.stem for path in clone.path("results/runs").iterdir()} == {"table1"}
    for name in ("verdicts.csv", "summary.txt", "figures", "provenance.json"):
        assert not clone.path(f"results/{name}").exists(), name
    assert "published numbers and claims" not in printed  # it has judged its own table only
    assert clone.planned("table1") == {}


def test_only_makes_what_it_names(tmp_path):
    clone = make_clone(tmp_path / "clone")
    clone.add("colon.yaml", "words.yaml")
    planned = clone.planned("--config", "only=[table2,figure3]")
    assert planned["tabulate"] == 1 and planned["plot"] == 1 and planned["combine"] == 3
    assert planned["fetch"] == 5 and planned["list_suspects"] == 1
    printed = clone.run("--cores", "2", "--config", "only=[plate]")
    assert f"{len(read_published())} not comparable" in printed
    assert {path.name for path in clone.path("results/figures").iterdir()} == {"plate.pdf", "plate.png", "plate.csv"}
    assert not clone.path("results/tables").exists() and not clone.path("results/data").exists()
    assert json.loads(clone.path("results/manifest.json").read_text())["data"] == {"blocks": {}, "external": {}}
