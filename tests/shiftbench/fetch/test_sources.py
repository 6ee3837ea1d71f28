"""External data: workflow/sources.yaml, datasets and their stand-ins, provenance, and that nothing half-done stays."""

import json
from importlib import import_module
from pathlib import Path

import pytest
from data_server import GOOD, OTHER, PAGE, REFUSED, dataset, inside, left_behind, sha256, stand_in
from shiftbench.config.schema import ConfigError
from shiftbench.datasets.ner import census, conll, crowd, gazetteers
from shiftbench.fetch import sources
from shiftbench.fetch.missing import MissingData

ROOT = Path(__file__).parents[3]

pytest_plugins = ["data_server"]
pytestmark = pytest.mark.usefixtures("isolated")


def test_url(get, server, tmp_path):
    place = {"url": f"{server.url}/good.txt"}
    record = get(dataset(place), planned="a host")
    assert left_behind(tmp_path) == ["data/some", "data/some/good.txt", "data/some/provenance.json"]
    folder = tmp_path / "data" / "some"
    assert (folder / "good.txt").read_bytes() == GOOD
    assert (folder / "good.txt").stat().st_mode & 0o444 == 0o444
    assert json.loads((folder / "provenance.json").read_text()) == record
    assert record == {
        "name": "some",
        "title": "Some data",
        "citation": "Some (1999)",
        "licence": "free",
        "kind": "real",
        "planned": "a host",
        "files": {
            "good.txt": {"place": place, "sha256": sha256(GOOD), "bytes": len(GOOD), "tried_before": []},
        },
    }
    assert not (tmp_path / "unreachable.json").exists()


def test_mirror_is_asked_first(get, server, mirror):
    source = dataset({"url": f"{server.url}/good.txt"}, {"mirror": "some/good.txt"})
    record = get(source, mirror=str(mirror))
    assert record["files"]["good.txt"]["place"] == {"mirror": "some/good.txt"}
    assert not server.asked


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.write_text("spoilt"), "wrong checksum, sha256 is "),
        (lambda path: path.write_bytes(PAGE), "a page (HTML) came instead of the file"),
        (lambda path: path.unlink(), "there is no file "),
    ],
)
def test_what_is_wrong_in_the_mirror_comes_from_the_url(get, server, mirror, spoil, said):
    spoil(mirror / "some" / "good.txt")
    record = get(dataset({"mirror": "some/good.txt"}, {"url": f"{server.url}/good.txt"}), mirror=mirror)
    about = record["files"]["good.txt"]
    assert about["place"] == {"url": f"{server.url}/good.txt"}
    (before,) = about["tried_before"]
    assert before["place"] == {"mirror": "some/good.txt"}
    assert before["reason"].startswith(said)


def test_without_a_mirror_its_places_are_passed_over(get, server):
    record = get(dataset({"mirror": "some/good.txt"}, {"url": f"{server.url}/good.txt"}), mirror="")
    assert [tried["reason"] for tried in record["files"]["good.txt"]["tried_before"]] == ["no mirror is set"]


def test_a_mirror_that_does_not_exist_is_an_error(get, tmp_path, server):
    source = dataset({"url": f"{server.url}/good.txt"})
    with pytest.raises(ConfigError, match=r"mirror: '.*nowhere' is not a directory; set SHIFTLR_MIRROR"):
        get(source, mirror=tmp_path / "nowhere")
    assert left_behind(tmp_path) == []


def test_stand_in_for_the_whole_dataset(get, server, dead, tmp_path):
    here, gone = {"url": f"{server.url}/good.txt"}, {"url": f"http://{dead}/other.txt"}
    source = dataset(here, other=[{"mirror": "some/other.txt"}, gone])
    record = get(source, on_missing="standin", standin=stand_in, planned="nothing")
    folder = tmp_path / "data" / "some"
    assert (folder / "good.txt").read_text() == "made up"  # though the real one could be had
    assert json.loads((folder / "provenance.json").read_text()) == record
    assert (record["kind"], record["planned"]) == ("standin", "nothing")
    assert record["files"] == {
        "good.txt": {"place": None, "sha256": sha256(b"made up"), "bytes": 7},
        "other.txt": {"place": None, "sha256": sha256(b"made up too"), "bytes": 11},
    }
    refused = f"no connection to {dead}: {REFUSED}"
    tried = [
        {"place": {"mirror": "some/other.txt"}, "reason": "no mirror is set"},
        {"place": gone, "reason": refused},
    ]
    assert record["missing"] == {"other.txt": {"sha256": sha256(OTHER), "tried": tried}}
    assert record["how_to_get"] == (
        "set SHIFTLR_MIRROR or --config mirror=DIR to a directory that has "
        f"some/other.txt, with the checksums in workflow/sources.yaml, or where {dead} can be reached, run make data"
    )


def test_how_to_get_files_of_packages(get, tmp_path):
    (tmp_path / "unreachable.json").write_text('{"pip": "no index"}')
    source = dataset(inside("wheel", "some==1.0", "good.txt"))
    record = get(source, on_missing="standin", standin=stand_in)
    assert record["how_to_get"] == "where pip's package index can be reached, run make data"


