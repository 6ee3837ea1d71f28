"""What a config can name, with plug-ins: what is there is found, and what is wrong with it is said in one line."""

import pytest
from refusals import assert_refused
from shiftbench import metrics, noise
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete

PLUGINS = {
    "methods/gce_by_hand": "from shiftlr.methods.standard import StandardLogisticRegression\n"
    "class Gce(StandardLogisticRegression):\n    pass\n",
    "methods/broken_method": "import nothing_like_it\n",
    "methods/two": "from sklearn.base import BaseEstimator\nclass A(BaseEstimator): ...\nclass B(BaseEstimator): ...\n",
    "datasets/iris": "DEFAULTS = {'size': 3}\n"
    "def load(settings, rng): ...\n"
    "def check(settings):\n"
    "    if settings['size'] < 1:\n        yield f\"size: {settings['size']} is too small\"\n",
    "datasets/plain": "def load(settings, rng): ...\n",
    "datasets/idle": "",
    "datasets/broken": "1 / 0\n",
    "noise/drift": "def drift(*, by, also=1):\n    return by + 1\n",
    "noise/broken_noise": "import nothing_like_it\n",
    "metrics/answer": "def answer(outcome, n=1): ...\n",
    "metrics/empty": "",
    "tables/mine": "def build(context): ...\n",
    "tables/strict": "SETTINGS = {'colour': 1}\ndef build(context): ...\n",
    "figures/pie": "SETTINGS = {}\n",
}


@pytest.fixture
def catalog(tmp_path):
    for name, text in PLUGINS.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    return Catalog(tmp_path)


def test_parameters_of_methods(catalog):
    assert catalog.parameters("svm") == ["C", "fit_intercept", "max_iter", "tol"]
    assert catalog.parameters("gce_by_hand") == catalog.parameters("standard")
    assert "n_splits" in Catalog().parameters("confident_learning")
    with pytest.raises(
        ValueError, match=r"there is no method 'gce_by_hand'; known are bi_tempered, bianco_yohai, cleanlab_confident, "
    ):
        Catalog().parameters("gce_by_hand")


def test_datasets_say_what_is_wrong_with_their_settings(catalog):
    assert list(catalog.data_problems("iris", {})) == [] == list(catalog.data_problems("plain", {"any": 1}))
    assert list(catalog.data_problems("iris", {"size": 0})) == ["size: 0 is too small"]
    assert list(catalog.data_problems("iris", {"siz": 0, "a": 1})) == ["a, siz: unknown; iris has size"]
    with pytest.raises(ValueError, match=r"idle\.py: must define a function 'load'"):
        catalog.data_problems("idle", {})


def test_noise_and_metrics_are_functions(catalog):
    assert catalog.noise("uniform") is noise.uniform and catalog.noise("drift")(by=1) == 2
    assert catalog.metric("precision_at_50") is metrics.precision_at and catalog.metric("f1") is metrics.f1
    assert catalog.metric("answer").__name__ == "answer" == catalog.metric("answer_3").__name__


def test_layouts_and_their_settings(catalog):
    about = {"of": [], "title": "", "section": ""}
    assert catalog.layout_problems("tables", about | {"layout": "mine", "any": 1}) == []
    assert catalog.layout_problems("tables", about | {"layout": "strict", "colour": 1}) == []
    assert catalog.layout_problems("tables", about | {"layout": "strict", "b": 1, "a": 2}) == [
        "a: is unknown; strict has colour",
        "b: is unknown; strict has colour",
    ]
    assert catalog.layout_problems("figures", about | {"layout": "pie", "x": 1}) == [
        "x: is unknown; pie has no settings"
    ]
    (problem,) = catalog.layout_problems("tables", about | {"layout": "pie"})
    assert problem.startswith("layout: there is no 'pie'; known are ") and "mine" in problem


def test_scorers_are_scikit_learn_s_and_the_library_s_own():
    assert {"f1", "accuracy", "roc_auc", "noise_likelihood"} <= set(
        Catalog().scorers()
    ) and "f2" not in Catalog().scorers()


def config(folder, **changes):
    """An experiment whose parts all are plug-ins."""
    about = {
        "dataset": "iris",
        "methods": ["gce_by_hand"],
        "noise": {"kind": "drift", "by": 1},
        "metrics": ["answer"],
        "table": {"layout": "mine"},
    }
    return {
        "plugins": str(folder),
        "methods": {"gce_by_hand": {}},
        "figures": {"pie": {}},
        "experiments": {"e": about | changes},
    }


def test_plug_ins_are_as_good_as_the_package_s_own(catalog):
    full = complete(config(catalog.folder), catalog=Catalog)
    assert full["experiments"]["e"]["methods"]["gce_by_hand"]["method"] == "gce_by_hand"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"dataset": "broken"}, ["experiments.e.dataset", "ZeroDivisionError: division by zero"]),
        ({"dataset": "idle"}, ["experiments.e.dataset", "idle.py: must define a function 'load'"]),
        ({"dataset": "nope"}, ["experiments.e.dataset", "no dataset 'nope'", "iris", "simulated"]),
        ({"data": {"size": 0}}, ["experiments.e.scenarios.all.data.size", "0 is too small"]),
        (
            {"noise": {"kind": "broken_noise"}},
            ["experiments.e.scenarios.all.noise.kind", "ModuleNotFoundError", "nothing"],
        ),
        ({"noise": {"kind": "drift"}}, ["experiments.e.scenarios.all.noise", "drift needs by"]),
        ({"noise": {"kind": "drift", "by": "x"}}, ["experiments.e.scenarios.all.noise", "TypeError"]),
        ({"noise": {"kind": "drift", "b": 1}}, ["experiments.e.scenarios.all.noise", "no setting 'b'", "by, also"]),
        ({"metrics": ["empty"]}, ["experiments.e.metrics", "empty.py: must define a function 'empty'"]),
        (
            {"methods": {"m": {"method": "broken_method"}}},
            ["experiments.e.methods.m", "ModuleNotFoundError: No module"],
        ),
        ({"methods": {"m": {"method": "two"}}}, ["experiments.e.methods.m", "exactly one estimator class, found A, B"]),
        (
            {"table": {"layout": "strict", "color": 1}},
            ["experiments.e.table.color", "is unknown; strict has", "colour"],
        ),
    ],
)
def test_a_plug_in_that_is_wrong_or_used_wrongly_is_refused_in_a_line(catalog, changes, words):
    assert_refused(config(catalog.folder, **changes), words)


def test_a_plug_in_with_the_name_of_another_is_refused(catalog):
    (catalog.folder / "datasets" / "colon.py").write_text("")
    lines = ["experiments.e.dataset", "'colon' is both", "rename yours"]
    assert_refused(config(catalog.folder), lines)
