"""Files that are found by name: of the package and of a folder of one's own."""

import os
import sys

import pytest
from shiftbench import metrics, noise, plugins
from shiftbench.datasets import colon
from shiftbench.plugins import files, folders, load_file, load_function

OWN = [  # datasets of the package
    *("colon", "conll_person", "crowdtruth_medical", "file", "labelme_crowd", "music_genre_crowd", "noisebench"),
    *("official_conll", "planted", "sentiment_crowd", "simulated", "wikipedia", "wrench"),
]


@pytest.fixture
def folder(tmp_path):
    """Plug-ins, written as {kind/name: text}."""

    def write(texts):
        for name, text in texts.items():
            path = tmp_path / "mine" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path / "mine"

    yield write
    for name in [name for name in sys.modules if name.startswith("shiftbench_plugins.")]:
        del sys.modules[name]


def test_the_package_s_own_files_are_found():
    assert list(files("datasets")) == OWN
    assert {"confident_learning", "glmnet_path", "label_errors", "prefilter_oracle"} <= set(files("methods"))
    assert {"means", "scores"} <= set(files("tables")) and {"figure1", "plate"} <= set(files("figures"))
    assert not any(name.startswith("_") or name == "base" for kind in plugins.ROOMS for name in files(kind))


@pytest.mark.parametrize("kind", plugins.ROOMS)
def test_every_file_of_the_package_is_what_its_room_says(kind):
    for name in files(kind):
        module = load_file(kind, name)
        assert module.__name__.startswith("shiftbench.") and module.__file__ == str(files(kind)[name])
        wanted = {"datasets": "load", "tables": "build"}.get(kind)
        assert wanted is None or callable(getattr(module, wanted)), name


def test_a_file_of_one_s_own_is_found_beside_them(folder):
    mine = folder(
        {"datasets/iris": "def load(settings, rng):\n    return {}\n", "datasets/_shared": "", "datasets/base": ""}
    )
    assert list(files("datasets", mine)) == [*OWN, "iris"]
    assert files("datasets", mine)["iris"] == mine / "datasets" / "iris.py"
    assert load_file("datasets", "iris", mine).load({}, None) == {}
    assert load_file("datasets", "colon", mine) is colon
    assert list(files("datasets")) == OWN


def test_names_that_the_package_keeps_for_itself_are_free_in_one_s_own_folder(folder):
    mine = folder({"datasets/blocks": "def load(settings, rng):\n    return 'mine'\n"})
    assert load_file("datasets", "blocks", mine).load({}, None) == "mine"


def test_only_folders_that_are_there_are_looked_into(folder):
    mine = folder({"noise/drift": ""})
    assert folders("datasets", mine) == folders("datasets", None) == [plugins.ROOMS["datasets"]]
    assert folders("noise", mine) == [mine / "noise"] and folders("noise", None) == []
    assert folders("metrics", mine) == []


@pytest.mark.parametrize("kind", ["datasets", "tables", "figures"])
def test_a_name_that_is_not_there_is_refused_with_those_that_are(folder, kind):
    mine = folder({f"{kind}/mine": ""})
    with pytest.raises(
        ValueError, match=rf"there is no {kind[:-1]} 'yours'; known are .*mine \(one file each in .* and "
    ) as caught:
        load_file(kind, "yours", mine)
    assert str(mine / kind) in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("datasets", "colon"), ("tables", "means"), ("figures", "plate"), ("methods", "confident_learning")],
)
def test_a_name_that_the_package_has_is_refused(folder, kind, name):
    mine = folder({f"{kind}/{name}": ""})
    with pytest.raises(
        ValueError, match=rf"{kind}: '{name}' is both .*shiftbench.* and .*mine.*{name}\.py; rename yours"
    ):
        files(kind, mine)


def test_a_module_is_imported_once_also_by_a_relative_path(folder, monkeypatch):
    mine = folder({"datasets/iris": "COUNT = []\n"})
    monkeypatch.chdir(mine.parent)
    once = load_file("datasets", "iris", "mine")
    assert load_file("datasets", "iris", "mine") is once is load_file("datasets", "iris", mine)
    assert os.path.isabs(once.__file__)


def test_the_same_name_in_another_folder_is_another_module(folder, tmp_path):
    mine = folder({"datasets/iris": "WHO = 'mine'\n"})
    (tmp_path / "yours" / "datasets").mkdir(parents=True)
    (tmp_path / "yours" / "datasets" / "iris.py").write_text("WHO = 'yours'\n")
    assert load_file("datasets", "iris", mine).WHO == "mine"
    assert load_file("datasets", "iris", tmp_path / "yours").WHO == "yours"


@pytest.mark.parametrize(
    ("text", "error"),
    [("import nothing_like_it", ModuleNotFoundError), ("1 / 0", ZeroDivisionError), ("def", SyntaxError)],
)
def test_a_broken_file_says_so_every_time(folder, text, error):
    mine = folder({"datasets/iris": text})
    for _ in range(2):  # no half-made module stays behind
        with pytest.raises(error):
            load_file("datasets", "iris", mine)
    assert "shiftbench_plugins.datasets.iris" not in sys.modules
    (mine / "datasets" / "iris.py").write_text("GOOD = True\n")
    assert load_file("datasets", "iris", mine).GOOD


def test_functions_of_the_package_are_found_by_name():
    assert load_function("noise", "uniform") is noise.uniform and load_function("metrics", "f1") is metrics.f1


@pytest.mark.parametrize(
    ("kind", "name"), [("noise", "_truth"), ("noise", "np"), ("noise", "Callable"), ("metrics", "count_by_group")]
)
def test_what_a_module_imports_or_hides_is_not_found(kind, name):
    with pytest.raises(ValueError, match=rf"there is no {kind.removesuffix('s')} '{name}'; known are "):
        load_function(kind, name)


def test_functions_of_one_s_own_are_found_in_a_file_of_their_name(folder):
    texts = {
        "noise/drift": "def drift(*, by):\n    return by\n",
        "metrics/answer": "def answer(outcome):\n    return 42\n",
    }
    mine = folder(texts)
    assert load_function("noise", "drift", mine)(by=3) == 3 and load_function("metrics", "answer", mine)(None) == 42
    assert load_function("noise", "uniform", mine) is noise.uniform
    with pytest.raises(
        ValueError, match="there is no noise 'drft'; known are drift, group, one_class, pairs, region, side, uniform"
    ):
        load_function("noise", "drft", mine)


def test_a_function_of_one_s_own_must_not_take_the_name_of_another(folder):
    mine = folder({"metrics/f1": "def f1(outcome):\n    return 100\n"})
    with pytest.raises(ValueError, match=r"metrics: 'f1' is both in shiftbench\.metrics and .*f1\.py; rename yours"):
        load_function("metrics", "accuracy", mine)


@pytest.mark.parametrize("text", ["", "def other():\n    pass\n", "drift = 3\n"])
def test_a_file_must_define_the_function_of_its_name(folder, text):
    with pytest.raises(ValueError, match=r"drift\.py: must define a function 'drift'"):
        load_function("noise", "drift", folder({"noise/drift": text}))