def test_a_stand_in_that_is_not_whole_is_none(get, dead, tmp_path):
    source = dataset({"url": f"http://{dead}/good.txt"})
    with pytest.raises(FileNotFoundError, match=r"some: its stand-in did not write good.txt"):
        get(source, on_missing="standin", standin=lambda folder: None)
    with pytest.raises(ZeroDivisionError):
        get(source, on_missing="standin", standin=lambda folder: 1 / 0)
    assert left_behind(tmp_path) == []


def test_an_error_lists_everything(get, server, dead, mirror, tmp_path):
    (mirror / "some" / "good.txt").unlink()
    urls = [f"{server.url}/absent.txt", f"http://{dead}/good.txt"]
    source = dataset({"mirror": "some/good.txt"}, *({"url": url} for url in urls), other=[{"url": urls[0]}])
    with pytest.raises(MissingData) as caught:
        get(source, mirror=mirror, standin=stand_in)
    assert str(caught.value) == (
        "some: 2 of 2 files cannot be had, and on_missing is 'error'. What to do: set SHIFTLR_MIRROR or --config "
        "mirror=DIR to a directory that has some/good.txt, with the checksums in workflow/sources.yaml, or where "
        f"{server.host} or {dead} can be reached, run make data."
    )
    assert caught.value.details == "\n".join(
        [
            "some: 2 of 2 files cannot be had, and on_missing is 'error':",
            f"  good.txt (sha256 {sha256(GOOD)})",
            f"    mirror some/good.txt: there is no file {mirror}/some/good.txt",
            f"    {urls[0]}: HTTP 404 Not Found",
            f"    {urls[1]}: no connection to {dead}: {REFUSED}",
            f"  other.txt (sha256 {sha256(OTHER)})",
            f"    {urls[0]}: HTTP 404 Not Found",
        ]
    )
    with pytest.raises(MissingData, match="cannot be had, and no stand-in is known"):
        get(source, mirror=mirror, on_missing="standin")
    with pytest.raises(ConfigError, match="on_missing: 'ignore' is not allowed; allowed are standin, error"):
        get(source, on_missing="ignore")
    assert left_behind(tmp_path) == []


def test_an_old_folder_is_replaced_or_untouched(get, server, tmp_path):
    folder = tmp_path / "data" / "some"
    folder.mkdir(parents=True)
    (folder / "old.txt").write_text("old")
    with pytest.raises(MissingData):
        get(dataset({"url": f"{server.url}/absent.txt"}))
    assert left_behind(tmp_path) == ["data/some", "data/some/old.txt"]
    get(dataset({"url": f"{server.url}/good.txt"}))
    assert left_behind(tmp_path) == ["data/some", "data/some/good.txt", "data/some/provenance.json"]


def test_verified_files_are_kept(get, mirror, tmp_path):
    source = dataset({"mirror": "some/good.txt"})
    first = get(source, mirror=mirror, kept=tmp_path / "kept")
    again = get(source, kept=tmp_path / "kept")  # without the mirror
    assert again == first
    (tmp_path / "kept" / source["files"]["good.txt"]["sha256"]).write_text("spoilt")
    with pytest.raises(MissingData):
        get(source, kept=tmp_path / "kept")


def test_what_was_fetched_once_is_not_downloaded_again(get, server, dead, tmp_path):
    here, gone = {"url": f"{server.url}/good.txt"}, {"url": f"http://{dead}/other.txt"}
    for other, kind in ((gone, "standin"), (gone, "standin"), ({"url": f"{server.url}/other.txt"}, "real")):
        source = dataset(here, other=[other])
        record = get(source, on_missing="standin", standin=stand_in, kept=tmp_path / "kept")
        assert record["kind"] == kind
        assert server.asked["/good.txt"] == 1
    assert (tmp_path / "data" / "some" / "good.txt").read_bytes() == GOOD
    assert record["files"]["good.txt"]["place"] == here


def test_collect(server, tmp_path):
    folders = [tmp_path / "first", tmp_path / "second"]
    for folder in folders:
        source = dataset({"url": f"{server.url}/good.txt"})
        sources.fetch(folder.name, source, folder, unreachable=tmp_path / "unreachable.json")
    records = sources.collect(folders)
    assert list(records) == ["first", "second"]
    assert records["second"] == json.loads((folders[1] / "provenance.json").read_text())


def test_our_own_file_is_valid():
    own = sources.load(ROOT / "workflow" / "sources.yaml")
    assert list(own["alon1999"]["files"]) == ["I2000.txt", "tissue.txt"]
    assert list(own["conll2003"]["files"]) == list(conll.FILES.values())
    assert {f"{name}.lst" for names in gazetteers.ANNIE.values() for name in names} | {"lists.def"} == set(
        own["annie"]["files"]
    )
    assert {name for names in census.FILES.values() for name in names} == set(own["names"]["files"])
    assert list(own["crowd2014"]["files"]) == [crowd.ARCHIVE]


def test_modules_of_stand_ins_can_write_them(tmp_path):
    for name, source in sources.load(ROOT / "workflow" / "sources.yaml").items():
        folder = tmp_path / name
        folder.mkdir()
        import_module(sources.standin_module(source)).write_standin(folder)
        assert {path.name for path in folder.iterdir()} == set(source["files"])
    assert sources.standin_module({"standin": "ner.conll"}) == "shiftbench.datasets.ner.conll"
