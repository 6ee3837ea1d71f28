"""Configs that no machine could run are refused by their size, with the limit, before anything is planned."""

import pytest
from refusals import assert_refused, refusals
from shiftbench.catalog import Catalog
from shiftbench.config.limits import _jobs
from shiftbench.config.load import complete
from shiftbench.config.plan import blocks, fits
from small_config import ONE, PROJECT, SCENARIO, completed, small

HUGE = 10**30


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *[(key, HUGE) for key in ("replicates", "replicates_per_job", "resamples")],
        *[(f"{ONE}.{key}", HUGE) for key in ("replicates", "replicates_per_job", "tuning.folds", "tuning.repeats")],
        (f"{SCENARIO}.replicates", HUGE),
    ],
)
def test_counts_have_limits(key, value):
    assert_refused(small(**{key: value}), [key, str(HUGE), "greater than the maximum of 1"])


@pytest.mark.parametrize("value", [HUGE, 100_001])
def test_grids_have_limits(value):
    grid = {"lam": {"from": 1.0, "to": 0.1, "points": value}}
    assert_refused(small(**{"methods.robust.grid": grid}), ["methods.robust.grid.lam.points", "maximum of 100000"])


def test_too_many_jobs_are_refused():
    config = small(**{f"{ONE}.replicates": 1_000_000, "replicates_per_job": 1})
    words = ["3000021 jobs in all", "at most 100000 (most_jobs)", "larger replicates_per_job"]
    assert_refused(config, [f"{ONE}.replicates", *words])
    complete(config | {"most_jobs": 3_000_021}, catalog=Catalog)


@pytest.mark.parametrize("size", [1, 3, 50, 107, 1000])
def test_the_number_of_jobs_is_that_of_the_plan(size):
    config = completed(replicates_per_job=size)
    assert _jobs(config, "one") == len(blocks(config, "one")) + len(fits(config, "one"))


@pytest.mark.parametrize("data", [{"features": 10**12}, {"train": 10**12}, {"test": 10**30}, {"features": HUGE}])
def test_data_that_no_memory_holds_are_refused(data):
    config = small(**{f"{SCENARIO}.data": data})
    words = ["needs about", "MB of memory", "at most 12000 (most_memory_mb)"]
    assert_refused(config, [f"{SCENARIO}.data", *map(str, data.values()), *words])


def test_the_limit_of_memory_is_a_setting():
    config = small(**{f"{SCENARIO}.data": {"features": 100_000}})  # 1500 examples: 3.6 GB with its copies
    complete(config, catalog=Catalog)
    assert_refused(config | {"most_memory_mb": 3000}, [f"{SCENARIO}.data", "about 3.6e+03 MB", "at most 3000"])


def test_rows_of_many_replicates_need_memory_too():
    config = small(**{f"{SCENARIO}.replicates": 1_000_000, "replicates_per_job": 1_000_000, "most_memory_mb": 1000})
    assert_refused(config, [f"{SCENARIO}.data", "1000000 replicates in a job"])


def test_the_memory_of_a_plug_in_is_what_it_says(tmp_path):
    (tmp_path / "datasets").mkdir()
    path = tmp_path / "datasets" / "big.py"
    config = small(**{"plugins": str(tmp_path), f"{ONE}.dataset": "big", f"{ONE}.data": {}})
    del config["experiments"]["one"]["scenarios"]["t"]
    path.write_text("def load(settings, rng): ...\ndef memory(settings, replicates): return 1e12\n", encoding="utf-8")
    assert_refused(config, [f"{SCENARIO}.data", "1e+06 MB", "most_memory_mb"])


@pytest.mark.parametrize("seed", [2**32, 10**12, HUGE])
def test_seeds_that_lead_beyond_what_folds_take_are_refused(seed):
    assert_refused(small(**{f"{ONE}.seed": seed}), [f"{ONE}.seed", str(seed), "at most 4294967295"])


def test_seeds_are_multiplied_by_the_repeats():
    config = small(**{f"{ONE}.seed": 20_260_101, f"{ONE}.tuning": {"repeats": 10}})
    complete(config, catalog=Catalog)
    config["experiments"]["one"]["tuning"]["repeats"] = 1000
    assert_refused(config, [f"{ONE}.seed", "20260101", "1000 repeats", "at most 4294967295"])


def test_the_project_s_config_is_far_from_the_limits():
    complete(PROJECT | {"most_jobs": 5000, "most_memory_mb": 100}, catalog=Catalog)
    assert refusals(PROJECT | {"most_jobs": 10})
