"""Mirrors, URLs, zips and packages: what each kind of place gives, and how little a dead host costs."""

import importlib.util
import io
import json
import socket
import sys
import tarfile
import threading
import time
import zipfile
from collections import Counter

import pytest
from data_server import GOOD, OTHER, REFUSED, dataset, inside, left_behind, reason, sha256
from shiftbench.fetch import download, hosts, places

pytest_plugins = ["data_server"]
pytestmark = pytest.mark.usefixtures("isolated")


@pytest.mark.parametrize(
    ("path", "said", "asked"),
    [
        ("/absent.txt", "HTTP 404 Not Found", 1),
        ("/broken.txt", "HTTP 500 Internal Server Error", 1),
        ("/wrong.txt", f"wrong checksum, sha256 is {sha256(b'4 5 6' + bytes([10]))} and should be {sha256(GOOD)}", 1),
        ("/page.txt", "a page (HTML) came instead of the file: wrong checksum", 1),
        ("/cut.txt", "the transfer broke off twice: ", 2),
    ],
)
def test_urls_that_fail(get, server, tmp_path, path, said, asked):
    assert reason(get, {"url": server.url + path}).startswith(said)
    assert server.asked[path] == asked
    assert left_behind(tmp_path) == []
    assert not (tmp_path / "unreachable.json").exists()  # such a host is worth another question


def test_a_transfer_that_breaks_off_once_is_repeated(get, server):
    record = get(dataset({"url": f"{server.url}/flaky.txt"}))
    assert record["files"]["good.txt"]["bytes"] == len(GOOD)
    assert server.asked["/flaky.txt"] == 2


def test_a_server_that_stays_silent_is_left_alone(get, server, monkeypatch, tmp_path):
    monkeypatch.setattr(download, "READ_SECONDS", 0.2)
    assert reason(get, {"url": f"{server.url}/silent.txt"}) == "the server sent nothing for 0.2 s"
    assert server.asked["/silent.txt"] == 1
    assert list(json.loads((tmp_path / "unreachable.json").read_text())) == [server.host]


def test_zip(get, server):
    good, other = (inside("url", f"{server.url}/archive.zip", f"inside/{name}.txt") for name in ("good", "other"))
    record = get(dataset(good, other=[other]))
    assert [about["place"] for about in record["files"].values()] == [good, other]
    assert server.asked["/archive.zip"] == 1


@pytest.mark.parametrize(
    ("path", "member", "said"),
    [
        ("/truncated.zip", "inside/good.txt", "archive.zip is no zip, or a broken or truncated one: "),
        ("/page.zip", "inside/good.txt", "a page (HTML) came instead of a zip"),
        ("/archive.zip", "good.txt", "archive.zip has no member 'good.txt'"),
        ("/archive.zip", "inside/other.txt", "wrong checksum, sha256 is "),
        ("/absent.zip", "inside/good.txt", "HTTP 404 Not Found"),
    ],
)
def test_zips_that_fail(get, server, tmp_path, path, member, said):
    assert reason(get, inside("url", server.url + path, member)).startswith(said)
    assert left_behind(tmp_path) == []


def test_a_dead_host_is_asked_once_in_a_run(get, dead, server, tmp_path, monkeypatch):
    connections = Counter()
    connect = socket.create_connection

    def counting(address, *more, **options):
        connections["{}:{}".format(*address)] += 1
        return connect(address, *more, **options)

    monkeypatch.setattr(hosts.socket, "create_connection", counting)
    place = {"url": f"http://{dead}/good.txt"}
    record = get(dataset(place, {"url": f"{server.url}/good.txt"}))
    (before,) = record["files"]["good.txt"]["tried_before"]
    assert before == {"place": place, "reason": f"no connection to {dead}: {REFUSED}"}
    assert json.loads((tmp_path / "unreachable.json").read_text()) == {dead: before["reason"]}
    # As another process of the same run would.
    again = reason(get, inside("url", f"http://{dead}/else.zip", "good.txt"))
    assert again == before["reason"] + " (once in this run, so not asked again)"
    assert connections[dead] == 1
    (tmp_path / "unreachable.json").unlink()  # the next run
    assert reason(get, place) == before["reason"]
    assert connections[dead] == 2


def test_a_redirection_to_a_dead_host(get, server, dead, tmp_path):
    said = reason(get, {"url": f"{server.url}/moved-to/{dead}/good.txt"})
    assert said.startswith("no connection: ")
    assert REFUSED in said
    assert server.asked.total() == 1
    assert list(json.loads((tmp_path / "unreachable.json").read_text())) == [server.host]


