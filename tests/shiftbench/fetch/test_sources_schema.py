"""What workflow/sources.yaml may say: everything that the schema refuses is named."""

import pytest
import yaml
from data_server import dataset, inside
from shiftbench.config.schema import ConfigError
from shiftbench.fetch import sources


def test_every_key_of_the_schema_is_described():
    def keys(schema):
        for part in schema.get("properties", {}).values():
            yield part
            yield from keys(part)

    schema = yaml.safe_load(sources.SCHEMA.read_text())
    for part in [schema, *schema["$defs"].values()]:
        assert part["description"]
        assert all(key.get("description") for key in keys(part))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda d: d.update(author="me"),
            "some: unknown key 'author'; allowed are citation, files, licence, standin, title",
        ),
        (lambda d: d.pop("licence"), "some: 'licence' missing; needed are title, citation, licence, standin, files"),
        (lambda d: d.update(title=3), "some.title: 3 is not of type string"),
        (lambda d: d.pop("standin"), "some: 'standin' missing"),
        (lambda d: d.update(standin="Colon"), "some.standin: 'Colon' is not a module below shiftbench.datasets"),
        (lambda d: d.update(standin="..os"), "some.standin: '..os' is not a module below shiftbench.datasets"),
        (lambda d: d.update(standin="ner/conll"), "some.standin: 'ner/conll' is not a module"),
        (lambda d: d["files"].update({"../a": d["files"]["a.txt"]}), "some.files: '../a' is no name for a file"),
        (
            lambda d: d["files"].update({"provenance.json": d["files"]["a.txt"]}),
            "'provenance.json' is no name for a file",
        ),
        (lambda d: d["files"]["a.txt"].update(sha256="abc"), "some.files.a.txt.sha256: 'abc' is not 64 digits and"),
        (
            lambda d: d["files"]["a.txt"].pop("bytes"),
            "some.files.a.txt: 'bytes' missing; needed are sha256, bytes, places",
        ),
        (lambda d: d["files"]["a.txt"].update(bytes=0), "some.files.a.txt.bytes: 0 is less than the minimum of 1"),
        (lambda d: d["files"]["a.txt"].update(bytes="9"), "some.files.a.txt.bytes: '9' is not of type integer"),
        (lambda d: d["files"]["a.txt"].update(places=[]), "some.files.a.txt.places: [] should be non-empty"),
    ],
)
def test_what_is_wrong_in_a_file_is_named(tmp_path, change, said):
    some = dataset({"mirror": "a.txt"})
    some["files"] = {"a.txt": some["files"]["good.txt"]}
    change(some)
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"some": some}))
    with pytest.raises(ConfigError) as caught:
        sources.load(tmp_path / "mine.yaml")
    assert f"{tmp_path / 'mine.yaml'}: " in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ({"mirror": "../a.txt"}, "places.0.mirror: '../a.txt' is not a path below the mirror, without .."),
        ({"mirror": "/a.txt"}, "places.0.mirror: '/a.txt' is not a path below the mirror"),
        ({"url": "ftp://host/a.txt"}, "places.0.url: 'ftp://host/a.txt' is not an address http://HOST/PATH"),
        ({"url": "http://host:99999/a.txt"}, "places.0.url: 'http://host:99999/a.txt' is not an address"),
        ({"url": "http://[::1/a.txt"}, "places.0.url: 'http://[::1/a.txt' is not an address"),
        (inside("wheel", "a", "b"), "places.0.wheel: 'a' is not NAME==VERSION"),
        ({"wheel": "a==1", "member": "b"}, "is no place"),
        ({"url": "http://host/a.zip", "member": "b"}, "{url: URL of a zip, archive_bytes: SIZE, member: PATH}"),
        ({"url": "http://host/a", "archive_bytes": 3}, "is no place"),
        ({"wheel": "a==1"}, "is no place; a place is {mirror: PATH}, {url: URL}"),
        ({"mirror": "a", "url": "http://host/a"}, "is no place"),
        ({"mirror": "a", "member": "b"}, "is no place"),
        (
            {"sdist": "a==1", "member": "b"},
            "{sdist: NAME==VERSION, archive_sha256: CHECKSUM, archive_bytes: SIZE, member: PATH}",
        ),
        ({"sdist": "a==1", "archive_sha256": "0" * 64}, "is no place"),
        (inside("sdist", "a", "b", archive_sha256="0" * 64), "places.0.sdist: 'a' is not NAME==VERSION"),
        (
            inside("sdist", "a==1", "b", archive_sha256="0"),
            "archive_sha256: '0' is not 64 digits and lower-case",
        ),
        (
            {"path": "a"},
            "unknown key 'path'; allowed are archive_bytes, archive_sha256, member, mirror, sdist, url, wheel",
        ),
    ],
)
def test_what_is_wrong_in_a_place_is_named(tmp_path, place, said):
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump({"some": dataset(place)}))
    with pytest.raises(ConfigError) as caught:
        sources.load(tmp_path / "mine.yaml")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a: [", "is no YAML"),
        ("", "(top level): None is not of type object"),
        ("Upper: {}", "(top level): 'Upper' is no name for a dataset"),
        (None, "cannot be read: No such file or directory"),
    ],
)
def test_files_that_are_no_list_of_datasets(tmp_path, content, said):
    if content is not None:
        (tmp_path / "mine.yaml").write_text(content)
    with pytest.raises(ConfigError) as caught:
        sources.load(tmp_path / "mine.yaml")
    assert str(caught.value).startswith(str(tmp_path / "mine.yaml"))
    assert said in str(caught.value)
