"""Rows of runs: on disk and back to the last bit, however they are cut into files; and what is asked of them."""

import json
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shiftbench import runs
from shiftbench.runs import COLUMNS, Runs, key_of, rows_of, values

REASONS = ["", 'a, "b"', "two\nlines", "NA", "nan", "é", "step 1\rstep 2", " ", "null", "'", '"', "1.0", "=1+1"]


def place(k=0, **changes):
    return {"experiment": "e", "scenario": f"s{k % 2}", "replicate": k // 6, "method": f"m{k % 3}"} | changes


def awkward_rows(n=100):
    """Rows with awkward numbers and words."""
    rng = np.random.default_rng(0)
    numbers = np.concatenate([rng.random(n), 10.0 ** rng.uniform(-300, 300, n), [5e-324, 1 / 3, 0.1 + 0.2]])
    rows = []
    for k, number in enumerate(numbers):
        metrics = {"lam": float(number), "accuracy": number, "seconds": float(np.nextafter(number, 1.0)), "k": int(k)}
        reason = REASONS[k % len(REASONS)]
        rows += rows_of(place(k), metrics, {"lam": float(number)}, "ok", reason, "report")
    return rows


def test_rows_on_disk_keep_every_bit(tmp_path):
    rows = awkward_rows()
    runs.write_rows(tmp_path / "a.csv", rows)
    read = runs.read_rows([tmp_path / "a.csv"])
    assert list(read.columns) == list(COLUMNS) and len(read) == len(rows)
    wanted = sorted(rows, key=lambda row: (row["scenario"], row["method"], row["replicate"]))
    for name in COLUMNS:
        assert read[name].tolist() == [row[name] for row in wanted], name
    assert [json.loads(text) for text in read["params"]] == [json.loads(row["params"]) for row in wanted]
    assert read["replicate"].dtype == int and read["value"].dtype == float


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.floats(allow_nan=False))
def test_any_reason_and_number_come_back(tmp_path_factory, reason, value):
    path = tmp_path_factory.mktemp("rows") / "a.csv"
    runs.write_rows(path, rows_of(place(), {"f1": value}, {}, "failed", reason))
    read = runs.read_rows([path])
    assert read["reason"].tolist() == [reason] and read["value"].tolist() == [value]


def test_a_value_that_is_not_a_number_stays_none(tmp_path):
    runs.write_rows(tmp_path / "a.csv", rows_of(place(), {"f1": np.nan, "g": 1.0}, {}, "failed", "no luck"))
    read = runs.read_rows([tmp_path / "a.csv"]).set_index("metric")["value"]
    assert np.isnan(read["f1"]) and read["g"] == 1.0


@pytest.mark.parametrize("cuts", [(0, 812), (0, 1, 100, 812), (0, 50, 51, 150, 812)])
def test_how_rows_are_cut_into_files_does_not_matter(cuts, tmp_path):
    rows = awkward_rows()
    assert len(rows) == 812
    runs.write_rows(tmp_path / "all.csv", rows)
    paths = [tmp_path / f"{first}.csv" for first in cuts[:-1]]
    for path, (first, last) in zip(paths, pairwise(cuts), strict=True):
        runs.write_rows(path, rows[first:last])
    expected = runs.read_rows([tmp_path / "all.csv"])
    pd.testing.assert_frame_equal(runs.read_rows(paths), expected)
    runs.write_table(tmp_path / "e.parquet", expected)
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "e.parquet"), expected)


def test_the_order_of_files_of_whole_replicates_does_not_matter(tmp_path):
    rows = awkward_rows()
    for k, first in enumerate(range(0, 812, 116)):  # 29 fits each
        runs.write_rows(tmp_path / f"{k}.csv", rows[first : first + 116])
    paths = sorted(tmp_path.glob("*.csv"))
    pd.testing.assert_frame_equal(runs.read_rows(paths), runs.read_rows(paths[::-1]))


def test_rows_of_a_job_without_replicates_have_their_columns(tmp_path):
    runs.write_rows(tmp_path / "a.csv", [])
    assert list(runs.read_rows([tmp_path / "a.csv"]).columns) == list(COLUMNS)


def test_a_metric_that_does_not_apply_has_no_row():
    rows = rows_of(place(), {"f1": 3.0, "flips": None, "g": np.nan}, {"k": np.int64(3), "lam": np.float64(0.1)})
    assert [row["metric"] for row in rows] == ["f1", "g"]
    assert all(row["params"] == '{"k": 3, "lam": 0.1}' for row in rows)
    assert all(set(row) == set(COLUMNS) for row in rows)


