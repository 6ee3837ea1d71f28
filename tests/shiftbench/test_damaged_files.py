"""Files of results that are not as they were written: none is taken, and the message names it and says what to do."""

import json

import numpy as np
import pandas as pd
import pytest
from shiftbench import runs
from shiftbench.config import checks, plan
from shiftbench.config.load import complete
from shiftbench.datasets import blocks
from shiftbench.files import DamagedFile
from shiftbench.runs import Contents, rows_of

EMPTY_ARCHIVE = b"PK\5\6" + bytes(18)
REPLICATES = frozenset(("s", k) for k in range(4))
WANTED = Contents("e", "m", REPLICATES)


def rows(numbers=range(4), **place):
    place = {"experiment": "e", "scenario": "s", "method": "m"} | place
    given = [rows_of(place | {"replicate": k}, {"f1": k / 7.0, "seconds": 0.1 * k}, {"lam": 0.1}) for k in numbers]
    return [row for group in given for row in group]


def table(given=None):
    return pd.DataFrame(rows() if given is None else given, columns=list(runs.COLUMNS))


def write(path):
    """A file of the kind that its name says."""
    if path.suffix == ".csv":
        runs.write_rows(path, rows())
    elif path.suffix == ".npz":
        runs.write_arrays(path, {f"s/m/{k}/counts": np.arange(30) * k for k in range(4)})
    else:
        runs.write_table(path, table())


def read(path):
    if path.suffix == ".csv":
        return runs.read_rows([path])
    return runs.read_arrays([path]) if path.suffix == ".npz" else runs.read_table(path)


def assert_refused(path):
    with pytest.raises(DamagedFile) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}: is damaged: ")
    assert str(caught.value).endswith("; delete it and run again")


@pytest.fixture(params=["0.csv", "0.npz", "0.parquet"])
def path(request, tmp_path):
    write(tmp_path / request.param)
    return tmp_path / request.param


