"""Results of fits: one long table with one row per metric, and arrays of single examples beside it.

The table's columns are `COLUMNS`. A metric at one setting of the grid, chosen or not, has it in its name (`metric_at`).
Facts of the data are rows too, of the method called "data". Arrays have keys `scenario/method/replicate/name`: `counts`
(by group of the test set) of every replicate, `suspected` of every replicate where examples are few and, of the first
one, `test` (the decision on each example), `suspicion` and `suspected`; of "data" `test_truth`, `labels`, `truth`,
`ids`.

Files of them say what they hold: rows their number and checksum, arrays their keys, the table its checksum. One that
was cut off, doubled or changed is a `DamagedFile`, and so is one that has other replicates than the plan (`Contents`).
"""

import csv
import hashlib
import io
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from shiftbench.files import DamagedFile, atomic_write, reading, write_text

DATA = "data"  # the method of rows that speak of the data
COLUMNS = (
    *("experiment", "scenario", "replicate", "method"),
    "params",  # that were chosen, as JSON
    *("metric", "value"),
    "status",  # ok, failed, or skipped where this machine lacks what the method needs
    "reason",  # why it failed or was skipped, or what it warned of
    "data",  # where the data come from: report, other, standin or quick
)
_TEXT = [name for name in COLUMNS if name not in ("replicate", "value")]
_ONE_ROW = ["experiment", "scenario", "replicate", "method", "metric"]  # for each of these
_KEYS = "contents"  # the array that lists the others


class Skipped(Exception):
    """A fit cannot be tried on this machine, for the reason given; that is no failure of the method."""


class Contents(NamedTuple):
    """What a file of rows, and the file of arrays beside it, should hold."""

    experiment: str
    method: str
    replicates: frozenset[tuple[str, int]]  # (scenario, number)


class Runs(NamedTuple):
    """The runs of some experiments."""

    table: pd.DataFrame
    arrays: dict[str, np.ndarray]  # with the experiment before the key: `table4/auto/robust/0/test`

    def of(self, experiment: str, scenario: str | None = None, method: str | None = None) -> pd.DataFrame:
        """The rows of an experiment, scenario or method."""
        wanted = self.table["experiment"] == experiment
        for column, value in (("scenario", scenario), ("method", method)):
            if value is not None:
                wanted &= self.table[column] == value
        return self.table[wanted]

    def values(self, experiment: str, scenario: str, method: str, quantity: str) -> pd.Series:
        """A quantity by replicate: a metric, a chosen parameter, or `parameter=value` for whether it is that value."""
        return values(self.of(experiment, scenario, method), quantity)


def values(rows: pd.DataFrame, quantity: str) -> pd.Series:
    """The same of the rows of one method and scenario."""
    rows = rows[rows["status"] == "ok"]
    measured = rows[rows["metric"] == quantity]
    if len(measured):
        return measured.set_index("replicate")["value"]
    name, _, wanted = quantity.partition("=")
    params = {row.replicate: json.loads(row.params) for row in rows.drop_duplicates("replicate").itertuples()}
    found = {replicate: chosen[name] for replicate, chosen in params.items() if name in chosen}
    series = pd.Series(found, dtype=float)
    return (series == float(wanted)).astype(float) if wanted else series


def metric_at(metric: str, setting: dict[str, Any]) -> str:
    """How a metric at one setting of a grid is called: `accuracy@k=3`, `accuracy@alpha=0.1,lam=1`."""
    given = [
        f"{name}={value:.6g}" if isinstance(value, float) else f"{name}={value}" for name, value in setting.items()
    ]
    return f"{metric}@{','.join(given)}"


def rows_of(
    place: dict[str, Any], metrics: dict[str, float | None], params: dict[str, Any], status="ok", reason="", data=""
) -> list[dict[str, Any]]:
    """One row per metric that applies; `place` has experiment, scenario, replicate and method."""
    common = place | {
        "params": json.dumps(params, default=lambda number: number.item()),  # a grid may hold NumPy's numbers
        "status": status,
        "reason": reason.encode(errors="backslashreplace").decode().replace("\0", "\\0"),  # what no file can hold
        "data": data,
    }
    return [common | {"metric": name, "value": value} for name, value in metrics.items() if value is not None]


def write_rows(path: str | Path, rows: list[dict[str, Any]]) -> None:
    """Rows as CSV with all of `COLUMNS` below a line with their number and checksum; numbers keep every bit."""
    text = io.StringIO()
    # Text is quoted: a reason may hold anything, even a lone carriage return, which pandas takes for the end of a row.
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    writer.writerows(rows)
    write_text(path, f"{_head(len(rows), text.getvalue().encode())}\n{text.getvalue()}")


def _head(count, body):
    """The first line of a file of rows."""
    return f"# {count} rows, sha256 {hashlib.sha256(body).hexdigest()}"


