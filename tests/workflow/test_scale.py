"""The cluster profiles plan the workflow as it is, and a study of 10,000 replicates in blocks."""

import shutil

import yaml
from conftest import ROOT


def test_profiles_plan_what_a_local_run_plans(clone):
    local = clone.planned()
    for option, profile in (("--workflow-profile", "slurm"), ("--profile", "generic")):
        assert clone.planned(option, f"workflow/profiles/{profile}") == local


def test_large_study_is_planned_in_blocks(clone):
    shutil.copy(ROOT / "config.yaml", clone.folder)
    names = ("table1", "normal", "svm", "table7")
    planned = clone.planned(
        "--profile", "workflow/profiles/slurm", "--config", "replicates=10000", f"only=[{','.join(names)}]"
    )
    blocks = {"table1": 28, "normal": 28, "svm": 8, "table7": 16}  # of 2500 replicates, 4 a scenario
    assert planned["prepare"] == sum(blocks.values())
    # The methods of each table in all of its blocks, readings in those of their scenarios.
    config = yaml.safe_load((ROOT / "config.yaml").read_text())["experiments"]
    readings = [
        one for name in names for scenario in config[name]["scenarios"].values() for one in scenario.get("readings", [])
    ]
    assert readings
    assert planned["fit"] == 2 * 28 + 2 * 28 + 3 * 8 + 5 * 16 + 4 * len(readings)
