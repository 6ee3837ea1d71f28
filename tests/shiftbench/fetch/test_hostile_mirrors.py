"""Mirrors and kept files that cannot be read, or are not what they seem: the next place is asked, and nothing hangs."""

import errno
import json
import os
from pathlib import Path

import pytest
from data_server import GOOD, dataset, left_behind, reason, stand_in
from shiftbench.config.schema import ConfigError
from shiftbench.fetch import sources

pytest_plugins = ["data_server"]
pytestmark = pytest.mark.usefixtures("isolated")
IN_MIRROR = {"mirror": "some/good.txt"}
FAILURES = (errno.EACCES, errno.EIO, errno.ENAMETOOLONG, errno.ESTALE)
CONFIG = {"on_missing": "error"}


def fail_below(monkeypatch, function, folder, number):
    """Let a method of Path fail below a folder, as it would for a user who may not look there, or on a broken disk."""
    works = getattr(Path, function)

    def fails(path, *more, **options):
        if path.is_relative_to(folder):
            raise OSError(number, os.strerror(number), str(path))
        return works(path, *more, **options)

    monkeypatch.setattr(Path, function, fails)


def from_url(get, server, mirror, place=IN_MIRROR, **options):
    """Why the mirror did not give a file that then came from a server; the plan does not count on the mirror either."""
    source = dataset(place, {"url": f"{server.url}/good.txt"})
    assert sources.plan(source, CONFIG | {"mirror": str(mirror)}, "nowhere").startswith("network, ")
    (before,) = get(source, mirror=mirror, **options)["files"]["good.txt"]["tried_before"]
    return before["reason"]


@pytest.mark.parametrize("number", FAILURES)
@pytest.mark.parametrize("function", ["stat", "open"])
def test_a_mirror_that_cannot_be_searched(get, server, mirror, monkeypatch, function, number):
    fail_below(monkeypatch, function, mirror / "some", number)
    path = mirror / "some" / "good.txt"
    assert from_url(get, server, mirror) == f"{path} cannot be read: {os.strerror(number)}"


@pytest.mark.parametrize("number", FAILURES)
def test_a_mirror_that_cannot_even_be_looked_at(get, server, mirror, monkeypatch, number):
    fail_below(monkeypatch, "stat", mirror, number)
    assert from_url(get, server, mirror).endswith(f"cannot be read: {os.strerror(number)}")


def test_a_disk_that_breaks_while_it_is_read(get, server, mirror, monkeypatch):
    works = Path.open

    class Broken:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def read(self, _):
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    def opens(path, *more, **options):
        return Broken() if path.is_relative_to(mirror) else works(path, *more, **options)

    monkeypatch.setattr(Path, "open", opens)
    source = dataset(IN_MIRROR, {"url": f"{server.url}/good.txt"})
    (before,) = get(source, mirror=mirror)["files"]["good.txt"]["tried_before"]
    assert before["reason"].endswith(f"cannot be read: {os.strerror(errno.EIO)}")


def test_a_copy_that_cannot_be_written_is_no_fault_of_the_mirror(get, mirror, tmp_path, monkeypatch):
    fail_below(monkeypatch, "open", tmp_path / "data", errno.ENOSPC)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        get(dataset(IN_MIRROR), mirror=mirror, on_missing="standin", standin=stand_in)
    assert left_behind(tmp_path) == []


def test_names_that_are_too_long(get, server, mirror):
    place = {"mirror": "some/" + 300 * "a"}
    assert from_url(get, server, mirror, place).endswith(f"cannot be read: {os.strerror(errno.ENAMETOOLONG)}")
    assert from_url(get, server, 5000 * "a").endswith(f"cannot be read: {os.strerror(errno.ENAMETOOLONG)}")


def make_loop(path):
    path.symlink_to(path)


def make_link_to_a_device(path):
    path.symlink_to("/dev/zero")


def make_huge(path):
    with path.open("wb") as file:
        file.truncate(1 << 40)  # takes no space, but reading it would take hours


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (os.mkfifo, "is no file"),
        (os.mkdir, "is no file"),
        (make_link_to_a_device, "is no file"),
        (make_loop, f"cannot be read: {os.strerror(errno.ELOOP)}"),
        (make_huge, f"larger than the {len(GOOD)} bytes that are expected"),
    ],
)
def test_what_is_no_file_in_the_mirror(get, server, mirror, make, said):
    (mirror / "some" / "good.txt").unlink()
    make(mirror / "some" / "good.txt")
    assert from_url(get, server, mirror).endswith(said)


