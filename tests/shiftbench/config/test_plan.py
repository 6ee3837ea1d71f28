"""From the config to jobs: blocks of replicates, which job needs which, and what each is told."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shiftbench.config.load import complete
from shiftbench.config.plan import (
    Block,
    Fit,
    blocks,
    data_settings,
    fingerprint,
    fit_settings,
    fits,
    methods_of,
    needed,
    segments_of,
)
from small_config import ONE, PROJECT, SCENARIO, changed, completed, small


def config_of(replicates, size, top=None):
    """An experiment with scenarios of so many replicates each."""
    scenarios = {f"s{k}": {"replicates": n} for k, n in enumerate(replicates)}
    about = {"dataset": "simulated", "scenarios": scenarios, "replicates_per_job": size}
    return complete({"methods": {"standard": {}, "robust": {}}, "experiments": {"e": about}} | (top or {}))


def places(cut):
    """(scenario, replicate) in the order in which jobs work through them."""
    return [(name, k) for block in cut for name, first, last in block.segments for k in range(first, last + 1)]


@given(st.lists(st.integers(1, 20), min_size=1, max_size=6), st.integers(1, 50))
def test_blocks_cover_every_replicate_once_whatever_their_size(replicates, size):
    cut = blocks(config_of(replicates, size), "e")
    assert places(cut) == [(f"s{k}", number) for k, n in enumerate(replicates) for number in range(n)]
    sizes = [sum(last - first + 1 for _, first, last in block.segments) for block in cut]
    assert all(count == size for count in sizes[:-1]) and 1 <= sizes[-1] <= size
    assert [block.number for block in cut] == list(range(len(cut)))
    for block in cut:  # of each scenario a single stretch
        names = [name for name, _, _ in block.segments]
        assert len(set(names)) == len(names) and all(first <= last for _, first, last in block.segments)


def test_blocks_reach_over_scenarios():
    assert blocks(config_of([3, 1, 4], 5), "e") == [
        Block(0, (("s0", 0, 2), ("s1", 0, 0), ("s2", 0, 0))),
        Block(1, (("s2", 1, 3),)),
    ]
    assert [block.segments for block in blocks(config_of([4, 2], 2), "e")] == [
        (("s0", 0, 1),),
        (("s0", 2, 3),),
        (("s1", 0, 1),),
    ]


def test_a_block_knows_what_it_holds():
    block = Block(0, (("s", 2, 4), ("t", 0, 0)))
    held = [("s", k) for k in range(6) if block.holds("s", k)] + [("t", k) for k in range(3) if block.holds("t", k)]
    assert held == [("s", 2), ("s", 3), ("s", 4), ("t", 0)] and not block.holds("u", 0)


@pytest.mark.parametrize(("own", "top", "size"), [(None, 3, 3), (2, 3, 2), (None, None, 500)])
def test_an_experiment_s_block_size_wins(own, top, size):
    config = config_of([1000], own, {} if top is None else {"replicates_per_job": top})
    assert blocks(config, "e")[0].segments == (("s0", 0, size - 1),)


def test_every_method_is_run_on_every_block():
    config = config_of([3, 3], 4)
    assert fits(config, "e") == [Fit("e", name, block) for block in (0, 1) for name in ("standard", "robust")]
    assert Fit("e", "standard", 1).path == "e/standard/1"


def test_a_reading_is_run_in_its_scenario_only():
    config = completed(**{"methods.svm": {}, f"{ONE}.scenarios.t.readings": ["svm"], f"{ONE}.replicates_per_job": 52})
    assert [fit for fit in fits(config, "one") if fit.method == "svm"] == [Fit("one", "svm", 1), Fit("one", "svm", 2)]
    cut = blocks(config, "one")
    assert cut[1].segments == (("s", 52, 99), ("t", 0, 3))
    assert segments_of(config, "one", "svm", cut[1]) == [("t", 0, 3)]
    assert list(fit_settings(config, Fit("one", "svm", 1), False)["scenarios"]) == ["t"]


def test_a_scenario_may_name_the_methods_that_are_run_in_it():
    config = completed(**{f"{ONE}.scenarios.t.methods": ["robust"], f"{ONE}.replicates_per_job": 100})
    assert methods_of(config, "one") == methods_of(config, "one", "s") == ["standard", "robust"]
    assert methods_of(config, "one", "t") == ["robust"]
    assert fits(config, "one") == [Fit("one", "standard", 0), Fit("one", "robust", 0), Fit("one", "robust", 1)]
    assert list(fit_settings(config, Fit("one", "robust", 1), False)["scenarios"]) == ["t"]


def test_methods_of_a_scenario_stand_in_the_experiment_s_order():
    methods = {"methods.svm": {}, f"{ONE}.methods": ["standard", "robust", "svm"]}
    config = completed(**methods, **{f"{SCENARIO}.methods": ["svm", "standard"]})
    assert methods_of(config, "one", "s") == ["standard", "svm"]
    assert methods_of(config, "one", "t") == ["standard", "robust", "svm"]


def test_readings_and_extra_methods_are_run_beside_the_methods_that_a_scenario_names():
    named = {
        f"{SCENARIO}.methods": ["robust"],
        f"{SCENARIO}.readings": ["svm"],
        f"{ONE}.methods": ["standard", "robust"],
    }
    config = completed(**{"methods.svm": {}, "methods.prefilter": {}}, **named)
    assert methods_of(config, "one", "s") == ["robust", "svm"]
    assert methods_of(config, "one", "t") == ["standard", "robust"]
    config = completed(**{"methods.svm": {}, "methods.prefilter": {}, "extra_methods": ["prefilter"]}, **named)
    assert set(methods_of(config, "one", "s")) == {"robust", "svm", "prefilter"}


def test_a_job_that_chooses_everything_needs_no_other():
    config = completed()
    assert all(needed(config, fit) == [] for fit in fits(config, "one"))


def test_settings_that_are_kept_come_from_the_block_of_the_first_replicate():
    config = completed(**{f"{ONE}.tuning": {"each": False}, f"{ONE}.replicates_per_job": 40})
    # blocks: s 0-39, s 40-79, s 80-99 with t 0-6
    assert [needed(config, Fit("one", "robust", k)) for k in range(3)] == [
        [],
        [Fit("one", "robust", 0)],
        [Fit("one", "robust", 0)],
    ]


def test_a_penalty_that_another_method_chooses_comes_from_its_job_on_the_same_block():
    config = completed(**{f"{ONE}.tuning": {"alpha_from": "standard"}, f"{ONE}.replicates_per_job": 40})
    for k in range(3):
        assert needed(config, Fit("one", "robust", k)) == [Fit("one", "standard", k)]
        assert needed(config, Fit("one", "standard", k)) == []


def test_a_penalty_is_asked_for_only_where_settings_are_chosen():
    tuning = {"alpha_from": "standard", "each": False}
    config = completed(**{f"{ONE}.tuning": tuning, f"{ONE}.replicates_per_job": 40})
    assert needed(config, Fit("one", "robust", 0)) == [Fit("one", "standard", 0)]
    assert needed(config, Fit("one", "robust", 1)) == [Fit("one", "robust", 0)]
    assert set(needed(config, Fit("one", "robust", 2))) == {Fit("one", "robust", 0), Fit("one", "standard", 2)}


def test_parameters_that_are_taken_over_come_from_the_other_scenario_s_first_block():
    two = {"dataset": "simulated", "replicates": 3, "scenarios": {"u": {"params_from": "one.t"}, "v": {}}}
    config = completed(**{"experiments.two": two, f"{ONE}.replicates_per_job": 40})
    assert needed(config, Fit("two", "robust", 0)) == [Fit("one", "robust", 2)]
    within = completed(**{f"{ONE}.scenarios.t.params_from": "s", f"{ONE}.replicates_per_job": 100})
    assert needed(within, Fit("one", "robust", 1)) == [Fit("one", "robust", 0)]
    together = completed(**{f"{ONE}.scenarios.t.params_from": "s"})
    assert needed(together, Fit("one", "robust", 0)) == []  # one job does both


@pytest.mark.parametrize(("replicates", "size"), [(5, 1), (5, 2), (5, 3), (5, 7), (None, 11), (None, 40), (None, 500)])
def test_jobs_of_the_project_never_wait_in_a_circle(replicates, size):
    config = changed(PROJECT, {"replicates": replicates})
    for experiment in config["experiments"].values():
        experiment["replicates_per_job"] = size
    config = complete(config)
    jobs = [fit for name in config["experiments"] for fit in fits(config, name)]
    waiting = {fit: needed(config, fit) for fit in jobs}
    assert all(one in waiting for others in waiting.values() for one in others)  # each of them is a job
    done: set[Fit] = set()
    while len(done) < len(jobs):
        ready = {fit for fit, others in waiting.items() if fit not in done and set(others) <= done}
        assert ready
        done |= ready


def told(config, method="robust", block=0, redrawn=True):
    return fit_settings(config, Fit("one", method, block), redrawn)


def data_told(config, block=0):
    return data_settings(config, "one", blocks(config, "one")[block], {"a": "folder"})


NOT_TOLD = {
    "title of a method": {"methods.robust.title": "best"},
    "title of a scenario": {f"{SCENARIO}.title": "first"},
    "title of the experiment": {f"{ONE}.title": "Simulated"},
    "row": {f"{SCENARIO}.row": ["8", "9"]},
    "shown": {"methods.robust.shown": False},
    "section": {f"{ONE}.section": "4"},
    "table": {f"{ONE}.table.bold": "significant"},
    "another method": {"methods.standard.params": {"tol": 0.1}},
    "an extra method": {"methods.svm": {}, "extra_methods": ["svm"]},
    "resamples": {"resamples": 9},
    "mirror": {"mirror": "elsewhere", "on_missing": "error"},
    "figures": {"figures": {"plate": {}}},
    "quick that is not used": {f"{ONE}.quick": {"data": {"train": 9}}},
    "a default said aloud": {f"{ONE}.tuning": {"by": "dev"}, f"{ONE}.metrics": ["accuracy"]},
}


@pytest.mark.parametrize("changes", NOT_TOLD.values(), ids=NOT_TOLD)
def test_a_job_is_not_told_what_its_results_do_not_depend_on(changes):
    assert told(completed(**changes)) == told(completed())
    assert data_told(completed(**changes)) == data_told(completed())


TOLD = {
    "data": ({f"{SCENARIO}.data": {"train": 50}}, False, True),
    "noise": ({f"{SCENARIO}.noise": {"p0": 0.5}}, False, True),
    "seed": ({"seed": 1}, False, True),
    "shared seed": ({f"{ONE}.seed": 1}, True, True),
    "dataset": ({f"{ONE}.dataset": "colon"}, False, True),
    "plugins": ({"plugins": "mine"}, True, True),
    "more replicates of the same block": ({f"{ONE}.scenarios.t.replicates": 8}, False, True),
    "params": ({"methods.robust.params": {"tol": 0.1}}, True, False),
    "grid": ({"methods.robust.grid": {"lam": [1.0]}}, True, False),
    "file": ({"methods.robust.method": "standard"}, True, False),
    "metrics": ({f"{ONE}.metrics": ["f1"]}, True, False),
    "tuning of the experiment": ({f"{ONE}.tuning": {"by": "folds"}}, True, False),
    "tuning of the scenario": ({f"{SCENARIO}.tuning": {"by": "folds"}}, True, False),
    "tuning of the method": ({"methods.robust.tuning": {}}, True, False),
    "params_from": ({f"{ONE}.scenarios.t.params_from": "s"}, True, False),
}


@pytest.mark.parametrize(("changes", "fit", "data"), TOLD.values(), ids=TOLD)
def test_a_job_is_told_what_its_results_depend_on(changes, fit, data):
    assert (told(completed(**changes)) != told(completed())) == fit
    assert (data_told(completed(**changes)) != data_told(completed())) == data


def test_where_all_scenarios_share_a_seed_the_root_of_the_others_does_not_count():
    shared = {f"{ONE}.seed": 3}
    assert data_told(completed(**shared)) == data_told(completed(**shared, seed=9))


def test_another_block_s_settings_do_not_count():
    size = {f"{ONE}.replicates_per_job": 100}  # the first block is that of the first scenario
    for changes in ({f"{ONE}.scenarios.t.noise": {"p0": 0.9}}, {f"{ONE}.scenarios.t.replicates": 50}):
        assert data_told(completed(**size, **changes)) == data_told(completed(**size))
        assert told(completed(**size, **changes)) == told(completed(**size))
    assert data_told(completed(**size), 1)["segments"] == [["t", 0, 6]]


def test_what_a_job_is_told_is_plain_json():
    config = complete(PROJECT)
    for name in config["experiments"]:
        for block in blocks(config, name):
            settings = data_settings(config, name, block, {})
            assert json.loads(json.dumps(settings)) == settings
        for fit in fits(config, name):
            settings = fit_settings(config, fit, True)
            assert json.loads(json.dumps(settings)) == settings


def test_a_fit_is_told_how_its_method_is_tuned_in_each_scenario():
    settings = told(completed(**{f"{ONE}.scenarios.t.tuning": {"folds": 9}, f"{ONE}.scenarios.t.params_from": "s"}))
    assert settings["method"] == {"method": "robust", "params": {}, "grid": {"lam": [1.0, 0.1]}}
    assert settings["name"] == "robust" and settings["redrawn"] is True
    about = settings["scenarios"]
    assert [about[name]["params_from"] for name in "st"] == [None, "one.s"]
    assert [about[name]["tuning"]["folds"] for name in "st"] == [5, 9]
    assert all(about[name]["tuning"]["procedure"] == "first_procedure" for name in "st")


def test_a_fingerprint_does_not_depend_on_order():
    config = complete(PROJECT)
    assert fingerprint(config) == fingerprint(dict(reversed(config.items())))
    assert fingerprint(config) != fingerprint(config | {"seed": 1})
    assert len({fingerprint(one) for one in (small(), completed(), {}, [])}) == 4
    assert all(one != other for one, other in pairwise([fingerprint([1, 2]), fingerprint([2, 1])]))