def test_a_file_that_was_cut_off_is_refused_wherever_that_was(path):
    whole = path.read_bytes()
    for length in {*range(0, len(whole), max(len(whole) // 60, 1)), *range(len(whole) - 8, len(whole))}:
        path.write_bytes(whole[:length])
        assert_refused(path)


def test_a_file_of_which_some_bytes_were_changed_is_not_taken_for_another(path):
    """What can still be read is what was written: archives have bytes that nobody reads."""
    whole, wanted = path.read_bytes(), read(path)
    places = np.random.default_rng(0).choice(len(whole), 150, replace=False)
    refused = 0
    for place in places:
        changed = bytearray(whole)
        changed[place] ^= 1 << int(place) % 8
        path.write_bytes(changed)
        try:
            found = read(path)
        except DamagedFile:
            refused += 1
            continue
        assert path.suffix != ".csv"
        pd.testing.assert_series_equal(pd.Series(found), pd.Series(wanted)) if path.suffix == ".npz" else (
            pd.testing.assert_frame_equal(found, wanted)
        )
    assert refused > 50


def test_a_doubled_file_gives_nothing_twice(path):
    whole, wanted = path.read_bytes(), read(path)
    path.write_bytes(whole * 2)
    if path.suffix == ".csv":
        assert_refused(path)
    else:  # the reader of an archive, or of Parquet, sees one of the two
        assert len(read(path)) == len(wanted)


@pytest.mark.parametrize("kept", [0, 1, 2, 7])
def test_rows_that_are_gone_or_there_twice_are_missed(tmp_path, kept):
    path = tmp_path / "0.csv"
    write(path)
    head, *body = path.read_text().splitlines(keepends=True)
    for lines in (body[: kept + 1], [*body, *body[1 : kept + 1]]):
        if lines != body:
            path.write_text(head + "".join(lines))
            assert_refused(path)
    path.write_text("".join(body))  # without the line that says what there is
    assert_refused(path)


def test_arrays_that_are_gone_are_missed(tmp_path):
    path = tmp_path / "0.npz"
    write(path)
    with np.load(path) as stored:
        arrays = dict(stored)
    path.write_bytes(EMPTY_ARCHIVE)
    assert_refused(path)
    np.savez_compressed(path, **{key: value for key, value in arrays.items() if "/3/" not in key})
    assert_refused(path)
    runs.write_arrays(path, {})
    assert runs.read_arrays([path]) == {}  # which was written so
    write(path)
    with pytest.raises(DamagedFile, match="another file has s/m/0/counts too"):
        runs.read_arrays([path, path])


@pytest.mark.parametrize("change", [lambda one: one.iloc[:0], lambda one: one.iloc[:-1], lambda one: one.iloc[::-1]])
def test_a_table_that_was_written_by_others_is_refused(tmp_path, change):
    path = tmp_path / "e.parquet"
    write(path)
    change(runs.read_table(path)).to_parquet(path, index=False)
    assert_refused(path)
    write(path)
    kept = pd.read_parquet(path)  # with the checksum, which pandas keeps
    change(kept).to_parquet(path, index=False)
    assert_refused(path)


def test_files_that_are_not_there_are_not_damaged(tmp_path):
    for name in ("0.csv", "0.npz", "0.parquet"):
        with pytest.raises(FileNotFoundError):
            read(tmp_path / name)


def test_the_same_results_are_the_same_bytes(path):
    before = path.read_bytes()
    write(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (rows(range(3)), "it has no replicate 3 of s, 3 of 4 replicates"),
        (rows(range(5)), "it has a replicate 4 of s, 5 of 4 replicates"),
        (rows(range(1, 5)), "it has no replicate 0 of s and a replicate 4 of s, 4 of 4 replicates"),
        ([], "it has no replicate 0 of s, 0 of 4 replicates"),
        (rows() + rows([0], method="n"), "it has rows of e.s:n#0, f1"),
        (rows(experiment="d"), "it has rows of d.s:m#0, f1"),
        (rows() + rows([2]), "it has two rows for e.s:m#2, f1"),
    ],
)
def test_a_file_of_another_block_is_refused(tmp_path, given, said):
    """Whole, but not what the plan says: left from another config, or copied to a wrong place."""
    path = tmp_path / "0.csv"
    runs.write_rows(path, given)
    with pytest.raises(DamagedFile) as caught:
        runs.read_rows([path], [WANTED])
    assert str(caught.value) == f"{path}: is damaged: {said}; delete it and run again"


def test_what_the_plan_says_is_taken(tmp_path):
    runs.write_rows(tmp_path / "0.csv", rows())
    assert len(runs.read_rows([tmp_path / "0.csv"], [WANTED])) == 8


def test_the_plan_says_what_each_file_holds():
    about = {"dataset": "simulated", "methods": ["standard", "robust"], "replicates": 3, "replicates_per_job": 4}
    about |= {"scenarios": {"a": {}, "b": {"methods": ["robust"]}}}
    config = complete({"methods": {"standard": {}, "robust": {}}, "experiments": {"e": about}})
    found = plan.files_of_rows(config, "e")
    first, second = {("a", 0), ("a", 1), ("a", 2), ("b", 0)}, {("b", 1), ("b", 2)}
    assert found == {
        "data/e/0_facts": ("e", "data", first),
        "data/e/1_facts": ("e", "data", second),
        "runs/e/standard/0": ("e", "standard", {("a", 0), ("a", 1), ("a", 2)}),
        "runs/e/robust/0": ("e", "robust", first),
        "runs/e/robust/1": ("e", "robust", second),
    }
    assert plan.DATA == runs.DATA == checks.RESERVED


@pytest.mark.parametrize("dataset", ["simulated", "plain"])
def test_a_block_of_data_that_was_cut_off_is_named(tmp_path, dataset):
    (tmp_path / "datasets").mkdir()
    text = "from shiftbench.datasets import simulated\nDEFAULTS = simulated.DEFAULTS\nload = simulated.load\n"
    (tmp_path / "datasets" / "plain.py").write_text(text)
    job = {
        "experiment": "e",
        "dataset": dataset,
        "plugins": str(tmp_path),
        "folders": {},
        "seed": 1,
        "shared_seed": None,
    }
    data = {"features": 2, "train": 20, "dev": 10, "test": 10}
    job |= {"segments": [["s", 0, 1]], "scenarios": {"s": {"data": data, "noise": None}}}
    path = tmp_path / "0.npz"
    blocks.write(path, job)
    whole = path.read_bytes()
    assert len(list(blocks.read(path))) == 2
    for content in (b"", whole[:100], whole[: len(whole) // 2], whole[:-1], EMPTY_ARCHIVE):
        path.write_bytes(content)
        with pytest.raises(DamagedFile, match=r"0\.npz: is damaged: .*; delete it and run again"):
            list(blocks.read(path))


def test_reasons_that_no_file_can_hold_are_written_down(tmp_path):
    place = {"experiment": "e", "scenario": "s", "replicate": 0, "method": "m"}
    runs.write_rows(tmp_path / "0.csv", rows_of(place, {"f1": np.nan}, {}, "failed", "a\0b \ud800 é"))
    found = runs.read_rows([tmp_path / "0.csv"])
    assert found["reason"].tolist() == ["a\\0b \\ud800 é"]
    runs.write_table(tmp_path / "e.parquet", found)
    pd.testing.assert_frame_equal(runs.read_table(tmp_path / "e.parquet"), found)
    assert json.loads(found["params"][0]) == {}
