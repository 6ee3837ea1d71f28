"""What a step depends on: the files it imports, and no others; edits count, touching and moving do not."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from shiftbench import plugins
from shiftbench.config.load import complete
from shiftbench.run import dependencies
from shiftbench.run.dependencies import code_of, files_of
from shiftbench.run.steps import SCRIPTS, Steps
from shiftlr import methods

ROOT = Path(__file__).parents[3]
WORKFLOW = ROOT / "workflow"
METHODS = {"flipping", "prefilter", "robust", "standard", "svm"}


def names(*entries):
    """The files as they are called below workflow/."""
    return {path.relative_to(WORKFLOW).as_posix() for path in files_of(*entries)}


@pytest.fixture(scope="module")
def steps():
    return Steps(complete(yaml.safe_load((ROOT / "config.yaml").read_text())))


@pytest.fixture(autouse=True)
def forget():
    """What was read of files is remembered for a run, in which they do not change."""
    yield
    dependencies.imports_of.cache_clear()
    dependencies._checksum.cache_clear()


@pytest.fixture
def copy(tmp_path, monkeypatch):
    """A copy of the workflow in whose files things can be changed."""
    for name in ("shiftlr", "shiftbench", "scripts"):
        shutil.copytree(WORKFLOW / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "*.nb?"))
    monkeypatch.setattr(dependencies, "ROOT", tmp_path)
    return tmp_path


def code(*entries):
    """The checksum as a new process would find it."""
    dependencies.imports_of.cache_clear()
    dependencies._checksum.cache_clear()
    return code_of(*entries)


def concrete(found):
    """The methods among some files."""
    return {Path(name).stem for name in found if Path(name).parent.name == "methods"} & (
        METHODS | {"confident_learning"}
    )


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_fit_depends_on_its_own_method_and_on_no_other(method):
    found = names(SCRIPTS / "fit.py", methods.file_of(method), "shiftbench.metrics")
    assert concrete(found) == {method}
    assert {
        "shiftbench/fit.py",
        "shiftbench/metrics.py",
        "shiftlr/methods/base.py",
        "shiftlr/model_selection/tuning.py",
    } <= found
    assert not any(
        name.startswith(("shiftbench/present", "shiftbench/verdicts", "shiftbench/config")) for name in found
    )


def test_a_method_that_builds_on_another_depends_on_both():
    found = names(SCRIPTS / "fit.py", "shiftbench.methods.confident_learning")
    assert concrete(found) == {"confident_learning", "standard"}


def test_a_fit_has_solvers_and_all_packages_on_the_way():
    found = names(methods.file_of("robust"))
    assert {"shiftlr/__init__.py", "shiftlr/methods/__init__.py", "shiftlr/solvers/__init__.py"} <= found
    assert {"shiftlr/solvers/problem.py", "shiftlr/solvers/loss.py"} <= found


@pytest.mark.parametrize("dataset", plugins.files("datasets"))
def test_preparing_data_depends_on_neither_solvers_nor_fits(dataset):
    found = names(SCRIPTS / "prepare.py", f"shiftbench.datasets.{dataset}", "shiftbench.noise")
    assert {f"shiftbench/datasets/{dataset}.py", "shiftbench/datasets/base.py", "shiftbench/noise.py"} <= found
    assert not any(
        name.startswith(("shiftlr/solvers", "shiftlr/model_selection", "shiftbench/present")) for name in found
    )
    assert "shiftbench/fit.py" not in found and not concrete(found)
    others = set(plugins.files("datasets")) - {dataset}
    assert not found & {f"shiftbench/datasets/{name}.py" for name in others}


@pytest.mark.parametrize(
    "script", ["fetch", "provenance", "prepare", "combine", "manifest", "judge", "tabulate", "compile"]
)
def test_steps_that_fit_nothing_do_not_depend_on_solvers(script):
    found = names(SCRIPTS / f"{script}.py")
    assert not any(name.startswith("shiftlr/solvers") for name in found) and not concrete(found)
    assert "shiftbench/fit.py" not in found and "shiftbench/run/steps.py" not in found


def test_editing_the_manifest_reruns_the_manifest():
    assert "shiftbench/run/manifest.py" in names(SCRIPTS / "manifest.py")
    others = [path for path in sorted(SCRIPTS.glob("*.py")) if path.stem != "manifest"]
    assert not any("shiftbench/run/manifest.py" in names(path) for path in others)


def test_every_script_of_a_rule_can_be_followed():
    for script in sorted(SCRIPTS.glob("*.py")):
        if not script.stem.startswith("bench"):
            assert {f"scripts/{script.name}", "shiftbench/run/job.py"} <= names(script)


def test_an_edit_counts_and_touching_does_not(copy):
    script, edited = copy / "scripts" / "fit.py", copy / "shiftbench" / "metrics.py"
    before = code(script, "shiftbench.metrics"), code(copy / "scripts" / "combine.py")
    os.utime(edited, times=(1.0, 1.0))
    os.utime(script, times=(1.0, 1.0))
    assert code(script, "shiftbench.metrics") == before[0]
    edited.write_text(edited.read_text() + "# more\n")
    after = code(script, "shiftbench.metrics"), code(copy / "scripts" / "combine.py")
    assert after[0] != before[0] and after[1] == before[1]
    edited.write_text(edited.read_text().removesuffix("# more\n"))
    assert code(script, "shiftbench.metrics") == before[0]


@pytest.mark.parametrize("module", ["shiftlr/solvers/loss.py", "shiftbench/plugins.py", "shiftlr/methods/__init__.py"])
def test_an_edit_of_what_is_imported_indirectly_counts(copy, module):
    entries = copy / "scripts" / "fit.py", copy / "shiftlr" / "methods" / "robust.py"
    before = code(*entries)
    (copy / module).write_text((copy / module).read_text() + "# more\n")
    assert code(*entries) != before


def test_an_edit_of_one_method_leaves_the_fits_of_others_alone(copy):
    def fits():
        return {
            name: code(copy / "scripts" / "fit.py", copy / "shiftlr" / "methods" / f"{name}.py") for name in METHODS
        }

    before = fits()
    (copy / "shiftlr" / "methods" / "svm.py").write_text((copy / "shiftlr" / "methods" / "svm.py").read_text() + "\n")
    after = fits()
    assert {name for name in METHODS if before[name] != after[name]} == {"svm"}


def test_a_copy_has_the_same_code(copy):
    here = code(copy / "scripts" / "fit.py", "shiftbench.noise")
    dependencies.ROOT = WORKFLOW
    assert code(SCRIPTS / "fit.py", "shiftbench.noise") == here


def test_the_place_of_a_plug_in_does_not_count(copy, tmp_path_factory):
    checksums = set()
    for _ in range(3):
        mine = tmp_path_factory.mktemp("a") / "gce.py"
        mine.write_text("from shiftlr.methods.standard import StandardLogisticRegression\n")
        checksums.add(code(copy / "scripts" / "fit.py", mine))
        assert copy / "shiftlr" / "methods" / "standard.py" in files_of(mine)
    assert len(checksums) == 1


@pytest.fixture
def written(copy):
    def write(text):
        path = copy / "shiftbench" / "mine.py"
        path.write_text(text)
        dependencies.imports_of.cache_clear()
        return {found.relative_to(copy).as_posix() for found in files_of("shiftbench.mine")} - {
            *("shiftbench/mine.py", "shiftbench/__init__.py", "shiftlr/__init__.py")
        }

    return write


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("import numpy, json\nfrom scipy import sparse\n", set()),
        ("import shiftbench.counts\n", {"shiftbench/counts.py"}),
        ("import shiftbench.counts as c, shiftbench.files\n", {"shiftbench/counts.py", "shiftbench/files.py"}),
        ("from shiftbench import counts\n", {"shiftbench/counts.py"}),
        ("from shiftbench.counts import SCORES\n", {"shiftbench/counts.py"}),
        ("def f():\n    from shiftbench import counts\n", {"shiftbench/counts.py"}),
        ("try:\n    import shiftbench.counts\nexcept ImportError:\n    pass\n", {"shiftbench/counts.py"}),
        ("if 1:\n    import shiftbench.counts\n", {"shiftbench/counts.py"}),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import shiftbench.counts\n", set()),
        ("import typing\nif typing.TYPE_CHECKING:\n    from shiftbench import counts\n", set()),
        ("text = 'import shiftbench.counts'\n", set()),
    ],
)
def test_imports_are_found_wherever_they_stand_but_for_those_of_type_checkers(written, text, wanted):
    assert written(text) == wanted


@pytest.mark.parametrize(
    "text", ["from . import counts\n", "x = 1\nfrom .counts import SCORES\n", "from .. import a\n"]
)
def test_relative_imports_are_refused(written, text):
    line = 2 if text.startswith("x") else 1
    with pytest.raises(ValueError, match=rf"mine\.py: line {line}: a relative import; write the whole name"):
        written(text)


def test_a_module_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"shiftbench\.nothing: is no module of shiftlr or shiftbench"):
        files_of("shiftbench.nothing")


def test_circles_of_imports_end(copy):
    (copy / "shiftbench" / "mine.py").write_text("import shiftbench.yours\n")
    (copy / "shiftbench" / "yours.py").write_text("import shiftbench.mine\n")
    assert {path.name for path in files_of("shiftbench.mine")} == {"__init__.py", "mine.py", "yours.py"}


def wildcards(experiment, method):
    return SimpleNamespace(experiment=experiment, method=method, block="0")


def test_the_code_of_a_fit_differs_by_its_method_s_file(steps):
    codes = {
        name: steps.fit_code(wildcards("table2", name)) for name in steps.config["experiments"]["table2"]["methods"]
    }
    assert codes["robust"] == codes["theta_larger"] == codes["shifts_smaller"]  # the same file
    assert codes["prefilter"] == codes["prefilter_majority"]
    assert len(set(codes.values())) == 5


def test_data_that_are_drawn_again_are_part_of_a_fit(steps):
    robust = methods.file_of("robust")
    plain = code_of(SCRIPTS / "fit.py", robust, "shiftbench.metrics")
    drawn = code_of(
        SCRIPTS / "fit.py", robust, "shiftbench.metrics", "shiftbench.datasets.simulated", "shiftbench.noise"
    )
    assert steps.fit_code(wildcards("table1", "robust")) == drawn != plain
    assert steps.fit_code(wildcards("table2", "robust")) == plain


def test_the_code_of_prepared_data_differs_by_the_dataset(steps):
    codes = {name: steps.prepare_code(name) for name in ("table1", "svm", "table2", "table4")}
    assert codes["table1"] == codes["svm"] and len(set(codes.values())) == 3


def test_a_file_in_r_is_part_of_the_module_of_its_name(copy):
    own, other = copy / "shiftbench" / "methods" / "glmnet_path.py", copy / "shiftlr" / "methods" / "robust.py"
    assert own.with_suffix(".R") in files_of(own)
    before = code(own), code(other)
    with own.with_suffix(".R").open("a") as file:
        file.write("# a change\n")
    assert code(own) != before[0] and code(other) == before[1]
