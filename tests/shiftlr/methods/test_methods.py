"""Every file in methods/ is a method: a new file is tested the moment it exists. Other folders may add more."""

import pickle
import shutil
import subprocess
import sys
import textwrap
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from problems import random_problem
from shiftlr import methods
from shiftlr.model_selection import tune_on_dev
from sklearn.base import BaseEstimator, clone

X_ALL, Y_ALL, _ = random_problem(1, 550, 3, noise=0.1)
X, Y, TEST = X_ALL[:150], Y_ALL[:150], (X_ALL[150:], Y_ALL[150:])


def test_the_report_s_methods_are_known():
    assert {"standard", "robust", "flipping", "prefilter", "svm"} <= set(methods.known())
    assert not {"base", "__init__"} & set(methods.known())


@pytest.mark.parametrize("name", methods.known())
def test_a_file_defines_one_estimator(name):
    kind = methods.load(name)
    assert issubclass(kind, BaseEstimator) and kind.__module__ == f"shiftlr.methods.{name}"
    assert all(callable(getattr(kind, wanted)) for wanted in ("get_params", "set_params", "fit", "predict"))
    assert methods.load(name) is kind
    assert methods.file_of(name) == Path(methods.__file__).with_name(f"{name}.py")


@pytest.mark.parametrize("name", methods.known())
def test_a_method_can_be_tuned(name):
    kind = methods.load(name)
    penalised = {"penalty": "l2", "alpha": 1.0} if "penalty" in kind().get_params() else {}
    grid = getattr(kind, "grid", {})
    settings = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    first, second = (tune_on_dev(kind(**penalised), settings, X, Y, *TEST) for _ in range(2))
    assert first.score > 0.7
    assert first.params == second.params and first.params in settings
    assert [row["score"] for row in first.rows] == [row["score"] for row in second.rows]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("name", methods.known())
def test_a_clone_learns_the_same(name):
    first = methods.load(name)().fit(X, Y)
    second = clone(first).fit(X, Y)
    assert first.get_params() == second.get_params() == methods.load(name)().get_params()
    for attribute, value in vars(first).items():
        if isinstance(value, np.ndarray | float | int):
            np.testing.assert_array_equal(value, getattr(second, attribute), err_msg=attribute)
    np.testing.assert_array_equal(first.predict(TEST[0]), second.predict(TEST[0]))


@pytest.mark.parametrize("name", ["forest", "base", "__init__", "robust.py", ""])
def test_an_unknown_name_is_refused(name):
    with pytest.raises(ValueError) as caught:
        methods.load(name)
    assert f"method {name!r} is not known" in str(caught.value)
    assert ", ".join(methods.known()) in str(caught.value) and "methods/" in str(caught.value)


IMPORTS = "from sklearn.base import BaseEstimator\nfrom shiftlr.methods.svm import LinearSVM\n\n"
ESTIMATOR = """
    class {}(BaseEstimator):
        def __init__(self, level=1):
            self.level = level

        def fit(self, X, y):
            return self
"""


def write(path, *names, before=IMPORTS):
    path.parent.mkdir(exist_ok=True)
    path.write_text(before + "".join(textwrap.dedent(ESTIMATOR.format(name)) for name in names))
    return path


@pytest.fixture
def folder(tmp_path):
    """An empty folder; what was imported from it is forgotten afterwards."""
    yield tmp_path
    for name in [name for name in sys.modules if name.startswith("shiftlr_plugins.")]:
        del sys.modules[name]


def test_a_folder_adds_methods(folder):
    path = write(folder / "rival.py", "Rival")
    write(folder / "_helper.py", "One", "Two")
    write(folder / "__init__.py")
    assert methods.known([folder]) == sorted([*methods.known(), "rival"])
    assert methods.known([str(folder), folder]) == methods.known([folder])  # the same folder twice is no conflict
    assert methods.file_of("rival", [folder]) == path
    kind = methods.load("rival", [folder])
    assert kind.__name__ == "Rival" and kind.__module__ == "shiftlr_plugins.methods.rival"
    assert methods.load("rival", [folder]) is kind
    assert methods.load("robust", [folder]) is methods.load("robust")
    assert pickle.loads(pickle.dumps(kind(level=3))).level == 3
    with pytest.raises(ValueError, match="method 'rival' is not known"):
        methods.load("rival")
    with pytest.raises(ValueError, match=rf"known are bi_tempered, .*rival.* \(files in methods/, {folder.name}/\)"):
        methods.load("forest", [folder])


def test_pickles_are_read_in_a_process_that_loaded_the_method(folder):
    write(folder / "rival.py", "Rival")
    code = (
        "import pickle, sys; from shiftlr import methods\n"
        "kind = methods.load('rival', [sys.argv[1]])\n"
        "print(pickle.loads(pickle.dumps(kind(level=4))).level, end='')"
    )
    done = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True)
    assert done.stdout == "4"


def test_files_of_one_name_in_two_folders_are_two_methods(folder):
    one, two = (write(folder / place / "rival.py", name) for place, name in (("a", "One"), ("b", "Two")))
    assert methods.load("rival", [one.parent]).__name__ == "One"
    assert methods.load("rival", [two.parent]).__name__ == "Two"
    with pytest.raises(ValueError) as caught:
        methods.known([one.parent, two.parent])
    assert str(one) in str(caught.value) and str(two) in str(caught.value)


def test_a_method_of_the_library_cannot_be_replaced(folder):
    mine = write(folder / "robust.py", "Mine")
    for call in (methods.known, lambda folders: methods.load("svm", folders)):
        with pytest.raises(ValueError) as caught:
            call([folder])
        assert "method 'robust' has two files" in str(caught.value)
        assert str(mine) in str(caught.value) and str(methods.file_of("robust")) in str(caught.value)


@pytest.mark.parametrize(
    ("names", "found"), [([], "none"), (["One", "Two"], "One, Two")], ids=["no class", "two classes"]
)
def test_a_file_without_exactly_one_class_is_refused(folder, names, found):
    write(folder / "rival.py", *names)
    with pytest.raises(ValueError, match=rf"rival\.py: must define exactly one estimator class, found {found}$"):
        methods.load("rival", [folder])


def test_helpers_and_imported_classes_do_not_count(folder):
    write(folder / "rival.py", "Rival", before=IMPORTS + "class Helper:\n    pass\n")
    assert methods.load("rival", [folder]).__name__ == "Rival"


def test_a_file_that_cannot_be_imported_is_tried_again(folder):
    path = write(folder / "rival.py", "Rival", before="import no_such_module\n")
    with pytest.raises(ImportError, match="no_such_module"):
        methods.load("rival", [folder])
    assert "shiftlr_plugins.methods.rival" not in sys.modules
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    assert methods.load("rival", [write(path, "Rival").parent]).__name__ == "Rival"


@pytest.mark.parametrize(
    ("folders", "message"),
    [(["nowhere"], "nowhere: there is no such folder of methods"), ("methods", "folders='methods': must be a list")],
)
def test_folders_that_are_none(folders, message):
    with pytest.raises(ValueError, match=message):
        methods.known(folders)
