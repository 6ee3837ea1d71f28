"""The target `bench`: speed against other solvers, in an environment of their own."""

import sys

import pytest


@pytest.fixture
def with_peers(clone):
    """An environment that is there already: the Python of the tests, with those peers that it has."""
    python = clone.path(".venv-bench/bin/python")
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n', encoding="utf-8")
    python.chmod(0o755)
    clone.path(".venv-bench/.installed").touch()
    clone.cut_off()
    return clone


def test_bench_builds_the_environment_of_the_peers_and_is_no_part_of_all(clone):
    assert clone.planned("bench") == {"bench": 1, "fetch": 2, "peers": 1}
    assert not {"bench", "peers"} & set(clone.planned())


def test_bench_writes_its_files_and_says_what_it_skipped(with_peers):
    assert with_peers.planned("bench") == {"bench": 1, "fetch": 2}
    options = "--quick --only svm_small l1_point_1 l1_colon"
    printed = with_peers.run("--cores", "1", "bench", SHIFTLR_BENCH=options)
    assert "Who wins where" in printed and "skipped: adelie is not installed" in printed
    assert "skipped: alon1999 is a stand-in here" in printed
    names = {path.name for path in with_peers.path("results/bench").iterdir()}
    assert {"results.csv", "summary.csv", "summary.md", "summary.tex"} <= names
    assert with_peers.path("results/logs/bench.log").read_text().count("svm_small") == 1
    assert with_peers.planned("bench") == {"bench": 1}  # other options, so there is something to do
