"""A dataset, a web server that has it in good and bad shapes, and a mirror: for tests of where data come from.

PYTEST_DONT_REWRITE: a plugin for its fixtures, but imported before pytest knows that.
"""

import errno
import hashlib
import http.server
import io
import os
import socket
import threading
import zipfile
from collections import Counter
from contextlib import suppress

import pytest
from shiftbench.fetch import places, sources
from shiftbench.fetch.missing import MissingData

GOOD, OTHER = b"1 2 3\n" * 5000, b"-1 2\n"
PAGE = b"<!DOCTYPE html>\n<html><body>Please log in</body></html>"
REFUSED = f"[Errno {errno.ECONNREFUSED}] {os.strerror(errno.ECONNREFUSED)}"


def sha256(content):
    return hashlib.sha256(content).hexdigest()


def zipped(**members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(f"inside/{name}.txt", content)
    return buffer.getvalue()


ARCHIVE = zipped(good=GOOD, other=OTHER)
ANSWERS = {
    "/good.txt": GOOD,
    "/other.txt": OTHER,
    "/wrong.txt": b"4 5 6\n",
    "/page.txt": PAGE,
    "/archive.zip": ARCHIVE,
    "/truncated.zip": ARCHIVE[: len(ARCHIVE) // 2],
    "/page.zip": PAGE,
}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked[self.path] += 1
        if self.path in ANSWERS:
            self.answer(ANSWERS[self.path])
        elif self.path == "/cut.txt" or (self.path == "/flaky.txt" and self.server.asked[self.path] == 1):
            self.answer(GOOD, cut=True)
        elif self.path == "/flaky.txt":
            self.answer(GOOD)
        elif self.path in self.server.raw:
            with suppress(OSError):  # the other side has hung up
                self.server.raw[self.path](self.wfile.write, self.server.closing)
        elif self.path == "/silent.txt":
            self.server.closing.wait(5)
        elif self.path.startswith("/moved-to/"):
            self.send_response(302)
            self.send_header("Location", self.path.replace("/moved-to/", "http://"))
            self.end_headers()
        else:
            self.send_error(500 if self.path == "/broken.txt" else 404)

    def answer(self, content, cut=False):
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    """A web server on this computer that counts what it is asked for."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.closing = Counter(), threading.Event()
    server.raw = {}  # functions that write a whole answer themselves, until the server closes
    server.host = f"127.0.0.1:{server.server_port}"
    server.url = f"http://{server.host}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.closing.set()
    server.shutdown()
    server.server_close()


@pytest.fixture
def dead():
    """The name of a host that refuses connections: a port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@pytest.fixture
def isolated(monkeypatch):
    """No proxy, no mirror and no settings of pip from outside."""
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name.startswith("PIP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("SHIFTLR_MIRROR", raising=False)


@pytest.fixture
def mirror(tmp_path):
    """A mirror with both files of the dataset."""
    folder = tmp_path / "mirror" / "some"
    folder.mkdir(parents=True)
    (folder / "good.txt").write_bytes(GOOD)
    (folder / "other.txt").write_bytes(OTHER)
    return folder.parent


@pytest.fixture
def get(tmp_path):
    """Fetches into tmp_path/data/some, with stand-ins refused unless told otherwise."""

    def get(source, **options):
        options = {"unreachable": tmp_path / "unreachable.json", "on_missing": "error"} | options
        return sources.fetch("some", source, tmp_path / "data" / "some", **options)

    return get


def dataset(*of_good, other=None):
    """A dataset whose good.txt can be had from the given places, with other.txt beside it if that has places."""
    files = {"good.txt": {"sha256": sha256(GOOD), "bytes": len(GOOD), "places": [*of_good]}}
    if other:
        files["other.txt"] = {"sha256": sha256(OTHER), "bytes": len(OTHER), "places": other}
    about = {"title": "Some data", "citation": "Some (1999)", "licence": "free", "standin": "some"}
    return about | {"files": files}


def inside(kind, where, member, most=1_000_000, **more):
    """A place inside an archive: a zip at a url, a wheel or an sdist."""
    return {kind: where, "archive_bytes": most, "member": member} | more


def left_behind(tmp_path):
    return sorted(str(path.relative_to(tmp_path)) for path in tmp_path.glob("data/**/*"))


def reason(get, place, **options):
    """Why the only place of a dataset does not give its file."""
    with pytest.raises(MissingData) as caught:
        get(dataset(place), **options)
    (line,) = [line for line in caught.value.details.splitlines() if line.startswith("    ")]
    return line.strip().removeprefix(places.text(place) + ": ")


def stand_in(folder):
    (folder / "good.txt").write_text("made up")
    (folder / "other.txt").write_text("made up too")
