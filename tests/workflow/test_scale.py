"""The cluster profiles plan the workflow as it is, and a study of 10,000 replicates in blocks."""

import shutil

from conftest import ROOT


def test_profiles_plan_what_a_local_run_plans(clone):
    local = clone.planned()
    for option, profile in (("--profile", "slurm"), ("--workflow-profile", "slurm"), ("--profile", "generic")):
        assert clone.planned(option, f"workflow/profiles/{profile}") == local


def test_large_study_is_planned_in_blocks(clone):
    shutil.copy(ROOT / "config.yaml", clone.folder)
    planned = clone.planned("--profile", "workflow/profiles/slurm", "--config", "replicates=10000")
    assert planned["simulate"] == 20 * 34  # blocks of 300
    assert planned["train"] == 61 * 34
