"""Places a file can be had from: a mirror directory, a URL, a zip at a URL, a package. FetchError says why not."""

import re
import shutil
import sys
import tarfile
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from shiftbench.fetch.hosts import CONNECT_SECONDS, FetchError, Notes, Unreachable, host_of, reach, run_pip
from shiftbench.files import sha256_of

READ_SECONDS = 10.0  # without a byte: a host that connects and then keeps silent must not hold up a run
PACKAGE_SECONDS = 120.0
_PAGE = re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype\s+html|html|head|body|!--)", re.IGNORECASE)


@dataclass
class FetchContext:
    """What the places of one dataset share."""

    mirror: Path | None
    notes: Notes
    downloads: Path  # for archives and whatever else is thrown away at the end
    archives: dict[frozenset, Path | FetchError] = field(default_factory=dict)  # fetched once for all members


def text(place: dict[str, str]) -> str:
    """A place in words."""
    (kind, where), *more = ((key, place[key]) for key in ("mirror", "url", "wheel", "sdist", "member") if key in place)
    return (where if kind == "url" else f"{kind} {where}") + "".join(f", {value} in it" for _, value in more)


def in_order(places: list[dict[str, str]]) -> list[dict[str, str]]:
    """The order in which places are asked: what the user has at hand comes first."""
    return sorted(places, key=lambda place: "mirror" not in place)


def in_mirror(place: dict[str, str], sha256: str, mirror: Path | None) -> bool:
    """Whether the right file lies at this place in the mirror."""
    path = mirror / place["mirror"] if mirror and "mirror" in place else None
    try:
        return path is not None and path.is_file() and sha256_of(path) == sha256
    except PermissionError:
        return False


def obtain(place: dict[str, str], sha256: str, target: Path, context: FetchContext) -> None:
    """Put the file with this checksum from this place at `target`, or raise FetchError and leave nothing there."""
    try:
        if "mirror" in place:
            _copy(place["mirror"], target, context.mirror)
        elif "member" in place:
            _take_out(_archive(place, context), place["member"], target)
        else:
            with context.notes.asking(str(host_of(place))):
                reach(place, CONNECT_SECONDS)
                _download(place["url"], target, sha256)
        if reason := _mismatch(target, sha256):
            raise FetchError(reason)
    except BaseException:
        target.unlink(missing_ok=True)
        raise


def _copy(path, target, mirror):
    if mirror is None:
        raise FetchError("no mirror is set")
    if not (mirror / path).is_file():
        raise FetchError(f"there is no file {mirror / path}")
    try:
        shutil.copyfile(mirror / path, target)
    except PermissionError as error:
        raise FetchError(f"{mirror / path} cannot be read: {error.strerror}") from error


def _mismatch(path, sha256):
    """What is wrong with a file that should have this checksum, or None."""
    actual = sha256_of(path)
    if actual == sha256:
        return None
    page = "a page (HTML) came instead of the file: " if _is_page(path) else ""
    return f"{page}wrong checksum, sha256 is {actual} and should be {sha256}"


def _is_page(path):
    with path.open("rb") as file:
        return _PAGE.match(file.read(1000)) is not None


def _archive(place, context):
    """The archive of a place; if it could not be had the first time, the same error again."""
    key = frozenset(place.items() - {("member", place["member"])})  # a package's wheel and its source are two archives
    if key not in context.archives:
        folder = context.downloads / str(len(context.archives))
        folder.mkdir()
        try:
            with context.notes.asking(str(host_of(place))):
                reach(place, CONNECT_SECONDS)
                context.archives[key] = _download_archive(place, folder)
        except FetchError as error:
            context.archives[key] = error
    archive = context.archives[key]
    if isinstance(archive, FetchError):
        raise archive
    return archive


def _download_archive(place, folder):
    if "url" in place:
        return _download_zip(place["url"], folder)
    if "wheel" in place:
        return _download_package([place["wheel"], "--only-binary", ":all:"], folder, "*.whl")
    # pip runs the setup of a source distribution to learn what it is: only one with the right checksum is let that far.
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{place['sdist']} --hash=sha256:{place['archive_sha256']}\n", encoding="utf-8")
    words = ["--requirement", str(wanted), "--require-hashes", "--no-binary", ":all:", "--no-build-isolation"]
    return _download_package(words, folder, "*.tar.gz")


def _download_zip(url, folder):
    archive = folder / "archive.zip"
    _download(url, archive, None)
    if _is_page(archive):
        raise FetchError("a page (HTML) came instead of a zip")
    return archive


