"""Files that appear whole or not at all, and an error for those that did not stay so."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


class DamagedFile(Exception):
    """A file is not as it was written."""

    def __init__(self, path: str | Path, why: str):
        super().__init__(f"{path}: is damaged: {why}; delete it and run again")


@contextmanager
def contents_of(path: str | Path) -> Iterator[None]:
    """Whatever is wrong with what a file holds is a DamagedFile."""
    try:
        yield
    except (DamagedFile, MemoryError):
        raise
    except Exception as error:  # what readers of archives, CSV and Parquet raise has many names
        raise DamagedFile(path, f"{type(error).__name__}: {error}") from error


@contextmanager
def reading(path: str | Path) -> Iterator[BinaryIO]:
    """A file to read, with `contents_of` it; one that is not there, or may not be read, is not damaged."""
    with Path(path).open("rb") as file, contents_of(path):
        yield file


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """A path beside the one given to write to; it takes the other's place when all has gone well."""
    path = Path(path)
    partial = path.with_name(f".{path.name}.{os.getpid()}.part")  # a killed run's last job may still be writing its own
    try:
        yield partial
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def sha256_of(path: str | Path) -> str:
    """Checksum of a file."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole."""
    with atomic_write(path) as partial:
        partial.write_text(text, encoding="utf-8")
