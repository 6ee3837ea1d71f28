"""The profiles: what jobs ask for stands there, and every rule is local or has its place in them."""

import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml
from shiftbench.config import checks

ROOT = Path(__file__).parents[3]
PROFILES = ROOT / "workflow" / "profiles"
GENERIC = PROFILES / "generic"
TEXT = "\n".join(path.read_text() for path in [ROOT / "Snakefile", *sorted(ROOT.glob("workflow/rules/*.smk"))])
RULES = dict(re.findall(r"^rule (\w+):\n((?:(?:    .*)?\n)+)", TEXT + "\n", re.MULTILINE))
LOCAL = set(re.findall(r"\w+", " ".join(re.findall(r"^localrules:\n((?:    \w+,\n)+)", TEXT, re.MULTILINE))))

LONG: set[str] = set()  # rules whose jobs last minutes by themselves


def settings(profile):
    return yaml.safe_load((PROFILES / profile / "config.yaml").read_text())


def test_rules_were_found():
    assert {"fit", "prepare", "fetch", "all", "judge"} <= set(RULES)
    assert {"fetch", "all", "judge"} <= LOCAL <= set(RULES)


def test_the_config_keeps_the_names_of_rules_for_them():
    """Experiments, tables and figures become rules of their own name."""
    assert set(RULES) == set(checks.RULES) - {"sources", "verified"}


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_rule_has_a_log_a_benchmark_and_the_checksum_of_its_code_and_leaves_the_rest_to_the_profiles(rule):
    if "script:" not in RULES[rule]:
        assert rule in LOCAL
        return
    places = re.findall(r'"results/(logs|benchmarks)/(\w+)', RULES[rule])
    assert {("logs", rule), ("benchmarks", rule)} <= set(places)
    assert re.search(r"^    log:\n", RULES[rule], re.MULTILINE) and re.search(
        r"^    benchmark:\n", RULES[rule], re.MULTILINE
    )
    assert re.search(r"^        (code|kernels)=", RULES[rule], re.MULTILINE)
    assert not re.search(r"^    (resources|threads|retries):", RULES[rule], re.MULTILINE)


def asked(profile, rule, attempt):
    """{resource: amount} of a rule's jobs."""
    about = settings(profile)
    texts = about["default-resources"] | about["set-resources"].get(rule, {})
    return {name: eval(text, {"attempt": attempt, "min": min}) for name, text in texts.items()}


@pytest.mark.parametrize("profile", ["default", "slurm", "generic"])
@pytest.mark.parametrize("rule", sorted(RULES))
def test_attempts_ask_for_more_memory_and_time_up_to_a_limit(profile, rule):
    first = asked(profile, rule, 1)
    assert set(first) == {"mem_mb", "runtime"} and all(type(amount) is int and amount > 0 for amount in first.values())
    for attempt, factor in ((2, 2), (3, 4), (4, 4), (9, 4)):
        assert asked(profile, rule, attempt) == {name: factor * amount for name, amount in first.items()}


@pytest.mark.parametrize("profile", ["default", "slurm", "generic"])
def test_rules_that_ask_for_more_are_there(profile):
    assert set(settings(profile)["set-resources"]) <= set(RULES)
    assert asked(profile, "fit", 1)["mem_mb"] > asked(profile, "judge", 1)["mem_mb"]
    assert asked(profile, "fit", 1)["runtime"] > asked(profile, "judge", 1)["runtime"]


@pytest.mark.parametrize("profile", ["slurm", "generic"])
def test_short_rule_of_a_cluster_is_in_a_group(profile):
    """A job that lasts seconds is no job for a queue."""
    grouped = {one.split("=")[0] for one in settings(profile)["groups"]}
    assert grouped == set(RULES) - LOCAL - LONG


def test_what_needs_the_internet_is_local():
    assert {rule for rule, body in RULES.items() if "UNREACHABLE" in body or "plan_of" in body} <= LOCAL


@pytest.mark.parametrize("profile", ["slurm", "generic"])
def test_profile_stands_alone(profile):
    """With --workflow-profile the default one is not read."""
    ours = settings(profile)
    for key, value in settings("default").items():
        if key not in ("quiet", "show-failed-logs"):
            assert ours[key] == value