def read_rows(paths: Iterable[str | Path], wanted: Iterable[Contents] | None = None) -> pd.DataFrame:
    """The rows of many files in one table, sorted so that it does not matter how they were cut into files.

    `wanted` says what each of the files should hold.
    """
    paths = list(paths)
    tables = [_read_file(path) for path in paths]
    for path, table, contents in zip(paths, tables, [] if wanted is None else wanted, strict=wanted is not None):
        _check_contents(path, table, contents)
    table = pd.concat(tables, ignore_index=True)
    order = ["experiment", "scenario", "method", "replicate"]
    return table.sort_values(order, kind="stable", ignore_index=True)


def _read_file(path):
    kinds: dict[str, Any] = dict.fromkeys(_TEXT, str) | {"value": float, "replicate": int}
    with reading(path) as file:
        head, _, body = file.read().partition(b"\n")
        table = pd.read_csv(io.BytesIO(body), dtype=kinds, keep_default_na=False, na_values={"value": ["", "nan"]})
        if head.decode() != _head(len(table), body):
            raise DamagedFile(path, f"its {len(table)} rows are not those that were written")
        if table.duplicated(_ONE_ROW).any():
            raise DamagedFile(path, f"it has two rows for {_named(table[table.duplicated(_ONE_ROW)])}")
    return table


def _check_contents(path, table, wanted):
    others = table[(table["experiment"] != wanted.experiment) | (table["method"] != wanted.method)]
    if len(others):
        raise DamagedFile(path, f"it has rows of {_named(others)}")
    found = set(zip(table["scenario"], table["replicate"], strict=True))
    if found != wanted.replicates:
        lacking, more = sorted(wanted.replicates - found), sorted(found - wanted.replicates)
        said = [f"{words} replicate {one[0][1]} of {one[0][0]}" for words, one in (("no", lacking), ("a", more)) if one]
        raise DamagedFile(path, f"it has {' and '.join(said)}, {len(found)} of {len(wanted.replicates)} replicates")


def _named(rows):
    first = rows.iloc[0]
    return f"{first['experiment']}.{first['scenario']}:{first['method']}#{first['replicate']}, {first['metric']}"


def write_arrays(path: str | Path, arrays: dict[str, np.ndarray]) -> None:
    """Arrays by key."""
    with atomic_write(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **{_KEYS: np.array(list(arrays), dtype=str)}, **arrays)  # type: ignore[arg-type]


def read_arrays(paths: Iterable[str | Path]) -> dict[str, np.ndarray]:
    """The arrays of many files, sorted by key."""
    arrays: dict[str, np.ndarray] = {}
    for path in paths:
        with reading(path) as file, np.load(file) as stored:
            found = dict(stored)  # reads all, and compares it with the checksums in the archive
            if _KEYS not in found or found.pop(_KEYS).tolist() != list(found):
                raise DamagedFile(path, f"its {len(found)} arrays are not those that were written")
            if found.keys() & arrays.keys():
                raise DamagedFile(path, f"another file has {min(found.keys() & arrays.keys())} too")
            arrays |= found
    return dict(sorted(arrays.items()))


def write_table(path: str | Path, table: pd.DataFrame) -> None:
    """The table as Parquet, with a checksum among the attributes."""
    marked = table.copy(deep=False)
    marked.attrs = {"sha256": _checksum(table)}
    with atomic_write(path) as partial:
        marked.to_parquet(partial, index=False)


def read_table(path: str | Path) -> pd.DataFrame:
    """The table as it was written."""
    with reading(path) as file:
        table = pd.read_parquet(file)
        if table.attrs.pop("sha256", None) != _checksum(table):
            raise DamagedFile(path, f"its {len(table)} rows are not those that were written")
    return table


def _checksum(table):
    """Of all values."""
    digest = hashlib.sha256(json.dumps([*table.columns, len(table)]).encode())
    for name in table.columns:
        if name in _TEXT:
            digest.update("\0".join(table[name]).encode())
        else:
            values = table[name].to_numpy(dtype=float)
            digest.update(np.where(np.isnan(values), np.nan, values).tobytes())  # there is more than one NaN
    return digest.hexdigest()


def read_runs(folder: str | Path, experiments: Iterable[str]) -> Runs:
    """The combined runs of some experiments: `folder` has EXPERIMENT.parquet and EXPERIMENT.npz of each."""
    names = list(experiments)
    tables = [read_table(Path(folder, f"{name}.parquet")) for name in names]
    arrays: dict[str, np.ndarray] = {}
    for name in names:
        stored = read_arrays([Path(folder, f"{name}.npz")])
        arrays |= {f"{name}/{key}": values for key, values in stored.items()}
    table = pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=list(COLUMNS))
    return Runs(table, arrays)


def key_of(experiment: str, scenario: str, method: str, replicate: int) -> str:
    """How the parameters that a method chose on a replicate are called."""
    return f"{experiment}.{scenario}:{method}#{replicate}"


def chosen_params(paths: Iterable[str | Path]) -> dict[str, dict[str, Any]]:
    """The parameters that were chosen, by `key_of`; failed fits have none."""
    paths = list(paths)
    if not paths:
        return {}
    table = read_rows(paths)
    ok = table[table["status"] == "ok"].drop_duplicates(["experiment", "scenario", "method", "replicate"])
    return {
        key_of(row.experiment, row.scenario, row.method, row.replicate): json.loads(row.params)
        for row in ok.itertuples()
    }
