"""Config files as they are written: what YAML takes in silence, and what would kill its reader, is refused by name."""

import json

import pytest
from shiftbench.config.files import MOST_VALUES, check_files, problems_of
from shiftbench.config.schema import ConfigError
from small_config import ROOT

DOUBLING = "".join(
    f"{name}: &{name} [*{before}, *{before}]\n"
    for before, name in zip("abcdefghijklmnopqrst", "bcdefghijklmnopqrstu", strict=True)
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("seed: 1\nseed: 2\n", ["(top level)", "'seed' stands twice, in lines 1 and 2"]),
        ("methods:\n  a: {}\n  b: {}\n  a: {k: 1}\n", ["methods: ", "'a' stands twice, in lines 2 and 4"]),
        ("figures: {plate: {of: [a], of: [b]}}\n", ["figures.plate: ", "'of' stands twice"]),
        ("a: &x {}\nb:\n  <<: *x\n  <<: *x\n", ["b: ", "'<<' stands twice"]),
        ('{"seed": 1, "seed": 2}', ["'seed' stands twice"]),
        ("methods: &a\n  standard: {params: *a}\n", ["methods.standard.params", "holds itself (line 1)"]),
        ("only: &a [x, *a]\n", ["only.1", "holds itself"]),
        ("seed: " + "9" * 4000 + "\n", ["seed: a number of 4000 digits (line 1); at most 300"]),
        ("seed: " + "9" * 5000 + "\n", ["seed: a number of 5000 digits"]),
        ("seed: 0x" + "f" * 5000 + "\n", ["seed: a number of 5002 digits"]),
        ("a: &a [1, 1]\n" + DOUBLING, [f"anchors repeat values until there are 8388584; at most {MOST_VALUES}"]),
        ("only: " + "[" * 5000 + "]" * 5000, ["nested too deeply"]),
        ("only: [a\nseed: 1\n", ["is no YAML: line 2, column 5: did not find expected ',' or ']'"]),
        ("seed: a: b\n", ["is no YAML: line 1"]),
        ("title: \x00\n", ["is no YAML", "control characters are not allowed"]),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_one_line(text, wanted, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    (problem,) = problems_of(path)
    assert all(word in problem for word in wanted), problem
    with pytest.raises(ConfigError) as caught:
        check_files([path])
    assert str(caught.value).startswith("mine.yaml: ") and "\n" not in str(caught.value)


def test_files_that_cannot_be_read_are_refused(tmp_path):
    assert problems_of(tmp_path) == ["cannot be read: Is a directory"]
    (tmp_path / "latin.yaml").write_bytes("title: Größe\n".encode("latin-1"))
    assert problems_of(tmp_path / "latin.yaml") == ["cannot be read as UTF-8: byte 9 is 0xf6"]


def test_the_same_key_in_two_places_and_anchors_used_twice_are_fine(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("a: &a {k: 1}\nb: {k: 2, c: *a}\nd: {<<: *a, k: 3}\n", encoding="utf-8")
    assert problems_of(path) == []
    path.write_text("", encoding="utf-8")
    assert problems_of(path) == []


def test_json_that_is_no_yaml_is_left_to_snakemake(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"seed": 1}, indent="\t"), encoding="utf-8")
    assert problems_of(path) == []


def test_the_project_s_own_config_is_fine_and_far_from_the_limit():
    check_files([ROOT / "config.yaml", ROOT / "not_there.yaml"])
    assert len((ROOT / "config.yaml").read_text(encoding="utf-8").split()) < MOST_VALUES / 10


def test_all_that_is_wrong_with_all_files_is_said(tmp_path):
    for name in ("one.yaml", "two.yaml"):
        (tmp_path / name).write_text("a: 1\na: 2\nb: 1\nb: 2\n", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        check_files([tmp_path / "one.yaml", tmp_path / "two.yaml"])
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["one.yaml"] * 2 + ["two.yaml"] * 2