def _download_package(words, folder, kind):
    run_pip(*("download", "--no-deps", "--dest", str(folder), *words), seconds=PACKAGE_SECONDS, scratch=folder)
    found = list(folder.glob(kind))
    if len(found) != 1:
        raise FetchError(f"pip download left {len(found)} files {kind}, not one")
    return found[0]


@contextmanager
def _opened(archive, member):
    """A member of a zip or tar; KeyError if there is no such file."""
    if zipfile.is_zipfile(archive) or archive.suffix != ".gz":
        with zipfile.ZipFile(archive) as opened, opened.open(member) as inside:
            yield inside
        return
    with tarfile.open(archive) as tar:
        file = tar.extractfile(member)
        if file is None:
            raise KeyError(member)
        yield file


def _take_out(archive, member, target):
    try:
        with _opened(archive, member) as inside, target.open("wb") as file:
            shutil.copyfileobj(inside, file)
    except KeyError as error:
        raise FetchError(f"{archive.name} has no member {member!r}") from error
    except (zipfile.BadZipFile, tarfile.TarError, zlib.error, EOFError) as error:
        raise FetchError(f"{archive.name} is no zip, or a broken or truncated one: {error}") from error
    except (NotImplementedError, RuntimeError) as error:  # of a compression that Python does not know; with a password
        raise FetchError(f"{archive.name} cannot be unpacked: {error}") from error


def _download(url, target, sha256):
    """Download with pooch, which checks the checksum if there is one."""
    import pooch  # type: ignore[import-untyped]
    from requests.exceptions import RequestException

    pooch.get_logger().setLevel("WARNING")
    wrong = []

    def download(url, output_file, _pooch):
        path = Path(output_file)
        _transfer(url, path)
        path.chmod(0o644)  # pooch makes its files readable for their owner alone
        if sha256:
            wrong.append(_mismatch(path, sha256))  # a wrong file is gone before pooch says that it is wrong

    try:
        pooch.retrieve(url, known_hash=sha256, fname=target.name, path=target.parent, downloader=download)
    except RequestException as error:
        raise _in_words(error) from error
    except ValueError as error:
        raise FetchError(wrong[0] if wrong else str(error)) from error


def _transfer(url, path):
    """One HTTP download with a progress bar; a transfer that breaks off is tried once more."""
    import pooch
    from requests.exceptions import RequestException
    from tqdm import tqdm  # type: ignore[import-untyped]

    terminal = sys.__stderr__  # sys.stderr may be a job's log
    hidden = terminal is None or not terminal.isatty()
    for attempt in (1, 2):
        # A bar without a total counts as false, and pooch would not use it; it sets the true total itself.
        look = {"desc": url.rsplit("/", 1)[1], "unit": "B", "unit_scale": True, "leave": False}
        with tqdm(total=1, file=terminal, disable=hidden, **look) as bar:
            downloader = pooch.HTTPDownloader(bar, chunk_size=1 << 16, timeout=(CONNECT_SECONDS, READ_SECONDS))
            try:
                downloader(url, str(path), None)
                return
            except RequestException as error:
                if attempt == 2 or not _broke_off(error):
                    raise


def _broke_off(error):
    """Whether a transfer had begun and then broke off, so that it is worth another try."""
    from requests import exceptions
    from urllib3.exceptions import MaxRetryError, TimeoutError

    if isinstance(error, exceptions.ChunkedEncodingError | exceptions.ContentDecodingError):
        return True
    cause = error.args[0] if error.args else None
    # The subclasses of ConnectionError, and MaxRetryError, are about connections that never came about.
    return type(error) is exceptions.ConnectionError and not isinstance(cause, MaxRetryError | TimeoutError)


def _in_words(error):
    """The FetchError that says what a failure of requests means."""
    from requests import exceptions
    from urllib3.exceptions import ReadTimeoutError

    cause = error.args[0] if error.args else error
    if isinstance(error, exceptions.HTTPError) and error.response is not None:
        return FetchError(f"HTTP {error.response.status_code} {error.response.reason}")
    if isinstance(error, exceptions.ReadTimeout) or isinstance(cause, ReadTimeoutError):
        return Unreachable(f"the server sent nothing for {READ_SECONDS:g} s")
    if _broke_off(error):
        return FetchError(f"the transfer broke off twice: {cause}")
    if isinstance(error, exceptions.ConnectionError):
        return Unreachable(f"no connection: {getattr(cause, 'reason', cause)}")
    return FetchError(str(error))
