"""Generated bad configs: each is refused in lines that a person can read, or is a config that can be planned."""

import json

import pytest
from hostile import ODD_NAMES, hostile_configs
from refusals import assert_refused, refusals
from shiftbench.catalog import Catalog
from shiftbench.config import plan
from shiftbench.config.load import complete
from shiftbench.config.schema import ConfigError
from shiftbench.run.steps import Steps
from small_config import ONE, SCENARIO, small

N_PER_SEED = 40


@pytest.mark.parametrize("seed", range(6))
def test_what_is_not_refused_can_be_planned(seed):
    """Neither a traceback nor a hang, nor a page of text."""
    refused = 0
    for path, config in hostile_configs(N_PER_SEED, seed):
        try:
            completed = complete(config, catalog=Catalog)
        except ConfigError as error:
            refused += 1
            lines = str(error).splitlines()
            assert len(lines) <= 51, path
            for line in lines:
                assert line.startswith("config.yaml: ") and line.isprintable() and len(line) < 1100, path
                line.encode("utf-8")
        else:
            _plan(completed)
    assert refused > N_PER_SEED / 2


def _plan(config):
    """All that Snakemake asks before the first job."""
    steps = Steps(config)
    for name in steps.experiments:
        assert steps.rows_of(name)
        json.dumps(steps.prepare_job(name, "0"))
        for fit in plan.fits(config, name)[:3]:
            json.dumps(steps.fit_job(fit))
            assert steps.fit_code(fit) and steps.chosen_by(fit) is not None
    for name in steps.wanted:
        assert steps.files_of(name) and steps.shown_config(name) and steps.category(name)
    for kind, names in {"tables": steps.tables, "figures": steps.figures}.items():
        for name in names:
            assert steps.caption(kind, name) is not None
    for name in config["suspects"]:
        assert plan.fingerprint(steps.listed_settings(name))


PARENTS = ["methods", "experiments", f"{ONE}.scenarios", "tables", "figures", "suspects"]


@pytest.mark.parametrize("name", [name for name in ODD_NAMES if name != "a/b"], ids=repr)
@pytest.mark.parametrize("place", PARENTS)
def test_odd_names_are_refused(place, name):
    config = small(**{"tables": {}, "figures": {}, "suspects": {}})
    at = config
    for key in place.split("."):
        at = at[key]
    at[name] = {}
    line = next(line for line in refusals(config) if line.startswith(f"mine.yaml: {place}: "))
    if isinstance(name, str):
        assert "is no name; a name has lower-case letters, digits and _" in line
    else:
        assert f"the key {name!r} is no text for YAML; put it in quotes" in line


@pytest.mark.parametrize("name", ["a" * 100, "x", "lambda", "true"])
def test_long_and_short_names_are_fine(name):
    complete(small(**{f"methods.{name}": {"method": "svm"}}), catalog=Catalog)


def test_numbers_that_nothing_can_be_computed_with_are_refused_wherever_they_stand():
    for key in ("seed", f"{ONE}.data.features", f"{SCENARIO}.noise.p0", "methods.standard.params.tol"):
        for value in (10**400, -(10**400), 1 << 20_000):  # Python writes the last one out for nobody
            assert_refused(small(**{key: value}), [key, "a whole number of", "bits; at most 1024"])


def test_a_number_that_yaml_takes_for_a_text_is_explained():
    config = small(**{f"{ONE}.tuning": {"tol": "1e-8"}})
    assert_refused(config, [f"{ONE}.tuning.tol", "'1e-8' is not of type number", "as a number write 1e-08"])


def test_a_long_value_does_not_hide_what_is_allowed():
    (line,) = refusals(small(**{"methods.robust.grid": {"lam": ["x" * 100_000]}}))
    assert len(line) < 1100 and line.endswith("must be a finite number greater than 0.0")


def test_many_problems_are_counted():
    lines = refusals(small(only=list(range(200))))
    assert len(lines) == 51 and lines[-1] == "mine.yaml: and 150 more"
