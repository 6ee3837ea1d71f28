"""What is beyond the report, and what of the report must not need it."""

from pathlib import Path

import pytest
import yaml
from refusals import assert_refused
from shiftbench.catalog import Catalog
from shiftbench.config.load import complete
from shiftbench.config.plan import methods_of, target_of, tuning_of
from shiftbench.datasets.simulated import DEFAULTS
from small_config import ONE, small

WHOLE = yaml.safe_load((Path(__file__).parents[3] / "config.yaml").read_text())
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


def scenarios_of(config, experiment):
    """Data, noise, and how standard and robust are tuned, by scenario."""
    return {
        f"{experiment}.{name}": (
            DEFAULTS | about["data"],
            about["noise"],
            [tuning_of(config, experiment, name, method) for method in ("standard", "robust")],
        )
        for name, about in config["experiments"][experiment]["scenarios"].items()
    }


def test_rivals_are_tried_in_every_scenario_of_the_report_s_simulations():
    config = complete({key: WHOLE[key] for key in ("methods", "experiments")})
    report = {}
    for experiment in ("table1", "normal", "svm", "table7"):
        report |= scenarios_of(config, experiment)
    ours = scenarios_of(config, "rivals")
    assert list(ours.values()) == list(report.values()) and len(ours) == 20
    methods = config["experiments"]["rivals"]["methods"]
    assert len(methods) == 10 and {"standard", "prefilter", "flipping", "robust", "svm"} < set(methods)
    for name, (_, _, (tuning, _)) in ours.items():
        run = methods_of(config, "rivals", name.partition(".")[2])
        without = {"svm", "bi_tempered", "bianco_yohai"} if tuning["penalty"] == "l1" else set()
        assert set(run) == set(methods) - without
        assert config["experiments"]["rivals"]["scenarios"][name.partition(".")[2]]["replicates"] == 100


def test_the_ways_to_shift_many_classes_choose_among_as_many_prices():
    config = complete({key: WHOLE[key] for key in ("methods", "experiments")})
    methods = [one for one in config["experiments"]["multiclass"]["methods"].values() if one["method"] == "robust"]
    grids = {one["params"].get("shift", "label"): one["grid"]["lam"] for one in methods}
    assert set(grids) == {"label", "group", "one-vs-all"}
    for shift, lam in grids.items():
        assert lam["from"] == pytest.approx(2.0**0.5 if shift == "group" else 1.0)  # no shifts from there on
        assert (lam["points"], lam["from"] / lam["to"]) == (13, pytest.approx(200.0))
