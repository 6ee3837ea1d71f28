"""What is beyond the report, and what of the report must not need it."""

import pytest
from refusals import assert_refused
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from shiftbench.config.plan import target_of
from small_config import ONE, small

TWO = {"target": "beyond", "data": {"features": 2}, "dataset": "simulated", "scenarios": {"s": {}, "t": {}}}


def with_two(**changes):
    return small(**{"experiments.two": dict(TWO), **changes})


def test_views_of_runs_beyond_the_report_are_beyond_it():
    tables = {"a": {"layout": "means", "of": ["one"]}, "b": {"layout": "means", "of": ["one.s", "two.s"]}}
    config = complete(with_two(tables=tables, figures={"two": {"layout": "noise_curve"}, "plate": {}}), catalog=Catalog)
    found = {name: target_of(config, name) for name in ("one", "two", "a", "b", "plate")}
    assert found == {"one": "report", "two": "beyond", "a": "report", "b": "beyond", "plate": "report"}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("only", ["one", "two"], ["only", "'two' is beyond the report", "run `snakemake --cores N two`"]),
        (f"{ONE}.table.gain_beside", "two", [f"{ONE}.table.gain_beside", "'two' is beyond the report"]),
        ("figures.one", {"layout": "noise_curve", "of": ["two"]}, ["figures.one.of", "beyond", "use another name"]),
        ("experiments.two.target", "elsewhere", ["experiments.two.target", "allowed are report, beyond"]),
        ("experiments.beyond", {"dataset": "simulated"}, ["experiments.beyond", "the workflow itself uses"]),
    ],
)
def test_the_report_needs_nothing_of_it(key, value, words):
    assert_refused(with_two(**{key: value}), words)
