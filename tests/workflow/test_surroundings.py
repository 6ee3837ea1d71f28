"""Real Snakemake with bad configs and in odd surroundings: a message and nothing written, or it just works."""

import os
import subprocess
from pathlib import Path

import pytest
import yaml
from conftest import ROOT

BAD_CONFIGS = {
    "seed: 1\nseed: 2\n": "config.yaml: (top level): the key 'seed' stands twice, in lines 1 and 2",
    "methods: &a\n  standard: {params: *a}\n": "config.yaml: methods.standard.params: an anchor that holds itself",
    f"seed: {'9' * 5000}\n": "config.yaml: seed: a number of 5000 digits",
    "seed: [\n": "config.yaml: is no YAML: line 2, column 1",
    "methods: {12: {}}\n": "config.yaml: methods: the key 12 is no text for YAML",
}
BAD_SETTINGS = {
    "methods.robust.grid.lam=-1: must be a finite number": {"methods": {"robust": {"grid": {"lam": [-1]}}}},
    "methods.standard.params.tol=-1: must be a finite number": {"methods": {"standard": {"params": {"tol": -1}}}},
    "experiments.table1.replicates: 1" + "0" * 30: {"experiments": {"table1": {"replicates": 10**30}}},
    "most_memory_mb": {"experiments": {"table1": {"data": {"features": 10**12}}}},
}


def assert_refused(printed, words, clone):
    assert words in printed and "Traceback" not in printed, printed
    assert not clone.path("results").exists()


@pytest.mark.parametrize("text", BAD_CONFIGS, ids=lambda text: repr(text[:30]))
def test_bad_config_files_are_refused(text, clone):
    clone.path("config.yaml").write_text(text, encoding="utf-8")
    assert_refused(clone.run("--dry-run", ok=False), BAD_CONFIGS[text], clone)


@pytest.mark.parametrize("words", BAD_SETTINGS)
def test_bad_settings_are_refused(words, clone):
    clone.add(BAD_SETTINGS[words])
    assert_refused(clone.run("--dry-run", ok=False), words, clone)


def test_more_config_files_are_looked_at_too(clone):
    clone.path("more.yaml").write_text("only: [table1]\nseed: 1\nseed: 2\n", encoding="utf-8")
    printed = clone.run("--dry-run", "--configfile", "more.yaml", ok=False)
    assert_refused(printed, "more.yaml: (top level): the key 'seed' stands twice, in lines 2 and 3", clone)


def test_ascii_locale_no_home_and_no_folder_for_temporary_files(clone, tmp_path):
    """All at once, with titles that ASCII does not have."""
    clone.add({"methods": {"standard": {"title": "Größe, naïve"}}})
    settings = yaml.safe_load(clone.path("config.yaml").read_text(encoding="utf-8"))
    written = yaml.safe_dump(settings, sort_keys=False, allow_unicode=True)
    assert "Größe" in written
    clone.path("config.yaml").write_text(written, encoding="utf-8")
    (tmp_path / "file").touch()  # below it there are no folders, not even for root
    printed = clone.run(
        *("--cores", "2"),
        **{"LC_ALL": "C", "LANG": None, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": None},
        **{"TMPDIR": str(tmp_path / "file" / "tmp"), "HOME": str(tmp_path / "file" / "home")},
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    assert "139 published numbers and claims" in printed and "Traceback" not in printed and "UnicodeD" not in printed
    for kind in ("md", "html", "tex"):
        assert "Größe" in clone.path(f"results/tables/table1.{kind}").read_text(encoding="utf-8")


def test_a_file_in_the_place_of_results_is_left_alone(clone):
    clone.path("results").write_text("mine", encoding="utf-8")
    printed = clone.run("--cores", "1", ok=False)
    assert "results: is no folder, so no results can be written there; move it away" in printed
    assert "Traceback" not in printed and clone.path("results").read_text(encoding="utf-8") == "mine"


def test_results_that_cannot_be_written_are_said_before_the_first_job(clone):
    if os.geteuid() == 0:  # whom only the kernel's own folders stop
        clone.path("results").symlink_to("/proc/sys")
    else:
        clone.path("results").mkdir(mode=0o555)
    printed = clone.run("--cores", "1", ok=False)
    assert "results: results cannot be written there (" in printed and "--directory" in printed
    assert "Traceback" not in printed and "1 of" not in printed
    clone.run("--dry-run")  # which writes nothing


@pytest.mark.parametrize("home", ["file/home", None])
def test_make_gives_snakemake_a_cache_where_there_is_no_home(home, tmp_path):
    (tmp_path / "file").touch()
    env = {name: value for name, value in os.environ.items() if name not in ("HOME", "XDG_CACHE_HOME")}
    env |= {} if home is None else {"HOME": str(tmp_path / home)}
    assert f"XDG_CACHE_HOME := {ROOT}/.cache" in _variables_of_make(env)
    assert not Path("/.cache").exists() and not Path(ROOT, ".cache").exists()
    assert "XDG_CACHE_HOME := " not in _variables_of_make(env | {"HOME": str(tmp_path)})


def _variables_of_make(env):
    command = ["make", "--print-data-base", "--dry-run", "help"]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, encoding="utf-8", check=False).stdout
