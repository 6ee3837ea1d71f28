"""Transfers: of so many bytes and no more, and for so long and no longer."""

import re
import sys
from collections.abc import Iterable
from contextlib import contextmanager
from pathlib import Path

from shiftbench.fetch.hosts import CONNECT_SECONDS, FetchError, Unreachable, within

READ_SECONDS = 10.0  # without a byte: a host that connects and then keeps silent must not hold up a run
CHUNK = 1 << 16
_PAGE = re.compile(rb"(\xef\xbb\xbf)?\s*<(!doctype\s+html|html|head|body|!--)", re.IGNORECASE)


class TooLarge(FetchError):
    """There is more than there should be."""


class _Limited:
    """A file that takes so many bytes; of more it takes the first and raises TooLarge."""

    def __init__(self, file, most):
        self.file, self.most = file, most

    def write(self, data):
        room = self.most - self.file.tell()
        self.file.write(data[:room])
        if len(data) > room:
            raise TooLarge(f"larger than the {self.most} bytes that are expected")

    def flush(self):
        self.file.flush()

    def restart(self):
        self.file.seek(0)
        self.file.truncate()


def write(chunks: Iterable[bytes], target: Path, most: int) -> None:
    """Write a file of at most so many bytes."""
    with _noting_pages(target), target.open("wb") as file:
        limited = _Limited(file, most)
        for chunk in chunks:
            limited.write(chunk)


def download(url: str, target: Path, most: int, seconds: float) -> None:
    """One HTTP download of at most so many bytes, which takes at most so long."""
    from requests.exceptions import RequestException

    with _noting_pages(target), target.open("wb") as file:
        limited = _Limited(file, most)
        try:
            within(seconds, lambda: _transfer(url, limited))
        except TimeoutError as error:  # and since the file is closed now, the transfer ends with its next byte
            raise Unreachable(f"the transfer was not done within {seconds:g} s") from error
        except RequestException as error:
            raise _in_words(error) from error
        except ValueError as error:  # of a length that is no number, or a redirection to what is no address
            raise FetchError(f"the server's answer cannot be read: {error}") from error


def is_page(path: Path) -> bool:
    """Whether a file is a page (HTML), as servers send instead of what they do not have."""
    with path.open("rb") as file:
        return _PAGE.match(file.read(1000)) is not None


@contextmanager
def _noting_pages(path):
    """Says so if what is too large is a page, as it most often is."""
    try:
        yield
    except TooLarge as error:
        raise (TooLarge(f"a page (HTML) came instead of the file: {error}") if is_page(path) else error) from None


def _transfer(url, limited):
    """The download itself, with a progress bar; a transfer that breaks off is tried once more."""
    import pooch  # type: ignore[import-untyped]
    from requests.exceptions import RequestException
    from tqdm import tqdm  # type: ignore[import-untyped]

    terminal = sys.__stderr__  # sys.stderr may be a job's log
    hidden = terminal is None or not terminal.isatty()
    for attempt in (1, 2):
        # A bar without a total counts as false, and pooch would not use it; it sets the true total itself.
        look = {"desc": url.rsplit("/", 1)[1], "unit": "B", "unit_scale": True, "leave": False}
        with tqdm(total=1, file=terminal, disable=hidden, **look) as bar:
            downloader = pooch.HTTPDownloader(bar, chunk_size=CHUNK, timeout=(CONNECT_SECONDS, READ_SECONDS))
            try:
                limited.restart()
                downloader(url, limited, None)
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
