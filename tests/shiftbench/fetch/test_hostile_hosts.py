"""Servers that never end, or answer with nonsense; archives that expand, or are broken: each is a reason, soon."""

import gzip
import io
import random
import tarfile
import threading
import time
import zipfile
from pathlib import Path

import pytest
from data_server import ANSWERS, ARCHIVE, GOOD, OTHER, PAGE, dataset, inside, left_behind, reason
from shiftbench.fetch import archives, hosts, places, sources
from shiftbench.fetch.hosts import FetchError
from shiftbench.fetch.missing import how_to_get

ROOT = Path(__file__).parents[3]
pytest_plugins = ["data_server"]
pytestmark = pytest.mark.usefixtures("isolated")
START = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"
TOO_LARGE = f"larger than the {len(GOOD)} bytes that are expected"
MOST = 300  # parts of an answer that are sent at most, should nobody hang up


def endless(part, between=0.0, head=START + b"\r\n"):
    """An answer without end."""

    def answer(send, closing):
        send(head)
        for _ in range(MOST):
            if closing.wait(between) if between else closing.is_set():
                return
            send(part)

    return answer


def once(content):
    return lambda send, _: send(content)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (endless(bytes(1 << 16)), TOO_LARGE),
        (
            endless(b"10000\r\n" + bytes(1 << 16) + b"\r\n", head=START + b"Transfer-Encoding: chunked\r\n\r\n"),
            TOO_LARGE,
        ),
        (once(START + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(bytes(1 << 26))), TOO_LARGE),
        (once(START + b"\r\n" + PAGE + bytes(len(GOOD))), "a page (HTML) came instead of the file: " + TOO_LARGE),
        (once(START + b"Content-Encoding: gzip\r\n\r\nno gzip"), "the transfer broke off twice: "),
        (once(START + b"Content-Length: many\r\n\r\n" + GOOD), "the server's answer cannot be read: "),
        (once(START + b"Content-Length: -5\r\n\r\n" + GOOD[:-1]), "wrong checksum"),
        (once(b"\0\xff nonsense\r\n\r\n"), ""),
        (once(b""), ""),
        (once(START + b"".join(b"Header%d: x\r\n" % k for k in range(200)) + b"\r\n" + GOOD), ""),
        (once(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:99999/good.txt\r\n\r\n"), ""),
        (once(b"HTTP/1.1 302 Found\r\nLocation: http://[::1/good.txt\r\n\r\n"), ""),
        (once(b"HTTP/1.1 302 Found\r\nLocation: http://" + b"a" * 300 + b".invalid/good.txt\r\n\r\n"), ""),
        (once(b"HTTP/1.1 302 Found\r\nLocation: /odd.txt\r\n\r\n"), "Exceeded 30 redirects"),
        (once(b"HTTP/1.1 302 Found\r\nLocation: file:///etc/passwd\r\n\r\n"), ""),
    ],
)
def test_answers_that_make_no_sense(get, server, tmp_path, answer, said):
    server.raw["/odd.txt"] = answer
    assert reason(get, {"url": f"{server.url}/odd.txt"}).startswith(said)
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("head", [START + b"\r\n", START + b"Header: "])
def test_a_server_that_drips_is_left_alone(get, server, tmp_path, monkeypatch, head):
    """Each byte comes long before the time limit for one byte; so many would take for ever."""
    monkeypatch.setattr(places, "TRANSFER_SECONDS", 0.5)
    server.raw["/drip.txt"] = endless(b"1", between=0.05, head=head)
    place = {"url": f"{server.url}/drip.txt"}
    assert reason(get, place) == "the transfer was not done within 0.5 s"
    assert reason(get, place).endswith("(once in this run, so not asked again)")
    assert left_behind(tmp_path) == []


def test_all_files_of_a_dataset_have_so_much_time_together(get, server, monkeypatch):
    monkeypatch.setattr(places, "TOTAL_SECONDS", 0.0)
    said = reason(get, {"url": f"{server.url}/good.txt"})
    assert said == "not asked: the 0 s that a dataset may take are over"
    assert not server.asked


def test_the_time_that_is_left_is_no_longer_than_a_transfer_may_take(tmp_path):
    context = places.FetchContext(None, hosts.Notes(None), tmp_path)
    assert context.seconds() == places.TRANSFER_SECONDS < places.TOTAL_SECONDS
    context.deadline = time.monotonic() + 5.0
    assert 0.0 < context.seconds() <= 5.0


def test_what_takes_too_long_is_left_alone():
    done = threading.Event()
    with pytest.raises(TimeoutError):
        hosts.within(0.01, lambda: done.wait(5))
    done.set()
    with pytest.raises(ZeroDivisionError):
        hosts.within(5.0, lambda: 1 / 0)


@pytest.mark.parametrize(
    "proxy", ["http://127.0.0.1:99999", "http://[::1", "http://user:secret@127.0.0.1:port", "http://"]
)
def test_a_proxy_that_is_no_address(get, monkeypatch, proxy):
    monkeypatch.setenv("http_proxy", proxy)
    said = reason(get, {"url": "http://far.invalid/good.txt"})
    assert said.startswith("the proxy for http in the environment is no address: ")
    assert "secret" not in said


def test_a_url_that_is_no_address(get):
    assert reason(get, {"url": "http://127.0.0.1:99999/good.txt"}).startswith(
        "http://127.0.0.1:99999/good.txt is no address"
    )


