"""The cluster profiles plan the workflow as it is, and a study of 10,000 replicates in blocks."""

import shutil

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
    blocks = {"table1": 140, "normal": 140, "svm": 40, "table7": 80}  # of 500 replicates, 20 a scenario
    assert planned["prepare"] == sum(blocks.values())
    # The methods of each table in all of its blocks, readings in those of their scenarios.
    readings = 40 + 0 + 2 * 20 + (40 + 20)
    assert planned["fit"] == 2 * 140 + 2 * 140 + 3 * 40 + 5 * 80 + readings