# What the batch systems print, as their manuals show it; Slurm itself is asked in tests/cluster.
ANSWERS = [
    ("slurm", {"scontrol": "echo 'JobId=7 JobState=COMPLETED Reason=None'"}, "success"),
    ("slurm", {"scontrol": "echo 'JobId=7 JobState=PENDING Reason=None'"}, "running"),
    ("slurm", {"scontrol": "echo 'JobId=7 JobState=CANCELLED Reason=None'"}, "failed"),
    ("slurm", {"scontrol": "echo 'Unable to contact slurm controller (connect failure)' >&2; exit 1"}, "running"),
    ("slurm", {"scontrol": "echo Invalid job id specified >&2; exit 1", "sacct": "echo COMPLETED"}, "success"),
    ("slurm", {"scontrol": "echo Invalid job id specified >&2; exit 1", "sacct": "echo 'CANCELLED by 0'"}, "failed"),
    (
        "slurm",
        {
            "scontrol": "echo Invalid job id specified >&2; exit 1",
            "sacct": "echo Slurm accounting storage is disabled >&2; exit 1",
        },
        "failed",
    ),
    ("pbs", {"qstat": "printf 'Job Id: 7.host\\n    job_state = R\\n'"}, "running"),
    ("pbs", {"qstat": "printf 'Job Id: 7.host\\n    job_state = F\\n    Exit_status = 0\\n'"}, "success"),
    ("pbs", {"qstat": "printf 'Job Id: 7.host\\n    job_state = F\\n    Exit_status = 271\\n'"}, "failed"),
    ("pbs", {"qstat": "printf 'Job Id: 7.host\\n    job_state = F\\n'"}, "failed"),
    ("pbs", {"qstat": "echo 'qstat: Unknown Job Id 7.host' >&2; exit 153"}, "failed"),
    ("pbs", {"qstat": "echo 'Connection refused' >&2; exit 255"}, "running"),
    ("torque", {"qstat": "printf 'Job Id: 7.host\\n    job_state = C\\n    exit_status = 0\\n'"}, "success"),
    ("sge", {"qstat": "echo job_number: 7"}, "running"),
    ("sge", {"qstat": "echo 'error reason 1: can not find an unused add_grp_id'"}, "failed"),
    ("sge", {"qstat": "exit 1", "qacct": "printf 'failed       0\\nexit_status  0\\n'"}, "success"),
    (
        "sge",
        {"qstat": "exit 1", "qacct": "printf 'failed  100 : assumedly after job\\nexit_status  137\\n'"},
        "failed",
    ),
    ("sge", {"qstat": "exit 1", "qacct": "exit 1"}, "running"),
]


def call(script, folder, system, commands, *words):
    """One of the generic profile's scripts, with batch commands that answer as given."""
    for name, answer in commands.items():
        (folder / name).write_text(f"#!/bin/sh\n{answer}\n")
        (folder / name).chmod(0o755)
    variables = {"PATH": f"{folder}:/usr/bin:/bin", "SHIFTLR_BATCH": system}
    return subprocess.run(
        [GENERIC / script, *words],
        cwd=folder,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(("system", "commands", "status"), ANSWERS)
def test_status(tmp_path, system, commands, status):
    assert call("status", tmp_path, system, commands, "7").stdout == f"{status}\n"


@pytest.mark.parametrize(
    ("system", "command", "asked"),
    [
        ("slurm", "sbatch", "--cpus-per-task=2 --mem=1501 --time=01:30:00"),
        ("pbs", "qsub", "-l select=1:ncpus=2:mem=1501mb -l walltime=01:30:00"),
        ("torque", "qsub", "-l nodes=1:ppn=2 -l mem=1501mb -l walltime=01:30:00"),
        ("sge", "qsub", "-l h_vmem=751M -l h_rt=5400 -pe smp 2"),
    ],
)
def test_submit_asks_for_what_the_job_needs(tmp_path, system, command, asked):
    """The job's number, alone, is printed; here the command prints its words instead."""
    done = call("submit", tmp_path, system, {command: 'echo "$@"'}, "2", "1501", "90", "job.sh")
    assert asked in done.stdout
    assert done.stdout.endswith("job.sh\n")
    assert (tmp_path / "results" / "logs" / "batch").is_dir()


def test_cancel(tmp_path):
    assert call("cancel", tmp_path, "slurm", {"scancel": 'echo "$@"'}, "7", "8").stdout == "7 8\n"
    assert call("cancel", tmp_path, "sge", {"qdel": 'echo "$@"'}, "7", "8").stdout == "7 8\n"


def test_unknown_system_is_refused(tmp_path):
    done = call("status", tmp_path, "lsf", {}, "7")
    assert done.returncode == 1
    assert "SHIFTLR_BATCH is 'lsf'; known are slurm, pbs, torque and sge" in done.stderr
