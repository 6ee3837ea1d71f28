"""Files that appear whole or not at all."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
