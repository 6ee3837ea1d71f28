"""What an edit runs again, and what runs nothing again."""

import subprocess

# What follows from a change of table1's runs.
AFTER_TABLE1 = {"combine": 1, "judge": 1, "tabulate": 2, "plot": 1, "manifest": 1, "all": 1}


def test_edited_method_reruns_its_own_fits_and_what_depends_on_them(copy_of_finished):
    clone = copy_of_finished
    before = {path: path.stat().st_mtime_ns for path in clone.path("results/runs").rglob("*.csv")}
    clone.edit("workflow/shiftlr/methods/standard.py", '"""Standard', '"""The standard')
    assert clone.planned() == {"fit": 2} | AFTER_TABLE1
    clone.run("--cores", "2", "table1")
    changed = {path.parent.name for path, then in before.items() if path.stat().st_mtime_ns != then}
    assert changed == {"standard"}
    assert clone.planned("table1") == {}


def test_edits_rerun_what_they_may_change_and_no_more(copy_of_finished):
    """One after the other, each taken back."""
    clone, packages = copy_of_finished, "workflow/shiftbench"
    edits = {
        (f"{packages}/run/manifest.py",): {"manifest": 1, "all": 1},
        (f"{packages}/present/tables/readings.py",): {"tabulate": 1, "manifest": 1, "all": 1},
        ("workflow/report/reasons.yaml",): {"judge": 1, "manifest": 1, "all": 1},
        (f"{packages}/metrics.py",): {"fit": 6} | AFTER_TABLE1,
        # What starts a run, and a method that no experiment here has.
        (f"{packages}/run/launch.py", f"{packages}/run/steps.py", "workflow/shiftlr/methods/flipping.py"): {},
    }
    for names, expected in edits.items():
        texts = {name: clone.path(name).read_text() for name in names}
        for name, text in texts.items():
            clone.path(name).write_text(text + "\n# edited\n")
        assert clone.planned() == expected, names
        for name, text in texts.items():
            clone.path(name).write_text(text)


def test_settings_rerun_what_they_may_change_and_no_more(copy_of_finished):
    clone = copy_of_finished
    assert clone.planned("--config", "mirror=.", "on_missing=error") == {}
    clone.add({"experiments": {"table1": {"title": "Another title"}}})
    assert clone.planned() == {"tabulate": 2, "plot": 1, "manifest": 1, "all": 1}


def test_touched_and_copied_files_rerun_nothing(everything, tmp_path):
    """`cp -r` gives all files new times, in any order."""
    subprocess.run(["cp", "-r", everything.folder, tmp_path / "copy"], check=True)
    clone = type(everything)(tmp_path / "copy")
    for pattern in ("workflow/scripts/*", "workflow/shift*/**/*.py", "workflow/report/*", "config.yaml", "Snakefile"):
        for path in clone.folder.glob(pattern):
            path.touch()
    assert clone.planned() == {}
