"""Sets with real label noise for tests: their stand-ins, files with a change made, and the real ones of a mirror."""

import json
import os
import shutil
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from shiftbench.fetch import sources
from shiftbench.fetch.missing import MissingData

ROOT = Path(__file__).parents[3]
DESCRIBED = sources.load(ROOT / "workflow" / "sources.yaml")
# Each set, and settings that lead to other data.
SETS = {
    "crowdtruth_medical": [{}, {"relation": "treat"}, {"sentences": "adjudicated"}],
    "labelme_crowd": [{}, {"answers": "majority"}],
    "music_genre_crowd": [{}, {"answers": "majority"}],
    "noisebench": [{}, {"noise": "expert", "classes": "person"}, {"test": "dev", "feature_set": "real_words"}],
    "official_conll": [{}, {"classes": "person", "test": "test"}],
    "sentiment_crowd": [{}, {"answers": "majority"}],
    "wikipedia": [{"negatives": 500}, {"negatives": None, "test": "wikigold"}],
    "wrench": [{}, {"set": "sms"}, {"set": "trec"}, {"set": "semeval"}],
}
EVERY = [(name, settings) for name, several in SETS.items() for settings in several]


def module_of(name):
    return import_module(f"shiftbench.datasets.{name}")


def write_source(top, source, kind="standin"):
    """The folder of a source's stand-in, which may be passed off as real."""
    folder = Path(top, source)
    if not folder.is_dir():
        folder.mkdir(parents=True)
        import_module(sources.standin_module(DESCRIBED[source])).write_standin(folder)
        (folder / "provenance.json").write_text(json.dumps({"kind": kind}))
    return str(folder)


def load(name, folders, seed=0, **settings):
    """The parts of a set, and what it says of itself."""
    module = module_of(name)
    given = module.DEFAULTS | settings
    assert list(module.check(given)) == []
    parts = dict(module.load(given | {"folders": folders}, np.random.default_rng(np.random.SeedSequence(seed))))
    return parts, parts.pop("about")


@pytest.fixture(scope="session")
def standins(tmp_path_factory):
    """Folders of all sources of a set, each with its stand-in."""
    top = tmp_path_factory.mktemp("standins")
    return lambda name: {source: write_source(top, source) for source in module_of(name).SOURCES}


@pytest.fixture
def passed_off(tmp_path):
    """A stand-in of one source that says it is real, and may be changed."""
    return lambda source: Path(write_source(tmp_path / "real", source, "real"))


@pytest.fixture(scope="session")
def real(tmp_path_factory):
    """Folders of the real files of some sources; without a mirror, or where they can't be had, the test is skipped."""
    top = tmp_path_factory.mktemp("real_sets")

    def fetch(*names):
        if not os.environ.get("SHIFTLR_MIRROR"):
            pytest.skip("the real files need SHIFTLR_MIRROR")
        about = {"mirror": os.environ["SHIFTLR_MIRROR"], "on_missing": "error", "unreachable": top / "no.json"}
        for name in names:
            if not (top / name).is_dir():
                try:
                    sources.fetch(name, DESCRIBED[name], top / name, **about)
                except MissingData as error:
                    pytest.skip(str(error))
        return {name: str(top / name) for name in names}

    return fetch


def change(path, *replaced, first=True):
    """Change a text file."""
    text = Path(path).read_text(encoding="utf-8")
    for old, new in replaced:
        assert old in text
        text = text.replace(old, new, 1 if first else -1)
    Path(path).write_text(text, encoding="utf-8")


def copy(folder, top):
    """A copy of a folder, to change it."""
    return Path(shutil.copytree(folder, Path(top, Path(folder).name)))
