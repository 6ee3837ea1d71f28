"""Named-entity recognition through real Snakemake, on stand-ins for all four sources."""

import shutil

import pandas as pd
import pytest
import yaml
from conftest import Clone

NER = """
ner:
  folds: 2
  sigma2s: [10.0, 0.1]
  lams: [1.0, 0.1, 0.01]
  resamples: 20
  ks: [20, 50]
  labels:
    turker: {title: one Turker}
    per_article: {title: a Turker per article}
    auto: {title: automatic, negatives: 1000, lam: share}
    gold: {title: true labels, negatives: 1000, like: auto}
  methods:
    standard: {}
    flipping: {params: {tol: 0.001}}
    robust: {}
    prefilter: {grid: {k: [1, 2]}}
  thinning: {shares: [1.0, 0.1], draws: 1, em_tol: 0.001}
  curve: {shares: [0.0, 0.2], train: 0.5, held_out: 0.3, sigma2s: [10.0, 0.1]}
"""
TABLES = ["table3", "table4", "table5", "table8", "label_errors", "thinning"]


def make_offline(clone):
    """Named-entity recognition added, from hosts that are not there."""
    clone.path("config.yaml").write_text(clone.path("config.yaml").read_text() + NER)
    clone.edit("config.yaml", "  standard: {}\n  robust:\n", "  standard: {}\n  flipping: {}\n  robust:\n")
    sources = yaml.safe_load(clone.path("sources.yaml").read_text())
    for source in sources.values():
        for name, file in source["files"].items():
            file["places"] = [{"url": f"http://127.0.0.1:9/{name}"}]
    clone.path("sources.yaml").write_text(yaml.safe_dump(sources))


@pytest.fixture(scope="module")
def recognised(finished, tmp_path_factory):
    """A finished run with named-entity recognition that no test changes."""
    folder = tmp_path_factory.mktemp("ner") / "clone"
    shutil.copytree(finished.folder, folder, symlinks=True)
    done = Clone(folder)
    make_offline(done)
    done.printed = done.run("--cores", "2")
    return done


def test_everything_is_there(recognised):
    print(recognised.printed)
    assert 0
