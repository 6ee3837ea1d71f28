"""Archives that files are taken out of: zips at a URL, wheels, source distributions."""

import tarfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shiftbench.fetch.download import CHUNK, TooLarge, download, is_page, write
from shiftbench.fetch.hosts import FetchError, run_pip

# Of one file that pip may write as it unpacks a source distribution, which it does once the checksum is right.
_UNPACKED_BYTES = 64_000_000


def download_archive(place: dict[str, Any], folder: Path, seconds: float) -> Path:
    """The archive of a place, in a folder of its own; it may not be larger than the place says."""
    most = place["archive_bytes"]
    if "url" in place:
        return _download_zip(place["url"], folder, most, seconds)
    if "wheel" in place:
        return _download_package([place["wheel"], "--only-binary", ":all:"], folder, "*.whl", most, seconds)
    # pip runs the setup of a source distribution to learn what it is: only one with the right checksum is let that far.
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{place['sdist']} --hash=sha256:{place['archive_sha256']}\n", encoding="utf-8")
    words = ["--requirement", str(wanted), "--require-hashes", "--no-binary", ":all:", "--no-build-isolation"]
    return _download_package(words, folder, "*.tar.gz", max(most, _UNPACKED_BYTES), seconds)


def take_out(archive: Path, member: str, target: Path, most: int) -> None:
    """Put one member of an archive, which may have so many bytes, at `target`; nothing else is unpacked."""
    try:
        write(_chunks(archive, member), target, most)
    except TooLarge as error:
        raise TooLarge(f"{member!r} in {archive.name} is {error}") from error


def _download_zip(url, folder, most, seconds):
    archive = folder / "archive.zip"
    download(url, archive, most, seconds)
    if is_page(archive):
        raise FetchError("a page (HTML) came instead of a zip")
    return archive


def _download_package(words, folder, kind, most, seconds):
    run_pip(*("download", "--no-deps", "--dest", str(folder), *words), seconds=seconds, scratch=folder, most=most)
    found = list(folder.glob(kind))
    if len(found) != 1:
        raise FetchError(f"pip download left {len(found)} files {kind}, not one")
    return found[0]


def _chunks(archive, member) -> Iterator[bytes]:
    """A member in parts, each of which is unpacked when it is asked for."""
    try:
        with _opened(archive, member) as inside:
            while chunk := inside.read(CHUNK):
                yield chunk
    except KeyError as error:
        raise FetchError(f"{archive.name} has no member {member!r}") from error
    except (NotImplementedError, RuntimeError) as error:  # of a compression that Python does not know; with a password
        raise FetchError(f"{archive.name} cannot be unpacked: {error}") from error
    except MemoryError:
        raise
    except Exception as error:  # broken archives make Python's modules raise errors of many kinds
        raise FetchError(f"{archive.name} is no zip, or a broken or truncated one: {error}") from error


@contextmanager
def _opened(archive, member):
    """A member of a zip or tar; KeyError if there is no such file."""
    if zipfile.is_zipfile(archive) or archive.suffix != ".gz":
        with zipfile.ZipFile(archive) as opened, opened.open(member) as inside:
            yield inside
        return
    with tarfile.open(archive) as tar:
        about = tar.getmember(member)
        file = tar.extractfile(about) if about.isreg() else None  # links may lead in a circle
        if file is None:
            raise KeyError(member)
        yield file
