"""When a dataset is fetched again: not while real data are there, and for a stand-in only if something has changed."""

import os
import socket
import subprocess

import pytest
from data_server import ANSWERS, GOOD, OTHER, dataset, inside, sha256, stand_in
from shiftbench.config.schema import ConfigError
from shiftbench.fetch import sources
from shiftbench.fetch.record import is_standin

pytest_plugins = ["data_server"]
pytestmark = pytest.mark.usefixtures("isolated")


@pytest.fixture
def plan(tmp_path, monkeypatch):
    """What the workflow would record, with a mirror or without, and with stand-ins or not; no host can be asked."""

    def forbidden(*_, **__):
        raise AssertionError("plan looks at local files only")

    def plan(source, mirror=None, on_missing="standin"):
        config = {"mirror": mirror and str(mirror), "on_missing": on_missing}
        with monkeypatch.context() as blocked:
            for name in ("socket", "create_connection", "getaddrinfo", "gethostbyname"):
                blocked.setattr(socket, name, forbidden)
            for name in ("run", "Popen"):
                blocked.setattr(subprocess, name, forbidden)
            blocked.setattr(os, "system", forbidden)
            return sources.plan(source, config, tmp_path / "data" / "some")

    return plan


@pytest.fixture
def source(dead):
    """A dataset in the mirror, or on a host that is not there, or in a package."""
    good = [{"mirror": "some/good.txt"}, {"url": f"http://{dead}/good.txt"}]
    package = inside("sdist", "some==1.0", "some-1.0/other.txt", archive_sha256="0" * 64)
    return dataset(*good, other=[{"mirror": "some/other.txt"}, inside("wheel", "some==1.0", "other.txt"), package])


@pytest.fixture
def with_standin(source, get, plan, tmp_path):
    """A dataset that could not be had, so that a stand-in is there, and what was planned then."""
    (tmp_path / "unreachable.json").write_text('{"pip": "no index"}')
    planned = plan(source)
    get(source, on_missing="standin", standin=stand_in, planned=planned)
    return source, planned


def test_what_is_planned_says_where_files_would_come_from(source, plan, mirror):
    assert plan(source).startswith("network, on_missing: standin, files: ")
    assert plan(source, mirror).startswith("mirror, on_missing: standin, files: ")
    assert plan(source, mirror, "error").startswith("mirror, on_missing: error, files: ")
    assert plan(source) == plan(source)


@pytest.mark.parametrize("spoil", [lambda path: path.unlink(), lambda path: path.write_text("spoilt")])
def test_a_mirror_must_have_all_files_with_their_checksums(source, plan, mirror, spoil):
    spoil(mirror / "some" / "other.txt")
    assert plan(source, mirror) == plan(source)


def test_the_mirror_may_come_from_the_environment(source, plan, mirror, monkeypatch):
    expected = plan(source, mirror)
    monkeypatch.setenv("SHIFTLR_MIRROR", str(mirror))
    assert plan(source) == expected


def test_a_mirror_that_does_not_exist_is_an_error(source, plan, tmp_path):
    with pytest.raises(ConfigError, match=r"mirror: '.*nowhere' is not a directory; set SHIFTLR_MIRROR"):
        plan(source, tmp_path / "nowhere")


def test_real_data_stay_unless_their_checksum_changes(source, get, plan, mirror, tmp_path):
    planned = plan(source, mirror)
    get(source, mirror=mirror, planned=planned)
    assert plan(source) == plan(source, on_missing="error") == planned  # though the mirror is gone
    assert plan(source, tmp_path) == plan(source, tmp_path / "nowhere") == planned
    source["files"]["good.txt"]["places"].pop()
    assert plan(source) == planned
    source["files"]["good.txt"]["sha256"] = "0" * 64
    assert plan(source).startswith("network, ")
    assert plan(source, mirror).startswith("network, ")  # where the file has the old checksum


def test_a_standin_stays_while_nothing_changes(with_standin, plan, tmp_path):
    source, planned = with_standin
    assert is_standin(tmp_path / "data" / "some")
    assert plan(source) == planned
    (tmp_path / "empty").mkdir()
    assert plan(source, tmp_path / "empty") == planned
    assert plan(source | {"title": "Better words", "citation": "Some (2000)"}) == planned


def test_a_standin_gives_way_to_a_full_mirror(with_standin, get, plan, mirror, tmp_path):
    source, planned = with_standin
    (mirror / "some" / "other.txt").rename(tmp_path / "other.txt")
    assert plan(source, mirror) == planned
    (tmp_path / "other.txt").rename(mirror / "some" / "other.txt")
    new = plan(source, mirror)
    assert new.startswith("mirror, on_missing: standin")
    assert get(source, mirror=mirror, planned=new)["kind"] == "real"
    assert plan(source, mirror) == plan(source) == new


def test_a_standin_is_reconsidered_when_on_missing_checksums_or_places_change(with_standin, plan):
    source, planned = with_standin
    seen = {planned, plan(source, on_missing="error")}
    good = source["files"]["good.txt"]
    good["places"].append({"url": "http://elsewhere.invalid/good.txt"})
    seen.add(plan(source))
    good["places"].pop()
    assert plan(source) == planned
    good["sha256"] = sha256(OTHER)
    seen.add(plan(source))
    good["sha256"] = sha256(GOOD)
    del source["files"]["other.txt"]
    seen.add(plan(source))
    assert len(seen) == 5


def test_a_forced_fetch_replaces_a_standin_when_a_host_has_the_files(get, plan, server, monkeypatch):
    source = dataset({"url": f"{server.url}/later.txt"})
    planned = plan(source)
    assert get(source, on_missing="standin", standin=stand_in, planned=planned)["kind"] == "standin"
    monkeypatch.setitem(ANSWERS, "/later.txt", GOOD)
    assert plan(source) == planned
    assert get(source, on_missing="standin", standin=stand_in, planned=planned)["kind"] == "real"
    assert plan(source) == planned


@pytest.mark.parametrize(
    "record", [None, "{half", "{}", "[]", "null", "[" * 100_000, '{"kind": "real"}', '{"kind": "real", "files": []}']
)
def test_a_record_that_cannot_be_read_is_none(source, plan, tmp_path, record):
    folder = tmp_path / "data" / "some"
    folder.mkdir(parents=True)
    if record is not None:
        (folder / "provenance.json").write_text(record)
    assert plan(source).startswith("network, ")
