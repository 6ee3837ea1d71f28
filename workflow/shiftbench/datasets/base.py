"""What a dataset is: a file with a function `load(settings, rng)` that returns its parts by name.

    def load(settings, rng):
        X, y = load_breast_cancer(return_X_y=True)
        return split(X, y, rng, dev=0.25, test=0.25)

`settings` are those of the config (`data`), with the folders of fetched files under "folders" where the module says
which it needs (`SOURCES = ("alon1999",)`). Parts are called train, dev and test; only train must be there. "about" may
hold facts: numbers for the table of data, "origin", one of `ORIGINS`, and "classes", the names of the classes in the
order of their codes, without which there are two. `load` may also yield (name, part) one after the other: noise is then
drawn from the same random numbers as soon as a part is there, and so more than two classes have to be named before.

`DEFAULTS` of a module are the settings it knows; others are refused. A module whose data are cheap to draw again says
`REDRAWN = True`: then only labels and checksums are kept on disk. One that reads files of the user's own has a function
`files(settings)` that lists them: then a change of them is seen. One whose size is a setting has a function
`memory(settings, replicates)`, the bytes that a job with so many replicates needs: then too large ones are refused.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

PARTS = ("train", "dev", "test")
# Of the report; other data of the same kind; made up because the real ones could not be had; made smaller.
ORIGINS = ("report", "other", "standin", "quick")


class Part(NamedTuple):
    """Examples to train, tune or test on. Labels are 0 or 1 (or booleans); of more classes, whole numbers from 0 on."""

    X: Any  # dense or sparse
    labels: np.ndarray  # as they were given; noise makes some of them wrong
    truth: np.ndarray | None = None  # where it is known
    groups: np.ndarray | None = None  # never split between folds
    ids: np.ndarray | None = None
    tags: Mapping[str, np.ndarray] = {}  # what else is known of each example, by name
    n_classes: int = 2  # which `draw` takes from what the dataset says of itself

    def take(self, rows) -> "Part":
        """Some of the examples."""
        of = lambda values: None if values is None else values[rows]  # noqa: E731
        tags = {name: values[rows] for name, values in self.tags.items()}
        fields = (self.labels[rows], of(self.truth), of(self.groups), of(self.ids))
        return Part(self.X[rows], *fields, tags, self.n_classes)


class Replicate(NamedTuple):
    """One draw of a scenario."""

    scenario: str
    number: int
    parts: dict[str, Part]
    about: dict[str, Any]


def seed_of(name: str, number: int, seed: int | None, shared_seed: int | None = None) -> np.random.SeedSequence:
    """The seed of a replicate: from the scenario's name and its number, or shared by all scenarios of an experiment."""
    if shared_seed is not None:
        return np.random.SeedSequence(shared_seed + number)
    if seed is None:
        raise ValueError(f"{name}: give a seed, or one that all scenarios share")
    key = int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    return np.random.SeedSequence([seed, key, number])


def restart(rng: np.random.Generator) -> np.random.Generator:
    """The same random numbers from the beginning, so that one draw does not depend on what was drawn before it."""
    return np.random.default_rng(rng.bit_generator.seed_seq)  # type: ignore[arg-type]


def draw(dataset, settings: dict[str, Any], noise, seed: np.random.SeedSequence, scenario: str, number: int):
    """Replicate `number` of a scenario; `noise(part, rng)` says which labels of train and dev are flipped."""
    rng = np.random.default_rng(seed)
    loaded = dataset.load(settings, rng)
    parts: dict[str, Part] = {}
    about: dict[str, Any] = loaded.get("about", {}) if isinstance(loaded, Mapping) else {}
    for name, part in loaded.items() if isinstance(loaded, Mapping) else loaded:
        if name == "about":
            about = part
            continue
        if name not in PARTS:
            raise ValueError(f"{dataset.__name__}: {name!r} is no part; parts are {', '.join(PARTS)}")
        if name == "test":
            parts[name] = part if part.truth is not None else part._replace(truth=part.labels)
        elif noise:
            checked = _with_classes(part, about, f"{dataset.__name__}: {name}")
            parts[name] = flip(checked, noise(checked, rng))
        else:
            parts[name] = part
    if "train" not in parts:
        raise ValueError(f"{dataset.__name__}: load gave no part 'train'; it gave {', '.join(parts) or 'none'}")
    if noise and parts["train"].n_classes != count_classes(about):
        raise ValueError(f"{dataset.__name__}: yield 'about' with the classes before the parts that get noise")
    parts = {name: _with_classes(part, about, f"{dataset.__name__}: {name}") for name, part in parts.items()}
    return Replicate(scenario, number, parts, facts(parts, about))


