"""Blocks of replicates on disk: whole, or, for data that are cheap to draw again, labels and checksums only."""

import hashlib
import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from shiftbench import plugins
from shiftbench.datasets import base
from shiftbench.datasets.base import Part, Replicate
from shiftbench.files import atomic_write, contents_of

_FIELDS = ("labels", "truth", "groups", "ids")


def dataset_of(job: dict[str, Any]):
    """The dataset's module."""
    return plugins.load_file("datasets", job["dataset"], job["plugins"])


def draw(job: dict[str, Any], dataset, scenario: str, number: int) -> Replicate:
    """One replicate; `job` says what is drawn how (see `shiftbench.config.plan.data_settings`)."""
    about = job["scenarios"][scenario]
    noise = None
    if about["noise"]:
        kind = about["noise"]["kind"]
        settings = {key: value for key, value in about["noise"].items() if key != "kind"}
        noise = plugins.load_function("noise", kind, job["plugins"])(**settings)
    seed = base.seed_of(f"{job['experiment']}.{scenario}", number, job["seed"], job["shared_seed"])
    settings = getattr(dataset, "DEFAULTS", {}) | about["data"] | {"folders": job["folders"]}
    return base.draw(dataset, settings, noise, seed, scenario, number)


def draw_all(job: dict[str, Any]) -> Iterator[Replicate]:
    """The replicates of a block."""
    dataset = dataset_of(job)
    for scenario, first, last in job["segments"]:
        for number in range(first, last + 1):
            yield draw(job, dataset, scenario, number)


def write(path: str | Path, job: dict[str, Any]) -> list[Replicate]:
    """Draw a block and write it; returns the replicates, of redrawn datasets without features."""
    redrawn = getattr(dataset_of(job), "REDRAWN", False)
    arrays: dict[str, Any] = {}
    labels: dict[str, list[np.ndarray]] = {}
    recipe: dict[str, Any] = {"job": job, "redrawn": redrawn, "replicates": []}
    kept = []
    for replicate in draw_all(job):
        about = {"scenario": replicate.scenario, "number": replicate.number, "about": replicate.about}
        if redrawn:
            about["sha256"] = base.checksum(replicate)
            for key, packed in _packed_labels(replicate):
                labels.setdefault(key, []).append(packed)
        else:
            about["parts"] = {name: _store(_pack(part), arrays) for name, part in replicate.parts.items()}
        recipe["replicates"].append(about)
        kept.append(_without_features(replicate) if redrawn else replicate)
    arrays |= {key: np.stack(rows) for key, rows in labels.items()}
    text = json.dumps(recipe, default=lambda number: number.item())
    with atomic_write(path) as partial, partial.open("wb") as file:
        np.savez_compressed(file, **arrays, recipe=np.array(text))
    return kept


def read(path: str | Path, scenarios: Collection[str] | None = None) -> Iterator[Replicate]:
    """The replicates of a block, one after the other, exactly as they were when it was written."""
    with Path(path).open("rb") as file:
        with contents_of(path):
            stored = np.load(file)
            recipe = json.loads(str(stored["recipe"]))
        restore = _redraw if recipe["redrawn"] else _restore
        yield from restore(path, recipe, stored, scenarios)


def _store(packed, arrays):
    """Keep arrays under their checksums, so that what replicates have in common is kept once; returns the names."""
    names = {field: _checksum(values) for field, values in packed.items()}
    arrays |= {names[field]: values for field, values in packed.items()}
    return names


def _checksum(values):
    values = np.ascontiguousarray(values)
    return hashlib.sha256(f"{values.dtype} {values.shape} ".encode() + values.tobytes()).hexdigest()[:32]


def _restore(path, recipe, stored, scenarios):
    """What was stored whole."""
    known: dict[str, np.ndarray] = {}  # arrays that replicates have in common are read once
    for about in recipe["replicates"]:
        if scenarios is not None and about["scenario"] not in scenarios:
            continue
        for name in [name for fields in about["parts"].values() for name in fields.values()]:
            if name not in known:
                with contents_of(path):
                    known[name] = stored[name]
                if _checksum(known[name]) != name:
                    raise _changed(path, about["scenario"], about["number"])
        parts = {
            part: _unpack({field: known[name] for field, name in fields.items()}, base.count_classes(about["about"]))
            for part, fields in about["parts"].items()
        }
        yield Replicate(about["scenario"], about["number"], parts, about["about"])


def _redraw(path, recipe, stored, scenarios):
    """What is drawn again, and must have the labels and checksums that were stored."""
    with contents_of(path):
        labels = {name: stored[name] for name in stored.files if name != "recipe"}
    dataset = dataset_of(recipe["job"])
    rows: dict[str, int] = {}
    for about in recipe["replicates"]:
        scenario, number = about["scenario"], about["number"]
        row = rows[scenario] = rows.get(scenario, -1) + 1
        if scenarios is not None and scenario not in scenarios:
            continue
        replicate = draw(recipe["job"], dataset, scenario, number)
        same = all(np.array_equal(labels[key][row], packed) for key, packed in _packed_labels(replicate))
        if not same or base.checksum(replicate) != about["sha256"]:
            raise _changed(path, scenario, number)
        yield replicate


def _changed(path, scenario, number):
    return ValueError(
        f"{path}: replicate {number} of {scenario} is not what it was when the file was written; another numpy or "
        "another generator? Delete the file and run again."
    )


def _packed_labels(replicate):
    """(place, labels in as little room as they need) of each part, as given and as they truly are."""
    for name, part in replicate.parts.items():
        for field in ("labels", "truth"):
            yield f"{replicate.scenario}/{name}/{field}", _packed(getattr(part, field), part.n_classes)


def _packed(labels, n_classes):
    """Two classes as bits, eight to a byte; more as small whole numbers."""
    if n_classes == 2:
        return np.packbits(np.asarray(labels, dtype=bool))
    return np.asarray(labels).astype(np.min_scalar_type(n_classes - 1))


def _without_features(replicate):
    """What is said of a replicate can stay in memory; its features need not."""
    parts = {name: part._replace(X=np.empty((len(part.labels), 0))) for name, part in replicate.parts.items()}
    return replicate._replace(parts=parts)


def _pack(part: Part) -> dict[str, np.ndarray]:
    """All of a part; sparse features that are all ones by their places alone."""
    arrays = {field: getattr(part, field) for field in _FIELDS if getattr(part, field) is not None}
    arrays |= {f"tag.{name}": values for name, values in part.tags.items()}
    if not sparse.issparse(part.X):
        return arrays | {"X": np.asarray(part.X)}
    X = sparse.csr_array(part.X)
    arrays |= {"X.indices": X.indices.astype(np.int32), "X.ends": X.indptr.astype(np.int32)}
    arrays["X.shape"] = np.array(X.shape)
    return arrays if np.all(X.data == 1.0) else arrays | {"X.values": X.data}


def _unpack(arrays: dict[str, np.ndarray], n_classes: int) -> Part:
    fields = {name: arrays[name] for name in _FIELDS if name in arrays}
    tags = {name.removeprefix("tag."): values for name, values in arrays.items() if name.startswith("tag.")}
    if "X" in arrays:
        return Part(X=arrays["X"], tags=tags, n_classes=n_classes, **fields)
    indices, ends = arrays["X.indices"], arrays["X.ends"]
    values = arrays["X.values"] if "X.values" in arrays else np.ones(len(indices))
    X = sparse.csr_array((values, indices, ends), shape=tuple(arrays["X.shape"]))
    return Part(X=X, tags=tags, n_classes=n_classes, **fields)