def test_arrays_come_back_sorted(tmp_path):
    first = {"s/b/0/test": np.array([1.5, -2.0]), "s/a/1/counts": np.arange(6).reshape(2, 3)}
    runs.write_arrays(tmp_path / "a.npz", first)
    runs.write_arrays(tmp_path / "b.npz", {"r/a/0/suspected": np.array([True, False])})
    runs.write_arrays(tmp_path / "c.npz", {})
    read = runs.read_arrays([tmp_path / name for name in ("a.npz", "b.npz", "c.npz")])
    assert list(read) == ["r/a/0/suspected", "s/a/1/counts", "s/b/0/test"]
    np.testing.assert_array_equal(read["s/a/1/counts"], first["s/a/1/counts"])
    assert read["s/b/0/test"].tolist() == [1.5, -2.0] and read["r/a/0/suspected"].dtype == bool
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz", "c.npz"]


def table_of(*rows):
    return pd.DataFrame([row for group in rows for row in group], columns=list(COLUMNS))


TABLE = table_of(
    rows_of(place(0, replicate=0), {"f1": 80.0, "g": 1.0}, {"k": 1, "alpha": 0.5}),
    rows_of(place(0, replicate=1), {"f1": 90.0, "g": 2.0}, {"k": 3}),
    rows_of(place(0, replicate=2), {"f1": np.nan}, {}, "failed", "no luck"),
    rows_of(place(0, replicate=3), {"f1": 70.0, "g": 4.0}, {"k": 1}),
)


@pytest.mark.parametrize(
    ("quantity", "wanted"),
    [
        ("f1", {0: 80.0, 1: 90.0, 3: 70.0}),
        ("g", {0: 1.0, 1: 2.0, 3: 4.0}),
        ("k", {0: 1.0, 1: 3.0, 3: 1.0}),
        ("k=1", {0: 1.0, 1: 0.0, 3: 1.0}),
        ("k=3.0", {0: 0.0, 1: 1.0, 3: 0.0}),
        ("alpha", {0: 0.5}),  # those that chose one
        ("lam", {}),
        ("lam=0.1", {}),
    ],
)
def test_a_quantity_is_a_metric_a_parameter_or_whether_it_has_a_value(quantity, wanted):
    found = values(TABLE, quantity)
    assert found.to_dict() == wanted and found.dtype == float


def test_runs_are_asked_by_experiment_scenario_and_method():
    table = table_of(*(rows_of(place(k, experiment=f"e{k % 5}"), {"f1": float(k)}, {}) for k in range(60)))
    found = Runs(table, {})
    assert found.of("e1")["value"].tolist() == [k for k in range(60) if k % 5 == 1]
    assert found.of("e1", "s1")["value"].tolist() == [k for k in range(60) if k % 5 == 1 and k % 2 == 1]
    assert found.of("e1", "s1", "m2")["value"].tolist() == [11.0, 41.0]
    assert found.values("e1", "s1", "m2", "f1").to_dict() == {1: 11.0, 6: 41.0}
    assert found.of("e9").empty and found.values("e9", "s1", "m2", "f1").empty


def test_the_runs_of_some_experiments_are_read_together(tmp_path):
    for name, value in (("a", 1.0), ("b", 2.0), ("c", 3.0)):
        runs.write_table(tmp_path / f"{name}.parquet", table_of(rows_of(place(experiment=name), {"f1": value}, {})))
        runs.write_arrays(tmp_path / f"{name}.npz", {"s/m/0/test": np.array([value])})
    found = runs.read_runs(tmp_path, ["c", "a"])
    assert found.table["experiment"].tolist() == ["c", "a"] and found.table["value"].tolist() == [3.0, 1.0]
    assert {key: array.tolist() for key, array in found.arrays.items()} == {
        "c/s/m/0/test": [3.0],
        "a/s/m/0/test": [1.0],
    }
    none = runs.read_runs(tmp_path, [])
    assert list(none.table.columns) == list(COLUMNS) and none.arrays == {}


def test_parameters_that_were_chosen_are_found_by_their_place(tmp_path):
    one = rows_of(place(0, replicate=3), {"f1": 1.0, "g": 2.0}, {"alpha": 0.1, "rule": "any", "deep": None})
    failed = rows_of(place(1, replicate=3), {"f1": np.nan}, {}, "failed", "no luck")
    runs.write_rows(tmp_path / "a.csv", one)
    runs.write_rows(tmp_path / "b.csv", failed + rows_of(place(2), {"f1": 1.0}, {}))
    found = runs.chosen_params([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert found == {"e.s0:m0#3": {"alpha": 0.1, "rule": "any", "deep": None}, "e.s0:m2#0": {}}
    assert key_of("e", "s0", "m0", 3) in found
    assert runs.chosen_params([]) == {}


def test_chosen_numbers_keep_every_bit(tmp_path):
    alphas = np.geomspace(0.1, 100.0, 19)
    rows = [row for k, alpha in enumerate(alphas) for row in rows_of(place(replicate=k), {"f1": 1.0}, {"alpha": alpha})]
    runs.write_rows(tmp_path / "a.csv", rows)
    found = runs.chosen_params([tmp_path / "a.csv"])
    assert [found[f"e.s0:m0#{k}"]["alpha"] for k in range(19)] == alphas.tolist()