def zipped_as(name, content=GOOD, method=zipfile.ZIP_DEFLATED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        archive.writestr(name, content)
    return buffer.getvalue()


def serve(server, monkeypatch, content, member):
    monkeypatch.setitem(ANSWERS, "/it.zip", content)
    return inside("url", f"{server.url}/it.zip", member, most=100_000)


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_expands(get, server, tmp_path, monkeypatch, method):
    place = serve(server, monkeypatch, zipped_as("good.txt", bytes(50_000_000), method), "good.txt")
    assert reason(get, place) == f"'good.txt' in archive.zip is {TOO_LARGE}"
    assert left_behind(tmp_path) == []


def test_an_archive_that_is_too_large(get, server):
    place = inside("url", f"{server.url}/archive.zip", "inside/good.txt", most=len(ARCHIVE) - 1)
    assert reason(get, place) == f"larger than the {len(ARCHIVE) - 1} bytes that are expected"
    assert get(dataset(place | {"archive_bytes": len(ARCHIVE)}))["kind"] == "real"


@pytest.mark.parametrize("name", ["../../good.txt", "/tmp/good.txt", "a/../../good.txt", "..\\good.txt"])
def test_a_members_name_leads_nowhere(get, server, tmp_path, monkeypatch, name):
    """It is taken by its name, but written where the file belongs."""
    before = sorted(tmp_path.parent.iterdir())
    get(dataset(serve(server, monkeypatch, zipped_as(name), name)))
    assert left_behind(tmp_path) == ["data/some", "data/some/good.txt", "data/some/provenance.json"]
    assert sorted(tmp_path.parent.iterdir()) == before


def test_a_link_in_a_zip_is_not_followed(get, server, tmp_path, monkeypatch):
    (tmp_path / "secret.txt").write_bytes(GOOD)
    link = zipfile.ZipInfo("good.txt")
    link.external_attr = 0o120777 << 16
    place = serve(server, monkeypatch, zipped_as(link, str(tmp_path / "secret.txt")), "good.txt")
    assert reason(get, place).startswith("wrong checksum")


def tarred(path, *members):
    """A .tar.gz of (name, type, link or content)."""
    with tarfile.open(path, "w:gz") as tar:
        for name, kind, what in members:
            about = tarfile.TarInfo(name)
            about.type = kind
            if kind == tarfile.REGTYPE:
                about.size = len(what)
                tar.addfile(about, io.BytesIO(what))
            else:
                about.linkname = what
                tar.addfile(about)
    return path


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE])
@pytest.mark.parametrize("link", ["a", "../a", "/etc/passwd", "b"])
def test_what_is_no_file_in_a_tar(tmp_path, kind, link):
    archive = tarred(tmp_path / "it.tar.gz", ("b", tarfile.REGTYPE, OTHER), ("a", kind, link))
    with pytest.raises(FetchError, match=r"it\.tar\.gz has no member 'a'"):
        archives.take_out(archive, "a", tmp_path / "out", 100)


def test_a_tar_that_expands(tmp_path):
    archive = tarred(tmp_path / "it.tar.gz", ("a", tarfile.REGTYPE, bytes(30_000_000)))
    with pytest.raises(FetchError, match=r"'a' in it\.tar\.gz is larger than the 100 bytes that are expected"):
        archives.take_out(archive, "a", tmp_path / "out", 100)


@pytest.mark.parametrize("kind", ["zip", "bz2", "lzma", "tar"])
def test_broken_archives_give_the_file_or_a_reason(tmp_path, kind):
    """Cut, or with some bytes changed: whatever Python's modules raise is a FetchError, and nothing is too large."""
    content = "".join(f"{k} {k * k}\n" for k in range(300)).encode()
    archive, target = tmp_path / ("it.tar.gz" if kind == "tar" else "it.zip"), tmp_path / "out"
    methods = {"zip": zipfile.ZIP_DEFLATED, "bz2": zipfile.ZIP_BZIP2, "lzma": zipfile.ZIP_LZMA}
    if kind == "tar":
        tarred(archive, ("a", tarfile.REGTYPE, content))
    else:
        archive.write_bytes(zipped_as("a", content, methods[kind]))
    whole, rng, outcomes = archive.read_bytes(), random.Random(0), set()
    for _ in range(400):
        broken = bytearray(whole[: rng.randrange(len(whole))] if rng.random() < 0.3 else whole)
        for _ in range(rng.randrange(1, 4)):
            if broken:
                broken[rng.randrange(len(broken))] = rng.randrange(256)
        archive.write_bytes(broken)
        try:
            archives.take_out(archive, "a", target, len(content))
            outcomes.add("taken")
        except FetchError:
            outcomes.add("refused")
        assert not target.exists() or target.stat().st_size <= len(content)
    assert "refused" in outcomes


def test_a_wheel_that_is_too_large(get, tmp_path, monkeypatch):
    folder = tmp_path / "wheels"
    folder.mkdir()
    with zipfile.ZipFile(folder / "somedata-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("somedata/good.txt", GOOD)
        wheel.writestr("somedata/much.txt", bytes(300_000))
        wheel.writestr("somedata-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: somedata\nVersion: 1.0\n")
        wheel.writestr("somedata-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("somedata-1.0.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    place = inside("wheel", "somedata==1.0", "somedata/good.txt", most=200_000)
    assert reason(get, place) == "pip download: larger than the 200000 bytes that are expected"
    assert left_behind(tmp_path) == []


def test_a_package_index_that_is_no_address(get, monkeypatch):
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:99999/simple")
    said = reason(get, inside("wheel", "somedata==1.0", "good.txt"))
    assert said.startswith("pip ") and len(said.splitlines()) == 1


def test_what_to_do_fits_into_a_line():
    """However many files a dataset has."""
    for name, source in sources.load(ROOT / "workflow" / "sources.yaml").items():
        said = how_to_get(source, source["files"])
        assert len(said) < 300 and "\n" not in said
        first = next(iter(source["files"].values()))
        assert first["places"][0]["mirror"] in said, name