def test_an_unknown_host(get):
    assert reason(get, {"url": "http://no-such-host.invalid/good.txt"}).startswith(
        "no connection to no-such-host.invalid:80"
    )


def test_a_host_that_never_answers_costs_no_more_than_its_time(monkeypatch):
    done = threading.Event()

    def never(*_, **__):
        done.wait(5)
        raise OSError

    monkeypatch.setattr(hosts.socket, "create_connection", never)
    start = time.perf_counter()
    with pytest.raises(hosts.Unreachable, match=r"no connection to far.invalid:443 within 0.1 s"):
        hosts.reach({"url": "https://far.invalid/good.txt"}, 0.1)
    assert time.perf_counter() - start < 1
    done.set()


@pytest.mark.parametrize("proxy", ["http://user:secret@{}", "{}"])
def test_behind_a_proxy_the_proxy_is_what_must_answer(get, server, dead, monkeypatch, proxy):
    place = {"url": "http://far.invalid/good.txt"}
    monkeypatch.setenv("http_proxy", proxy.format(dead))
    assert reason(get, place).startswith(f"no connection to {dead}: ")
    monkeypatch.setenv("http_proxy", proxy.format(server.host))
    hosts.reach(place, 2)


def test_notes_of_several_writers_are_all_kept(tmp_path):
    notes = hosts.Notes(tmp_path / "deeper" / "unreachable.json")
    writers = [threading.Thread(target=notes.add, args=(f"host{i}", "dead")) for i in range(20)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert notes.reasons() == {f"host{i}": "dead" for i in range(20)}
    assert [path.name for path in (tmp_path / "deeper").iterdir()] == ["unreachable.json"]
    (tmp_path / "deeper" / "unreachable.json").write_text("{half")
    assert notes.reasons() == {}


def test_the_progress_bar_is_for_terminals_only(get, server, monkeypatch):
    class Screen(io.StringIO):
        tty = True

        def isatty(self):
            return self.tty

    monkeypatch.setattr(sys, "__stderr__", Screen())
    monkeypatch.setattr(sys, "stderr", log := io.StringIO())
    get(dataset({"url": f"{server.url}/good.txt"}))
    assert "good.txt" in sys.__stderr__.getvalue()
    monkeypatch.setattr(sys, "__stderr__", Screen())
    sys.__stderr__.tty = False
    get(dataset({"url": f"{server.url}/good.txt"}))
    assert sys.__stderr__.getvalue() == log.getvalue() == ""


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """The only directory in which pip looks for packages; it has one wheel and one source distribution."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip("there is no pip here")
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "somedata-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("somedata/good.txt", GOOD)
        wheel.writestr("somedata/other.txt", OTHER)
        wheel.writestr("somedata-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: somedata\nVersion: 1.0\n")
        wheel.writestr("somedata-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("somedata-1.0.dist-info/RECORD", "")
    setup = f"""open({str(tmp_path / "ran")!r}, "w").close()
from setuptools import setup
setup(name="somesource", version="1.0")
"""
    with tarfile.open(folder / "somesource-1.0.tar.gz", "w:gz") as source:
        for name, content in (("setup.py", setup.encode()), ("good.txt", GOOD), ("other.txt", OTHER)):
            about = tarfile.TarInfo(f"somesource-1.0/{name}")
            about.size = len(content)
            source.addfile(about, io.BytesIO(content))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_wheel(get, wheels, monkeypatch):
    runs = []
    run = hosts.subprocess.run
    monkeypatch.setattr(
        hosts.subprocess, "run", lambda command, **options: runs.append(command) or run(command, **options)
    )
    good, other = (inside("wheel", "somedata==1.0", f"somedata/{name}.txt") for name in ("good", "other"))
    record = get(dataset(good, other=[other]))
    assert [about["place"] for about in record["files"].values()] == [good, other]
    assert [command[3] for command in runs] == ["index", "download"]  # once for both files
    assert importlib.util.find_spec("somedata") is None


@pytest.mark.parametrize(
    ("wheel", "said"),
    [
        ("somedata==1.0", "somedata-1.0-py3-none-any.whl has no member 'good.txt'"),
        ("somedata==2.0", "pip download: ERROR: Could not find a version that satisfies the requirement somedata==2.0"),
        ("somesource==1.0", "pip download: ERROR: Could not find a version that satisfies the requirement somesource"),
    ],
)
def test_wheels_that_fail(get, wheels, tmp_path, wheel, said):
    assert reason(get, inside("wheel", wheel, "good.txt")).startswith(said)
    assert left_behind(tmp_path) == []
    assert not (tmp_path / "ran").exists()  # nobody else's code is run
    assert not (tmp_path / "unreachable.json").exists()


@pytest.fixture
def sdist(wheels):
    """Places in the source distribution, by the paths inside it."""
    if importlib.util.find_spec("setuptools") is None:
        pytest.skip("there is no setuptools here")
    right = sha256((wheels / "somesource-1.0.tar.gz").read_bytes())

    def place(member, checksum=right, package="somesource==1.0"):
        return inside("sdist", package, member, archive_sha256=checksum)

    return place


def test_source_distribution(get, sdist, tmp_path):
    good, other = sdist("somesource-1.0/good.txt"), sdist("somesource-1.0/other.txt")
    record = get(dataset(good, other=[other]))
    assert [about["place"] for about in record["files"].values()] == [good, other]
    assert (tmp_path / "data" / "some" / "good.txt").read_bytes() == GOOD
    assert (tmp_path / "ran").exists()  # so the next test can tell that it was not
    assert importlib.util.find_spec("somesource") is None


def test_the_setup_of_a_source_distribution_with_a_wrong_checksum_is_not_run(get, sdist, tmp_path):
    said = reason(get, sdist("somesource-1.0/good.txt", checksum="0" * 64))
    assert said.startswith("pip download: ERROR: THESE PACKAGES DO NOT MATCH THE HASHES")
    assert not (tmp_path / "ran").exists()
    assert left_behind(tmp_path) == []
    assert not (tmp_path / "unreachable.json").exists()


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"member": "good.txt"}, "somesource-1.0.tar.gz has no member 'good.txt'"),
        ({"member": "somesource-1.0/setup.py"}, "wrong checksum, sha256 is "),
        ({"member": "a", "package": "somesource==2.0"}, "pip download: ERROR: Could not find a version that satisfies"),
        ({"member": "a", "package": "somedata==1.0"}, "pip download: ERROR: Could not find a version that satisfies"),
    ],
)
def test_source_distributions_that_fail(get, sdist, tmp_path, place, said):
    assert reason(get, sdist(**place)).startswith(said)
    assert left_behind(tmp_path) == []


def test_a_package_without_a_wheel_comes_from_its_source_distribution(get, sdist):
    wheel = inside("wheel", "somesource==1.0", "good.txt")
    spoilt, good = sdist("somesource-1.0/good.txt", checksum="0" * 64), sdist("somesource-1.0/good.txt")
    about = get(dataset(wheel, spoilt, good))["files"]["good.txt"]
    assert about["place"] == good
    assert [tried["place"] for tried in about["tried_before"]] == [wheel, spoilt]


def test_an_index_that_cannot_be_reached_is_asked_once(get, wheels, dead, tmp_path, monkeypatch):
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", f"http://{dead}/simple")
    place = inside("wheel", "elsewhere==1.0", "good.txt")
    first = reason(get, place)
    assert first.startswith("pip index: Could not fetch URL")
    assert json.loads((tmp_path / "unreachable.json").read_text()) == {"pip": first}
    monkeypatch.setattr(hosts.subprocess, "run", None)  # asking would fail in another way
    assert reason(get, place) == first + " (once in this run, so not asked again)"


def test_a_pip_that_hangs_is_stopped(monkeypatch):
    monkeypatch.setattr(hosts, "PIP_SECONDS", 0.05)  # less than it needs to start
    with pytest.raises(hosts.Unreachable, match=r"pip index was not done within 0.05 s"):
        hosts.reach({"wheel": "somedata==1.0", "member": "good.txt"}, 2)


def test_hosts_of_places():
    assert hosts.host_of({"wheel": "a==1", "member": "b"}) == hosts.host_of({"sdist": "a==1", "member": "b"}) == "pip"
    assert hosts.host_of({"url": "http://some.host:81/a.zip", "member": "b"}) == "some.host:81"
    assert hosts.host_of({"mirror": "a"}) is None


def test_places_in_words():
    about = {"archive_sha256": "0" * 64, "member": "a-1/b.txt"}
    assert places.text({"sdist": "a==1"} | about) == "sdist a==1, a-1/b.txt in it"
    assert places.text({"url": "http://host/a.zip", "member": "b.txt"}) == "http://host/a.zip, b.txt in it"
    assert places.text({"mirror": "a/b.txt"}) == "mirror a/b.txt"
