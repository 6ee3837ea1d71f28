"""Stand-ins of all sources of words, and copies of them that are passed off as real."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from shiftbench.datasets import base, conll_person
from shiftbench.datasets.ner import census, conll, crowd, gazetteers
from shiftbench.fetch import sources

ROOT = Path(__file__).parents[3]
STANDINS = {"conll2003": conll, "annie": gazetteers, "names": census, "crowd2014": crowd}  # as in sources.yaml
KINDS = ("auto", "gold", "turker", "per_article")


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Stand-ins of all sources, as the workflow writes them when nothing can be had."""
    top = tmp_path_factory.mktemp("sources")
    described = sources.load(ROOT / "workflow" / "sources.yaml")
    for name, module in STANDINS.items():
        source = described[name]
        for about in source["files"].values():
            about["places"] = [place for place in about["places"] if "mirror" in place]  # there is none
        sources.fetch(name, source, top / name, unreachable=top / "no.json", standin=module.write_standin)
    return {name: str(top / name) for name in STANDINS}


@pytest.fixture
def real(folders, tmp_path, monkeypatch):
    """Copies of some sources, passed off as real, with the report's counts set to those of the test set."""

    def passed_off(*names):
        for name in names:
            shutil.copytree(folders[name], tmp_path / name)
            (tmp_path / name / "provenance.json").write_text(json.dumps({"kind": "real"}))
        test = conll.read(Path(folders["conll2003"], "valid.txt"))
        positives = int(test.is_person.sum())
        monkeypatch.setattr(conll, "TEST_POSITIVES", positives)
        monkeypatch.setattr(conll, "TEST_NEGATIVES", len(test.words) - positives)
        return folders | {name: str(tmp_path / name) for name in names}

    return passed_off


def load(folders, number=0, noise=None, **settings):
    """A replicate of words."""
    about = conll_person.DEFAULTS | {"negatives_per_positive": 2} | settings
    assert list(conll_person.check(about)) == []
    seed = base.seed_of("e.s", number, None, 0)
    return base.draw(conll_person, about | {"folders": folders}, noise, seed, "s", number)


def assert_same(one, other):
    """The same features, labels and places."""
    assert one.about == other.about and list(one.parts) == list(other.parts)
    for name, part in one.parts.items():
        twin = other.parts[name]
        assert (part.X != twin.X).nnz == 0
        for field in ("labels", "truth", "groups"):
            np.testing.assert_array_equal(getattr(part, field), getattr(twin, field))
