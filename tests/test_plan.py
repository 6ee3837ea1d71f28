"""When a dataset is fetched again: not while real data are there, and only when something better can be had."""

import pytest
from data_server import dataset, stand_in
from shiftlr.datasets import sources

pytest_plugins = ["data_server"]
pytestmark = pytest.mark.usefixtures("isolated")


@pytest.fixture
def plan(tmp_path):
    """What the workflow would record, with a mirror or without, and with stand-ins or not."""

    def plan(source, mirror=None, on_missing="standin"):
        config = {"mirror": mirror and str(mirror), "on_missing": on_missing}
        return sources.plan(source, config, tmp_path / "data" / "some", tmp_path / "unreachable.json")

    return plan


def test_real_data_stay_unless_their_checksum_changes(get, plan, mirror, dead):
    source = dataset({"mirror": "some/good.txt"}, {"url": f"http://{dead}/good.txt"})
    planned = plan(source, mirror)
    assert planned == "mirror, on_missing: standin"
    get(source, mirror=mirror, planned=planned)
    assert plan(source) == plan(source, on_missing="error") == planned  # though the mirror is gone
    source["files"]["good.txt"]["sha256"] = "0" * 64
    assert plan(source) == "nothing, on_missing: standin"


def test_a_standin_stays_only_while_nothing_better_can_be_had(get, plan, server, dead):
    gone = dataset({"url": f"http://{dead}/good.txt"})
    assert plan(gone) == "nothing, on_missing: standin"
    get(gone, on_missing="standin", standin=stand_in, planned=plan(gone))
    assert plan(gone) == "nothing, on_missing: standin"
    assert plan(gone, on_missing="error") == "nothing, on_missing: error"
    assert plan(dataset({"url": f"{server.url}/good.txt"})) == f"{server.host}, on_missing: standin"


def test_a_host_that_failed_is_asked_again_when_it_says_it_has_the_file(get, plan, server):
    absent, cut = dataset({"url": f"{server.url}/absent.txt"}), dataset({"url": f"{server.url}/cut.txt"})
    for source, again in ((absent, ""), (cut, ", attempt 2")):
        planned = plan(source)
        get(source, on_missing="standin", standin=stand_in, planned=f"{server.host}, on_missing: standin")
        assert plan(source) == f"{server.host}, on_missing: standin{again}", planned
    get(cut, on_missing="standin", standin=stand_in, planned=plan(cut))
    assert plan(cut).endswith(", attempt 3")