def count_classes(about: Mapping[str, Any]) -> int:
    """How many classes a dataset has, by what it says of itself."""
    classes = about.get("classes")
    if classes is None:
        return 2
    if isinstance(classes, str) or len(set(classes)) != len(classes) or len(classes) < 2:
        raise ValueError(f"classes: {classes!r} must be a list of two or more names, each another one")
    return len(classes)


def _with_classes(part, about, place):
    """The part with the number of classes; a ValueError unless labels fit it, and are as many as there are examples."""
    n_classes = count_classes(about)
    for field in ("labels", "truth"):
        if getattr(part, field) is None:
            continue
        values = np.asarray(getattr(part, field))
        if len(values) != part.X.shape[0]:
            raise ValueError(f"{place}: has {part.X.shape[0]} examples, but {len(values)} {field}")
        if values.dtype.kind not in ("biuf" if n_classes == 2 else "iu") or not np.isin(values, range(n_classes)).all():
            allowed = "0 or 1" if n_classes == 2 else f"whole numbers from 0 to {n_classes - 1}"
            found = np.unique(values)[:5].tolist()
            more = "" if n_classes > 2 else "; name more classes in about['classes']"
            raise ValueError(f"{place}: {field} must be {allowed}; there are {found}{more}")
    return part._replace(n_classes=n_classes)


def flip(part: Part, flipped: np.ndarray) -> Part:
    """The part with some labels made wrong; what it was given is its truth where nothing else is known.

    `flipped` says which labels are wrong. Of more than two classes it may say by how many classes each label moves on;
    the first class follows the last.
    """
    truth = part.labels if part.truth is None else part.truth
    if part.n_classes > 2:
        labels = ((truth.astype(int) + np.asarray(flipped)) % part.n_classes).astype(truth.dtype)
    else:
        labels = truth ^ flipped if truth.dtype == bool else np.where(flipped, 1 - truth, truth)
    return part._replace(labels=labels, truth=truth)


def facts(parts: dict[str, Part], about: dict[str, Any]) -> dict[str, Any]:
    """What is said of a replicate: sizes, the share of wrong labels, and what the dataset says of itself.

    Of more than two classes, all but the first are positives, and the size of each is said too.
    """
    train = parts["train"]
    positives = int(np.sum(train.labels != 0))
    found = {
        "origin": "report",
        "positives": positives,
        "negatives": len(train.labels) - positives,
        "features": train.X.shape[1],
    }
    if train.n_classes > 2:
        sizes = np.bincount(train.labels, minlength=train.n_classes).tolist()
        found |= {f"examples_{name}": size for name, size in zip(about["classes"], sizes, strict=True)}
    if train.truth is not None:
        found["mislabelled"] = float(np.mean(train.labels != train.truth))
    return found | about


def split(X, y, rng, *, dev: float = 0.25, test: float = 0.25, truth=None, groups=None, ids=None) -> dict[str, Part]:
    """Parts of a dataset, drawn at random; `groups` are never split. Labels of the test set are the true ones."""
    y, X = np.asarray(y), sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    truth, groups, ids = (None if values is None else np.asarray(values) for values in (truth, groups, ids))
    whole = Part(X, y, truth, groups, ids)
    units = np.arange(len(y)) if groups is None else np.unique(groups, return_inverse=True)[1]
    n_units = int(units.max()) + 1
    place = np.empty(n_units, dtype=int)
    place[rng.permutation(n_units)] = np.arange(n_units)
    n_test, n_dev = round(test * n_units), round(dev * n_units)
    if n_units - n_test - n_dev < 2:
        raise ValueError(f"dev={dev}, test={test}: leave {n_units - n_test - n_dev} of {n_units} for the train set")
    of_unit = np.digitize(place, [n_test, n_test + n_dev])
    rows = {name: np.flatnonzero(of_unit[units] == k) for k, name in enumerate(("test", "dev", "train"))}
    parts = {name: whole.take(rows[name]) for name in ("train", "dev", "test") if len(rows[name])}
    if "test" in parts:
        known = parts["test"].labels if parts["test"].truth is None else parts["test"].truth
        parts["test"] = parts["test"]._replace(labels=known, truth=known)
    return parts


def checksum(replicate: Replicate) -> str:
    """Of all features and labels."""
    digest = hashlib.sha256()
    for part in replicate.parts.values():
        for values in (*_arrays_of(part.X), part.labels, part.truth):
            if values is not None:
                digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _arrays_of(X):
    """Features as arrays that do not depend on how a sparse matrix is stored."""
    if not sparse.issparse(X):
        return (X,)
    X = sparse.csr_array(X)
    return X.indptr.astype(np.int64), X.indices.astype(np.int64), X.data.astype(float)


def check_settings(module, settings: Iterable[str]) -> list[str]:
    """Settings that a dataset does not know; one without `DEFAULTS` takes any."""
    known = getattr(module, "DEFAULTS", None)
    return [] if known is None else sorted(set(settings) - set(known))