def test_a_page_in_the_mirror_that_is_larger_than_the_file(get, server, mirror):
    (mirror / "some" / "good.txt").write_text("<!DOCTYPE html>" + 9 * GOOD.decode())
    assert from_url(get, server, mirror).startswith("a page (HTML) came instead of the file: larger than the ")


@pytest.mark.parametrize(
    "setting", ["some/good.txt", "nowhere", " ", "\n", "mirror\n", "~nobody-has-this-name/a", "a\0b"]
)
def test_settings_that_are_no_directory(get, plan_of, mirror, monkeypatch, setting):
    monkeypatch.chdir(mirror)
    for ask in (lambda: get(dataset(IN_MIRROR), mirror=setting), lambda: plan_of(setting)):
        with pytest.raises(ConfigError) as caught:
            ask()
        assert str(caught.value).startswith(f"mirror: {setting!r} is not a directory; set SHIFTLR_MIRROR")
        assert len(str(caught.value).splitlines()) == 1


@pytest.fixture
def plan_of():
    return lambda setting: sources.plan(dataset(IN_MIRROR), CONFIG | {"mirror": setting}, "nowhere")


def test_a_mirror_may_be_relative_or_in_the_home_directory(get, plan_of, mirror, monkeypatch):
    monkeypatch.chdir(mirror.parent)
    monkeypatch.setenv("HOME", str(mirror.parent))
    for setting in ("mirror", "./mirror/", "~/mirror"):
        assert plan_of(setting).startswith("mirror, ")
        assert get(dataset(IN_MIRROR), mirror=setting)["kind"] == "real"


def test_a_mirror_that_does_not_exist_matters_only_where_something_is_to_be_fetched(get, mirror, tmp_path):
    described = {"some": dataset(IN_MIRROR)}
    folders = {"some": str(tmp_path / "data" / "some")}
    with pytest.raises(ConfigError, match="mirror: 'nowhere' is not a directory"):
        sources.check_mirror(described, CONFIG | {"mirror": "nowhere"}, folders)
    get(described["some"], mirror=mirror)
    sources.check_mirror(described, CONFIG | {"mirror": "nowhere"}, folders)


@pytest.mark.parametrize("note", [None, "", "{half", "[]", "null", "[" * 100_000, b"\xff\xfe"])
def test_a_kept_file_is_taken_though_its_note_is_broken(get, mirror, tmp_path, note):
    kept = tmp_path / "kept"
    get(dataset(IN_MIRROR), mirror=mirror, kept=kept)
    (path,) = kept.glob("*.json")
    path.unlink()
    if note is not None:
        path.write_bytes(note if isinstance(note, bytes) else note.encode())
    about = get(dataset(IN_MIRROR), kept=kept)["files"]["good.txt"]
    assert about["place"] == {"kept": str(path.with_suffix(""))}
    assert (tmp_path / "data" / "some" / "good.txt").read_bytes() == GOOD


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, make_loop, make_huge])
def test_what_is_no_kept_file_is_fetched_again(get, mirror, tmp_path, make, capsys):
    (tmp_path / "kept").mkdir()
    path = tmp_path / "kept" / dataset()["files"]["good.txt"]["sha256"]
    make(path)
    assert get(dataset(IN_MIRROR), mirror=mirror, kept=tmp_path / "kept")["files"]["good.txt"]["place"] == IN_MIRROR
    if path.is_dir():
        assert f"{path}: cannot be kept: " in capsys.readouterr().err
    else:
        assert path.read_bytes() == GOOD


def test_a_folder_for_kept_files_that_cannot_be_made(get, mirror, tmp_path, capsys):
    (tmp_path / "kept").write_text("a file")
    assert get(dataset(IN_MIRROR), mirror=mirror, kept=tmp_path / "kept")["kind"] == "real"
    assert "cannot be kept" in capsys.readouterr().err


@pytest.mark.parametrize("notes", ["[]", "null", "3", '["127.0.0.1"]', "[" * 100_000])
def test_notes_of_hosts_that_are_broken_are_made_anew(get, dead, tmp_path, notes):
    (tmp_path / "unreachable.json").write_text(notes)
    said = reason(get, {"url": f"http://{dead}/good.txt"})
    assert json.loads((tmp_path / "unreachable.json").read_text()) == {dead: said}


def test_notes_of_hosts_that_cannot_be_written_are_done_without(get, dead, tmp_path):
    (tmp_path / "unreachable.json").mkdir()
    assert reason(get, {"url": f"http://{dead}/good.txt"}).startswith(f"no connection to {dead}: ")
